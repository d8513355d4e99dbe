package claims

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tocsin/collectors/cluster"
)

var now = time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) cluster.Time { return cluster.Time(now.Add(-d).Unix()) }

func uid(s string) (u cluster.UID) {
	copy(u[:], s)
	return u
}

func named(name string) cluster.Meta {
	return cluster.Meta{Name: name, UID: uid(name), Created: ago(30 * 24 * time.Hour)}
}

func bound(name string) *cluster.Claim { return &cluster.Claim{Meta: named(name), Phase: "Bound"} }

// made is a claim as the StatefulSet controller makes it.
func made(name string) *cluster.Claim {
	c := bound(name)
	c.CreatedBy = "kube-controller-manager"
	return c
}

func ownedBy(c *cluster.Claim, kind, name string) *cluster.Claim {
	c.Owners = append(c.Owners, cluster.Owner{Kind: kind, Name: name, UID: uid(name), Controller: true})
	return c
}

func pod(name string, phase cluster.Phase, claims ...string) *cluster.Pod {
	p := &cluster.Pod{Meta: named(name), Phase: phase, Node: "n1"}
	for _, c := range claims {
		p.Claims = append(p.Claims, cluster.ClaimRef{Name: c})
	}
	return p
}

func set(name string, replicas, start int32, templates ...string) *cluster.StatefulSet {
	s := &cluster.StatefulSet{Meta: named(name), Replicas: replicas, Start: start}
	for _, t := range templates {
		s.Templates = append(s.Templates, cluster.ClaimTemplate{Name: t})
	}
	return s
}

func workload(kind, name string, replicas int32, claims ...string) *cluster.Workload {
	return &cluster.Workload{Meta: named(name), Kind: kind, Replicas: replicas, Template: cluster.Template{Claims: claims}}
}

func autoscaler(kind, name string, most int32) *cluster.Autoscaler {
	return &cluster.Autoscaler{Meta: named("hpa-" + name), TargetKind: kind, TargetName: name, Max: most}
}

