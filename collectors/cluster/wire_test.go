package cluster

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
)

// filler sets fields of API objects to random values, of those that the decoder looks for where it looks for some.
type filler struct{ *rand.Rand }

var telling = []string{
	"True", "False", "Ready", "PodScheduled", "DisruptionTarget", "Unschedulable", "Failed", "Complete", "FailureTarget", "PodFailurePolicy", "Unused", "Pending", "Running",
	"Bound", "all", "true", "keep", "critical", "3h", "metadata.name", "In", "None", "ClusterIP", "Delete", "Parallel", "OnDelete", "PersistentVolumeClaim", "DaemonSet", "Job", "",
	"exceeded quota", "Container main for pod a/b failed with exit code 3 matching ", "2026-05-05T00:00:00Z", "8b2b3c4d-0000-4000-8000-000000000001", "1,3-5", "a__b",
}

var tellingKeys = []string{
	"tocsin/ignore", "tocsin/severity", "tocsin/success-within", "tocsin/coverage", "batch.kubernetes.io/cronjob-scheduled-timestamp", "helm.sh/hook-delete-policy",
	"kubernetes.io/config.mirror", "volume.beta.kubernetes.io/storage-class", "volume.kubernetes.io/selected-node", "helm.sh/resource-policy", "storage", "cpu",
	"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region", "controller-revision-hash", "batch.kubernetes.io/controller-uid", "app",
	"kubectl.kubernetes.io/last-applied-configuration",
}

