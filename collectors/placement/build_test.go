package placement

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

// scene is a small cluster in the making.
type scene struct{ in Input }

// nodes adds ready nodes whose hostname label is "host-" and their name, since the two are not the same thing.
func (s *scene) nodes(names ...string) {
	for _, n := range names {
		s.in.Nodes = put(s.in.Nodes, &cluster.Node{Meta: cluster.Meta{Name: n}, Ready: true,
			LabelMap: map[string]string{corev1.LabelHostname: "host-" + n, corev1.LabelOSStable: "linux"}})
	}
}

// change alters a node.
func (s *scene) change(name string, alter func(*cluster.Node)) {
	n := *find(s.in.Nodes, "", name)
	alter(&n)
	s.in.Nodes = put(s.in.Nodes, &n)
}

func (s *scene) cordon(name string) { s.change(name, func(n *cluster.Node) { n.Unschedulable = true }) }

func (s *scene) down(name string) { s.change(name, func(n *cluster.Node) { n.Ready = false }) }

func (s *scene) taint(name, key string) {
	s.change(name, func(n *cluster.Node) {
		n.Taints = append(slices.Clone(n.Taints), corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule})
	})
}

func (s *scene) label(name, key, value string) {
	s.change(name, func(n *cluster.Node) {
		m := map[string]string{key: value}
		maps.Copy(m, n.LabelMap)
		n.LabelMap = m
	})
}

func among(key string, values ...string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}}}}}
}

func named(node string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
		{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}}}
}

// volume adds a bound volume and its claim, both of that name.
func (s *scene) volume(name string, affinity *corev1.NodeSelector, alter ...func(*cluster.Volume)) {
	v := &cluster.Volume{Meta: cluster.Meta{Name: name}, Phase: "Bound", Affinity: affinity}
	for _, a := range alter {
		a(v)
	}
	s.in.Volumes = put(s.in.Volumes, v)
	s.in.Claims = put(s.in.Claims, &cluster.Claim{Meta: cluster.Meta{Namespace: "db", Name: name}, Phase: "Bound", Volume: name})
}

func local(v *cluster.Volume)    { v.Local = true }
func hostPath(v *cluster.Volume) { v.HostPath = true }

// pod adds a Pod of a StatefulSet: Running on a node, or waiting for one when that is "".
func (s *scene) pod(name, node string, claims ...string) *cluster.Pod {
	p := &cluster.Pod{Meta: cluster.Meta{Namespace: "db", Name: name, Owners: []cluster.Owner{
		{Kind: "StatefulSet", Name: "pg", UID: cluster.UID{1}, Controller: true}}}, Node: node, Phase: cluster.PhaseRunning, Scheduled: cluster.IsScheduled}
	if node == "" {
		p.Phase, p.Scheduled = cluster.PhasePending, cluster.Unschedulable
	}
	for _, c := range claims {
		p.Claims = append(p.Claims, cluster.ClaimRef{Name: c})
	}
	s.in.Pods = put(s.in.Pods, p)
	return p
}

// told gives the verdicts, a line for each Pod that has one.
func (s *scene) told() []string {
	var lines []string
	for p, v := range fresh(s.in).Pods {
		line := fmt.Sprintf("%s on %q: %s, %d others", p.Name, v.Node, v.Pin, v.Alternatives)
		if v.LostByDrain {
			line += ", lost by drain"
		}
		if v.Stranded != NotStranded {
			line += ", stranded: " + v.Stranded.String()
		}
		lines = append(lines, line)
	}
	return lines
}
