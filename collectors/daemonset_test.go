package collectors

import (
	"bytes"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

// daemonSetRecords is a cluster of five nodes, two of them for GPUs, and three DaemonSets of which one is being deleted and one ignored.
func daemonSetRecords() map[cluster.Resource][]any {
	gpu := func(name string) *cluster.Node {
		n := readyNode(name)
		n.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
		return n
	}
	off := readyNode("node-6")
	off.Ignore = true
	set := func(name string, uid byte, alter func(*cluster.DaemonSet)) *cluster.DaemonSet {
		d := &cluster.DaemonSet{Meta: cluster.Meta{Namespace: "logging", Name: name, UID: cluster.UID{uid}, Created: 1}}
		alter(d)
		return d
	}
	pod := func(node string) *cluster.Pod {
		return &cluster.Pod{Meta: cluster.Meta{Namespace: "logging", Name: "agent-" + node, Owners: ownedBy("DaemonSet", "agent", 1)},
			Node: node, TargetNode: node, Phase: cluster.PhaseRunning, Ready: true}
	}
	return map[cluster.Resource][]any{
		cluster.Nodes: {readyNode("node-1"), readyNode("node-2"), readyNode("node-3"), gpu("node-4"), gpu("node-5"), off},
		cluster.DaemonSets: {set("agent", 1, func(d *cluster.DaemonSet) { d.CoverAll = true }), set("going", 2, func(d *cluster.DaemonSet) { d.Deleted = 2 }),
			set("ignored", 3, func(d *cluster.DaemonSet) { d.Ignore = true })},
		cluster.Pods: {pod("node-1"), pod("node-2"), pod("node-5")},
	}
}

func TestDaemonSetCollector(t *testing.T) {
	store := storeOf(placementNow, daemonSetRecords())
	c := newDaemonSetCollector(DefaultOptions())
	first := scraped(t, c, store)
	golden(t, "daemonset", first)
	if second := scraped(t, c, store); !bytes.Equal(first, second) {
		t.Errorf("a second scrape of the same objects differs:\n%s", second)
	}
}
