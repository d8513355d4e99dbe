package cluster

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// write puts files into a new directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func zipped(content string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(content)); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// names lists what was loaded, as "Kind namespace/name".
func (l *Loaded) names() []string {
	var names []string
	for r := range l.rows {
		for k := range l.rows[r] {
			names = append(names, Resource(r).Info().Kind+" "+objectName(k.namespace, k.name))
		}
	}
	slices.Sort(names)
	return names
}

const (
	cronJobDoc = `apiVersion: batch/v1
kind: CronJob
metadata:
  creationTimestamp: "2026-05-01T00:00:00Z"
  generation: 1
  name: purge
  namespace: shop
  uid: 0e1b3c2a-9f70-4a55-8d0e-1f2a3b4c5d6e
spec:
  jobTemplate:
    spec:
      template:
        spec:
          containers:
          - args:
            - |
              kind: Secret
              items:
              - not: an item
            name: purge
  schedule: 30 3 * * *
`
	podDoc = `apiVersion: v1
kind: Pod
metadata:
  name: purge-1-x
  namespace: shop
  uid: 1e1b3c2a-9f70-4a55-8d0e-1f2a3b4c5d6e
status:
  phase: Running
`
	secretDoc = `apiVersion: v1
kind: Secret
metadata:
  name: {{{ this is not even YAML
`
)

// list makes a YAML List as kubectl writes it.
func list(kind string, docs ...string) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nitems:\n")
	for _, doc := range docs {
		b.WriteString("- " + strings.TrimSuffix(strings.ReplaceAll(doc, "\n", "\n  "), "  "))
	}
	b.WriteString("kind: " + kind + "\nmetadata:\n  resourceVersion: \"\"\n")
	return b.String()
}

func toJSONText(t *testing.T, text string, indent bool) string {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if indent {
		var b bytes.Buffer
		if err := json.Indent(&b, data, "", "    "); err != nil {
			t.Fatal(err)
		}
		data = b.Bytes()
	}
	return string(data)
}

