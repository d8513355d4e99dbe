package placement

import (
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

// toleration is a class of Pods with equal tolerations, and the nodes that can be used by them now.
type toleration struct {
	list   []corev1.Toleration
	usable nodeSet
}

// obstacle is what keeps a class of Pods from a node that exists.
type obstacle uint8

const (
	free obstacle = iota
	cordoned
	notReady
	tainted
)

// obstacleOn gives the first obstacle on the node, in the order in which the scheduler would meet them, but for Ready, which it knows
// only as a taint.
func (t *toleration) obstacleOn(n *cluster.Node) obstacle {
	switch {
	case n.Unschedulable && !t.tolerates(&corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}):
		// k8s.io/kubernetes pkg/scheduler/framework/plugins/nodeunschedulable: who tolerates the taint may go to a cordoned node.
		return cordoned
	case !n.Ready:
		return notReady
	}
	for i := range n.Taints {
		// A transient taint keeps nobody away for ever: passing it over keeps the count an upper bound.
		taint := &n.Taints[i]
		if taint.Effect != corev1.TaintEffectNoSchedule && taint.Effect != corev1.TaintEffectNoExecute || cluster.TransientTaint(taint.Key) {
			continue
		}
		if !t.tolerates(taint) {
			return tainted
		}
	}
	return free
}

// tolerates takes Gt and Lt for enabled: an API server that has them disabled stores no such toleration.
func (t *toleration) tolerates(taint *corev1.Taint) bool {
	for i := range t.list {
		if t.list[i].ToleratesTaint(logr.Discard(), taint, true) {
			return true
		}
	}
	return false
}

func (t *toleration) update(slot int32, n *cluster.Node) {
	if n != nil && t.obstacleOn(n) == free {
		t.usable.add(slot)
	} else {
		t.usable.remove(slot)
	}
}

// sameState tells whether two states of a node are equal to every Pod, their labels apart.
func sameState(a, b *cluster.Node) bool {
	if a == nil || b == nil || a.Ready != b.Ready || a.Unschedulable != b.Unschedulable || len(a.Taints) != len(b.Taints) {
		return false
	}
	for i := range a.Taints {
		x, y := &a.Taints[i], &b.Taints[i]
		if x.Key != y.Key || x.Value != y.Value || x.Effect != y.Effect {
			return false
		}
	}
	return true
}
