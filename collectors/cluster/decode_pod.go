package cluster

import (
	"math"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

func (d *decoder) pod(o *corev1.Pod) (*Pod, error) {
	p := &Pod{
		Meta:          d.meta(Pods, o),
		Labels:        d.labels(o.Labels),
		Node:          d.strings.get(o.Spec.NodeName),
		Started:       secondsOf(o.Status.StartTime),
		Reason:        d.strings.get(o.Status.Reason),
		Phase:         phases[o.Status.Phase],
		HostPath:      writesHostPath(&o.Spec),
		Revision:      d.strings.get(o.Labels[appsv1.ControllerRevisionHashLabelKey]),
		StartupBudget: startupBudget(&o.Spec),
		Claims:        d.podClaims(o),
	}
	if g := valueOr(o.DeletionGracePeriodSeconds, 0); p.Deleted != 0 {
		p.Grace = int32(min(max(g, 0), math.MaxInt32))
	}
	_, p.Mirror = o.Annotations[corev1.MirrorPodAnnotationKey]
	d.podConditions(p, o.Status.Conditions)
	d.containers(p, &o.Status)
	if owner, ok := p.Controller(); ok && owner.Kind == "DaemonSet" {
		p.TargetNode = d.strings.get(targetNode(requiredAffinity(o.Spec.Affinity)))
	} else {
		p.Scheduling = d.schedulingOf(&o.Spec)
	}
	return p, nil
}

var phases = map[corev1.PodPhase]Phase{
	corev1.PodPending: PhasePending, corev1.PodRunning: PhaseRunning, corev1.PodSucceeded: PhaseSucceeded, corev1.PodFailed: PhaseFailed,
}

func (d *decoder) podConditions(p *Pod, conditions []corev1.PodCondition) {
	for i := range conditions {
		c := &conditions[i]
		isTrue := c.Status == corev1.ConditionTrue
		switch c.Type {
		case corev1.PodReady:
			p.Ready, p.ReadyChanged = isTrue, seconds(c.LastTransitionTime.Time)
		case corev1.PodScheduled:
			p.ScheduleChange = seconds(c.LastTransitionTime.Time)
			switch {
			case isTrue:
				p.Scheduled = IsScheduled
			case c.Reason == corev1.PodReasonUnschedulable:
				p.Scheduled = Unschedulable
			case c.Reason == corev1.PodReasonSchedulingGated:
				p.Scheduled = SchedulingGated
			}
		case corev1.DisruptionTarget:
			if isTrue {
				p.Disruption = d.strings.get(c.Reason)
			}
		}
	}
}

func (d *decoder) podClaims(o *corev1.Pod) []ClaimRef {
	var claims []ClaimRef
	for i := range o.Spec.Volumes {
		v := &o.Spec.Volumes[i]
		switch {
		case v.PersistentVolumeClaim != nil:
			claims = append(claims, ClaimRef{Name: d.strings.get(v.PersistentVolumeClaim.ClaimName)})
		case v.Ephemeral != nil:
			// k8s.io/component-helpers/storage/ephemeral, VolumeClaimName
			claims = append(claims, ClaimRef{Name: d.strings.get(o.Name + "-" + v.Name), Ephemeral: true})
		}
	}
	return claims
}

// claimNames gives the PersistentVolumeClaims that the volumes of a Pod template name.
func (d *decoder) claimNames(volumes []corev1.Volume) []string {
	var names []string
	for i := range volumes {
		if c := volumes[i].PersistentVolumeClaim; c != nil {
			names = append(names, d.strings.get(c.ClaimName))
		}
	}
	return names
}
