package synthetic

import (
	"bytes"
	"crypto/sha256"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"tocsin/collectors"
	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

var now = time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)

func small() Options { return Options{Sizes: DefaultSizes().Times(0.06), Seed: 1, Now: now} }

// TestTruth has the collectors judge a cluster, at once and after the six hours for which its truth holds.
func TestTruth(t *testing.T) {
	var later time.Duration
	store := cluster.NewStore(func() time.Time { return now.Add(later) }, nil, nil)
	decode := cluster.NewDecoder()
	records := map[cluster.Resource][]any{}
	kinds := map[string]cluster.Resource{}
	for _, r := range cluster.Resources() {
		kinds[r.Info().Kind] = r
	}
	truth, err := Generate(small(), func(o Object) error {
		if err := Encode(&bytes.Buffer{}, o.Object); err != nil { // which names its kind
			return err
		}
		r, ok := kinds[o.GetObjectKind().GroupVersionKind().Kind]
		if !ok {
			t.Fatalf("no resource for %T", o.Object)
		}
		record, err := decode(r, o.Object)
		records[r] = append(records[r], record)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	set := collectors.NewSet(collectors.Table(), collectors.DefaultOptions(), slog.New(slog.DiscardHandler))
	for _, r := range set.Sources() {
		store.Expect(r, "")
		store.Replace(r, "", records[r], 0)
	}
	for _, later = range []time.Duration{0, 6 * time.Hour} {
		view := store.View()
		g := exposition.NewGathering(0, nil)
		set.Gather(view, g)
		view.Close()
		var text bytes.Buffer
		if err := g.WriteText(&text, false); err != nil {
			t.Fatal(err)
		}
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(&text)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range truth.Check(families) {
			if i == 20 {
				t.Fatal("and more")
			}
			t.Errorf("after %s: %s", later, d)
		}
	}
	for metric := range checked() {
		if metric != "tocsin_series_dropped" && metric != "tocsin_source_invalid_objects" && truth.Count(metric) == 0 {
			t.Errorf("the cluster has no story of %s", metric)
		}
	}
}

// TestDeterministic makes the same cluster twice.
func TestDeterministic(t *testing.T) {
	sum := func(o Options) [32]byte {
		h := sha256.New()
		if _, err := Generate(o, func(o Object) error { return Encode(h, o.Object) }); err != nil {
			t.Fatal(err)
		}
		return [32]byte(h.Sum(nil))
	}
	if once, again := sum(small()), sum(small()); once != again {
		t.Error("the same options gave two clusters")
	}
	other := small()
	other.Seed++
	if sum(small()) == sum(other) {
		t.Error("another seed gave the same cluster")
	}
}

// TestSizes counts what is made.
func TestSizes(t *testing.T) {
	o := small()
	made := map[string]int{}
	keys := map[string]bool{}
	if _, err := Generate(o, func(x Object) error {
		if keys[x.Key()] {
			t.Errorf("two objects with the key %s", x.Key())
		}
		keys[x.Key()] = true
		kind, _, _ := bytes.Cut([]byte(x.Key()[len("/registry/"):]), []byte("/"))
		made[string(kind)]++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]int{"minions": o.Nodes, "namespaces": o.Namespaces, "cronjobs": o.CronJobs, "jobs": o.Jobs, "pods": o.Pods,
		"statefulsets": o.StatefulSets, "persistentvolumeclaims": o.Claims, "persistentvolumes": o.Volumes} {
		if made[kind] != want {
			t.Errorf("%s: made %d, want %d", kind, made[kind], want)
		}
	}
}

// TestTooSmall refuses sizes without room for the stories.
func TestTooSmall(t *testing.T) {
	for name, change := range map[string]func(*Sizes){
		"nodes": func(s *Sizes) { s.Nodes = 3 }, "jobs": func(s *Sizes) { s.Jobs = 10 }, "pods": func(s *Sizes) { s.Pods = 10 },
		"claims": func(s *Sizes) { s.Claims = 10 }, "volumes": func(s *Sizes) { s.Volumes = 10 },
	} {
		o := small()
		change(&o.Sizes)
		if _, err := Generate(o, func(Object) error { return nil }); err == nil {
			t.Errorf("no error for so few %s", name)
		}
	}
}
