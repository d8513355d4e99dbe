package claims

import (
	"slices"
	"time"

	"tocsin/collectors/cluster"
)

// grace keeps a claim from being called left over while the tools that make claims first and what uses them later are still at work:
// restores, installers, imports.
const grace = time.Hour

// Namespace is everything of one namespace that tells who its claims are for.
type Namespace struct {
	Claims                 []*cluster.Claim
	Pods                   []*cluster.Pod
	StatefulSets           []*cluster.StatefulSet
	DaemonSets             []*cluster.DaemonSet
	Deployments            []*cluster.Workload
	ReplicaSets            []*cluster.Workload
	ReplicationControllers []*cluster.Workload
	CronJobs               []*cluster.CronJob
	Jobs                   []*cluster.Job
	Autoscalers            []*cluster.Autoscaler
	Snapshots              []*cluster.Snapshot
	References             []*cluster.Reference
	Terminating            bool // the namespace is being deleted
	// Unknown are the resources, of Evidence, that are not known; what their slices hold is not read.
	Unknown []cluster.Resource
	Spare   []Spare // claims that are nobody's and yet no orphans
}

// Evidence lists the resources that tell who a claim is for. While one of them is not known, no claim can be called an orphan.
func Evidence() []cluster.Resource {
	return []cluster.Resource{cluster.Pods, cluster.StatefulSets, cluster.Deployments, cluster.DaemonSets, cluster.ReplicaSets,
		cluster.ReplicationControllers, cluster.CronJobs, cluster.Jobs, cluster.Autoscalers, cluster.Snapshots, cluster.References}
}

// Judge gives the verdict on each claim of a namespace, in the order of its Claims. Every claim has exactly one state.
//
// Without Pods nothing at all is known of claims. Without another resource, what is known to use or reserve a claim still counts, and
// what would be an orphan is Unknown.
func Judge(in *Namespace, now time.Time) []Verdict {
	verdicts := make([]Verdict, len(in.Claims))
	if slices.Contains(in.Unknown, cluster.Pods) {
		for i := range verdicts {
			verdicts[i] = unknown(cluster.Pods)
		}
		return verdicts
	}
	in = in.known()
	j := judge{Namespace: in, uses: collect(in), sets: newSets(in), youngest: cluster.Time(now.Add(-grace).Unix())}
	for i, c := range in.Claims {
		verdicts[i] = j.claim(c)
	}
	return verdicts
}

// known leaves out what is not known: the last that was heard of it is no evidence.
func (in *Namespace) known() *Namespace {
	if len(in.Unknown) == 0 {
		return in
	}
	n := *in
	for _, r := range n.Unknown {
		switch r {
		case cluster.StatefulSets:
			n.StatefulSets = nil
		case cluster.DaemonSets:
			n.DaemonSets = nil
		case cluster.Deployments:
			n.Deployments = nil
		case cluster.ReplicaSets:
			n.ReplicaSets = nil
		case cluster.ReplicationControllers:
			n.ReplicationControllers = nil
		case cluster.CronJobs:
			n.CronJobs = nil
		case cluster.Jobs:
			n.Jobs = nil
		case cluster.Autoscalers:
			n.Autoscalers = nil
		case cluster.Snapshots:
			n.Snapshots = nil
		case cluster.References:
			n.References = nil
		}
	}
	return &n
}

// judge is the judging of one namespace.
type judge struct {
	*Namespace
	uses     *uses
	sets     *sets
	youngest cluster.Time // a claim made after it is new

	looked, doubted bool // whether broken has been asked, and what it said
	doubt           cluster.Resource
}

func unknown(r cluster.Resource) Verdict { return Verdict{Unknown, Reason(r.String())} }

func (j *judge) claim(c *cluster.Claim) Verdict {
	use := j.uses.of(c)
	switch {
	case c.Deleted != 0 || j.Terminating:
		if use.any(deletionBlocker) {
			return Verdict{Terminating, Blocked}
		}
		return Verdict{Terminating, NotBlocked}
	case use.any(livePod):
		return Verdict{InUse, ByPod}
	case len(c.Owners) > 0:
		return j.owned(c)
	}
	place := j.sets.place(c.Name)
	if reason := j.reserved(c, use, place); reason != "" {
		return Verdict{Reserved, reason}
	}
	reason := j.orphaned(c, use, place)
	for _, r := range j.Unknown {
		if r != cluster.Autoscalers || reason == StatefulSetScaledDown || reason == KeptByHelm && place == outside {
			return unknown(r)
		}
	}
	if !j.looked {
		j.doubt, j.doubted = j.broken()
		j.looked = true
	}
	if j.doubted {
		return unknown(j.doubt) // what could not be decoded may name the claim
	}
	return Verdict{Orphaned, reason}
}

