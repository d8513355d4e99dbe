package coverage

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"tocsin/collectors/cluster"
)

// selection is which nodes a template's node selector and required node affinity select.
type selection struct {
	match    nodeaffinity.RequiredNodeAffinity
	selected []bool // by slot
	used     bool   // since the last Update
}

// has tells whether the node is selected; nil selects every node.
func (s *selection) has(slot int) bool { return s == nil || s.selected[slot] }

// selectionOf gives the selection of a template, or nil when it does not select.
func (n *Nodes) selectionOf(s *cluster.Scheduling) *selection {
	if s == nil || len(s.NodeSelector) == 0 && s.Required == nil {
		return nil
	}
	x := n.selections[s]
	if x == nil {
		affinity := &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: s.Required}}
		x = &selection{match: nodeaffinity.NewRequiredNodeAffinity(s.NodeSelector, affinity), selected: make([]bool, len(n.nodes))}
		for i, node := range n.nodes {
			x.look(i, node)
		}
		if n.selections == nil {
			n.selections = map[*cluster.Scheduling]*selection{}
		}
		n.selections[s] = x
	}
	x.used = true
	return x
}

// look asks whether a node is selected. What does not parse selects nothing, as in the DaemonSet controller.
func (s *selection) look(slot int, node *cluster.Node) {
	s.selected[slot], _ = s.match.Match(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node.Name, Labels: node.LabelMap}})
}

// forget brings the selections up to date with nodes, which have the names they had when same, and lets go those that were not used.
func (n *Nodes) forget(nodes []*cluster.Node, same bool) {
	for s, x := range n.selections {
		if !same || !x.used {
			delete(n.selections, s)
			continue
		}
		x.used = false
	}
	if len(n.selections) == 0 {
		return
	}
	for i, node := range nodes {
		if node == n.nodes[i] || maps.Equal(node.LabelMap, n.nodes[i].LabelMap) {
			continue
		}
		for _, x := range n.selections {
			x.look(i, node)
		}
	}
}

// tolerationsOf gives the tolerations of a DaemonSet's Pods: the template's and those that the controller adds
// (k8s.io/kubernetes pkg/controller/daemon/util/daemonset_util.go, AddOrUpdateDaemonPodTolerations).
func tolerationsOf(d *cluster.DaemonSet) []corev1.Toleration {
	var own []corev1.Toleration
	if d.Scheduling != nil {
		own = d.Scheduling.Tolerations
	}
	added := [...]corev1.Toleration{
		{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeDiskPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeMemoryPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodePIDPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNetworkUnavailable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	}
	last := len(added)
	if !d.HostNetwork {
		last--
	}
	return slices.Concat(own, added[:last])
}
