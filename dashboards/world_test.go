package dashboards

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	exporter "github.com/prometheus/client_golang/prometheus/collectors"
	build "github.com/prometheus/client_golang/prometheus/collectors/version"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"

	"tocsin/collectors"
	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
	"tocsin/rules"
)

// world is what a Prometheus holds after it has scraped for some minutes, until now.
type world struct {
	now    time.Time
	series map[string]*entry
	engine *promql.Engine
}

type entry struct {
	labels  labels.Labels
	samples []chunks.Sample
}

const (
	scraped      = 10 * time.Minute
	scrapesEvery = 30 * time.Second
)

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{series: map[string]*entry{}, engine: promql.NewEngine(promql.EngineOpts{
		MaxSamples: 1e7, Timeout: time.Minute, EnableAtModifier: true, EnableNegativeOffset: true, Parser: parser.NewParser(parser.Options{}),
		NoStepSubqueryIntervalFn: func(int64) int64 { return time.Minute.Milliseconds() },
	})}
}

// arrangement is how many exporters share a cluster: shards of it, and replicas of each shard.
type arrangement struct{ shards, replicas int }

// alone is the usual one.
var alone = arrangement{1, 1}

// targets gives the labels that those who scrape it give each replica of a shard.
func (a arrangement) targets(shard int) [][]string {
	var all [][]string
	for replica := range a.replicas {
		all = append(all, []string{"job", "any", "instance", fmt.Sprintf("tocsin-%d-%d:10227", shard, replica)})
	}
	return all
}

// sampled is the world of the sample cluster, scraped from exporters, with target labels beside job and instance, and with the alerts that fire.
func sampled(t *testing.T, exporters arrangement, target ...string) *world {
	t.Helper()
	loaded, err := cluster.LoadSnapshot([]string{"../deploy/example"}, cluster.SnapshotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	now := loaded.Latest
	var sets []*collectors.Set
	var stores []*cluster.Store
	for i := range exporters.shards {
		set := collectors.NewSet(collectors.Table(), collectors.DefaultOptions(), slog.New(slog.DiscardHandler))
		store := cluster.NewStoreOfShard(func() time.Time { return now }, nil, nil, cluster.Shard{Index: i, Total: exporters.shards})
		loaded.Fill(store, set.Sources())
		sets, stores = append(sets, set), append(stores, store)
	}
	others := client.NewRegistry()
	others.MustRegister(build.NewCollector("tocsin"), exporter.NewGoCollector(), exporter.NewProcessCollector(exporter.ProcessCollectorOpts{}))
	w := newWorld(t)
	for end := now.Add(scraped); !now.After(end); now = now.Add(scrapesEvery) {
		own, err := others.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for i := range exporters.shards {
			families := append(parse(t, exposed(t, sets[i], stores[i])), own...)
			for _, replica := range exporters.targets(i) {
				w.scrape(now, families, append(replica, target...))
			}
		}
		w.now = now
	}
	w.fire(t)
	return w
}

func exposed(t *testing.T, set *collectors.Set, store *cluster.Store) []byte {
	t.Helper()
	view := store.View()
	defer view.Close()
	g := exposition.NewGathering(10_000, nil)
	set.Gather(view, g)
	var text bytes.Buffer
	if err := g.WriteText(&text, false); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func parse(t *testing.T, text []byte) []*dto.MetricFamily {
	t.Helper()
	p := expfmt.NewTextParser(model.UTF8Validation)
	byName, err := p.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var families []*dto.MetricFamily
	for _, f := range byName {
		families = append(families, f)
	}
	return families
}

// inTrouble is a world with what the sample cluster does not have: testdata/trouble.prom, at the sample's moment. Shards say all of it, but of
// what adds up their parts.
func inTrouble(t *testing.T, exporters arrangement) *world {
	t.Helper()
	text, err := os.ReadFile("testdata/trouble.prom")
	if err != nil {
		t.Fatal(err)
	}
	shards := make([][]*dto.MetricFamily, exporters.shards)
	for i := range shards {
		shards[i] = parse(t, text)
		takePart(shards[i], i, exporters.shards)
	}
	w := newWorld(t)
	end := time.Date(2026, 11, 30, 9, 10, 0, 0, time.UTC)
	for now := end.Add(-scraped); !now.After(end); now = now.Add(scrapesEvery) {
		for i, families := range shards {
			for _, replica := range exporters.targets(i) {
				w.scrape(now, families, replica)
				w.add(now, "tocsin_shards", float64(exporters.shards), append(replica, "shard", strconv.Itoa(i)))
			}
		}
		w.now = now
	}
	w.fire(t)
	return w
}

// takePart leaves a shard its part of what adds up: the last two say the same, as shards may, and the others half of what is left to them.
func takePart(families []*dto.MetricFamily, shard, shards int) {
	part := math.Pow(2, -float64(min(shard+1, shards-1)))
	for _, f := range families {
		if addsUp(f.GetName()) {
			for _, m := range f.GetMetric() {
				m.GetGauge().Value = new(m.GetGauge().GetValue() * part)
			}
		}
	}
}

func addsUp(metric string) bool {
	return slices.ContainsFunc(collectors.AddUp(), func(f *exposition.Family) bool { return f.Name == metric })
}

// scrape adds the families' samples, and what Prometheus itself says of a scrape.
func (w *world) scrape(now time.Time, families []*dto.MetricFamily, target []string) {
	samples := 0
	for _, f := range families {
		for _, m := range f.GetMetric() {
			pairs := slices.Clone(target)
			for _, l := range m.GetLabel() {
				pairs = append(pairs, l.GetName(), l.GetValue())
			}
			value := m.GetGauge().GetValue() + m.GetCounter().GetValue() + m.GetUntyped().GetValue()
			w.add(now, f.GetName(), value, pairs)
			samples++
		}
	}
	w.add(now, "up", 1, target)
	w.add(now, "scrape_duration_seconds", 0.1, target)
	w.add(now, "scrape_samples_scraped", float64(samples), target)
}

func (w *world) add(now time.Time, name string, value float64, pairs []string) {
	b := labels.NewScratchBuilder(len(pairs)/2 + 1)
	b.Add(model.MetricNameLabel, name)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" { // to Prometheus, an empty label is none
			b.Add(pairs[i], pairs[i+1])
		}
	}
	b.Sort()
	l := b.Labels()
	e, ok := w.series[l.String()]
	if !ok {
		e = &entry{labels: l}
		w.series[l.String()] = e
	}
	e.samples = append(e.samples, sample{now.UnixMilli(), value})
}

