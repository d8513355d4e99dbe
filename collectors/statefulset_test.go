package collectors

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

var statefulSetNow = time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC)

// statefulSetWorld is a namespace with sets in several states: records by resource, of which a test may change or forget some.
func statefulSetWorld() map[cluster.Resource][]any {
	const old, hour = 1_700_000_000, 3600
	at := cluster.Time(statefulSetNow.Unix())
	uid := func(n byte) cluster.UID { return cluster.UID{n} }
	meta := func(name string, n byte) cluster.Meta {
		return cluster.Meta{UID: uid(n), Namespace: "shop", Name: name, Created: old}
	}
	set := func(name string, n byte, change func(*cluster.StatefulSet)) any {
		s := &cluster.StatefulSet{Meta: meta(name, n), Replicas: 1, HasRollingUpdate: true, CurrentRevision: "A", UpdateRevision: "A",
			CurrentReplicas: 1, ServiceName: name, Templates: []cluster.ClaimTemplate{{Name: "data", Request: 10, Class: "fast", HasClass: true}}}
		change(s)
		return s
	}
	pod := func(name string, n byte, owner byte, change func(*cluster.Pod)) any {
		p := &cluster.Pod{Meta: meta(name, n), Node: "n1", Phase: cluster.PhaseRunning, Ready: true, ReadyChanged: old, Revision: "A"}
		p.Owners = []cluster.Owner{{UID: uid(owner), Kind: "StatefulSet", Controller: true}}
		change(p)
		return p
	}
	claim := func(name, class string, capacity int64) any {
		return &cluster.Claim{Meta: meta(name, 0), Phase: "Bound", Volume: "pv-" + name, Class: class, Request: capacity, Capacity: capacity}
	}
	hostname := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{"n1"}}}}}}
	node := func(name string, cordoned bool) any {
		return &cluster.Node{Meta: cluster.Meta{Name: name}, Ready: true, Unschedulable: cordoned, LabelMap: map[string]string{corev1.LabelHostname: name}}
	}
	return map[cluster.Resource][]any{
		cluster.StatefulSets: {
			set("ignored", 1, func(s *cluster.StatefulSet) { s.Ignore = true }),
			set("stranded", 2, func(*cluster.StatefulSet) {}),
			set("trapped", 3, func(s *cluster.StatefulSet) { s.Severity = cluster.SeverityCritical }),
			set("well", 4, func(s *cluster.StatefulSet) { s.ServiceName = "" }),
		},
		cluster.Pods: {
			pod("stranded-0", 12, 2, func(p *cluster.Pod) {
				p.Node, p.Phase, p.Ready, p.ReadyChanged, p.Created, p.Scheduled = "", cluster.PhasePending, false, 0, at-hour, cluster.Unschedulable
				p.Claims = []cluster.ClaimRef{{Name: "data-stranded-0"}}
			}),
			pod("trapped-0", 13, 3, func(p *cluster.Pod) {
				p.Ready, p.ReadyChanged, p.Waiting, p.Revision = false, at-2*hour, "CrashLoopBackOff", "B"
			}),
			pod("well-0", 14, 4, func(*cluster.Pod) {}),
		},
		cluster.Claims:  {claim("data-stranded-0", "fast", 10), claim("data-trapped-0", "slow", 5), claim("data-well-0", "fast", 20)},
		cluster.Volumes: {&cluster.Volume{Meta: cluster.Meta{Name: "pv-data-stranded-0"}, Phase: "Bound", Local: true, Affinity: hostname}},
		cluster.Nodes:   {node("n1", true), node("n2", false)},
		cluster.Services: {
			&cluster.Service{Meta: meta("trapped", 0)},
			&cluster.Service{Meta: meta("well", 0), Headless: true},
		},
		cluster.StorageClasses: {},
	}
}

// collectStatefulSets gives the sorted samples of a scrape of the world, in which the resources unknown are forbidden.
func collectStatefulSets(t *testing.T, world map[cluster.Resource][]any, unknown ...cluster.Resource) []string {
	t.Helper()
	store := cluster.NewStore(func() time.Time { return statefulSetNow }, nil, nil)
	for r, records := range world {
		store.Expect(r, "")
		store.Replace(r, "", records, 0)
	}
	for _, r := range unknown {
		store.SetState(r, "", cluster.Forbidden, "")
	}
	c := newStatefulSetCollector(Options{RolloutDeadline: 10 * time.Minute})
	var lines []string
	for range 2 { // the second with what the first has prepared
		view := store.View()
		g := exposition.NewGathering(0, nil)
		if err := c.Collect(view, g); err != nil {
			t.Fatal(err)
		}
		view.Close()
		var text strings.Builder
		if err := g.WriteText(&text, false); err != nil {
			t.Fatal(err)
		}
		lines = slices.DeleteFunc(strings.Split(strings.TrimSpace(text.String()), "\n"), func(l string) bool {
			return l == "" || strings.HasPrefix(l, "#")
		})
	}
	slices.Sort(lines)
	return lines
}

