package collectors

import (
	"cmp"
	"log/slog"
	"slices"
	"time"

	"tocsin/collectors/claims"
	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

// Table is every collector there is. Flags, permissions and the metrics reference are made from it.
func Table() []Entry {
	return []Entry{
		{
			Name: "cronjob", Help: "CronJobs: runs that are overdue, failing, stalled or forgotten, and why.",
			Needs:  []cluster.Resource{cluster.CronJobs, cluster.Jobs},
			Uses:   []cluster.Resource{cluster.Pods, cluster.Namespaces, cluster.Events},
			Judges: []cluster.Resource{cluster.CronJobs},
			New:    newCronJobCollector,
		},
		{
			Name: "job", Help: "Jobs: failed ones down to the exit code, and those that no CronJob owns.",
			Needs:  []cluster.Resource{cluster.Jobs},
			Uses:   []cluster.Resource{cluster.CronJobs, cluster.Pods, cluster.Namespaces, cluster.Events},
			Judges: []cluster.Resource{cluster.Jobs},
			New:    newJobCollector,
		},
		{
			Name: "volume", Help: "PersistentVolumeClaims that nothing uses or waits for, and volumes that nobody claims or can reach.",
			// Claims are judged without volumes, and volumes without claims.
			Uses: []cluster.Resource{cluster.Claims, cluster.Volumes, cluster.Namespaces, cluster.Nodes, cluster.Pods, cluster.StatefulSets, cluster.DaemonSets, cluster.Deployments,
				cluster.ReplicaSets, cluster.ReplicationControllers, cluster.CronJobs, cluster.Jobs, cluster.Autoscalers, cluster.Snapshots,
				cluster.References},
			Judges: []cluster.Resource{cluster.Claims, cluster.Volumes},
			New:    newVolumeCollector,
		},
		{
			Name: "statefulset", Help: "StatefulSets: rollouts that will never end, and why.",
			Needs: []cluster.Resource{cluster.StatefulSets},
			Uses: []cluster.Resource{cluster.Pods, cluster.Namespaces, cluster.Claims, cluster.Volumes, cluster.Nodes, cluster.Services,
				cluster.StorageClasses},
			Judges: []cluster.Resource{cluster.StatefulSets},
			New:    newStatefulSetCollector,
		},
		{
			Name: "placement", Help: "Pods that are pinned to a node, and what draining it would do.",
			Needs: []cluster.Resource{cluster.Pods, cluster.Nodes, cluster.Claims, cluster.Volumes},
			Uses: []cluster.Resource{cluster.Namespaces, cluster.Budgets, cluster.ReplicaSets, cluster.ReplicationControllers, cluster.Deployments,
				cluster.Jobs, cluster.CronJobs, cluster.StatefulSets},
			Judges: []cluster.Resource{cluster.Pods, cluster.Nodes, cluster.Deployments}, // of Deployments, their pinned Pods
			New:    newPlacementCollector,
		},
		{
			Name: "daemonset", Help: "DaemonSets: the nodes that they do not cover.",
			Needs:  []cluster.Resource{cluster.DaemonSets},
			Uses:   []cluster.Resource{cluster.Pods, cluster.Nodes, cluster.Namespaces},
			Judges: []cluster.Resource{cluster.DaemonSets},
			New:    newDaemonSetCollector,
		},
	}
}

// DefaultOptions are the options that apply where no flag says otherwise.
func DefaultOptions() Options {
	return Options{StartGrace: 2 * time.Minute, RolloutDeadline: 10 * time.Minute, DefaultTimezone: "UTC",
		Spare: claims.DefaultRules().Spare, Log: slog.New(slog.DiscardHandler)}
}

// Families gives every family that Tocsin itself may export, by name: those of all collectors, and those about itself.
func Families() []*exposition.Family {
	all := slices.Clone(aboutItself)
	for _, e := range Table() {
		all = append(all, e.New(DefaultOptions()).Families()...)
	}
	slices.SortFunc(all, func(a, b *exposition.Family) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
