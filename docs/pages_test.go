package docs

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tocsin/collectors"
	"tocsin/rules"
)

// pages gives every Markdown page of the repository with its text, by its path from the top.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git" || entry.Name() == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(filepath.ToSlash(path), "../")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("found only %d pages", len(all))
	}
	return all
}

var (
	code  = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	link  = regexp.MustCompile(`!?\[[^\]]*\]\(([^)\s]+)\)`)
	outer = regexp.MustCompile(`^[a-z]+:`)
)

// TestLinksLeadSomewhere: what pages link to or show within the repository is there.
func TestLinksLeadSomewhere(t *testing.T) {
	for page, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || outer.MatchString(target) {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", filepath.Dir(page), target)); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
}

// TestMetricsNamedExist: a metric that a page names is one that Tocsin exports.
func TestMetricsNamedExist(t *testing.T) {
	known := []string{"tocsin_build_info"}
	for _, f := range collectors.Families() {
		known = append(known, f.Name)
	}
	name := regexp.MustCompile(`\btocsin_[a-z_]*[a-z]\b`)
	for page, text := range pages(t) {
		for _, found := range name.FindAllString(text, -1) {
			if !slices.Contains(known, found) && page != "CONTRIBUTING.md" { // it shows how to make one that is not there yet
				t.Errorf("%s names %s, which no collector exports", page, found)
			}
		}
	}
}

// others are flags of kubectl and helm that pages name by themselves.
var others = []string{"cascade", "force", "set"}

// TestFlagsNamedExist: a flag that a page names in code of its own, `--like-this`, is one of Tocsin's.
func TestFlagsNamedExist(t *testing.T) {
	help, err := exec.Command("go", "run", "../cmd/tocsin", "--help").Output()
	if err != nil {
		t.Fatalf("go run ../cmd/tocsin --help: %v", err)
	}
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`--(\[no-\])?([a-z][a-z.-]+)`).FindAllStringSubmatch(string(help), -1) {
		known[m[2]] = true
		known["no-"+m[2]] = m[1] != ""
	}
	if !known["start-grace"] {
		t.Fatalf("no flags in the help:\n%s", help)
	}
	flags := regexp.MustCompile("`--([a-z][a-z.-]+)")
	for page, text := range pages(t) {
		for _, m := range flags.FindAllStringSubmatch(text, -1) {
			if name := strings.TrimRight(m[1], ".-"); !known[name] && !slices.Contains(others, name) && name != "no-collector" { // --no-collector.NAME
				t.Errorf("%s names the flag --%s, which tocsin does not have", page, name)
			}
		}
	}
}

// TestReadmeNamesEveryAlert: the table of the README tells of all alerts.
func TestReadmeNamesEveryAlert(t *testing.T) {
	alerts, err := rules.Alerts()
	if err != nil {
		t.Fatal(err)
	}
	readme := pages(t)["README.md"]
	for _, a := range alerts {
		if !strings.Contains(readme, a.Name) {
			t.Errorf("README.md does not mention the alert %s", a.Name)
		}
	}
}
