package coverage

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulinghelpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"tocsin/collectors/cluster"
)

const now = cluster.Time(1_800_000_000)

func node(name string, alter ...func(*cluster.Node)) *cluster.Node {
	n := &cluster.Node{Meta: cluster.Meta{Name: name}, Ready: true, ReadyChanged: now - 3600, LabelMap: map[string]string{"name": name}}
	for _, a := range alter {
		a(n)
	}
	return n
}

func tainted(key string, effect corev1.TaintEffect) func(*cluster.Node) {
	return func(n *cluster.Node) { n.Taints = append(n.Taints, corev1.Taint{Key: key, Effect: effect}) }
}

// dead is what the node lifecycle controller makes of a node that is silent.
func dead(n *cluster.Node) {
	n.Ready = false
	tainted(corev1.TaintNodeUnreachable, corev1.TaintEffectNoSchedule)(n)
	tainted(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute)(n)
}

func pod(nodeName string, alter ...func(*cluster.Pod)) *cluster.Pod {
	p := &cluster.Pod{Meta: cluster.Meta{Name: "on-" + nodeName}, Node: nodeName, TargetNode: nodeName, Phase: cluster.PhaseRunning, Ready: true}
	for _, a := range alter {
		a(p)
	}
	return p
}

func unready(p *cluster.Pod)  { p.Ready = false }
func going(p *cluster.Pod)    { p.Deleted = now - 60 }
func failed(p *cluster.Pod)   { p.Phase, p.Ready = cluster.PhaseFailed, false }
func waiting(p *cluster.Pod)  { p.Phase, p.Ready, p.Node = cluster.PhasePending, false, "" }
func starting(p *cluster.Pod) { p.Phase, p.Ready = cluster.PhasePending, false }

