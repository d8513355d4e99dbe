package cluster

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// object reads an API object of the resource from YAML.
func object(t *testing.T, r Resource, text string) apiruntime.Object {
	t.Helper()
	if r == Snapshots {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		return u
	}
	info := r.Info()
	obj, err := scheme.Scheme.New(info.GroupVersion().WithKind(info.Kind))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(text), obj); err != nil {
		t.Fatal(err)
	}
	return obj
}

// decoded reads a record from YAML.
func decoded[T any](t *testing.T, r Resource, text string) *T {
	t.Helper()
	row, err := Decode(r, object(t, r, text))
	if err != nil {
		t.Fatal(err)
	}
	return row.(*T)
}

// at gives an instant of the API.
func at(t *testing.T, rfc3339 string) Time {
	t.Helper()
	instant, err := time.Parse(time.RFC3339, rfc3339)
	if err != nil {
		t.Fatal(err)
	}
	return Time(instant.Unix())
}

func TestDecodeMeta(t *testing.T) {
	pod := decoded[Pod](t, Pods, `
metadata:
  name: purge-29632320-x7k2p
  namespace: shop
  uid: 0e1b3c2a-9f70-4a55-8d0e-1f2a3b4c5d6e
  creationTimestamp: "2026-05-05T00:00:01Z"
  deletionTimestamp: "2026-05-05T00:10:30Z"
  deletionGracePeriodSeconds: 30
  labels:
    job-name: purge-29632320
    controller-uid: 5e6f0a1b-9f70-4a55-8d0e-1f2a3b4c5d6e
    batch.kubernetes.io/controller-uid: 5e6f0a1b-9f70-4a55-8d0e-1f2a3b4c5d6e
    app: purge
  ownerReferences:
  - {apiVersion: batch/v1, kind: Job, name: purge-29632320, uid: 5e6f0a1b-9f70-4a55-8d0e-1f2a3b4c5d6e, controller: true}
  - {apiVersion: v1, kind: ConfigMap, name: other, uid: not-a-uuid}
`)
	want := Meta{
		UID:       UID{0x0e, 0x1b, 0x3c, 0x2a, 0x9f, 0x70, 0x4a, 0x55, 0x8d, 0x0e, 0x1f, 0x2a, 0x3b, 0x4c, 0x5d, 0x6e},
		Namespace: "shop",
		Name:      "purge-29632320-x7k2p",
		Created:   at(t, "2026-05-05T00:00:01Z"),
		Deleted:   at(t, "2026-05-05T00:10:00Z"),
		Owners: []Owner{
			{UID: parseUID("5e6f0a1b-9f70-4a55-8d0e-1f2a3b4c5d6e"), Kind: "Job", Name: "purge-29632320", Controller: true},
			{UID: parseUID("not-a-uuid"), Kind: "ConfigMap", Name: "other"},
		},
	}
	if diff := cmp.Diff(want, pod.Meta); diff != "" {
		t.Error(diff)
	}
	if want := Labels("app\x00purge\x00"); pod.Labels != want {
		t.Errorf("labels %q, want %q", pod.Labels, want)
	}
}

func TestParseUID(t *testing.T) {
	const uuid = "0e1b3c2a-9f70-4a55-8d0e-1f2a3b4c5d6e"
	seen := map[UID]string{}
	for _, s := range []string{
		"", uuid, strings.ToUpper(uuid), uuid[:35], uuid + "0", strings.ReplaceAll(uuid, "-", ""), "zzzzzzzz" + uuid[8:],
		"00000000-0000-0000-0000-000000000000", "my-uid",
	} {
		u := parseUID(s)
		if other, ok := seen[u]; ok {
			t.Errorf("%q and %q are one UID", s, other)
		}
		seen[u] = s
		if u != parseUID(s) {
			t.Errorf("%q is two UIDs", s)
		}
		if (u == UID{}) != (s == "") {
			t.Errorf("%q gives %x", s, u)
		}
	}
}

