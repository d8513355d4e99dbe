package dashboards

// Pods that a drain of each node would leave Pending for ever, whatever their disruption budgets say, and those of them that none protects.
var (
	strandedByDrain = addedUp(perNode, perNode+", protection", "tocsin_node_drain_stranded_pods{NODE}")
	lostInDrain     = addedUp(perNode, perNode, `tocsin_node_drain_stranded_pods{NODE, protection="none"}`)
)

func nodes(known alerts) dashboard {
	const pods = "pods"
	toWorkload := goes("StatefulSets and volumes", to(statefulSetsUID, "var-namespace=${__data.fields.Namespace}"))
	tied := addedUp(perNode, perNode+", pin", "tocsin_node_pinned_pods{NODE}")
	onItAlone := addedUp(perNode, perNode+", phase", "tocsin_node_local_persistentvolumes{NODE}")
	protection := func(kind string) string {
		return either(addedUp(perNode, perNode, `tocsin_node_drain_stranded_pods{NODE, protection="`+kind+`"}`), "0 * "+tied, "0 * "+onItAlone)
	}
	coverage := func(kinds string) string {
		return either(sumBy(perDaemonSet, maxBy(perDaemonSet+", coverage", `tocsin_daemonset_nodes{NS, coverage=~"`+kinds+`"}`)),
			"0 * "+maxBy(perDaemonSet, "tocsin_daemonset_info{NS}"))
	}
	byKind := func(expr string) string { return joined(expr, "workload", "/", "workload_kind", "workload") }
	vars := variables(choice("node", "Node", "Nodes that Pods are tied to.", `label_values(tocsin_pinned_pod_alternative_nodes{cluster=~"$cluster"}, node)`))
	return newDashboard(nodesUID, "Tocsin / Nodes: drain forecast", "What a drain would strand, what is tied to which node, which Pods have no node left, "+
		"and which nodes DaemonSets do not cover.",
		"now-24h", vars, known.of("tocsin-placement", "tocsin-daemonsets"),
		beside(3,
			alarm("Nodes not to drain", "Nodes whose drain would leave Pods Pending for ever, whatever their disruption budgets say. Namespaces do not "+
				"narrow this.", warning, pods, riskyNodes),
			stat("Lost without a word", "Pods that would be evicted and stay Pending for ever: no disruption budget stops it.",
				sum(lostInDrain, pods),
				levels(from(good, at(1, critical))), mapped(says(0, "none", good))),
			alarm("Pods stranded now", "Pods that are Pending because no node can ever take them, as things stand.", critical, pods, strandedPods),
			alarm("Pods with one home", "Pods that no other node could run now: they live and die with their node.",
				attend, pods, maxBy(perPod, "tocsin_pinned_pod_alternative_nodes{POD} == 0")),
			stat("Volumes on one node", "PersistentVolumes whose data is on one node alone.",
				sum(onItAlone, "persistentvolumes"), levels(from(good, at(1, info))),
				mapped(says(0, "none", good))),
			alarm("DaemonSets with gaps", "DaemonSets without a started Pod on a ready node that they should run on.", warning, "daemonsets", uncoveredNodes),
		),
		beside(7, findingsTable("Nodes, Pods and DaemonSets that need attention",
			"The worst first: why, for how long, and what to type next. The finding leads to its runbook.",
			"Every Pod has a node, and no drain would change that", []target{placementFindings(), daemonSetFindings()})),
		beside(6,
			table("If you drain this node", "For each node with something tied to it: Pods that would stay Pending for ever. Lost: no disruption budget "+
				"stops the drain. One may go: a budget lets one go now. "+
				"Drain stops: a budget holds the drain up. Then the Pods that are tied to it, and the volumes whose data is on it alone. Namespaces do "+
				"not narrow this.", "Nothing is tied to any node", []string{"-Lost", "-One may go", "-Drain stops"}, []column{
				text("node", "Node", goes("Show ${__value.text} only", to(nodesUID, keepNamespace, "var-node=${__value.raw}"))),
				counted("lost", "Lost", 80, from(good, at(1, critical))), counted("one", "One may go", 115, from(good, at(1, warning))),
				counted("stops", "Drain stops", 115, from(good, at(1, attend))),
				number("pinned", "Pods tied", "none", broad(90)), number("volumes", "Volumes", "none", broad(90)),
			}, []target{
				rows("lost", protection("none")), rows("one", protection("pdb")), rows("stops", protection("pdb_blocking")),
				rows("pinned", either(tied, "0 * "+onItAlone)), rows("volumes", either(onItAlone, "0 * "+tied)),
			}),
			table("Stranded now", "Pods that are Pending and that no node can ever take, as things stand: what is in the way, and what ties them.",
				"Every Pod has a node that could run it", []string{"-For"}, []column{
					text("namespace", "Namespace", broad(100), toWorkload), text("pod", "Pod"),
					text("cause", "In the way", shown(byName(state{"node_missing", critical}, state{"node_not_ready", critical},
						state{"node_cordoned", warning}, state{"node_tainted", warning},
						state{"affinity_disjoint", broken}, state{"selected_node_missing", broken}))...),
					text("pin", "Tied by", broad(110)), number("", "For", "s", broad(85)),
				}, []target{rows("A", maxBy(perPod+", cause, pin", told(maxBy(perPod,
					either(sinceTime("tocsin_pod_stranded_since_timestamp_seconds{NS}"), notSaid("tocsin_pod_stranded{NS}"))), perPod, "cause, pin",
					"tocsin_pod_stranded{NS}")))}),
		),
		beside(7,
			table("Pods that are tied to a node", "What ties each Pod, and how many other nodes could run it now: an upper bound, as CPU, memory and "+
				"affinity between Pods are not looked at. 0 is certain.", "No Pod is tied to a node",
				[]string{"Other nodes"}, []column{
					text("namespace", "Namespace", broad(100), toWorkload), text("pod", "Pod"), text("workload", "Workload", broad(180)),
					text("node", "Node", broad(110)), text("pin", "Tied by", broad(130)),
					counted("", "Other nodes", 115, from(critical, at(1, attend), at(2, good))),
				}, []target{rows("A", maxBy("cluster, namespace, pod, workload, node, pin", byKind("tocsin_pinned_pod_alternative_nodes{POD}")))}, wide(14)),
			table("Workloads by their weakest Pod", "Workloads with Pods that are tied to nodes: how many, and how many other nodes, at least, could run each of them.",
				"No workload is tied to nodes", []string{"Other nodes"}, []column{
					text("namespace", "Namespace", broad(100), toWorkload), text("workload", "Workload"),
					number("tied", "Pods tied", "none", broad(80)), counted("others", "Other nodes", 115, from(critical, at(1, attend), at(2, good))),
				}, []target{
					rows("tied", sumBy("cluster, namespace, workload", maxBy("cluster, namespace, workload, pin",
						byKind("tocsin_workload_pinned_pods{NS}")))),
					rows("others", maxBy("cluster, namespace, workload", byKind("tocsin_workload_min_alternative_nodes{NS}"))),
				}),
		),
		beside(8,
			graph("Pods that a drain would strand", "By node, whatever their disruption budgets say. Namespaces do not narrow this.",
				[]target{over("A", strandedByDrain, "{{node}} {{cluster}}")}, decimals(0), noValue("No drain would have stranded a Pod")),
			graph("Pods tied to nodes, by what ties them", "Namespaces do not narrow this.",
				[]target{over("A", addedUp("pin", perNode+", pin", "tocsin_node_pinned_pods{NODE}"), "{{pin}}")}, decimals(0),
				noValue("No Pod was tied to a node")),
		),
		beside(7,
			table("DaemonSets: nodes by coverage", "How many nodes have a ready Pod of each DaemonSet, and why the others do not: no Pod started "+
				"(missing, pending), not ready, kept away by a taint or by the node selection, or running "+
				"despite a taint that came later.", "There is no DaemonSet", []string{"-Missing", "-Tainted"}, []column{
				text("namespace", "Namespace", broad(110)), text("daemonset", "DaemonSet"), number("covered", "Covered", "none", broad(85)),
				counted("missing", "Missing", 95, from(good, at(1, critical))), counted("unready", "Not ready", 95, from(good, at(1, warning))),
				counted("tainted", "Tainted", 95, from(good, at(1, attend))), number("selected", "Not selected", "none", broad(105)),
				number("despite", "Despite taint", "none", broad(105)),
			}, []target{
				rows("covered", coverage("covered")), rows("missing", coverage("missing|pending")), rows("unready", coverage("not_ready")),
				rows("tainted", coverage("excluded_taint")), rows("selected", coverage("excluded_selector")),
				rows("despite", coverage("running_despite_taint")),
			}, wide(15)),
			table("Taints that keep DaemonSets away", "Nodes by the taint that the DaemonSet does not tolerate. It is an alert only where the owner asks "+
				"for it with tocsin/coverage: all.", "No taint keeps a DaemonSet from a node",
				[]string{"-Nodes"}, []column{
					text("namespace", "Namespace", broad(100)), text("daemonset", "DaemonSet", broad(120)), text("taint_key", "Taint", broad(110)),
					text("taint_effect", "Effect", broad(100)), number("", "Nodes", "none", broad(70)),
				}, []target{rows("A", maxBy(perDaemonSet+", taint_key, taint_effect", "tocsin_daemonset_excluded_nodes{NS}"))}),
		),
	)
}
