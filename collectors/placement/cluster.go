package placement

import (
	"cmp"
	"maps"
	"slices"

	"tocsin/collectors/cluster"
)

// Input is what is known of a cluster. The slices are in the order of a cluster.Table, by namespace and name, and are not kept or
// changed; that a record has the same address as before means that it has the same content.
type Input struct {
	Nodes   []*cluster.Node
	Pods    []*cluster.Pod
	Claims  []*cluster.Claim
	Volumes []*cluster.Volume
	// FixedNodes are the controllers whose Pod template sets spec.nodeName, with what it names: their Pods pass by the scheduler.
	FixedNodes map[cluster.UID]string
}

// Cluster judges Pods. It keeps what it has found, and at each Update computes again only what a change touches. The zero Cluster is
// empty and ready. It must not be used by two goroutines at once.
type Cluster struct {
	input Input // as of the last Update, copied

	nodes    []*cluster.Node // by slot; nil where a Pod names a node that does not exist
	names    []string        // by slot
	slots    map[string]int32
	existing nodeSet

	labels        map[string]*labelIndex
	newcomers     []int32 // constraints that a new node without labels may fulfill
	constraints   []*constraint
	fulfill       []nodeSet // beside constraints: the nodes that fulfill them
	constraintIDs map[string]int32
	affinities    map[any][2]int32
	stale         []int32
	states        []int32 // slots of the nodes whose state has changed
	deltas        []int32 // by spec

	tolerations   []*toleration
	tolerationIDs map[string]int32
	allSpecs      []spec
	specIDs       map[[2]int32]int32
	specs         map[*cluster.Scheduling]int32
	signatures    []signature
	judged        []judged // beside signatures
	signatureIDs  map[string]int32

	pods    []entry // beside input.Pods
	nextPod []entry
	volumes []int32 // beside input.Volumes: the constraint that says where the data is

	touched map[claimName]struct{} // claims that have changed
	holds   []hold
	key     []byte
	spare   [4][]uint64
	built   int // size after the last rebuilding
}

// Update takes the cluster's present state.
func (c *Cluster) Update(in Input) {
	if c.slots == nil || c.size() > 2*c.built+4096 { // half of what is kept, or more, is of objects that are gone
		c.reset()
	}
	c.updateNodes(in.Nodes)
	c.updateClaims(in)
	fixed := !maps.Equal(c.input.FixedNodes, in.FixedNodes)
	if fixed {
		c.input.FixedNodes = maps.Clone(in.FixedNodes)
	}
	c.updatePods(in.Pods, fixed)
	clear(c.touched)
	if c.built == 0 {
		c.built = c.size()
	}
}

func (c *Cluster) size() int {
	return len(c.nodes) + len(c.constraints) + len(c.specs) + len(c.affinities) + len(c.signatures)
}

func (c *Cluster) reset() {
	*c = Cluster{
		slots: map[string]int32{}, labels: map[string]*labelIndex{}, constraintIDs: map[string]int32{}, affinities: map[any][2]int32{},
		tolerationIDs: map[string]int32{}, specIDs: map[[2]int32]int32{}, specs: map[*cluster.Scheduling]int32{},
		signatureIDs: map[string]int32{}, touched: map[claimName]struct{}{},
	}
}

// slot gives a node's place, also when it does not exist (yet).
func (c *Cluster) slot(name string) int32 {
	s, ok := c.slots[name]
	if !ok {
		s = int32(len(c.nodes))
		c.slots[name] = s
		c.nodes, c.names = append(c.nodes, nil), append(c.names, name)
	}
	return s
}

// most is how many nodes may change their state before judging everything anew is cheaper than following each.
const most = 8

func (c *Cluster) updateNodes(now []*cluster.Node) {
	labels, states := false, c.states[:0]
	diff(c.input.Nodes, now, func(old, now *cluster.Node) {
		slot := c.slot(cmp.Or(now, old).Name)
		c.nodes[slot] = now
		if now == nil {
			c.existing.remove(slot)
		} else {
			c.existing.add(slot)
		}
		if old == nil || now == nil || !maps.Equal(old.LabelMap, now.LabelMap) {
			labels = true
			c.relabel(slot, old, now)
		}
		if !sameState(old, now) {
			states = append(states, slot)
			for _, t := range c.tolerations {
				t.update(slot, now)
			}
		}
	})
	c.input.Nodes = keep(c.input.Nodes, now)
	c.states = states
	if labels || len(states) > most {
		for _, id := range c.stale {
			c.evaluate(id)
		}
		c.stale = c.stale[:0]
		c.rejudge()
		return
	}
	for _, slot := range states {
		c.follow(slot)
	}
}

// rejudge computes again what follows from who fulfills which constraint and which nodes can be used.
func (c *Cluster) rejudge() {
	for i := range c.allSpecs {
		c.refresh(&c.allSpecs[i])
	}
	for i := range c.signatures {
		c.judged[i] = c.judge(&c.signatures[i])
	}
}

// follow does what rejudge does for a node that has the labels it had.
func (c *Cluster) follow(slot int32) {
	c.deltas = slices.Grow(c.deltas[:0], len(c.allSpecs))[:len(c.allSpecs)]
	for i := range c.allSpecs {
		s := &c.allSpecs[i]
		c.deltas[i] = 0
		is := c.tolerations[s.tol].usable.has(slot) && (s.own == none || c.fulfill[s.own].has(slot))
		switch was := s.nodes.has(slot); {
		case is && !was:
			s.nodes.add(slot)
			c.deltas[i] = 1
		case was && !is:
			s.nodes.remove(slot)
			c.deltas[i] = -1
		}
	}
	for i := range c.signatures {
		s := &c.signatures[i]
		if d := c.deltas[s.spec]; d != 0 && c.reachable(s, slot) {
			c.judged[i].candidates += d
		}
	}
}
