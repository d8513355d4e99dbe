package cluster

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	z.Write([]byte(content))
	z.Close()
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
	utf16le := string([]byte{0xff, 0xfe})
	for _, u := range utf16.Encode([]rune(yamlList)) {
		utf16le += string([]byte{byte(u), byte(u >> 8)})
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
		{"UTF-16, as PowerShell redirects", map[string]string{"a.yaml": utf16le}, both},
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
		{"gzip that is cut off", zipped(strings.Repeat(podDoc, 10))[:60], "FILE: gzip: unexpected EOF"},
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
	bomb := "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\na: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), ", "))
	}
	deep := strings.Repeat("[", 1<<20)
	for name, content := range map[string]string{
		"deep JSON":  `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "annotations": ` + deep + strings.Repeat("]", 1<<20) + "}}",
		"deep YAML":  "apiVersion: v1\nkind: Pod\nmetadata: " + deep + "\n",
		"alias bomb": bomb,
	} {
		path := filepath.Join(write(t, map[string]string{"f": content}), "f")
		if _, err := LoadSnapshot([]string{path}, SnapshotOptions{}); err == nil || !strings.Contains(err.Error(), path+":") || len(err.Error()) > 500 {
			t.Errorf("%s: got %.300v", name, err)
		}
	}
}

// An object that does not fit its kind costs only itself; a document that is none is left out when the reading is lenient.
func TestSnapshotInvalidObjects(t *testing.T) {
	bad := strings.Replace(cronJobDoc, "spec:\n", "spec:\n  startingDeadlineSeconds: soon\n", 1)
	nameless := "apiVersion: v1\nkind: Pod\nmetadata: {namespace: shop}\n"
	broken := strings.Replace(podDoc, "phase: Running", "phase: Running: [", 1)
	path := filepath.Join(write(t, map[string]string{"f": list("List", bad, nameless, podDoc) + "---\n" + strings.Replace(cronJobDoc, "purge", "other", 1)}), "f")
	var log bytes.Buffer
	options := SnapshotOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	l, err := LoadSnapshot([]string{path}, options)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"CronJob shop/other", "Pod shop/purge-1-x"}, l.names()); diff != "" {
		t.Error(diff)
	}
	if l.invalid[CronJobs] != 1 || l.invalid[Pods] != 1 {
		t.Errorf("invalid: %v", l.invalid)
	}
	for _, want := range []string{path + ":3", "CronJob shop/purge: cannot unmarshal string into Go struct field CronJobSpec.spec.startingDeadlineSeconds of type int64", "decode Pod: the object has no metadata.name"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("not logged: %s\n%s", want, &log)
		}
	}

	path = filepath.Join(write(t, map[string]string{"f": list("List", cronJobDoc, broken) + "---\n" + broken + "---\nnothing\n---\n{\"kind\": \n"}), "f")
	if _, err := LoadSnapshot([]string{path}, options); err == nil {
		t.Error("a broken document is taken without --snapshot-lenient")
	}
	log.Reset()
	options.Lenient = true
	if l, err = LoadSnapshot([]string{path}, options); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"CronJob shop/purge"}, l.names()); diff != "" {
		t.Error(diff)
	}
	if l.invalid[Pods] != 2 {
		t.Errorf("invalid: %v", l.invalid)
	}
	if n := strings.Count(log.String(), "document left out"); n != 4 {
		t.Errorf("%d documents logged as left out:\n%s", n, &log)
	}
	path = filepath.Join(write(t, map[string]string{"f": "nothing\n"}), "f")
	if _, err = LoadSnapshot([]string{path}, options); err == nil || !strings.HasSuffix(err.Error(), "nothing in it can be read") {
		t.Errorf("nothing but a broken document: %v", err)
	}
}

func TestSnapshotTwice(t *testing.T) {
	first := write(t, map[string]string{"a.yaml": podDoc + "---\n" + cronJobDoc})
	second := write(t, map[string]string{"b.yaml": strings.Replace(podDoc, "Running", "Failed", 1), "a.yaml": podDoc})
	var log bytes.Buffer
	l, err := LoadSnapshot([]string{first, second}, SnapshotOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if p := l.rows[Pods][key{"shop", "purge-1-x"}].record.(*Pod); p.Phase != PhaseFailed {
		t.Errorf("phase %v is not the last one's", p.Phase)
	}
	if n := strings.Count(log.String(), "twice"); n != 1 || !strings.Contains(log.String(), "first=\"Pod shop/purge-1-x in "+first+"/a.yaml:1 and "+second+"/a.yaml:1\"") {
		t.Errorf("logged %s", &log)
	}
}

func TestSnapshotManagedFieldsHint(t *testing.T) {
	edited := strings.Replace(cronJobDoc, "generation: 1", "generation: 2", 1)
	managed := strings.Replace(edited, "  name: purge\n", "  managedFields: [{manager: m}]\n  name: purge\n", 1)
	for doc, want := range map[string]int{cronJobDoc: 0, edited: 1, managed: 0, list("List", edited, strings.Replace(edited, "purge", "b", 1)): 1} {
		var log bytes.Buffer
		path := filepath.Join(write(t, map[string]string{"f": doc}), "f")
		if _, err := LoadSnapshot([]string{path}, SnapshotOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), "--show-managed-fields"); n != want {
			t.Errorf("%d hints, want %d, about\n%s", n, want, doc)
		}
	}
}

