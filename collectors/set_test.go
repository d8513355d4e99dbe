package collectors

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"

	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

var setNow = time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC)

// fake is a collector that does as it is told.
type fake struct {
	families []*exposition.Family
	collect  func(*cluster.View, exposition.Sink) error
}

func (f fake) Families() []*exposition.Family { return f.families }

func (f fake) Collect(v *cluster.View, s exposition.Sink) error { return f.collect(v, s) }

func fakeEntry(name string, collect func(*exposition.Family, exposition.Sink) error) Entry {
	f := &exposition.Family{Name: "tocsin_" + name, Help: "Fake.", Labels: []string{"name"}}
	return Entry{Name: name, New: func(Options) Collector {
		return fake{[]*exposition.Family{f}, func(_ *cluster.View, s exposition.Sink) error { return collect(f, s) }}
	}}
}

func writeOne(f *exposition.Family, s exposition.Sink) error {
	s.Write(f, 1, exposition.Pairs("name", "a"), exposition.Labels{})
	return nil
}

// setText is what a set writes of a store, without durations.
func setText(t *testing.T, set *Set, store *cluster.Store, g *exposition.Gathering, openMetrics bool) string {
	t.Helper()
	view := store.View()
	defer view.Close()
	g.Reset()
	set.Gather(view, g)
	var b bytes.Buffer
	if err := g.WriteText(&b, openMetrics); err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(tocsin_collector_duration_seconds\{[^}]*\}) .*`).ReplaceAllString(b.String(), "$1 0")
}

func expect(t *testing.T, text string, present []string, absent ...string) {
	t.Helper()
	for _, p := range present {
		if !strings.Contains("\n"+text, "\n"+p+"\n") {
			t.Errorf("no line %s", p)
		}
	}
	for _, a := range absent {
		if strings.Contains(text, a) {
			t.Errorf("there is %s", a)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestOneFailureCostsOneCollector(t *testing.T) {
	broken := true
	entries := []Entry{
		fakeEntry("panics", func(f *exposition.Family, s exposition.Sink) error {
			_ = writeOne(f, s)
			if broken {
				panic("boom")
			}
			return nil
		}),
		fakeEntry("fails", func(f *exposition.Family, s exposition.Sink) error {
			_ = writeOne(f, s)
			if broken {
				return errors.New("half of it")
			}
			return nil
		}),
		fakeEntry("works", writeOne),
	}
	var log bytes.Buffer
	set := NewSet(entries, DefaultOptions(), slog.New(slog.NewTextHandler(&log, nil)))
	g := exposition.NewGathering(0, nil)
	for range 3 {
		expect(t, setText(t, set, storeOf(setNow, nil), g, false), []string{
			`tocsin_collector_success{collector="panics"} 0`,
			`tocsin_collector_success{collector="fails"} 0`,
			`tocsin_collector_success{collector="works"} 1`,
			`tocsin_works{name="a"} 1`,
			`tocsin_fails{name="a"} 1`,
			`tocsin_series_dropped{metric="tocsin_panics"} 0`,
		}, "tocsin_panics{")
	}
	if got := strings.Count(log.String(), "level=ERROR"); got != 2 {
		t.Errorf("%d errors in the log for two that last:\n%s", got, log.String())
	}
	broken = false
	expect(t, setText(t, set, storeOf(setNow, nil), g, false),
		[]string{`tocsin_collector_success{collector="panics"} 1`, `tocsin_panics{name="a"} 1`})
	if got := strings.Count(log.String(), "works again"); got != 2 {
		t.Errorf("%d recoveries in the log:\n%s", got, log.String())
	}
}

func TestLimitDoesNotTouchWhatTheSetSaysOfItself(t *testing.T) {
	several := func(f *exposition.Family, s exposition.Sink) error {
		for _, name := range []string{"a", "b", "c", "c"} {
			s.Write(f, 1, exposition.Pairs("name", name), exposition.Labels{})
		}
		return nil
	}
	set := NewSet([]Entry{fakeEntry("one", several), fakeEntry("other", several), fakeEntry("third", writeOne)}, DefaultOptions(), slog.New(slog.DiscardHandler))
	expect(t, setText(t, set, storeOf(setNow, nil), exposition.NewGathering(1, nil), false), []string{
		`tocsin_series_dropped{metric="tocsin_one"} 3`, `tocsin_series_dropped{metric="tocsin_other"} 3`, `tocsin_series_dropped{metric="tocsin_third"} 0`,
		`tocsin_one{name="a"} 1`, `tocsin_collector_success{collector="third"} 1`,
	}, `tocsin_one{name="b"}`)
	expect(t, setText(t, set, storeOf(setNow, nil), exposition.NewGathering(0, nil), false),
		[]string{`tocsin_series_dropped{metric="tocsin_one"} 1`, `tocsin_one{name="c"} 1`})
}

func TestExcludedFamiliesAreNeitherWrittenNorCounted(t *testing.T) {
	set := NewSet([]Entry{fakeEntry("one", writeOne), fakeEntry("other", writeOne)}, DefaultOptions(), slog.New(slog.DiscardHandler))
	g := exposition.NewGathering(0, func(m string) bool { return m == "tocsin_one" || m == "tocsin_source_up" })
	expect(t, setText(t, set, storeOf(setNow, nil), g, false),
		[]string{`tocsin_other{name="a"} 1`, `tocsin_series_dropped{metric="tocsin_other"} 0`}, "tocsin_one", "tocsin_source_up")
}

func TestNoVerdictWithoutWhatItNeeds(t *testing.T) {
	needy := fakeEntry("needy", writeOne)
	needy.Needs, needy.Uses = []cluster.Resource{cluster.Pods}, []cluster.Resource{cluster.Snapshots, cluster.Events, cluster.Nodes}
	set := NewSet([]Entry{needy}, DefaultOptions(), slog.New(slog.DiscardHandler))
	up := []string{`tocsin_source_up{resource="pods"} 1`, `tocsin_source_up{resource="nodes"} 1`, `tocsin_source_objects{resource="pods"} 0`,
		`tocsin_needy{name="a"} 1`, `tocsin_source_last_event_timestamp_seconds{resource="pods"} 1.7779824e+09`}
	store := storeOf(setNow, nil)
	g := exposition.NewGathering(0, nil)
	expect(t, setText(t, set, store, g, false), up, `resource="cronjobs"`)

	for _, state := range []cluster.State{cluster.Forbidden, cluster.Stale, cluster.Absent, cluster.Unsynced} {
		t.Run(state.String(), func(t *testing.T) {
			store.SetState(cluster.Pods, "", state, "told")
			store.SetState(cluster.Snapshots, "", state, "told")
			expect(t, setText(t, set, store, g, false),
				[]string{`tocsin_source_up{resource="pods"} 0`, `tocsin_collector_success{collector="needy"} 1`}, "tocsin_needy{")
			if got := strings.Contains(setText(t, set, store, g, false), `tocsin_source_up{resource="volumesnapshots"} 0`); got == (state == cluster.Absent) {
				t.Errorf("an optional source that is %s has series: %v", state, got)
			}
		})
	}
}

func TestSourcesThatAreOffHaveNoSeries(t *testing.T) {
	e := fakeEntry("one", writeOne)
	e.Uses = []cluster.Resource{cluster.Events}
	set := NewSet([]Entry{e}, DefaultOptions(), slog.New(slog.DiscardHandler))
	store := cluster.NewStore(func() time.Time { return setNow }, nil, nil)
	expect(t, setText(t, set, store, exposition.NewGathering(0, nil), false), nil, "tocsin_source_up{")
}

func TestIgnoredAndInvalidAreCounted(t *testing.T) {
	meta := func(namespace, name string, change ...func(*cluster.Meta)) cluster.Meta {
		m := cluster.Meta{Namespace: namespace, Name: name}
		for _, c := range change {
			c(&m)
		}
		return m
	}
	ignore := func(m *cluster.Meta) { m.Ignore = true }
	wrong := func(m *cluster.Meta) { m.Invalid = cluster.AnnotationSeverity | cluster.AnnotationCoverage }
	nightly := func(m *cluster.Meta) {
		m.Owners = []cluster.Owner{{Kind: "CronJob", Name: "nightly", Controller: true}}
	}
	store := storeOf(setNow, map[cluster.Resource][]any{
		cluster.Namespaces: {&cluster.Namespace{Meta: meta("", "sandbox", ignore)}, &cluster.Namespace{Meta: meta("", "shop")}},
		cluster.CronJobs:   {&cluster.CronJob{Meta: meta("shop", "nightly", ignore)}, &cluster.CronJob{Meta: meta("shop", "hourly", wrong)}},
		cluster.Jobs: {&cluster.Job{Meta: meta("shop", "nightly-1", nightly)}, &cluster.Job{Meta: meta("sandbox", "a", wrong)},
			&cluster.Job{Meta: meta("shop", "b")}},
		cluster.Claims:   {&cluster.Claim{Meta: meta("sandbox", "data")}},
		cluster.Services: {&cluster.Service{Meta: meta("sandbox", "web")}},
	})
	store.Replace(cluster.Volumes, "", nil, 2)
	e := fakeEntry("one", writeOne)
	e.Uses, e.Judges = []cluster.Resource{cluster.Volumes, cluster.Pods}, []cluster.Resource{cluster.CronJobs, cluster.Jobs, cluster.Claims, cluster.Pods}
	set := NewSet([]Entry{e}, DefaultOptions(), slog.New(slog.DiscardHandler))
	expect(t, setText(t, set, store, exposition.NewGathering(0, nil), false), []string{
		`tocsin_ignored_objects{kind="CronJob"} 1`,
		`tocsin_ignored_objects{kind="Job"} 2`,
		`tocsin_ignored_objects{kind="PersistentVolumeClaim"} 1`,
		`tocsin_invalid_annotations{annotation="tocsin/severity"} 2`,
		`tocsin_invalid_annotations{annotation="tocsin/coverage"} 2`,
		`tocsin_source_invalid_objects{resource="persistentvolumes"} 2`,
	}, `kind="Pod"`, `kind="Service"`, `annotation="tocsin/ignore"`, `annotation="tocsin/success-within"`, `invalid_objects{resource="pods"}`)
}

// example is the sample cluster, at the newest moment in it.
func example(t *testing.T) *cluster.Store {
	t.Helper()
	loaded, err := cluster.LoadSnapshot([]string{"../deploy/example"}, cluster.SnapshotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	store := cluster.NewStore(func() time.Time { return loaded.Latest }, nil, nil)
	loaded.Fill(store, cluster.Resources())
	return store
}

// TestExample compares everything that is said of the sample cluster with golden files, in both text formats.
func TestExample(t *testing.T) {
	set := NewSet(Table(), DefaultOptions(), slog.New(slog.DiscardHandler))
	for name, openMetrics := range map[string]bool{"example": false, "example-openmetrics": true} {
		t.Run(name, func(t *testing.T) {
			text := setText(t, set, example(t), exposition.NewGathering(0, nil), openMetrics)
			golden(t, name, []byte(text))
			var success, dropped []string
			for _, e := range Table() {
				success = append(success, `tocsin_collector_success{collector="`+e.Name+`"} 1`)
				for _, f := range e.New(DefaultOptions()).Families() {
					dropped = append(dropped, `tocsin_series_dropped{metric="`+f.Name+`"} 0`)
				}
			}
			expect(t, text, append(success, dropped...))
		})
	}
}

// TestEveryCollectorIsOneOfClientGolang registers the collectors with client_golang, which refuses series that come twice and labels
// that were not declared, and lints what it gathers.
func TestEveryCollectorIsOneOfClientGolang(t *testing.T) {
	store := example(t)
	registry := prometheus.NewPedanticRegistry()
	for _, e := range Table() {
		registry.MustRegister(Prometheus(e.New(DefaultOptions()), store.View))
	}
	mfs, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if len(mfs) == 0 {
		t.Error("nothing is gathered")
	}
	problems, err := testutil.GatherAndLint(registry)
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v %v", problems, err)
	}
}

// TestFamiliesAreLintedWithoutSamples lints every family, whether the sample cluster shows it or not.
func TestFamiliesAreLintedWithoutSamples(t *testing.T) {
	families := Families()
	all := exposition.NewCollector(families, func(s exposition.Sink) error {
		for _, f := range families {
			var pairs []string
			for _, l := range f.Labels {
				pairs = append(pairs, l, "x")
			}
			s.Write(f, 1, exposition.Pairs(pairs...), exposition.Labels{})
		}
		return nil
	})
	problems, err := testutil.CollectAndLint(all)
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v %v", problems, err)
	}
	for i, f := range families {
		if i > 0 && families[i-1].Name >= f.Name {
			t.Errorf("%s comes twice, or not in order", f.Name)
		}
	}
}

func TestTableIsComplete(t *testing.T) {
	var names []string
	for _, e := range Table() {
		names = append(names, e.Name)
		if e.Help == "" || len(e.Judges) == 0 || len(e.Needs)+len(e.Uses) == 0 {
			t.Errorf("collector %s lacks its help, what it judges, or what it needs", e.Name)
		}
		for _, r := range e.Judges {
			if !slices.Contains(e.Needs, r) && !slices.Contains(e.Uses, r) {
				t.Errorf("collector %s judges %s and does not read them", e.Name, r)
			}
		}
	}
	if slices.Sort(names); len(slices.Compact(names)) != len(Table()) {
		t.Errorf("a collector's name comes twice: %v", names)
	}
}

// TestScrapesWhileTheClusterChanges has scrapes, events and relists at once; the race detector watches.
func TestScrapesWhileTheClusterChanges(t *testing.T) {
	loaded, err := cluster.LoadSnapshot([]string{"../deploy/example"}, cluster.SnapshotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	store := cluster.NewStore(func() time.Time { return loaded.Latest }, nil, nil)
	loaded.Fill(store, cluster.Resources())
	set := NewSet(Table(), DefaultOptions(), slog.New(slog.DiscardHandler))
	handler := exposition.NewHandler(exposition.HandlerOptions{
		New: func() *exposition.Gathering { return exposition.NewGathering(0, nil) },
		Gather: func(g *exposition.Gathering) {
			view := store.View()
			defer view.Close()
			set.Gather(view, g)
		},
		Others: prometheus.NewRegistry(), Waiting: store.Waiting, Logger: slog.New(slog.DiscardHandler),
	})
	var running sync.WaitGroup
	running.Go(func() { // relists
		for range 30 {
			loaded.Fill(store, cluster.Resources())
		}
	})
	running.Go(func() { // events
		for i := range 300 {
			pod := &cluster.Pod{Meta: cluster.Meta{Namespace: "shop", Name: "passing-" + strconv.Itoa(i%7)}}
			store.Put(cluster.Pods, "", pod)
			store.Delete(cluster.Pods, "", pod)
			store.SetState(cluster.Nodes, "", []cluster.State{cluster.Stale, cluster.Synced}[i%2], "told")
		}
	})
	for _, accept := range []string{"", "application/openmetrics-text", string(expfmt.NewFormat(expfmt.TypeProtoDelim))} {
		running.Go(func() {
			for range 30 {
				r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
				r.Header.Set("Accept", accept)
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "tocsin_collector_success") {
					t.Errorf("%d", w.Code)
				}
				if failed := regexp.MustCompile(`tocsin_collector_success\{.*\} 0`).FindString(w.Body.String()); failed != "" {
					t.Error(failed)
				}
			}
		})
	}
	running.Wait()
}
