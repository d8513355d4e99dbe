package rules

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const goodRules = `groups:
  - name: tocsin-jobs
    rules:
      - alert: JobFailed
        expr: tocsin_job_failed{cronjob=""} == 1
        for: 5m
        labels: {severity: warning}
        annotations:
          summary: a Job has failed
          description: it has
          runbook_url: ` + RunbookURL + `JobFailed.md
          dashboard_url: /d/tocsin-cronjobs
`

const goodRunbook = "# JobFailed\n\n## Meaning\nIt.\n\n## Impact\nIs.\n\n## Diagnosis\n```sh\nkubectl\n```\n\n## Mitigation\n| cause | fix |\n|---|---|\n\n## Silencing and tuning\nSo.\n"

// files makes a rules folder of one group and one runbook.
func files(yaml, runbook string) fstest.MapFS {
	return fstest.MapFS{"jobs.yaml": {Data: []byte(yaml)}, "runbooks/JobFailed.md": {Data: []byte(runbook)}}
}

func TestValidateNamesFileAndAlert(t *testing.T) {
	const alert = "rules/jobs.yaml: alert JobFailed: "
	swap := strings.ReplaceAll
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  string // "" when all is well
	}{
		"all is well":           {files(goodRules, goodRunbook), ""},
		"not PromQL":            {files(swap(goodRules, "== 1", "== =="), goodRunbook), `rules/jobs.yaml: `},
		"experimental function": {files(swap(goodRules, `tocsin_job_failed{cronjob=""} == 1`, `limitk(1, tocsin_job_failed)`), goodRunbook), `rules/jobs.yaml: `},
		"unknown field":         {files(swap(goodRules, "for:", "four:"), goodRunbook), "field four not found"},
		"broken template":       {files(swap(goodRules, "it has", "'{{ $labels.'"), goodRunbook), "rules/jobs.yaml: "},
		"another group's name":  {files(swap(goodRules, "name: tocsin-jobs", "name: jobs"), goodRunbook), "rules/jobs.yaml: the group is called jobs, want tocsin-jobs"},
		"recording rule":        {files(swap(swap(goodRules, "alert: JobFailed", "record: a:b"), "for: 5m\n        labels: {severity: warning}\n        annotations:", "labels:"), goodRunbook), `rule "a:b" records`},
		"two groups":            {files(goodRules+"  - name: more\n", goodRunbook), "rules/jobs.yaml: has 2 groups, want exactly one"},
		"no severity":           {files(swap(goodRules, "severity:", "loudness:"), goodRunbook), alert + "has no label severity"},
		"no description":        {files(swap(goodRules, "description: it has", "descriptions: it has"), goodRunbook), alert + "has no annotation description"},
		"another runbook":       {files(swap(goodRules, "JobFailed.md", "Job.md"), goodRunbook), alert + "its runbook_url is "},
		"another dashboard":     {files(swap(goodRules, "/d/tocsin-", "/d/"), goodRunbook), alert + "its dashboard_url is "},
		"nameless selector":     {files(swap(goodRules, `tocsin_job_failed{cronjob=""}`, `count({__name__=~"tocsin_job_.*"})`), goodRunbook), "does not name its metric"},
		"no runbook":            {fstest.MapFS{"jobs.yaml": {Data: []byte(goodRules)}}, alert + "has no runbook: write rules/runbooks/JobFailed.md"},
		"runbook's title":       {files(goodRules, swap(goodRunbook, "# JobFailed", "# Job")), `does not start with the heading "# JobFailed"`},
		"no section":            {files(goodRules, swap(goodRunbook, "## Impact", "### Impact")), alert + `its runbook rules/runbooks/JobFailed.md has no section "## Impact"`},
		"empty section":         {files(goodRules, swap(goodRunbook, "Is.\n", "\n")), `says nothing under "## Impact"`},
		"sections out of order": {files(goodRules, swap(swap(swap(goodRunbook, "## Impact", "## x"), "## Meaning", "## Impact"), "## x", "## Meaning")), "want Meaning, Impact"},
		"no commands":           {files(goodRules, swap(goodRunbook, "```", "")), `has no commands under "## Diagnosis"`},
		"no table":              {files(goodRules, swap(goodRunbook, "|---", "")), `has no table of causes and fixes under "## Mitigation"`},
		"runbook without alert": {fstest.MapFS{"runbooks/Gone.md": {Data: []byte("# Gone\n")}}, "rules/runbooks/Gone.md: there is no alert Gone"},
		"the same alert twice": {
			fstest.MapFS{"jobs.yaml": {Data: []byte(goodRules)}, "a.yaml": {Data: []byte(swap(goodRules, "tocsin-jobs", "tocsin-a"))}, "runbooks/JobFailed.md": {Data: []byte(goodRunbook)}},
			"rules/jobs.yaml: alert JobFailed is already in rules/a.yaml",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := validate(c.files)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got the error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestLoadKeepsWhatTheFileSays(t *testing.T) {
	groups, err := load(files(goodRules, goodRunbook))
	if err != nil {
		t.Fatal(err)
	}
	want := []Group{{Name: "tocsin-jobs", File: "jobs.yaml", Alerts: []Alert{{
		Name: "JobFailed", Group: "tocsin-jobs", File: "jobs.yaml", Expr: `tocsin_job_failed{cronjob=""} == 1`, For: 5 * 60e9,
		Labels: map[string]string{"severity": "warning"},
		Annotations: map[string]string{
			"summary": "a Job has failed", "description": "it has",
			"runbook_url": RunbookURL + "JobFailed.md", "dashboard_url": "/d/tocsin-cronjobs",
		},
	}}}}
	if diff := cmp.Diff(want, groups); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSelectors(t *testing.T) {
	got, err := Selectors(`max by (cluster) (last_over_time(b{state=~"late|missed",job="x"}[5m])) unless on (cluster) a offset 1h or b`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Selector{
		{Metric: "b", Matchers: []Matcher{{Label: "job", Values: []string{"x"}}, {Label: "state", Values: []string{"late", "missed"}}}},
		{Metric: "a"}, {Metric: "b"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	names, err := Metrics(`b + a + b`)
	if diff := cmp.Diff([]string{"a", "b"}, names); diff != "" || err != nil {
		t.Errorf("%v -want +got:\n%s", err, diff)
	}
	if _, err := Metrics(`sum(`); err == nil {
		t.Error("an expression that does not parse gives no error")
	}
}

// TestEmbedded: the package's own files are found. Whether they are right is rulestests' to say.
func TestEmbedded(t *testing.T) {
	all, err := Alerts()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no alerts")
	}
	for _, a := range all {
		if text, err := Runbook(a.Name); err != nil || text == "" {
			t.Errorf("runbook of %s: %v", a.Name, err)
		}
	}
	if _, err := Runbook("Nobody"); err == nil || !strings.Contains(err.Error(), "rules/runbooks/Nobody.md") {
		t.Errorf("got %v", err)
	}
	names, err := Runbooks()
	if err != nil || len(names) != len(all) {
		t.Errorf("%d runbooks for %d alerts (%v)", len(names), len(all), err)
	}
}
