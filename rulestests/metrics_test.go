package rulestests

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tocsin/collectors"
)

// promise is a row of metrics.md.
type promise struct {
	metricType string
	labels     []string
	values     map[string][]string // of the labels that have a closed set
}

var row = regexp.MustCompile(`^\| (tocsin_\S+) \| (\S+) \|(.*)\|$`)

func promises(t *testing.T) map[string]promise {
	t.Helper()
	text, err := os.ReadFile("metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]promise{}
	for line := range strings.Lines(string(text)) {
		m := row.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		p := promise{metricType: m[2], values: map[string][]string{}}
		for _, label := range regexp.MustCompile(`([a-z_]+)(?: \(([^)]*)\))?`).FindAllStringSubmatch(m[3], -1) {
			p.labels = append(p.labels, label[1])
			if label[2] != "" {
				p.values[label[1]] = strings.Split(strings.ReplaceAll(label[2], `""`, ""), ", ")
			}
		}
		if _, twice := all[m[1]]; twice {
			t.Errorf("metrics.md has %s twice", m[1])
		}
		all[m[1]] = p
	}
	return all
}

// TestMetricsArePromised compares metrics.md with what the collectors say they emit, both ways.
func TestMetricsArePromised(t *testing.T) {
	promised := promises(t)
	for _, f := range collectors.Families() {
		p, ok := promised[f.Name]
		if !ok {
			t.Errorf("%s is emitted, but is not in metrics.md", f.Name)
			continue
		}
		delete(promised, f.Name)
		if f.Type.String() != p.metricType {
			t.Errorf("%s is a %s, promised as a %s", f.Name, f.Type, p.metricType)
		}
		if got, want := slices.Sorted(slices.Values(f.Labels)), slices.Sorted(slices.Values(p.labels)); !slices.Equal(got, want) {
			t.Errorf("%s has the labels %v, promised are %v", f.Name, got, want)
		}
		if len(f.Help) < 20 || strings.HasSuffix(f.Help, " ") {
			t.Errorf("%s: HELP says too little: %q", f.Name, f.Help)
		}
	}
	for name := range promised {
		t.Errorf("%s is in metrics.md, but no collector emits it", name)
	}
}
