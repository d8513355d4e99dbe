package placement

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// zoneLabels are the labels that the scheduler's plugin VolumeZone knows (k8s.io/kubernetes
// pkg/scheduler/framework/plugins/volumezone/volume_zone.go, topologyLabels).
var zoneLabels = [...]string{
	corev1.LabelTopologyZone, corev1.LabelTopologyRegion, corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion,
}

// restrictZone takes away the nodes that a volume's zone labels exclude: a node without any such label is never excluded, and a beta
// label also matches the one that came after it (k8s.io/kubernetes pkg/scheduler/framework/plugins/volumezone/volume_zone.go, Filter).
func (c *Cluster) restrictZone(words []uint64, zone map[string][]string) {
	for slot, n := range c.nodes {
		if n != nil && !zoneAllows(n.LabelMap, zone) {
			words[slot>>6] &^= 1 << (uint(slot) & 63)
		}
	}
}

func zoneAllows(labels map[string]string, zone map[string][]string) bool {
	labeled := false
	for _, key := range zoneLabels {
		_, ok := labels[key]
		labeled = labeled || ok
	}
	if !labeled {
		return true
	}
	for key, values := range zone {
		v, ok := labels[key]
		if !ok {
			switch key {
			case corev1.LabelFailureDomainBetaZone:
				v, ok = labels[corev1.LabelTopologyZone]
			case corev1.LabelFailureDomainBetaRegion:
				v, ok = labels[corev1.LabelTopologyRegion]
			}
		}
		if !ok || !slices.Contains(values, v) {
			return false
		}
	}
	return true
}