func TestCoverage(t *testing.T) {
	const noSchedule, noExecute = corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute
	gpu := tainted("nvidia.com/gpu", noSchedule)
	for _, test := range []struct {
		name  string
		set   cluster.DaemonSet
		nodes []*cluster.Node
		pods  []*cluster.Pod
		want  map[Class]int
		taint []Exclusion
	}{
		// Eight nodes, desired three, and nothing says that taints are why.
		{
			name: "kubernetes/kubernetes#72017",
			nodes: []*cluster.Node{node("1"), node("2"), node("3"), node("4", gpu), node("5", gpu), node("6", gpu), node("7", gpu),
				node("8", gpu)},
			pods:  []*cluster.Pod{pod("1"), pod("2"), pod("3")},
			want:  map[Class]int{Covered: 3, ExcludedTaint: 5},
			taint: []Exclusion{{"nvidia.com/gpu", noSchedule, 5}},
		},
		// The taint came after the Pod: it runs on, and nothing is wrong.
		{
			name:  "kubernetes/kubernetes#61470, #21714, gardener/gardener#13365, fluent/fluent-bit-kubernetes-logging#41",
			nodes: []*cluster.Node{node("1", gpu), node("2", gpu)},
			pods:  []*cluster.Pod{pod("1")},
			want:  map[Class]int{RunningDespiteTaint: 1, ExcludedTaint: 1},
			taint: []Exclusion{{"nvidia.com/gpu", noSchedule, 1}},
		},
		// A node that is not ready lowers desired and raises misscheduled; its Pod is simply not ready.
		{
			name:  "a node that is not ready",
			nodes: []*cluster.Node{node("1"), node("2", dead)},
			pods:  []*cluster.Pod{pod("1"), pod("2", unready)},
			want:  map[Class]int{Covered: 1, NotReady: 1},
		},
		{name: "a dead node without a Pod", nodes: []*cluster.Node{node("1", dead)}, want: map[Class]int{NotCounted: 1}},
		{
			name:  "cordoned nodes are covered",
			nodes: []*cluster.Node{node("1", tainted(corev1.TaintNodeUnschedulable, noSchedule)), node("2", tainted(corev1.TaintNodeUnschedulable, noSchedule))},
			pods:  []*cluster.Pod{pod("1")},
			want:  map[Class]int{Covered: 1, Missing: 1},
		},
		{
			name:  "a network that is not there yet",
			nodes: []*cluster.Node{node("1", tainted(corev1.TaintNodeNetworkUnavailable, noSchedule))},
			want:  map[Class]int{ExcludedTaint: 1},
			taint: []Exclusion{{corev1.TaintNodeNetworkUnavailable, noSchedule, 1}},
		},
		{
			name:  "the host's network",
			set:   cluster.DaemonSet{HostNetwork: true},
			nodes: []*cluster.Node{node("1", tainted(corev1.TaintNodeNetworkUnavailable, noSchedule))},
			want:  map[Class]int{Missing: 1},
		},
		{
			name: "nodes that come and go",
			nodes: []*cluster.Node{node("1", tainted("ToBeDeletedByClusterAutoscaler", noSchedule)), node("2", tainted("karpenter.sh/disrupted", noSchedule)),
				node("3", tainted("node.cloudprovider.kubernetes.io/uninitialized", noSchedule))},
			pods: []*cluster.Pod{pod("1")},
			want: map[Class]int{NotCounted: 3},
		},
		{
			name:  "PreferNoSchedule keeps nobody away",
			nodes: []*cluster.Node{node("1", tainted("busy", corev1.TaintEffectPreferNoSchedule))},
			pods:  []*cluster.Pod{pod("1")},
			want:  map[Class]int{Covered: 1},
		},
		{
			name:  "pending, not ready, replaced",
			nodes: []*cluster.Node{node("1"), node("2"), node("3"), node("4"), node("5"), node("6"), node("7", func(n *cluster.Node) { n.Ready = false })},
			pods:  []*cluster.Pod{pod("1", waiting), pod("2", starting), pod("3", unready), pod("4", going), pod("5", failed), pod("6", going), pod("6"), pod("7", waiting)},
			want:  map[Class]int{Pending: 2, NotReady: 3, Missing: 1, Covered: 1},
		},
		{
			name:  "too soon to miss a Pod",
			nodes: []*cluster.Node{node("1", func(n *cluster.Node) { n.ReadyChanged = now - 119 }), node("2", func(n *cluster.Node) { n.ReadyChanged = now - 120 })},
			want:  map[Class]int{NotCounted: 1, Missing: 1},
		},
		{name: "too young to be missed", set: cluster.DaemonSet{Meta: cluster.Meta{Created: now - 60}}, nodes: []*cluster.Node{node("1")}, want: map[Class]int{NotCounted: 1}},
		{
			name:  "selected by name",
			set:   cluster.DaemonSet{Template: cluster.Template{NodeName: "2"}},
			nodes: []*cluster.Node{node("1"), node("2")},
			want:  map[Class]int{ExcludedSelector: 1, Missing: 1},
		},
		{
			name:  "selected by label, before any taint",
			set:   cluster.DaemonSet{Scheduling: &cluster.Scheduling{NodeSelector: map[string]string{"name": "2"}}},
			nodes: []*cluster.Node{node("1", gpu), node("2", gpu), node("3")},
			want:  map[Class]int{ExcludedSelector: 2, ExcludedTaint: 1},
			taint: []Exclusion{{"nvidia.com/gpu", noSchedule, 1}},
		},
		{
			name: "several taints, each counts",
			nodes: []*cluster.Node{node("1", gpu, tainted("dedicated", noExecute), tainted("karpenter.sh/disrupted", noSchedule)),
				node("2", tainted("dedicated", noSchedule), tainted("dedicated", noExecute))},
			want:  map[Class]int{ExcludedTaint: 2},
			taint: []Exclusion{{"dedicated", noExecute, 2}, {"dedicated", noSchedule, 1}, {"nvidia.com/gpu", noSchedule, 1}},
		},
		{name: "no nodes", want: map[Class]int{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var n Nodes
			n.Update(test.nodes)
			v := n.Judge(&test.set, test.pods, now)
			got := map[Class]int{}
			for class, count := range v.Nodes {
				if count > 0 {
					got[Class(class)] = count
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.taint, v.Excluding); diff != "" {
				t.Errorf("excluding taints (-want +got):\n%s", diff)
			}
		})
	}
}

// TestManyTaintKeys: ten keys by name, those of the most nodes, and the rest in one.
func TestManyTaintKeys(t *testing.T) {
	var nodes []*cluster.Node
	for i := range 13 {
		for j := range 2 {
			if i == 12 || j == 0 {
				nodes = append(nodes, node(fmt.Sprintf("%02d-%d", i, j), tainted(fmt.Sprintf("team-%02d", i), corev1.TaintEffectNoSchedule)))
			}
		}
	}
	nodes[11].Taints = append(nodes[11].Taints, corev1.Taint{Key: "team-10", Effect: corev1.TaintEffectNoSchedule})
	var n Nodes
	n.Update(nodes)
	v := n.Judge(&cluster.DaemonSet{}, nil, now)
	if len(v.Excluding) != 11 {
		t.Fatalf("%d exclusions, want 11: %v", len(v.Excluding), v.Excluding)
	}
	got := map[string]int{}
	for _, x := range v.Excluding {
		got[x.Key] = x.Nodes
	}
	// team-12 and team-10 have two nodes each, so they are named; team-09 and team-11 come last by name, and have a node each.
	if got["team-12"] != 2 || got["team-10"] != 2 || got["team-00"] != 1 || got[OtherKeys] != 3 {
		t.Errorf("exclusions %v", got)
	}
	if _, ok := got["team-11"]; ok {
		t.Errorf("team-11 is named: %v", got)
	}
}

// TestCoverageAgreesWithTheController compares each node's class with what the DaemonSet controller's helpers say, on random clusters
// that change.
func TestCoverageAgreesWithTheController(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		var n Nodes
		nodes := make([]*cluster.Node, 1+r.IntN(6))
		for i := range nodes {
			nodes[i] = randomNode(r, i)
		}
		set := randomSet(r)
		for range 8 {
			nodes[r.IntN(len(nodes))] = nil
			for i := range nodes {
				if nodes[i] == nil {
					nodes[i] = randomNode(r, i)
				}
			}
			if r.IntN(4) == 0 {
				set = randomSet(r)
			}
			n.Update(nodes)
			compare(t, &n, set, nodes, r.IntN(2) == 0)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// compare judges with a ready Pod on every node, or on none.
func compare(t *testing.T, n *Nodes, set *cluster.DaemonSet, nodes []*cluster.Node, running bool) {
	t.Helper()
	var want [Classes]int
	var pods []*cluster.Pod
	for _, node := range nodes {
		if running {
			pods = append(pods, pod(node.Name))
		}
		selected, lasting, passing := slow(set, node)
		switch {
		case !selected:
			want[ExcludedSelector]++
		case lasting && running:
			want[RunningDespiteTaint]++
		case lasting:
			want[ExcludedTaint]++
		case running && !node.Ready:
			want[NotReady]++
		case passing || !node.Ready:
			want[NotCounted]++
		case running:
			want[Covered]++
		default:
			want[Missing]++
		}
	}
	v := n.Judge(set, pods, now)
	if v.Nodes != want {
		t.Errorf("nodes %v, want %v", v.Nodes, want)
	}
	sum := 0
	for _, x := range v.Nodes {
		sum += x
	}
	if sum != len(nodes) {
		t.Errorf("%d nodes judged of %d", sum, len(nodes))
	}
}

// slow is the controller's NodeShouldRunDaemonPod, with its helpers, for one node.
func slow(set *cluster.DaemonSet, n *cluster.Node) (selected, lasting, passing bool) {
	affinity := &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: set.Scheduling.Required}}
	selected, _ = nodeaffinity.NewRequiredNodeAffinity(set.Scheduling.NodeSelector, affinity).Match(
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.LabelMap}})
	selected = selected && (set.Template.NodeName == "" || set.Template.NodeName == n.Name)
	tolerations := append([]corev1.Toleration{}, set.Scheduling.Tolerations...)
	for key, effect := range map[string]corev1.TaintEffect{
		"node.kubernetes.io/not-ready": "NoExecute", "node.kubernetes.io/unreachable": "NoExecute", "node.kubernetes.io/disk-pressure": "NoSchedule",
		"node.kubernetes.io/memory-pressure": "NoSchedule", "node.kubernetes.io/pid-pressure": "NoSchedule", "node.kubernetes.io/unschedulable": "NoSchedule",
	} {
		tolerations = append(tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect})
	}
	if set.HostNetwork {
		tolerations = append(tolerations, corev1.Toleration{Key: "node.kubernetes.io/network-unavailable", Operator: corev1.TolerationOpExists, Effect: "NoSchedule"})
	}
	kept := func(transient bool) bool {
		_, found := schedulinghelpers.FindMatchingUntoleratedTaint(logr.Discard(), n.Taints, tolerations, func(t *corev1.Taint) bool {
			return t.Effect != corev1.TaintEffectPreferNoSchedule && cluster.TransientTaint(t.Key) == transient
		}, true)
		return found
	}
	return selected, kept(false), kept(true)
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func randomNode(r *rand.Rand, i int) *cluster.Node {
	n := node(fmt.Sprint("n", i))
	n.Ready = r.IntN(5) > 0
	n.LabelMap = map[string]string{"pool": pick(r, "a", "b", "7"), "disk": pick(r, "", "ssd")}
	for range r.IntN(3) {
		n.Taints = append(n.Taints, corev1.Taint{Key: pick(r, "gpu", "dedicated", corev1.TaintNodeUnreachable, corev1.TaintNodeNotReady,
			corev1.TaintNodeDiskPressure, corev1.TaintNodeNetworkUnavailable, corev1.TaintNodeUnschedulable, "karpenter.sh/disrupted"),
			Value: pick(r, "", "x", "4"), Effect: pick(r, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule)})
	}
	return n
}

func randomSet(r *rand.Rand) *cluster.DaemonSet {
	s := &cluster.Scheduling{}
	if r.IntN(3) == 0 {
		s.NodeSelector = map[string]string{"pool": pick(r, "a", "b")}
	}
	if r.IntN(3) == 0 {
		s.Required = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: pick(r, "pool", "disk"), Operator: pick(r, corev1.NodeSelectorOpIn,
				corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpGt, "Near"), Values: []string{pick(r, "a", "ssd", "5")}}},
			MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"n1"}}},
		}}}
	}
	for range r.IntN(3) {
		s.Tolerations = append(s.Tolerations, corev1.Toleration{Key: pick(r, "gpu", "dedicated", ""), Value: pick(r, "", "x", "3"),
			Operator: pick(r, corev1.TolerationOpExists, corev1.TolerationOpEqual, corev1.TolerationOpGt, ""),
			Effect:   pick(r, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, "")})
	}
	d := &cluster.DaemonSet{Scheduling: s, HostNetwork: r.IntN(2) == 0}
	if r.IntN(8) == 0 {
		d.Template.NodeName = "n0"
	}
	return d
}
