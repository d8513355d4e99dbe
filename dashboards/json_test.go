package dashboards

import (
	"flag"
	"io/fs"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dashboards are made once for all tests.
var dashboards = sync.OnceValue(source)

var update = flag.Bool("update", false, "write the JSON files anew")

// TestJSONIsWhatTheSourceSays finds a JSON file that was edited by hand, that was not made anew, or whose dashboard is gone.
func TestJSONIsWhatTheSourceSays(t *testing.T) {
	var names []string
	for _, d := range dashboards() {
		names = append(names, d.fileName())
		want, err := d.encode()
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(d.fileName(), want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := fs.ReadFile(Files(), d.fileName())
		if err != nil {
			t.Errorf("%v: make it with go test ./dashboards -run JSON -update", err)
			continue
		}
		if diff := cmp.Diff(string(got), string(want)); diff != "" {
			t.Errorf("dashboards/%s is not what its source says (- file, + source): make it anew with go test ./dashboards -run JSON -update\n%s", d.fileName(), diff)
		}
	}
	files, err := fs.Glob(Files(), "*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(names, f) {
			t.Errorf("dashboards/%s has no source: remove it", f)
		}
	}
}
