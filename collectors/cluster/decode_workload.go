package cluster

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (d *decoder) statefulSet(o *appsv1.StatefulSet) (*StatefulSet, error) {
	s := &StatefulSet{
		Meta:            d.meta(StatefulSets, o),
		Generation:      o.Generation,
		Observed:        o.Status.ObservedGeneration,
		Replicas:        valueOr(o.Spec.Replicas, 1),
		Parallel:        o.Spec.PodManagementPolicy == appsv1.ParallelPodManagement,
		Strategy:        updateStrategy(o.Spec.UpdateStrategy.Type),
		MinReady:        o.Spec.MinReadySeconds,
		CurrentRevision: d.strings.get(o.Status.CurrentRevision),
		UpdateRevision:  d.strings.get(o.Status.UpdateRevision),
		StatusReplicas:  o.Status.Replicas,
		CurrentReplicas: o.Status.CurrentReplicas,
		UpdatedReplicas: o.Status.UpdatedReplicas,
		ReadyReplicas:   o.Status.ReadyReplicas,
		ServiceName:     d.strings.get(o.Spec.ServiceName),
		Template:        d.template(&o.Spec.Template.Spec),
	}
	if o.Spec.Ordinals != nil {
		s.Start = o.Spec.Ordinals.Start
	}
	if u := o.Spec.UpdateStrategy.RollingUpdate; u != nil {
		s.HasRollingUpdate, s.Partition = true, valueOr(u.Partition, 0)
	}
	if p := o.Spec.PersistentVolumeClaimRetentionPolicy; p != nil {
		s.DeletesScaled = p.WhenScaled == appsv1.DeletePersistentVolumeClaimRetentionPolicyType
		s.DeletesDeleted = p.WhenDeleted == appsv1.DeletePersistentVolumeClaimRetentionPolicyType
	}
	if len(o.Spec.VolumeClaimTemplates) > 0 {
		s.Templates = make([]ClaimTemplate, len(o.Spec.VolumeClaimTemplates))
	}
	for i := range o.Spec.VolumeClaimTemplates {
		t := &o.Spec.VolumeClaimTemplates[i]
		s.Templates[i] = ClaimTemplate{
			Name:     d.strings.get(t.Name),
			Class:    d.strings.get(claimClass(t)),
			HasClass: hasBetaClass(t.Annotations) || t.Spec.StorageClassName != nil,
			Request:  storage(t.Spec.Resources.Requests),
		}
	}
	return s, nil
}

func updateStrategy(t appsv1.StatefulSetUpdateStrategyType) UpdateStrategy {
	switch t {
	case "", appsv1.RollingUpdateStatefulSetStrategyType: // the API server's default
		return RollingUpdate
	case appsv1.OnDeleteStatefulSetStrategyType:
		return OnDelete
	case appsv1.RecreateStatefulSetStrategyType:
		return Recreate
	}
	return OtherStrategy
}

func (d *decoder) template(spec *corev1.PodSpec) Template {
	return Template{Claims: d.claimNames(spec.Volumes), NodeName: d.strings.get(spec.NodeName)}
}

func (d *decoder) workload(r Resource, o metav1.Object, replicas *int32, spec *corev1.PodSpec) *Workload {
	return &Workload{Meta: d.meta(r, o), Kind: r.Info().Kind, Replicas: valueOr(replicas, 1), Template: d.template(spec)}
}

func (d *decoder) replicationController(o *corev1.ReplicationController) (*Workload, error) {
	spec := &corev1.PodSpec{}
	if o.Spec.Template != nil {
		spec = &o.Spec.Template.Spec
	}
	return d.workload(ReplicationControllers, o, o.Spec.Replicas, spec), nil
}

func (d *decoder) daemonSet(o *appsv1.DaemonSet) (*DaemonSet, error) {
	s := &DaemonSet{
		Meta:        d.meta(DaemonSets, o),
		Template:    d.template(&o.Spec.Template.Spec),
		Scheduling:  d.schedulingOf(&o.Spec.Template.Spec),
		HostNetwork: o.Spec.Template.Spec.HostNetwork,
	}
	s.CoverAll = s.coverAll(o.Annotations)
	return s, nil
}

// budget keeps no selector that selects nothing, which is what an absent one does.
func (d *decoder) budget(o *policyv1.PodDisruptionBudget) (*Budget, error) {
	b := &Budget{Meta: d.meta(Budgets, o), Allowed: o.Status.DisruptionsAllowed}
	if o.Spec.Selector == nil {
		return b, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(o.Spec.Selector)
	if err != nil {
		return nil, err
	}
	b.Selector = selector
	return b, nil
}

func (d *decoder) autoscaler(o *autoscalingv2.HorizontalPodAutoscaler) *Autoscaler {
	return &Autoscaler{
		Meta:       d.meta(Autoscalers, o),
		TargetKind: d.strings.get(o.Spec.ScaleTargetRef.Kind),
		TargetName: strings.Clone(o.Spec.ScaleTargetRef.Name),
		Max:        o.Spec.MaxReplicas,
	}
}