// broken gives a resource of which an object of the namespace is broken. An autoscaler counts too: its maximum is not known.
func (in *Namespace) broken() (cluster.Resource, bool) {
	switch {
	case slices.ContainsFunc(in.Pods, func(o *cluster.Pod) bool { return o.Broken }):
		return cluster.Pods, true
	case slices.ContainsFunc(in.StatefulSets, func(o *cluster.StatefulSet) bool { return o.Broken }):
		return cluster.StatefulSets, true
	case slices.ContainsFunc(in.Deployments, func(o *cluster.Workload) bool { return o.Broken }):
		return cluster.Deployments, true
	case slices.ContainsFunc(in.DaemonSets, func(o *cluster.DaemonSet) bool { return o.Broken }):
		return cluster.DaemonSets, true
	case slices.ContainsFunc(in.ReplicaSets, func(o *cluster.Workload) bool { return o.Broken }):
		return cluster.ReplicaSets, true
	case slices.ContainsFunc(in.ReplicationControllers, func(o *cluster.Workload) bool { return o.Broken }):
		return cluster.ReplicationControllers, true
	case slices.ContainsFunc(in.CronJobs, func(o *cluster.CronJob) bool { return o.Broken }):
		return cluster.CronJobs, true
	case slices.ContainsFunc(in.Jobs, func(o *cluster.Job) bool { return o.Broken }):
		return cluster.Jobs, true
	case slices.ContainsFunc(in.Autoscalers, func(o *cluster.Autoscaler) bool { return o.Broken }):
		return cluster.Autoscalers, true
	}
	return 0, false
}

// owned judges a claim with owners. The garbage collector deletes a claim whose owners are all gone, so that one is there; only Pods come
// and go faster than it works, and then it is about to delete the claim.
func (j *judge) owned(c *cluster.Claim) Verdict {
	for _, o := range c.Owners {
		if o.Kind != "Pod" || j.uses.hasPod(j.Pods, o.UID) {
			return Verdict{Reserved, OwnerReference}
		}
	}
	return unknown(cluster.Pods)
}

func (j *judge) reserved(c *cluster.Claim, use use, place place) Reason {
	switch place {
	case inside:
		return StatefulSetOrdinal
	case scaledToZero:
		return ScaledToZero
	case autoscaled:
		return StatefulSetAutoscaled
	}
	for _, r := range reservations {
		if use.any(r.use) {
			return r.reason
		}
	}
	if slices.ContainsFunc(j.Spare, func(s Spare) bool { return s.Matches(c) }) {
		return Spared
	}
	if c.Created > j.youngest {
		return New
	}
	return ""
}

// reservations are the weaker ways to reserve a claim, strongest first.
var reservations = [...]struct {
	use    use
	reason Reason
}{
	{deployment, DeploymentTemplate},
	{statefulSet, StatefulSetTemplate},
	{daemonSet, DaemonSetTemplate},
	{replicationController, ReplicationControllerTemplate},
	{replicaSet, ReplicaSetTemplate},
	{cronJob, CronJobTemplate},
	{job, JobTemplate},
	{zeroReplicas, ScaledToZero},
	{source, VolumeSource},
	{customResource, CustomResource},
}

func (j *judge) orphaned(c *cluster.Claim, use use, place place) Reason {
	switch {
	case c.HelmKeep:
		return KeptByHelm
	case place == outside:
		return StatefulSetScaledDown
	}
	if reason := j.sets.former(c); reason != "" {
		return reason
	}
	switch {
	case use.any(finishedJob):
		return FinishedJobOnly
	case use.any(terminatedPod):
		return TerminatedPodOnly
	case use.any(oldRevision):
		return OldRevisionOnly
	case c.Phase == phaseLost:
		return Lost
	case c.Phase != phaseBound:
		return NeverBound
	}
	return NoReference
}
