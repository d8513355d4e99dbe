package cluster

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// schedulingOf gives what in the Pod spec restricts its nodes, never nil.
func (d *decoder) schedulingOf(spec *corev1.PodSpec) *Scheduling {
	required := requiredAffinity(spec.Affinity)
	var e encoding
	e.stringMap(spec.NodeSelector)
	e.selector(required)
	e.tolerations(spec.Tolerations)
	return d.scheduling.get(e, func() *Scheduling {
		s := &Scheduling{Required: d.nodeSelector(required)}
		if len(spec.NodeSelector) > 0 {
			s.NodeSelector = maps.Clone(spec.NodeSelector)
		}
		if len(spec.Tolerations) > 0 {
			s.Tolerations = make([]corev1.Toleration, len(spec.Tolerations))
			for i := range spec.Tolerations {
				spec.Tolerations[i].DeepCopyInto(&s.Tolerations[i])
			}
		}
		return s
	})
}

// nodeSelector gives the selector interned, nil for nil. One without terms is kept: it matches no node, where nil matches all.
func (d *decoder) nodeSelector(s *corev1.NodeSelector) *corev1.NodeSelector {
	if s == nil {
		return nil
	}
	var e encoding
	e.selector(s)
	return d.selectors.get(e, s.DeepCopy)
}

func requiredAffinity(a *corev1.Affinity) *corev1.NodeSelector {
	if a == nil || a.NodeAffinity == nil {
		return nil
	}
	return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// targetNode gives the node that the DaemonSet controller made the Pod for (k8s.io/kubernetes pkg/controller/daemon/util,
// ReplaceDaemonSetPodNodeNameNodeAffinity), "" when its affinity names none.
func targetNode(required *corev1.NodeSelector) string {
	if required == nil {
		return ""
	}
	for _, term := range required.NodeSelectorTerms {
		for _, f := range term.MatchFields {
			if f.Key == metav1.ObjectNameField && f.Operator == corev1.NodeSelectorOpIn && len(f.Values) == 1 {
				return f.Values[0]
			}
		}
	}
	return ""
}

// encoding is a canonical form: two values have the same one exactly when they are equal. Strings and lists are preceded by their
// length, so that no content can be mistaken for structure.
type encoding []byte

func (e *encoding) number(n int)    { *e = binary.AppendUvarint(*e, uint64(n)) }
func (e *encoding) string(s string) { e.number(len(s)); *e = append(*e, s...) }
func (e *encoding) strings(s []string) {
	e.number(len(s))
	for _, v := range s {
		e.string(v)
	}
}

func (e *encoding) stringMap(m map[string]string) {
	e.number(len(m))
	for _, k := range slices.SortedFunc(maps.Keys(m), strings.Compare) {
		e.string(k)
		e.string(m[k])
	}
}

func (e *encoding) selector(s *corev1.NodeSelector) {
	if s == nil {
		e.number(0)
		return
	}
	e.number(len(s.NodeSelectorTerms) + 1)
	for i := range s.NodeSelectorTerms {
		e.requirements(s.NodeSelectorTerms[i].MatchExpressions)
		e.requirements(s.NodeSelectorTerms[i].MatchFields)
	}
}

func (e *encoding) requirements(list []corev1.NodeSelectorRequirement) {
	e.number(len(list))
	for i := range list {
		e.string(list[i].Key)
		e.string(string(list[i].Operator))
		e.strings(list[i].Values)
	}
}

func (e *encoding) tolerations(list []corev1.Toleration) {
	e.number(len(list))
	for i := range list {
		t := &list[i]
		e.string(t.Key)
		e.string(string(t.Operator))
		e.string(t.Value)
		e.string(string(t.Effect))
		if t.TolerationSeconds == nil {
			e.number(0)
			continue
		}
		e.number(1)
		*e = binary.AppendVarint(*e, *t.TolerationSeconds)
	}
}
