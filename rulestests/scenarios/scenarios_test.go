package scenarios

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"tocsin/rules"
	"tocsin/rulestests/stack"
	"tocsin/rulestests/tools"
)

// TestNoScenarioHoldsWithAnEmptyExporter runs every scenario against a real Prometheus and a real Alertmanager, with an exporter that is up and
// says nothing: one that held would hold for anything.
func TestNoScenarioHoldsWithAnEmptyExporter(t *testing.T) {
	tools.Require(t, "prometheus")
	tools.Require(t, "alertmanager")
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = io.WriteString(w, "# nothing\n")
	}))
	defer empty.Close()
	s, err := stack.StartMonitoring(t.Context(), io.Discard, strings.TrimPrefix(empty.URL, "http://"))
	if s != nil {
		defer func() {
			if err := s.Stop(""); err != nil {
				t.Error(err)
			}
		}()
	}
	if err != nil {
		t.Fatal(err)
	}
	runner := &Runner{Stack: s, Tell: func(string, string) {}, Idle: true, Patience: 2 * time.Second}
	var group sync.WaitGroup
	for _, sc := range All() {
		group.Go(func() {
			if result := runner.Run(t.Context(), sc); result.Err == nil {
				t.Errorf("%s holds with an exporter that says nothing", sc.Name)
			}
		})
	}
	group.Wait()
}

// TestScenariosAreWhole finds what would only show after minutes: names that cannot be namespaces, alerts that do not exist.
func TestScenariosAreWhole(t *testing.T) {
	alerts, err := rules.Alerts()
	if err != nil {
		t.Fatal(err)
	}
	severities := map[string]bool{"info": true, "warning": true, "critical": true}
	paged := map[string]bool{}
	for _, a := range alerts {
		paged[a.Name] = false
	}
	names := map[string]bool{}
	for _, sc := range All() {
		if problems := validation.IsDNS1123Label(sc.Name); len(problems) > 0 || names[sc.Name] {
			t.Errorf("scenario %q: its name is taken, or: %v", sc.Name, problems)
		}
		names[sc.Name] = true
		if sc.Story == "" || len(sc.Steps) == 0 {
			t.Errorf("scenario %s tells nothing", sc.Name)
		}
		for _, step := range sc.Steps {
			for _, page := range step.Page {
				if _, ok := paged[page.Alert]; !ok {
					t.Errorf("scenario %s waits for %s, which is no alert of ours", sc.Name, page.Alert)
				}
				if !severities[page.Severity] {
					t.Errorf("scenario %s: %s has the severity %q", sc.Name, page.Alert, page.Severity)
				}
				paged[page.Alert] = true
			}
		}
	}
	for alert, why := range notPaged {
		if paged[alert] {
			t.Errorf("%s is paged; it was not to be, because: %s", alert, why)
		}
		paged[alert] = true
	}
	for alert, ok := range paged {
		if !ok {
			t.Errorf("no scenario pages %s", alert)
		}
	}
}

// notPaged are the alerts that no scenario can bring about in minutes; promtool shows them with its own clock.
var notPaged = map[string]string{
	"TocsinCollectorFailed": "a collector fails only by a defect of its own",
	"TocsinLabelsRenamed":   "the stack's Prometheus has honor_labels, as an installation must",
}