func TestStatefulSetCollector(t *testing.T) {
	want := []string{
		`tocsin_statefulset_blocking_pod_info{namespace="shop",statefulset="stranded",pod="stranded-0",node="",revision="update"} 1`,
		`tocsin_statefulset_blocking_pod_info{namespace="shop",statefulset="trapped",pod="trapped-0",node="n1",revision="other"} 1`,
		`tocsin_statefulset_governing_service_invalid{namespace="shop",statefulset="stranded",reason="missing"} 1`,
		`tocsin_statefulset_governing_service_invalid{namespace="shop",statefulset="trapped",reason="not_headless"} 1`,
		`tocsin_statefulset_governing_service_invalid{namespace="shop",statefulset="well",reason="unnamed"} 1`,
		`tocsin_statefulset_manual_delete_pods{namespace="shop",statefulset="stranded"} 0`,
		`tocsin_statefulset_manual_delete_pods{namespace="shop",statefulset="trapped"} 1`,
		`tocsin_statefulset_manual_delete_pods{namespace="shop",statefulset="well"} 0`,
		`tocsin_statefulset_outdated_pods{namespace="shop",statefulset="trapped"} 1`,
		`tocsin_statefulset_rollout_blocked_since_timestamp_seconds{namespace="shop",statefulset="stranded"} 1.7779788e+09`,
		`tocsin_statefulset_rollout_blocked_since_timestamp_seconds{namespace="shop",statefulset="trapped"} 1.7779752e+09`,
		`tocsin_statefulset_rollout_blocked{namespace="shop",statefulset="stranded",severity="",reason="unschedulable_volume_affinity",action="free_node"} 1`,
		`tocsin_statefulset_rollout_blocked{namespace="shop",statefulset="trapped",severity="critical",reason="crash_loop",action="delete_pod"} 1`,
		`tocsin_statefulset_rollout_state{namespace="shop",statefulset="stranded",state="blocked"} 1`,
		`tocsin_statefulset_rollout_state{namespace="shop",statefulset="trapped",state="blocked"} 1`,
		`tocsin_statefulset_rollout_state{namespace="shop",statefulset="well",state="complete"} 1`,
		`tocsin_statefulset_volume_template_drift{namespace="shop",statefulset="trapped",field="size"} 1`,
		`tocsin_statefulset_volume_template_drift{namespace="shop",statefulset="trapped",field="storageclass"} 1`,
	}
	got := collectStatefulSets(t, statefulSetWorld())
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
}

// TestStatefulSetCollectorUnknown takes one source away at a time: exactly what rests on it goes.
func TestStatefulSetCollectorUnknown(t *testing.T) {
	const rollouts, services, drift = "tocsin_statefulset_rollout_state{", `reason="not_headless"`, "tocsin_statefulset_volume_template_drift{"
	const stranded = `reason="unschedulable_volume_affinity"`
	all := []string{rollouts, services, drift, stranded, `reason="unnamed"`}
	tests := []struct {
		unknown cluster.Resource
		gone    []string
	}{
		{cluster.StatefulSets, all},
		{cluster.Pods, []string{rollouts, stranded}},
		{cluster.Services, []string{services}},
		{cluster.Claims, []string{drift, stranded}},
		{cluster.Volumes, []string{stranded}},
		{cluster.Nodes, []string{stranded}},
		{cluster.StorageClasses, nil},
	}
	for _, tt := range tests {
		t.Run(tt.unknown.String(), func(t *testing.T) {
			text := strings.Join(collectStatefulSets(t, statefulSetWorld(), tt.unknown), "\n")
			for _, part := range all {
				if has, want := strings.Contains(text, part), !slices.Contains(tt.gone, part); has != want {
					t.Errorf("%s: there %t, want %t", part, has, want)
				}
			}
		})
	}
}

// TestStatefulSetCollectorStranded tells what must be done for a Pod that no node can take, by what is in its way.
func TestStatefulSetCollectorStranded(t *testing.T) {
	tests := []struct {
		name   string
		change func(world map[cluster.Resource][]any)
		want   string
	}{
		{"its node is gone", func(w map[cluster.Resource][]any) { w[cluster.Nodes] = w[cluster.Nodes][1:] },
			`reason="unschedulable_volume_affinity",action="fix_storage"`},
		{"it selects another node than its volume's", func(w map[cluster.Resource][]any) {
			p := w[cluster.Pods][0].(*cluster.Pod)
			p.Scheduling = &cluster.Scheduling{NodeSelector: map[string]string{corev1.LabelHostname: "n2"}}
		}, `reason="unschedulable_volume_affinity",action="fix_template"`},
		{"its node can take it, only there is no room", func(w map[cluster.Resource][]any) { w[cluster.Nodes][0].(*cluster.Node).Unschedulable = false },
			`reason="unschedulable",action="free_node"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			world := statefulSetWorld()
			tt.change(world)
			for _, line := range collectStatefulSets(t, world) {
				if strings.HasPrefix(line, `tocsin_statefulset_rollout_blocked{namespace="shop",statefulset="stranded"`) && strings.Contains(line, tt.want) {
					return
				}
			}
			t.Errorf("no blocked series with %s", tt.want)
		})
	}
}
