package dashboards

// blockedRollouts have the reason, what ends it (action) and the Pod in the way, "" where there is none to name. Those that wait for a
// deletion by hand are in needDelete. A spec that the controller has not looked at blocks as well.
var (
	blockedRollouts = withPod("(\n" + indent(either("tocsin_statefulset_rollout_blocked{SET}",
		constant(`tocsin_statefulset_rollout_state{SET, state="unobserved"}`, "reason", "unobserved"))) +
		"\n)\nunless on (" + perStatefulSet + ") tocsin_statefulset_manual_delete_pods{SET} > 0")
	needDelete = withPod(replace(orElse("tocsin_statefulset_manual_delete_pods{SET} > 0", perStatefulSet, "severity, reason",
		"tocsin_statefulset_rollout_blocked{SET}"),
		"reason", "it is never replaced by itself", "reason", ""))
)

func withPod(where string) string {
	return orElse(where, perStatefulSet, "pod, node", "tocsin_statefulset_blocking_pod_info{SET}")
}

func statefulSetFindings() target {
	set := finding{
		severity: "warning", per: perStatefulSet, key: []string{"namespace", "statefulset", "pod"}, object: "statefulset/$2",
		since:     either(sinceTime("tocsin_statefulset_rollout_blocked_since_timestamp_seconds{SET}"), notSaid("tocsin_statefulset_rollout_state{SET}")),
		dashboard: statefulSetsUID + "?var-namespace=$1&var-statefulset=$2",
	}
	remove, blocked, service := set, set, set
	remove.alert, remove.where = "StatefulSetNeedsPodDelete", needDelete
	remove.next = []advice{
		{"(.*)/(.*)/(.+)", "kubectl -n $1 delete pod $3; its claims stay"},
		{"(.*)/(.*)/", "kubectl -n $1 get pods -L controller-revision-hash; delete the one of $2 that is not ready and lowest in number"},
	}
	blocked.alert, blocked.where, blocked.key = "StatefulSetRolloutBlocked", blockedRollouts, []string{"namespace", "statefulset", "pod", "action"}
	blocked.next = []advice{
		{"(.*)/(.*)/(.+)/fix_template", "mend the template or what it refers to: kubectl -n $1 describe pod $3"},
		{"(.*)/(.*)/(.+)/free_node", "bring its node back, uncordon it or give it up: kubectl -n $1 describe pod $3"},
		{"(.*)/(.*)/(.+)/fix_storage", "its claim or volume is what is wrong: kubectl -n $1 describe pod $3; kubectl -n $1 get pvc"},
		{"(.*)/(.*)/(.+)/delete_pod", "kubectl -n $1 delete pod $3; its claims stay"},
		{"(.*)/(.*)/.*/.*", "kubectl -n $1 describe statefulset $2"},
	}
	service.alert = "StatefulSetServiceInvalid"
	service.where = replace("tocsin_statefulset_governing_service_invalid{SET}", "severity", "info", "reason", "unnamed")
	service.since = notSaid("tocsin_statefulset_governing_service_invalid{SET}")
	service.next = always("kubectl -n $1 get statefulset $2 -o jsonpath='{.spec.serviceName}'; kubectl -n $1 get services")
	return findingsOf("statefulsets", []finding{remove, blocked, service})
}

// leftOver are orphaned claims, but for those that the API server knows to have been used within the last week.
const leftOver = `tocsin_persistentvolumeclaim_orphaned{NS}
unless on (cluster, namespace, persistentvolumeclaim) time() - tocsin_persistentvolumeclaim_unused_since_timestamp_seconds{NS} <= 7 * 86400`

