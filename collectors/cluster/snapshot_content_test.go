package cluster

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// An object that does not fit its kind costs only itself; a document that is none is left out when the reading is lenient.
func TestSnapshotInvalidObjects(t *testing.T) {
	bad := strings.Replace(cronJobDoc, "spec:\n", "spec:\n  startingDeadlineSeconds: soon\n", 1)
	nameless := "apiVersion: v1\nkind: Pod\nmetadata: {namespace: shop}\n"
	broken := strings.Replace(podDoc, "phase: Running", "phase: Running: [", 1)
	path := filepath.Join(write(t, map[string]string{"f": list("List", bad, nameless, podDoc) + "---\n" + strings.Replace(cronJobDoc, "purge", "other", 1)}), "f")
	var log bytes.Buffer
	options := SnapshotOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	l, err := LoadSnapshot([]string{path}, options)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"CronJob shop/other", "CronJob shop/purge", "Pod shop/purge-1-x"}, l.names()); diff != "" {
		t.Error(diff)
	}
	if l.invalid[CronJobs] != 1 || l.invalid[Pods] != 1 {
		t.Errorf("invalid: %v", l.invalid)
	}
	for _, want := range []string{path + ":3", "CronJob shop/purge: cannot unmarshal string into Go struct field CronJobSpec.spec.startingDeadlineSeconds of type int64", "decode Pod: the object has no metadata.name"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("not logged: %s\n%s", want, &log)
		}
	}

	path = filepath.Join(write(t, map[string]string{"f": list("List", cronJobDoc, broken) + "---\n" + broken + "---\nnothing\n---\n{\"kind\": \n"}), "f")
	if _, err := LoadSnapshot([]string{path}, options); err == nil {
		t.Error("a broken document is taken without --snapshot-lenient")
	}
	log.Reset()
	options.Lenient = true
	if l, err = LoadSnapshot([]string{path}, options); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"CronJob shop/purge"}, l.names()); diff != "" {
		t.Error(diff)
	}
	if l.invalid[Pods] != 2 {
		t.Errorf("invalid: %v", l.invalid)
	}
	if n := strings.Count(log.String(), "document left out"); n != 4 {
		t.Errorf("%d documents logged as left out:\n%s", n, &log)
	}
	path = filepath.Join(write(t, map[string]string{"f": "nothing\n"}), "f")
	if _, err = LoadSnapshot([]string{path}, options); err == nil || !strings.HasSuffix(err.Error(), "nothing in it can be read") {
		t.Errorf("nothing but a broken document: %v", err)
	}
}

func TestSnapshotTwice(t *testing.T) {
	first := write(t, map[string]string{"a.yaml": podDoc + "---\n" + cronJobDoc})
	second := write(t, map[string]string{"b.yaml": strings.Replace(podDoc, "Running", "Failed", 1), "a.yaml": podDoc})
	var log bytes.Buffer
	l, err := LoadSnapshot([]string{first, second}, SnapshotOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if p := l.rows[Pods][key{"shop", "purge-1-x"}].record.(*Pod); p.Phase != PhaseFailed {
		t.Errorf("phase %v is not the last one's", p.Phase)
	}
	if n := strings.Count(log.String(), "twice"); n != 1 || !strings.Contains(log.String(), "first=\"Pod shop/purge-1-x in "+first+"/a.yaml:1 and "+second+"/a.yaml:1\"") {
		t.Errorf("logged %s", &log)
	}
}

func TestSnapshotManagedFieldsHint(t *testing.T) {
	edited := strings.Replace(cronJobDoc, "generation: 1", "generation: 2", 1)
	managed := strings.Replace(edited, "  name: purge\n", "  managedFields: [{manager: m}]\n  name: purge\n", 1)
	for doc, want := range map[string]int{cronJobDoc: 0, edited: 1, managed: 0, list("List", edited, strings.Replace(edited, "purge", "b", 1)): 1} {
		var log bytes.Buffer
		path := filepath.Join(write(t, map[string]string{"f": doc}), "f")
		if _, err := LoadSnapshot([]string{path}, SnapshotOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), "--show-managed-fields"); n != want {
			t.Errorf("%d hints, want %d, about\n%s", n, want, doc)
		}
	}
}

