package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// RunbookURL is where an alert's runbook is read, with the alert's name and ".md" behind it.
const RunbookURL = "https://github.com/tocsin-exporter/tocsin/blob/main/rules/runbooks/"

// RunbookSections are the headings that every runbook has, in this order.
var RunbookSections = []string{"Meaning", "Impact", "Diagnosis", "Mitigation", "Silencing and tuning"}

// Annotations that every alert has.
var Annotations = []string{"summary", "description", "runbook_url", "dashboard_url"}

// Validate checks the embedded rules and runbooks: that Prometheus can load them, and that each alert has what its readers count on.
// Every line of the error names the file and the alert, and says what to do.
func Validate() error { return validate(embedded) }

func validate(files fs.FS) error {
	groups, err := load(files)
	errs := []error{err}
	where := map[string]string{}
	for _, g := range groups {
		if want := "tocsin-" + strings.TrimSuffix(g.File, ".yaml"); g.Name != want {
			errs = append(errs, fmt.Errorf("rules/%s: the group is called %s, want %s", g.File, g.Name, want))
		}
		for _, a := range g.Alerts {
			if other, twice := where[a.Name]; twice {
				errs = append(errs, fmt.Errorf("rules/%s: alert %s is already in rules/%s", a.File, a.Name, other))
			}
			where[a.Name] = a.File
			for _, problem := range problems(files, a) {
				errs = append(errs, fmt.Errorf("rules/%s: alert %s: %s", a.File, a.Name, problem))
			}
		}
	}
	runbooks, err := fs.Glob(files, "runbooks/*.md")
	errs = append(errs, err)
	for _, f := range runbooks {
		if name := strings.TrimSuffix(path.Base(f), ".md"); where[name] == "" {
			errs = append(errs, fmt.Errorf("rules/%s: there is no alert %s: remove or rename the runbook", f, name))
		}
	}
	return errors.Join(errs...)
}

func problems(files fs.FS, a Alert) (found []string) {
	if _, err := Selectors(a.Expr); err != nil {
		found = append(found, err.Error())
	}
	if a.Labels["severity"] == "" {
		found = append(found, "has no label severity")
	}
	for _, name := range Annotations {
		if strings.TrimSpace(a.Annotations[name]) == "" {
			found = append(found, "has no annotation "+name)
		}
	}
	if summary := strings.TrimSpace(a.Annotations["summary"]); strings.Contains(summary, "\n") {
		found = append(found, "its summary has more than one line")
	}
	if url, want := a.Annotations["runbook_url"], RunbookURL+a.Name+".md"; url != "" && url != want {
		found = append(found, "its runbook_url is "+url+", want "+want)
	}
	if url := a.Annotations["dashboard_url"]; url != "" && !strings.HasPrefix(url, "/d/tocsin-") {
		found = append(found, "its dashboard_url is "+url+", want a path that starts with /d/tocsin-")
	}
	text, err := fs.ReadFile(files, a.RunbookFile())
	if err != nil {
		return append(found, "has no runbook: write rules/"+a.RunbookFile())
	}
	return append(found, runbookProblems(a, string(text))...)
}

func runbookProblems(a Alert, text string) (found []string) {
	where := "its runbook rules/" + a.RunbookFile()
	lines := strings.Split(text, "\n")
	if lines[0] != "# "+a.Name {
		found = append(found, where+" does not start with the heading \"# "+a.Name+"\"")
	}
	var headings []string
	for _, line := range lines {
		if h, ok := strings.CutPrefix(line, "## "); ok {
			headings = append(headings, h)
		}
	}
	for _, want := range RunbookSections {
		if !slices.Contains(headings, want) {
			found = append(found, where+" has no section \"## "+want+"\"")
		} else if section(text, want) == "" {
			found = append(found, where+" says nothing under \"## "+want+"\"")
		}
	}
	if len(found) == 0 && !slices.Equal(headings, RunbookSections) {
		found = append(found, where+" has the sections "+strings.Join(headings, ", ")+", want "+strings.Join(RunbookSections, ", "))
	}
	if !strings.Contains(section(text, "Diagnosis"), "```") {
		found = append(found, where+" has no commands under \"## Diagnosis\"")
	}
	if !strings.Contains(section(text, "Mitigation"), "|---") {
		found = append(found, where+" has no table of causes and fixes under \"## Mitigation\"")
	}
	return found
}

// section gives the text under a second-level heading, trimmed.
func section(text, heading string) string {
	_, rest, _ := strings.Cut(text, "\n## "+heading+"\n")
	body, _, _ := strings.Cut(rest, "\n## ")
	return strings.TrimSpace(body)
}
