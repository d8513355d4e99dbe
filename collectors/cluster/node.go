package cluster

import corev1 "k8s.io/api/core/v1"

// Node is what Tocsin keeps of a Node.
type Node struct {
	Meta
	LabelMap      map[string]string
	Taints        []corev1.Taint
	Unschedulable bool // cordoned
	Ready         bool
	ReadyChanged  Time // lastTransitionTime of Ready
}
