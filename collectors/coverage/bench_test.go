package coverage

import (
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

// benchNodes are 5,000 nodes in ten pools, every twentieth with a taint.
func benchNodes() []*cluster.Node {
	var nodes []*cluster.Node
	for i := range 5000 {
		n := node(fmt.Sprintf("node-%04d", i))
		n.LabelMap["pool"] = strconv.Itoa(i % 10)
		if i%20 == 19 {
			tainted("dedicated", corev1.TaintEffectNoSchedule)(n)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// BenchmarkCoverage judges a DaemonSet that has a Pod on every node, or, where taints exclude some, on none.
func BenchmarkCoverage(b *testing.B) {
	nodes := benchNodes()
	var pods []*cluster.Pod
	for _, n := range nodes {
		pods = append(pods, pod(n.Name))
	}
	tolerating := []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	for _, of := range []struct {
		name string
		set  *cluster.DaemonSet
		pods []*cluster.Pod
	}{
		{"selector=none/taint=tolerated", &cluster.DaemonSet{Scheduling: &cluster.Scheduling{Tolerations: tolerating}}, pods},
		{"selector=none/taint=excluding", &cluster.DaemonSet{Scheduling: &cluster.Scheduling{}}, nil},
		{"selector=pool/taint=tolerated", &cluster.DaemonSet{Scheduling: &cluster.Scheduling{Tolerations: tolerating, NodeSelector: map[string]string{"pool": "3"}}}, pods},
	} {
		b.Run("nodes=5000/"+of.name, func(b *testing.B) {
			known := Nodes{}
			judge := func() {
				known.Update(nodes)
				known.Judge(of.set, of.pods, now)
			}
			judge()
			b.ReportAllocs()
			for b.Loop() {
				judge()
			}
		})
	}
}

// BenchmarkCoverageNodeChange is what a node that has other labels from now on costs a DaemonSet that selects by them.
func BenchmarkCoverageNodeChange(b *testing.B) {
	b.Run("nodes=5000", func(b *testing.B) {
		nodes := benchNodes()
		moved := *nodes[17]
		moved.LabelMap = map[string]string{"name": moved.Name, "pool": "3"}
		states := [2]*cluster.Node{nodes[17], &moved}
		set := &cluster.DaemonSet{Scheduling: &cluster.Scheduling{NodeSelector: map[string]string{"pool": "3"}}}
		known := Nodes{}
		known.Update(nodes)
		known.Judge(set, nil, now)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			nodes[17] = states[(i+1)%2]
			known.Update(nodes)
			known.Judge(set, nil, now)
		}
	})
}