func TestDecodeAnnotations(t *testing.T) {
	type result struct {
		Ignore   bool
		Severity Severity
		Within   time.Duration
		Invalid  Annotation
	}
	for _, test := range []struct {
		annotation, value string
		want              result
	}{
		{"tocsin/ignore", "true", result{Ignore: true}},
		{"tocsin/ignore", "false", result{}},
		{"tocsin/ignore", "True", result{Invalid: AnnotationIgnore}},
		{"tocsin/ignore", "", result{Invalid: AnnotationIgnore}},
		{"tocsin/severity", "info", result{Severity: SeverityInfo}},
		{"tocsin/severity", "warning", result{Severity: SeverityWarning}},
		{"tocsin/severity", "critical", result{Severity: SeverityCritical}},
		{"tocsin/severity", "page", result{Invalid: AnnotationSeverity}},
		{"tocsin/severity", "Critical", result{Invalid: AnnotationSeverity}},
		{"tocsin/severity", "", result{Invalid: AnnotationSeverity}},
		{"tocsin/success-within", "26h", result{Within: 26 * time.Hour}},
		{"tocsin/success-within", "1d", result{Within: 24 * time.Hour}},
		{"tocsin/success-within", "1.5h", result{Within: 90 * time.Minute}},
		{"tocsin/success-within", "0", result{Invalid: AnnotationSuccessWithin}},
		{"tocsin/success-within", "-1h", result{Invalid: AnnotationSuccessWithin}},
		{"tocsin/success-within", "26", result{Invalid: AnnotationSuccessWithin}},
		{"tocsin/success-within", "99999999999999999999y", result{Invalid: AnnotationSuccessWithin}},
		{"tocsin/coverage", "some", result{}}, // has no meaning on a CronJob
	} {
		t.Run(test.annotation+"="+test.value, func(t *testing.T) {
			c := decoded[CronJob](t, CronJobs, "metadata: {name: x, annotations: {"+test.annotation+": '"+test.value+"'}}")
			if diff := cmp.Diff(test.want, result{c.Ignore, c.Severity, c.SuccessWithin, c.Invalid}); diff != "" {
				t.Error(diff)
			}
		})
	}
	for value, want := range map[string]result{"all": {}, "false": {}, "ALL": {Invalid: AnnotationCoverage}} {
		d := decoded[DaemonSet](t, DaemonSets, "metadata: {name: x, annotations: {tocsin/coverage: '"+value+"'}}")
		if d.CoverAll != (value == "all") || d.Invalid != want.Invalid {
			t.Errorf("coverage %q: all %v, invalid %v", value, d.CoverAll, d.Invalid)
		}
	}
	// Each Pod of a template with an annotation that means nothing on a Pod would count.
	if p := decoded[Pod](t, Pods, "metadata: {name: x, annotations: {tocsin/severity: page, tocsin/ignore: 'true'}}"); p.Invalid != 0 || !p.Ignore {
		t.Errorf("Pod: ignore %v, invalid %v", p.Ignore, p.Invalid)
	}
}

func TestAnnotationNames(t *testing.T) {
	for a, want := range map[Annotation]string{
		AnnotationIgnore: "tocsin/ignore", AnnotationSeverity: "tocsin/severity",
		AnnotationSuccessWithin: "tocsin/success-within", AnnotationCoverage: "tocsin/coverage", 0: "",
	} {
		if got := a.String(); got != want {
			t.Errorf("%d: got %q, want %q", a, got, want)
		}
	}
}

func TestDecodeWrongObjects(t *testing.T) {
	for _, test := range []struct {
		name string
		r    Resource
		obj  apiruntime.Object
		want string
	}{
		{"wrong type", CronJobs, &corev1.Pod{}, "decode CronJob: got *v1.Pod"},
		{"nothing", Pods, nil, "decode Pod: got <nil>"},
		{"nil pointer", Pods, (*corev1.Pod)(nil), "decode Pod: the object has no metadata.name"},
		{"no name", Pods, &corev1.Pod{}, "decode Pod: the object has no metadata.name"},
		{"no content", Snapshots, &unstructured.Unstructured{}, "decode VolumeSnapshot: the object has no metadata.name"},
		{"custom resource", References, &corev1.Pod{}, "customresources have no decoder"},
		{"bad selector", Budgets, object(t, Budgets, `
metadata: {name: b, namespace: shop}
spec: {selector: {matchExpressions: [{key: app, operator: Near}]}}
`), `decode PodDisruptionBudget shop/b: "Near" is not a valid label selector operator`},
	} {
		t.Run(test.name, func(t *testing.T) {
			row, err := Decode(test.r, test.obj)
			if row != nil || err == nil || err.Error() != test.want {
				t.Errorf("got %v, %v; want %s", row, err, test.want)
			}
		})
	}
}

