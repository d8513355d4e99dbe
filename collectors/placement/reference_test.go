package placement

import (
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	schedulinghelpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"tocsin/collectors/cluster"
)

// selectedPrefix begins the name of a volume that is yet to be made on the node that follows.
const selectedPrefix = "selected:"

// couldRun answers for one Pod and one node what the scheduler's own helpers answer.
func couldRun(in Input, p *cluster.Pod, n *cluster.Node) bool {
	s := p.Scheduling
	if s == nil {
		s = &cluster.Scheduling{}
	}
	return n.Ready && selects(s, n) && tolerates(s.Tolerations, n) && !slices.ContainsFunc(volumesOf(in, p), func(v *cluster.Volume) bool {
		return !reaches(v, n)
	})
}

func selects(s *cluster.Scheduling, n *cluster.Node) bool {
	affinity := &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: s.Required}}
	ok, _ := nodeaffinity.NewRequiredNodeAffinity(s.NodeSelector, affinity).Match(apiNode(n))
	return ok
}

func tolerates(tolerations []corev1.Toleration, n *cluster.Node) bool {
	cordon := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	if n.Unschedulable && !schedulinghelpers.TolerationsTolerateTaint(logr.Discard(), tolerations, &cordon, true) {
		return false
	}
	_, untolerated := schedulinghelpers.FindMatchingUntoleratedTaint(logr.Discard(), n.Taints, tolerations, func(t *corev1.Taint) bool {
		return (t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute) && !cluster.TransientTaint(t.Key)
	}, true)
	return !untolerated
}

func reaches(v *cluster.Volume, n *cluster.Node) bool {
	if name, ok := strings.CutPrefix(v.Name, selectedPrefix); ok {
		return n.Name == name
	}
	pv := &corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{NodeAffinity: &corev1.VolumeNodeAffinity{Required: v.Affinity}}}
	if storagehelpers.CheckNodeAffinity(pv, n.LabelMap) != nil {
		return false
	}
	anyZone := false
	for _, k := range []string{"topology.kubernetes.io/zone", "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone",
		"failure-domain.beta.kubernetes.io/region"} {
		_, ok := n.LabelMap[k]
		anyZone = anyZone || ok
	}
	if !anyZone {
		return true
	}
	for k, values := range v.Zone {
		label, ok := n.LabelMap[k]
		if !ok && k == "failure-domain.beta.kubernetes.io/zone" {
			label, ok = n.LabelMap["topology.kubernetes.io/zone"]
		}
		if !ok && k == "failure-domain.beta.kubernetes.io/region" {
			label, ok = n.LabelMap["topology.kubernetes.io/region"]
		}
		if !ok || !slices.Contains(values, label) {
			return false
		}
	}
	return true
}

func volumesOf(in Input, p *cluster.Pod) []*cluster.Volume {
	var vs []*cluster.Volume
	for _, r := range p.Claims {
		for _, k := range in.Claims {
			if r.Ephemeral || k.Namespace != p.Namespace || k.Name != r.Name {
				continue
			}
			for _, v := range in.Volumes {
				if v.Name == k.Volume {
					vs = append(vs, v)
				}
			}
			if k.Volume == "" && k.SelectedNode != "" {
				vs = append(vs, &cluster.Volume{Meta: cluster.Meta{Name: selectedPrefix + k.SelectedNode}})
			}
		}
	}
	return vs
}

func apiNode(n *cluster.Node) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.LabelMap}}
}
