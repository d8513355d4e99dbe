package placement

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tocsin/collectors/cluster"
)

// TestPlacementAgreesWithTheScheduler compares every verdict with the scheduler's own helpers, asked Pod by Pod and node by node, while
// the cluster changes under an engine that only follows the changes.
func TestPlacementAgreesWithTheScheduler(t *testing.T) {
	for seed := range uint64(50) {
		w := newWorld(rand.New(rand.NewPCG(seed, 1)), int(seed%9), 30)
		c := &Cluster{}
		for step := range 30 {
			c.Update(w.in)
			compare(t, c, w.in)
			if diff := cmp.Diff(verdicts(fresh(w.in)), verdicts(c)); diff != "" {
				t.Fatalf("seed %d, step %d: a fresh engine differs (-fresh +kept):\n%s", seed, step, diff)
			}
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, step)
			}
			w.step()
		}
	}
}

// TestManyNodesChange changes more nodes at once than are followed one by one.
func TestManyNodesChange(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(rand.New(rand.NewPCG(seed, 3)), 0, 30)
		c := &Cluster{}
		for step := range 4 {
			for i := range 2 * most {
				n := w.node()
				n.Name = fmt.Sprintf("n%d", i)
				w.in.Nodes = put(w.in.Nodes, n)
			}
			c.Update(w.in)
			compare(t, c, w.in)
			if diff := cmp.Diff(verdicts(fresh(w.in)), verdicts(c)); diff != "" {
				t.Fatalf("seed %d, step %d: a fresh engine differs (-fresh +kept):\n%s", seed, step, diff)
			}
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, step)
			}
		}
	}
}

func compare(t *testing.T, c *Cluster, in Input) {
	t.Helper()
	got := verdicts(c)
	for _, p := range in.Pods {
		v, pinned := got[p.Namespace+"/"+p.Name]
		if exempt(p) {
			if pinned {
				t.Errorf("pod %s/%s is exempt: %+v", p.Namespace, p.Name, v)
			}
			continue
		}
		var fixed bool
		if o, ok := p.Controller(); ok {
			_, fixed = in.FixedNodes[o.UID]
		}
		all, others, excluded := 0, 0, false
		for _, n := range in.Nodes {
			could := couldRun(in, p, n)
			if could {
				all++
			}
			if could && n.Name != p.Node && n.Name != v.Node {
				others++
			}
			excluded = excluded || !enforced(in, p, n)
		}
		if fixed {
			others = 0
		}
		switch {
		case pinned && v.Alternatives != others:
			t.Errorf("pod %s/%s: %+v, but %d other nodes could run it", p.Namespace, p.Name, v, others)
		case !pinned && excluded && others == 0:
			t.Errorf("pod %s/%s has no other node, for its volumes or its selection, and is not pinned", p.Namespace, p.Name)
		case v.Stranded != NotStranded && (all > 0 || p.Scheduled != cluster.Unschedulable || p.Node != ""):
			t.Errorf("pod %s/%s: %+v, but %d nodes could run it", p.Namespace, p.Name, v, all)
		case !fixed && excluded && all == 0 && p.Node == "" && p.Scheduled == cluster.Unschedulable && v.Stranded == NotStranded:
			t.Errorf("pod %s/%s is not stranded, but no node could run it", p.Namespace, p.Name)
		case v.LostByDrain && (others > 0 || fixed):
			t.Errorf("pod %s/%s: %+v, but %d other nodes could run it", p.Namespace, p.Name, v, others)
		}
	}
}

// enforced tells whether the scheduler lets the Pod on the node as far as its volumes and its own selection go.
func enforced(in Input, p *cluster.Pod, n *cluster.Node) bool {
	open := &cluster.Node{Meta: n.Meta, LabelMap: n.LabelMap, Ready: true}
	return couldRun(in, p, open)
}
