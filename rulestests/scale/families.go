package main

import "strings"

// resources are those that kube-state-metrics reads for the questions that Tocsin answers.
const resources = "cronjobs,jobs,nodes,persistentvolumeclaims,persistentvolumes,pods,statefulsets"

// family is a metric of kube-state-metrics that a rule would need to ask what Tocsin answers, as far as rules can.
type family struct{ name, why string }

// families are the fewest of kube-state-metrics' with which our alerts can be approached.
func families() []family {
	return []family{
		{"kube_cronjob_info", "which CronJobs there are, and their schedules"},
		{"kube_cronjob_spec_suspend", "those that owe no run"},
		{"kube_cronjob_status_last_schedule_time", "a run that is overdue"},
		{"kube_cronjob_status_last_successful_time", "no success for long"},
		{"kube_cronjob_next_schedule_time", "when a run is due"},
		{"kube_job_owner", "the CronJob of a Job"},
		{"kube_job_failed", "a Job that has failed"},
		{"kube_job_status_start_time", "which of a CronJob's Jobs is the newest, and how long it has run"},
		{"kube_job_status_completion_time", "that a later one succeeded"},
		{"kube_job_status_active", "a run that goes on"},
		{"kube_pod_info", "the node and the controller of a Pod"},
		{"kube_pod_spec_volumes_persistentvolumeclaims_info", "which claims are in use, and what holds a Pod to its node"},
		{"kube_pod_container_status_waiting_reason", "why a Pod does not start"},
		{"kube_pod_status_unschedulable", "a Pod that no node takes"},
		{"kube_persistentvolumeclaim_info", "the volume of a claim"},
		{"kube_persistentvolume_status_phase", "volumes that nobody claims"},
		{"kube_persistentvolume_claim_ref", "whose they were"},
		{"kube_statefulset_replicas", "how many Pods a StatefulSet should have"},
		{"kube_statefulset_status_replicas_ready", "a rollout that does not get on"},
		{"kube_statefulset_status_update_revision", "to which revision"},
		{"kube_node_spec_unschedulable", "cordoned nodes"},
	}
}

// allowlist gives the families as --metric-allowlist takes them.
func allowlist() string {
	var names []string
	for _, f := range families() {
		names = append(names, "^"+f.name+"$")
	}
	return strings.Join(names, ",")
}
