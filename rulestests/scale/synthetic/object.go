package synthetic

import (
	"fmt"
	"io"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// Role says what an object is good for when a bench changes something.
type Role uint8

// The roles.
const (
	NoRole     Role = iota
	ServingPod      // a healthy Pod of a Deployment
	RunningJob      // a Job that no CronJob owns, with one Pod that runs
	HealthyNode
	CrowdPod
)

// Object is an object of a cluster.
type Object struct {
	runtime.Object
	Role Role
}

// Key gives the key under which an API server with the default prefix stores the object in etcd.
func (o Object) Key() string { return Key(o.Object) }

// Key gives the key under which an API server with the default prefix stores an object of one of the kinds that this package makes
// (k8s.io/kubernetes pkg/kubeapiserver/default_storage_factory_builder.go, SpecialDefaultResourcePrefixes).
func Key(o runtime.Object) string {
	m := o.(metav1.Object)
	prefix := ""
	switch o.(type) {
	case *corev1.Node:
		prefix = "minions"
	case *corev1.Namespace:
		prefix = "namespaces"
	case *corev1.Pod:
		prefix = "pods"
	case *corev1.PersistentVolume:
		prefix = "persistentvolumes"
	case *corev1.PersistentVolumeClaim:
		prefix = "persistentvolumeclaims"
	case *corev1.Service:
		prefix = "services/specs"
	case *batchv1.Job:
		prefix = "jobs"
	case *batchv1.CronJob:
		prefix = "cronjobs"
	case *appsv1.StatefulSet:
		prefix = "statefulsets"
	case *appsv1.DaemonSet:
		prefix = "daemonsets"
	case *appsv1.Deployment:
		prefix = "deployments"
	case *appsv1.ReplicaSet:
		prefix = "replicasets"
	case *storagev1.StorageClass:
		prefix = "storageclasses"
	case *policyv1.PodDisruptionBudget:
		prefix = "poddisruptionbudgets"
	}
	if ns := m.GetNamespace(); ns != "" {
		return fmt.Sprintf("/registry/%s/%s/%s", prefix, ns, m.GetName())
	}
	return fmt.Sprintf("/registry/%s/%s", prefix, m.GetName())
}

// Encode writes an object as an API server stores it: protobuf in the envelope that begins with "k8s" and a zero byte.
func Encode(w io.Writer, o runtime.Object) error {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		return err
	}
	o.GetObjectKind().SetGroupVersionKind(kinds[0])
	return protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(o, w)
}
