package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// faulty is an API server that lists and watches Jobs and fails on demand, which a real one does not.
type faulty struct {
	mu      sync.Mutex
	jobs    map[string]*batchv1.Job
	version int
	status  int           // answer everything with this status, 0: serve
	streams bool          // knows streaming lists
	changes chan struct{} // closed and replaced at each change
	hangup  chan struct{} // closed to end all watches
	queries []string
	auth    map[string]bool
}

func newFaulty() *faulty {
	return &faulty{jobs: map[string]*batchv1.Job{}, version: 1, streams: true, changes: make(chan struct{}), hangup: make(chan struct{}), auth: map[string]bool{}}
}

func (f *faulty) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	f.version++
	close(f.changes)
	f.changes = make(chan struct{})
}

func (f *faulty) put(name string) {
	f.set(func() {
		f.jobs[name] = &batchv1.Job{TypeMeta: metav1.TypeMeta{Kind: "Job", APIVersion: "batch/v1"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: "u-1", ResourceVersion: strconv.Itoa(f.version)}}
	})
}

// hangUp ends all watches, as a restart does.
func (f *faulty) hangUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.hangup)
	f.hangup = make(chan struct{})
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	status, streams, hangup := f.status, f.streams, f.hangup
	f.queries = append(f.queries, r.URL.RequestURI())
	f.auth[r.Header.Get("Authorization")] = true
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	watches, initial := r.FormValue("watch") != "", r.FormValue("sendInitialEvents") == "true"
	switch {
	case status != 0:
		writeStatus(w, status)
	case initial && !streams:
		writeStatus(w, http.StatusUnprocessableEntity)
	case watches:
		f.stream(w, r, initial, hangup)
	default:
		f.mu.Lock()
		defer f.mu.Unlock()
		list := batchv1.JobList{TypeMeta: metav1.TypeMeta{Kind: "JobList", APIVersion: "batch/v1"}, ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(f.version)}}
		for _, j := range f.jobs {
			list.Items = append(list.Items, *j)
		}
		_ = json.NewEncoder(w).Encode(list)
	}
}

func writeStatus(w http.ResponseWriter, code int) {
	reason := map[int]metav1.StatusReason{403: metav1.StatusReasonForbidden, 404: metav1.StatusReasonNotFound, 410: metav1.StatusReasonExpired,
		422: metav1.StatusReasonInvalid, 500: metav1.StatusReasonInternalError, 401: metav1.StatusReasonUnauthorized}[code]
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Code: int32(code), Reason: reason})
}

