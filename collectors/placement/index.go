package placement

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

// labelIndex finds the nodes with a label, and the constraints that read it.
type labelIndex struct {
	values map[string]*labelValue
	any    []int32 // constraints that read the label whatever its value
}

type labelValue struct {
	nodes nodeSet
	in    []int32 // constraints that ask for this value
}

func (x *labelIndex) at(value string) *labelValue {
	v := x.values[value]
	if v == nil {
		v = &labelValue{}
		x.values[value] = v
	}
	return v
}

// labelOf reads a label, or the name, of a node that may be nil.
func labelOf(n *cluster.Node, key string) (string, bool) {
	if n == nil {
		return "", false
	}
	if key == nameKey {
		return n.Name, true
	}
	v, ok := n.LabelMap[key]
	return v, ok
}

// label gives the index of a label, and makes it when nothing has read the label before.
func (c *Cluster) label(key string) *labelIndex {
	x := c.labels[key]
	if x != nil {
		return x
	}
	x = &labelIndex{values: map[string]*labelValue{}}
	c.labels[key] = x
	for slot, n := range c.nodes {
		if v, ok := labelOf(n, key); ok {
			x.at(v).nodes.add(int32(slot))
		}
	}
	return x
}

// watch registers what a constraint reads.
func (c *Cluster) watch(id int32) {
	k := c.constraints[id]
	for _, r := range k.every {
		c.watchRequirement(id, r)
	}
	for _, t := range k.terms {
		for _, r := range t {
			c.watchRequirement(id, r)
		}
	}
	if k.zone != nil {
		for _, key := range zoneLabels {
			x := c.label(key)
			x.any = append(x.any, id)
		}
	}
	if k.everyNode() {
		c.newcomers = append(c.newcomers, id)
	}
}

func (c *Cluster) watchRequirement(id int32, r requirement) {
	x := c.label(r.key)
	if r.op == corev1.NodeSelectorOpIn {
		for _, v := range r.values {
			p := x.at(v)
			p.in = append(p.in, id)
		}
		return
	}
	x.any = append(x.any, id)
}

// relabel moves a node from its old state to its new one, either may be nil, and marks the constraints that may see the difference.
func (c *Cluster) relabel(slot int32, old, now *cluster.Node) {
	for key, x := range c.labels {
		was, had := labelOf(old, key)
		is, has := labelOf(now, key)
		if had == has && was == is {
			continue
		}
		if had {
			v := x.at(was)
			v.nodes.remove(slot)
			c.markStale(v.in)
		}
		if has {
			v := x.at(is)
			v.nodes.add(slot)
			c.markStale(v.in)
		}
		c.markStale(x.any)
	}
	if (old == nil) != (now == nil) {
		c.markStale(c.newcomers)
	}
}

func (c *Cluster) markStale(ids []int32) {
	for _, id := range ids {
		if k := c.constraints[id]; !k.stale {
			k.stale = true
			c.stale = append(c.stale, id)
		}
	}
}

// evaluate finds the nodes that fulfill a constraint, from the index.
func (c *Cluster) evaluate(id int32) {
	k := c.constraints[id]
	k.stale = false
	sum := c.scratch(0)
	c.existing.or(sum)
	for _, r := range k.every {
		c.restrict(sum, r)
	}
	if k.oneOf {
		either, term := c.scratch(1), c.scratch(2)
		for _, t := range k.terms {
			copy(term, sum)
			for _, r := range t {
				c.restrict(term, r)
			}
			for i, w := range term {
				either[i] |= w
			}
		}
		sum = either
	}
	if k.zone != nil {
		c.restrictZone(sum, k.zone)
	}
	c.fulfill[id].assign(sum)
}

// restrict takes from a bitset the nodes that do not fulfill a requirement.
func (c *Cluster) restrict(words []uint64, r requirement) {
	x := c.label(r.key)
	if r.op == corev1.NodeSelectorOpNotIn {
		for _, v := range r.values {
			if p := x.values[v]; p != nil {
				p.nodes.andNot(words)
			}
		}
		return
	}
	if r.op == corev1.NodeSelectorOpIn && len(r.values) == 1 {
		x.at(r.values[0]).nodes.and(words)
		return
	}
	sum := c.scratch(3)
	switch r.op {
	case corev1.NodeSelectorOpIn:
		for _, v := range r.values {
			x.at(v).nodes.or(sum)
		}
	default: // Exists, DoesNotExist, Gt, Lt: termOf lets no other pass
		for v, p := range x.values {
			if r.fits(v) {
				p.nodes.or(sum)
			}
		}
	}
	for i, w := range sum {
		if r.op == corev1.NodeSelectorOpDoesNotExist {
			words[i] &^= w
		} else {
			words[i] &= w
		}
	}
}

// fits tells whether a label's value is one that Exists, DoesNotExist, Gt or Lt are about
// (k8s.io/apimachinery/pkg/labels, Requirement.Matches).
func (r *requirement) fits(value string) bool {
	if r.op != corev1.NodeSelectorOpGt && r.op != corev1.NodeSelectorOpLt {
		return true
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return false
	}
	return r.op == corev1.NodeSelectorOpGt && n > r.bound || r.op == corev1.NodeSelectorOpLt && n < r.bound
}

// scratch gives an empty bitset as large as there are slots; each number is one bitset.
func (c *Cluster) scratch(i int) []uint64 {
	words := (len(c.nodes) + 63) / 64
	if cap(c.spare[i]) < words {
		c.spare[i] = make([]uint64, words, words+words/4)
	}
	s := c.spare[i][:words]
	clear(s)
	return s
}
