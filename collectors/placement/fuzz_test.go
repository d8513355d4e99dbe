package placement

import (
	"math/rand/v2"
	"testing"

	"tocsin/collectors/cluster"
)

// FuzzPlacement: no panic, and counts that add up, whatever the cluster and however it changes.
func FuzzPlacement(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(9), uint8(4))
	f.Add(uint64(7), uint8(0), uint8(3), uint8(9))
	f.Fuzz(func(t *testing.T, seed uint64, nodes, pods, steps uint8) {
		w := newWorld(rand.New(rand.NewPCG(seed, 2)), int(nodes%70), int(pods%40))
		w.in.Pods = put(w.in.Pods, &cluster.Pod{})
		w.in.Nodes = put(w.in.Nodes, &cluster.Node{})
		w.in.Volumes = put(w.in.Volumes, &cluster.Volume{})
		w.in.Claims = put(w.in.Claims, &cluster.Claim{})
		c := &Cluster{}
		for range steps%16 + 1 {
			c.Update(w.in)
			addUp(t, c, w.in)
			w.step()
		}
	})
}

func addUp(t *testing.T, c *Cluster, in Input) {
	judged, last := 0, cluster.Meta{}
	for p, v := range c.Pods {
		judged++
		switch {
		case order(&last, &p.Meta) > 0:
			t.Errorf("%s/%s comes after %s/%s", p.Namespace, p.Name, last.Namespace, last.Name)
		case v.Pin == NotPinned || v.Pin >= Pins:
			t.Errorf("%s/%s has no pin: %+v", p.Namespace, p.Name, v)
		case v.Alternatives < 0 || v.Alternatives > len(in.Nodes):
			t.Errorf("%s/%s: %d alternatives among %d nodes", p.Namespace, p.Name, v.Alternatives, len(in.Nodes))
		case v.Stranded != NotStranded && (v.Placed || v.Alternatives != 0), v.LostByDrain && (!v.Placed || v.Alternatives != 0):
			t.Errorf("%s/%s contradicts itself: %+v", p.Namespace, p.Name, v)
		case v.Placed && (v.Node != p.Node || find(in.Nodes, "", v.Node) == nil):
			t.Errorf("%s/%s is placed on %q", p.Namespace, p.Name, v.Node)
		}
		last = p.Meta
	}
	if judged > len(in.Pods) {
		t.Errorf("%d verdicts on %d pods", judged, len(in.Pods))
	}
	for v, n := range c.LocalVolumes {
		if n == nil || find(in.Nodes, "", n.Name) != n {
			t.Errorf("volume %s is on a node that is not there", v.Name)
		}
	}
}
