package cluster

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// moments collects when things happened of which an object tells.
type moments struct {
	limit  Time // what is later cannot have happened yet
	newest Time
	ahead  Time // the newest of what is later than the limit
}

// date notes the newest moment that an object tells of. A clock that is wrong, or an object that was written by hand, may tell of one
// that lies ahead: it says nothing of when the snapshot was taken.
func (l *loader) date(out *outcome, obj runtime.Object) {
	m := moments{limit: l.limit}
	if o, ok := obj.(metav1.Object); ok && !reflect.ValueOf(o).IsNil() {
		m.see(o.GetCreationTimestamp())
		for _, e := range o.GetManagedFields() {
			m.seeAny(e.Time)
		}
	}
	m.kind(obj)
	out.newest, out.ahead = m.newest, m.ahead
}

func (m *moments) see(times ...metav1.Time) {
	for i := range times {
		if t := seconds(times[i].Time); t > m.limit {
			m.ahead = max(m.ahead, t)
		} else {
			m.newest = max(m.newest, t)
		}
	}
}

func (m *moments) seeAny(times ...*metav1.Time) {
	for _, t := range times {
		if t != nil {
			m.see(*t)
		}
	}
}

// kind sees what an object's status tells: of its runs, conditions and containers.
func (m *moments) kind(obj runtime.Object) {
	switch o := obj.(type) {
	case *batchv1.CronJob:
		m.seeAny(o.Status.LastScheduleTime, o.Status.LastSuccessfulTime)
	case *batchv1.Job:
		m.seeAny(o.Status.StartTime, o.Status.CompletionTime)
		each(o.Status.Conditions, func(c *batchv1.JobCondition) { m.see(c.LastTransitionTime, c.LastProbeTime) })
	case *corev1.Pod:
		m.pod(o)
	case *corev1.Event:
		m.see(o.FirstTimestamp, o.LastTimestamp, metav1.Time(o.EventTime))
		if o.Series != nil {
			m.see(metav1.Time(o.Series.LastObservedTime))
		}
	case *corev1.Node:
		each(o.Status.Conditions, func(c *corev1.NodeCondition) { m.see(c.LastTransitionTime, c.LastHeartbeatTime) })
	case *corev1.Namespace:
		each(o.Status.Conditions, func(c *corev1.NamespaceCondition) { m.see(c.LastTransitionTime) })
	case *corev1.PersistentVolumeClaim:
		each(o.Status.Conditions, func(c *corev1.PersistentVolumeClaimCondition) { m.see(c.LastTransitionTime, c.LastProbeTime) })
	case *corev1.PersistentVolume:
		m.seeAny(o.Status.LastPhaseTransitionTime)
	case *corev1.ReplicationController:
		each(o.Status.Conditions, func(c *corev1.ReplicationControllerCondition) { m.see(c.LastTransitionTime) })
	case *corev1.Service:
		m.conditions(o.Status.Conditions)
	case *policyv1.PodDisruptionBudget:
		m.conditions(o.Status.Conditions)
	case *autoscalingv2.HorizontalPodAutoscaler:
		each(o.Status.Conditions, func(c *autoscalingv2.HorizontalPodAutoscalerCondition) { m.see(c.LastTransitionTime) })
	case *appsv1.StatefulSet:
		each(o.Status.Conditions, func(c *appsv1.StatefulSetCondition) { m.see(c.LastTransitionTime) })
	case *appsv1.DaemonSet:
		each(o.Status.Conditions, func(c *appsv1.DaemonSetCondition) { m.see(c.LastTransitionTime) })
	case *appsv1.ReplicaSet:
		each(o.Status.Conditions, func(c *appsv1.ReplicaSetCondition) { m.see(c.LastTransitionTime) })
	case *appsv1.Deployment:
		each(o.Status.Conditions, func(c *appsv1.DeploymentCondition) { m.see(c.LastTransitionTime, c.LastUpdateTime) })
	}
}

func (m *moments) pod(o *corev1.Pod) {
	m.seeAny(o.Status.StartTime)
	each(o.Status.Conditions, func(c *corev1.PodCondition) { m.see(c.LastTransitionTime, c.LastProbeTime) })
	for _, list := range [][]corev1.ContainerStatus{
		o.Status.InitContainerStatuses, o.Status.ContainerStatuses, o.Status.EphemeralContainerStatuses,
	} {
		each(list, func(c *corev1.ContainerStatus) {
			m.container(&c.State)
			m.container(&c.LastTerminationState)
		})
	}
}

func (m *moments) container(s *corev1.ContainerState) {
	if s.Running != nil {
		m.see(s.Running.StartedAt)
	}
	if s.Terminated != nil {
		m.see(s.Terminated.StartedAt, s.Terminated.FinishedAt)
	}
}

func (m *moments) conditions(list []metav1.Condition) {
	each(list, func(c *metav1.Condition) { m.see(c.LastTransitionTime) })
}

func each[T any](list []T, do func(*T)) {
	for i := range list {
		do(&list[i])
	}
}
