package placement

import (
	"cmp"
	"maps"
	"slices"

	"tocsin/collectors/cluster"
)

type claimName struct{ namespace, name string }

// updateClaims notes the claims whose change may move a Pod's data: their own, or that of their volume.
func (c *Cluster) updateClaims(in Input) {
	moved := map[string]struct{}(nil)
	again := len(c.volumes) != len(in.Volumes)
	diff(c.input.Volumes, in.Volumes, func(old, now *cluster.Volume) {
		again = true
		if old == nil || now == nil || old.Affinity != now.Affinity || old.Local != now.Local || old.HostPath != now.HostPath ||
			old.HasClaim != now.HasClaim || old.ClaimNamespace != now.ClaimNamespace ||
			!maps.EqualFunc(old.Zone, now.Zone, slices.Equal) {
			if moved == nil {
				moved = map[string]struct{}{}
			}
			moved[cmp.Or(now, old).Name] = struct{}{}
		}
	})
	diff(c.input.Claims, in.Claims, func(old, now *cluster.Claim) {
		if old == nil || now == nil || old.Volume != now.Volume || old.SelectedNode != now.SelectedNode {
			k := cmp.Or(now, old)
			c.touched[claimName{k.Namespace, k.Name}] = struct{}{}
		}
	})
	c.input.Claims = keep(c.input.Claims, in.Claims)
	c.input.Volumes = keep(c.input.Volumes, in.Volumes)
	if len(moved) > 0 {
		for _, k := range in.Claims {
			if _, ok := moved[k.Volume]; ok {
				c.touched[claimName{k.Namespace, k.Name}] = struct{}{}
			}
		}
	}
	if again {
		c.volumes = c.volumes[:0]
		for _, v := range in.Volumes {
			actual := none
			if v.Affinity != nil {
				_, actual = c.affinityOf(v.Affinity)
			}
			c.volumes = append(c.volumes, actual)
		}
	}
}

// LocalVolumes gives each volume whose data is on one node alone, with that node.
func (c *Cluster) LocalVolumes(yield func(*cluster.Volume, *cluster.Node) bool) {
	for i, id := range c.volumes {
		if id == none {
			continue
		}
		k := &c.fulfill[id]
		if k.n == 1 && !c.constraints[id].byZone && !yield(c.input.Volumes[i], c.nodes[k.small[0]]) {
			return
		}
	}
}
