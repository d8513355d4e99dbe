package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"tocsin/rulestests/scale/synthetic"
)

// TestFamilies counts those of kube-state-metrics, as the documents do.
func TestFamilies(t *testing.T) {
	names := map[string]bool{}
	for _, f := range families() {
		if f.why == "" {
			t.Errorf("%s is there for no reason", f.name)
		}
		names[f.name] = true
	}
	if len(names) != 21 {
		t.Errorf("%d families, want 21", len(names))
	}
}

// TestCount counts series by metric, also where a line is longer than the buffer.
func TestCount(t *testing.T) {
	text := "# HELP a b\n# TYPE a gauge\na{x=\"1\"} 1\na{x=\"" + strings.Repeat("y", 3<<20) + "\"} 1\nb 2\n\n# EOF\n"
	got, err := count(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"a": 2, "b": 1}, got); diff != "" {
		t.Error(diff)
	}
}

// TestPercentile takes the value at or above the share.
func TestPercentile(t *testing.T) {
	var s scrapes
	if s.percentile(.5) != 0 {
		t.Error("no scrapes took some time")
	}
	for i := range 100 {
		s.times = append(s.times, time.Duration(i+1)*time.Second)
	}
	if p50, p99 := s.percentile(.5), s.percentile(.99); p50 != 51 || p99 != 100 {
		t.Errorf("p50 %v, p99 %v", p50, p99)
	}
}

// TestWatchCount reads what a 1.37 API server says.
func TestWatchCount(t *testing.T) {
	line := `apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"} 12`
	m := watchCount.FindStringSubmatch("x 1\n" + line + "\n")
	if len(m) != 3 || m[1] != "pods" || m[2] != "12" {
		t.Errorf("got %q", m)
	}
}

// TestBars meets and misses one.
func TestBars(t *testing.T) {
	r := results{
		tocsin:      {{mRest: 10, mSeries: 50, mStart: 2}, {mRest: 14, mSeries: 50, mStart: 2}, {mRest: 900, mSeries: 50, mStart: 2}},
		ksmFamilies: {{mRest: 100, mSeries: 100, mStart: 10}},
	}
	var out bytes.Buffer
	missed := r.check(&out, floor{Decoded: 1})
	for _, want := range []string{"resident memory at rest", "0.14", "NOT MET"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	// series 0.5, the start by the floor 2, and the ratios of what was not measured, which are of nothing by nothing
	if missed != 5 {
		t.Errorf("%d missed:\n%s", missed, &out)
	}
}

// TestProcess measures a process that is known: one that sleeps.
func TestProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("needs /proc")
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	p, err := launch(t.TempDir(), "sleep", sleep, "1000")
	if err != nil {
		t.Fatal(err)
	}
	if cpu, err := p.cpu(); err != nil || cpu > 1 {
		t.Errorf("cpu %v, %v", cpu, err)
	}
	if now, peak, err := p.memory(); err != nil || now <= 0 || peak < now {
		t.Errorf("memory %v, %v, %v", now, peak, err)
	}
	p.stop()
}

// TestBatch writes all that it is given, in transactions that etcd takes.
func TestBatch(t *testing.T) {
	var mu sync.Mutex
	keys := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var txn struct{ Success []operation }
		if err := json.NewDecoder(r.Body).Decode(&txn); err != nil || len(txn.Success) > 128 {
			http.Error(w, fmt.Sprint(err, len(txn.Success)), http.StatusBadRequest)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, o := range txn.Success {
			keys[string(o.Put.Key)] = true
		}
	}))
	defer server.Close()
	b := newStore(server.URL).fill(t.Context())
	for i := range 1234 {
		o, err := put(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: fmt.Sprint("p", i)}})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.add(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.end(); err != nil || len(keys) != 1234 || !keys["/registry/pods/n/p7"] {
		t.Errorf("%d keys, %v", len(keys), err)
	}
	server.Close()
	b = newStore(server.URL).changes(t.Context())
	if err := b.add(remove(&corev1.Pod{})); err == nil && b.end() == nil {
		t.Error("no error from an etcd that is not there")
	}
}

// TestChanges makes objects that differ from those of the cluster, and leaves those alone.
func TestChanges(t *testing.T) {
	kept := map[synthetic.Role]synthetic.Object{}
	_, err := synthetic.Generate(synthetic.Options{Sizes: synthetic.DefaultSizes().Times(0.06), Now: time.Now(), Crowd: synthetic.Crowd{Pods: 1, Jobs: 1}},
		func(o synthetic.Object) error {
			kept[o.Role] = o
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	encoded := func(o runtime.Object) string {
		operation, err := put(o)
		if err != nil {
			t.Fatal(err)
		}
		return string(operation.Put.Value)
	}
	now := metav1.Now()
	before := map[synthetic.Role]string{}
	for role, o := range kept {
		before[role] = encoded(o.Object)
	}
	if got := restarted(kept[synthetic.ServingPod].Object, now); encoded(got) == before[synthetic.ServingPod] {
		t.Error("the Pod has not restarted")
	}
	if got := completed(kept[synthetic.RunningJob].Object, now); encoded(got) == before[synthetic.RunningJob] {
		t.Error("the Job has not completed")
	}
	if got := unready(kept[synthetic.HealthyNode].Object, now); encoded(got) == before[synthetic.HealthyNode] {
		t.Error("the Node is still ready")
	}
	for role, o := range kept {
		if encoded(o.Object) != before[role] {
			t.Errorf("the change has changed the cluster's own object of role %d", role)
		}
	}
	if _, ok := kept[synthetic.CrowdPod]; !ok {
		t.Error("no crowd")
	}
}

// TestCompare finds what differs, but for a clock that has gone on.
func TestCompare(t *testing.T) {
	since := `tocsin_cronjob_seconds_since_last_success{cronjob="c"}`
	got := compare(map[string]float64{"same": 1, "other": 1, "gone": 1, since: 10}, map[string]float64{"same": 1, "other": 2, "new": 3, since: 12})
	want := []string{"gone: 1, a fresh start says nothing", "new: nothing, a fresh start says 3", "other: 1, a fresh start says 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if compare(map[string]float64{since: 10}, map[string]float64{since: 1000}) == nil {
		t.Error("a clock may not run that fast")
	}
}