func (f *faulty) stream(w http.ResponseWriter, r *http.Request, initial bool, hangup chan struct{}) {
	sent := map[string]string{}
	send := func(kind string, obj any) {
		_ = json.NewEncoder(w).Encode(map[string]any{"type": kind, "object": obj})
		w.(http.Flusher).Flush()
	}
	w.(http.Flusher).Flush()
	for first := true; ; first = false {
		f.mu.Lock()
		changes, now := f.changes, f.version
		jobs := map[string]*batchv1.Job{}
		for n, j := range f.jobs {
			jobs[n] = j.DeepCopy()
		}
		f.mu.Unlock()
		for n, j := range jobs {
			if _, known := sent[n]; !first || initial || version(j.ResourceVersion) >= version(r.FormValue("resourceVersion")) {
				if sent[n] != j.ResourceVersion {
					send(map[bool]string{true: "MODIFIED", false: "ADDED"}[known], j)
				}
			}
			sent[n] = j.ResourceVersion
		}
		for n, v := range sent {
			if jobs[n] == nil {
				send("DELETED", &batchv1.Job{TypeMeta: metav1.TypeMeta{Kind: "Job", APIVersion: "batch/v1"}, ObjectMeta: metav1.ObjectMeta{Name: n, Namespace: "shop", ResourceVersion: v}})
				delete(sent, n)
			}
		}
		if first && initial {
			send("BOOKMARK", &batchv1.Job{TypeMeta: metav1.TypeMeta{Kind: "Job", APIVersion: "batch/v1"}, ObjectMeta: metav1.ObjectMeta{
				ResourceVersion: strconv.Itoa(now), Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}})
		}
		select {
		case <-changes:
		case <-hangup:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func version(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

type watched struct {
	*testing.T
	store *Store
	log   *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) count(s string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), s)
}

// watchJobs runs a Watcher of Jobs against the server until the test ends.
func watchJobs(t *testing.T, config *rest.Config, options WatchOptions) *watched {
	t.Helper()
	return watchShard(t, config, options, Shard{})
}

func watchShard(t *testing.T, config *rest.Config, options WatchOptions, shard Shard) *watched {
	t.Helper()
	w := &watched{T: t, store: NewStoreOfShard(time.Now, nil, nil, shard), log: &lockedBuffer{}}
	options.Logger = slog.New(slog.NewTextHandler(w.log, nil))
	if options.Resources == nil {
		options.Resources = []Resource{Jobs}
	}
	if options.StaleAfter == 0 {
		options.StaleAfter = time.Hour
	}
	watcher, err := NewWatcher(config, w.store, options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); watcher.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return w
}

// until waits for a condition; backoff between retries is a second or two.
func (w *watched) until(what string, condition func() bool) {
	w.Helper()
	for end := time.Now().Add(20 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			w.Fatalf("never happened: %s; jobs are %+v", what, w.store.Health(Jobs))
		}
	}
}

func (w *watched) jobs() int {
	v := w.store.View()
	defer v.Close()
	return len(v.Jobs.All())
}

func TestWatch(t *testing.T) {
	for _, streams := range []bool{true, false} {
		t.Run(fmt.Sprintf("streaming lists %v", streams), func(t *testing.T) {
			api := newFaulty()
			api.streams = streams
			api.put("a")
			api.put("b")
			server := httptest.NewServer(api)
			t.Cleanup(server.Close)
			w := watchJobs(t, &rest.Config{Host: server.URL}, WatchOptions{Exclude: []string{"kube-system"}})
			w.until("two Jobs", func() bool { return w.store.Health(Jobs).Up() && w.jobs() == 2 })
			api.put("c")
			w.until("a third", func() bool { return w.jobs() == 3 })
			api.set(func() { delete(api.jobs, "a") })
			w.until("one is gone", func() bool { return w.jobs() == 2 })
			api.mu.Lock()
			defer api.mu.Unlock()
			for _, q := range api.queries {
				if !strings.Contains(q, "fieldSelector=metadata.namespace%21%3Dkube-system") {
					t.Errorf("a request without the excluded namespace: %s", q)
				}
			}
		})
	}
}

// A relist must never show an emptied store, and an API server that goes away and comes back costs nothing but time.
func TestServerGoesAndComesBack(t *testing.T) {
	api := newFaulty()
	api.put("a")
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	w := watchJobs(t, &rest.Config{Host: server.URL}, WatchOptions{StaleAfter: time.Nanosecond})
	w.until("a Job", func() bool { return w.jobs() == 1 })
	for _, status := range []int{500, 410} {
		api.set(func() { api.status = status })
		api.hangUp()
		if status == 500 {
			w.until("stale", func() bool { return w.store.Health(Jobs).State == Stale })
		}
		name := fmt.Sprint("during-", status)
		api.set(func() {
			api.status = 0
			api.jobs[name] = &batchv1.Job{TypeMeta: metav1.TypeMeta{Kind: "Job", APIVersion: "batch/v1"}, ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", ResourceVersion: "99"}}
		})
		api.hangUp()
		w.until("the Job made meanwhile", func() bool {
			n := w.jobs()
			if n == 0 {
				t.Fatal("a view showed an emptied store")
			}
			v := w.store.View()
			defer v.Close()
			return v.Jobs.Get("shop", name) != nil && w.store.Health(Jobs).Up()
		})
	}
	if n := w.log.count("stale"); n != 1 {
		t.Errorf("staleness was logged %d times, want once", n)
	}
}

func TestForbiddenNamesTheMissingRule(t *testing.T) {
	api := newFaulty()
	api.status = 403
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	w := watchJobs(t, &rest.Config{Host: server.URL}, WatchOptions{})
	w.until("forbidden", func() bool { return w.store.Health(Jobs).State == Forbidden })
	want := `a ClusterRole with apiGroups: ["batch"], resources: ["jobs"], verbs: [list, watch]`
	if got := w.store.Health(Jobs).Reason; got != want {
		t.Errorf("reason is %q, want %q", got, want)
	}
	w.until("a retry", func() bool { api.mu.Lock(); defer api.mu.Unlock(); return len(api.queries) >= 4 })
	if n := w.log.count("forbidden"); n != 1 {
		t.Errorf("logged %d times, want once", n)
	}
	api.put("a")
	api.set(func() { api.status = 0 })
	w.until("the permission came", func() bool { return w.store.Health(Jobs).Up() && w.jobs() == 1 })
}

func TestAbsentResource(t *testing.T) {
	api := newFaulty()
	api.status = 404
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	w := watchJobs(t, &rest.Config{Host: server.URL}, WatchOptions{Resources: []Resource{Jobs, Snapshots}})
	w.until("both absent", func() bool {
		return w.store.Health(Jobs).State == Absent && w.store.Health(Snapshots).State == Absent
	})
	if n := w.log.count("volumesnapshots"); n != 0 {
		t.Error("an optional resource that is absent was complained of")
	}
	v := w.store.View()
	defer v.Close()
	if v.Known(Jobs) || !v.Known(Snapshots) {
		t.Error("an absent optional resource is known to be empty, another is not known")
	}
}

func TestServerDeadAtStart(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	w := watchJobs(t, &rest.Config{Host: server.URL}, WatchOptions{Namespaces: []string{"shop", "data"}})
	w.until("a reason", func() bool { return strings.Contains(w.store.Waiting(), "connection refused") })
	w.until("several attempts", func() bool { return w.log.count("cannot be reached") > 0 })
	if n := w.log.count("\n"); n != 1 {
		t.Errorf("%d lines logged for two sources, want one", n)
	}
	if h := w.store.Health(Jobs); h.State != Unsynced {
		t.Errorf("state is %s", h.State)
	}
}

// Who may read some namespaces only has no right to cluster-wide resources: those are off, which is no fault to page anybody for.
func TestClusterWideSourcesOfANamespacedRun(t *testing.T) {
	api := newFaulty()
	api.status = 403
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	w := watchJobs(t, &rest.Config{Host: server.URL}, WatchOptions{Namespaces: []string{"shop"}, Resources: []Resource{Jobs, Nodes}})
	w.until("off and forbidden", func() bool {
		return w.store.Health(Nodes).State == Off && w.store.Health(Jobs).State == Forbidden && w.store.Waiting() == ""
	})
	if n := w.log.count("cluster-wide source may not be read"); n != 1 {
		t.Errorf("it was said %d times, want once", n)
	}
	server.CloseClientConnections()
	server.Close()
	w.until("the server is gone", func() bool { return w.log.count("cannot be reached") == 1 })
	if got := w.store.Waiting(); got != "" {
		t.Errorf("a source that was forbidden makes Tocsin wait again: %s", got)
	}
}

// Seen on a real API server: for a second after its start it refuses every account that its roles would let in. A source that was
// permitted must not lose its verdicts for that, or every alert's "for" would start anew.
func TestRefusalAfterARestartIsWaitedOut(t *testing.T) {
	api := newFaulty()
	api.put("a")
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	w := watchJobs(t, &rest.Config{Host: server.URL}, WatchOptions{ForbiddenAfter: time.Hour})
	w.until("a Job", func() bool { return w.jobs() == 1 })
	asked := func() int { api.mu.Lock(); defer api.mu.Unlock(); return len(api.queries) }
	before := asked()
	api.set(func() { api.status = 403 })
	api.hangUp()
	w.until("some refusals", func() bool { return asked() >= before+3 })
	if h := w.store.Health(Jobs); !h.Up() || w.log.count("forbidden") > 0 {
		t.Errorf("a moment's refusal made the source %s", h.State)
	}
	api.set(func() { api.status = 0 })
	api.put("b")
	w.until("it goes on", func() bool { return w.jobs() == 2 })
}

// The minute counts from the first refusal: an API server that was away for longer, and refuses for a moment once it is back, has taken
// nothing away.
func TestRefusalAfterALongOutageIsWaitedOut(t *testing.T) {
	store := NewStore(time.Now, nil, nil)
	watcher, err := NewWatcher(&rest.Config{Host: "http://127.0.0.1:1"}, store, WatchOptions{
		Resources: []Resource{Jobs}, ForbiddenAfter: time.Hour, StaleAfter: 24 * time.Hour, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	f := watcher.feeds()[0]
	store.Replace(f.resource, f.scope, nil, 0)
	f.failed(errors.New("connection refused"))
	f.failing = time.Now().Add(-2 * time.Hour)
	refusal := apierrors.NewForbidden(f.gvr.GroupResource(), "", nil)
	f.failed(refusal)
	if h := store.Health(Jobs); !h.Up() {
		t.Errorf("a refusal after an outage made the source %s", h.State)
	}
	f.refused = time.Now().Add(-2 * time.Hour)
	f.failed(refusal)
	if h := store.Health(Jobs); h.State != Forbidden {
		t.Errorf("after two hours of refusals the source is %s", h.State)
	}
}

// A permission that is really taken away shows once it has been missing for long enough.
func TestPermissionTakenAway(t *testing.T) {
	api := newFaulty()
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	w := watchJobs(t, &rest.Config{Host: server.URL}, WatchOptions{ForbiddenAfter: time.Nanosecond})
	w.until("synced", func() bool { return w.store.Health(Jobs).Up() })
	api.set(func() { api.status = 403 })
	api.hangUp()
	w.until("forbidden", func() bool { return w.store.Health(Jobs).State == Forbidden })
}
