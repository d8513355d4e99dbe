package dashboards

import (
	"fmt"
	"strings"

	"tocsin/rules"
)

// finding is what an alert would say at once, without the time that it waits for, as a row of a table: how bad, how long, what, why, and
// what to type next.
type finding struct {
	// alert that says the same.
	alert string
	// severity unless the label severity says that the owner has set another.
	severity string
	// where is an expression with a series for each object that is in trouble; its values don't matter. Its label reason says why.
	where string
	// key are the labels that object, next and dashboard refer to as $1, $2 …; per those of them that identify the object, for since.
	key []string
	per string
	// since is an expression for how many seconds it has been so, one series for each object of where.
	since string
	// object is its name as kubectl takes it, "cronjob/$2".
	object string
	// next is the command to type, by a pattern of the key. The first that fits is taken.
	next []advice
	// dashboard shows more: a uid and what stands behind the question mark of its address.
	dashboard string
}

// advice is the command for keys that fit the pattern, "" for all.
type advice struct{ pattern, command string }

func always(command string) []advice { return []advice{{"", command}} }

// notSaid is for since where nothing says it, or where what says it may be missing: the number that tables show as a dash. Not NaN, which
// VictoriaMetrics takes for no sample.
func notSaid(expr string) string { return "-1 + 0 * " + expr }

// expression gives a series for each object in trouble, with the labels alert, severity, namespace, object, reason, next and dashboard, and the
// seconds as its value.
func (f finding) expression() string {
	e := "(\n" + indent("0 * ("+"\n"+indent(f.where)+"\n) + on ("+f.per+") group_left () "+maxBy(f.per, f.since)) + "\n)"
	e = joined(e, "key", "/", f.key...)
	all := strings.TrimSuffix(strings.Repeat("(.*)/", len(f.key)), "/")
	e = replace(e, "object", f.object, "key", all)
	e = replace(e, "dashboard", f.dashboard, "key", all)
	for i := range f.next { // the last one written wins, so the first that fits comes last
		n := f.next[len(f.next)-1-i]
		if n.pattern == "" {
			n.pattern = all
		}
		e = replace(e, "next", n.command, "key", n.pattern)
	}
	e = constant(e, "alert", f.alert)
	return replace(e, "severity", f.severity, "severity", "")
}

// findingsOf gives the query of a group's findings. Severities are numbered, so that the table can be sorted by them.
func findingsOf(group string, findings []finding) target {
	var all []string
	for _, f := range findings {
		all = append(all, f.expression())
	}
	e := either(all...)
	for _, s := range severities {
		e = replace(e, "severity", s.code, "severity", s.name)
	}
	// The legend names the column of values where there is only one row: then nothing is merged, and the series keeps its name.
	return now(group, maxBy("cluster, severity, alert, namespace, object, reason, next, dashboard", e), "Value")
}

// findingsTable shows what the groups of findings say, the worst first.
func findingsTable(title, description, empty string, queries []target) panel {
	return findingsOfColumns(title, description, empty, queries, text("namespace", "Namespace", broad(100)))
}

// clusterFindingsTable is for findings that are in no namespace.
func clusterFindingsTable(title, description, empty string, queries []target) panel {
	return findingsOfColumns(title, description, empty, queries)
}

func findingsOfColumns(title, description, empty string, queries []target, where ...column) panel {
	columns := append([]column{text("severity", "Severity", append(shown(bySeverity()), broad(80))...)}, where...)
	p := table(title, description, empty, []string{"Severity", "-For"}, append(columns,
		text("object", "Object", broad(235), goes("Show ${__value.text}",
			"/d/${__data.fields.dashboard}&${datasource:queryparam}&${cluster:queryparam}&${__url_time_range}")),
		text("alert", "Finding", broad(245), goes("Runbook of ${__value.text}", rules.RunbookURL+"${__value.raw}.md")),
		text("reason", "Reason", append(wrapped(), broad(215))...),
		number("", "For", "s", broad(85)),
		text("next", "Next step", append(wrapped(), property{ID: "custom.inspect", Value: true})...),
		behind("dashboard", "dashboard"),
	), queries)
	// Tables have a column of values per query. Time series don't: with their labels made columns, their rows stand below each other.
	p.Transformations = append([]transformation{{ID: "labelsToFields", Options: map[string]any{"mode": "columns"}}, merge},
		p.Transformations[len(p.Transformations)-1])
	return p
}

func sinceTime(metrics ...string) string {
	for i, m := range metrics {
		metrics[i] = "time() - " + m
	}
	return strings.Join(metrics, "\nor ")
}

// told adds labels of the series that says more about each object; of several (replicas that differ for a moment) it takes one. Objects
// without such a series are left out.
func told(where, per, labels, by string) string {
	return "(\n" + indent(where) + fmt.Sprintf("\n)\n* on (%s) group_left (%s) topk by (%s) (1, %s)", per, labels, per, by)
}

// orElse is told that keeps objects without such a series as they are.
func orElse(where, per, labels, by string) string {
	return either(told(where, per, labels, by), "(\n"+indent(where)+fmt.Sprintf("\n)\nunless on (%s) %s", per, by))
}

// joined gives each series the label, made of others.
func joined(expr, label, separator string, labels ...string) string {
	return "label_join(\n" + expr + fmt.Sprintf(",\n%q, %q, \"%s\")", label, separator, strings.Join(labels, `", "`))
}
