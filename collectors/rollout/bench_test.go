package rollout

import (
	"fmt"
	"testing"

	"tocsin/collectors/cluster"
)

// BenchmarkRollout is a verdict on a set of three Pods.
func BenchmarkRollout(b *testing.B) {
	worlds := []struct {
		name  string
		world *world
	}{
		{"complete", ordered()},
		{"trapped", ordered(pod(2, at("B"), broken(120)), update("A", 2))},
		{"parallel-trapped", parallel(pod(2, at("B"), broken(120)), update("A", 2))},
		{"stranded", ordered(pod(0, pending(25)), func(w *world) { w.strand = Stranding{ByVolumes: true, Remedy: FreeNode} })},
		{"wide", ordered(func(w *world) {
			w.set.Replicas, w.pods = 16, nil
			for i := range 16 {
				w.pods = append(w.pods, newPod((i*7)%16, "A"))
				w.nodes[fmt.Sprint("n", i)] = &cluster.Node{Ready: true}
			}
		})},
	}
	for _, w := range worlds {
		b.Run("set="+w.name, func(b *testing.B) {
			in := w.world.input()
			b.ReportAllocs()
			for b.Loop() {
				Judge(in, now)
			}
		})
	}
}

// BenchmarkCompare looks for the three claims of a set's template among the 600 of a namespace.
func BenchmarkCompare(b *testing.B) {
	set := ordered().set
	prefix := ClaimPrefix(set, 0)
	var claims []*cluster.Claim // by name
	for i := range 200 {
		name := fmt.Sprintf("data-da-%03d", i)
		switch {
		case i == 100:
			name = "data-db"
		case i > 100:
			name = fmt.Sprintf("data-dc-%03d", i)
		}
		for ordinal := range 3 {
			claims = append(claims, &cluster.Claim{Meta: cluster.Meta{Namespace: "shop", Name: fmt.Sprint(name, "-", ordinal)}, Request: 10})
		}
	}
	b.Run("claims=600", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Compare(set, 0, prefix, claims)
		}
	})
}