// check judges and compares, claim by claim: "state/reason".
func check(t *testing.T, in *Namespace, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for i, v := range Judge(in, now) {
		got[in.Claims[i].Name] = v.State.String() + "/" + string(v.Reason)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}

// TestReports holds what people have reported of other tools, and of Kubernetes itself.
func TestReports(t *testing.T) {
	tests := []struct {
		report string
		in     Namespace
		want   map[string]string
	}{
		{"hjacobs/kube-janitor#65", // a CronJob's claim between two runs
			Namespace{Claims: []*cluster.Claim{bound("foobar-data")}, CronJobs: []*cluster.CronJob{{Meta: named("foobar"), Claims: []string{"foobar-data"}}}},
			map[string]string{"foobar-data": "reserved/cronjob_template"}},
		{"hjacobs/kube-janitor#70", // a Deployment that is scaled down names its claim
			Namespace{Claims: []*cluster.Claim{bound("d")}, Deployments: []*cluster.Workload{workload("Deployment", "d", 0, "d")}},
			map[string]string{"d": "reserved/scaled_to_zero"}},
		{"derailed/popeye#173", // a suspended CronJob, and a claim that a running Deployment names before its Pod is there
			Namespace{Claims: []*cluster.Claim{bound("compact"), bound("query")},
				CronJobs:    []*cluster.CronJob{{Meta: named("thanos-compact"), Suspend: true, Claims: []string{"compact"}}},
				Deployments: []*cluster.Workload{workload("Deployment", "thanos-query", 1, "query")}},
			map[string]string{"compact": "reserved/cronjob_template", "query": "reserved/deployment_template"}},
		{"yonahd/kor#402", // an ephemeral volume's claim; one of the same name that the Pod does not own is not its
			Namespace{Claims: []*cluster.Claim{ownedBy(bound("pod-vol"), "Pod", "pod"), bound("pod-other")},
				Pods: []*cluster.Pod{{Meta: named("pod"), Phase: cluster.PhaseRunning,
					Claims: []cluster.ClaimRef{{Name: "pod-vol", Ephemeral: true}, {Name: "pod-other", Ephemeral: true}}}}},
			map[string]string{"pod-vol": "in_use/pod", "pod-other": "orphaned/no_reference"}},
		{"yonahd/kor, a StatefulSet scaled to zero", // pkg/kor/pvc.go calls its claims unused
			Namespace{Claims: []*cluster.Claim{made("data-db-0"), made("data-db-7")}, StatefulSets: []*cluster.StatefulSet{set("db", 0, 0, "data")}},
			map[string]string{"data-db-0": "reserved/scaled_to_zero", "data-db-7": "reserved/scaled_to_zero"}},
		{"gianlucam76/k8s-cleaner#77", // no Pods were matched, and every claim was called unused
			Namespace{Claims: []*cluster.Claim{bound("a"), ownedBy(bound("b"), "Cluster", "x")}, Unknown: []cluster.Resource{cluster.Pods}},
			map[string]string{"a": "unknown/pods", "b": "unknown/pods"}},
		{"dirathea/kubectl-unused-volumes#11", // claims above a set's replicas were not reported
			Namespace{Claims: []*cluster.Claim{made("data-vector-0"), made("data-vector-1"), made("data-vector-2"), made("data-vector-3"), made("data-vector-4")},
				StatefulSets: []*cluster.StatefulSet{set("vector", 2, 0, "data")}, Pods: []*cluster.Pod{pod("vector-0", cluster.PhaseRunning, "data-vector-0")}},
			map[string]string{"data-vector-0": "in_use/pod", "data-vector-1": "reserved/statefulset", "data-vector-2": "orphaned/statefulset_scaled_down",
				"data-vector-3": "orphaned/statefulset_scaled_down", "data-vector-4": "orphaned/statefulset_scaled_down"}},
		{"dirathea/kubectl-unused-volumes#11, autoscaled", // an autoscaler may yet need some of them; one for a Deployment of the name does not
			Namespace{Claims: []*cluster.Claim{made("data-vector-2"), made("data-vector-3"), made("data-vector-4")},
				StatefulSets: []*cluster.StatefulSet{set("vector", 2, 0, "data")},
				Autoscalers:  []*cluster.Autoscaler{autoscaler("StatefulSet", "vector", 4), autoscaler("Deployment", "vector", 9)}},
			map[string]string{"data-vector-2": "reserved/statefulset_autoscaled", "data-vector-3": "reserved/statefulset_autoscaled",
				"data-vector-4": "orphaned/statefulset_scaled_down"}},
		{"cloudnative-pg/cloudnative-pg#1710", // a hibernated cluster has no Pods
			Namespace{Claims: []*cluster.Claim{ownedBy(bound("pg-1"), "Cluster", "pg")}},
			map[string]string{"pg-1": "reserved/owner_reference"}},
		{"cloudnative-pg/cloudnative-pg#1128", // a volume that the operator forgot after a scale-in still has its owner
			Namespace{Claims: []*cluster.Claim{ownedBy(bound("mandala-3-wal"), "Cluster", "mandala")}},
			map[string]string{"mandala-3-wal": "reserved/owner_reference"}},
		{"kubevirt/kubevirt#11519", // a stopped virtual machine names a restored claim without owning it
			Namespace{Claims: []*cluster.Claim{bound("restored"), bound("unnamed")},
				References: []*cluster.Reference{{Meta: named("VirtualMachine/vm"), Kind: "VirtualMachine", Claims: []string{"restored"}}}},
			map[string]string{"restored": "reserved/custom_resource", "unnamed": "orphaned/no_reference"}},
		{"jupyterhub/zero-to-jupyterhub-k8s#2848", // a user who is logged out has no Pod
			Namespace{Claims: []*cluster.Claim{withLabels(bound("claim-alice"), "component\x00singleuser-storage\x00")}, Spare: DefaultRules().Spare},
			map[string]string{"claim-alice": "reserved/ignored"}},
		{"jupyterhub/kubespawner#924", // the claim of a deleted user has the same label: found only where the rule is off
			Namespace{Claims: []*cluster.Claim{withLabels(bound("claim-bob"), "component\x00singleuser-storage\x00")}},
			map[string]string{"claim-bob": "orphaned/no_reference"}},
		{"trueforge-org/truecharts#29824", // VolSync owns its destinations' claims and names its sources'
			Namespace{Claims: []*cluster.Claim{ownedBy(bound("dest"), "ReplicationDestination", "rd"), bound("source")},
				References: []*cluster.Reference{{Kind: "ReplicationSource", Claims: []string{"source"}}}},
			map[string]string{"dest": "reserved/owner_reference", "source": "reserved/custom_resource"}},
		{"helm/charts#15715", // a chart installed again takes up the claim of before; while it is away, the claim is left over
			Namespace{Claims: []*cluster.Claim{made("data-x-0"), made("data-gone-0")}, StatefulSets: []*cluster.StatefulSet{set("x", 1, 0, "data")},
				Pods: []*cluster.Pod{pod("x-0", cluster.PhaseRunning, "data-x-0")}},
			map[string]string{"data-x-0": "in_use/pod", "data-gone-0": "orphaned/statefulset_deleted"}},
		{"open-telemetry/opentelemetry-operator#5329", // a set made anew with --cascade=orphan: its Pods live meanwhile
			Namespace{Claims: []*cluster.Claim{made("data-es-0")}, Pods: []*cluster.Pod{pod("es-0", cluster.PhasePending, "data-es-0")}},
			map[string]string{"data-es-0": "in_use/pod"}},
		{"kubernetes/kubernetes#126919", // the owner reference of a scaled-down set's claim could not be written
			Namespace{Claims: []*cluster.Claim{made("datadir-ss-2")}, StatefulSets: []*cluster.StatefulSet{set("ss", 2, 0, "datadir")}},
			map[string]string{"datadir-ss-2": "orphaned/statefulset_scaled_down"}},
		{"kubernetes/kubernetes#120756", // a Pod that has completed keeps a claim from being deleted, and does not use it
			Namespace{Claims: []*cluster.Claim{deleted(bound("done")), deleted(bound("free"))}, Pods: []*cluster.Pod{pod("job-1", cluster.PhaseSucceeded, "done")}},
			map[string]string{"done": "terminating/blocked", "free": "terminating/none"}},
	}
	for _, test := range tests {
		t.Run(test.report, func(t *testing.T) { check(t, &test.in, test.want) })
	}
}

func withLabels(c *cluster.Claim, labels cluster.Labels) *cluster.Claim {
	c.Labels = labels
	return c
}

func deleted(c *cluster.Claim) *cluster.Claim {
	c.Deleted = ago(time.Minute)
	return c
}
