package placement

import (
	"maps"

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
	changes       []change
	allowed       []bool // by spec

	tolerations   []*toleration
	tolerationIDs map[string]int32
	allSpecs      []spec
	specIDs       map[[2]int32]int32
	specs         map[*cluster.Scheduling]int32
	signatures    []signature
	holds         []hold // of all signatures
	signatureIDs  map[string]int32

	pods    []entry // beside input.Pods
	nextPod []entry
	volumes []int32 // beside input.Volumes: the constraint that says where the data is

	touched map[claimName]struct{} // claims that have changed
	found   []hold
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
