package placement

import (
	"cmp"
	"maps"

	"tocsin/collectors/cluster"
)

// change is a node that is new, gone, or not the same to every Pod as before.
type change struct {
	slot     int32
	old, now *cluster.Node // nil when it was, or is, not there
	labels   bool          // its labels differ
}

// most is how many nodes may change before judging everything anew is cheaper than following each.
const most = 8

func (c *Cluster) updateNodes(now []*cluster.Node) {
	changes, labels := c.changes[:0], false
	diff(c.input.Nodes, now, func(old, now *cluster.Node) {
		slot := c.slot(cmp.Or(now, old).Name)
		relabeled := old == nil || now == nil || !maps.Equal(old.LabelMap, now.LabelMap)
		if !relabeled && sameState(old, now) {
			c.nodes[slot] = now
			return
		}
		changes = append(changes, change{slot, old, now, relabeled})
		labels = labels || relabeled
	})
	c.input.Nodes = keep(c.input.Nodes, now)
	switch {
	case len(changes) > most:
		c.replace(changes)
		c.rejudge()
	case len(changes) > 0:
		c.follow(changes, labels)
	}
	clear(changes) // it would keep the old records
	c.changes = changes[:0]
}

// follow does what replace and rejudge do, for a few nodes: it takes them out of all counts as they were, and puts them in as they are.
func (c *Cluster) follow(changes []change, labels bool) {
	for i := range changes {
		if changes[i].old != nil {
			c.count(changes[i].slot, -1)
		}
	}
	c.replace(changes)
	for i := range changes {
		c.reopen(changes[i].slot)
		if changes[i].now != nil {
			c.count(changes[i].slot, +1)
		}
	}
	if !labels {
		return
	}
	for i := range c.allSpecs {
		c.choose(&c.allSpecs[i])
	}
	for i := range c.signatures {
		c.pin(&c.signatures[i])
	}
}

// replace puts the nodes' new states in the place of the old ones, and finds who fulfills which constraint and is usable by whom.
func (c *Cluster) replace(changes []change) {
	for i := range changes {
		ch := &changes[i]
		c.nodes[ch.slot] = ch.now
		if ch.now == nil {
			c.existing.remove(ch.slot)
		} else {
			c.existing.add(ch.slot)
		}
		if ch.labels {
			c.relabel(ch.slot, ch.old, ch.now)
		}
		for _, t := range c.tolerations {
			t.update(ch.slot, ch.now)
		}
	}
	for _, id := range c.stale {
		c.evaluate(id)
	}
	c.stale = c.stale[:0]
}

// rejudge computes again what follows from who fulfills which constraint and which nodes can be used.
func (c *Cluster) rejudge() {
	for i := range c.allSpecs {
		c.refresh(&c.allSpecs[i])
		c.choose(&c.allSpecs[i])
	}
	for i := range c.signatures {
		s := &c.signatures[i]
		c.pin(s)
		s.candidates = c.candidatesOf(s)
	}
}

// reopen finds again which specs allow a node.
func (c *Cluster) reopen(slot int32) {
	for i := range c.allSpecs {
		s := &c.allSpecs[i]
		if c.tolerations[s.tol].usable.has(slot) && (s.own == none || c.fulfill[s.own].has(slot)) {
			s.nodes.add(slot)
		} else {
			s.nodes.remove(slot)
		}
	}
}

// count changes the number of candidates of each signature that the node could take. The specs are asked first: they are few, and most
// often they answer for all of their signatures.
func (c *Cluster) count(slot, by int32) {
	allowed, some := c.allowed[:0], false
	for i := range c.allSpecs {
		is := c.allSpecs[i].nodes.has(slot)
		allowed, some = append(allowed, is), some || is
	}
	c.allowed = allowed
	if !some {
		return
	}
	for i := range c.signatures {
		if s := &c.signatures[i]; allowed[s.spec] && c.reachable(s, slot) {
			s.candidates += by
		}
	}
}
