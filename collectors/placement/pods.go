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
	s := signature{spec: c.specOf(p.Scheduling), hostPath: p.HostPath}
	holds := c.found[:0]
	for _, r := range p.Claims {
		if !r.Ephemeral {
			holds = c.holdsOfClaim(find(c.input.Claims, p.Namespace, r.Name), holds)
		}
	}
	if owner, ok := p.Controller(); ok {
		e.controlled = true
		_, s.fixed = c.input.FixedNodes[owner.UID]
	}
	e.waiting = p.Node == "" && p.Phase == cluster.PhasePending && p.Scheduled == cluster.Unschedulable
	c.found = holds
	e.signature = c.signatureOf(s, holds)
	return e
}

func (c *Cluster) holdsOfClaim(k *cluster.Claim, to []hold) []hold {
	switch {
	case k == nil:
	case k.Volume != "":
		// One that a claim of another namespace holds cannot be this one's, whatever this one says.
		if v := find(c.input.Volumes, "", k.Volume); v != nil && (!v.HasClaim || v.ClaimNamespace == k.Namespace) {
			return c.holdsOfVolume(v, to)
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
		e := &c.pods[i]
		at, others, pin := c.place(e)
		if pin == NotPinned {
			continue
		}
		node, placed := "", false
		if at != none {
			node, placed = c.names[at], e.node != none && c.nodes[at] != nil
		}
		lost, stranded := others == 0 && c.signatures[e.signature].bound(), NotStranded
		if lost && e.waiting {
			stranded = c.strandedBy(e)
		}
		// Made here and at once: filled field by field or handed on by a function, it would be copied, and that would cost more than all
		// of the rest.
		if !yield(c.input.Pods[i], Verdict{Node: node, Alternatives: int(others), Pin: pin, Stranded: stranded, Placed: placed,
			LostByDrain: lost && placed && e.controlled}) {
			return
		}
	}
}

// Stranded tells why no node can take the Pod, and what pins it; false when it does not wait for a node, or some node could take it.
func (c *Cluster) Stranded(p *cluster.Pod) (Cause, Pin, bool) {
	i, ok := slices.BinarySearchFunc(c.input.Pods, &p.Meta, func(q *cluster.Pod, m *cluster.Meta) int { return order(&q.Meta, m) })
	if !ok || !c.pods[i].waiting {
		return NotStranded, NotPinned, false
	}
	e := &c.pods[i]
	_, others, pin := c.place(e)
	if pin == NotPinned || others > 0 || !c.signatures[e.signature].bound() {
		return NotStranded, pin, false
	}
	cause := c.strandedBy(e)
	return cause, pin, cause != NotStranded
}

// place finds where a Pod is or belongs, how many other nodes could take it, and what pins it: NotPinned when nothing does.
func (c *Cluster) place(e *entry) (at, others int32, pin Pin) {
	if e.signature == none {
		return none, 0, NotPinned
	}
	s := &c.signatures[e.signature]
	if s.pin == NotPinned && (s.candidates > 1 || !s.choosy) {
		return none, 0, NotPinned
	}
	at, others, pin = e.node, s.candidates, s.pin
	if at == none {
		at = c.home(s)
	}
	if at != none && others > 0 && c.allows(s, at) {
		others--
	}
	if s.fixed {
		others = 0 // the next Pod goes to the same node, whatever its state
	}
	if s.choosy && others == 0 {
		pin = stronger(pin, NodeAffinity)
	}
	return at, others, pin
}

// strandedBy gives the cause when no node at all could take a Pod that waits.
func (c *Cluster) strandedBy(e *entry) Cause {
	if c.signatures[e.signature].candidates > 0 {
		return NotStranded
	}
	return c.cause(&c.signatures[e.signature])
}