func TestSnapshotForms(t *testing.T) {
	both := []string{"CronJob shop/purge", "Pod shop/purge-1-x"}
	yamlList := list("List", cronJobDoc, podDoc)
	jsonList := toJSONText(t, yamlList, true)
	head, rest, _ := strings.Cut(yamlList, "items:\n")
	items, tail, _ := strings.Cut(rest, "\nkind: List")
	indented := head + "items:\n  " + strings.ReplaceAll(items, "\n", "\n  ") + "\nkind: List" + tail
	withoutKind := strings.NewReplacer("apiVersion: v1\n", "", "kind: Pod\n", "").Replace(podDoc)
	second := strings.Replace(podDoc, "purge-1-x", "second", 1)
	utf16le := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(yamlList)) {
		utf16le = binary.LittleEndian.AppendUint16(utf16le, u)
	}
	for _, test := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"List in YAML", map[string]string{"a.yaml": yamlList}, both},
		{"List in YAML with a Secret, which is not read", map[string]string{"a.yaml": list("List", cronJobDoc, secretDoc, podDoc)}, both},
		{"List with its items indented", map[string]string{"a.yaml": indented}, both},
		{"List with comments and Windows line ends", map[string]string{"a.yaml": strings.ReplaceAll("# a comment\n"+strings.Replace(yamlList, "items:\n", "items:\n# more\n\n", 1), "\n", "\r\n")}, both},
		{"List in JSON", map[string]string{"a.json": jsonList}, both},
		{"List in JSON on one line", map[string]string{"a.json": toJSONText(t, yamlList, false)}, both},
		{"documents", map[string]string{"a.yaml": "---\n" + cronJobDoc + "---\n" + podDoc}, both},
		{"documents with empty ones, directives and ends", map[string]string{"a.yaml": "%YAML 1.1\n--- # first\n" + cronJobDoc + "...\n---\n# nothing\n---\n---\n" + podDoc + "...\n"}, both},
		{"documents of YAML and JSON", map[string]string{"a.yaml": cronJobDoc + "---\n" + toJSONText(t, podDoc, true)}, both},
		{"JSON documents one after the other", map[string]string{"a.json": toJSONText(t, cronJobDoc, true) + "\n" + toJSONText(t, podDoc, false)}, both},
		{"a JSON array", map[string]string{"a.json": "[" + toJSONText(t, cronJobDoc, false) + " , " + toJSONText(t, podDoc, false) + "]"}, both},
		{"YAML in flow style", map[string]string{"a.yaml": "{apiVersion: v1, kind: Pod, metadata: {name: flow}}"}, []string{"Pod flow"}},
		{"gzip", map[string]string{"a.yaml.gz": zipped(yamlList)}, both},
		{"gzip without its name", map[string]string{"a.json": zipped(jsonList)}, both},
		{"UTF-8 with a byte order mark", map[string]string{"a.yaml": "\xef\xbb\xbf" + yamlList}, both},
		{"UTF-16, as PowerShell redirects", map[string]string{"a.yaml": string(utf16le)}, both},
		{"list of one kind whose items do not say it", map[string]string{"a.yaml": list("PodList", withoutKind)}, []string{"Pod shop/purge-1-x"}},
		{"the same in JSON, the kind last", map[string]string{"a.json": toJSONText(t, list("PodList", withoutKind), true)}, []string{"Pod shop/purge-1-x"}},
		{"several lists", map[string]string{"a.yaml": list("List", cronJobDoc) + "---\n" + list("PodList", withoutKind)}, both},
		{"all forms in one directory", map[string]string{
			"a.yaml": list("List", cronJobDoc), "deep/er/b.json": toJSONText(t, podDoc, true), "c.yml.gz": zipped(second),
			"notes.txt": "not: {read", ".hidden.yaml": "not: {read", ".git/x.yaml": "not: {read", "README.md": "---",
		}, []string{"CronJob shop/purge", "Pod shop/purge-1-x", "Pod shop/second"}},
		{"kubectl cluster-info dump --output-directory", map[string]string{
			"nodes.json":         `{"kind": "NodeList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": [{"metadata": {"name": "node-1"}}]}`,
			"shop/pods.json":     toJSONText(t, list("PodList", withoutKind), true),
			"shop/events.json":   `{"kind": "EventList", "apiVersion": "v1", "metadata": {}, "items": []}`,
			"shop/x-1/logs.txt":  "==== START logs for container c of pod shop/x-1 ====\n{\n==== END logs for container c of pod shop/x-1 ====\n",
			"shop/services.json": `{"kind": "ServiceList", "apiVersion": "v1", "metadata": {}, "items": null}`,
		}, []string{"Node node-1", "Pod shop/purge-1-x"}},
		{"kubectl cluster-info dump", map[string]string{"dump": toJSONText(t, list("PodList", withoutKind), true) +
			"\n==== START logs for container c of pod shop/x-1 ====\n---\n{ \"kind\":\n==== END logs for container c of pod shop/x-1 ====\n" +
			toJSONText(t, cronJobDoc, true)}, both},
		{"a list that only a parser understands", map[string]string{"a.yaml": "apiVersion: v1\nkind: List\nitems:\n- &p {apiVersion: v1, kind: Pod, metadata: {name: one}}\n" +
			"- <<: *p\n  metadata: {name: two}\n- {apiVersion: v1,\nkind: Pod, metadata: {\nname: three}\n}\n"}, []string{"Pod one", "Pod three", "Pod two"}},
		{"aliases from one item to another", map[string]string{"a.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: &k Pod\n  metadata: {name: one}\n" +
			"- apiVersion: v1\n  kind: *k\n  metadata: {name: two}\n"}, []string{"Pod one", "Pod two"}},
		{"items of any form", map[string]string{"a.yaml": "kind: List\napiVersion: v1\nitems:\n-\n  kind: Pod\n  apiVersion: v1\n  metadata:\n    name: one\n" +
			"-   {kind: Pod, apiVersion: v1, metadata: {name: two}}\n-   apiVersion: \"v1\"\n    kind: 'Pod' # a Pod\n    \"metadata\":\n      name: three\n"},
			[]string{"Pod one", "Pod three", "Pod two"}},
		{"only the Events that tell of a refusal", map[string]string{"a.yaml": "apiVersion: v1\nkind: Event\nmetadata: {name: one}\nreason: FailedCreate\n" +
			"---\napiVersion: v1\nkind: Event\nmetadata: {name: two}\nreason: SuccessfulCreate\n"}, []string{"Event one"}},
		{"older versions of the same form", map[string]string{"a.yaml": strings.Replace(cronJobDoc, "batch/v1", "batch/v1beta1", 1)}, []string{"CronJob shop/purge"}},
		{"kinds of other groups and versions", map[string]string{"a.yaml": cronJobDoc + "---\n" + strings.Replace(cronJobDoc, "batch/v1", "batch/v7", 1) + "---\n" +
			strings.Replace(podDoc, "apiVersion: v1", "apiVersion: example.com/v1", 1)}, []string{"CronJob shop/purge"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := write(t, test.files)
			paths := []string{dir}
			if len(test.files) == 1 { // a file that is named is read whatever its name is
				paths = []string{filepath.Join(dir, slices.Collect(maps.Keys(test.files))[0])}
			}
			l, err := LoadSnapshot(paths, SnapshotOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, l.names()); diff != "" {
				t.Error(diff)
			}
			for r, n := range l.invalid {
				if n != 0 {
					t.Errorf("%d invalid %s", n, Resource(r))
				}
			}
		})
	}
}

// A directory mounted from a ConfigMap holds links to files below hidden directories.
func TestSnapshotMountedDirectory(t *testing.T) {
	dir := write(t, map[string]string{"..2026/a.yaml": podDoc})
	for from, to := range map[string]string{"..data": "..2026", "a.yaml": "..data/a.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	l, err := LoadSnapshot([]string{link}, SnapshotOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.names()) != 1 || log.Len() > 0 {
		t.Errorf("got %v, logged %s", l.names(), &log)
	}
}

