package deploy

import (
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"tocsin/rules"
)

// groups gives the groups of rules/ by name, in the operator's type, which is Prometheus' own as YAML.
func groups(t *testing.T) map[string]monitoringv1.RuleGroup {
	t.Helper()
	names, err := fs.Glob(rules.Files(), "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]monitoringv1.RuleGroup{}
	for _, name := range names {
		text, err := fs.ReadFile(rules.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		var file monitoringv1.PrometheusRuleSpec
		if err := yaml.UnmarshalStrict(text, &file); err != nil {
			t.Fatalf("rules/%s: %v", name, err)
		}
		for _, g := range file.Groups {
			all[g.Name] = g
		}
	}
	return all
}

// shipped gives the groups of the rendered PrometheusRules by name.
func shipped(t *testing.T, all []*unstructured.Unstructured) map[string]monitoringv1.RuleGroup {
	t.Helper()
	found := map[string]monitoringv1.RuleGroup{}
	for _, r := range of[monitoringv1.PrometheusRule](t, all, "PrometheusRule") {
		for _, g := range r.Spec.Groups {
			if _, twice := found[g.Name]; twice {
				t.Errorf("group %s is there twice", g.Name)
			}
			found[g.Name] = g
		}
	}
	return found
}

// sameRules compares rule by rule.
func sameRules(t *testing.T, want, got map[string]monitoringv1.RuleGroup) {
	t.Helper()
	if w, g := slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)); !slices.Equal(w, g) {
		t.Fatalf("groups %v, want %v", g, w)
	}
	for name, group := range want {
		if len(group.Rules) != len(got[name].Rules) {
			t.Errorf("%s: %d rules, want %d", name, len(got[name].Rules), len(group.Rules))
			continue
		}
		for i, rule := range group.Rules {
			if diff := gocmp.Diff(rule, got[name].Rules[i]); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, rule.Alert, diff)
			}
		}
	}
}

func TestRulesAreThoseOfRules(t *testing.T) {
	want := groups(t)
	alerts, err := rules.Alerts()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, g := range want {
		count += len(g.Rules)
	}
	if count != len(alerts) {
		t.Fatalf("%d rules read here, %d by Prometheus' own reader", count, len(alerts))
	}
	sameRules(t, want, shipped(t, chart(t, "prometheusRule: {enabled: true}")))
}

// change is what a test's values change of the rules: gone when it gives false.
type change func(r *monitoringv1.Rule) bool

func on(alert string, f func(r *monitoringv1.Rule)) change {
	return func(r *monitoringv1.Rule) bool {
		if r.Alert == alert {
			f(r)
		}
		return true
	}
}

func TestRuleChanges(t *testing.T) {
	for values, c := range map[string]change{
		"alerts: {JobStalled: {enabled: false}}":                              func(r *monitoringv1.Rule) bool { return r.Alert != "JobStalled" },
		"alerts: {JobStalled: {enabled: true}}":                               func(*monitoringv1.Rule) bool { return true },
		"alerts: {JobStalled: {enabled: false}, JobFailed: {enabled: false}}": func(r *monitoringv1.Rule) bool { return !strings.HasPrefix(r.Alert, "Job") },
		"alerts: {CronJobFailing: {for: 10m}}":                                on("CronJobFailing", func(r *monitoringv1.Rule) { r.For = new(monitoringv1.Duration("10m")) }),
		"alerts: {JobFailed: {for: 1m}}":                                      on("JobFailed", func(r *monitoringv1.Rule) { r.For = new(monitoringv1.Duration("1m")) }),
		"alerts: {PodStranded: {severity: page}}":                             on("PodStranded", func(r *monitoringv1.Rule) { r.Labels["severity"] = "page" }),
		"alerts: {CronJobFailing: {severity: critical}}":                      on("CronJobFailing", func(r *monitoringv1.Rule) { r.Labels["severity"] = `{{ or $labels.severity "critical" }}` }),
		"alerts: {PodStranded: {expr: vector(1)}}":                            on("PodStranded", func(r *monitoringv1.Rule) { r.Expr = intstr.FromString("vector(1)") }),
		"alerts: {PodStranded: {labels: {team: a, severity: b}}}":             on("PodStranded", func(r *monitoringv1.Rule) { r.Labels["team"] = "a"; r.Labels["severity"] = "b" }),
		"alertLabels: {team: a}":                                              func(r *monitoringv1.Rule) bool { r.Labels["team"] = "a"; return true },
		"alertLabels: {severity: a}":                                          func(r *monitoringv1.Rule) bool { r.Labels["severity"] = "a"; return true },
		"{alertLabels: {team: a}, alerts: {PodStranded: {labels: {team: b}}}}": func(r *monitoringv1.Rule) bool {
			r.Labels["team"] = "a"
			if r.Alert == "PodStranded" {
				r.Labels["team"] = "b"
			}
			return true
		},
		"grafanaURL: https://g.example.com/": func(r *monitoringv1.Rule) bool {
			r.Annotations["dashboard_url"] = "https://g.example.com" + r.Annotations["dashboard_url"]
			return true
		},
	} {
		t.Run(values, func(t *testing.T) {
			if !strings.HasPrefix(values, "{") {
				values = "{" + values + "}"
			}
			want := groups(t)
			for name, g := range want {
				var kept []monitoringv1.Rule
				for _, r := range g.Rules {
					if c(&r) {
						kept = append(kept, r)
					}
				}
				if g.Rules = kept; len(kept) == 0 {
					delete(want, name)
					continue
				}
				want[name] = g
			}
			values = strings.Replace(values, "{", "{enabled: true, ", 1)
			sameRules(t, want, shipped(t, chart(t, "prometheusRule: "+values)))
		})
	}
}

// TestRunbookNames: what the alerts' texts tell people to type is what the chart makes: the ServiceAccount, the Pods' label.
func TestRunbookNames(t *testing.T) {
	account := regexp.MustCompile(`system:serviceaccount:([a-z0-9-]+):([a-z0-9-]+)`)
	found := 0
	for name, g := range groups(t) {
		for _, r := range g.Rules {
			for _, m := range account.FindAllStringSubmatch(r.Annotations["description"], -1) {
				found++
				if m[1] != Namespace || m[2] != Release {
					t.Errorf("%s, %s: %s; the chart's is %s:%s", name, r.Alert, m[0], Namespace, Release)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no alert names the ServiceAccount: has TocsinSourceDown's text changed?")
	}
}
