package placement

// judge computes what all Pods of a signature have in common.
func (c *Cluster) judge(s *signature) judged {
	j := judged{candidates: c.candidatesOf(s), fixed: s.fixed}
	if s.hostPath {
		j.pin = HostPathUnprotected
	}
	if s.fixed {
		j.pin = stronger(j.pin, NodeName)
	}
	for i := range s.holds {
		pin, held := c.pinOf(&s.holds[i])
		j.pin, j.held = stronger(j.pin, pin), j.held || held
	}
	if own := c.allSpecs[s.spec].own; own != none {
		n, byNode := c.fulfill[own].n, c.constraints[own].byNode
		j.choosy = n < c.existing.n || byNode && n <= 1
		if byNode && j.choosy {
			j.pin = stronger(j.pin, NodeAffinity)
		}
	}
	return j
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
	for _, h := range s.holds {
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
	for _, h := range s.holds {
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
	for i := range s.holds {
		if id := s.holds[i].enforced; id != none && !c.fulfill[id].has(slot) {
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
	for _, h := range s.holds {
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
	for _, h := range s.holds {
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
