package cluster

import "time"

// View is the cluster as it is known at one moment. It does not change until it is closed, and meanwhile the watches go on: what they
// bring waits. Close it when the scrape is done.
type View struct {
	*tables
	// Now is the instant at which everything in this view is judged.
	Now    time.Time
	store  *Store
	health [resourceCount]Health
}

// tables is all that is known.
type tables struct {
	CronJobs               Table[CronJob]
	Jobs                   Table[Job]
	Pods                   Table[Pod]
	Namespaces             Table[Namespace]
	Events                 Table[Event]
	Claims                 Table[Claim]
	Volumes                Table[Volume]
	StatefulSets           Table[StatefulSet]
	DaemonSets             Table[DaemonSet]
	Deployments            Table[Workload]
	ReplicaSets            Table[Workload]
	ReplicationControllers Table[Workload]
	Nodes                  Table[Node]
	Services               Table[Service]
	StorageClasses         Table[StorageClass]
	Budgets                Table[Budget]
	Autoscalers            Table[Autoscaler]
	Snapshots              Table[Snapshot]
	References             Table[Reference]

	jobsByCronJob index[UID, Job]
	podsByOwner   index[UID, Pod]
	podsByClaim   index[key, Pod]
	refusals      index[UID, Event]
	ignoredNames  map[string]struct{} // namespaces with tocsin/ignore
	marked        int                 // objects and namespaces with tocsin/ignore, of any kind, and broken ones
	invalid       [4]int              // objects with an invalid annotation, by bit
	memory        memory
	shard         Shard
}

// JobsOf gives the Jobs that name the CronJob as an owner, as its controller or not, in no order.
func (v *View) JobsOf(c *CronJob) []*Job { return v.jobsByCronJob[c.UID] }

// PodsOf gives the Pods whose controller has the UID, in no order. Only Jobs, StatefulSets and DaemonSets are indexed.
func (v *View) PodsOf(owner UID) []*Pod { return v.podsByOwner[owner] }

// PodsUsing gives the Pods, in any phase, whose volumes name the claim, in no order.
func (v *View) PodsUsing(namespace, claim string) []*Pod { return v.podsByClaim[key{namespace, claim}] }

// Refusal gives the newest FailedCreate Event about the object with the UID, or nil.
func (v *View) Refusal(uid UID) *Event {
	var newest *Event
	for _, e := range v.refusals[uid] {
		if newest == nil || e.Last > newest.Last {
			newest = e
		}
	}
	return newest
}

// EvidenceOf gives what the Job's Pods told before they went, or nil.
func (v *View) EvidenceOf(job UID) *Evidence { return v.memory.evidence[job] }

// LastRunOf gives the newest run of the CronJob that the watch saw finish and whose Job is gone, or nil.
func (v *View) LastRunOf(cronJob UID) *FinishedRun { return v.memory.lastRun[cronJob] }

// RunsOf gives the CronJob's runs that the watch has seen finish or vanish since Tocsin started.
func (v *View) RunsOf(cronJob UID) Runs { return v.memory.runs[cronJob] }

// Known tells whether all the resources are trustworthy: synced, permitted, not stale. A verdict that needs one that is not is not
// given. An optional resource that the cluster does not have is known to be empty.
func (v *View) Known(resources ...Resource) bool {
	for _, r := range resources {
		if h := v.health[r]; !h.Up() && (h.State != Absent || !r.Info().Optional) {
			return false
		}
	}
	return true
}

// Reads tells whether the objects of a namespace are read: what is not known of one that is left out may yet exist.
func (v *View) Reads(namespace string) bool {
	return v.store.named(namespace) && v.store.shard.Has(namespace)
}

// Health tells how far the resource could be trusted when the view was opened.
func (v *View) Health(r Resource) Health { return v.health[r] }

// TopOwner follows controller references from an object to the workload that a person knows: Pod → ReplicaSet → Deployment,
// Pod → Job → CronJob, else the controller itself. It gives false for an object without a controller. A controller that is not known
// to Tocsin ends the walk.
func (v *View) TopOwner(m *Meta) (Owner, bool) {
	top, ok := v.owner(m)
	if !ok {
		return Owner{}, false
	}
	for range 4 { // no chain of the controllers is longer; owner references made by hand may be a circle
		o := v.metaOfOwner(m.Namespace, top)
		if o == nil {
			break
		}
		next, ok := v.owner(o)
		if !ok {
			break
		}
		top = next
	}
	return top, true
}

// owner gives an object's controller; a Job's CronJob also when the reference is not a controller's, as some UIs write it.
func (v *View) owner(m *Meta) (Owner, bool) {
	if o, ok := m.Controller(); ok {
		return o, true
	}
	return cronJobOwner(m)
}

func cronJobOwner(m *Meta) (Owner, bool) {
	for _, o := range m.Owners {
		if o.Kind == "CronJob" {
			return o, true
		}
	}
	return Owner{}, false
}

// CronJobOwner gives the CronJob that the Job names as an owner, as its controller or not; a Job that has one is never free, whether
// or not that CronJob is known.
func (j *Job) CronJobOwner() (Owner, bool) { return cronJobOwner(&j.Meta) }

func (v *View) metaOfOwner(namespace string, o Owner) *Meta {
	switch o.Kind {
	case "ReplicaSet":
		return meta(v.ReplicaSets.Get(namespace, o.Name))
	case "Deployment":
		return meta(v.Deployments.Get(namespace, o.Name))
	case "Job":
		return meta(v.Jobs.Get(namespace, o.Name))
	case "CronJob":
		return meta(v.CronJobs.Get(namespace, o.Name))
	case "StatefulSet":
		return meta(v.StatefulSets.Get(namespace, o.Name))
	case "DaemonSet":
		return meta(v.DaemonSets.Get(namespace, o.Name))
	case "ReplicationController":
		return meta(v.ReplicationControllers.Get(namespace, o.Name))
	}
	return nil
}

func meta[T any](row *T) *Meta {
	if row == nil {
		return nil
	}
	return metaOf(row)
}

// Ignored tells whether there is to be no verdict on an object: its owner wants none, with tocsin/ignore on the object, its Namespace or
// a workload above it, or nothing is known of it but that it exists.
func (v *View) Ignored(m *Meta) bool {
	if v.marked == 0 {
		return false
	}
	if _, ok := v.ignoredNames[m.Namespace]; ok || m.Ignore || m.Broken {
		return true
	}
	for range 4 {
		o, ok := v.owner(m)
		if !ok {
			return false
		}
		if m = v.metaOfOwner(m.Namespace, o); m == nil {
			return false
		}
		if m.Ignore {
			return true
		}
	}
	return false
}

// AnyIgnored tells whether Ignored is true of any object.
func (v *View) AnyIgnored() bool { return v.marked > 0 }

// SeverityOf gives the object's own severity, else that of the nearest workload above it that has one.
func (v *View) SeverityOf(m *Meta) Severity {
	for range 4 {
		if m.Severity != SeverityUnset {
			return m.Severity
		}
		o, ok := v.owner(m)
		if !ok {
			break
		}
		if m = v.metaOfOwner(m.Namespace, o); m == nil {
			break
		}
	}
	return SeverityUnset
}

// InvalidAnnotations counts the objects on which an annotation of ours has a value that cannot be used.
func (v *View) InvalidAnnotations(a Annotation) int {
	for i := range v.invalid {
		if a == 1<<i {
			return v.invalid[i]
		}
	}
	return 0
}
