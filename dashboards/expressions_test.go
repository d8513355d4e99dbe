package dashboards

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"tocsin/collectors"
	"tocsin/docs"
	"tocsin/rules"
)

// besideCollectors are the metrics that no collector emits, with their labels: client_golang's, which every exporter has, and what Prometheus itself
// says of a scrape and of alerts.
var besideCollectors = map[string][]string{
	"tocsin_build_info":             {"version", "revision", "branch", "goversion", "goos", "goarch", "tags"},
	"process_cpu_seconds_total":     nil,
	"process_resident_memory_bytes": nil,
	"process_start_time_seconds":    nil,
	"go_memstats_heap_inuse_bytes":  nil,
	"scrape_duration_seconds":       nil,
	"scrape_samples_scraped":        nil,
	"ALERTS":                        {"alertname", "alertstate", "severity", "namespace"},
}

// maxQuery is what VictoriaMetrics takes by default (-search.maxQueryLen).
const maxQuery = 16 << 10

func parsed(t *testing.T, where, expr string) parser.Expr {
	t.Helper()
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Fatalf("%s: %v in\n%s", where, err, expr)
	}
	return tree
}

// expressions gives all of the dashboards', those of annotations too, ready to run.
func expressions(check func(d dashboard, where, raw, filled string)) {
	for _, d := range dashboards() {
		fill := d.filler(time.Unix(1796029800, 0), map[string]string{"cronjob": "sync-stock"})
		for _, a := range d.Annotations.List {
			check(d, fmt.Sprintf("dashboard %s, annotation %s", d.UID, a.Name), a.Expr, fill(a.Expr))
		}
		for _, p := range d.allPanels() {
			for _, target := range p.Targets {
				where := fmt.Sprintf("dashboard %s, panel %q, query %s", d.UID, p.Title, target.RefID)
				check(d, where, target.Expr, fill(target.Expr))
			}
		}
	}
}

func TestQueriesAreWellFormed(t *testing.T) {
	eachPanel(func(_ dashboard, p panel, where string) {
		if len(p.Targets) == 0 {
			t.Errorf("%s asks nothing", where)
		}
		for i, target := range p.Targets {
			if target.Datasource != prometheus || target.Instant == target.Range {
				t.Errorf("%s, query %s: want the chosen data source, and either the present or a range", where, target.RefID)
			}
			series := p.Type != "table" || p.Transformations[0].ID == "labelsToFields"
			if (target.Format == "table") == series {
				t.Errorf("%s, query %s has the format %s", where, target.RefID, target.Format)
			}
			if p.Type == "table" && series && target.LegendFormat != "Value" {
				t.Errorf("%s, query %s: a single series would name the column of values after itself", where, target.RefID)
			}
			for _, other := range p.Targets[:i] {
				if other.RefID == target.RefID || target.RefID == "" {
					t.Errorf("%s has two queries called %q", where, target.RefID)
				}
			}
		}
	})
	variable := regexp.MustCompile(`\$[a-z_{]`)
	expressions(func(_ dashboard, where, raw, filled string) {
		if variable.MatchString(filled) {
			t.Errorf("%s has a variable that its dashboard does not have:\n%s", where, filled)
		}
		if len(filled) > maxQuery {
			t.Errorf("%s is %d bytes long, and VictoriaMetrics takes %d", where, len(filled), maxQuery)
		}
		if strings.Contains(raw, "{NS") || strings.Contains(raw, "{CL") {
			t.Errorf("%s has a filter that is not written out", where)
		}
		parsed(t, where, filled)
	})
}

// TestSelectors: each selector names a metric of ours, narrows it by what the dashboard's variables choose, not by job, and by labels that it
// has and values that these can have.
func TestSelectors(t *testing.T) {
	emitted := map[string][]string{}
	for _, f := range collectors.Families() {
		emitted[f.Name] = append([]string{}, f.Labels...)
	}
	maps.Copy(emitted, besideCollectors)
	expressions(func(d dashboard, where, _, filled string) {
		selectors, err := rules.Selectors(filled)
		if err != nil {
			t.Errorf("%s: %v", where, err)
		}
		for _, s := range selectors {
			has, ok := emitted[s.Metric]
			if !ok {
				t.Errorf("%s reads %s, which is no metric of Tocsin's", where, s.Metric)
			}
			var narrowed []string
			for _, m := range s.Matchers {
				narrowed = append(narrowed, m.Label)
				if !slices.Contains(has, m.Label) && m.Label != "cluster" && m.Label != "exported_namespace" {
					t.Errorf("%s narrows %s by %s, which it does not have", where, s.Metric, m.Label)
				}
				for _, v := range m.Values {
					if set := docs.LabelValues(s.Metric)[m.Label]; set != nil && v != anything && !slices.Contains(set, v) {
						t.Errorf("%s looks for %s{%s=%q}, which is never so: %v", where, s.Metric, m.Label, v, set)
					}
				}
			}
			for _, v := range d.Templating.List[1:] {
				if (v.Name == "cluster" || slices.Contains(has, v.Name)) && !slices.Contains(narrowed, v.Name) {
					t.Errorf("%s does not narrow %s by the variable %s", where, s.Metric, v.Name)
				}
			}
		}
	})
}

