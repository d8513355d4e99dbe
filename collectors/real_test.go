package collectors

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

// TestRealObjects judges what a real control plane held in the middle of a story: testdata/real/SCENARIO-STEP.yaml, as
// `go run ./rulestests/e2e --run '^SCENARIO$' --snapshots collectors/testdata/real` writes it, with every field that the API server, the
// controllers and the scheduler set. The waiting times are those of that stack, a thirtieth of an installation's.
func TestRealObjects(t *testing.T) {
	files, err := filepath.Glob("testdata/real/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no testdata/real/*.yaml")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			loaded, err := cluster.LoadSnapshot([]string{file}, cluster.SnapshotOptions{})
			if err != nil {
				t.Fatal(err)
			}
			// Long enough for every budget of the stack to be spent, and for three ticks of CronJobs that run every minute.
			now := loaded.Latest.Add(3 * time.Minute)
			options := DefaultOptions()
			options.StartGrace, options.RolloutDeadline = 4*time.Second, 20*time.Second
			set := NewSet(Table(), options, slog.New(slog.DiscardHandler))
			store := cluster.NewStore(func() time.Time { return now }, nil, nil)
			loaded.Fill(store, set.Sources())
			view := store.View()
			defer view.Close()
			g := exposition.NewGathering(0, nil)
			set.Gather(view, g)
			var text bytes.Buffer
			if err := g.WriteText(&text, false); err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("real", name), aboutWorkloads.ReplaceAll(text.Bytes(), nil))
		})
	}
}

// aboutWorkloads is what is left out of an exposition to see what it says of the workloads alone: comments, and what Tocsin says of itself.
var aboutWorkloads = regexp.MustCompile(`(?m)^(#|tocsin_(build_info|collector_|source_|series_)).*\n`)
