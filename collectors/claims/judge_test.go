package claims

import (
	"strings"
	"testing"
	"time"

	"tocsin/collectors/cluster"
)

// TestNames: <template>-<set>-<ordinal> is looked up, never taken apart.
func TestNames(t *testing.T) {
	check(t, &Namespace{
		Claims: []*cluster.Claim{made("x-a-b-0"), made("x-a-b-1"), made("x-a-b-2"), bound("x-a-b-01"), bound("x-a-b-0-old"), bound("x-a-b"),
			bound("x-a-b-99999999999999999999"), bound("x-a-b-"), bound("-0"), bound(""), bound("0")},
		StatefulSets: []*cluster.StatefulSet{set("a-b", 2, 0, "x"), set("b", 1, 0, "x-a")},
	}, map[string]string{
		"x-a-b-0": "reserved/statefulset", "x-a-b-1": "reserved/statefulset", "x-a-b-2": "orphaned/statefulset_scaled_down",
		"x-a-b-01": "orphaned/no_reference", "x-a-b-0-old": "orphaned/no_reference", "x-a-b": "orphaned/no_reference",
		"x-a-b-99999999999999999999": "orphaned/no_reference", "x-a-b-": "orphaned/no_reference", "-0": "orphaned/no_reference",
		"": "orphaned/no_reference", "0": "orphaned/no_reference",
	})
}

func TestOrdinals(t *testing.T) {
	names := []*cluster.Claim{made("data-db-0"), made("data-db-4"), made("data-db-5"), made("data-db-6"), made("data-db-7"), made("data-db-8")}
	t.Run("start", func(t *testing.T) {
		check(t, &Namespace{Claims: names, StatefulSets: []*cluster.StatefulSet{set("db", 2, 5, "data")}}, map[string]string{
			"data-db-0": "orphaned/statefulset_scaled_down", "data-db-4": "orphaned/statefulset_scaled_down", "data-db-5": "reserved/statefulset",
			"data-db-6": "reserved/statefulset", "data-db-7": "orphaned/statefulset_scaled_down", "data-db-8": "orphaned/statefulset_scaled_down"})
	})
	t.Run("start and autoscaler", func(t *testing.T) {
		check(t, &Namespace{Claims: names, StatefulSets: []*cluster.StatefulSet{set("db", 1, 5, "data")},
			Autoscalers: []*cluster.Autoscaler{autoscaler("StatefulSet", "db", 3), autoscaler("StatefulSet", "db", 2)}}, map[string]string{
			"data-db-0": "orphaned/statefulset_scaled_down", "data-db-4": "orphaned/statefulset_scaled_down", "data-db-5": "reserved/statefulset",
			"data-db-6": "reserved/statefulset_autoscaled", "data-db-7": "reserved/statefulset_autoscaled", "data-db-8": "orphaned/statefulset_scaled_down"})
	})
	t.Run("the largest numbers", func(t *testing.T) {
		check(t, &Namespace{Claims: []*cluster.Claim{made("data-db-2147483647")},
			StatefulSets: []*cluster.StatefulSet{set("db", 1<<31-1, 1<<31-1, "data")}}, map[string]string{"data-db-2147483647": "reserved/statefulset"})
	})
}

// TestFormerSets: what managedFields tell of claims that no live set explains.
func TestFormerSets(t *testing.T) {
	check(t, &Namespace{
		Claims:       []*cluster.Claim{made("wal-db-0"), made("data-gone-0"), made("data-gone"), bound("data-gone-1"), made("db-3"), made("-db-3")},
		StatefulSets: []*cluster.StatefulSet{set("db", 1, 0, "data")},
	}, map[string]string{
		"wal-db-0": "orphaned/statefulset_template_removed", "data-gone-0": "orphaned/statefulset_deleted", "data-gone": "orphaned/no_reference",
		"data-gone-1": "orphaned/no_reference",                                                 // made by somebody else
		"db-3":        "orphaned/statefulset_deleted", "-db-3": "orphaned/statefulset_deleted", // without a template before the set's name
	})
}

