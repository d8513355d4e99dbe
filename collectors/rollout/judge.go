package rollout

import (
	"strconv"
	"time"

	"tocsin/collectors/cluster"
)

// Input is what a verdict rests on. What is nil but Set is unknown, and only what depends on it is left out.
type Input struct {
	Set *cluster.StatefulSet
	// Pods are the Pods whose controller is the set, in any order.
	Pods []*cluster.Pod
	// Deadline is how long a Pod may be unavailable where its own probes do not let it take longer.
	Deadline time.Duration
	// Claim gives a PersistentVolumeClaim, or nil when there is none of that name.
	Claim func(namespace, name string) *cluster.Claim
	// Node gives a Node, or nil when there is none of that name.
	Node func(name string) *cluster.Node
	// Immediate tells whether claims of the storage class ("" for none) are bound before their Pod is scheduled.
	Immediate func(class string) bool
	// Stranded tells whether no node can take a Pod that waits for one.
	Stranded func(*cluster.Pod) Stranding
}

// Stranding is why no node can take a Pod. The zero Stranding says that some node could, or that it is not known.
type Stranding struct {
	ByVolumes bool // its volumes are what ties it down
	Remedy    Action
}

// Judge gives the verdict on a set at the instant now.
func Judge(in Input, now time.Time) Verdict {
	j := judge{Input: in, now: cluster.Time(now.Unix()), deadline: cluster.Time(in.Deadline / time.Second)}
	var room [16]slot
	j.below, j.slots, j.above = place(&in, room[:0])
	var v Verdict
	outdated := 0
	for _, s := range j.slots {
		if live(s.pod) && j.outdated(s.pod) {
			outdated++
			if !s.pod.Ignore {
				v.Outdated++
			}
		}
	}
	switch {
	case in.Set.Deleted != 0:
		v.State = Deleting
		return v
	case in.Set.Generation > in.Set.Observed:
		v.State = Unobserved
		return v
	}
	b := j.blocker()
	v.ManualDelete = j.manual
	v.State = j.state(b, outdated)
	if v.State == Blocked {
		v.Reason, v.Action, v.Since = b.reason, b.action, b.since
		j.name(&v, b)
	}
	return v
}

// judge is the work on one verdict.
type judge struct {
	Input
	now, deadline cluster.Time
	slots         []slot // the Pods that the set wants, by index
	below, above  []slot // those that it does not want any more, by index
	manual        int
}

func (j *judge) state(b trouble, outdated int) State {
	set := j.Set
	switch {
	case b.overdue:
		return Blocked
	case set.Strategy == cluster.OnDelete && outdated > 0:
		return OnDeletePending
	case int64(len(j.slots)) < int64(set.Replicas), len(j.below)+len(j.above) > 0:
		return Scaling
	case b.reason != NoReason, j.unfinished():
		return Progressing
	case j.partition() > 0 && outdated > 0:
		return Partitioned
	}
	return Complete
}

func (j *judge) name(v *Verdict, b trouble) {
	revision := j.revisionFor(b.index)
	if b.pod != nil {
		v.Pod, v.Node, revision = b.pod.Name, b.pod.Node, b.pod.Revision
	} else {
		v.Pod = j.Set.Name + "-" + strconv.FormatInt(b.index+int64(j.Set.Start), 10)
	}
	switch revision {
	case j.Set.UpdateRevision:
		v.Revision = AtUpdate
	case j.Set.CurrentRevision:
		v.Revision = AtCurrent
	}
}

// unfinished tells whether the controller still has available Pods to replace.
func (j *judge) unfinished() bool {
	for _, s := range j.slots {
		if s.index >= j.partition() && j.outdated(s.pod) {
			return true
		}
	}
	return false
}
