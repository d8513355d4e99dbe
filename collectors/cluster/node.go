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

// TransientTaint tells whether a taint comes and goes by itself: nodes that start, fail or are about to be replaced have it. It keeps
// no Pod away for ever; whether the node can run Pods meanwhile, its condition Ready says.
func TransientTaint(key string) bool {
	switch key {
	case corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeOutOfService,
		"node.cloudprovider.kubernetes.io/uninitialized",
		"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler",
		"karpenter.sh/disrupted", "karpenter.sh/unregistered":
		return true
	}
	return false
}
