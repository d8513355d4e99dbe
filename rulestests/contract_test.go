package rulestests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tocsin/collectors"
	"tocsin/docs"
	"tocsin/rules"
)

// promised are the alerts that users route and silence by name: renaming or dropping one breaks them.
var promised = []string{
	"CronJobBlocked", "CronJobFailing", "CronJobLongRunning", "CronJobNeverSucceeded", "CronJobNoSuccess", "CronJobRunMissed",
	"CronJobRunStalled", "CronJobScheduleInvalid", "CronJobSuspendedLong", "CronJobsNotScheduled",
	"DaemonSetNodeExcluded", "DaemonSetNodeMissing",
	"JobFailed", "JobStalled",
	"NodeDrainWouldStrandPods", "PodStranded",
	"PersistentVolumeClaimOrphaned", "PersistentVolumeNodeMissing", "PersistentVolumeUnclaimed",
	"StatefulSetNeedsPodDelete", "StatefulSetRolloutBlocked", "StatefulSetServiceInvalid",
	"TocsinCollectorFailed", "TocsinDown", "TocsinLabelsRenamed", "TocsinSourceDown",
}

// defaultSeverity of the alerts that are not warnings by default.
var defaultSeverity = map[string]string{
	"CronJobsNotScheduled": "critical", "PodStranded": "critical", "TocsinDown": "critical",
	"CronJobSuspendedLong": "info", "NodeDrainWouldStrandPods": "info",
	"PersistentVolumeClaimOrphaned": "info", "PersistentVolumeUnclaimed": "info",
}

// demanded are the situations that the names of an alert's cases show it was tried in, as words that stand in at least one name.
var demanded = []string{"fires", "silent", "resolves", "restart", "replica", "cluster"}

