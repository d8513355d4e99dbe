package cluster

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// newestOfKind gives the newest moment in an object's status: of its runs, conditions and containers.
func newestOfKind(obj runtime.Object) Time {
	switch o := obj.(type) {
	case *batchv1.CronJob:
		return max(secondsOf(o.Status.LastScheduleTime), secondsOf(o.Status.LastSuccessfulTime))
	case *batchv1.Job:
		return max(secondsOf(o.Status.StartTime), secondsOf(o.Status.CompletionTime),
			newestOf(o.Status.Conditions, func(c *batchv1.JobCondition) Time {
				return later(c.LastTransitionTime, c.LastProbeTime)
			}))
	case *corev1.Pod:
		return newestOfPod(o)
	case *corev1.Event:
		t := max(later(o.FirstTimestamp, o.LastTimestamp), seconds(o.EventTime.Time))
		if o.Series != nil {
			t = max(t, seconds(o.Series.LastObservedTime.Time))
		}
		return t
	case *corev1.Node:
		return newestOf(o.Status.Conditions, func(c *corev1.NodeCondition) Time {
			return later(c.LastTransitionTime, c.LastHeartbeatTime)
		})
	case *corev1.Namespace:
		return newestOf(o.Status.Conditions, func(c *corev1.NamespaceCondition) Time { return later(c.LastTransitionTime) })
	case *corev1.PersistentVolumeClaim:
		return newestOf(o.Status.Conditions, func(c *corev1.PersistentVolumeClaimCondition) Time {
			return later(c.LastTransitionTime, c.LastProbeTime)
		})
	case *corev1.PersistentVolume:
		return secondsOf(o.Status.LastPhaseTransitionTime)
	case *corev1.ReplicationController:
		return newestOf(o.Status.Conditions, func(c *corev1.ReplicationControllerCondition) Time { return later(c.LastTransitionTime) })
	case *corev1.Service:
		return newestOfConditions(o.Status.Conditions)
	case *policyv1.PodDisruptionBudget:
		return newestOfConditions(o.Status.Conditions)
	case *autoscalingv2.HorizontalPodAutoscaler:
		return newestOf(o.Status.Conditions, func(c *autoscalingv2.HorizontalPodAutoscalerCondition) Time { return later(c.LastTransitionTime) })
	case *appsv1.StatefulSet:
		return newestOf(o.Status.Conditions, func(c *appsv1.StatefulSetCondition) Time { return later(c.LastTransitionTime) })
	case *appsv1.DaemonSet:
		return newestOf(o.Status.Conditions, func(c *appsv1.DaemonSetCondition) Time { return later(c.LastTransitionTime) })
	case *appsv1.ReplicaSet:
		return newestOf(o.Status.Conditions, func(c *appsv1.ReplicaSetCondition) Time { return later(c.LastTransitionTime) })
	case *appsv1.Deployment:
		return newestOf(o.Status.Conditions, func(c *appsv1.DeploymentCondition) Time {
			return later(c.LastTransitionTime, c.LastUpdateTime)
		})
	}
	return 0
}

func newestOfPod(o *corev1.Pod) Time {
	t := max(secondsOf(o.Status.StartTime), newestOf(o.Status.Conditions, func(c *corev1.PodCondition) Time {
		return later(c.LastTransitionTime, c.LastProbeTime)
	}))
	for _, list := range [][]corev1.ContainerStatus{
		o.Status.InitContainerStatuses, o.Status.ContainerStatuses, o.Status.EphemeralContainerStatuses,
	} {
		t = max(t, newestOf(list, func(c *corev1.ContainerStatus) Time {
			return max(newestOfState(&c.State), newestOfState(&c.LastTerminationState))
		}))
	}
	return t
}

func newestOfState(s *corev1.ContainerState) Time {
	var t Time
	if s.Running != nil {
		t = later(s.Running.StartedAt)
	}
	if s.Terminated != nil {
		t = max(t, later(s.Terminated.StartedAt, s.Terminated.FinishedAt))
	}
	return t
}

func newestOfConditions(list []metav1.Condition) Time {
	return newestOf(list, func(c *metav1.Condition) Time { return later(c.LastTransitionTime) })
}

func newestOf[T any](list []T, time func(*T) Time) Time {
	var t Time
	for i := range list {
		t = max(t, time(&list[i]))
	}
	return t
}

func later(times ...metav1.Time) Time {
	var t Time
	for i := range times {
		t = max(t, seconds(times[i].Time))
	}
	return t
}
