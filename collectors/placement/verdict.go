// Package placement judges where Pods can run: what pins a Pod to its node, how many other nodes could take it, which Pods no node can
// take, and who would be left without a node if one were drained.
//
// It counts the nodes that a Pod's volumes, its node selection, cordons, readiness and taints leave. Free CPU and memory, affinity
// between Pods, topology spread, attach limits and drivers are left out, because they change from minute to minute: the count is an
// upper bound, and only its zero is certain.
package placement

// Pin is what ties a Pod to some nodes.
type Pin uint8

// The pins, the strongest first. A Pod has the strongest of those that apply to it.
const (
	NotPinned Pin = iota
	LocalVolume
	HostPathVolume
	NodeTopologyVolume
	ZoneVolume
	NodeAffinity
	NodeName
	HostPathUnprotected
	Unenforced

	// Pins is the number of pins, NotPinned included.
	Pins
)

// String gives the value of the label pin.
func (p Pin) String() string {
	return [...]string{"", "local_volume", "hostpath_volume", "node_topology_volume", "zone_volume", "node_affinity", "node_name",
		"hostpath_unprotected", "unenforced"}[p]
}

// Volume tells whether the scheduler holds the Pod where its volumes are.
func (p Pin) Volume() bool { return p >= LocalVolume && p <= ZoneVolume }

func stronger(a, b Pin) Pin {
	if a == NotPinned || b != NotPinned && b < a {
		return b
	}
	return a
}

// Cause is why no node can take a Pod.
type Cause uint8

// The causes.
const (
	NotStranded Cause = iota
	NodeMissing
	NodeCordoned
	NodeNotReady
	NodeTainted
	AffinityDisjoint
	SelectedNodeMissing
)

// String gives the value of the label cause.
func (c Cause) String() string {
	return [...]string{"", "node_missing", "node_cordoned", "node_not_ready", "node_tainted", "affinity_disjoint",
		"selected_node_missing"}[c]
}

// Verdict is what is found about a pinned or stranded Pod.
type Verdict struct {
	// Node is where the Pod runs; for a Pod without a node the one where its volumes or its node selection place it, "" when that is
	// not exactly one.
	Node string
	// Alternatives is the number of nodes, Node left out, that could run it now.
	Alternatives int
	Pin          Pin
	// Stranded is why the Pod waits and no node can take it; NotStranded when it runs, or a node could take it.
	Stranded Cause
	// Placed tells that the Pod is on Node, which exists.
	Placed bool
	// LostByDrain tells that its controller would replace it, and no node could take the replacement, if Node were drained.
	LostByDrain bool
}