func TestSnapshotLatest(t *testing.T) {
	const base = "apiVersion: %s\nkind: %s\nmetadata: {name: x, creationTimestamp: '2026-01-01T00:00:00Z'}\n"
	const late = "2026-05-05T01:31:07Z"
	pod, job, cron := fmt.Sprintf(base, "v1", "Pod"), fmt.Sprintf(base, "batch/v1", "Job"), fmt.Sprintf(base, "batch/v1", "CronJob")
	meta := func(field string) string { return strings.Replace(pod, "{name: x", "{name: x, "+field, 1) }
	const created = "2026-01-01T00:00:00Z"
	for _, test := range []struct{ text, want string }{
		{pod, created},
		{meta("managedFields: [{time: '" + late + "'}]"), late},
		{meta("deletionTimestamp: '" + late + "'"), created},
		{meta("annotations: {creationTimestamp: '" + late + "', x: '\"lastTransitionTime\": \"" + late + "\"'}"), created},
		{pod + "status: {startTime: '" + late + "'}", late},
		{pod + "status: {conditions: [{type: Ready, lastTransitionTime: '" + late + "'}, {}]}", late},
		{pod + "status: {containerStatuses: [{state: {running: {startedAt: '" + late + "'}}}]}", late},
		{pod + "status: {initContainerStatuses: [{lastState: {terminated: {finishedAt: '" + late + "'}}}]}", late},
		{cron + "status: {lastScheduleTime: '" + late + "'}", late},
		{cron + "status: {lastSuccessfulTime: '" + late + "'}", late},
		{job + "status: {completionTime: '" + late + "'}", late},
		{job + "status: {conditions: [{lastProbeTime: '" + late + "'}]}", late},
		{fmt.Sprintf(base, "v1", "Node") + "status: {conditions: [{type: Ready, lastHeartbeatTime: '" + late + "'}]}", late},
		{fmt.Sprintf(base, "v1", "Event") + "reason: Scheduled\nlastTimestamp: '" + late + "'", late},
		{fmt.Sprintf(base, "v1", "Event") + "reason: Scheduled\neventTime: '2026-05-05T01:31:07.000000Z'", late},
		{fmt.Sprintf(base, "v1", "PersistentVolumeClaim") + "status: {conditions: [{type: Unused, lastTransitionTime: '" + late + "'}]}", late},
		{fmt.Sprintf(base, "v1", "PersistentVolume") + "status: {lastPhaseTransitionTime: '" + late + "'}", late},
		{fmt.Sprintf(base, "apps/v1", "Deployment") + "status: {conditions: [{lastUpdateTime: '" + late + "'}]}", late},
		{pod + "---\n" + fmt.Sprintf(strings.Replace(base, created, late, 1), "coordination.k8s.io/v1", "Lease"), created},
	} {
		path := filepath.Join(write(t, map[string]string{"f": test.text}), "f")
		l, err := LoadSnapshot([]string{path}, SnapshotOptions{Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Latest.Format(time.RFC3339); got != test.want {
			t.Errorf("got %s, want %s, of\n%s", got, test.want, test.text)
		}
	}
}

// What is not in the files is empty, but for the kinds that every cluster has.
func TestSnapshotAbsentKinds(t *testing.T) {
	claim := strings.NewReplacer("kind: Pod", "kind: PersistentVolumeClaim", "status:\n  phase: Running\n", "").Replace(podDoc)
	empty := func(kind string) string { return "apiVersion: v1\nkind: " + kind + "List\nitems: []\n" }
	for _, test := range []struct {
		name   string
		docs   []string
		absent []Resource
	}{
		{"CronJobs only", []string{cronJobDoc}, []Resource{Pods, Namespaces, Nodes, Snapshots, References}},
		{"with Pods", []string{cronJobDoc, podDoc}, []Resource{Namespaces, Nodes, Snapshots, References}},
		{"empty lists", []string{cronJobDoc, empty("Pod"), empty("Namespace"), empty("Node")}, []Resource{Snapshots, References}},
		{"a List says nothing of what is not in it", []string{cronJobDoc, list("List")}, []Resource{Pods, Namespaces, Nodes, Snapshots, References}},
		{"claims beside a workload", []string{cronJobDoc, podDoc, claim}, []Resource{Namespaces, Nodes, Snapshots, References}},
		{"claims and no workload", []string{podDoc, claim}, []Resource{Namespaces, ReplicationControllers, Nodes, Snapshots, References}},
		{"claims and an empty list of a workload", []string{podDoc, claim, "apiVersion: apps/v1\nkind: DeploymentList\nitems: []\n"},
			[]Resource{Namespaces, Nodes, Snapshots, References}},
		{"a VolumeSnapshot", []string{cronJobDoc, "apiVersion: snapshot.storage.k8s.io/v1\nkind: VolumeSnapshot\nmetadata: {name: x}\n"},
			[]Resource{Pods, Namespaces, Nodes, References}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(write(t, map[string]string{"f": strings.Join(test.docs, "---\n")}), "f")
			l, err := LoadSnapshot([]string{path}, SnapshotOptions{})
			if err != nil {
				t.Fatal(err)
			}
			store := NewStore(time.Now, nil, nil)
			l.Fill(store, Resources())
			var absent []Resource
			for _, r := range Resources() {
				h := store.Health(r)
				if h.State == Absent && h.Reason != "" {
					absent = append(absent, r)
				} else if h.State != Synced {
					t.Errorf("%s is %s", r, h.State)
				}
				if h.Objects != len(l.rows[r]) {
					t.Errorf("%s: %d objects, want %d", r, h.Objects, len(l.rows[r]))
				}
			}
			if diff := cmp.Diff(test.absent, absent); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An object without a UID, as in a manifest, must still not be taken for another one.
func TestSnapshotWithoutUIDs(t *testing.T) {
	const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, namespace: shop, ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: %s}]}\n"
	path := filepath.Join(write(t, map[string]string{"f": "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a, namespace: shop}\n---\n" +
		fmt.Sprintf(job, "a-1", "a") + "---\n" + fmt.Sprintf(job, "b-1", "b")}), "f")
	l, err := LoadSnapshot([]string{path}, SnapshotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	store := NewStore(time.Now, nil, nil)
	l.Fill(store, Resources())
	view := store.View()
	defer view.Close()
	jobs := view.JobsOf(view.CronJobs.Get("shop", "a"))
	if len(jobs) != 1 || jobs[0].Name != "a-1" {
		t.Errorf("the CronJob's Jobs: %v", jobs)
	}
}

func TestSnapshotRules(t *testing.T) {
	const machine = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: vm, namespace: shop, creationTimestamp: '2026-05-05T00:00:00Z'}\nspec: {claim: disk}\n"
	const other = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: vm, namespace: shop}\n"
	path := filepath.Join(write(t, map[string]string{"f": machine + "---\n" + other + "---\n" + secretDoc}), "f")
	l, err := LoadSnapshot([]string{path}, SnapshotOptions{Rules: func(gvk schema.GroupVersionKind, obj map[string]any) ([]string, bool) {
		if gvk.Kind != "VirtualMachine" {
			return nil, false
		}
		return []string{obj["spec"].(map[string]any)["claim"].(string)}, true
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := &Reference{
		Meta: Meta{Namespace: "shop", Name: "VirtualMachine/vm", Created: at(t, "2026-05-05T00:00:00Z"), UID: parseUID("VirtualMachine/shop/vm")},
		Kind: "VirtualMachine", Claims: []string{"disk"},
	}
	if diff := cmp.Diff(want, l.rows[References][key{"shop", "VirtualMachine/vm"}].record); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"Foo.example.com": 1, "Secret": 1}, l.Unknown); diff != "" {
		t.Error(diff)
	}
}

// kubectl get --raw with a limit gives a part of a list, which must not be taken for the whole in silence.
func TestSnapshotPartOfAList(t *testing.T) {
	for text, want := range map[string]bool{
		`{"kind": "PodList", "apiVersion": "v1", "metadata": {"continue": "abc"}, "items": [{"metadata": {"name": "x"}}]}`: true,
		`{"kind": "PodList", "apiVersion": "v1", "metadata": {"continue": ""}, "items": [{"metadata": {"name": "x"}}]}`:    false,
	} {
		var log bytes.Buffer
		path := filepath.Join(write(t, map[string]string{"f": text}), "f")
		if _, err := LoadSnapshot([]string{path}, SnapshotOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "only a part"); got != want {
			t.Errorf("%s\nlogged %s", text, &log)
		}
	}
}

func TestSnapshotComplaintsAreBounded(t *testing.T) {
	var log bytes.Buffer
	path := filepath.Join(write(t, map[string]string{"f": podDoc + strings.Repeat("---\napiVersion: v1\nkind: Pod\n", 100) + strings.Repeat("---\nnothing\n", 100)}), "f")
	l, err := LoadSnapshot([]string{path}, SnapshotOptions{Lenient: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "\n"); l.invalid[Pods] != 100 || n > 30 {
		t.Errorf("%d invalid Pods, %d lines logged", l.invalid[Pods], n)
	}
	if n := strings.Count(log.String(), "count=90"); n != 2 {
		t.Errorf("the rest is not counted:\n%s", &log)
	}
}

func TestSnapshotUnknownKinds(t *testing.T) {
	path := filepath.Join(write(t, map[string]string{"f": cronJobDoc + "---\n" + strings.Replace(cronJobDoc, "batch/v1", "batch/v7", 1) + "---\n" +
		strings.Replace(podDoc, "apiVersion: v1", "apiVersion: v9", 1) + "---\n" + secretDoc + "---\n" + secretDoc}), "f")
	l, err := LoadSnapshot([]string{path}, SnapshotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"CronJob.v7.batch": 1, "Pod.v9": 1, "Secret": 2}, l.Unknown); diff != "" {
		t.Error(diff)
	}
}

// One object with a date in the far future, be it a typing error or a wrong clock, must not move the whole snapshot there.
func TestSnapshotLatestAhead(t *testing.T) {
	const text = "apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: shop, creationTimestamp: '2026-01-01T00:00:00Z'}\nstatus:\n" +
		"  startTime: '2026-06-01T12:00:00Z'\n  conditions: [{type: Ready, lastTransitionTime: '2036-11-30T04:00:00Z', lastProbeTime: '9999-12-31T23:59:59Z'}]\n"
	path := filepath.Join(write(t, map[string]string{"f": text}), "f")
	for day, want := range map[int]struct {
		latest string
		logged int
	}{31: {"2026-01-01T00:00:00Z", 1}, 32: {"2026-06-01T12:00:00Z", 1}, 100_000: {"2036-11-30T04:00:00Z", 1}, 10_000_000: {"9999-12-31T23:59:59Z", 0}} {
		var log bytes.Buffer
		now := time.Date(2026, 5, day, 0, 0, 0, 0, time.UTC)
		l, err := LoadSnapshot([]string{path}, SnapshotOptions{Now: now, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Latest.Format(time.RFC3339); got != want.latest {
			t.Errorf("at %v: got %s, want %s", now, got, want.latest)
		}
		n := strings.Count(log.String(), "in the future")
		if n != want.logged || (n > 0 && !strings.Contains(log.String(), `file=`+path+`:1 object="Pod shop/x" moment=9999-12-31T23:59:59Z`)) {
			t.Errorf("at %v: logged %s", now, &log)
		}
	}
}
