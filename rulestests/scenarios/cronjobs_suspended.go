package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tocsin/rulestests/stack"
)

// suspendedCronJobs are the stories of what nobody has resumed.
func suspendedCronJobs() []Scenario { return []Scenario{silentPurge(), longSuspended()} }

// suspends sets a CronJob's spec.suspend.
func suspends(cronJob string, suspend bool) Action {
	return kubectl("patch", "cronjob", cronJob, "-p", fmt.Sprintf(`{"spec":{"suspend":%t}}`, suspend))
}

// suspendedAgo dates a CronJob's suspension back, where the API server says when it was: in the managedFields of who did it.
func suspendedAgo(cronJob string, days int) Action {
	return Action{fmt.Sprintf("%s was suspended %d days ago", cronJob, days), func(ctx context.Context, s *stack.Stack, namespace string) error {
		managers, err := s.Kubectl(ctx, "", "-n", namespace, "get", "cronjob", cronJob, "-o", "jsonpath={.metadata.managedFields[*].manager}")
		if err != nil {
			return err
		}
		i := slices.Index(strings.Fields(managers), "kubectl-patch")
		if i < 0 {
			return fmt.Errorf("CronJob %s has no managedFields of kubectl patch, but those of %s", cronJob, managers)
		}
		// The API server keeps the old times unless something else changes, too; and what changes it dates anew, by its manager.
		_, err = s.Kubectl(ctx, "", "-n", namespace, "patch", "cronjob", cronJob, "--field-manager=calendar", "--type=json", "-p", fmt.Sprintf(
			`[{"op":"replace","path":"/metadata/managedFields/%d/time","value":%q},{"op":"add","path":"/metadata/annotations/calendar","value":"turned back"}]`,
			i, time.Now().AddDate(0, 0, -days).UTC().Format(time.RFC3339)))
		return err
	}}
}

func silentPurge() Scenario {
	const name = "silent-purge"
	noSuccess := noSuccess(name, "purge")
	noSuccess.Severity = "critical"
	return Scenario{
		Name:  name,
		Story: "A purge that the law requires is suspended for an hour, and forgotten: nothing is red.",
		// The newsletter is suspended as well, and nobody has said that it matters.
		Objects: cronJob("purge", `tocsin/severity: critical, tocsin/success-within: 90s`, everyMinute, "", "") +
			cronJob("newsletter", "", everyMinute, "", ""),
		Steps: []Step{{
			Say: "the purge and a newsletter run every minute and succeed",
			See: []string{
				`count(tocsin_cronjob_last_success_timestamp_seconds{namespace="silent-purge"}) == 2`,
				`tocsin_cronjob_state{namespace="silent-purge", cronjob="purge", state="ok"} == 1`,
				`tocsin_cronjob_info{namespace="silent-purge", severity="critical"} == 1`,
			},
		}, {
			Say: "somebody suspends both for an hour, and forgets them",
			Do:  []Action{suspends("purge", true), suspends("newsletter", true)},
			See: []string{
				`count(tocsin_cronjob_state{namespace="silent-purge", state="suspended"} == 1) == 2`,
				`count(tocsin_cronjob_suspended_since_timestamp_seconds{namespace="silent-purge"}) == 2`,
				`tocsin_cronjob_skipped_runs{namespace="silent-purge", cronjob="newsletter"} >= 1`,
			},
			Page:     []Page{noSuccess},
			Patience: 5 * minute,
		}, {
			Say:     "the purge is resumed",
			Do:      []Action{suspends("purge", false)},
			See:     []string{`tocsin_cronjob_state{namespace="silent-purge", cronjob="purge", state="ok"} == 1`},
			Resolve: []Page{noSuccess},
		}},
		Silent: []string{`ALERTS{namespace="silent-purge", cronjob="newsletter", alertstate="firing"}`},
	}
}

func longSuspended() Scenario {
	const name = "long-suspended"
	long := Page{"CronJobSuspendedLong", "info", "CronJob long-suspended/cleanup has been suspended for more than a week in cluster long-suspended",
		"cluster=long-suspended namespace=long-suspended cronjob=cleanup"}
	return Scenario{
		Name: name, Clusters: []string{name},
		Story: "Somebody suspended a clean-up last week and is on holiday. A Tocsin that starts today was not there, and knows since when.",
		// The copy is suspended, too, but has been for a moment only.
		Objects: cronJob("cleanup", "", everyMinute, "", "") + cronJob("copy", "", everyMinute, "", ""),
		Steps: []Step{{
			Say: "a clean-up is suspended, and eight days go by; then a copy is, and a Tocsin of the cluster long-suspended starts",
			Do: []Action{
				suspends("cleanup", true), suspendedAgo("cleanup", 8), suspends("copy", true),
				act("tocsin --namespace long-suspended", func(ctx context.Context, s *stack.Stack) error {
					_, err := s.StartExporter(ctx, stack.ExporterOptions{Name: name, Account: "tocsin", Labels: map[string]string{"cluster": name}, Flags: ofItsOwn(name)})
					return err
				}),
			},
			See: []string{
				`count(tocsin_cronjob_state{cluster="long-suspended", state="suspended"} == 1) == 2`,
				`time() - tocsin_cronjob_suspended_since_timestamp_seconds{cluster="long-suspended", cronjob="cleanup"} > 8 * 86400`,
				`time() - tocsin_cronjob_suspended_since_timestamp_seconds{cluster="long-suspended", cronjob="copy"} < 3600`,
			},
			Page: []Page{long},
		}, {
			Say:     "the clean-up is resumed",
			Do:      []Action{suspends("cleanup", false)},
			See:     []string{`tocsin_cronjob_last_success_timestamp_seconds{cluster="long-suspended", cronjob="cleanup"}`},
			Gone:    []string{`tocsin_cronjob_suspended_since_timestamp_seconds{namespace="long-suspended", cronjob="cleanup"}`},
			Resolve: []Page{long},
		}},
		Silent: []string{`ALERTS{namespace="long-suspended", cronjob="copy", alertstate="firing"}`},
	}
}