func TestSnapshotErrors(t *testing.T) {
	line12 := strings.Replace(podDoc, "  phase: Running", "  phase: Running\n bad: [", 1)
	for _, test := range []struct {
		name, content, want string
	}{
		{"empty", "", "FILE: holds no object: write it with kubectl get … -o yaml"},
		{"only comments", "# nothing\n---\n", "FILE: holds no object: write it with kubectl get … -o yaml"},
		{"a List of nothing", list("List"), "FILE: holds no object: write it with kubectl get … -o yaml"},
		{"wrong kinds", "apiVersion: v1\nkind: Secret\n---\napiVersion: v1\nkind: Secret\n---\napiVersion: e.com/v1\nkind: Foo\n",
			"FILE: holds only kinds that are not read (2 Secret, 1 Foo.e.com): add CronJobs, Jobs, Pods and others with kubectl get … -o yaml"},
		{"no kind", "replicaCount: 3\n", "FILE:1: not a Kubernetes object, it has no apiVersion and kind: write it with kubectl get … -o yaml" + mend},
		{"kubectl's table", "NAME    READY   STATUS\npurge   1/1     Running\n",
			"FILE:1: not a Kubernetes object, it has no apiVersion and kind: write it with kubectl get … -o yaml" + mend},
		{"a version that is a number", `{"apiVersion": 1, "kind": "Pod", "metadata": {"name": "x"}}`, "FILE:1: Pod x: apiVersion and kind must both be there, and be text" + mend},
		{"text in JSON", `"text"`, "FILE:1: not a Kubernetes object, it has no apiVersion and kind: write it with kubectl get … -o yaml" + mend},
		{"broken YAML", line12, "FILE:9: Pod shop/purge-1-x: did not find expected key" + mend},
		{"broken YAML in a later document", cronJobDoc + "---\n" + line12, "FILE:31: Pod shop/purge-1-x: did not find expected key" + mend},
		{"broken YAML in a List", list("List", cronJobDoc, line12), "FILE:32: Pod shop/purge-1-x: did not find expected key" + mend},
		{"JSON that is cut off", "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"Pod\",\n", "FILE:1: the JSON ends too early" + mend},
		{"broken JSON", "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"x\"},\n\"status\": {\n\"phase\": Running}}",
			"FILE:3: Pod x: invalid character 'R' looking for beginning of value" + mend},
		{"broken JSON in a List", "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": [\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"x\"}},\n" +
			"{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"y\"}, \"status\": \n{\"phase\": tru}}]}",
			"FILE:4: Pod y: invalid character '}' in literal true (expecting 'e')" + mend},
		{"a comma too many", "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": [\n,]}", "FILE:2: unexpected ',' in JSON" + mend},
		{"gzip that is cut off", zipped(strings.Repeat(podDoc, 10))[:60], "FILE: gzip: unexpected EOF (write it anew, or leave it out with --snapshot-lenient)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(write(t, map[string]string{"f": test.content}), "f")
			_, err := LoadSnapshot([]string{path}, SnapshotOptions{})
			want := "snapshot " + strings.ReplaceAll(test.want, "FILE", path)
			if err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
	dir := write(t, map[string]string{"logs.txt": "x", "big.yaml.gz": zipped(strings.Repeat("# a comment\n", 100_000))})
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"):              "snapshot " + dir + "/none.yaml: no such file or directory",
		write(t, map[string]string{"logs.txt": "x"}): "holds no object: write it with kubectl get … -o yaml",
		filepath.Join(dir, "big.yaml.gz"):            "snapshot " + dir + "/big.yaml.gz: gzip: more than 1 MiB: split it",
	} {
		if _, err := LoadSnapshot([]string{path}, SnapshotOptions{MaxFileBytes: 1 << 20}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

const mend = " (mend or remove it, or leave it out with --snapshot-lenient)"

// Neither depth nor aliases that multiply may bring the reader down.
func TestSnapshotHostileFiles(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\na: &a [x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c < 'k'; c++ {
		fmt.Fprintf(&bomb, "%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), ", "))
	}
	deep := strings.Repeat("[", 1<<20)
	for name, content := range map[string]string{
		"deep JSON":  `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "annotations": ` + deep + strings.Repeat("]", 1<<20) + "}}",
		"deep YAML":  "apiVersion: v1\nkind: Pod\nmetadata: " + deep + "\n",
		"alias bomb": bomb.String(),
	} {
		path := filepath.Join(write(t, map[string]string{"f": content}), "f")
		if _, err := LoadSnapshot([]string{path}, SnapshotOptions{}); err == nil || !strings.Contains(err.Error(), path+":") || len(err.Error()) > 500 {
			t.Errorf("%s: got %.300v", name, err)
		}
	}
}