func TestSnapshotLatest(t *testing.T) {
	const base = "apiVersion: %s\nkind: %s\nmetadata: {name: x, creationTimestamp: '2026-01-01T00:00:00Z'}\n"
	const late = "2026-05-05T01:31:07Z"
	pod, job, cron := fmt.Sprintf(base, "v1", "Pod"), fmt.Sprintf(base, "batch/v1", "Job"), fmt.Sprintf(base, "batch/v1", "CronJob")
	meta := func(field string) string { return strings.Replace(pod, "{name: x", "{name: x, "+field, 1) }
	const created = "2026-01-01T00:00:00Z"
	for _, test := range []struct{ text, want string }{
		{pod, created},
		{meta("managedFields: [{time: '" + late + "'}]"), late},
		{meta("deletionTimestamp: '" + late + "'"), created},
		{meta("annotations: {creationTimestamp: '" + late + "', x: '\"lastTransitionTime\": \"" + late + "\"'}"), created},
		{pod + "status: {startTime: '" + late + "'}", late},
		{pod + "status: {conditions: [{type: Ready, lastTransitionTime: '" + late + "'}, {}]}", late},
		{pod + "status: {containerStatuses: [{state: {running: {startedAt: '" + late + "'}}}]}", late},
		{pod + "status: {initContainerStatuses: [{lastState: {terminated: {finishedAt: '" + late + "'}}}]}", late},
		{cron + "status: {lastScheduleTime: '" + late + "'}", late},
		{cron + "status: {lastSuccessfulTime: '" + late + "'}", late},
		{job + "status: {completionTime: '" + late + "'}", late},
		{job + "status: {conditions: [{lastProbeTime: '" + late + "'}]}", late},
		{fmt.Sprintf(base, "v1", "Node") + "status: {conditions: [{type: Ready, lastHeartbeatTime: '" + late + "'}]}", late},
		{fmt.Sprintf(base, "v1", "Event") + "reason: Scheduled\nlastTimestamp: '" + late + "'", late},
		{fmt.Sprintf(base, "v1", "Event") + "reason: Scheduled\neventTime: '2026-05-05T01:31:07.000000Z'", late},
		{fmt.Sprintf(base, "v1", "PersistentVolumeClaim") + "status: {conditions: [{type: Unused, lastTransitionTime: '" + late + "'}]}", late},
		{fmt.Sprintf(base, "v1", "PersistentVolume") + "status: {lastPhaseTransitionTime: '" + late + "'}", late},
		{fmt.Sprintf(base, "apps/v1", "Deployment") + "status: {conditions: [{lastUpdateTime: '" + late + "'}]}", late},
		{pod + "---\n" + fmt.Sprintf(strings.Replace(base, created, late, 1), "coordination.k8s.io/v1", "Lease"), created},
	} {
		path := filepath.Join(write(t, map[string]string{"f": test.text}), "f")
		l, err := LoadSnapshot([]string{path}, SnapshotOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Latest.Format(time.RFC3339); got != test.want {
			t.Errorf("got %s, want %s, of\n%s", got, test.want, test.text)
		}
	}
}

// What is not in the files is empty, but for the kinds that every cluster has.
func TestSnapshotAbsentKinds(t *testing.T) {
	claim := strings.NewReplacer("kind: Pod", "kind: PersistentVolumeClaim", "status:\n  phase: Running\n", "").Replace(podDoc)
	empty := func(kind string) string { return "apiVersion: v1\nkind: " + kind + "List\nitems: []\n" }
	for _, test := range []struct {
		name   string
		docs   []string
		absent []Resource
	}{
		{"CronJobs only", []string{cronJobDoc}, []Resource{Pods, Namespaces, Nodes, Snapshots, References}},
		{"with Pods", []string{cronJobDoc, podDoc}, []Resource{Namespaces, Nodes, Snapshots, References}},
		{"empty lists", []string{cronJobDoc, empty("Pod"), empty("Namespace"), empty("Node")}, []Resource{Snapshots, References}},
		{"a List says nothing of what is not in it", []string{cronJobDoc, list("List")}, []Resource{Pods, Namespaces, Nodes, Snapshots, References}},
		{"claims beside a workload", []string{cronJobDoc, podDoc, claim}, []Resource{Namespaces, Nodes, Snapshots, References}},
		{"claims and no workload", []string{podDoc, claim}, []Resource{Namespaces, ReplicationControllers, Nodes, Snapshots, References}},
		{"claims and an empty list of a workload", []string{podDoc, claim, "apiVersion: apps/v1\nkind: DeploymentList\nitems: []\n"},
			[]Resource{Namespaces, Nodes, Snapshots, References}},
		{"a VolumeSnapshot", []string{cronJobDoc, "apiVersion: snapshot.storage.k8s.io/v1\nkind: VolumeSnapshot\nmetadata: {name: x}\n"},
			[]Resource{Pods, Namespaces, Nodes, References}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(write(t, map[string]string{"f": strings.Join(test.docs, "---\n")}), "f")
			l, err := LoadSnapshot([]string{path}, SnapshotOptions{})
			if err != nil {
				t.Fatal(err)
			}
			store := NewStore(time.Now, nil, nil)
			l.Fill(store, Resources())
			var absent []Resource
			for _, r := range Resources() {
				h := store.Health(r)
				if h.State == Absent && h.Reason != "" {
					absent = append(absent, r)
				} else if h.State != Synced {
					t.Errorf("%s is %s", r, h.State)
				}
				if h.Objects != len(l.rows[r]) {
					t.Errorf("%s: %d objects, want %d", r, h.Objects, len(l.rows[r]))
				}
			}
			if diff := cmp.Diff(test.absent, absent); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An object without a UID, as in a manifest, must still not be taken for another one.
func TestSnapshotWithoutUIDs(t *testing.T) {
	const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s, namespace: shop, ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: %s}]}\n"
	path := filepath.Join(write(t, map[string]string{"f": "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a, namespace: shop}\n---\n" +
		fmt.Sprintf(job, "a-1", "a") + "---\n" + fmt.Sprintf(job, "b-1", "b")}), "f")
	l, err := LoadSnapshot([]string{path}, SnapshotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	store := NewStore(time.Now, nil, nil)
	l.Fill(store, Resources())
	view := store.View()
	defer view.Close()
	jobs := view.JobsOf(view.CronJobs.Get("shop", "a"))
	if len(jobs) != 1 || jobs[0].Name != "a-1" {
		t.Errorf("the CronJob's Jobs: %v", jobs)
	}
}

func TestSnapshotRules(t *testing.T) {
	const machine = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: vm, namespace: shop, creationTimestamp: '2026-05-05T00:00:00Z'}\nspec: {claim: disk}\n"
	const other = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: vm, namespace: shop}\n"
	path := filepath.Join(write(t, map[string]string{"f": machine + "---\n" + other + "---\n" + secretDoc}), "f")
	l, err := LoadSnapshot([]string{path}, SnapshotOptions{Rules: func(gvk schema.GroupVersionKind, obj map[string]any) ([]string, bool) {
		if gvk.Kind != "VirtualMachine" {
			return nil, false
		}
		return []string{obj["spec"].(map[string]any)["claim"].(string)}, true
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := &Reference{
		Meta: Meta{Namespace: "shop", Name: "VirtualMachine/vm", Created: at(t, "2026-05-05T00:00:00Z"), UID: parseUID("VirtualMachine/shop/vm")},
		Kind: "VirtualMachine", Claims: []string{"disk"},
	}
	if diff := cmp.Diff(want, l.rows[References][key{"shop", "VirtualMachine/vm"}].record); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"Foo.example.com": 1, "Secret": 1}, l.Unknown); diff != "" {
		t.Error(diff)
	}
}

// kubectl get --raw with a limit gives a part of a list, which must not be taken for the whole in silence.
func TestSnapshotPartOfAList(t *testing.T) {
	for text, want := range map[string]bool{
		`{"kind": "PodList", "apiVersion": "v1", "metadata": {"continue": "abc"}, "items": [{"metadata": {"name": "x"}}]}`: true,
		`{"kind": "PodList", "apiVersion": "v1", "metadata": {"continue": ""}, "items": [{"metadata": {"name": "x"}}]}`:    false,
	} {
		var log bytes.Buffer
		path := filepath.Join(write(t, map[string]string{"f": text}), "f")
		if _, err := LoadSnapshot([]string{path}, SnapshotOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "only a part"); got != want {
			t.Errorf("%s\nlogged %s", text, &log)
		}
	}
}

func TestSnapshotComplaintsAreBounded(t *testing.T) {
	var log bytes.Buffer
	path := filepath.Join(write(t, map[string]string{"f": podDoc + strings.Repeat("---\napiVersion: v1\nkind: Pod\n", 100) + strings.Repeat("---\nnothing\n", 100)}), "f")
	l, err := LoadSnapshot([]string{path}, SnapshotOptions{Lenient: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "\n"); l.invalid[Pods] != 100 || n > 30 {
		t.Errorf("%d invalid Pods, %d lines logged", l.invalid[Pods], n)
	}
	if n := strings.Count(log.String(), "count=90"); n != 2 {
		t.Errorf("the rest is not counted:\n%s", &log)
	}
}

func TestSnapshotUnknownKinds(t *testing.T) {
	path := filepath.Join(write(t, map[string]string{"f": cronJobDoc + "---\n" + strings.Replace(cronJobDoc, "batch/v1", "batch/v7", 1) + "---\n" +
		strings.Replace(podDoc, "apiVersion: v1", "apiVersion: v9", 1) + "---\n" + secretDoc + "---\n" + secretDoc}), "f")
	l, err := LoadSnapshot([]string{path}, SnapshotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"CronJob.v7.batch": 1, "Pod.v9": 1, "Secret": 2}, l.Unknown); diff != "" {
		t.Error(diff)
	}
}
