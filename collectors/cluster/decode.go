package cluster

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// decoder turns objects of the API into records. What it gives shares nothing with the object, so that the object, with the rest of
// what it holds, can go; equal strings and equal scheduling restrictions are shared between records. It may be used by many goroutines.
type decoder struct {
	strings    *interner
	scheduling pointers[Scheduling]
	selectors  pointers[corev1.NodeSelector]
}

func newDecoder() *decoder { return &decoder{strings: newInterner()} }

// Decode turns an object of the API, typed as k8s.io/api types it and a VolumeSnapshot unstructured, into the record of the resource,
// a pointer to one of this package's record types. The error of an object that is none of the resource's kind, or has no name, names
// it. References have no decoder: which claims a custom resource names only its claim rule tells.
func Decode(r Resource, obj runtime.Object) (any, error) { return newDecoder().record(r, obj) }

// NewDecoder gives a Decode whose records share equal strings and equal scheduling restrictions, as the watch's do.
func NewDecoder() func(Resource, runtime.Object) (any, error) { return newDecoder().record }

var errNoName = errors.New("the object has no metadata.name")

// record is Decode with what the decoder shares between records.
func (d *decoder) record(r Resource, obj runtime.Object) (any, error) {
	switch r {
	case CronJobs:
		return decodeAs(r, obj, d.cronJob)
	case Jobs:
		return decodeAs(r, obj, d.job)
	case Pods:
		return decodeAs(r, obj, d.pod)
	case Namespaces:
		return decodeAs(r, obj, func(o *corev1.Namespace) (*Namespace, error) { return &Namespace{d.meta(r, o)}, nil })
	case Events:
		return decodeAs(r, obj, d.event)
	case Claims:
		return decodeAs(r, obj, d.claim)
	case Volumes:
		return decodeAs(r, obj, d.volume)
	case StatefulSets:
		return decodeAs(r, obj, d.statefulSet)
	case DaemonSets:
		return decodeAs(r, obj, d.daemonSet)
	case Deployments:
		return decodeAs(r, obj, func(o *appsv1.Deployment) (*Workload, error) {
			return d.workload(r, o, o.Spec.Replicas, &o.Spec.Template.Spec), nil
		})
	case ReplicaSets:
		return decodeAs(r, obj, func(o *appsv1.ReplicaSet) (*Workload, error) {
			return d.workload(r, o, o.Spec.Replicas, &o.Spec.Template.Spec), nil
		})
	case ReplicationControllers:
		return decodeAs(r, obj, d.replicationController)
	case Nodes:
		return decodeAs(r, obj, d.node)
	case Services:
		return decodeAs(r, obj, func(o *corev1.Service) (*Service, error) {
			return &Service{d.meta(r, o), o.Spec.ClusterIP == corev1.ClusterIPNone && o.Spec.Type != corev1.ServiceTypeExternalName}, nil
		})
	case StorageClasses:
		return decodeAs(r, obj, func(o *storagev1.StorageClass) (*StorageClass, error) { return d.storageClass(o), nil })
	case Budgets:
		return decodeAs(r, obj, d.budget)
	case Autoscalers:
		return decodeAs(r, obj, func(o *autoscalingv2.HorizontalPodAutoscaler) (*Autoscaler, error) { return d.autoscaler(o), nil })
	case Snapshots:
		return decodeAs(r, obj, func(o *unstructured.Unstructured) (*Snapshot, error) { return d.snapshot(o), nil })
	}
	return nil, fmt.Errorf("%s have no decoder", r)
}

// decodeAs checks that the object is an O with a name, and decodes it.
func decodeAs[O metav1.Object, R any](r Resource, obj runtime.Object, decode func(O) (*R, error)) (any, error) {
	kind := r.Info().Kind
	o, ok := obj.(O)
	if !ok {
		return nil, fmt.Errorf("decode %s: got %T", kind, obj)
	}
	if v := reflect.ValueOf(o); v.IsNil() || o.GetName() == "" {
		return nil, fmt.Errorf("decode %s: %w", kind, errNoName)
	}
	row, err := decode(o)
	if err != nil {
		return nil, fmt.Errorf("decode %s %s: %w", kind, objectName(o.GetNamespace(), o.GetName()), err)
	}
	return row, nil
}

func objectName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// meta decodes what every record keeps.
func (d *decoder) meta(r Resource, o metav1.Object) Meta {
	name := strings.Clone(o.GetName())
	m := Meta{
		UID:       parseUID(string(o.GetUID())),
		Namespace: d.strings.get(o.GetNamespace()),
		Name:      name,
		Created:   seconds(o.GetCreationTimestamp().Time),
		Deleted:   deleted(o),
		Owners:    d.owners(o.GetOwnerReferences(), name),
	}
	m.annotate(r, o.GetAnnotations())
	return m
}

// deleted gives when deletion was asked for. The API server sets deletionTimestamp to that moment plus the grace period
// (k8s.io/apiserver pkg/registry/rest/delete.go, BeforeDelete).
func deleted(o metav1.Object) Time {
	deadline := o.GetDeletionTimestamp()
	if deadline.IsZero() {
		return 0
	}
	at := seconds(deadline.Time)
	if grace := o.GetDeletionGracePeriodSeconds(); grace != nil && *grace > 0 {
		at -= Time(*grace)
	}
	return max(at, 1) // 0 would say that it is not being deleted
}

// owners keeps the owner references of the object of that name. A Pod's name begins with its owner's, which then takes no memory of its
// own.
func (d *decoder) owners(refs []metav1.OwnerReference, name string) []Owner {
	if len(refs) == 0 {
		return nil
	}
	owners := make([]Owner, len(refs))
	for i, ref := range refs {
		owners[i] = Owner{
			UID:        parseUID(string(ref.UID)),
			Kind:       d.strings.get(ref.Kind),
			Controller: ref.Controller != nil && *ref.Controller,
		}
		if strings.HasPrefix(name, ref.Name) {
			owners[i].Name = name[:len(ref.Name)]
		} else {
			owners[i].Name = d.strings.get(ref.Name)
		}
	}
	return owners
}

// jobLabels are the labels that the Job controller puts on each Pod (k8s.io/kubernetes pkg/apis/batch/types.go): different on all of
// them, and nobody selects by them but that controller.
var jobLabels = []string{batchv1.ControllerUidLabel, "controller-uid", batchv1.JobNameLabel, "job-name", batchv1.JobCompletionIndexAnnotation}

func (d *decoder) labels(set map[string]string) Labels {
	if _, ofJob := set[batchv1.ControllerUidLabel]; ofJob {
		return Labels(d.strings.getBytes(packLabels(set, jobLabels...)))
	}
	return Labels(d.strings.getBytes(packLabels(set)))
}

// seconds gives an instant of the API, 0 for the zero time.
func seconds(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.Unix())
}

func secondsOf(t *metav1.Time) Time {
	if t == nil {
		return 0
	}
	return seconds(t.Time)
}
