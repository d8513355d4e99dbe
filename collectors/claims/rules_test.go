package claims

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

func object(t testing.TB, text string) map[string]any {
	t.Helper()
	var o map[string]any
	if err := yaml.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestDefaultRules(t *testing.T) {
	for _, test := range []struct {
		name         string
		kind, object string
		want         []string
	}{
		{"virtual machine", "kubevirt.io/v1 VirtualMachine", `{spec: {template: {spec: {volumes: [
			{name: a, persistentVolumeClaim: {claimName: disk}}, {name: b, dataVolume: {name: root}}, {name: c, containerDisk: {image: x}},
			{name: d, ephemeral: {persistentVolumeClaim: {claimName: base}}}, {name: e, dataVolume: {name: disk}}]}}}}`, []string{"base", "disk", "root"}},
		{"another version", "kubevirt.io/v1alpha3 VirtualMachine", `{spec: {template: {spec: {volumes: [{dataVolume: {name: root}}]}}}}`, []string{"root"}},
		{"virtual machine without volumes", "kubevirt.io/v1 VirtualMachine", `{spec: {template: {spec: {}}}}`, nil},
		{"nothing in it", "kubevirt.io/v1 VirtualMachine", `{}`, nil},
		{"unexpected types", "kubevirt.io/v1 VirtualMachine", `{spec: {template: {spec: {volumes: {a: {dataVolume: {name: 3}}, b: null, c: 7}}}}}`, nil},
		{"source", "volsync.backube/v1alpha1 ReplicationSource", `{spec: {sourcePVC: data, restic: {repository: r}}}`, []string{"data"}},
		{"destination", "volsync.backube/v1alpha1 ReplicationDestination", `{spec: {trigger: {manual: now}, restic: {destinationPVC: restored}, paused: false}}`, []string{"restored"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			version, kind, _ := strings.Cut(test.kind, " ")
			got, ok := DefaultRules().Claims(schema.FromAPIVersionAndKind(version, kind), object(t, test.object))
			if diff := cmp.Diff(test.want, got); !ok || diff != "" {
				t.Errorf("known: %t, claims (-want +got):\n%s", ok, diff)
			}
		})
	}
	if _, ok := DefaultRules().Claims(schema.GroupVersionKind{Group: "kubevirt.io", Kind: "VirtualMachineInstance"}, nil); ok {
		t.Error("a kind that no rule is about has claims")
	}
}

func load(t *testing.T, text string) (Rules, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return LoadRules(path)
}

func TestLoadRules(t *testing.T) {
	rules, err := load(t, `
references:
- {group: example.com, version: v1, resource: databases, claims: ["spec.storage[*].claimName", "{.spec.list}"]}
- group: example.com
  version: v1beta1
  resource: pgs
  kind: PostgreSQL
  claims: ["{.spec.volumes[?(@.type==\"data\")].claim}"]
spared:
- labels: app in (archive, attic)
  annotation: example.com/keep*
`)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(rules.Resources()))
	for i, r := range rules.Resources() {
		got[i] = r.Resource + "." + r.Group
	}
	want := []string{"virtualmachines.kubevirt.io", "replicationsources.volsync.backube", "replicationdestinations.volsync.backube", "databases.example.com", "pgs.example.com"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	claims, ok := rules.Claims(schema.GroupVersionKind{Group: "example.com", Kind: "Database"},
		object(t, `{spec: {storage: [{claimName: a}, {claimName: b}, {}], list: [b, c, 3, ""]}}`))
	if diff := cmp.Diff([]string{"a", "b", "c"}, claims); !ok || diff != "" {
		t.Errorf("claims of a Database (-want +got):\n%s", diff)
	}
	claims, ok = rules.Claims(schema.GroupVersionKind{Group: "example.com", Kind: "PostgreSQL"},
		object(t, `{spec: {volumes: [{type: data, claim: d}, {type: wal, claim: w}]}}`))
	if diff := cmp.Diff([]string{"d"}, claims); !ok || diff != "" {
		t.Errorf("claims of a PostgreSQL (-want +got):\n%s", diff)
	}
	spare := rules.Spare[len(rules.Spare)-1]
	c := withLabels(bound("c"), "app\x00attic")
	if spare.Matches(c) {
		t.Error("spared without the annotation")
	}
	if c.Annotations = "example.com/keep-it"; !spare.Matches(c) {
		t.Error("not spared")
	}
	for _, text := range []string{"", "# nothing\n", "---\n", "references:\nspared: []\n"} {
		if rules, err := load(t, text); err != nil || len(rules.Spare) != len(DefaultRules().Spare) || len(rules.References) != len(DefaultRules().References) {
			t.Errorf("%q: %v, %v", text, rules, err)
		}
	}
	if rules, err := load(t, "defaults: false\n"); err != nil || len(rules.Spare)+len(rules.References) != 0 {
		t.Errorf("without defaults: %v, %v", rules, err)
	}
}

// TestLoadRulesErrors: every fault is told, with its line.
func TestLoadRulesErrors(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string // in each line of the error
	}{
		{"no YAML", "references:\n- group: {\n", []string{":2: did not find expected"}},
		{"another kind of file", "- a\n", []string{":1: claim rules must be a mapping"}},
		{"two documents", "defaults: true\n---\ndefaults: false\n", []string{":2: a second document"}},
		{"a field that is not known", "rules: []\n", []string{`:1: claim rules has no field "rules"`}},
		{"a field twice", "defaults: true\ndefaults: true\n", []string{`:2: claim rules has the field "defaults" twice`}},
		{"defaults", "defaults: perhaps\n", []string{":1: defaults must be true or false"}},
		{"lists", "references: {}\nspared: x\n", []string{":1: references must be a list", ":2: spared must be a list"}},
		{"entries", "references: [7]\nspared:\n- [a]\n", []string{":1: a reference must be a mapping", ":3: a spared entry must be a mapping"}},
		{"missing", "references:\n- kind: X\n", []string{":2: a reference without group", ":2: a reference without version", ":2: a reference without resource", ":2: a reference without claims"}},
		{"the core group has Secrets", "references:\n- {group: \"\", version: v1, resource: secrets, claims: [.data.x]}\n", []string{`:2: group ""`}},
		{"names", "references:\n- group: Example_com\n  version: 1\n  resource: Data Bases\n  kind: 'a b'\n  claims: [.a]\n",
			[]string{`:2: group "Example_com"`, ":3: version must be text", `:4: resource "Data Bases"`, `:5: kind "a b"`}},
		{"claims", "references:\n- {group: a.b, version: v1, resource: c, claims: .a}\n", []string{":2: claims must be a list"}},
		{"no claims", "references:\n- {group: a.b, version: v1, resource: c, claims: []}\n", []string{":2: a reference without claims"}},
		{"JSONPath", "references:\n- group: a.b\n  version: v1\n  resource: c\n  claims:\n  - '{.a[}'\n  - 'data-{.a}'\n  - '{.a}{.b}'\n  - '{range .a[*]}{.b}{end}'\n  - ''\n  - '{\"x\"}'\n  - 5\n",
			[]string{`:6: JSONPath "{.a[}": unterminated array`, `:7: JSONPath "data-{.a}"`, `:8: JSONPath "{.a}{.b}"`, ":9: JSONPath", `:10: JSONPath ""`, `:11: JSONPath "{\"x\"}"`, ":12: claims must be text"}},
		{"spared", "spared:\n- {}\n- labels: 'a in'\n- labels: ''\n- annotation: '*'\n- annotation: a b\n- labels: [a]\n- annotation: {}\n",
			[]string{":2: a spared entry needs labels or annotation", `:3: label selector "a in"`, ":4: an empty label selector", ":5: the annotation key *",
				`:6: annotation key "a b"`, ":7: labels must be text", ":8: annotation must be text"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := load(t, test.text)
			if err == nil {
				t.Fatal("no error")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(test.want) {
				t.Fatalf("%d faults, want %d:\n%s", len(lines), len(test.want), err)
			}
			for i, want := range test.want {
				if !strings.Contains(lines[i], "rules.yaml"+want) {
					t.Errorf("got %q, want %q in it", lines[i], want)
				}
			}
		})
	}
	if _, err := LoadRules(filepath.Join(t.TempDir(), "none.yaml")); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func FuzzRules(f *testing.F) {
	f.Add("references:\n- {group: a.b, version: v1, resource: cs, claims: ['{.spec.*}', '{..a}', '{.a[1:2]}', '{.a[?(@.b==1)].c}']}\n", "{a: [1, {b: 1, c: x}], spec: {d: e}}")
	f.Add("spared: [{annotation: a*}]", "{}")
	f.Fuzz(func(t *testing.T, file, text string) {
		rules, err := parseRules("rules.yaml", []byte(file))
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if line == "" {
					t.Errorf("an empty line in %q", err)
				}
			}
			return
		}
		var o map[string]any
		if yaml.Unmarshal([]byte(text), &o) != nil {
			return
		}
		for _, r := range rules.References {
			r.Claims(o)
		}
	})
}

// A device or pipe does not tell how much is in it.
func TestLoadRulesBounded(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = w.WriteString(strings.Repeat("# a comment\n", 200_000)) // fails when the reader has had enough
		w.Close()
	}()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	_, err = LoadRules(path)
	r.Close()
	<-written
	if want := path + ": more than 1024 KiB, which is more than claim rules may have: is it the right file?"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
