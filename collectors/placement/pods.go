package placement

import (
	"slices"

	"tocsin/collectors/cluster"
)

// entry is what is known of a Pod beside its record.
type entry struct {
	signature  int32 // none for a Pod that is not judged
	node       int32 // slot, none while it has no node
	claims     bool  // it names claims: what happens to them may change its signature
	waiting    bool  // the scheduler has found no node for it
	controlled bool  // a controller would replace it
}

func (c *Cluster) updatePods(now []*cluster.Pod, all bool) {
	if !all && len(c.touched) == 0 && slices.Equal(c.input.Pods, now) {
		return
	}
	next, i, before := c.nextPod[:0], 0, c.input.Pods
	for _, p := range now {
		for i < len(before) && before[i] != p && order(&before[i].Meta, &p.Meta) <= 0 {
			i++
		}
		if i < len(before) && before[i] == p && !all && (!c.pods[i].claims || !c.touches(p)) {
			next = append(next, c.pods[i])
			continue
		}
		next = append(next, c.enter(p))
	}
	c.pods, c.nextPod = next, c.pods
	c.input.Pods = keep(c.input.Pods, now)
}

func (c *Cluster) touches(p *cluster.Pod) bool {
	if len(c.touched) == 0 {
		return false
	}
	return slices.ContainsFunc(p.Claims, func(r cluster.ClaimRef) bool {
		_, ok := c.touched[claimName{p.Namespace, r.Name}]
		return ok
	})
}

// exempt tells whether a Pod is never judged: it has ended or is about to, or it belongs to its node, as DaemonSets' and static Pods
// do, and nobody expects it elsewhere.
func exempt(p *cluster.Pod) bool {
	if p.Terminal() || p.Deleted != 0 || p.Mirror || p.TargetNode != "" {
		return true
	}
	owner, ok := p.Controller()
	return ok && owner.Kind == "DaemonSet"
}

// enter finds a Pod's signature. Generic ephemeral volumes go with the Pod, and a claim that waits for its first consumer can be made
// anywhere, unless a node has been selected for it: neither pins.
func (c *Cluster) enter(p *cluster.Pod) entry {
	e := entry{signature: none, node: none, claims: len(p.Claims) > 0}
	if p.Node != "" {
		e.node = c.slot(p.Node)
	}
	if exempt(p) {
		return e
	}
	s := signature{spec: c.specOf(p.Scheduling), hostPath: p.HostPath, holds: c.holds[:0]}
	for _, r := range p.Claims {
		if !r.Ephemeral {
			s.holds = c.holdsOfClaim(find(c.input.Claims, p.Namespace, r.Name), s.holds)
		}
	}
	if owner, ok := p.Controller(); ok {
		e.controlled = true
		_, s.fixed = c.input.FixedNodes[owner.UID]
	}
	e.waiting = p.Node == "" && p.Phase == cluster.PhasePending && p.Scheduled == cluster.Unschedulable
	c.holds = s.holds
	e.signature = c.signatureOf(s)
	return e
}

func (c *Cluster) holdsOfClaim(k *cluster.Claim, to []hold) []hold {
	switch {
	case k == nil:
	case k.Volume != "":
		if v := find(c.input.Volumes, "", k.Volume); v != nil {
			return c.holdsOf(v, to)
		}
	case k.SelectedNode != "":
		id := c.intern("node", k.SelectedNode, func() *constraint { return onNode(k.SelectedNode) })
		return append(to, hold{kind: holdSelected, enforced: id, actual: id})
	}
	return to
}

// Pods gives the verdict on each Pod that is pinned, by namespace and name. Every stranded Pod, and every Pod that a drain would
// strand, is among them.
func (c *Cluster) Pods(yield func(*cluster.Pod, Verdict) bool) {
	for i := range c.pods {
		if v, ok := c.verdict(&c.pods[i]); ok && !yield(c.input.Pods[i], v) {
			return
		}
	}
}

// Stranded tells why no node can take the Pod, and what pins it; false when it does not wait for a node, or some node could take it.
func (c *Cluster) Stranded(p *cluster.Pod) (Cause, Pin, bool) {
	i, ok := slices.BinarySearchFunc(c.input.Pods, &p.Meta, func(q *cluster.Pod, m *cluster.Meta) int { return order(&q.Meta, m) })
	if !ok {
		return NotStranded, NotPinned, false
	}
	v, ok := c.verdict(&c.pods[i])
	return v.Stranded, v.Pin, ok && v.Stranded != NotStranded
}

func (c *Cluster) verdict(e *entry) (Verdict, bool) {
	if e.signature == none {
		return Verdict{}, false
	}
	j := c.judged[e.signature]
	if j.pin == NotPinned && (j.candidates > 1 || !j.choosy) {
		return Verdict{}, false
	}
	s := &c.signatures[e.signature]
	v := Verdict{Pin: j.pin, Alternatives: int(j.candidates)}
	at := e.node
	if at == none {
		at = c.home(s)
	}
	if at != none && v.Alternatives > 0 && c.allows(s, at) {
		v.Alternatives--
	}
	if j.fixed {
		v.Alternatives = 0 // the next Pod goes to the same node, whatever its state
	}
	if j.choosy && v.Alternatives == 0 {
		v.Pin = stronger(v.Pin, NodeAffinity)
	}
	if v.Pin == NotPinned {
		return Verdict{}, false
	}
	if at != none {
		v.Node, v.Placed = c.names[at], e.node != none && c.nodes[at] != nil
	}
	lost := (j.held || j.choosy) && !j.fixed && v.Alternatives == 0
	v.LostByDrain = lost && v.Placed && e.controlled
	if e.waiting && lost && j.candidates == 0 {
		v.Stranded = c.cause(s)
	}
	return v, true
}
