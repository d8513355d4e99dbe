package deploy

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"tocsin/collectors"
	"tocsin/collectors/claims"
	"tocsin/collectors/cluster"
	"tocsin/rules"
)

// dashboardFiles are the dashboards that users import.
var dashboardFiles = os.DirFS("../dashboards")

var update = flag.Bool("update", false, "write what is generated anew")

// permission is a resource that a collector reads, as chart/files/permissions.yaml has it.
type permission struct {
	Group      string `json:"group"`
	Resource   string `json:"resource"`
	Namespaced bool   `json:"namespaced"`
}

// permissions is chart/files/permissions.yaml.
type permissions struct {
	// Collectors is what each collector reads, by name.
	Collectors map[string][]permission `json:"collectors"`
	// ClaimRules is what the default claim rules are about: custom resources, all of them of namespaces.
	ClaimRules []permission `json:"claimRules"`
}

func permissionsOf(table []collectors.Entry, custom []schema.GroupVersionResource) permissions {
	p := permissions{Collectors: map[string][]permission{}}
	for _, e := range table {
		for _, r := range slices.Concat(e.Needs, e.Uses) {
			if r != cluster.References {
				i := r.Info()
				p.Collectors[e.Name] = append(p.Collectors[e.Name], permission{i.Group, i.Resource, i.Namespaced})
			}
		}
		slices.SortFunc(p.Collectors[e.Name], byGroup)
	}
	for _, c := range custom {
		p.ClaimRules = append(p.ClaimRules, permission{c.Group, c.Resource, cluster.References.Info().Namespaced})
	}
	slices.SortFunc(p.ClaimRules, byGroup)
	return p
}

func byGroup(a, b permission) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource))
}

// TestGeneratedChartFiles: what the chart has of the product is what the product has.
func TestGeneratedChartFiles(t *testing.T) {
	text, err := yaml.Marshal(permissionsOf(collectors.Table(), claims.DefaultRules().Resources()))
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "chart/files", "permissions.yaml", map[string][]byte{
		"permissions.yaml": append([]byte("# What each collector reads, made from the table of collectors. The role is made of those that are on.\n"), text...),
	})
	compare(t, "chart/files/rules", "*.yaml", contents(t, rules.Files(), "*.yaml"))
	compare(t, "chart/files/dashboards", "*.json", contents(t, dashboardFiles, "*.json"))
}

func contents(t *testing.T, from fs.FS, pattern string) map[string][]byte {
	t.Helper()
	names, err := fs.Glob(from, pattern)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if files[name], err = fs.ReadFile(from, name); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// compare holds the files of a directory that match the pattern against those that there should be. With -update it makes them so.
func compare(t *testing.T, dir, pattern string, want map[string][]byte) {
	t.Helper()
	if *update {
		write(t, dir, pattern, want)
	}
	got := contents(t, os.DirFS(dir), pattern)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !bytes.Equal(got[name], want[name]) {
			t.Errorf("deploy/%s is not what it is made from; run go test ./deploy -run Generated -update", filepath.Join(dir, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			t.Errorf("deploy/%s is made from nothing that is there; run go test ./deploy -run Generated -update", filepath.Join(dir, name))
		}
	}
}

func write(t *testing.T, dir, pattern string, files map[string][]byte) {
	t.Helper()
	old, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	errs := []error{os.MkdirAll(dir, 0o755)}
	for _, f := range old {
		if files[filepath.Base(f)] == nil {
			errs = append(errs, os.Remove(f))
		}
	}
	for name, text := range files {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	for _, err := range errs {
		if err != nil {
			t.Fatal(fmt.Errorf("writing deploy/%s: %w", dir, err))
		}
	}
}
