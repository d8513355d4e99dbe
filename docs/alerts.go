package docs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"tocsin/rules"
)

// Alerts gives the text of alerts.md. The error names the rule file or the runbook that cannot be read.
func Alerts() (string, error) {
	groups, err := rules.Groups()
	if err != nil {
		return "", err
	}
	slices.SortStableFunc(groups, func(a, b rules.Group) int { return last(a) - last(b) })

	var page strings.Builder
	page.WriteString(`# Alerts

<!-- Made from the rules and their runbooks. After a change: go test ./docs -update -->

How to load them, what to inhibit, and how the expressions are written: [rules/README.md](../rules/README.md). *Owner's* severity is the
one that the workload's owner asks for with the annotation ` + "`tocsin/severity`" + `.

| alert | severity | holds for | group |
|---|---|---|---|
`)
	for _, g := range groups {
		for _, a := range g.Alerts {
			fmt.Fprintf(&page, "| [%s](#%s) | %s | %s | [%s](../rules/%s) |\n", a.Name, strings.ToLower(a.Name), severity(a), holds(a.For), g.Name, g.File)
		}
	}
	for _, g := range groups {
		fmt.Fprintf(&page, "\n## %s\n", g.Name)
		for _, a := range g.Alerts {
			if err := writeAlert(&page, a); err != nil {
				return "", err
			}
		}
	}
	return page.String(), nil
}

// last tells which group is read after the others: the one about Tocsin itself.
func last(g rules.Group) int {
	if g.Name == "tocsin-itself" {
		return 1
	}
	return 0
}

func writeAlert(page *strings.Builder, a rules.Alert) error {
	runbook, err := rules.Runbook(a.Name)
	if err != nil {
		return err
	}
	metrics, err := rules.Metrics(a.Expr)
	if err != nil {
		return fmt.Errorf("rules/%s: alert %s: %w", a.File, a.Name, err)
	}
	if len(metrics) > 1 { // nearly all look there whether the exporter is up
		metrics = slices.DeleteFunc(metrics, func(m string) bool { return m == "tocsin_build_info" })
	}
	_, meaning, _ := strings.Cut(runbook, "\n## Meaning\n")
	meaning, _, _ = strings.Cut(meaning, "\n## ")
	fmt.Fprintf(page, "\n### %s\n\n%s\n\nReads `%s`. [Runbook](../rules/%s): what to look at, what to do, how to silence it.\n", a.Name, strings.TrimSpace(meaning),
		strings.Join(metrics, "`, `"), a.RunbookFile())
	return nil
}

var ownersSeverity = regexp.MustCompile(`^\{\{ or \$labels\.severity "(.*)" \}\}$`)

// severity gives an alert's severity as it is unless an owner says otherwise.
func severity(a rules.Alert) string {
	s := a.Labels["severity"]
	if m := ownersSeverity.FindStringSubmatch(s); m != nil {
		return m[1] + ", or the owner's"
	}
	return s
}

func holds(d time.Duration) string {
	if d == 0 {
		return "at once"
	}
	return model.Duration(d).String()
}
