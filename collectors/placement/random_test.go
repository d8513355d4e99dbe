package placement

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

// world is a random cluster that can be changed at random, the way the API server's objects change.
type world struct {
	*rand.Rand
	in          Input
	schedulings []*cluster.Scheduling
	affinities  []*corev1.NodeSelector
}

func newWorld(r *rand.Rand, nodes, pods int) *world {
	w := &world{Rand: r}
	for range 12 {
		w.schedulings = append(w.schedulings, w.scheduling())
		w.affinities = append(w.affinities, w.selector(true))
	}
	for range nodes {
		w.in.Nodes = put(w.in.Nodes, w.node())
	}
	for range pods {
		w.in.Volumes = put(w.in.Volumes, w.volume())
		w.in.Claims = put(w.in.Claims, w.claim())
		w.in.Pods = put(w.in.Pods, w.pod())
	}
	return w
}

// step changes a few objects.
func (w *world) step() {
	for range 1 + w.IntN(4) {
		switch w.IntN(11) {
		case 0:
			w.in.Nodes = put(w.in.Nodes, w.node())
		case 1:
			w.in.Nodes = drop(w.in.Nodes, w.IntN(8))
		case 2:
			w.in.Volumes = put(w.in.Volumes, w.volume())
		case 3:
			w.in.Volumes = drop(w.in.Volumes, w.IntN(8))
		case 4:
			w.in.Claims = put(w.in.Claims, w.claim())
		case 5:
			w.in.Claims = drop(w.in.Claims, w.IntN(8))
		case 6:
			w.in.Pods = drop(w.in.Pods, w.IntN(8))
		case 7, 8:
			if len(w.in.Nodes) > 0 {
				n := *pick(w, w.in.Nodes...)
				n.Ready, n.Unschedulable, n.Taints = w.is(70), w.is(30), w.node().Taints
				w.in.Nodes = put(w.in.Nodes, &n)
			}
		case 9:
			w.in.FixedNodes = map[cluster.UID]string{{byte(w.IntN(6))}: "n1"}
		default:
			w.in.Pods = put(w.in.Pods, w.pod())
		}
	}
}

func put[T record](list []*T, row *T) []*T {
	list = slices.Clone(list)
	i, found := slices.BinarySearchFunc(list, row, func(a, b *T) int { return order(metaOf(a), metaOf(b)) })
	if found {
		list[i] = row
		return list
	}
	return slices.Insert(list, i, row)
}

func drop[T record](list []*T, i int) []*T {
	if i >= len(list) {
		return list
	}
	return slices.Delete(slices.Clone(list), i, i+1)
}

func pick[T any](w *world, from ...T) T { return from[w.IntN(len(from))] }

func (w *world) is(percent int) bool { return w.IntN(100) < percent }

var (
	keys       = []string{"kubernetes.io/hostname", "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone", "disk", "gen"}
	values     = []string{"h0", "h1", "h2", "h3", "a", "b", "1", "7", ""}
	taintKeys  = []string{"dedicated", "gpu", corev1.TaintNodeUnschedulable, corev1.TaintNodeNotReady, "ToBeDeletedByClusterAutoscaler"}
	effects    = []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule}
	namespaces = []string{"a", "b"}
)

func (w *world) labels() map[string]string {
	m := map[string]string{}
	for range w.IntN(5) {
		m[pick(w, keys...)] = pick(w, values...)
	}
	return m
}

func (w *world) node() *cluster.Node {
	n := &cluster.Node{Meta: cluster.Meta{Name: fmt.Sprintf("n%d", w.IntN(9))}, Ready: w.is(85), Unschedulable: w.is(15), LabelMap: w.labels()}
	if w.is(60) {
		n.LabelMap["kubernetes.io/hostname"] = "h" + n.Name[1:]
	}
	for range w.IntN(3) {
		n.Taints = append(n.Taints, corev1.Taint{Key: pick(w, taintKeys...), Value: pick(w, "", "3", "x"), Effect: pick(w, effects...)})
	}
	return n
}

func (w *world) requirement() corev1.NodeSelectorRequirement {
	r := corev1.NodeSelectorRequirement{Key: pick(w, keys...), Operator: pick(w, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpIn,
		corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist, corev1.NodeSelectorOpGt,
		corev1.NodeSelectorOpLt, "Near")}
	for range w.IntN(3) {
		r.Values = append(r.Values, pick(w, values...))
	}
	switch r.Operator {
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		if w.is(90) {
			r.Values = nil
		}
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if w.is(80) {
			r.Values = []string{pick(w, "1", "5", "-3", "x")}
		}
	}
	if w.is(3) {
		r.Key = "not a key"
	}
	return r
}

