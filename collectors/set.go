package collectors

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

// Set runs collectors, each against the same view, and tells how they fared.
type Set struct {
	members []*member
	sources []cluster.Resource // that the members need or use
	judged  []cluster.Resource
	log     *slog.Logger

	mu sync.Mutex // one gathering at a time: collectors keep what they prepare from one to the next
}

// member is a collector of the set.
type member struct {
	name      string
	needs     []cluster.Resource
	collector Collector
	families  []*exposition.Family
	result    exposition.Labels
	failed    string // the failure that was logged and lasts, "" while all is well
}

// NewSet makes a Set of the table's entries.
func NewSet(entries []Entry, options Options, log *slog.Logger) *Set {
	s := &Set{log: log}
	options.Log = log
	for _, e := range entries {
		c := e.New(options)
		s.members = append(s.members, &member{name: e.Name, needs: e.Needs, collector: c, families: c.Families(),
			result: exposition.Pairs("collector", e.Name)})
		s.sources = append(append(s.sources, e.Needs...), e.Uses...)
		s.judged = append(s.judged, e.Judges...)
	}
	slices.Sort(s.sources)
	s.sources = slices.Compact(s.sources)
	slices.Sort(s.judged)
	s.judged = slices.Compact(s.judged)
	return s
}

// Sources are the resources that the set's collectors need or use.
func (s *Set) Sources() []cluster.Resource { return slices.Clone(s.sources) }

// Gather judges the view: every collector writes its samples into g, then the set its own, which no limit touches. A collector that
// fails costs no other one anything.
func (s *Set) Gather(view *cluster.View, g *exposition.Gathering) {
	s.mu.Lock()
	defer s.mu.Unlock()
	outcomes := make([]outcome, len(s.members))
	for i, m := range s.members {
		outcomes[i] = m.run(view, g, s.log)
	}
	limit := g.Limit
	g.Limit = 0
	s.writeItself(view, g, outcomes)
	g.Limit = limit
}

// outcome is how a collector fared.
type outcome struct {
	success  bool
	duration time.Duration
}

// run has the collector write its samples, unless something that it needs is not known: that is the source's fault, and told by the
// source's series. What a panic left half written is dropped: whole or absent, so that nobody takes a part for everything.
func (m *member) run(view *cluster.View, g *exposition.Gathering, log *slog.Logger) (result outcome) {
	start := time.Now()
	defer func() {
		result.duration = time.Since(start)
		if p := recover(); p != nil {
			g.Forget(m.families)
			m.report(log, fmt.Sprintf("panic: %v", p), "stack", string(debug.Stack()))
			result.success = false
		}
	}()
	if !view.Known(m.needs...) {
		return outcome{success: true}
	}
	if err := m.collector.Collect(view, g); err != nil {
		m.report(log, err.Error())
		return outcome{}
	}
	if m.failed != "" {
		m.failed = ""
		log.Info("a collector works again", "collector", m.name)
	}
	return outcome{success: true}
}

// report logs a failure unless it is the one that lasts.
func (m *member) report(log *slog.Logger, failure string, more ...any) {
	if m.failed == failure {
		return
	}
	m.failed = failure
	log.Error("a collector failed, its metrics are missing or not complete", append([]any{"collector", m.name, "err", failure}, more...)...)
}

// Prometheus makes a prometheus.Collector of a collector. open gives the view of each collection, which is closed after it.
func Prometheus(c Collector, open func() *cluster.View) prometheus.Collector {
	return exposition.NewCollector(c.Families(), func(sink exposition.Sink) error {
		view := open()
		defer view.Close()
		return c.Collect(view, sink)
	})
}
