package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A table's order must be what sorting its rows anew would give, whatever came and went since it was last settled.
func TestTableOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var table Table[Pod]
	model := map[key]*Pod{}
	for round := range 200 {
		for range random.IntN(40) {
			p := &Pod{Meta: Meta{Namespace: fmt.Sprint("ns", random.IntN(5)), Name: fmt.Sprint("pod", random.IntN(30))}}
			if random.IntN(3) == 0 {
				table.remove(p.key())
				delete(model, p.key())
			} else {
				table.put(p)
				model[p.key()] = p
			}
		}
		table.settle()
		var want []*Pod
		for _, p := range model {
			want = append(want, p)
		}
		slices.SortFunc(want, func(a, b *Pod) int { return a.key().compare(b.key()) })
		if !slices.Equal(table.All(), want) {
			t.Fatalf("round %d: order is wrong", round)
		}
		for n := range 6 {
			namespace := fmt.Sprint("ns", n)
			var in []*Pod
			for _, p := range want {
				if p.Namespace == namespace {
					in = append(in, p)
				}
			}
			if !slices.Equal(table.In(namespace), in) {
				t.Fatalf("round %d: In(%q) is wrong", round, namespace)
			}
		}
	}
}

func TestLabels(t *testing.T) {
	l := Labels("app\x00web\x00empty\x00\x00zone\x00a\x00")
	for key, want := range map[string]string{"app": "web", "empty": "", "zone": "a"} {
		if got, ok := l.Lookup(key); !ok || got != want {
			t.Errorf("Lookup(%q) = %q, %v, want %q, true", key, got, ok, want)
		}
	}
	if l.Has("ap") || l.Has("web") || Labels("").Has("app") {
		t.Error("a label is found that is not there")
	}
	if m := l.Map(); len(m) != 3 || m["zone"] != "a" {
		t.Errorf("Map() = %v", m)
	}
}