func volumeFindings() target {
	return findingsOf("volumes", []finding{
		{
			alert: "PersistentVolumeNodeMissing", severity: "warning",
			where: constant("tocsin_persistentvolume_node_missing{CL}", "reason", "no node matches its node affinity"),
			key:   []string{"persistentvolume"}, per: perVolume, since: notSaid("tocsin_persistentvolume_node_missing{CL}"), object: "pv/$1",
			next:      always("kubectl get pv $1 -o jsonpath='{.spec.nodeAffinity}'; kubectl get nodes --show-labels"),
			dashboard: statefulSetsUID + "?",
		},
		{
			alert: "PersistentVolumeClaimOrphaned", severity: "info", where: leftOver,
			key: []string{"namespace", "persistentvolumeclaim"}, per: perClaim, object: "pvc/$2",
			since: either(sinceTime("tocsin_persistentvolumeclaim_unused_since_timestamp_seconds{NS}"),
				notSaid("tocsin_persistentvolumeclaim_orphaned{NS}")),
			next:      always("kubectl -n $1 describe pvc $2; look at what is in it before you delete it"),
			dashboard: statefulSetsUID + "?var-namespace=$1",
		},
		{
			alert: "PersistentVolumeUnclaimed", severity: "info", where: "tocsin_persistentvolume_unclaimed{CL}",
			key: []string{"persistentvolume"}, per: perVolume, object: "pv/$1",
			since:     either(sinceTime("tocsin_persistentvolume_unclaimed_since_timestamp_seconds{CL}"), notSaid("tocsin_persistentvolume_unclaimed{CL}")),
			next:      always("kubectl describe pv $1; it keeps its data until somebody deletes it"),
			dashboard: statefulSetsUID + "?",
		},
	})
}

func placementFindings() target {
	return findingsOf("placement", []finding{
		{
			alert: "PodStranded", severity: "critical", where: joined("tocsin_pod_stranded{NS}", "reason", ", ", "cause", "pin"),
			key: []string{"namespace", "pod"}, per: perPod, object: "pod/$2",
			since:     either(sinceTime("tocsin_pod_stranded_since_timestamp_seconds{NS}"), notSaid("tocsin_pod_stranded{NS}")),
			next:      always("kubectl -n $1 describe pod $2; kubectl get nodes"),
			dashboard: nodesUID + "?var-namespace=$1",
		},
		{
			alert: "NodeDrainWouldStrandPods", severity: "info", where: constant(lostInDrain+" > 0", "reason", "no disruption budget stops it"),
			key: []string{"node"}, per: perNode, since: notSaid(lostInDrain), object: "node/$1",
			next:      always("kubectl get pods -A -o wide --field-selector spec.nodeName=$1; before a drain, protect or move them"),
			dashboard: nodesUID + "?var-node=$1",
		},
	})
}

func daemonSetFindings() target {
	set := finding{
		severity: "warning", key: []string{"namespace", "daemonset"}, per: perDaemonSet, object: "daemonset/$2",
		since: notSaid("tocsin_daemonset_info{NS}"), dashboard: nodesUID + "?var-namespace=$1",
	}
	missing, excluded := set, set
	missing.alert, missing.where = "DaemonSetNodeMissing", copied(`tocsin_daemonset_nodes{NS, coverage=~"missing|pending"}`, "reason", "coverage")
	missing.next = always("kubectl -n $1 describe daemonset $2; kubectl -n $1 get pods -o wide --field-selector status.phase=Pending")
	excluded.alert = "DaemonSetNodeExcluded"
	excluded.where = joined("tocsin_daemonset_excluded_nodes{NS}", "reason", ":", "taint_key", "taint_effect") + "\nand on (" + perDaemonSet +
		`) tocsin_daemonset_nodes{NS, coverage="excluded_taint"}` +
		"\nand on (" + perDaemonSet + `) tocsin_daemonset_info{NS, coverage="all"}`
	excluded.next = always("kubectl -n $1 get daemonset $2 -o jsonpath='{.spec.template.spec.tolerations}'; add one, or drop tocsin/coverage")
	return findingsOf("daemonsets", []finding{missing, excluded})
}

func ownFindings() target {
	return findingsOf("itself", []finding{
		{
			alert: "TocsinSourceDown", severity: "warning", where: constant("tocsin_source_up{CL} == 0", "reason", "forbidden, not synced or stale"),
			key: []string{"resource"}, per: perResource, object: "$1",
			since:     either(sinceTime("tocsin_source_last_event_timestamp_seconds{CL}"), notSaid("tocsin_source_up{CL}")),
			next:      always("kubectl auth can-i list $1 -A --as=system:serviceaccount:tocsin:tocsin; Tocsin's log names the missing permission"),
			dashboard: itselfUID + "?",
		},
		{
			alert: "TocsinCollectorFailed", severity: "warning", where: constant("tocsin_collector_success{CL} == 0", "reason", "ends in an error"),
			key: []string{"collector"}, per: "cluster, collector", object: "$1", since: notSaid("tocsin_collector_success{CL}"),
			next:      always("kubectl get pods -A -l app.kubernetes.io/name=tocsin; read that Pod's log for collector=$1"),
			dashboard: itselfUID + "?",
		},
	})
}
