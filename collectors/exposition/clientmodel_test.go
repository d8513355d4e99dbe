package exposition

import (
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestCollectorIsOneOfClientGolang(t *testing.T) {
	c := NewCollector([]*Family{state, runs, total}, func(s Sink) error {
		s.Write(state, 1, object(1), Pairs("state", `"quoted"`+"\n\\n"))
		s.Write(runs, 2, object(1), Pairs("result", "failed"))
		s.Write(total, 3, Labels{}, Labels{})
		return nil
	})
	want := `
# HELP tocsin_test_mismatches No labels.
# TYPE tocsin_test_mismatches gauge
tocsin_test_mismatches 3
# HELP tocsin_test_runs_total Runs, "all" of them\\.\nReally.
# TYPE tocsin_test_runs_total counter
tocsin_test_runs_total{name="job-0001",namespace="shop",result="failed"} 2
# HELP tocsin_test_state The state.
# TYPE tocsin_test_state gauge
tocsin_test_state{name="job-0001",namespace="shop",state="\"quoted\"\n\\n"} 1
`
	if err := testutil.CollectAndCompare(c, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	if problems, err := testutil.CollectAndLint(c); err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v %v", problems, err)
	}
}

func TestCollectorRefusesWhatWasNotDeclared(t *testing.T) {
	tests := map[string]struct {
		write func(Sink) error
		want  string
	}{
		"family": {func(s Sink) error { s.Write(total, 1, Labels{}, Labels{}); return nil }, "metric tocsin_test_mismatches is written but not declared"},
		"label missing": {func(s Sink) error { s.Write(state, 1, object(1), Labels{}); return nil },
			`metric tocsin_test_state has the labels [namespace name state], but a sample {namespace="shop",name="job-0001"}`},
		"label twice": {func(s Sink) error { s.Write(state, 1, object(1), Pairs("state", "ok", "name", "x")); return nil },
			`metric tocsin_test_state has the labels [namespace name state], but a sample`},
		"an error": {func(Sink) error { return errors.New("half of it") }, "half of it"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := prometheus.NewRegistry()
			r.MustRegister(NewCollector([]*Family{state}, tt.write))
			if _, err := r.Gather(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
