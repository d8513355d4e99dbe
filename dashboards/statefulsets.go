package dashboards

const (
	orphanedBytes  = "tocsin_persistentvolumeclaim_orphaned_capacity_bytes{NS}"
	unclaimedBytes = "tocsin_persistentvolume_unclaimed_capacity_bytes{CL}"
)

// sum gives the sum over objects, each of which has a series, 0 where there are none and the source that would tell of them is known.
func sum(things, source string) string {
	return "sum(" + things + ")\n" + `or 0 * max(tocsin_source_up{CL, resource="` + source + `"} == 1)`
}

func statefulSets(known alerts) dashboard {
	const sets, claims, volumes = "statefulsets", "persistentvolumeclaims", "persistentvolumes"
	legend := "{{namespace}}/{{statefulset}} {{cluster}}"
	bytes := []option{unit("bytes"), levels(from(good, at(1, info))), mapped(says(0, "none", good))}
	unfinished := rolloutState() + "\nand on (" + perStatefulSet + `) last_over_time(tocsin_statefulset_rollout_state{SET, state!="complete"}[$__range] @ end())`
	vars := variables(choice("statefulset", "StatefulSet", "Narrows rollouts; claims and volumes have no StatefulSet.",
		`label_values(tocsin_statefulset_rollout_state{cluster=~"$cluster", namespace=~"$namespace"}, statefulset)`))
	return newDashboard(statefulSetsUID, "Tocsin / StatefulSets and volumes",
		"Which rollouts will not end and which Pod is in their way, what storage nothing uses, and which volumes nothing can reach.",
		"now-24h", vars, known.of("tocsin-statefulsets", "tocsin-volumes"),
		beside(3,
			stat("StatefulSets", "StatefulSets that Tocsin judges.",
				"count("+maxBy(perStatefulSet, "tocsin_statefulset_rollout_state{SET}")+")", levels(from(info))),
			alarm("Rollouts blocked", "StatefulSets whose rollout will not end by itself.", critical, sets, stuckRollouts),
			stat("Pods to delete", "Pods that the controller will never replace by itself: deleting them unblocks their StatefulSets now.",
				sum(maxBy(perStatefulSet, "tocsin_statefulset_manual_delete_pods{SET}"), sets), levels(from(good, at(1, critical))), mapped(says(0, "none", good))),
			stat("Orphaned", "Capacity of the PersistentVolumeClaims that nothing uses, owns or names.", sum(maxBy(perClaim, orphanedBytes), claims), bytes...),
			stat("Unclaimed", "Capacity of the PersistentVolumes that no claim holds. Namespaces do not narrow this.",
				sum(maxBy(perVolume, unclaimedBytes), volumes), bytes...),
			alarm("Unreachable volumes", "PersistentVolumes that are tied to a node that does not exist. Namespaces do not narrow this.",
				critical, volumes, maxBy(perVolume, "tocsin_persistentvolume_node_missing{CL}")),
		),
		beside(8, findingsTable("StatefulSets and volumes that need attention",
			"The worst first: why, for how long, and what to type next. The finding leads to its runbook.",
			"All rollouts end, and no storage is left over", []target{statefulSetFindings(), volumeFindings()})),
		beside(7,
			table("Pods that block a rollout", "The Pod that the rollout waits for, what is wrong with it, and what ends that: delete_pod, fix_template, "+
				"free_node, fix_storage or wait.", "No rollout is blocked",
				[]string{"-For"}, []column{
					text("namespace", "Namespace", broad(90)), text("statefulset", "StatefulSet", broad(120)), text("pod", "Pod", broad(130)),
					text("node", "Node", broad(80), goes("Show ${__value.text}", to(nodesUID, "var-node=${__value.raw}"))),
					text("reason", "Reason", broad(220)), text("action", "What ends it", append(shown(byName(
						state{"delete_pod", critical}, state{"fix_template", warning}, state{"free_node", warning}, state{"fix_storage", warning},
						state{"wait", info})), broad(110))...),
					number("", "For", "s", broad(85)),
				}, []target{rows("A", maxBy("cluster, namespace, statefulset, pod, node, reason, action", orElse(
					told("time() - tocsin_statefulset_rollout_blocked_since_timestamp_seconds{SET}", perStatefulSet, "reason, action",
						"tocsin_statefulset_rollout_blocked{SET}"),
					perStatefulSet, "pod, node", "tocsin_statefulset_blocking_pod_info{SET}")))}, wide(15)),
			timeline("Rollouts over time", "StatefulSets whose rollout was not complete at some time of those shown.",
				rolloutStates, []target{over("A", unfinished, legend)}, noValue("Every rollout was complete")),
		),
		beside(5,
			bars("Outdated Pods", "Pods that are not at the StatefulSet's update revision, whether it is their turn yet or not.",
				[]target{now("A", "sort_desc(topk(15, "+maxBy(perStatefulSet, "tocsin_statefulset_outdated_pods{SET} > 0")+"))", legend)},
				levels(from(attend)), noValue("Every Pod is at its newest revision")),
			table("Promises not kept", "StatefulSets whose Pods have no DNS names of their own (their Service is missing, not headless or unnamed), and "+
				"claims that are smaller (size) or of another class (storageclass) than "+
				"the template says.", "Services and claims are as the StatefulSets say", []string{"Namespace"}, []column{
				text("namespace", "Namespace"), text("statefulset", "StatefulSet"), text("what", "What"), number("", "Objects", "none"),
			}, []target{rows("A", maxBy(perStatefulSet+", what", either(
				replace("tocsin_statefulset_governing_service_invalid{SET}", "what", "governing Service $1", "reason", "(.*)"),
				replace("tocsin_statefulset_volume_template_drift{SET} > 0", "what", "claims of another $1", "field", "(.*)"))))}),
		),
		beside(7,
			bars("Orphaned, by namespace", "Capacity of the claims that nothing uses, owns or names.",
				[]target{now("A", "sort_desc(sum by (cluster, namespace) ("+maxBy(perClaim, orphanedBytes)+"))", "{{namespace}} {{cluster}}")},
				unit("bytes"), levels(from(info)), noValue("Nothing is orphaned"), wide(6)),
			table("Orphaned claims", "Claims that nothing uses, owns or names: why Tocsin thinks so, since when, and what they hold. Look at what is in "+
				"one before you delete it.", "No claim is orphaned",
				[]string{"-Capacity"}, []column{
					text("namespace", "Namespace", broad(110)), text("persistentvolumeclaim", "Claim"), text("storageclass", "Class"),
					text("reason", "Reason", broad(200)),
					number("bytes", "Capacity", "bytes", broad(90)), number("unused", "Unused for", "s", broad(100)),
				}, []target{
					rows("bytes", maxBy(perClaim+", storageclass, reason",
						told(maxBy(perClaim, either(orphanedBytes, notSaid("tocsin_persistentvolumeclaim_orphaned{NS}"))), perClaim, "storageclass, reason",
							"tocsin_persistentvolumeclaim_orphaned{NS}"))),
					rows("unused", maxBy(perClaim, sinceTime("tocsin_persistentvolumeclaim_unused_since_timestamp_seconds{NS}"))),
				}),
		),
		beside(6,
			table("Unclaimed volumes", "PersistentVolumes that no claim holds, the claim that had them, and since when. Namespaces do not narrow this.",
				"Every volume is claimed", []string{"-Capacity"}, []column{
					text("persistentvolume", "Volume", broad(170)), text("storageclass", "Class", broad(125)),
					text("claim_namespace", "Claim's namespace", broad(145)), text("claim_name", "Claim"), text("reason", "Reason", broad(140)),
					number("bytes", "Capacity", "bytes", broad(90)), number("since", "For", "s", broad(85)),
				}, []target{
					rows("bytes", maxBy(perVolume+", storageclass, claim_namespace, claim_name, reason",
						told(unclaimedBytes, perVolume, "storageclass, claim_namespace, claim_name, reason", "tocsin_persistentvolume_unclaimed{CL}"))),
					rows("since", maxBy(perVolume, sinceTime("tocsin_persistentvolume_unclaimed_since_timestamp_seconds{CL}"))),
				}, wide(16)),
			table("Volumes out of reach", "Volumes whose node affinity matches no node: nothing can mount them. Namespaces do not narrow this.",
				"A node can reach every volume", []string{"Volume"}, []column{
					text("persistentvolume", "Volume"), text("claim_namespace", "Claim's namespace"), text("claim_name", "Claim"), noNumber(),
				}, []target{rows("A", maxBy(perVolume+", claim_namespace, claim_name", "tocsin_persistentvolume_node_missing{CL}"))}),
		),
		beside(8, graph("Claims by state", "Capacity of the claims that Pods use (in_use), that something will want again (reserved), that nothing wants "+
			"(orphaned), that are being deleted (terminating), "+
			"or that can't be told while a resource is not known (unknown).",
			[]target{over("A", "sum by (state) (max by (cluster, namespace, state, reason) (tocsin_persistentvolumeclaims_capacity_bytes{NS}))", "{{state}}")},
			unit("bytes"), paint("in_use", good), paint("reserved", info), paint("orphaned", warning), paint("terminating", attend), paint("unknown", broken))),
	)
}
