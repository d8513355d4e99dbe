package collectors

import (
	"maps"

	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/claims"
	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

// collectVolumes tells of the volumes that no claim holds, and of those that no node can reach.
func (c *volumeCollector) collectVolumes(view *cluster.View, sink exposition.Sink) {
	holders := claims.Claims{
		Known: func(namespace string) bool { return view.Known(cluster.Claims) && view.Reads(namespace) },
		Get:   view.Claims.Get,
	}
	nodesKnown := view.Known(cluster.Nodes)
	if nodesKnown {
		c.reachable.update(view.Nodes.All())
	}
	for _, v := range view.Volumes.All() {
		if !view.Owns(v) || view.Ignored(&v.Meta) {
			continue
		}
		unclaimed := claims.JudgeVolume(v, holders, view.Now)
		missing := nodesKnown && !c.reachable.by(v.Affinity)
		if unclaimed.Reason == "" && !missing {
			continue
		}
		object := c.volumes.get(v, func() exposition.Labels { return exposition.Pairs("persistentvolume", v.Name) })
		if unclaimed.Reason != "" {
			writeUnclaimed(sink, v, unclaimed, object)
		}
		if missing {
			sink.Write(volumeNodeMissing, 1, object, exposition.Pairs("claim_namespace", v.ClaimNamespace, "claim_name", v.ClaimName))
		}
	}
	c.reachable.memo.sweep()
}

func writeUnclaimed(sink exposition.Sink, v *cluster.Volume, u claims.Unclaimed, object exposition.Labels) {
	sink.Write(volumeUnclaimed, 1, object, exposition.Pairs("storageclass", v.Class, "claim_namespace", v.ClaimNamespace,
		"claim_name", v.ClaimName, "reason", string(u.Reason)))
	if v.Capacity > 0 {
		sink.Write(volumeUnclaimedCapacity, float64(v.Capacity), object, exposition.Labels{})
	}
	if u.Since != 0 {
		sink.Write(volumeUnclaimedSince, float64(u.Since), object, exposition.Labels{})
	}
}

// reachable remembers which affinities match a node, for as long as no node comes, goes or changes its labels.
type reachable struct {
	nodes []*cluster.Node
	index *claims.Nodes
	memo  prepared[*corev1.NodeSelector, bool]
}

func (r *reachable) update(nodes []*cluster.Node) {
	same := r.index != nil && len(r.nodes) == len(nodes)
	for i := 0; same && i < len(nodes); i++ {
		a, b := r.nodes[i], nodes[i]
		same = a == b || a.Name == b.Name && maps.Equal(a.LabelMap, b.LabelMap)
	}
	r.nodes = append(r.nodes[:0], nodes...)
	if !same {
		r.index, r.memo = claims.NewNodes(nodes), prepared[*corev1.NodeSelector, bool]{}
	}
}

// by tells whether a node matches the affinity, a record's, which does not change.
func (r *reachable) by(affinity *corev1.NodeSelector) bool {
	if affinity == nil {
		return true
	}
	return r.memo.get(affinity, func() bool { return r.index.Match(affinity) })
}
