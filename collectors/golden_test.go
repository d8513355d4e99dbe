package collectors

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares what a collector writes with testdata/NAME.prom.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".prom")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with: go test ./collectors -run '^%s$' -update", err, t.Name())
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// storeOf holds the records, at an instant; a resource without records is known to be empty.
func storeOf(now time.Time, records map[cluster.Resource][]any) *cluster.Store {
	store := cluster.NewStore(func() time.Time { return now }, nil, nil)
	for _, r := range cluster.Resources() {
		store.Expect(r, "")
		store.Replace(r, "", records[r], 0)
	}
	return store
}

// scraped is what a collector writes about the store, as text.
func scraped(t *testing.T, c Collector, store *cluster.Store) []byte {
	t.Helper()
	view := store.View()
	defer view.Close()
	g := exposition.NewGathering(0, nil)
	if err := c.Collect(view, g); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := g.WriteText(&b, false); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
