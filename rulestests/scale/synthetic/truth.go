package synthetic

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

// Truth is what a right exposition says of a cluster: for each metric that is checked, the values by some of its labels, added up over
// the others. A metric without values must have no series.
type Truth struct {
	checks map[string]*check
}

type check struct {
	labels []string
	want   map[string]float64
}

// checked lists the metrics with the labels by which they are checked.
func checked() map[string][]string {
	cronJob, job, set, pod := []string{"namespace", "cronjob"}, []string{"namespace", "job_name"}, []string{"namespace", "statefulset"}, []string{"namespace", "pod"}
	with := func(labels []string, more ...string) []string { return slices.Concat(labels, more) }
	return map[string][]string{
		"tocsin_cronjob_info":                          cronJob,
		"tocsin_cronjob_state":                         with(cronJob, "state"),
		"tocsin_cronjob_schedule_problem":              with(cronJob, "reason"),
		"tocsin_cronjob_never_succeeded":               cronJob,
		"tocsin_cronjob_failing":                       cronJob,
		"tocsin_cronjob_last_failure_info":             with(cronJob, "reason", "cause", "container", "exit_code"),
		"tocsin_cronjob_active_runs":                   cronJob,
		"tocsin_cronjob_active_run_stalled":            with(cronJob, "reason"),
		"tocsin_cronjob_long_running":                  cronJob,
		"tocsin_cronjob_missed_runs":                   cronJob,
		"tocsin_job_failed":                            with(job, "reason", "cause", "container", "exit_code", "cronjob"),
		"tocsin_job_state":                             with(job, "state"),
		"tocsin_job_stalled":                           with(job, "reason"),
		"tocsin_job_without_ttl":                       job,
		"tocsin_persistentvolumeclaims":                {"namespace", "state", "reason"},
		"tocsin_persistentvolumeclaim_orphaned":        {"namespace", "persistentvolumeclaim", "reason"},
		"tocsin_persistentvolume_unclaimed":            {"persistentvolume", "reason"},
		"tocsin_persistentvolume_node_missing":         {"persistentvolume", "claim_namespace", "claim_name"},
		"tocsin_statefulset_rollout_state":             with(set, "state"),
		"tocsin_statefulset_rollout_blocked":           with(set, "reason", "action"),
		"tocsin_statefulset_blocking_pod_info":         with(set, "pod"),
		"tocsin_statefulset_manual_delete_pods":        set,
		"tocsin_statefulset_outdated_pods":             set,
		"tocsin_statefulset_governing_service_invalid": with(set, "reason"),
		"tocsin_statefulset_volume_template_drift":     with(set, "field"),
		"tocsin_pinned_pod_alternative_nodes":          with(pod, "pin"),
		"tocsin_pod_stranded":                          with(pod, "cause", "pin"),
		"tocsin_node_pinned_pods":                      {"pin"},
		"tocsin_node_drain_stranded_pods":              {"node", "protection"},
		"tocsin_node_local_persistentvolumes":          {"phase"},
		"tocsin_workload_pinned_pods":                  {"workload_kind", "pin"},
		"tocsin_daemonset_nodes":                       {"daemonset", "coverage"},
		"tocsin_daemonset_excluded_nodes":              {"daemonset", "taint_key"},
		"tocsin_source_objects":                        {"resource"},
		"tocsin_series_dropped":                        {"metric"},
		"tocsin_source_invalid_objects":                {"resource"},
		"tocsin_collector_success":                     {"collector"},
	}
}

func newTruth() *Truth {
	t := &Truth{checks: map[string]*check{}}
	for metric, labels := range checked() {
		t.checks[metric] = &check{labels: labels, want: map[string]float64{}}
	}
	return t
}

// add adds to the value of a metric at the values of its labels, which are those of checked in their order.
func (t *Truth) add(metric string, value float64, values ...string) {
	t.checks[metric].want[strings.Join(values, "\xff")] += value
}

// Count is how many of the metric's checked label values have another value than 0.
func (t *Truth) Count(metric string) int {
	n := 0
	for _, v := range t.checks[metric].want {
		if v != 0 {
			n++
		}
	}
	return n
}

// Stories tells in one line how many objects have which trouble.
func (t *Truth) Stories() string {
	var parts []string
	for _, s := range [...]struct{ metric, what string }{
		{"tocsin_cronjob_missed_runs", "CronJobs with a run that is overdue"}, {"tocsin_cronjob_failing", "failing CronJobs"}, {"tocsin_job_failed", "failed Jobs"},
		{"tocsin_persistentvolumeclaim_orphaned", "orphaned claims"}, {"tocsin_persistentvolume_unclaimed", "unclaimed volumes"},
		{"tocsin_statefulset_rollout_blocked", "StatefulSets that are blocked"}, {"tocsin_statefulset_manual_delete_pods", "of them by a reverted template"},
		{"tocsin_pod_stranded", "stranded Pods"}, {"tocsin_node_drain_stranded_pods", "drains that would strand Pods"},
	} {
		parts = append(parts, fmt.Sprintf("%d %s", t.Count(s.metric), s.what))
	}
	return strings.Join(parts, ", ")
}

// notCounted are the resources of which an API server makes objects by itself.
var notCounted = []string{"namespaces", "services", "events", "storageclasses"}

// Check compares an exposition with the truth and gives each difference in one line, in the order of their metrics; none when all is
// as it should be.
func (t *Truth) Check(families map[string]*dto.MetricFamily) []string {
	var differences []string
	for _, metric := range slices.Sorted(maps.Keys(t.checks)) {
		c := t.checks[metric]
		got := c.read(families[metric])
		for _, k := range slices.Sorted(maps.Keys(c.want)) {
			v, ok := got[k]
			if !ok || v != c.want[k] {
				differences = append(differences, c.difference(metric, k, c.want[k], v, ok))
			}
		}
		for _, k := range slices.Sorted(maps.Keys(got)) {
			if _, ok := c.want[k]; !ok && (metric != "tocsin_source_objects" || !slices.Contains(notCounted, k)) && got[k] != 0 {
				differences = append(differences, c.difference(metric, k, 0, got[k], true))
			}
		}
	}
	return differences
}

func (c *check) difference(metric, key string, want, got float64, ok bool) string {
	pairs := make([]string, 0, len(c.labels))
	for i, value := range strings.Split(key, "\xff") {
		pairs = append(pairs, fmt.Sprintf("%s=%q", c.labels[i], value))
	}
	found := "no series"
	if ok {
		found = fmt.Sprint(got)
	}
	return fmt.Sprintf("%s{%s}: want %v, got %s", metric, strings.Join(pairs, ","), want, found)
}

func (c *check) read(family *dto.MetricFamily) map[string]float64 {
	got := map[string]float64{}
	values := make([]string, len(c.labels))
	for _, m := range family.GetMetric() {
		for _, pair := range m.GetLabel() {
			if i := slices.Index(c.labels, pair.GetName()); i >= 0 {
				values[i] = pair.GetValue()
			}
		}
		got[strings.Join(values, "\xff")] += m.GetGauge().GetValue() + m.GetCounter().GetValue() + m.GetUntyped().GetValue()
	}
	return got
}
