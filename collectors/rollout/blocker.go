package rollout

import (
	"slices"

	"tocsin/collectors/cluster"
)

// patience is how long, in seconds, a Pod that deletion would help must have been unavailable before that is said. A controller that
// can replace it by itself does so in seconds; which can depends on its version, feature gates and the Pod management policy, so the
// time is the evidence.
const patience = 5 * 60

// trouble is what keeps a slot from being available. The zero trouble is none.
type trouble struct {
	slot   // pod is nil when missing
	reason Reason
	action Action
	since  cluster.Time
	// overdue: it has lasted longer than the Pod may take.
	overdue bool
	// helped: deleting the Pod helps, and the controller will not do it.
	helped bool
}

// blocker finds the trouble that holds the set up, and counts the Pods that should be deleted by hand.
func (j *judge) blocker() trouble {
	t := j.recreating()
	switch {
	case t.reason != NoReason:
		return t
	case j.Set.Parallel:
		t = j.worst()
	default:
		t = j.first()
	}
	if t.reason == NoReason {
		t = j.surplus()
	}
	return t
}

// recreating gives an outdated Pod that is still terminating, for which the strategy Recreate waits before it makes any Pod
// (k8s.io/kubernetes pkg/controller/statefulset/stateful_set_control.go, recreateDeleteAndWait).
func (j *judge) recreating() trouble {
	if j.Set.Strategy == cluster.Recreate {
		for _, part := range [...][]slot{j.slots, j.below, j.above} {
			for _, s := range part {
				if s.pod.Deleted != 0 && j.outdated(s.pod) {
					return j.trouble(s)
				}
			}
		}
	}
	return trouble{}
}

// first gives the trouble with the lowest index: with Pod management OrderedReady the controller does nothing beyond it, whatever the
// strategy (k8s.io/kubernetes pkg/controller/statefulset/stateful_set_control.go, processReplica).
func (j *judge) first() trouble {
	next := int64(0)
	for _, s := range j.slots {
		if s.index > next {
			break
		}
		next++
		if !j.available(s.pod) {
			t := j.trouble(s)
			j.count(t)
			return t
		}
	}
	if next < int64(j.Set.Replicas) {
		return j.missing(next)
	}
	return trouble{}
}

// worst gives the trouble that tells most: with Pod management Parallel, Pods do not wait for each other.
func (j *judge) worst() trouble {
	var worst trouble
	moved, ended := j.moved(), false
	consider := func(t trouble) {
		if t.action == DeletePod && moved > t.since {
			t.overdue = t.overdue && j.now-moved > j.allowed(t.pod)
			t.helped = t.helped && j.now-moved > patience
		}
		j.count(t)
		ended = ended || t.reason == ClaimTerminating
		if t.rank() >= worst.rank() {
			worst = t
		}
	}
	next := int64(0)
	for _, s := range j.slots {
		if s.index > next {
			consider(j.missing(s.index - 1))
		}
		next = s.index + 1
		if !j.available(s.pod) {
			consider(j.trouble(s))
		}
	}
	if next < int64(j.Set.Replicas) {
		consider(j.missing(int64(j.Set.Replicas) - 1))
	}
	if ended {
		j.manual = 0 // the error about that claim ends each round of the controller before it has made all Pods anew
	}
	return worst
}

// rank orders the troubles of Pods that do not wait for each other; among equals the highest index comes first, as in an update.
func (t trouble) rank() int {
	switch {
	case t.reason == NoReason:
		return 0
	case t.overdue && t.reason == ClaimTerminating:
		return 6
	case t.overdue && t.helped:
		return 5
	case t.overdue && t.reason.explains():
		return 4
	case t.overdue:
		return 3
	case t.reason.explains():
		return 2
	}
	return 1
}

func (j *judge) count(t trouble) {
	if t.helped && !t.pod.Ignore {
		j.manual++
	}
}

