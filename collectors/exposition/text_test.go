package exposition

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

// sample gives a gathering with everything that is easily written wrong.
func sample() *Gathering {
	g := NewGathering(0, nil)
	values := []float64{0, 1, -1, 1.5, 999999, 1e6, 1777946400, 1777946400.25, 1e21, 1e-7, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1)}
	for i, v := range values {
		g.Write(state, v, object(i), Pairs("state", "ok"))
	}
	g.Write(runs, 3, Pairs("namespace", `a"b\c`+"\nd", "name", "\xff é"), Pairs("result", ""))
	g.Write(total, 0, Labels{}, Labels{})
	return g
}

// TestTextIsWhatExpfmtWrites compares with the encoder of the Prometheus project, byte for byte.
func TestTextIsWhatExpfmtWrites(t *testing.T) {
	var got, want bytes.Buffer
	if err := sample().WriteText(&got, false); err != nil {
		t.Fatal(err)
	}
	for _, mf := range sample().MetricFamilies() {
		if _, err := expfmt.MetricFamilyToText(&want, inOrderOf(mf)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Errorf("(-expfmt +ours):\n%s", diff)
	}
}

// inOrderOf puts label pairs back into the order in which the text has them.
func inOrderOf(mf *dto.MetricFamily) *dto.MetricFamily {
	for _, m := range mf.Metric {
		for i, name := range []string{"namespace", "name"} {
			for j, p := range m.Label {
				if p.GetName() == name {
					m.Label[i], m.Label[j] = m.Label[j], m.Label[i]
				}
			}
		}
	}
	return mf
}

// TestOpenMetricsIsWhatPrometheusReads parses with Prometheus' own parser.
func TestOpenMetricsIsWhatPrometheusReads(t *testing.T) {
	var out bytes.Buffer
	if err := sample().WriteText(&out, true); err != nil {
		t.Fatal(err)
	}
	out.WriteString("# EOF\n")
	text := out.String()
	for _, want := range []string{
		"# TYPE tocsin_test_runs counter\n",
		`# HELP tocsin_test_runs Runs, \"all\" of them\\.\nReally.` + "\n",
		"# TYPE tocsin_test_state gauge\n",
		"\ntocsin_test_runs_total{",
	} {
		if !strings.Contains("\n"+text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	p := textparse.NewOpenMetricsParser(out.Bytes(), labels.NewSymbolTable())
	series := 0
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if entry == textparse.EntrySeries {
			var l labels.Labels
			p.Labels(&l)
			if l.Get("__name__") == runs.Name && (l.Get("name") != "� é" || l.Get("namespace") != "a\"b\\c\nd") {
				t.Errorf("labels come back as %s", l)
			}
			series++
		}
	}
	if want := sample().Len(); series != want {
		t.Errorf("%d series, want %d", series, want)
	}
}

func TestTextInChunks(t *testing.T) {
	g, n := NewGathering(0, nil), 2*chunk/40
	for i := range n {
		g.Write(state, 1, object(i), Pairs("state", "ok"))
	}
	var out bytes.Buffer
	if err := g.WriteText(&out, false); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n"); got != n+2 {
		t.Errorf("%d lines, want %d", got, n+2)
	}
	gone := errors.New("gone")
	if err := g.WriteText(failing{gone}, false); !errors.Is(err, gone) {
		t.Errorf("a scraper that went away gives %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
