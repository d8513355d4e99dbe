package cluster

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// TestJump compares with published values of the algorithm, and the hash with the standard library's: were they others, every release
// would deal out the namespaces anew.
func TestJump(t *testing.T) {
	library := fnv.New64a()
	_, _ = library.Write([]byte("kube-system"))
	if got, want := hash("kube-system"), library.Sum64(); got != want {
		t.Errorf("the hash is %d, want %d", got, want)
	}
	for _, c := range []struct {
		key     uint64
		buckets int
		want    int
	}{{1, 1, 0}, {42, 57, 43}, {0xDEAD10CC, 1, 0}, {0xDEAD10CC, 666, 361}, {256, 1024, 520}} {
		if got := jump(c.key, c.buckets); got != c.want {
			t.Errorf("jump(%d, %d) = %d, want %d", c.key, c.buckets, got, c.want)
		}
	}
}

// TestShardsShareNamespaces: each namespace has one shard, none has much more than its part, and another shard takes only its own part.
func TestShardsShareNamespaces(t *testing.T) {
	const namespaces = 1000
	before := make([]int, namespaces)
	for total := 1; total <= 8; total++ {
		counts, moved := make([]int, total), 0
		for n := range namespaces {
			var of []int
			for i := range total {
				if (Shard{i, total}).Has(fmt.Sprintf("team-%d", n)) {
					of = append(of, i)
				}
			}
			if len(of) != 1 {
				t.Fatalf("team-%d is in shards %v of %d", n, of, total)
			}
			counts[of[0]]++
			if of[0] != before[n] {
				moved++
				if of[0] != total-1 {
					t.Errorf("team-%d moves from %d to %d when shard %d comes", n, before[n], of[0], total-1)
				}
			}
			before[n] = of[0]
		}
		if most := slices.Max(counts); most > namespaces*5/4/total+10 {
			t.Errorf("of %d shards one has %d of %d namespaces", total, most, namespaces)
		}
		if total > 1 && moved != counts[total-1] {
			t.Errorf("%d namespaces move to a shard that has %d", moved, counts[total-1])
		}
	}
}

// split gives names of namespaces, those of the shard and others.
func split(s Shard) (own, others string) {
	for i := 0; own == "" || others == ""; i++ {
		name := fmt.Sprintf("team-%d", i)
		if s.Has(name) {
			own = name
		} else {
			others = name
		}
	}
	return own, others
}

