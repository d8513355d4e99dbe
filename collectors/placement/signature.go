package placement

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

// none is the id of a constraint that is not there.
const none int32 = -1

// spec is a distinct pair of node selection and tolerations, and the nodes that both allow now.
type spec struct {
	own    int32 // constraint of the node selection
	tol    int32
	nodes  nodeSet
	choosy bool // the node selection keeps its Pods from some nodes, or would if there were others
	pin    Pin
}

// hold is a volume as it holds the Pods that use it.
type hold struct {
	kind     holdKind
	enforced int32 // constraint that the scheduler checks, none when it checks nothing
	actual   int32 // constraint of where the data is; differs from enforced when matchFields are passed over
}

type holdKind int32

const (
	holdLocal holdKind = iota
	holdHostPath
	holdOther
	holdZone     // shared by the nodes of a zone or region
	holdSelected // not made yet, but to be made on this node
)

// signature is all that decides where a Pod may run, and what follows from it: Pods with the same have the same verdict, but for the
// node that they are on. It is small because every Pod looks at it at every pass.
type signature struct {
	spec     int32
	from, to int32 // its holds in the array of all of them: one after the other, they are read faster than in a slice each
	hostPath bool  // a writable host path of the Pod's own
	fixed    bool  // the template names the node: no scheduler is asked

	// What follows, as of now.
	held       bool // its volumes keep it from some nodes, or would if there were others
	choosy     bool // as its spec
	pin        Pin
	candidates int32 // nodes that could take the Pod
}

// bound tells whether a Pod could not go elsewhere when no node is left: its volumes or its selection keep it, and the scheduler asks.
func (s *signature) bound() bool { return (s.held || s.choosy) && !s.fixed }

// specOf gives the id of a Pod's node selection and tolerations.
func (c *Cluster) specOf(s *cluster.Scheduling) int32 {
	if id, ok := c.specs[s]; ok {
		return id
	}
	own, tolerations := none, []corev1.Toleration(nil)
	if s != nil {
		tolerations = s.Tolerations
		if len(s.NodeSelector) > 0 || s.Required != nil {
			own = c.intern("select", []any{s.NodeSelector, s.Required}, func() *constraint { return selecting(s.NodeSelector, s.Required, false) })
		}
	}
	tol := c.tolerationOf(tolerations)
	id, ok := c.specIDs[[2]int32{own, tol}]
	if !ok {
		id = int32(len(c.allSpecs))
		c.specIDs[[2]int32{own, tol}] = id
		c.allSpecs = append(c.allSpecs, spec{own: own, tol: tol})
		c.refresh(&c.allSpecs[id])
		c.choose(&c.allSpecs[id])
	}
	c.specs[s] = id
	return id
}

func (c *Cluster) refresh(s *spec) {
	words := c.scratch(0)
	c.tolerations[s.tol].usable.or(words)
	if s.own != none {
		c.fulfill[s.own].and(words)
	}
	s.nodes.assign(words)
}

// tolerationOf gives the id of a list of tolerations; those that only delay an eviction or concern PreferNoSchedule change nothing.
func (c *Cluster) tolerationOf(list []corev1.Toleration) int32 {
	var kept []corev1.Toleration
	for _, t := range list {
		if t.Effect != corev1.TaintEffectPreferNoSchedule && (t.Key == "" || !cluster.TransientTaint(t.Key)) {
			t.TolerationSeconds = nil
			kept = append(kept, t)
		}
	}
	key, _ := json.Marshal(kept) // strings and nothing else: it cannot fail
	id, ok := c.tolerationIDs[string(key)]
	if ok {
		return id
	}
	id = int32(len(c.tolerations))
	c.tolerationIDs[string(key)] = id
	t := &toleration{list: kept}
	for slot, n := range c.nodes {
		t.update(int32(slot), n)
	}
	c.tolerations = append(c.tolerations, t)
	return id
}

// intern gives the id of a constraint, equal ones the same.
func (c *Cluster) intern(kind string, content any, make func() *constraint) int32 {
	key, _ := json.Marshal(content) // maps and strings: it cannot fail
	k := kind + string(key)
	if id, ok := c.constraintIDs[k]; ok {
		return id
	}
	id := int32(len(c.constraints))
	c.constraintIDs[k] = id
	c.constraints, c.fulfill = append(c.constraints, make()), append(c.fulfill, nodeSet{})
	c.watch(id)
	c.evaluate(id)
	return id
}

// holdsOfVolume gives the holds of a volume, most have none or one.
func (c *Cluster) holdsOfVolume(v *cluster.Volume, to []hold) []hold {
	h := hold{kind: holdOther, enforced: none, actual: none}
	switch {
	case v.Local:
		h.kind = holdLocal
	case v.HostPath:
		h.kind = holdHostPath
	}
	if v.Affinity != nil {
		h.enforced, h.actual = c.affinityOf(v.Affinity)
		if h.kind == holdOther && c.constraints[h.actual].byZone {
			h.kind = holdZone
		}
	}
	if h.enforced != none || h.kind != holdOther {
		to = append(to, h)
	}
	if len(v.Zone) > 0 {
		id := c.intern("zone", v.Zone, func() *constraint { return inZone(v.Zone) })
		to = append(to, hold{kind: holdZone, enforced: id, actual: id})
	}
	return to
}

// affinityOf gives the constraints of a volume's node affinity: as it is enforced, and as it is meant.
func (c *Cluster) affinityOf(a *corev1.NodeSelector) (enforced, actual int32) {
	if ids, ok := c.affinities[a]; ok {
		return ids[0], ids[1]
	}
	actual = c.intern("volume", a, func() *constraint { return selecting(nil, a, false) })
	enforced = actual
	if c.constraints[actual].fields {
		enforced = c.intern("enforced", a, func() *constraint { return selecting(nil, a, true) })
	}
	c.affinities[a] = [2]int32{enforced, actual}
	return enforced, actual
}

func (c *Cluster) holdsOf(s *signature) []hold { return c.holds[s.from:s.to] }

// signatureOf gives the id of the signature with these holds, which may be reordered.
func (c *Cluster) signatureOf(s signature, holds []hold) int32 {
	slices.SortFunc(holds, func(a, b hold) int {
		return cmp.Or(cmp.Compare(a.enforced, b.enforced), cmp.Compare(a.actual, b.actual), cmp.Compare(a.kind, b.kind))
	})
	holds = slices.Compact(holds)
	key := c.key[:0]
	key = binary.LittleEndian.AppendUint32(key, uint32(s.spec))
	key = append(key, flag(s.hostPath)|flag(s.fixed)<<1)
	for _, h := range holds {
		key = append(key, byte(h.kind))
		key = binary.LittleEndian.AppendUint32(key, uint32(h.enforced))
		key = binary.LittleEndian.AppendUint32(key, uint32(h.actual))
	}
	c.key = key
	if id, ok := c.signatureIDs[string(key)]; ok {
		return id
	}
	id := int32(len(c.signatures))
	c.signatureIDs[string(key)] = id
	s.from = int32(len(c.holds))
	c.holds = append(c.holds, holds...)
	s.to = int32(len(c.holds))
	c.pin(&s)
	s.candidates = c.candidatesOf(&s)
	c.signatures = append(c.signatures, s)
	return id
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}
