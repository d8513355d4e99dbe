package docs

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tocsin/collectors/claims"
)

var update = flag.Bool("update", false, "write what is generated anew")

// TestGenerated: metrics.md, alerts.md and a list in claims-rules.md are what the code and the rules say. A change in them is a change
// for everyone who builds on the metrics and the alerts, so it is seen in a diff and belongs in CHANGELOG.md.
func TestGenerated(t *testing.T) {
	alerts, err := Alerts()
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"metrics.md": Metrics(), "alerts.md": alerts, "claims-rules.md": withDefaultRules(t, "claims-rules.md")} {
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(string(got), want); diff != "" {
			t.Errorf("docs/%s has drifted (-file +code); if the change is meant, say so in CHANGELOG.md and run go test ./docs -update:\n%s", file, diff)
		}
	}
}

// withDefaultRules gives a page with the default claim rules between its marks.
func withDefaultRules(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), "-update -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end -->")
	if !begun || !ended {
		t.Fatalf("docs/%s has no marks around what is generated in it", file)
	}
	return before + "-update -->\n" + DefaultClaimRules() + "<!-- end -->" + after
}

// TestClaimRulesExample: the file that claims-rules.md shows can be loaded.
func TestClaimRulesExample(t *testing.T) {
	text, err := os.ReadFile("claims-rules.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("claims-rules.md shows no file")
	}
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	rules, err := claims.LoadRules(path)
	if err != nil {
		t.Fatal(err)
	}
	if own := len(rules.References) - len(claims.DefaultRules().References); own != 1 {
		t.Errorf("it has %d references beside the defaults, want 1", own)
	}
}
