package rulestests

import (
	"bytes"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin/collectors"
	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

// sample is what all collectors export about the cluster of deploy/example at its own moment.
func sample(t *testing.T) string {
	t.Helper()
	loaded, err := cluster.LoadSnapshot([]string{"../deploy/example"}, cluster.SnapshotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	set := collectors.NewSet(collectors.Table(), collectors.DefaultOptions(), slog.New(slog.DiscardHandler))
	store := cluster.NewStore(func() time.Time { return loaded.Latest }, nil, nil)
	loaded.Fill(store, set.Sources())
	view := store.View()
	defer view.Close()
	g := exposition.NewGathering(10_000, nil)
	set.Gather(view, g)
	var text bytes.Buffer
	if err := g.WriteText(&text, false); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestSampleKeepsThePromises checks every series of the sample against metrics.md: its labels, and their values where the set is closed.
func TestSampleKeepsThePromises(t *testing.T) {
	promised := promises(t)
	series := regexp.MustCompile(`^([a-z_]+)(?:\{(.*)\})? \S+$`)
	pair := regexp.MustCompile(`([a-z_]+)="((?:[^"\\]|\\.)*)"`)
	for line := range strings.Lines(sample(t)) {
		m := series.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		p, ok := promised[m[1]]
		if !ok {
			t.Errorf("%s is not in metrics.md", m[1])
			continue
		}
		var names []string
		for _, l := range pair.FindAllStringSubmatch(m[2], -1) {
			names = append(names, l[1])
			if values := p.values[l[1]]; values != nil && !slices.Contains(values, l[2]) {
				t.Errorf("%s: %s=%q is none of %q", m[1], l[1], l[2], values)
			}
		}
		if want := slices.Sorted(slices.Values(p.labels)); !slices.Equal(slices.Sorted(slices.Values(names)), want) {
			t.Errorf("%s has the labels %v, promised are %v", m[1], names, want)
		}
	}
}
