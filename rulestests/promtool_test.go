// Package rulestests holds the rules to account: real promtool and pint runs, and the contract that ties rules, runbooks, tests,
// dashboards and metrics together. Each alert has a promtool file, <Alert>.test.yaml.
package rulestests

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tocsin/rulestests/tools"
)

// TestPromtool runs promtool on every <Alert>.test.yaml and reports each of its cases as a subtest: -run TestPromtool/CronJobFailing.
func TestPromtool(t *testing.T) {
	files, err := filepath.Glob("*.test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no <Alert>.test.yaml beside this test")
	}
	bin := tools.Require(t, "promtool")
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".test.yaml"), func(t *testing.T) {
			t.Parallel()
			runPromtool(t, bin, file)
		})
	}
}

// TestPromtoolCheck asks promtool itself whether Prometheus would load the rules.
func TestPromtoolCheck(t *testing.T) {
	files, err := filepath.Glob("../rules/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"check", "rules", "--lint=all", "--lint-fatal"}, files...)
	if out, err := exec.Command(tools.Require(t, "promtool"), args...).CombinedOutput(); err != nil {
		t.Errorf("promtool check rules: %v\n%s", err, out)
	}
}

// TestPint runs pint offline: it finds alerts that always fire, joins that can't match, templates that use labels the query drops.
func TestPint(t *testing.T) {
	out, err := exec.Command(tools.Require(t, "pint"), "--offline", "--no-color", "lint", "--min-severity=info", "--fail-on=info", "../rules").CombinedOutput()
	if err != nil {
		t.Errorf("pint lint ../rules: %v\n%s", err, out)
	}
}

// results is what promtool writes with --junit.
type results struct {
	Suites []struct {
		Cases []struct {
			Name     string   `xml:"name,attr"`
			Failures []string `xml:"failure"`
			Error    string   `xml:"error"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func runPromtool(t *testing.T, bin, file string) {
	report := filepath.Join(t.TempDir(), "junit.xml")
	out, runErr := exec.Command(bin, "test", "rules", "--junit", report, file).CombinedOutput()
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatalf("promtool left no report: %v\n%s", err, out)
	}
	var got results
	if err := xml.Unmarshal(text, &got); err != nil {
		t.Fatalf("promtool's report: %v\n%s", err, out)
	}
	cases := 0
	for _, suite := range got.Suites {
		for _, c := range suite.Cases {
			cases++
			t.Run(c.Name, func(t *testing.T) {
				for _, failure := range c.Failures {
					t.Error(failure)
				}
				if c.Error != "" {
					t.Error(c.Error)
				}
			})
		}
	}
	if cases == 0 {
		t.Errorf("promtool ran no case of %s\n%s", file, out)
	}
	if runErr != nil && !t.Failed() {
		t.Errorf("promtool test rules %s: %v\n%s", file, runErr, out)
	}
}