// TestShardsAddUp: what each shard exports its part of is asked for through addedUp, with all labels that tell its series apart.
func TestShardsAddUp(t *testing.T) {
	labelsOf := map[string][]string{}
	for _, f := range collectors.AddUp() {
		labelsOf[f.Name] = f.Labels
	}
	asked := map[string]bool{}
	expressions(func(_ dashboard, where, _, filled string) {
		parser.Inspect(parsed(t, where, filled), func(node parser.Node, path []parser.Node) error {
			v, ok := node.(*parser.VectorSelector)
			if !ok || !addsUp(v.Name) {
				return nil
			}
			asked[v.Name] = true
			total, once := aggregatesOf(path)
			if total == nil || total.Op != parser.SUM || once.Op != parser.MAX || !strings.Contains(once.String(), "group_left (shard)") {
				t.Errorf("%s: of shards, %s is only what one of them says: it has to go through addedUp", where, v)
				return nil
			}
			apart := append([]string{"cluster", "shard"}, labelsOf[v.Name]...)
			for _, m := range v.LabelMatchers {
				if m.Type == labels.MatchEqual {
					apart = slices.DeleteFunc(apart, func(label string) bool { return label == m.Name })
				}
			}
			if !slices.Equal(slices.Sorted(slices.Values(once.Grouping)), slices.Sorted(slices.Values(apart))) {
				t.Errorf("%s: series of %s are told apart by %v, want %v", where, v, once.Grouping, apart)
			}
			return nil
		})
	})
	for name := range labelsOf {
		if !asked[name] {
			t.Errorf("no dashboard asks for %s", name)
		}
	}
}

// aggregatesOf gives the two aggregations that are closest to the node at the end of the path, the outer one first.
func aggregatesOf(path []parser.Node) (outer, inner *parser.AggregateExpr) {
	for _, p := range path {
		if a, ok := p.(*parser.AggregateExpr); ok {
			outer, inner = inner, a
		}
	}
	return outer, inner
}

// TestRates: counters are only looked at by how they rise, over $__rate_interval, and nothing else is.
func TestRates(t *testing.T) {
	expressions(func(_ dashboard, where, raw, filled string) {
		parser.Inspect(parsed(t, where, filled), func(node parser.Node, path []parser.Node) error {
			v, ok := node.(*parser.VectorSelector)
			if !ok {
				return nil
			}
			var function string
			for _, p := range path {
				if call, ok := p.(*parser.Call); ok && slices.Contains([]string{"rate", "irate", "increase"}, call.Func.Name) {
					function = call.Func.Name
				}
			}
			if counter := strings.HasSuffix(v.Name, "_total"); counter != (function != "") {
				t.Errorf("%s: %s is a counter: %t, and is looked at by %q", where, v.Name, counter, function)
			}
			return nil
		})
		for _, m := range regexp.MustCompile(`\b(?:rate|increase)\([^\[]*\[([^\]]*)\]`).FindAllStringSubmatch(raw, -1) {
			if m[1] != "$__rate_interval" {
				t.Errorf("%s: a rate over %s, want $__rate_interval", where, m[1])
			}
		}
	})
}

// TestStatesAreComplete: what timelines, mappings and columns tell apart is all that there is.
func TestStatesAreComplete(t *testing.T) {
	asked := map[string]map[string][]string{}
	expressions(func(_ dashboard, _, _, filled string) {
		selectors, err := rules.Selectors(filled)
		if err != nil {
			t.Error(err)
		}
		for _, s := range selectors {
			for _, m := range s.Matchers {
				if asked[s.Metric] == nil {
					asked[s.Metric] = map[string][]string{}
				}
				asked[s.Metric][m.Label] = append(asked[s.Metric][m.Label], m.Values...)
			}
		}
	})
	for metric, label := range map[string]string{
		"tocsin_cronjob_state": "state", "tocsin_statefulset_rollout_state": "state", "tocsin_node_drain_stranded_pods": "protection", "tocsin_daemonset_nodes": "coverage",
	} {
		for _, v := range docs.LabelValues(metric)[label] {
			if !slices.Contains(asked[metric][label], v) {
				t.Errorf("no query asks for %s{%s=%q}", metric, label, v)
			}
		}
	}
	mapped := map[string]bool{}
	eachPanel(func(_ dashboard, p panel, _ string) {
		for _, o := range p.FieldConfig.Overrides {
			for _, property := range o.Properties {
				mappings, _ := property.Value.([]mapping)
				for _, m := range mappings {
					for value := range m.Options {
						mapped[value] = true
					}
				}
			}
		}
	})
	for metric, label := range map[string]string{"tocsin_statefulset_rollout_blocked": "action", "tocsin_pod_stranded": "cause"} {
		for _, v := range docs.LabelValues(metric)[label] {
			if !mapped[v] {
				t.Errorf("no table has a color for %s{%s=%q}", metric, label, v)
			}
		}
	}
}

// TestVariablesOfferWhatIsThere: each variable's query finds values in the sample, but for the cluster, which it does not have.
func TestVariablesOfferWhatIsThere(t *testing.T) {
	w := sampled(t, alone)
	query := regexp.MustCompile(`^label_values\((.*), ([a-z]+)\)$`)
	for _, d := range dashboards() {
		fill := d.filler(w.now, nil)
		for _, v := range d.Templating.List[1:] {
			m := query.FindStringSubmatch(v.Definition)
			if m == nil || m[2] != v.Name {
				t.Errorf("dashboard %s, variable %s: %q does not ask for the values of its label", d.UID, v.Name, v.Definition)
				continue
			}
			if got := w.values(t, fill(m[1]), m[2]); (len(got) == 0) != (v.Name == "cluster") {
				t.Errorf("dashboard %s, variable %s offers %q", d.UID, v.Name, got)
			}
		}
	}
}