func TestTemplates(t *testing.T) {
	finished, suspended := ago(time.Hour), &cluster.Job{Meta: named("j3"), Suspend: true, Claims: []string{"suspended"}}
	ofDeployment := workload("ReplicaSet", "web-1", 0, "old")
	ofDeployment.Owners = []cluster.Owner{{Kind: "Deployment", Name: "web", Controller: true}}
	ofRollout := workload("ReplicaSet", "roll-1", 0, "rollout")
	ofRollout.Owners = []cluster.Owner{{Kind: "Rollout", Name: "roll", Controller: true}}
	inRange := set("db", 1, 0)
	inRange.Template.Claims = []string{"shared"}
	zero := set("zero", 0, 0)
	zero.Template.Claims = []string{"shared-zero", "both"}
	in := &Namespace{
		StatefulSets:           []*cluster.StatefulSet{inRange, zero},
		DaemonSets:             []*cluster.DaemonSet{{Meta: named("ds"), Template: cluster.Template{Claims: []string{"ds"}}}},
		ReplicationControllers: []*cluster.Workload{workload("ReplicationController", "rc", 1, "rc"), workload("ReplicationController", "rc0", 0, "rc0")},
		ReplicaSets:            []*cluster.Workload{workload("ReplicaSet", "rs", 1, "rs", "both"), workload("ReplicaSet", "rs0", 0, "rs0"), ofDeployment, ofRollout},
		Jobs: []*cluster.Job{
			{Meta: named("j1"), Claims: []string{"running"}}, {Meta: named("j2"), Complete: finished, Claims: []string{"finished", "running"}}, suspended,
			{Meta: named("j4"), FailureTarget: finished, Claims: []string{"failed"}},
		},
		Pods: []*cluster.Pod{pod("j2-x", cluster.PhaseSucceeded, "finished"), pod("p", cluster.PhaseFailed, "dead", "old"), pod("q", cluster.PhaseUnknown, "lost-contact")},
	}
	want := map[string]string{
		"shared": "reserved/statefulset_template", "shared-zero": "reserved/scaled_to_zero", "both": "reserved/replicaset_template",
		"ds": "reserved/daemonset_template", "rc": "reserved/replicationcontroller_template", "rc0": "reserved/scaled_to_zero",
		"rs": "reserved/replicaset_template", "rs0": "reserved/scaled_to_zero", "old": "orphaned/terminated_pod_only", "rollout": "reserved/scaled_to_zero",
		"running": "reserved/job_template", "finished": "orphaned/finished_job_only", "suspended": "reserved/job_template", "failed": "orphaned/finished_job_only",
		"dead": "orphaned/terminated_pod_only", "lost-contact": "in_use/pod",
	}
	for name := range want {
		in.Claims = append(in.Claims, bound(name))
	}
	check(t, in, want)

	in = &Namespace{Claims: []*cluster.Claim{bound("old")}, ReplicaSets: []*cluster.Workload{ofDeployment}}
	check(t, in, map[string]string{"old": "orphaned/old_revision_only"})
	ofDeployment.Replicas = 1 // still being rolled over
	check(t, in, map[string]string{"old": "reserved/replicaset_template"})
}

func TestVolumeSources(t *testing.T) {
	clone := bound("clone")
	clone.CloneOf, clone.Phase = "a", "Pending"
	cloned, lost := bound("cloned"), bound("lost")
	cloned.CloneOf, lost.CloneOf, lost.Phase = "b", "b", "Lost"
	check(t, &Namespace{
		Claims:    []*cluster.Claim{clone, cloned, lost, bound("a"), bound("b"), bound("c"), bound("d")},
		Snapshots: []*cluster.Snapshot{{Claim: "c"}, {Claim: "d", Ready: true}, {}},
	}, map[string]string{"clone": "orphaned/never_bound", "cloned": "orphaned/no_reference", "lost": "orphaned/lost", "a": "reserved/volume_source",
		"b": "orphaned/no_reference", "c": "reserved/volume_source", "d": "orphaned/no_reference"})
}

