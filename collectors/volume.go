package collectors

import (
	"cmp"
	"slices"

	"tocsin/collectors/claims"
	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

// Which claims are left over, and which volumes nobody claims or can reach.

var (
	claimCount = &exposition.Family{Name: "tocsin_persistentvolumeclaims", Labels: []string{"namespace", "state", "reason"},
		Help: "PersistentVolumeClaims by state: used by a Pod (in_use), for something that is not running now (reserved), for nothing " +
			"(orphaned), being deleted (terminating), or not to be told while a resource is not known, which reason then names (unknown)."}
	claimCapacity = &exposition.Family{Name: "tocsin_persistentvolumeclaims_capacity_bytes", Labels: claimCount.Labels,
		Help: "Capacity of the PersistentVolumeClaims by state."}
	claimOrphaned = &exposition.Family{Name: "tocsin_persistentvolumeclaim_orphaned",
		Labels: []string{"namespace", "persistentvolumeclaim", "storageclass", "reason", "severity"},
		Help: "1 for a PersistentVolumeClaim that no Pod uses and no workload, owner, snapshot or custom resource known to Tocsin names. " +
			"severity is what its owner set with the annotation tocsin/severity."}
	claimOrphanedCapacity = &exposition.Family{Name: "tocsin_persistentvolumeclaim_orphaned_capacity_bytes",
		Labels: []string{"namespace", "persistentvolumeclaim"},
		Help:   "Capacity that an orphaned PersistentVolumeClaim holds; absent when it is bound to no volume."}
	claimUnusedSince = &exposition.Family{Name: "tocsin_persistentvolumeclaim_unused_since_timestamp_seconds",
		Labels: claimOrphanedCapacity.Labels,
		Help: "Since when no Pod has used an orphaned PersistentVolumeClaim, at the latest; absent where the API does not say (its " +
			"condition Unused comes with Kubernetes 1.37)."}

	volumeUnclaimed = &exposition.Family{Name: "tocsin_persistentvolume_unclaimed",
		Labels: []string{"persistentvolume", "storageclass", "claim_namespace", "claim_name", "reason"},
		Help: "1 for a PersistentVolume that no claim holds: kept after its claim went (released_retained), not deleted though it should " +
			"be (released_delete_stuck), failed to be reclaimed (failed), never claimed (available), or bound to a claim that is gone (claim_missing)."}
	volumeUnclaimedCapacity = &exposition.Family{Name: "tocsin_persistentvolume_unclaimed_capacity_bytes", Labels: []string{"persistentvolume"},
		Help: "Capacity of an unclaimed PersistentVolume."}
	volumeUnclaimedSince = &exposition.Family{Name: "tocsin_persistentvolume_unclaimed_since_timestamp_seconds", Labels: []string{"persistentvolume"},
		Help: "Since when a PersistentVolume has been unclaimed; absent where the API does not say."}
	volumeNodeMissing = &exposition.Family{Name: "tocsin_persistentvolume_node_missing",
		Labels: []string{"persistentvolume", "claim_namespace", "claim_name"},
		Help:   "1 for a PersistentVolume whose node affinity matches no node: nothing can mount it."}
)

type volumeCollector struct {
	spare     []claims.Spare
	orphans   prepared[*cluster.Claim, exposition.Labels]
	labels    prepared[counted, exposition.Labels]
	volumes   prepared[*cluster.Volume, exposition.Labels]
	reachable reachable
	unknown   []cluster.Resource
	counts    []count // of the namespace at hand; there are few, so that they are looked through
}

// counted is what claims are counted by.
type counted struct {
	namespace string
	claims.Verdict
}

type count struct {
	counted
	claims, bytes int64
}

func newVolumeCollector(o Options) Collector { return &volumeCollector{spare: o.Spare} }

func (c *volumeCollector) Families() []*exposition.Family {
	return []*exposition.Family{claimCount, claimCapacity, claimOrphaned, claimOrphanedCapacity, claimUnusedSince,
		volumeUnclaimed, volumeUnclaimedCapacity, volumeUnclaimedSince, volumeNodeMissing}
}

func (c *volumeCollector) Collect(view *cluster.View, sink exposition.Sink) error {
	if view.Known(cluster.Claims) {
		c.collectClaims(view, sink)
	}
	if view.Known(cluster.Volumes) {
		c.collectVolumes(view, sink)
	}
	c.orphans.sweep()
	c.labels.sweep()
	c.volumes.sweep()
	return nil
}

func (c *volumeCollector) collectClaims(view *cluster.View, sink exposition.Sink) {
	c.unknown = c.unknown[:0]
	for _, r := range claims.Evidence() {
		// A resource that a cluster need not have and that is not asked for has no evidence to give.
		if off := view.Health(r).State == cluster.Off && r.Info().Optional; !off && !view.Known(r) {
			c.unknown = append(c.unknown, r)
		}
	}
	for rest := view.Claims.All(); len(rest) > 0; {
		in := c.namespace(view, rest[0].Namespace)
		for i, v := range claims.Judge(in, view.Now) {
			c.write(view, sink, in.Claims[i], v)
		}
		c.writeCounts(sink)
		rest = rest[len(in.Claims):]
	}
}

func (c *volumeCollector) namespace(view *cluster.View, name string) *claims.Namespace {
	ns := view.Namespaces.Get("", name)
	return &claims.Namespace{
		Claims:                 view.Claims.In(name),
		Pods:                   view.Pods.In(name),
		StatefulSets:           view.StatefulSets.In(name),
		DaemonSets:             view.DaemonSets.In(name),
		Deployments:            view.Deployments.In(name),
		ReplicaSets:            view.ReplicaSets.In(name),
		ReplicationControllers: view.ReplicationControllers.In(name),
		CronJobs:               view.CronJobs.In(name),
		Jobs:                   view.Jobs.In(name),
		Autoscalers:            view.Autoscalers.In(name),
		Snapshots:              view.Snapshots.In(name),
		References:             view.References.In(name),
		Terminating:            ns != nil && ns.Deleted != 0,
		Unknown:                c.unknown,
		Spare:                  c.spare,
	}
}

// write counts a claim, and tells of it when it is an orphan.
func (c *volumeCollector) write(view *cluster.View, sink exposition.Sink, claim *cluster.Claim, v claims.Verdict) {
	if view.Ignored(&claim.Meta) {
		return
	}
	bytes := claims.Bytes(claim)
	c.count(counted{claim.Namespace, v}, bytes)
	if v.State != claims.Orphaned {
		return
	}
	object := c.orphans.get(claim, func() exposition.Labels {
		return exposition.Pairs("namespace", claim.Namespace, "persistentvolumeclaim", claim.Name)
	})
	sink.Write(claimOrphaned, 1, object, exposition.Pairs("storageclass", claim.Class, "reason", string(v.Reason),
		"severity", view.SeverityOf(&claim.Meta).String()))
	if bytes > 0 {
		sink.Write(claimOrphanedCapacity, float64(bytes), object, exposition.Labels{})
	}
	if claim.Unused != 0 {
		sink.Write(claimUnusedSince, float64(claim.Unused), object, exposition.Labels{})
	}
}

func (c *volumeCollector) count(k counted, bytes int64) {
	for i := range c.counts {
		if c.counts[i].counted == k {
			c.counts[i].claims++
			c.counts[i].bytes += bytes
			return
		}
	}
	c.counts = append(c.counts, count{k, 1, bytes})
}

// writeCounts tells the counts of a namespace, in label order, and starts anew.
func (c *volumeCollector) writeCounts(sink exposition.Sink) {
	slices.SortFunc(c.counts, func(a, b count) int {
		return cmp.Or(cmp.Compare(a.State.String(), b.State.String()), cmp.Compare(a.Reason, b.Reason))
	})
	for _, n := range c.counts {
		object := c.labels.get(n.counted, func() exposition.Labels {
			return exposition.Pairs("namespace", n.namespace, "state", n.State.String(), "reason", string(n.Reason))
		})
		sink.Write(claimCount, float64(n.claims), object, exposition.Labels{})
		if n.bytes > 0 {
			sink.Write(claimCapacity, float64(n.bytes), object, exposition.Labels{})
		}
	}
	c.counts = c.counts[:0]
}