// Every resource decodes its zero object once that has a name.
func TestDecodeBareObjects(t *testing.T) {
	for _, r := range Resources() {
		if r == References {
			continue
		}
		row, err := Decode(r, object(t, r, "metadata: {name: x}"))
		if err != nil {
			t.Errorf("%s: %v", r, err)
		} else if m := row.(interface{ meta() *Meta }).meta(); m.Name != "x" {
			t.Errorf("%s: got %+v", r, m)
		}
	}
}

func TestSchedulingIsShared(t *testing.T) {
	const spec = `
spec:
  nodeSelector: {disk: ssd, zone: a}
  tolerations: [{key: gpu, operator: Exists}, {key: node.kubernetes.io/not-ready, tolerationSeconds: 300}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [node-1]}]}]
`
	d := newDecoder()
	decode := func(name, spec string) *Scheduling {
		row, err := d.record(Pods, object(t, Pods, "metadata: {name: "+name+"}"+spec))
		if err != nil {
			t.Fatal(err)
		}
		return row.(*Pod).Scheduling
	}
	a, b := decode("a", spec), decode("b", spec)
	if a != b {
		t.Error("equal restrictions are two pointers")
	}
	volume, err := d.record(Volumes, object(t, Volumes, `
metadata: {name: v}
spec: {nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [node-1]}]}]}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if volume.(*Volume).Affinity != a.Required {
		t.Error("equal node selectors are two pointers")
	}
	for _, change := range [][2]string{
		{"ssd", "hdd"}, {"node-1", "node-2"}, {"300", "301"}, {"Exists}", "Exists, effect: NoSchedule}"},
		{"values: [node-1]", "values: [node-1, node-2]"}, {"{disk: ssd, zone: a}", "{disk: ssd}"},
	} {
		if other := decode("c", strings.Replace(spec, change[0], change[1], 1)); other == a {
			t.Errorf("%s and %s are one pointer", change[0], change[1])
		}
	}
	if none := decode("d", ""); none == nil || none == a || none != decode("e", "") {
		t.Error("Pods without restrictions do not share an empty one")
	}
	runtime.KeepAlive(a)
}

// What no record holds any more is let go, though the decoder lives on.
func TestSchedulingIsReleased(t *testing.T) {
	d := newDecoder()
	for i := range 100 {
		spec := "{metadata: {name: x}, spec: {nodeSelector: {n: '" + strings.Repeat("x", i) + "'}}}"
		if _, err := d.record(Pods, object(t, Pods, spec)); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		runtime.GC()
		d.scheduling.mu.Lock()
		left := len(d.scheduling.known)
		d.scheduling.mu.Unlock()
		if left == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond) // cleanups run in a goroutine of their own
	}
	t.Error("restrictions that nobody uses are kept")
}

func TestInternerIsBounded(t *testing.T) {
	n := newInterner()
	text := strings.Repeat("x", 100)
	hot := unsafe.StringData(n.get("hot"))
	for i := range 10 * maxInternCount {
		s := text[:i%100] + string(rune('a'+i%26)) + time.Duration(i).String()
		if got := n.get(s); got != s {
			t.Fatalf("got %q for %q", got, s)
		}
		if got := n.getBytes([]byte("hot")); got != "hot" || unsafe.StringData(got) != hot {
			t.Fatalf("what is always in use was stored again as %q", got)
		}
	}
	if len(n.young) > maxInternCount || len(n.old) > maxInternCount || n.bytes > maxInternBytes {
		t.Errorf("young %d, old %d, %d bytes", len(n.young), len(n.old), n.bytes)
	}
	if long := strings.Repeat("x", maxInternLength+1); n.get(long) != long || n.young[long] != "" {
		t.Error("a long string is kept")
	}
}

func TestDecoderConcurrently(t *testing.T) {
	d := newDecoder()
	var running sync.WaitGroup
	pod := object(t, Pods, "metadata: {name: x, namespace: y, labels: {a: b}}\nspec: {nodeSelector: {a: b}, nodeName: n}")
	for range 4 {
		running.Go(func() {
			for range 200 {
				if _, err := d.record(Pods, pod); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
}

func check(t *testing.T, d *decoder, r Resource, obj apiruntime.Object) {
	row, err := d.record(r, obj)
	if (row == nil) == (err == nil) {
		t.Fatalf("record %v, error %v", row, err)
	}
	if err != nil {
		return
	}
	o, m := obj.(metav1.Object), row.(interface{ meta() *Meta }).meta()
	if m.Name == "" || m.Name != o.GetName() || m.Namespace != o.GetNamespace() {
		t.Errorf("%s/%s is %s/%s", o.GetNamespace(), o.GetName(), m.Namespace, m.Name)
	}
}
