package claims

import (
	"strconv"
	"strings"

	"tocsin/collectors/cluster"
)

// place is where a claim's name lies among those that the live StatefulSets give.
type place uint8

const (
	nowhere      place = iota // no live set gives such a name
	outside                   // a live set gives such names, but not this ordinal
	autoscaled                // an autoscaler may yet raise the set to this ordinal
	scaledToZero              // a set with no replicas keeps its claims for when it is scaled up again
	inside                    // an ordinal that the set has now
)

// sets are a namespace's StatefulSets by the names that they give to claims: <template>-<set>-<ordinal>
// (k8s.io/kubernetes pkg/controller/statefulset/stateful_set_utils.go, getPersistentVolumeClaimName).
type sets struct {
	byPrefix map[string][]*cluster.StatefulSet // <template>-<set>; several pairs may give the same
	names    map[string]struct{}
	max      map[string]int32 // the most replicas that an autoscaler may give a set
}

func newSets(in *Namespace) *sets {
	s := &sets{byPrefix: map[string][]*cluster.StatefulSet{}, names: make(map[string]struct{}, len(in.StatefulSets)), max: map[string]int32{}}
	for _, set := range in.StatefulSets {
		s.names[set.Name] = struct{}{}
		for _, t := range set.Templates {
			prefix := t.Name + "-" + set.Name
			s.byPrefix[prefix] = append(s.byPrefix[prefix], set)
		}
	}
	for _, a := range in.Autoscalers {
		if a.TargetKind == "StatefulSet" {
			s.max[a.TargetName] = max(s.max[a.TargetName], a.Max)
		}
	}
	return s
}

// place finds the claim's place: the strongest that any pair of template and set gives it.
func (s *sets) place(claim string) place {
	prefix, ordinal, ok := cutOrdinal(claim)
	if !ok {
		return nowhere
	}
	best := nowhere
	for _, set := range s.byPrefix[prefix] {
		best = max(best, s.in(set, ordinal))
	}
	return best
}

func (s *sets) in(set *cluster.StatefulSet, ordinal int64) place {
	start := int64(set.Start)
	switch {
	case set.Replicas <= 0:
		return scaledToZero
	case ordinal >= start && ordinal < start+int64(set.Replicas):
		return inside
	case ordinal >= start && ordinal < start+int64(s.max[set.Name]):
		return autoscaled
	}
	return outside
}

// controllerManager is the field manager of what the StatefulSet controller makes.
const controllerManager = "kube-controller-manager"

// former tells of a claim that no live set explains whether the StatefulSet controller made it: for a template that its set no longer
// has, or for a set that is gone. It is the only controller of the kube-controller-manager that makes claims without an owner.
func (s *sets) former(c *cluster.Claim) Reason {
	prefix, _, ok := cutOrdinal(c.Name)
	if !ok || c.CreatedBy != controllerManager {
		return ""
	}
	for i := range prefix {
		if _, live := s.names[prefix[i+1:]]; live && i > 0 && prefix[i] == '-' {
			return StatefulSetTemplateRemoved
		}
	}
	return StatefulSetDeleted
}

// cutOrdinal cuts a name at its last dash when an ordinal follows, written as the controller writes it: 0, or digits that do not begin
// with 0.
func cutOrdinal(name string) (prefix string, ordinal int64, ok bool) {
	i := strings.LastIndexByte(name, '-')
	if i <= 0 {
		return "", 0, false
	}
	digits := name[i+1:]
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || digits[0] == '0' && len(digits) > 1 {
		return "", 0, false
	}
	return name[:i], int64(n), true
}
