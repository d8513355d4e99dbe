// Package rules holds Tocsin's alerts: one Prometheus rule file per group, one runbook per alert, both embedded, so that what is
// deployed, tested and documented is made from the same text.
package rules

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

//go:embed *.yaml runbooks/*.md
var embedded embed.FS

// Files gives the rule files and the runbooks, as "cronjobs.yaml" and "runbooks/CronJobFailing.md".
func Files() fs.FS { return embedded }

// Group is a rule file: it holds exactly one group.
type Group struct {
	// Name of the group, "tocsin-cronjobs".
	Name string
	// File that holds it, "cronjobs.yaml".
	File string
	// Alerts in the order of the file.
	Alerts []Alert
}

// Alert is an alerting rule as its file has it, templates unexpanded.
type Alert struct {
	Name        string
	Group       string
	File        string
	Expr        string
	For         time.Duration
	Labels      map[string]string
	Annotations map[string]string
}

// RunbookFile is where the alert's runbook lies in Files.
func (a Alert) RunbookFile() string { return "runbooks/" + a.Name + ".md" }

// Groups gives the groups, sorted by file. The error names the file that can't be read as Prometheus rules.
func Groups() ([]Group, error) { return load(embedded) }

// Alerts gives all alerts, sorted by name.
func Alerts() ([]Alert, error) {
	groups, err := Groups()
	if err != nil {
		return nil, err
	}
	var alerts []Alert
	for _, g := range groups {
		alerts = append(alerts, g.Alerts...)
	}
	slices.SortFunc(alerts, func(a, b Alert) int { return cmp.Compare(a.Name, b.Name) })
	return alerts, nil
}

// Runbook gives the Markdown text of an alert's runbook; the error says which file is missing.
func Runbook(alert string) (string, error) {
	text, err := fs.ReadFile(embedded, Alert{Name: alert}.RunbookFile())
	if err != nil {
		return "", fmt.Errorf("alert %s has no runbook: write rules/runbooks/%s.md", alert, alert)
	}
	return string(text), nil
}

// Runbooks gives the names of the alerts that have a runbook, sorted.
func Runbooks() ([]string, error) {
	files, err := fs.Glob(embedded, "runbooks/*.md")
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(files))
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".md"))
	}
	return names, nil
}

func load(files fs.FS) ([]Group, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, err
	}
	var groups []Group
	var errs []error
	for _, name := range names {
		g, err := loadFile(files, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		groups = append(groups, g)
	}
	return groups, errors.Join(errs...)
}

func loadFile(files fs.FS, name string) (Group, error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return Group{}, fmt.Errorf("rules/%s: %w", name, err)
	}
	parsed, errs := rulefmt.Parse(text, false, model.UTF8Validation, promql, slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		return Group{}, fmt.Errorf("rules/%s: %w", name, errors.Join(errs...))
	}
	if len(parsed.Groups) != 1 {
		return Group{}, fmt.Errorf("rules/%s: has %d groups, want exactly one", name, len(parsed.Groups))
	}
	g := Group{Name: parsed.Groups[0].Name, File: name}
	for _, r := range parsed.Groups[0].Rules {
		if r.Alert == "" {
			return Group{}, fmt.Errorf("rules/%s: rule %q records: an alert here must not wait for another rule", name, r.Record)
		}
		g.Alerts = append(g.Alerts, Alert{
			Name:        r.Alert,
			Group:       g.Name,
			File:        name,
			Expr:        r.Expr,
			For:         time.Duration(r.For),
			Labels:      r.Labels,
			Annotations: r.Annotations,
		})
	}
	return g, nil
}

// Experimental functions stay off: Prometheus 2.45, Mimir, Thanos and VictoriaMetrics do not have them.
var promql = parser.NewParser(parser.Options{})

// Metrics gives the names of the metrics that an expression reads, sorted and without doubles. A selector that names its metric by
// anything but equality is an error: nobody could check that such a metric exists.
func Metrics(expr string) ([]string, error) {
	selectors, err := Selectors(expr)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(selectors))
	for _, s := range selectors {
		names = append(names, s.Metric)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Selector is one place in an expression where series are read.
type Selector struct {
	// Metric is the name of the metric.
	Metric string
	// Matchers are the labels that it is narrowed by, sorted by name.
	Matchers []Matcher
}

// Matcher is a label of a selector with the values that it asks for or rules out; of a regular expression, its alternatives.
type Matcher struct {
	Label  string
	Values []string
}

// Selectors gives every selector of an expression, in the order of the text.
func Selectors(expr string) ([]Selector, error) {
	tree, err := promql.ParseExpr(expr)
	if err != nil {
		return nil, err
	}
	var found []Selector
	var bad error
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		v, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		s := Selector{}
		for _, m := range v.LabelMatchers {
			switch {
			case m.Name != model.MetricNameLabel:
				s.Matchers = append(s.Matchers, Matcher{Label: m.Name, Values: strings.Split(m.Value, "|")})
			case m.Type == labels.MatchEqual:
				s.Metric = m.Value
			}
		}
		if s.Metric == "" {
			bad = fmt.Errorf("selector %s does not name its metric", v)
		}
		slices.SortFunc(s.Matchers, func(a, b Matcher) int { return cmp.Compare(a.Label, b.Label) })
		found = append(found, s)
		return nil
	})
	return found, bad
}
