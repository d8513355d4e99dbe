package cluster

import (
	corev1 "k8s.io/api/core/v1"
)

func (d *decoder) node(o *corev1.Node) (*Node, error) {
	n := &Node{Meta: d.meta(Nodes, o), Unschedulable: o.Spec.Unschedulable}
	n.LabelMap = d.labels(o.Labels).Map() // one string holds them all
	if len(o.Spec.Taints) > 0 {
		n.Taints = make([]corev1.Taint, len(o.Spec.Taints))
		for i, t := range o.Spec.Taints {
			n.Taints[i] = corev1.Taint{
				Key: d.strings.get(t.Key), Value: d.strings.get(t.Value), Effect: corev1.TaintEffect(d.strings.get(string(t.Effect))),
			}
		}
	}
	for i := range o.Status.Conditions {
		if c := &o.Status.Conditions[i]; c.Type == corev1.NodeReady {
			n.Ready, n.ReadyChanged = c.Status == corev1.ConditionTrue, seconds(c.LastTransitionTime.Time)
		}
	}
	return n, nil
}
