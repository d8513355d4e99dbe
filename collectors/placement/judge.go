package placement

// pin finds what pins the Pods of a signature.
func (c *Cluster) pin(s *signature) {
	pin, held := NotPinned, false
	if s.hostPath {
		pin = HostPathUnprotected
	}
	if s.fixed {
		pin = stronger(pin, NodeName)
	}
	holds := c.holdsOf(s)
	for i := range holds {
		by, holding := c.pinOf(&holds[i])
		pin, held = stronger(pin, by), held || holding
	}
	spec := &c.allSpecs[s.spec]
	s.pin, s.held, s.choosy = stronger(pin, spec.pin), held, spec.choosy
}

// choose finds how a spec's own node selection pins its Pods.
func (c *Cluster) choose(s *spec) {
	s.choosy, s.pin = false, NotPinned
	if s.own == none {
		return
	}
	n, byNode := c.fulfill[s.own].n, c.constraints[s.own].byNode
	s.choosy = n < c.existing.n || byNode && n <= 1
	if byNode && s.choosy {
		s.pin = NodeAffinity
	}
}

// pinOf tells how a volume pins a Pod, and whether the scheduler enforces it. Which label an affinity reads does not matter, but that
// zones are shared: drivers name the label of a node's own storage as they like.
func (c *Cluster) pinOf(h *hold) (Pin, bool) {
	if h.enforced == none {
		switch h.kind {
		case holdHostPath:
			return HostPathUnprotected, false
		case holdLocal: // the API server would have refused it
			return Unenforced, false
		}
		return NotPinned, false
	}
	n := c.fulfill[h.enforced].n
	excludes, one := n < c.existing.n, n <= 1
	switch {
	case h.kind == holdSelected:
		return NodeTopologyVolume, true
	case h.actual != h.enforced && (!excludes || c.fulfill[h.actual].n != n):
		return Unenforced, excludes
	case h.kind == holdZone && (excludes || n == 0):
		return ZoneVolume, true
	case h.kind == holdHostPath && !excludes && !one:
		return HostPathUnprotected, false
	case h.kind == holdZone, !excludes && !one:
		return NotPinned, false
	case h.kind == holdLocal:
		return LocalVolume, true
	case h.kind == holdHostPath:
		return HostPathVolume, true
	case one:
		return NodeTopologyVolume, true
	}
	return ZoneVolume, true
}

// candidatesOf counts the nodes that could take a Pod of the signature.
func (c *Cluster) candidatesOf(s *signature) int32 {
	nodes := &c.allSpecs[s.spec].nodes
	least, holds := nodes, 0
	var last *nodeSet
	for _, h := range c.holdsOf(s) {
		if h.enforced == none {
			continue
		}
		last = &c.fulfill[h.enforced]
		if holds++; last.n < least.n {
			least = last
		}
	}
	switch {
	case holds == 0:
		return nodes.n
	case holds == 1:
		return common(nodes, last)
	case least.n <= few:
		n := int32(0)
		for _, slot := range least.small[:least.n] {
			if c.allows(s, slot) {
				n++
			}
		}
		return n
	}
	words := c.scratch(0)
	nodes.or(words)
	for _, h := range c.holdsOf(s) {
		if h.enforced != none {
			c.fulfill[h.enforced].and(words)
		}
	}
	return count(words)
}

// allows tells whether a node could take a Pod of the signature.
func (c *Cluster) allows(s *signature, slot int32) bool {
	return c.allSpecs[s.spec].nodes.has(slot) && c.reachable(s, slot)
}

// reachable tells whether the signature's volumes allow the node.
func (c *Cluster) reachable(s *signature, slot int32) bool {
	holds := c.holdsOf(s)
	for i := range holds {
		if id := holds[i].enforced; id != none && !c.fulfill[id].has(slot) {
			return false
		}
	}
	return true
}

// home gives the one node where a Pod without a node belongs: where its data is, else the node that it selects.
func (c *Cluster) home(s *signature) int32 {
	words := c.scratch(0)
	c.existing.or(words)
	placed := false
	for _, h := range c.holdsOf(s) {
		if h.actual != none {
			c.fulfill[h.actual].and(words)
			placed = true
		}
	}
	if own := c.allSpecs[s.spec].own; own != none && !placed {
		c.fulfill[own].and(words)
	}
	var set nodeSet
	if count(words) != 1 {
		return none
	}
	set.assign(words)
	return set.small[0]
}

// cause tells why a signature has no candidates, by asking its home: the nodes where its volumes are, and among them those that its
// node selection allows. When the nodes of a home have different obstacles, the one that is the easiest to lift is named.
func (c *Cluster) cause(s *signature) Cause {
	words := c.scratch(0)
	c.existing.or(words)
	missing, selected := NotStranded, false
	for _, h := range c.holdsOf(s) {
		if h.enforced == none {
			continue
		}
		nodes := &c.fulfill[h.enforced]
		nodes.and(words)
		switch {
		case nodes.n > 0:
		case h.kind == holdSelected:
			selected = true
		default:
			missing = NodeMissing
		}
	}
	if own := c.allSpecs[s.spec].own; own != none {
		c.fulfill[own].and(words)
	}
	switch {
	case missing != NotStranded:
		return missing
	case selected:
		return SelectedNodeMissing
	case count(words) == 0:
		return AffinityDisjoint
	}
	var found [tainted + 1]bool
	tolerations := c.tolerations[c.allSpecs[s.spec].tol]
	for slot, n := range c.nodes {
		if n != nil && words[slot>>6]>>(uint(slot)&63)&1 == 1 {
			found[tolerations.obstacleOn(n)] = true
		}
	}
	switch {
	case found[cordoned]:
		return NodeCordoned
	case found[notReady]:
		return NodeNotReady
	}
	return NodeTainted
}