func (w *world) selector(volume bool) *corev1.NodeSelector {
	s := &corev1.NodeSelector{}
	for range w.IntN(3) {
		var t corev1.NodeSelectorTerm
		for range w.IntN(3) {
			t.MatchExpressions = append(t.MatchExpressions, w.requirement())
		}
		if w.is(25) {
			t.MatchFields = append(t.MatchFields, corev1.NodeSelectorRequirement{Key: pick(w, "metadata.name", "metadata.name", "spec.x"),
				Operator: pick(w, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpExists),
				Values:   pick(w, []string{"n1"}, []string{"n2"}, []string{""}, []string{"n1", "n2"})})
		}
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, t)
	}
	if volume && w.is(60) {
		s.NodeSelectorTerms = []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: "kubernetes.io/hostname", Operator: corev1.NodeSelectorOpIn, Values: []string{fmt.Sprintf("h%d", w.IntN(9))}}}}}
	}
	return s
}

func (w *world) scheduling() *cluster.Scheduling {
	s := &cluster.Scheduling{}
	if w.is(40) {
		s.NodeSelector = w.labels()
	}
	if w.is(40) {
		s.Required = w.selector(false)
	}
	for range w.IntN(4) {
		s.Tolerations = append(s.Tolerations, corev1.Toleration{Key: pick(w, append(taintKeys, "")...), Value: pick(w, "", "2", "x"),
			Operator: pick(w, corev1.TolerationOpExists, corev1.TolerationOpEqual, "", corev1.TolerationOpGt, corev1.TolerationOpLt, "?"),
			Effect:   pick(w, append(effects, "")...)})
	}
	return s
}

func (w *world) volume() *cluster.Volume {
	v := &cluster.Volume{Meta: cluster.Meta{Name: fmt.Sprintf("v%d", w.IntN(12))}, Phase: "Bound", Local: w.is(40), HostPath: w.is(20)}
	if w.is(85) {
		v.Affinity = pick(w, w.affinities...)
	}
	if w.is(15) {
		v.Zone = map[string][]string{pick(w, keys[1], keys[2], "topology.kubernetes.io/region"): {pick(w, values...), pick(w, values...)}}
	}
	return v
}

func (w *world) claim() *cluster.Claim {
	k := &cluster.Claim{Meta: cluster.Meta{Namespace: pick(w, namespaces...), Name: fmt.Sprintf("c%d", w.IntN(8))}}
	if w.is(80) {
		k.Volume = fmt.Sprintf("v%d", w.IntN(13))
	} else if w.is(60) {
		k.SelectedNode = fmt.Sprintf("n%d", w.IntN(12))
	}
	return k
}

func (w *world) pod() *cluster.Pod {
	p := &cluster.Pod{Meta: cluster.Meta{Namespace: pick(w, namespaces...), Name: fmt.Sprintf("p%d", w.IntN(40))},
		Phase: cluster.PhaseRunning, HostPath: w.is(10), Mirror: w.is(3)}
	if w.is(90) {
		p.Scheduling = pick(w, w.schedulings...)
	}
	if w.is(60) {
		p.Node = fmt.Sprintf("n%d", w.IntN(11))
	} else {
		p.Phase, p.Scheduled = cluster.PhasePending, pick(w, cluster.Unschedulable, cluster.Unschedulable, cluster.SchedulingGated, cluster.NotScheduled)
	}
	for range w.IntN(4) {
		p.Claims = append(p.Claims, cluster.ClaimRef{Name: fmt.Sprintf("c%d", w.IntN(9)), Ephemeral: w.is(10)})
	}
	switch {
	case w.is(3):
		p.Phase = cluster.PhaseSucceeded
	case w.is(4):
		p.Deleted = 1
	case w.is(5):
		p.Owners = []cluster.Owner{{Kind: "DaemonSet", Controller: true}}
	case w.is(80):
		p.Owners = []cluster.Owner{{Kind: "StatefulSet", Name: "s", UID: cluster.UID{byte(w.IntN(6))}, Controller: true}}
	}
	return p
}

// verdicts gives every verdict by the Pod's namespace and name.
func verdicts(c *Cluster) map[string]Verdict {
	m := map[string]Verdict{}
	for p, v := range c.Pods {
		m[p.Namespace+"/"+p.Name] = v
	}
	return m
}

func fresh(in Input) *Cluster {
	c := &Cluster{}
	in.FixedNodes = maps.Clone(in.FixedNodes)
	c.Update(in)
	return c
}