func TestOwners(t *testing.T) {
	ephemeral := ownedBy(bound("gone-vol"), "Pod", "gone")
	replaced := ownedBy(bound("web-vol"), "Pod", "web")
	replaced.Owners[0].UID = uid("the web of before")
	both := ownedBy(ownedBy(bound("both"), "Pod", "gone"), "Cluster", "x")
	done := ownedBy(bound("done-vol"), "Pod", "done")
	check(t, &Namespace{
		Claims: []*cluster.Claim{ephemeral, replaced, both, done, ownedBy(made("data-db-9"), "StatefulSet", "db")},
		Pods: []*cluster.Pod{pod("web", cluster.PhaseRunning),
			{Meta: named("done"), Phase: cluster.PhaseSucceeded, Claims: []cluster.ClaimRef{{Name: "done-vol", Ephemeral: true}}}},
		StatefulSets: []*cluster.StatefulSet{set("db", 1, 0, "data")},
	}, map[string]string{"gone-vol": "unknown/pods", "web-vol": "unknown/pods", "both": "reserved/owner_reference",
		"done-vol": "reserved/owner_reference", "data-db-9": "reserved/owner_reference"})
}

// TestOrder: the first of several reasons that applies.
func TestOrder(t *testing.T) {
	at := func(c *cluster.Claim, age time.Duration) *cluster.Claim { c.Created = ago(age); return c }
	kept, keptOut, keptUsed := bound("kept"), made("data-db-5"), bound("kept-used")
	kept.HelmKeep, keptOut.HelmKeep, keptUsed.HelmKeep = true, true, true
	pending := made("data-db-6")
	pending.Phase = "Pending"
	in := &Namespace{
		Claims: []*cluster.Claim{at(bound("young"), 59*time.Minute), at(bound("old"), time.Hour), at(bound("young-used"), time.Minute),
			at(made("data-db-7"), time.Minute), at(made("data-db-0"), time.Minute), kept, keptOut, keptUsed, pending},
		StatefulSets: []*cluster.StatefulSet{set("db", 1, 0, "data")},
		Pods:         []*cluster.Pod{pod("p", cluster.PhasePending, "young-used"), pod("done", cluster.PhaseFailed, "kept"), pod("r", cluster.PhaseRunning, "kept-used")},
	}
	check(t, in, map[string]string{"young": "reserved/new", "old": "orphaned/no_reference", "young-used": "in_use/pod", "data-db-7": "reserved/new",
		"data-db-0": "reserved/statefulset", "kept": "orphaned/kept_by_helm", "data-db-5": "orphaned/kept_by_helm", "kept-used": "in_use/pod",
		"data-db-6": "orphaned/statefulset_scaled_down"})
}

func TestTerminating(t *testing.T) {
	ephemeral := func(phase cluster.Phase, shutDown bool) *Namespace {
		p := &cluster.Pod{Meta: named("p"), Phase: phase, Node: "n1", Claims: []cluster.ClaimRef{{Name: "p-v", Ephemeral: true}}}
		if shutDown {
			p.Deleted = ago(time.Minute)
		}
		return &Namespace{Claims: []*cluster.Claim{deleted(ownedBy(bound("p-v"), "Pod", "p"))}, Pods: []*cluster.Pod{p}}
	}
	check(t, ephemeral(cluster.PhaseRunning, false), map[string]string{"p-v": "terminating/blocked"})
	check(t, ephemeral(cluster.PhaseSucceeded, true), map[string]string{"p-v": "terminating/none"})

	stopped := pod("p", cluster.PhaseRunning, "a") // its object goes next, and the claim with it
	stopped.Deleted = ago(time.Minute)
	check(t, &Namespace{Claims: []*cluster.Claim{deleted(bound("a"))}, Pods: []*cluster.Pod{stopped}}, map[string]string{"a": "terminating/blocked"})

	unscheduled := pod("p", cluster.PhasePending, "a")
	unscheduled.Node = ""
	check(t, &Namespace{Claims: []*cluster.Claim{deleted(bound("a"))}, Pods: []*cluster.Pod{unscheduled}}, map[string]string{"a": "terminating/none"})
	check(t, &Namespace{Claims: []*cluster.Claim{bound("a"), bound("b")}, Pods: []*cluster.Pod{pod("p", cluster.PhaseRunning, "b")}, Terminating: true},
		map[string]string{"a": "terminating/none", "b": "terminating/blocked"})
}

