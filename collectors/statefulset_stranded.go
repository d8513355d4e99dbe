package collectors

import (
	"cmp"
	"slices"

	"tocsin/collectors/cluster"
	"tocsin/collectors/placement"
	"tocsin/collectors/rollout"
)

// strandedPods tells why no node can take a StatefulSet's Pod. It judges the few Pods that wait for a node, not the whole cluster.
type strandedPods struct {
	placement placement.Cluster
	input     placement.Input // made anew at each scrape, in the same memory
}

// in gives the judge of the view's Pods, or nil when what it needs is not known.
func (s *strandedPods) in(view *cluster.View) func(*cluster.Pod) rollout.Stranding {
	if !view.Known(cluster.Nodes, cluster.Claims, cluster.Volumes) {
		return nil
	}
	in := &s.input
	in.Nodes, in.Pods, in.Claims, in.Volumes = view.Nodes.All(), in.Pods[:0], in.Claims[:0], in.Volumes[:0]
	for _, set := range view.StatefulSets.All() {
		for _, p := range view.PodsOf(set.UID) {
			if p.Phase == cluster.PhasePending && p.Node == "" {
				in.Pods = append(in.Pods, p)
				for _, ref := range p.Claims {
					in.Claims = add(in.Claims, view.Claims.Get(p.Namespace, ref.Name))
				}
			}
		}
	}
	for _, c := range in.Claims {
		if c.Volume != "" {
			in.Volumes = add(in.Volumes, view.Volumes.Get("", c.Volume))
		}
	}
	sortRecords(in.Pods, func(p *cluster.Pod) *cluster.Meta { return &p.Meta })
	in.Claims = slices.Compact(sortRecords(in.Claims, func(c *cluster.Claim) *cluster.Meta { return &c.Meta }))
	in.Volumes = slices.Compact(sortRecords(in.Volumes, func(v *cluster.Volume) *cluster.Meta { return &v.Meta }))
	s.placement.Update(*in)
	return s.judge
}

func add[T any](to []*T, row *T) []*T {
	if row == nil {
		return to
	}
	return append(to, row)
}

func sortRecords[T any](rows []*T, meta func(*T) *cluster.Meta) []*T {
	slices.SortFunc(rows, func(a, b *T) int {
		return cmp.Or(cmp.Compare(meta(a).Namespace, meta(b).Namespace), cmp.Compare(meta(a).Name, meta(b).Name))
	})
	return rows
}

func (s *strandedPods) judge(p *cluster.Pod) rollout.Stranding {
	cause, pin, ok := s.placement.Stranded(p)
	if !ok {
		return rollout.Stranding{}
	}
	stranding := rollout.Stranding{ByVolumes: pin.Volume(), Remedy: rollout.FreeNode}
	switch cause {
	case placement.NodeMissing, placement.SelectedNodeMissing:
		stranding.Remedy = rollout.FixStorage
	case placement.AffinityDisjoint:
		stranding.Remedy = rollout.FixTemplate
	}
	return stranding
}
