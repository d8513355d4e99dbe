// Package coverage judges DaemonSets node by node: where their Pods are ready, where they are not, where there is none although there
// should be one, and where there is none because of a taint or a selector. A DaemonSet's own status cannot tell: its
// desiredNumberScheduled leaves out the nodes that a taint excludes, and those that are not ready.
package coverage

import (
	"time"

	"tocsin/collectors/cluster"
)

// Class is how a DaemonSet covers a node.
type Class uint8

// The classes. NotCounted is a node that is in none: it starts, goes, or has been ready for too short a time to miss a Pod.
const (
	NotCounted Class = iota
	Covered
	NotReady
	Pending
	Missing
	ExcludedTaint
	ExcludedSelector
	RunningDespiteTaint

	// Classes is the number of classes, NotCounted included.
	Classes
)

// String gives the value of the label coverage.
func (c Class) String() string {
	return [...]string{"", "covered", "not_ready", "pending", "missing", "excluded_taint", "excluded_selector",
		"running_despite_taint"}[c]
}

// settle is how long a node must have been ready, and a DaemonSet must have existed, before a Pod is missed.
const settle = cluster.Time(2 * time.Minute / time.Second)

// Verdict is how a DaemonSet covers the nodes.
type Verdict struct {
	Nodes [Classes]int
	// Excluding is which taints exclude nodes, by key and effect: the keys that exclude the most nodes, and the rest in one.
	Excluding []Exclusion
}

// Nodes is what coverage knows of the nodes. It keeps what it has found, and finds anew only what has changed. The zero Nodes is empty
// and ready. It must not be used by two goroutines at once.
type Nodes struct {
	nodes      []*cluster.Node
	slots      map[string]int32
	selections map[*cluster.Scheduling]*selection
	pods       []*cluster.Pod // by slot, of the DaemonSet that is being judged
	tally      tally
}

// Update takes the nodes to be counted, in the order of their names.
func (n *Nodes) Update(nodes []*cluster.Node) {
	same := len(nodes) == len(n.nodes)
	for i := 0; same && i < len(nodes); i++ {
		same = nodes[i].Name == n.nodes[i].Name
	}
	if !same {
		n.slots = make(map[string]int32, len(nodes))
		for i, node := range nodes {
			n.slots[node.Name] = int32(i)
		}
		n.pods = make([]*cluster.Pod, len(nodes))
	}
	n.forget(nodes, same)
	n.nodes = append(n.nodes[:0], nodes...)
}

// Judge gives the verdict on a DaemonSet and its Pods.
func (n *Nodes) Judge(d *cluster.DaemonSet, pods []*cluster.Pod, now cluster.Time) Verdict {
	for _, p := range pods {
		name := p.Node
		if name == "" {
			name = p.TargetNode
		}
		if slot, ok := n.slots[name]; ok && !p.Terminal() {
			n.pods[slot] = better(n.pods[slot], p)
		}
	}
	selected := n.selectionOf(d.Scheduling)
	tolerations := tolerationsOf(d)
	v := Verdict{}
	n.tally.reset()
	for i, node := range n.nodes {
		class := ExcludedSelector
		if (d.Template.NodeName == "" || d.Template.NodeName == node.Name) && selected.has(i) {
			lasting, transient := untolerated(node, tolerations, n.tally.taints[:0])
			n.tally.taints = lasting
			class = classify(d, node, n.pods[i], len(lasting) > 0, transient, now)
		}
		if class == ExcludedTaint {
			n.tally.add()
		}
		v.Nodes[class]++
	}
	clear(n.pods)
	v.Excluding = n.tally.exclusions()
	return v
}

// classify follows k8s.io/kubernetes pkg/controller/daemon/daemon_controller.go, NodeShouldRunDaemonPod, for a node that the DaemonSet
// selects: with an untolerated taint it gets no new Pod, but one that is there may stay.
func classify(d *cluster.DaemonSet, node *cluster.Node, pod *cluster.Pod, lasting, transient bool, now cluster.Time) Class {
	switch {
	case lasting && pod != nil:
		return RunningDespiteTaint
	case lasting:
		return ExcludedTaint
	case pod != nil && !node.Ready:
		return NotReady // the taints of such a node are the node's trouble, not the DaemonSet's
	case transient:
		return NotCounted
	case pod == nil && node.Ready && old(node.ReadyChanged, now) && old(d.Created, now):
		return Missing
	case pod == nil:
		return NotCounted
	case pod.Deleted == 0 && pod.Ready:
		return Covered
	case pod.Deleted == 0 && pod.Phase == cluster.PhasePending:
		return Pending
	}
	return NotReady
}

func old(since, now cluster.Time) bool { return now-since >= settle }

// better gives the Pod that says more about a node where an update surges: one that stays, then one that is ready.
func better(a, b *cluster.Pod) *cluster.Pod {
	switch {
	case a == nil:
		return b
	case (a.Deleted == 0) != (b.Deleted == 0):
		if b.Deleted == 0 {
			return b
		}
	case b.Ready && !a.Ready:
		return b
	}
	return a
}