// TestFeedOfAShard has a feed take objects of its own shard and leave others, also while they move.
func TestFeedOfAShard(t *testing.T) {
	shard := Shard{1, 3}
	own, other := split(shard)
	store := NewStoreOfShard(time.Now, nil, nil, shard)
	watcher, err := NewWatcher(&rest.Config{Host: "http://127.0.0.1:1"}, store, WatchOptions{
		Resources: []Resource{Volumes, Jobs, Namespaces, Nodes}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	feeds := map[Resource]*feed{}
	for _, f := range watcher.feeds() {
		feeds[f.resource] = f
	}
	volume := func(namespace string) *corev1.PersistentVolume {
		v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v"}}
		if namespace != "" {
			v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: namespace, Name: "data"}
		}
		return v
	}
	has := func() bool {
		view := store.View()
		defer view.Close()
		return view.Volumes.Get("", "v") != nil
	}
	do := func(what string, want bool, change func() error) {
		t.Helper()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if has() != want {
			t.Errorf("%s: the volume is there: %v", what, !want)
		}
	}
	f := feeds[Volumes]
	do("listed without a claim", true, func() error { return f.Replace([]any{volume("")}, "1") })
	do("claimed elsewhere", false, func() error { return f.Update(volume(other)) })
	do("claimed here", true, func() error { return f.Update(volume(own)) })
	do("gone", false, func() error { return f.Delete(volume(own)) })
	do("listed with a claim elsewhere", false, func() error { return f.Replace([]any{volume(other)}, "2") })

	job := func(namespace, name string) *batchv1.Job {
		return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	}
	f = feeds[Jobs]
	listed := []any{job(own, "a"), job(other, "a"), job(other, "b"), job(own, "")}
	transform := f.Transformer()
	for i, o := range listed[:2] { // as a streamed list gives them
		if listed[i], err = transform(o); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Replace(listed, "1"); err != nil {
		t.Fatal(err)
	}
	if err := f.Add(job(other, "c")); err != nil {
		t.Fatal(err)
	}
	if h := store.Health(Jobs); h.Objects != 1 || h.Invalid != 1 {
		t.Errorf("of one job of the shard and one without a name %+v are known", h)
	}

	f = feeds[Namespaces]
	for _, n := range []string{own, other} {
		if err := f.Add(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := feeds[Jobs].selector(); got != "metadata.namespace!="+other {
		t.Errorf("jobs are asked for with %q", got)
	}
	if got := feeds[Nodes].selector(); got != "" {
		t.Errorf("nodes are asked for with %q", got)
	}
	if err := f.Delete(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: other}}); err != nil {
		t.Fatal(err)
	}
	if got := feeds[Jobs].selector(); got != "" {
		t.Errorf("after the namespace is gone, jobs are asked for with %q", got)
	}
	for i := range 2000 {
		watcher.others.add(fmt.Sprintf("a-namespace-with-a-name-%d", i))
	}
	if got := len(feeds[Jobs].selector()); got > maxSelector || got < maxSelector/2 {
		t.Errorf("many namespaces make a selector of %d bytes", got)
	}
}

// TestShardWithoutANamespace: a shard that none of the namespaces asked for falls to is ready, and has nothing.
func TestShardWithoutANamespace(t *testing.T) {
	shard := Shard{2, 5}
	_, other := split(shard)
	store := NewStoreOfShard(time.Now, nil, nil, shard)
	watcher, err := NewWatcher(&rest.Config{Host: "http://127.0.0.1:1"}, store, WatchOptions{Resources: []Resource{Jobs, Snapshots}, Namespaces: []string{other}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(watcher.feeds()); n != 0 || store.Waiting() != "" {
		t.Errorf("%d feeds, waiting for %q", n, store.Waiting())
	}
	view := store.View()
	defer view.Close()
	if !view.Known(Jobs) || !view.Known(Snapshots) {
		t.Error("the sources are not known to be empty")
	}
}

// TestShardAsksForLess has a shard learn the namespaces first, name those of others in its requests, and stop that when somebody on the
// way finds such a request too long.
func TestShardAsksForLess(t *testing.T) {
	shard := Shard{0, 2}
	own, other := split(shard)
	for _, long := range []bool{false, true} {
		t.Run(fmt.Sprintf("too long %v", long), func(t *testing.T) {
			var mu sync.Mutex
			var selectors []string
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				jobs, selector := strings.HasSuffix(r.URL.Path, "/jobs"), r.FormValue("fieldSelector")
				if jobs {
					mu.Lock()
					selectors = append(selectors, selector)
					mu.Unlock()
				}
				switch {
				case jobs && long && selector != "":
					w.WriteHeader(http.StatusRequestURITooLong)
				case r.FormValue("sendInitialEvents") != "":
					writeStatus(w, http.StatusUnprocessableEntity)
				case r.FormValue("watch") != "":
					w.(http.Flusher).Flush()
					<-r.Context().Done()
				case jobs:
					_ = json.NewEncoder(w).Encode(batchv1.JobList{TypeMeta: metav1.TypeMeta{Kind: "JobList", APIVersion: "batch/v1"},
						ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []batchv1.Job{
							{ObjectMeta: metav1.ObjectMeta{Namespace: own, Name: "a"}}, {ObjectMeta: metav1.ObjectMeta{Namespace: other, Name: "b"}}}})
				default:
					_ = json.NewEncoder(w).Encode(corev1.NamespaceList{TypeMeta: metav1.TypeMeta{Kind: "NamespaceList", APIVersion: "v1"},
						ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []corev1.Namespace{
							{ObjectMeta: metav1.ObjectMeta{Name: own}}, {ObjectMeta: metav1.ObjectMeta{Name: other}}}})
				}
			}))
			t.Cleanup(api.Close)
			w := watchShard(t, &rest.Config{Host: api.URL}, WatchOptions{Resources: []Resource{Jobs, Namespaces}}, shard)
			w.until("the shard's Job alone", func() bool { return w.store.Health(Jobs).Up() && w.jobs() == 1 })
			mu.Lock()
			defer mu.Unlock()
			if selectors[0] != "metadata.namespace!="+other {
				t.Errorf("the first request has the selector %q", selectors[0])
			}
			if last := selectors[len(selectors)-1]; (last == "") != long {
				t.Errorf("the last of %d requests has the selector %q", len(selectors), last)
			}
		})
	}
}

// BenchmarkEvent is, of another shard, what an event costs that the API server need not have sent.
func BenchmarkEvent(b *testing.B) {
	shard := Shard{1, 3}
	own, other := split(shard)
	store := NewStoreOfShard(time.Now, nil, nil, shard)
	watcher, err := NewWatcher(&rest.Config{Host: "http://127.0.0.1:1"}, store, WatchOptions{Resources: []Resource{Pods}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	f := watcher.feeds()[0]
	for _, of := range []struct{ shard, namespace string }{{"own", own}, {"other", other}} {
		b.Run("shard="+of.shard, func(b *testing.B) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: of.namespace, Name: "web-0", Labels: map[string]string{"app": "web"}}}
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Update(pod); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