// TestUnknown: what rests on known resources stands, and nothing is called an orphan.
func TestUnknown(t *testing.T) {
	in := Namespace{
		Claims: []*cluster.Claim{bound("used"), ownedBy(bound("owned"), "Cluster", "x"), made("data-db-0"), made("data-db-9"), bound("cron"), bound("none"), deleted(bound("going"))},
		Pods:   []*cluster.Pod{pod("p", cluster.PhaseRunning, "used")}, StatefulSets: []*cluster.StatefulSet{set("db", 1, 0, "data")},
		CronJobs: []*cluster.CronJob{{Claims: []string{"cron"}}},
	}
	known := map[string]string{"used": "in_use/pod", "owned": "reserved/owner_reference", "going": "terminating/none", "data-db-0": "reserved/statefulset",
		"data-db-9": "orphaned/statefulset_scaled_down", "cron": "reserved/cronjob_template", "none": "orphaned/no_reference"}
	check(t, &in, known)
	for _, r := range Evidence() {
		t.Run(r.String(), func(t *testing.T) {
			in := in
			in.Unknown = []cluster.Resource{r}
			want := map[string]string{}
			for name, verdict := range known {
				byThis := r == cluster.StatefulSets && strings.HasPrefix(name, "data-") || r == cluster.CronJobs && name == "cron"
				switch {
				case r == cluster.Pods, byThis, strings.HasPrefix(verdict, "orphaned/") && (r != cluster.Autoscalers || name == "data-db-9"):
					want[name] = "unknown/" + r.String()
				default:
					want[name] = verdict
				}
			}
			check(t, &in, want)
		})
	}
}

// TestKeptWithoutAutoscalers: one of them may be why a claim is kept.
func TestKeptWithoutAutoscalers(t *testing.T) {
	kept, scaled := bound("kept"), made("data-db-9")
	kept.HelmKeep, scaled.HelmKeep = true, true
	check(t, &Namespace{Claims: []*cluster.Claim{kept, scaled}, StatefulSets: []*cluster.StatefulSet{set("db", 1, 0, "data")}, Unknown: []cluster.Resource{cluster.Autoscalers}},
		map[string]string{"kept": "orphaned/kept_by_helm", "data-db-9": "unknown/horizontalpodautoscalers"})
}

func TestBytes(t *testing.T) {
	for _, test := range []struct {
		claim cluster.Claim
		want  int64
	}{
		{cluster.Claim{Phase: "Bound", Request: 5, Capacity: 8}, 8},
		{cluster.Claim{Phase: "Bound", Request: 5}, 5},
		{cluster.Claim{Phase: "Pending", Request: 5}, 0},
		{cluster.Claim{Phase: "Lost", Request: 5, Capacity: 8}, 8},
	} {
		if got := Bytes(&test.claim); got != test.want {
			t.Errorf("%+v: got %d, want %d", test.claim, got, test.want)
		}
	}
}

func TestSpare(t *testing.T) {
	annotated := func(keys ...string) *cluster.Claim {
		c := bound("c")
		c.Annotations = strings.Join(keys, "\x00")
		return c
	}
	for _, test := range []struct {
		name  string
		spare Spare
		claim *cluster.Claim
		want  bool
	}{
		{"nothing set", Spare{}, annotated("a/b"), false},
		{"key", Spare{Annotation: "a/b"}, annotated("a/a", "a/b"), true},
		{"part of a key", Spare{Annotation: "a/b"}, annotated("a/bc"), false},
		{"keys that begin so", Spare{Annotation: "cnpg.io/hibernate*"}, annotated("x", "cnpg.io/hibernateClusterManifest"), true},
		{"no annotations", Spare{Annotation: "a*"}, annotated(), false},
		{"labels and annotation", Spare{Labels: DefaultRules().Spare[0].Labels, Annotation: "a"}, annotated("a"), false},
		{"labels", Spare{Labels: DefaultRules().Spare[0].Labels}, withLabels(annotated(), "component\x00singleuser-storage"), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.spare.Matches(test.claim); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}
