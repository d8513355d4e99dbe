package placement

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

// large is a cluster of 5,000 nodes in 3 zones and 100,000 Pods in 20,000 signatures: half of these are of Pods on a local volume each,
// the other half of Pods on zonal volumes with 500 node selections and tolerations.
func large() Input {
	var in Input
	in1 := func(key string, values ...string) *corev1.NodeSelector {
		return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}}}}}
	}
	for i := range 5000 {
		in.Nodes = append(in.Nodes, &cluster.Node{Meta: cluster.Meta{Name: fmt.Sprintf("node-%05d", i)}, Ready: true, LabelMap: map[string]string{
			corev1.LabelHostname: fmt.Sprintf("node-%05d", i), corev1.LabelTopologyZone: fmt.Sprint("zone-", i%3), "rack": strconv.Itoa(i % 250),
			"pool": strconv.Itoa(i % 10), corev1.LabelOSStable: "linux"}})
	}
	var schedulings []*cluster.Scheduling
	for i := range 500 {
		schedulings = append(schedulings, &cluster.Scheduling{NodeSelector: map[string]string{"pool": strconv.Itoa(i % 10)},
			Tolerations: []corev1.Toleration{{Key: fmt.Sprint("team-", i/10), Operator: corev1.TolerationOpExists}}})
	}
	zones := make([]*corev1.NodeSelector, 20)
	for i := range zones { // differing in what they say, so that they are different constraints
		zones[i] = in1(corev1.LabelTopologyZone, fmt.Sprint("zone-", i%3), fmt.Sprint("old-zone-", i))
	}
	for i := range 20000 {
		name := fmt.Sprintf("v-%05d", i)
		v := &cluster.Volume{Meta: cluster.Meta{Name: name}, Phase: "Bound"}
		if i < 10000 {
			v.Local, v.Affinity = true, in1(corev1.LabelHostname, fmt.Sprintf("node-%05d", i/2))
		} else {
			v.Affinity = zones[i%20]
		}
		in.Volumes = append(in.Volumes, v)
		in.Claims = append(in.Claims, &cluster.Claim{Meta: cluster.Meta{Namespace: "bench", Name: "c" + name}, Volume: name})
	}
	for i := range 100000 {
		s := i % 20000
		p := &cluster.Pod{Meta: cluster.Meta{Namespace: "bench", Name: fmt.Sprintf("p-%06d", i), Owners: []cluster.Owner{{Kind: "StatefulSet", Controller: true}}},
			Phase: cluster.PhaseRunning, Node: fmt.Sprintf("node-%05d", (s/2)%5000), Scheduling: schedulings[s%10],
			Claims: []cluster.ClaimRef{{Name: fmt.Sprintf("cv-%05d", s)}}}
		if s >= 10000 {
			p.Scheduling = schedulings[(s-10000)/20]
		}
		in.Pods = append(in.Pods, p)
	}
	return in
}

// largeSize names a large cluster in the names of benchmarks.
const largeSize = "nodes=5000/pods=100000"

func largeCluster(b *testing.B) (*Cluster, Input) {
	in := large()
	c := &Cluster{}
	c.Update(in)
	if len(c.signatures) < 20000 {
		b.Fatalf("%d signatures", len(c.signatures))
	}
	return c, in
}

func lost(c *Cluster) int {
	n := 0
	for _, v := range c.Pods {
		if v.LostByDrain {
			n++
		}
	}
	return n
}

// BenchmarkPlacement is a full pass: every signature is judged anew, and every Pod.
func BenchmarkPlacement(b *testing.B) {
	b.Run(largeSize, func(b *testing.B) {
		c, in := largeCluster(b)
		b.ReportAllocs()
		for b.Loop() {
			c.Update(in)
			c.rejudge()
			lost(c)
		}
	})
}

// BenchmarkNodeChange is what one cordoned node costs, until the next pass.
func BenchmarkNodeChange(b *testing.B) {
	b.Run(largeSize, func(b *testing.B) {
		c, in := largeCluster(b)
		states := [2]*cluster.Node{in.Nodes[17], {Meta: in.Nodes[17].Meta, LabelMap: in.Nodes[17].LabelMap, Ready: true, Unschedulable: true}}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			in.Nodes[17] = states[(i+1)%2]
			c.Update(in)
		}
	})
}

// BenchmarkNodeAdded is what a node costs that comes and goes.
func BenchmarkNodeAdded(b *testing.B) {
	b.Run(largeSize, func(b *testing.B) {
		c, in := largeCluster(b)
		nodes := [2][]*cluster.Node{in.Nodes, slices.Delete(slices.Clone(in.Nodes), 17, 18)}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			in.Nodes = nodes[(i+1)%2]
			c.Update(in)
		}
	})
}

// BenchmarkFirstUpdate is what a restart costs.
func BenchmarkFirstUpdate(b *testing.B) {
	b.Run(largeSize, func(b *testing.B) {
		in := large()
		b.ReportAllocs()
		for b.Loop() {
			(&Cluster{}).Update(in)
		}
	})
}
