package docs

import (
	"fmt"
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors"
	"tocsin/collectors/claims"
	"tocsin/collectors/cluster"
	"tocsin/collectors/coverage"
	"tocsin/collectors/jobs"
	"tocsin/collectors/placement"
	"tocsin/collectors/rollout"
	"tocsin/collectors/schedule"
)

// LabelValues gives, by label, the values that a metric's labels can have where they are a closed set: the words that queries and routes
// may be written for. A label that it leaves out has names and numbers of the cluster's own.
func LabelValues(metric string) map[string][]string {
	closed := map[string][]string{"severity": words(cluster.SeverityCritical + 1), "pin": words(placement.Pins)[1:]}
	maps.Copy(closed, valuesOf(metric))
	return closed
}

// valuesOf gives the sets that are a metric's own. The zero values of most verdicts mean that there is none, and have no series.
func valuesOf(metric string) map[string][]string {
	cause := words(jobs.Causes)
	stall := words(jobs.Stalls)[1:]
	switch metric {
	case "tocsin_cronjob_info":
		return map[string][]string{
			"timezone_source":    each(schedule.TimezoneSpec, schedule.TimezonePrefix, schedule.TimezoneDefault),
			"concurrency_policy": {string(batchv1.AllowConcurrent), string(batchv1.ForbidConcurrent), string(batchv1.ReplaceConcurrent)},
		}
	case "tocsin_cronjob_state":
		return map[string][]string{"state": words(jobs.States)}
	case "tocsin_cronjob_schedule_problem":
		return map[string][]string{"reason": words(jobs.Problems)[1:]}
	case "tocsin_cronjob_last_failure_info", "tocsin_job_failed":
		return map[string][]string{"cause": cause}
	case "tocsin_cronjob_active_run_stalled", "tocsin_job_stalled":
		return map[string][]string{"reason": stall}
	case "tocsin_cronjob_runs_total":
		return map[string][]string{"result": {"succeeded", "failed", "gone"}}
	case "tocsin_job_state":
		return map[string][]string{"state": words(jobs.JobStates)}
	case "tocsin_persistentvolumeclaims", "tocsin_persistentvolumeclaims_capacity_bytes":
		return map[string][]string{"state": each(claims.InUse, claims.Reserved, claims.Orphaned, claims.Terminating, claims.Unknown)}
	case "tocsin_persistentvolumeclaim_orphaned":
		return map[string][]string{"reason": reasons(claims.KeptByHelm, claims.StatefulSetScaledDown, claims.StatefulSetTemplateRemoved,
			claims.StatefulSetDeleted, claims.FinishedJobOnly, claims.TerminatedPodOnly, claims.OldRevisionOnly, claims.NeverBound, claims.Lost,
			claims.NoReference)}
	case "tocsin_persistentvolume_unclaimed":
		return map[string][]string{"reason": reasons(claims.ReleasedRetained, claims.ReleasedDeleteStuck, claims.Failed, claims.Available,
			claims.ClaimMissing)}
	case "tocsin_statefulset_rollout_state":
		return map[string][]string{"state": words(rollout.States)}
	case "tocsin_statefulset_rollout_blocked":
		return map[string][]string{"reason": words(rollout.TerminalPhase)[1:], "action": words(rollout.Actions)[1:]}
	case "tocsin_statefulset_blocking_pod_info":
		return map[string][]string{"revision": words(rollout.AtUpdate + 1)}
	case "tocsin_statefulset_governing_service_invalid":
		return map[string][]string{"reason": {"missing", "not_headless", "unnamed"}}
	case "tocsin_statefulset_volume_template_drift":
		return map[string][]string{"field": {"size", "storageclass"}}
	case "tocsin_pod_stranded":
		return map[string][]string{"cause": words(placement.SelectedNodeMissing + 1)[1:]}
	case "tocsin_node_drain_stranded_pods":
		return map[string][]string{"protection": words(placement.Protections)}
	case "tocsin_node_local_persistentvolumes":
		return map[string][]string{"phase": {"", string(corev1.VolumePending), string(corev1.VolumeAvailable), string(corev1.VolumeBound),
			string(corev1.VolumeReleased), string(corev1.VolumeFailed)}}
	case "tocsin_daemonset_nodes":
		return map[string][]string{"coverage": words(coverage.Classes)[1:]}
	case "tocsin_daemonset_info":
		return map[string][]string{"coverage": {"", "all"}}
	case "tocsin_daemonset_excluded_nodes":
		return map[string][]string{"taint_effect": {string(corev1.TaintEffectNoSchedule), string(corev1.TaintEffectNoExecute)}}
	case "tocsin_collector_success", "tocsin_collector_duration_seconds":
		var names []string
		for _, e := range collectors.Table() {
			names = append(names, e.Name)
		}
		return map[string][]string{"collector": names}
	case "tocsin_invalid_annotations":
		return map[string][]string{"annotation": each(cluster.AnnotationIgnore, cluster.AnnotationSeverity, cluster.AnnotationSuccessWithin,
			cluster.AnnotationCoverage)}
	}
	return nil
}

// words gives the values below the end of an enumeration, in its order.
func words[T interface {
	~uint8
	fmt.Stringer
}](end T) []string {
	var all []string
	for v := range end {
		all = append(all, v.String())
	}
	return all
}

func each[T fmt.Stringer](values ...T) []string {
	var all []string
	for _, v := range values {
		all = append(all, v.String())
	}
	return all
}

func reasons(values ...claims.Reason) []string {
	var all []string
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}
