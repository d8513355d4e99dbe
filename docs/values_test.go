package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tocsin/collectors"
	"tocsin/collectors/exposition"
)

var (
	series = regexp.MustCompile(`^([a-z_]+)(?:\{(.*)\})? \S+$`)
	pair   = regexp.MustCompile(`([a-z_]+)="((?:[^"\\]|\\.)*)"`)
)

// TestSeriesKeepToTheReference: every series of the golden expositions, that of the whole sample cluster among them, has the labels that
// metrics.md says, and of a closed set one of its values.
func TestSeriesKeepToTheReference(t *testing.T) {
	labels := map[string][]string{}
	for _, f := range collectors.Families() {
		labels[f.Name] = slices.Sorted(slices.Values(f.Labels))
	}
	goldens, err := filepath.Glob("../collectors/testdata/*.prom")
	if err != nil || len(goldens) == 0 {
		t.Fatalf("no golden expositions (%v)", err)
	}
	for _, golden := range goldens {
		text, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			m := series.FindStringSubmatch(strings.TrimSpace(line))
			if m == nil {
				continue
			}
			want, ok := labels[m[1]]
			if !ok {
				t.Errorf("%s: no collector has a family %s", golden, m[1])
				continue
			}
			closed := LabelValues(m[1])
			var names []string
			for _, l := range pair.FindAllStringSubmatch(m[2], -1) {
				names = append(names, l[1])
				if values := closed[l[1]]; values != nil && !slices.Contains(values, l[2]) {
					t.Errorf("%s: %s has %s=%q, which is none of %q: see docs/values.go", golden, m[1], l[1], l[2], values)
				}
			}
			if slices.Sort(names); !slices.Equal(names, want) {
				t.Errorf("%s: %s has the labels %v, its family %v", golden, m[1], names, want)
			}
		}
	}
}

// TestHelpSaysSomething: the reference is made of the HELP texts.
func TestHelpSaysSomething(t *testing.T) {
	for _, f := range collectors.Families() {
		if len(f.Help) < 20 || strings.HasSuffix(f.Help, " ") {
			t.Errorf("%s: HELP says too little: %q", f.Name, f.Help)
		}
	}
}

// TestValuesAreOfMetricsThatExist: no set of values is left behind by a metric or a label that is gone.
func TestValuesAreOfMetricsThatExist(t *testing.T) {
	text, err := os.ReadFile("values.go")
	if err != nil {
		t.Fatal(err)
	}
	families := collectors.Families()
	for _, name := range regexp.MustCompile(`"(tocsin_[a-z_]+)"`).FindAllStringSubmatch(string(text), -1) {
		i := slices.IndexFunc(families, func(f *exposition.Family) bool { return f.Name == name[1] })
		if i < 0 {
			t.Errorf("values.go names %s, which no collector has", name[1])
			continue
		}
		for label := range valuesOf(name[1]) {
			if !slices.Contains(families[i].Labels, label) {
				t.Errorf("values.go has values of the label %s of %s, which has only %v", label, name[1], families[i].Labels)
			}
		}
	}
}
