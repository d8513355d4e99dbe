package placement

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// nameKey stands for the field metadata.name among label keys, none of which has a NUL.
const nameKey = "\x00metadata.name"

// requirement is one condition on a node's label, or on its name.
type requirement struct {
	key    string
	op     corev1.NodeSelectorOperator
	values []string
	bound  int64 // of Gt and Lt
}

// constraint is what a Pod's own node selection, or a volume, asks of a node.
type constraint struct {
	every  []requirement   // all of these
	terms  [][]requirement // and, when oneOf, all of one of these: none when there are none
	oneOf  bool
	zone   map[string][]string // and these, as the plugin VolumeZone reads them
	byNode bool                // lists nodes by their hostname or name
	byZone bool                // asks only for zones, regions and platforms: its data is not on one node, however few there are
	fields bool                // has matchFields
	stale  bool
}

// selecting makes the constraint of a node selector and a required node affinity, either may be nil. The rules are those of
// k8s.io/component-helpers/scheduling/corev1/nodeaffinity: terms are alternatives, an empty one and one that does not parse match no
// node. With labelsOnly matchFields are passed over: that is how a volume's affinity is enforced, since the scheduler and the kubelet
// check it against a Node that has no name (k8s.io/component-helpers/storage/volume, CheckNodeAffinity).
func selecting(selector map[string]string, required *corev1.NodeSelector, labelsOnly bool) *constraint {
	c := &constraint{oneOf: required != nil}
	for k, v := range selector {
		c.every = append(c.every, requirement{key: k, op: corev1.NodeSelectorOpIn, values: []string{v}})
		c.byNode = c.byNode || k == corev1.LabelHostname
	}
	slices.SortFunc(c.every, func(a, b requirement) int { return strings.Compare(a.key, b.key) })
	if required == nil {
		return c
	}
	wideOnly := len(selector) == 0
	for i := range required.NodeSelectorTerms {
		t := &required.NodeSelectorTerms[i]
		c.fields = c.fields || len(t.MatchFields) > 0
		if len(t.MatchExpressions) == 0 && len(t.MatchFields) == 0 {
			continue
		}
		term, ok := termOf(t, labelsOnly)
		if !ok {
			continue
		}
		c.terms = append(c.terms, term)
		for _, r := range term {
			c.byNode = c.byNode || r.op == corev1.NodeSelectorOpIn && (r.key == corev1.LabelHostname || r.key == nameKey)
			wideOnly = wideOnly && wide(r.key)
		}
	}
	c.byZone = wideOnly && !c.fields && len(c.terms) > 0
	return c
}

// wide tells whether a label is shared by design: zones and regions under the names that the cloud providers' drivers give them, and
// the platform, which some drivers add.
func wide(key string) bool {
	switch key {
	case corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion, corev1.LabelOSStable, corev1.LabelArchStable:
		return true
	}
	switch key[strings.LastIndexByte(key, '/')+1:] {
	case "zone", "region", "location", "k8s-zone", "k8s-region":
		return true
	}
	return false
}

var operators = map[corev1.NodeSelectorOperator]selection.Operator{
	corev1.NodeSelectorOpIn:           selection.In,
	corev1.NodeSelectorOpNotIn:        selection.NotIn,
	corev1.NodeSelectorOpExists:       selection.Exists,
	corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
	corev1.NodeSelectorOpGt:           selection.GreaterThan,
	corev1.NodeSelectorOpLt:           selection.LessThan,
}

// termOf gives a term's requirements, or false when it can match no node.
func termOf(t *corev1.NodeSelectorTerm, labelsOnly bool) ([]requirement, bool) {
	term := make([]requirement, 0, len(t.MatchExpressions)+len(t.MatchFields))
	for _, e := range t.MatchExpressions {
		r := requirement{key: e.Key, op: e.Operator, values: e.Values}
		if _, err := labels.NewRequirement(e.Key, operators[e.Operator], e.Values); err != nil {
			return nil, false
		}
		if e.Operator == corev1.NodeSelectorOpGt || e.Operator == corev1.NodeSelectorOpLt {
			r.bound, _ = strconv.ParseInt(e.Values[0], 10, 64) // NewRequirement has parsed it
		}
		term = append(term, r)
	}
	for _, e := range t.MatchFields {
		if len(e.Values) != 1 || e.Operator != corev1.NodeSelectorOpIn && e.Operator != corev1.NodeSelectorOpNotIn {
			return nil, false
		}
		switch {
		case labelsOnly:
		case e.Key == "metadata.name":
			term = append(term, requirement{key: nameKey, op: e.Operator, values: e.Values})
		case (e.Values[0] == "") != (e.Operator == corev1.NodeSelectorOpIn): // a field that Nodes do not have reads as ""
			return nil, false
		}
	}
	return term, true
}

// onNode makes the constraint of the one node with this name.
func onNode(name string) *constraint {
	return &constraint{every: []requirement{{key: nameKey, op: corev1.NodeSelectorOpIn, values: []string{name}}}, byNode: true}
}

// inZone makes the constraint of a volume's zone and region labels.
func inZone(zone map[string][]string) *constraint { return &constraint{zone: zone, byZone: true} }

// everyNode tells whether a node without any label may fulfill the constraint, so that each new one has to be looked at.
func (c *constraint) everyNode() bool {
	negative := func(r requirement) bool {
		return r.op == corev1.NodeSelectorOpNotIn || r.op == corev1.NodeSelectorOpDoesNotExist
	}
	if c.zone != nil {
		return true
	}
	if !allOf(c.every, negative) {
		return false
	}
	if !c.oneOf {
		return true
	}
	return slices.ContainsFunc(c.terms, func(t []requirement) bool { return allOf(t, negative) })
}

func allOf(rs []requirement, is func(requirement) bool) bool {
	return !slices.ContainsFunc(rs, func(r requirement) bool { return !is(r) })
}