var ownersSeverity = regexp.MustCompile(`^\{\{ or \$labels\.severity "([a-z]+)" \}\}$`)

// fire adds ALERTS for the alerts whose expressions hold now, as if the time that they wait for had passed.
func (w *world) fire(t *testing.T) {
	t.Helper()
	alerts, err := rules.Alerts()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range alerts {
		for _, s := range w.instant(t, a.Expr) {
			severity := a.Labels["severity"]
			if m := ownersSeverity.FindStringSubmatch(severity); m != nil {
				if severity = s.Metric.Get("severity"); severity == "" {
					severity = m[1]
				}
			}
			pairs := []string{"alertname", a.Name, "alertstate", "firing", "severity", severity}
			s.Metric.Range(func(l labels.Label) {
				if l.Name != "severity" {
					pairs = append(pairs, l.Name, l.Value)
				}
			})
			w.add(w.now, "ALERTS", 1, pairs)
		}
	}
}

// instant gives what the expression gives now.
func (w *world) instant(t *testing.T, expr string) promql.Vector {
	t.Helper()
	q, err := w.engine.NewInstantQuery(context.Background(), w, nil, expr, w.now)
	if err != nil {
		t.Fatalf("%v in\n%s", err, expr)
	}
	defer q.Close()
	r := q.Exec(context.Background())
	if r.Err != nil {
		t.Fatalf("%v in\n%s", r.Err, expr)
	}
	if s, err := r.Scalar(); err == nil {
		return promql.Vector{{T: s.T, F: s.V}}
	}
	v, err := r.Vector()
	if err != nil {
		t.Fatalf("%v in\n%s", err, expr)
	}
	return slices.Clone(v)
}

// found gives what a query finds, by its labels: now, or at the end of the time that was scraped.
func (w *world) found(t *testing.T, q Query) map[string]row {
	t.Helper()
	all := map[string]row{}
	if q.Instant {
		for _, s := range w.instant(t, q.Expr) {
			all[s.Metric.String()] = row{s.Metric, s.F}
		}
		return all
	}
	r, err := w.engine.NewRangeQuery(context.Background(), w, nil, q.Expr, w.now.Add(-scraped), w.now, time.Minute)
	if err != nil {
		t.Fatalf("%s: %s: %v in\n%s", q.Dashboard, q.Panel, err, q.Expr)
	}
	defer r.Close()
	m, err := r.Exec(context.Background()).Matrix()
	if err != nil {
		t.Fatalf("%s: %s: %v in\n%s", q.Dashboard, q.Panel, err, q.Expr)
	}
	for _, s := range m {
		all[s.Metric.String()] = row{s.Metric, s.Floats[len(s.Floats)-1].F}
	}
	return all
}

// row is a series of a query's answer.
type row struct {
	labels labels.Labels
	value  float64
}

// values gives the values that label has in the series that are selected, sorted: what a variable offers.
func (w *world) values(t *testing.T, selector, label string) []string {
	t.Helper()
	matchers, err := parser.NewParser(parser.Options{}).ParseMetricSelector(selector)
	if err != nil {
		t.Fatalf("%v in %s", err, selector)
	}
	var all []string
	for _, e := range w.series {
		if v := e.labels.Get(label); v != "" && fits(e.labels, matchers) {
			all = append(all, v)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func fits(l labels.Labels, matchers []*labels.Matcher) bool {
	return !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(l.Get(m.Name)) })
}

// Querier makes the world a storage.Queryable.
func (w *world) Querier(int64, int64) (storage.Querier, error) {
	return &storage.MockQuerier{SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		s := &selection{}
		for _, e := range w.series {
			if fits(e.labels, matchers) {
				s.entries = append(s.entries, e)
			}
		}
		slices.SortFunc(s.entries, func(a, b *entry) int { return labels.Compare(a.labels, b.labels) })
		return s
	}}, nil
}

type selection struct {
	storage.SeriesSet
	entries []*entry
	next    int
}

func (s *selection) Next() bool { s.next++; return s.next <= len(s.entries) }
func (s *selection) At() storage.Series {
	e := s.entries[s.next-1]
	return storage.NewListSeries(e.labels, e.samples)
}
func (s *selection) Err() error                        { return nil }
func (s *selection) Warnings() annotations.Annotations { return nil }

// sample is a float at a time.
type sample struct {
	t int64
	f float64
}

func (s sample) T() int64                      { return s.t }
func (s sample) ST() int64                     { return 0 }
func (s sample) F() float64                    { return s.f }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample           { return s }
