package dashboards

import (
	"fmt"
	"slices"
	"strings"
)

// filters are the words that stand first in a selector's braces here, for the labels that the dashboard's variables narrow it by:
// {NS, state="late"} becomes {cluster=~"$cluster", namespace=~"$namespace", state="late"}. Labels without a variable are left out, so that
// dashboards can share expressions.
var filters = []struct {
	word   string
	labels []string
}{
	{"CL", []string{"cluster"}},
	{"NS", []string{"cluster", "namespace", "cronjob"}},
	{"SET", []string{"cluster", "namespace", "statefulset"}},
	{"NODE", []string{"cluster", "node"}},
	{"POD", []string{"cluster", "namespace", "node"}},
}

// narrow writes the filters out for a dashboard with these variables.
func narrow(expr string, variables []variable) string {
	var pairs []string
	for _, f := range filters {
		var matchers []string
		for _, label := range f.labels {
			i := slices.IndexFunc(variables, func(v variable) bool { return v.Name == label })
			if i < 0 {
				continue
			}
			operator := "=~"
			if !variables[i].Multi {
				operator = "="
			}
			matchers = append(matchers, fmt.Sprintf(`%s%s"$%s"`, label, operator, label))
		}
		for _, end := range []string{"}", ","} {
			pairs = append(pairs, "{"+f.word+end, "{"+strings.Join(matchers, ", ")+end)
		}
	}
	return strings.NewReplacer(pairs...).Replace(expr)
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// Labels that identify an object, for by and on.
const (
	perCronJob     = "cluster, namespace, cronjob"
	perJob         = "cluster, namespace, job_name"
	perStatefulSet = "cluster, namespace, statefulset"
	perDaemonSet   = "cluster, namespace, daemonset"
	perClaim       = "cluster, namespace, persistentvolumeclaim"
	perVolume      = "cluster, persistentvolume"
	perPod         = "cluster, namespace, pod"
	perNode        = "cluster, node"
	perResource    = "cluster, resource"
	perInstance    = "cluster, job, instance"
)

// maxBy takes an exporter's replicas for one, and drops the labels of the scrape.
func maxBy(labels, expr string) string {
	if strings.Contains(expr, "\n") {
		return "max by (" + labels + ") (\n" + indent(expr) + "\n)"
	}
	return "max by (" + labels + ") (" + expr + ")"
}

func sumBy(labels, expr string) string { return "sum by (" + labels + ") (" + expr + ")" }

// addedUp sums up a family of which each shard exports its part (collectors.AddUp). labels are all that tell the selector's series apart beside
// the shard, so that the replicas of a shard count once.
func addedUp(by, labels, selector string) string {
	return sumBy(by, maxBy(labels+", shard", told(selector, perInstance, "shard", "tocsin_shards{CL} > bool 0")))
}

func either(exprs ...string) string { return strings.Join(exprs, "\nor\n") }

// Wrapped in one another, these read from the inside outwards, each label below the one before: nothing is indented, as queries have a
// limit in VictoriaMetrics.

// constant gives each series the label; replace makes it from a label that is there. Labels that are missing count as empty.
func constant(expr, label, value string) string { return replace(expr, label, value, label, ".*") }

func replace(expr, label, value, source, pattern string) string {
	return "label_replace(\n" + expr + fmt.Sprintf(",\n%q, %q, %q, %q)", label, value, source, pattern)
}

// copied gives each series a label with the values of another.
func copied(expr, label, source string) string { return replace(expr, label, "$1", source, "(.*)") }

// cronJobState numbers the states of each CronJob as in cronJobStates. Where an expression has the labels of the one above it, that one
// wins: so the worst comes first.
func cronJobState() string {
	return maxBy(perCronJob, strings.Join([]string{
		`8 * tocsin_cronjob_state{NS, state="invalid"}`,
		`or 7 * tocsin_cronjob_state{NS, state="missed"}`,
		`or 6 * (tocsin_cronjob_failing{NS} == 1)`,
		`or 5 * tocsin_cronjob_active_run_stalled{NS}`,
		`or 4 * (tocsin_cronjob_long_running{NS} == 1)`,
		`or 3 * tocsin_cronjob_state{NS, state="blocked"}`,
		`or 2 * tocsin_cronjob_state{NS, state="late"}`,
		`or 1 * tocsin_cronjob_state{NS, state="suspended"}`,
		`or 0 * tocsin_cronjob_state{NS, state="ok"}`,
	}, "\n"))
}

// rolloutState numbers the states of each StatefulSet as in rolloutStates.
func rolloutState() string {
	var parts []string
	for i, s := range rolloutStates {
		parts = append(parts, fmt.Sprintf(`%d * tocsin_statefulset_rollout_state{SET, state=%q}`, i, strings.ReplaceAll(s.text, " ", "_")))
	}
	slices.Reverse(parts)
	return maxBy(perStatefulSet, strings.Join(parts, "\nor "))
}
