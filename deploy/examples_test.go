package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/relabel"
	"go.yaml.in/yaml/v3"

	"tocsin/rules"
)

// scrapeFile is what these tests read of Prometheus' scrape configurations; promtool reads the rest.
type scrapeFile struct {
	Jobs []struct {
		Name        string           `yaml:"job_name"`
		HonorLabels bool             `yaml:"honor_labels"`
		Relabel     []relabel.Config `yaml:"relabel_configs"`
	} `yaml:"scrape_configs"`
}

func scrapes(t *testing.T, path string) scrapeFile {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file scrapeFile
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return file
}

// TestPrometheusExamples: promtool takes the configurations and the files that they name.
func TestPrometheusExamples(t *testing.T) {
	promtool := tool(t, "promtool", "examples")
	for _, args := range [][]string{
		{"prometheus/prometheus.yml", "--lint=all", "--lint-fatal"},
		{"many-clusters/prometheus.yml", "--lint=all", "--lint-fatal"},
		{"many-clusters/prometheus-agent.yml", "--agent"},
	} {
		args[0] = filepath.Join("examples", args[0])
		if out, err := exec.Command(promtool, append([]string{"check", "config"}, args...)...).CombinedOutput(); err != nil {
			t.Errorf("promtool check config %v: %v\n%s", args, err, out)
		}
	}
	for _, file := range []string{"examples/prometheus/tocsin-scrape.yaml", "examples/many-clusters/prometheus.yml"} {
		for _, job := range scrapes(t, file).Jobs {
			if job.Name != "tocsin" || !job.HonorLabels {
				t.Errorf("%s: job %s, honor_labels: %t", file, job.Name, job.HonorLabels)
			}
		}
	}
}

// TestScrapeExample: of what Prometheus discovers in the namespace, the Service's http port is kept, and has no label of its own that
// would name a workload.
func TestScrapeExample(t *testing.T) {
	var rules []*relabel.Config
	for _, job := range scrapes(t, "examples/prometheus/tocsin-scrape.yaml").Jobs {
		for i := range job.Relabel {
			if err := job.Relabel[i].Validate(model.UTF8Validation); err != nil {
				t.Fatal(err)
			}
			rules = append(rules, &job.Relabel[i])
		}
	}
	for target, want := range map[[2]string]bool{{"tocsin", "http"}: true, {"tocsin", "other"}: false, {"grafana", "http"}: false} {
		got := labels.NewBuilder(labels.FromStrings("__address__", "10.0.0.1:10227", "job", "tocsin",
			"__meta_kubernetes_namespace", "tocsin", "__meta_kubernetes_pod_name", "tocsin-0",
			"__meta_kubernetes_service_label_app_kubernetes_io_name", target[0], "__meta_kubernetes_endpointslice_port_name", target[1]))
		keep := relabel.ProcessBuilder(got, rules...)
		if keep != want {
			t.Errorf("target %v: kept: %t, want %t", target, keep, want)
		}
		got.Range(func(l labels.Label) {
			if !strings.HasPrefix(l.Name, "__") && l.Name != "job" {
				t.Errorf("target %v has the label %s=%s", target, l.Name, l.Value)
			}
		})
	}
}

// routes is what this test reads of an Alertmanager configuration.
type routes struct {
	Route         route                 `yaml:"route"`
	InhibitRules  []map[string][]string `yaml:"inhibit_rules"`
	TimeIntervals []struct {
		Name string `yaml:"name"`
	} `yaml:"time_intervals"`
	Receivers []struct {
		Name string `yaml:"name"`
	} `yaml:"receivers"`
}

type route struct {
	Receiver string   `yaml:"receiver"`
	Matchers []string `yaml:"matchers"`
	Mute     []string `yaml:"mute_time_intervals"`
	GroupBy  []string `yaml:"group_by"`
	Routes   []route  `yaml:"routes"`
}

var (
	severity = regexp.MustCompile(`^severity="(\w+)"$`)
	alert    = regexp.MustCompile(`^alertname="(\w+)"$`)
)

// TestAlertmanagerExample: Alertmanager's own checker takes it; every severity has a route, what is critical is never muted, and the
// inhibitions name alerts that exist and labels that both have.
func TestAlertmanagerExample(t *testing.T) {
	const file = "examples/alertmanager.yml"
	if out, err := exec.Command(tool(t, "amtool", "examples"), "check-config", file).CombinedOutput(); err != nil {
		t.Errorf("amtool check-config: %v\n%s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c routes
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	muted := map[string]bool{}
	for _, r := range c.Route.Routes {
		if m := severity.FindStringSubmatch(r.Matchers[0]); m != nil {
			muted[m[1]] = len(r.Mute) > 0
		}
	}
	for level, want := range map[string]bool{"critical": false, "warning": true, "info": true} {
		if got, ok := muted[level]; !ok || got != want {
			t.Errorf("severity %s: has a route: %t, muted in maintenance: %t, want %t", level, ok, got, want)
		}
	}
	all, err := rules.Alerts()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.InhibitRules {
		for _, matcher := range slices.Concat(r["source_matchers"], r["target_matchers"]) {
			m := alert.FindStringSubmatch(matcher)
			if m == nil {
				continue // a pattern
			}
			i := slices.IndexFunc(all, func(a rules.Alert) bool { return a.Name == m[1] })
			if i < 0 {
				t.Errorf("inhibit_rules: no alert is called %s", m[1])
				continue
			}
			for _, label := range r["equal"] {
				if !strings.Contains(all[i].Expr, label) {
					t.Errorf("inhibit_rules: %s has no label %s", m[1], label)
				}
			}
		}
	}
}
