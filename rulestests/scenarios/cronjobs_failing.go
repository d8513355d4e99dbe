package scenarios

import (
	"context"

	"tocsin/rulestests/stack"
)

// failingCronJobs are the stories of runs that fail.
func failingCronJobs() []Scenario { return []Scenario{curedByHand(), withoutHistory()} }

func curedByHand() Scenario {
	const name = "cured-by-hand"
	failing := failing(name, "import")
	return Scenario{
		Name:  name,
		Story: "The nightly import fails. The next one is a day away, so somebody mends it and runs it by hand: that is what resolves the page.",
		Steps: []Step{{
			Say: "tonight's import exits with code 3",
			Do:  []Action{nightly("import", "", `kubelet.tocsin/does: exit, kubelet.tocsin/exit-code: "3"`, "")},
			See: []string{
				`tocsin_cronjob_failing{namespace="cured-by-hand", cronjob="import"} == 1`,
				`tocsin_cronjob_last_failure_info{namespace="cured-by-hand", cronjob="import", reason="BackoffLimitExceeded", cause="error", container="main", exit_code="3"} == 1`,
				`tocsin_cronjob_never_succeeded{namespace="cured-by-hand", cronjob="import"} == 1`,
			},
			Page: []Page{failing},
		}, {
			Say: "the import is mended in the CronJob, and run by hand",
			Do: []Action{
				templated("import", "null"),
				kubectl("create", "job", "import-by-hand", "--from=cronjob/import"),
			},
			See: []string{
				`tocsin_cronjob_failing{namespace="cured-by-hand", cronjob="import"} == 0`,
				`tocsin_cronjob_runs_total{namespace="cured-by-hand", cronjob="import", result="succeeded"} == 1`,
				`tocsin_cronjob_last_success_timestamp_seconds{namespace="cured-by-hand", cronjob="import"} > tocsin_cronjob_last_schedule_timestamp_seconds`,
				// The failed run is still there for whoever wants to look into it.
				`tocsin_job_failed{namespace="cured-by-hand", cronjob="import"} == 1`,
			},
			Gone:    []string{`tocsin_cronjob_last_failure_info{namespace="cured-by-hand"}`},
			Resolve: []Page{failing},
		}},
		// JobFailed is for Jobs that no CronJob owns: one failure, one page.
		Silent: []string{`ALERTS{namespace="cured-by-hand", alertname="JobFailed"}`},
	}
}

func withoutHistory() Scenario {
	const name = "without-history"
	seen := failing(name, "sync")
	// A Tocsin that was not there when it happened sees the same, and knows less.
	inferred := seen
	inferred.Summary += " in cluster " + name
	inferred.Labels += " cluster=" + name
	return Scenario{
		Name: name, Clusters: []string{name},
		Story: "failedJobsHistoryLimit is 0, so that a failed Job is deleted at once and nothing in the API says that it failed: it is paged all the same.",
		Steps: []Step{{
			Say: "tonight's sync exits with code 4, and its Job is deleted",
			Do:  []Action{nightly("sync", "failedJobsHistoryLimit: 0", `kubelet.tocsin/does: exit, kubelet.tocsin/exit-code: "4"`, "")},
			See: []string{
				`tocsin_cronjob_failing{namespace="without-history", cronjob="sync"} == 1`,
				`tocsin_cronjob_last_failure_info{namespace="without-history", cronjob="sync", reason="BackoffLimitExceeded", cause="error", container="main", exit_code="4"} == 1`,
				`tocsin_cronjob_active_runs{namespace="without-history", cronjob="sync"} == 0`,
			},
			Gone: []string{`tocsin_job_failed{namespace="without-history"}`},
			Page: []Page{seen},
		}, {
			Say: "a Tocsin of the cluster without-history starts, long after the Job has gone",
			Do: []Action{prints("", "get", "jobs", "-o", "name"), act("tocsin --namespace without-history", func(ctx context.Context, s *stack.Stack) error {
				_, err := s.StartExporter(ctx, stack.ExporterOptions{Name: name, Account: "tocsin", Labels: map[string]string{"cluster": name}, Flags: ofItsOwn(name)})
				return err
			})},
			See:   []string{`tocsin_cronjob_last_failure_info{cluster="without-history", cronjob="sync", reason="JobGone", cause="unknown", exit_code=""} == 1`},
			Page:  []Page{inferred},
			Still: []Page{seen},
		}, {
			Say: "the sync is mended, and run by hand",
			Do: []Action{
				templated("sync", "null"),
				kubectl("create", "job", "sync-by-hand", "--from=cronjob/sync"),
			},
			See:     []string{`count(tocsin_cronjob_failing{namespace="without-history", cronjob="sync"} == 0) == 2`},
			Resolve: []Page{seen, inferred},
		}},
	}
}
