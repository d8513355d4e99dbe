package scenarios

import (
	"fmt"
	"strings"
)

// daemonSet is the YAML of a DaemonSet for the story's own nodes, whatever else they are tainted with left out.
func daemonSet(story, name, annotations string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: DaemonSet
metadata: {name: %[1]s, annotations: {%[2]s}}
spec:
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      containers: [{name: main, image: registry.example/%[1]s:1}]
      %[3]s
---
`, name, annotations, onOwnNodes(story))
}

// tainted is a node of the story's own with one more taint.
func tainted(story, name, taint string) string {
	return strings.Replace(node(story, name), "taints: [", "taints: ["+taint+", ", 1)
}

// daemonSets are the stories of pods that are to run on every node.
func daemonSets() []Scenario {
	const name = "daemonset"
	excluded := Page{"DaemonSetNodeExcluded", "warning", "Taints keep DaemonSet daemonset/logs from nodes that it should cover", "namespace=daemonset daemonset=logs"}
	missing := Page{"DaemonSetNodeMissing", "warning", "DaemonSet daemonset/logs does not run on all of its nodes", "namespace=daemonset daemonset=logs"}
	return []Scenario{{
		Name: name,
		Story: "A node with a taint joins, and no log is collected there; the DaemonSet's own status says that all is well, and has more to say of a " +
			"node that is merely not ready.",
		Objects: node(name, "daemonset-1") + node(name, "daemonset-2") +
			daemonSet(name, "logs", "tocsin/coverage: all") + daemonSet(name, "metrics", ""),
		Steps: []Step{{
			Say: "two nodes run two DaemonSets; the owner of one has said that it is to cover all of them",
			Do:  []Action{rolledOut("daemonset/logs"), rolledOut("daemonset/metrics")},
			See: []string{
				`count(tocsin_daemonset_nodes{namespace="daemonset", coverage="covered"} == 2) == 2`,
				`tocsin_daemonset_info{namespace="daemonset", daemonset="logs", coverage="all"} == 1`,
			},
		}, {
			Say: "daemonset-2 is not ready",
			Do: []Action{
				{"", kubectl("annotate", "node", "daemonset-2", "kubelet.tocsin/does=nothing").do},
				{"daemonset-2's kubelet says that it is not ready", kubectl("patch", "node", "daemonset-2", "--subresource=status", "-p",
					`{"status":{"conditions":[{"type":"Ready","status":"False","reason":"KubeletNotReady","message":"container runtime is down"}]}}`).do},
			},
			See: []string{`count(tocsin_daemonset_nodes{namespace="daemonset", coverage="not_ready"} == 1) == 2`},
		}, {
			Say: "daemonset-gpu joins, with a taint that keeps away what does not ask for it: that is paged where it was asked for, and the node that is not ready nowhere",
			Do:  []Action{{"kubectl apply", apply(tainted(name, "daemonset-gpu", "{key: dedicated, value: gpu, effect: NoSchedule}")).do}},
			See: []string{
				`count(tocsin_daemonset_nodes{namespace="daemonset", coverage="excluded_taint"} == 1) == 2`,
				`tocsin_daemonset_excluded_nodes{namespace="daemonset", daemonset="logs", taint_key="dedicated", taint_effect="NoSchedule"} == 1`,
				`count(tocsin_daemonset_nodes{namespace="daemonset", coverage="not_ready"} == 1) == 2`,
			},
			Page: []Page{excluded},
		}, {
			Say: "the logs' DaemonSet learns to tolerate the taint, and daemonset-2 is ready again",
			Do: []Action{
				{"", kubectl("annotate", "node", "daemonset-2", "kubelet.tocsin/does-").do},
				kubectl("patch", "daemonset", "logs", "--type=json", "-p",
					`[{"op":"add","path":"/spec/template/spec/tolerations/-","value":{"key":"dedicated","operator":"Exists"}}]`),
			},
			See:     []string{`tocsin_daemonset_nodes{namespace="daemonset", daemonset="logs", coverage="covered"} == 3`},
			Resolve: []Page{excluded},
		}, {
			Say: "a release of it cannot pull its image",
			Do: []Action{kubectl("patch", "daemonset", "logs", "-p",
				`{"spec":{"template":{"metadata":{"annotations":{"kubelet.tocsin/does":"image-pull"}},"spec":{"containers":[{"name":"main","image":"registry.example/logs:2"}]}}}}`)},
			See:  []string{`tocsin_daemonset_nodes{namespace="daemonset", daemonset="logs", coverage="pending"} == 1`},
			Page: []Page{missing},
		}, {
			Say:     "it is reverted",
			Do:      []Action{kubectl("rollout", "undo", "daemonset/logs")},
			See:     []string{`tocsin_daemonset_nodes{namespace="daemonset", daemonset="logs", coverage="covered"} == 3`},
			Resolve: []Page{missing},
		}},
		Silent: []string{`ALERTS{namespace="daemonset", daemonset="metrics", alertstate="firing"}`},
	}}
}