func alerts(t *testing.T) []rules.Alert {
	t.Helper()
	all, err := rules.Alerts()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRulesAreValid: what the rules package demands of its own files (annotations, severity, runbooks and their sections).
func TestRulesAreValid(t *testing.T) {
	if err := rules.Validate(); err != nil {
		t.Error(err)
	}
}

func TestEveryPromisedAlertExists(t *testing.T) {
	var names []string
	for _, a := range alerts(t) {
		names = append(names, a.Name)
		if !slices.Contains(promised, a.Name) {
			t.Errorf("alert %s (rules/%s) is not among the promised: add it to promised here and to the documentation", a.Name, a.File)
		}
	}
	for _, want := range promised {
		if !slices.Contains(names, want) {
			t.Errorf("alert %s is promised, and in no file under rules/", want)
		}
	}
}

var severityTemplate = regexp.MustCompile(`^\{\{ or \$labels\.severity "(info|warning|critical)" \}\}$|^(info|warning|critical)$`)

func TestDefaultSeverities(t *testing.T) {
	for _, a := range alerts(t) {
		want := defaultSeverity[a.Name]
		if want == "" {
			want = "warning"
		}
		m := severityTemplate.FindStringSubmatch(a.Labels["severity"])
		if m == nil {
			t.Errorf("rules/%s: alert %s: severity %q is neither a severity nor {{ or $labels.severity \"…\" }}", a.File, a.Name, a.Labels["severity"])
			continue
		}
		if got := m[1] + m[2]; got != want {
			t.Errorf("rules/%s: alert %s: default severity is %s, want %s", a.File, a.Name, got, want)
		}
	}
}

// unitTests is a promtool file, as far as it is checked here.
type unitTests struct {
	RuleFiles []string `yaml:"rule_files"`
	Tests     []struct {
		Name           string `yaml:"name"`
		AlertRuleTests []struct {
			Alertname string `yaml:"alertname"`
			ExpAlerts []struct {
				Annotations map[string]string `yaml:"exp_annotations"`
			} `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
	} `yaml:"tests"`
}

// TestEveryAlertHasAPromtoolFile: each alert has <Alert>.test.yaml with cases that show it firing, silent, resolving, through a restart of
// the exporter, with two replicas and with two clusters; and each such file has its alert.
func TestEveryAlertHasAPromtoolFile(t *testing.T) {
	have := map[string]bool{}
	for _, a := range alerts(t) {
		have[a.Name] = true
		file := a.Name + ".test.yaml"
		text, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("alert %s (rules/%s) has no promtool tests: write rulestests/%s", a.Name, a.File, file)
			continue
		}
		var got unitTests
		if err := yaml.Unmarshal(text, &got); err != nil {
			t.Errorf("rulestests/%s: %v", file, err)
			continue
		}
		for _, problem := range testFileProblems(a, got) {
			t.Errorf("rulestests/%s: %s", file, problem)
		}
	}
	files, err := filepath.Glob("*.test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(f, ".test.yaml"); !have[name] {
			t.Errorf("rulestests/%s: there is no alert %s: remove or rename the file", f, name)
		}
	}
}

func testFileProblems(a rules.Alert, got unitTests) (found []string) {
	if want := []string{"../rules/" + a.File}; !slices.Equal(got.RuleFiles, want) {
		found = append(found, fmt.Sprintf("rule_files is %v, want %v", got.RuleFiles, want))
	}
	var names []string
	fires, silent := false, false
	for i, c := range got.Tests {
		if c.Name == "" || slices.Contains(names, c.Name) {
			found = append(found, fmt.Sprintf("case %d has no name of its own (%q)", i+1, c.Name))
		}
		names = append(names, c.Name)
		if len(c.AlertRuleTests) == 0 {
			found = append(found, fmt.Sprintf("case %q asks for no alert", c.Name))
		}
		for _, at := range c.AlertRuleTests {
			if at.Alertname != a.Name {
				continue
			}
			silent = silent || len(at.ExpAlerts) == 0
			for _, e := range at.ExpAlerts {
				fires = true
				if e.Annotations["summary"] == "" {
					found = append(found, fmt.Sprintf("case %q expects an alert without its exact annotations", c.Name))
				}
			}
		}
	}
	if !fires {
		found = append(found, "no case expects "+a.Name+" to fire")
	}
	if !silent {
		found = append(found, "no case expects "+a.Name+" to be silent")
	}
	all := strings.ToLower(strings.Join(names, "\n"))
	for _, word := range demanded {
		if !strings.Contains(all, word) {
			found = append(found, fmt.Sprintf("no case has %q in its name", word))
		}
	}
	return found
}

// targetLabels are on every series that Prometheus scrapes, or are added to it on the way; TocsinLabelsRenamed looks for the last.
var targetLabels = []string{"job", "instance", "cluster", "exported_namespace"}

// beside are the metrics that no collector emits: client_golang's, which the exporter registers as they are.
var beside = []string{"tocsin_build_info"}

// TestExpressionsReadWhatCollectorsEmit: each metric that an expression reads is emitted by a collector, has the labels that the expression narrows it by, and,
// where the values of a label are a closed set, those values.
func TestExpressionsReadWhatCollectorsEmit(t *testing.T) {
	emitted := map[string][]string{}
	for _, f := range collectors.Families() {
		emitted[f.Name] = f.Labels
	}
	for _, a := range alerts(t) {
		selectors, err := rules.Selectors(a.Expr)
		if err != nil {
			t.Errorf("rules/%s: alert %s: %v", a.File, a.Name, err)
		}
		for _, s := range selectors {
			if slices.Contains(beside, s.Metric) {
				continue
			}
			labels, ok := emitted[s.Metric]
			if !ok {
				t.Errorf("rules/%s: alert %s reads %s, which no collector emits", a.File, a.Name, s.Metric)
				continue
			}
			for _, m := range s.Matchers {
				if !slices.Contains(labels, m.Label) && !slices.Contains(targetLabels, m.Label) {
					t.Errorf("rules/%s: alert %s narrows %s by the label %s, which it does not have: it has %v", a.File, a.Name, s.Metric, m.Label, labels)
				}
				values, isClosed := docs.LabelValues(s.Metric)[m.Label]
				for _, v := range m.Values {
					if isClosed && !slices.Contains(values, v) {
						t.Errorf("rules/%s: alert %s looks for %s{%s=%q}, which is never so: %v", a.File, a.Name, s.Metric, m.Label, v, values)
					}
				}
			}
		}
	}
}

var metricName = regexp.MustCompile(`\btocsin_[a-z_]+[a-z]`)

// TestTextsNameWhatCollectorsEmit: the metrics that annotations look up and runbooks name exist.
func TestTextsNameWhatCollectorsEmit(t *testing.T) {
	emitted := slices.Clone(beside)
	for _, f := range collectors.Families() {
		emitted = append(emitted, f.Name)
	}
	check := func(where, text string) {
		for _, name := range metricName.FindAllString(text, -1) {
			if !slices.Contains(emitted, name) {
				t.Errorf("%s names %s, which no collector emits", where, name)
			}
		}
	}
	for _, a := range alerts(t) {
		for name, text := range a.Annotations {
			check(fmt.Sprintf("rules/%s: alert %s: annotation %s", a.File, a.Name, name), text)
		}
		if text, err := rules.Runbook(a.Name); err == nil {
			check("rules/"+a.RunbookFile(), text)
		}
	}
}