func (f filler) fill(v reflect.Value, depth int) {
	switch at := v.Addr().Interface().(type) {
	case *metav1.Time:
		*at = metav1.Unix(1_700_000_000+f.Int64N(1e7), 0)
		return
	case *metav1.MicroTime:
		*at = metav1.NewMicroTime(metav1.Unix(1_700_000_000+f.Int64N(1e7), 0).Time)
		return
	case *resource.Quantity:
		*at = *resource.NewQuantity(f.Int64N(1e12), resource.BinarySI)
		return
	case *metav1.FieldsV1:
		*at = *metav1.NewFieldsV1([]string{`{"f:spec":{"f:suspend":{}}}`, `{"f:spec":{"f:accessModes":{},"f:schedule":{}}}`, `{"f:status":{}}`}[f.IntN(3)])
		return
	case *metav1.TypeMeta:
		return // which the envelope has
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Pointer:
		if depth < 24 && f.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		n := f.IntN(4)
		if depth > 24 {
			n = 0
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(12) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(tellingKeys[f.IntN(len(tellingKeys))])
			f.fill(value, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString(telling[f.IntN(len(telling))])
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(f.Int64N(5))
	case reflect.Uint8:
		v.SetUint(f.Uint64N(256))
	default:
	}
}

// wireResources are those that come in protobuf.
func wireResources() []Resource {
	var all []Resource
	for _, r := range Resources() {
		if kinds.IsVersionRegistered(r.Info().GroupVersion()) {
			all = append(all, r)
		}
	}
	return all
}

func encoded(t testing.TB, gvk schema.GroupVersionKind, obj runtime.Object) []byte {
	t.Helper()
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	var b bytes.Buffer
	if err := protobuf.NewSerializer(kinds, kinds).Encode(obj, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func clientDecoder(t testing.TB, gv schema.GroupVersion) (runtime.Decoder, runtime.Serializer) {
	t.Helper()
	object, event, _, err := runtime.NewClientNegotiator(newSerializer(), gv).StreamDecoder(runtime.ContentTypeProtobuf, nil)
	if err != nil {
		t.Fatal(err)
	}
	return object, event
}

// TestSiftedEqualsWhole makes records of objects as the watch decodes them, with their wanted fields only, and of the whole objects: they
// are the same, whatever the objects hold.
func TestSiftedEqualsWhole(t *testing.T) {
	f := filler{rand.New(rand.NewPCG(1, 2))}
	for _, r := range wireResources() {
		t.Run(r.String(), func(t *testing.T) {
			gvk := r.Info().GroupVersion().WithKind(r.Info().Kind)
			sifting, _ := clientDecoder(t, gvk.GroupVersion())
			for range 400 {
				obj, err := kinds.New(gvk)
				if err != nil {
					t.Fatal(err)
				}
				f.fill(reflect.ValueOf(obj).Elem(), 0)
				obj.(metav1.Object).SetName("x")
				data := encoded(t, gvk, obj)
				whole, _, err := protobuf.NewSerializer(kinds, kinds).Decode(data, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				sifted, err := runtime.Decode(sifting, data)
				if err != nil {
					t.Fatal(err)
				}
				want, wantErr := Decode(r, whole)
				got, gotErr := Decode(r, sifted)
				if (gotErr == nil) != (wantErr == nil) || !reflect.DeepEqual(got, want) {
					t.Fatalf("record of the sifted object:\n%+v %v\nof the whole:\n%+v %v", got, gotErr, want, wantErr)
				}
				if got, want := sifted.(metav1.Object).GetResourceVersion(), obj.(metav1.Object).GetResourceVersion(); got != want {
					t.Fatalf("resourceVersion %q, want %q", got, want)
				}
			}
		})
	}
}

// TestSiftedListAndEvents reads what an API server answers: a list, an event of a watch, the bookmark that ends a streamed list, a Status.
func TestSiftedListAndEvents(t *testing.T) {
	gv := corev1.SchemeGroupVersion
	object, event := clientDecoder(t, gv)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "7", Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true", "other": "x"}},
		Spec: corev1.PodSpec{NodeName: "n", Hostname: "h"}}
	list, err := runtime.Decode(object, encoded(t, gv.WithKind("PodList"), &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "9"}, Items: []corev1.Pod{*pod, *pod}}))
	if err != nil {
		t.Fatal(err)
	}
	l := list.(*corev1.PodList)
	if l.ResourceVersion != "9" || len(l.Items) != 2 || l.Items[1].Spec.NodeName != "n" || l.Items[1].Spec.Hostname != "" {
		t.Errorf("list: %+v", l)
	}
	for _, kind := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted, watch.Bookmark, watch.Error} {
		frame, err := (&metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: encoded(t, gv.WithKind("Pod"), pod)}}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		var got metav1.WatchEvent
		if _, _, err := event.Decode(frame, nil, &got); err != nil || got.Type != string(kind) {
			t.Fatalf("%s: event %+v, %v", kind, got, err)
		}
		obj, err := runtime.Decode(object, got.Object.Raw)
		if err != nil {
			t.Fatal(err)
		}
		if p := obj.(*corev1.Pod); p.Name != "a" || p.ResourceVersion != "7" || p.Annotations[metav1.InitialEventsAnnotationKey] != "true" || len(p.Annotations) != 1 {
			t.Errorf("%s: %+v", kind, p)
		}
	}
	status, err := runtime.Decode(object, encoded(t, metav1.Unversioned.WithKind("Status"), &metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired}))
	if s, ok := status.(*metav1.Status); err != nil || !ok || s.Code != 410 {
		t.Errorf("status: %+v, %v", status, err)
	}
}

// FuzzSift gives the decoder what is no protobuf, or is cut short: an error or an object, never a panic.
func FuzzSift(f *testing.F) {
	fill := filler{rand.New(rand.NewPCG(3, 4))}
	for _, r := range wireResources() {
		gvk := r.Info().GroupVersion().WithKind(r.Info().Kind)
		obj, err := kinds.New(gvk)
		if err != nil {
			f.Fatal(err)
		}
		fill.fill(reflect.ValueOf(obj).Elem(), 0)
		data := encoded(f, gvk, obj)
		f.Add(data)
		f.Add(data[:len(data)/2])
		frame, err := (&metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: data}}).Marshal()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(frame)
	}
	object, event := clientDecoder(f, corev1.SchemeGroupVersion)
	f.Fuzz(func(t *testing.T, data []byte) {
		var got metav1.WatchEvent
		if _, _, err := event.Decode(data, nil, &got); err == nil {
			_, _ = runtime.Decode(object, got.Object.Raw)
		}
		_, _ = runtime.Decode(object, data)
		for _, k := range wireKinds {
			sifted, err := k.mask.sift(nil, data)
			if err == nil && len(sifted) > len(data) {
				t.Errorf("%s: %d bytes sifted from %d", k.gvk, len(sifted), len(data))
			}
		}
	})
}
