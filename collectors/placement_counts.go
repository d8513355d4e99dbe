package collectors

import (
	"cmp"
	"slices"

	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
	"tocsin/collectors/placement"
)

// placementCounts adds up verdicts by node and by workload.
type placementCounts struct {
	nodes     map[string]*nodeCount
	workloads map[workloadKey]*workloadCount
	order     []workloadKey
}

type nodeCount struct {
	pins    [placement.Pins]int
	lost    [placement.Protections]int
	volumes map[string]int // by phase
}

type workloadKey struct {
	namespace string
	workload
}

type workloadCount struct {
	pins  [placement.Pins]int
	least int
}

func (c *placementCounts) reset() {
	if c.nodes == nil {
		c.nodes, c.workloads = map[string]*nodeCount{}, map[workloadKey]*workloadCount{}
	}
	clear(c.nodes)
	clear(c.workloads)
}

func (c *placementCounts) node(name string) *nodeCount {
	n := c.nodes[name]
	if n == nil {
		n = &nodeCount{}
		c.nodes[name] = n
	}
	return n
}

// add counts a pinned Pod. A Pod without a node counts for its workload alone.
func (c *placementCounts) add(w workload, namespace string, v placement.Verdict) {
	if v.Placed {
		c.node(v.Node).pins[v.Pin]++
	}
	k := workloadKey{namespace, w}
	count := c.workloads[k]
	if count == nil {
		count = &workloadCount{least: v.Alternatives}
		c.workloads[k] = count
	}
	count.pins[v.Pin]++
	count.least = min(count.least, v.Alternatives)
}

// addLost counts a Pod that a drain of its node would strand.
func (c *placementCounts) addLost(node string, p placement.Protection) { c.node(node).lost[p]++ }

func (c *placementCounts) addVolume(node, phase string) {
	n := c.node(node)
	if n.volumes == nil {
		n.volumes = map[string]int{}
	}
	n.volumes[phase]++
}

func (c *placementCollector) writeNodes(view *cluster.View, sink exposition.Sink) {
	for v, node := range c.cluster.LocalVolumes {
		if view.Owns(v) && !view.Ignored(&v.Meta) {
			c.counts.addVolume(node.Name, phaseOf(v))
		}
	}
	protected := view.Known(cluster.Budgets)
	for _, node := range view.Nodes.All() {
		n := c.counts.nodes[node.Name]
		if n == nil || view.Ignored(&node.Meta) {
			continue
		}
		object := c.nodes.get(node.Name, func() exposition.Labels { return exposition.Pairs("node", node.Name) })
		for pin, count := range n.pins {
			if count > 0 {
				sink.Write(nodePinnedPods, float64(count), object, c.pair("pin", placement.Pin(pin).String()))
			}
		}
		for protection, count := range n.lost {
			if count > 0 && protected {
				sink.Write(nodeDrainStranded, float64(count), object, c.pair("protection", placement.Protection(protection).String()))
			}
		}
		for _, phase := range volumePhases {
			if count := n.volumes[phase]; count > 0 {
				sink.Write(nodeLocalVolumes, float64(count), object, c.pair("phase", phase))
			}
		}
	}
	c.nodes.sweep()
}

// volumePhases are the phases of a PersistentVolume in label order; one that is none of them counts as "".
var volumePhases = [...]string{"", "Available", "Bound", "Failed", "Pending", "Released"}

func phaseOf(v *cluster.Volume) string {
	if slices.Contains(volumePhases[:], v.Phase) {
		return v.Phase
	}
	return ""
}

func (c *placementCollector) writeWorkloads(sink exposition.Sink) {
	order := c.counts.order[:0]
	for k := range c.counts.workloads {
		order = append(order, k)
	}
	slices.SortFunc(order, func(a, b workloadKey) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name))
	})
	for _, k := range order {
		w := c.counts.workloads[k]
		object := c.workloads.get(k, func() exposition.Labels {
			return exposition.Pairs("namespace", k.namespace, "workload_kind", k.kind, "workload", k.name)
		})
		sink.Write(workloadMinAlternatives, float64(w.least), object, exposition.Labels{})
		for pin, count := range w.pins {
			if count > 0 {
				sink.Write(workloadPinnedPods, float64(count), object, c.pair("pin", placement.Pin(pin).String()))
			}
		}
	}
	c.counts.order = order
	c.workloads.sweep()
}
