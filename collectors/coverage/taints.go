package coverage

import (
	"cmp"
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

// untolerated gives the lasting taints that keep Pods with the tolerations from a node, and whether transient ones do: for the sake of
// a node that starts or goes nobody need be told. A cordon does not show here: DaemonSets tolerate it.
func untolerated(n *cluster.Node, tolerations []corev1.Toleration, to []*corev1.Taint) (lasting []*corev1.Taint, passing bool) {
	for i := range n.Taints {
		t := &n.Taints[i]
		if t.Effect != corev1.TaintEffectNoSchedule && t.Effect != corev1.TaintEffectNoExecute || tolerates(tolerations, t) {
			continue
		}
		if cluster.TransientTaint(t.Key) {
			passing = true
		} else {
			to = append(to, t)
		}
	}
	return to, passing
}

// tolerates takes Gt and Lt for enabled: an API server that has them disabled stores no such toleration.
func tolerates(tolerations []corev1.Toleration, t *corev1.Taint) bool {
	for i := range tolerations {
		if tolerations[i].ToleratesTaint(logr.Discard(), t, true) {
			return true
		}
	}
	return false
}

// Exclusion is how many nodes a taint excludes.
type Exclusion struct {
	Key    string // or OtherKeys
	Effect corev1.TaintEffect
	Nodes  int
}

// OtherKeys stands for the taint keys beyond the first ten: a node's taints are bounded by no rule.
const OtherKeys = "other"

const maxKeys = 10

// tally counts excluding taints.
type tally struct {
	taints []*corev1.Taint // of the node at hand
	nodes  [][]*corev1.Taint
}

func (t *tally) reset() { t.nodes = t.nodes[:0] }

// add counts the node at hand.
func (t *tally) add() { t.nodes = append(t.nodes, slices.Clone(t.taints)) }

// exclusions gives the counts: each taint of a node counts, the ten keys with the most nodes by name, the rest together, a node once
// for each effect.
func (t *tally) exclusions() []Exclusion {
	if len(t.nodes) == 0 {
		return nil
	}
	byKey := map[string]int{}
	for _, taints := range t.nodes {
		for i, x := range taints {
			if !slices.ContainsFunc(taints[:i], func(y *corev1.Taint) bool { return y.Key == x.Key }) {
				byKey[x.Key]++
			}
		}
	}
	keys := make([]string, 0, len(byKey))
	for k := range byKey {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(byKey[b], byKey[a]), cmp.Compare(a, b)) })
	named := keys[:min(len(keys), maxKeys)]

	type taint struct {
		key    string
		effect corev1.TaintEffect
	}
	counts := map[taint]int{}
	var seen []taint
	for _, taints := range t.nodes {
		seen = seen[:0]
		for _, x := range taints {
			k := taint{x.Key, x.Effect}
			if !slices.Contains(named, x.Key) {
				k.key = OtherKeys
			}
			if !slices.Contains(seen, k) {
				seen = append(seen, k)
				counts[k]++
			}
		}
	}
	all := make([]Exclusion, 0, len(counts))
	for k, n := range counts {
		all = append(all, Exclusion{Key: k.key, Effect: k.effect, Nodes: n})
	}
	slices.SortFunc(all, func(a, b Exclusion) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Effect, b.Effect)) })
	return all
}