// moved gives when a rolling update of Pods that do not wait for each other last did something, 0 when nothing tells. While it goes
// on, an outdated Pod is not left behind: its turn may yet come.
func (j *judge) moved() cluster.Time {
	var moved cluster.Time
	if j.Set.Strategy != cluster.RollingUpdate {
		return moved
	}
	for _, s := range j.slots {
		switch {
		case s.pod.Deleted != 0:
			moved = max(moved, s.pod.Deleted)
		case j.stale(s):
		case !j.available(s.pod) && j.now-s.pod.Created <= j.allowed(s.pod):
			return j.now
		default:
			moved = max(moved, s.pod.Created)
		}
	}
	return moved
}

// surplus gives the trouble that holds up scaling down: a Pod that does not end. The controller deletes from the highest ordinal
// down; of Pods in trouble it deletes the lowest only, and with OrderedReady waits for ever for the others to become available
// (k8s.io/kubernetes pkg/controller/statefulset/stateful_set_control.go, processCondemned).
func (j *judge) surplus() trouble {
	lowest := true
	var t trouble
	for _, part := range [...][]slot{j.below, j.above} {
		for _, s := range part {
			switch {
			case j.available(s.pod):
			case s.pod.Deleted != 0, !lowest && !j.Set.Parallel && !s.pod.Terminal():
				t = j.trouble(s)
				fallthrough
			default:
				lowest = false
			}
		}
	}
	if t.pod != nil && t.pod.Deleted == 0 && t.action != FreeNode {
		t.action = DeletePod
		t.helped = t.since != 0 && j.now-t.since > max(patience, j.budget(t.pod))
		j.count(t)
	}
	return t
}

func (j *judge) missing(index int64) trouble {
	t := trouble{slot: slot{index: index}, reason: PodMissing, action: Wait, since: j.Set.Created}
	for _, part := range [...][]slot{j.below, j.slots, j.above} {
		for _, s := range part {
			t.since = max(t.since, s.pod.Created)
		}
	}
	if at, ok := j.claimTerminating(index); ok {
		t.reason, t.action, t.since = ClaimTerminating, FixStorage, max(t.since, at)
	}
	t.overdue = t.since != 0 && j.now-t.since > j.deadline
	return t
}

func (j *judge) trouble(s slot) trouble {
	t := trouble{slot: s}
	t.reason, t.action = j.reason(s)
	t.since = j.since(s.pod)
	age := j.now - t.since
	if t.since == 0 || t.reason == TerminalPhase {
		return t
	}
	t.overdue = age > j.allowed(s.pod) && (t.reason != Terminating || age > cluster.Time(s.pod.Grace))
	t.helped = t.action == DeletePod && live(s.pod) && age > max(patience, j.budget(s.pod))
	return t
}

// budget is how long the Pod's own probes and minReadySeconds let it take, in seconds.
func (j *judge) budget(p *cluster.Pod) cluster.Time {
	return cluster.Time(max(p.StartupBudget, 0)) + cluster.Time(max(j.Set.MinReady, 0))
}

// allowed is how long the Pod may be unavailable, in seconds.
func (j *judge) allowed(p *cluster.Pod) cluster.Time { return max(j.deadline, j.budget(p)) }

// claimTerminating gives since when a claim that the Pod of the index would use is being deleted: until it is gone the controller
// does not make the Pod (k8s.io/kubernetes pkg/controller/statefulset/stateful_pod_control.go, createPersistentVolumeClaims).
func (j *judge) claimTerminating(index int64) (cluster.Time, bool) {
	if j.Claim == nil {
		return 0, false
	}
	for i := range j.Set.Templates {
		if c := j.Claim(j.Set.Namespace, claimName(j.Set, i, index)); c != nil && c.Deleted != 0 {
			return c.Deleted, true
		}
	}
	return 0, false
}

// template tells whether the claim is one that the set makes for the Pod.
func (j *judge) template(s slot, claim string) bool {
	return slices.ContainsFunc(j.Set.Templates, func(t cluster.ClaimTemplate) bool {
		n := len(claim) - len(s.pod.Name)
		return n == len(t.Name)+1 && claim[:n-1] == t.Name && claim[n-1] == '-' && claim[n:] == s.pod.Name
	})
}
