package rollout

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tocsin/collectors/cluster"
)

// slot is a Pod at its index, its ordinal less the first one. The partition and the status count indexes, not ordinals.
type slot struct {
	index int64
	pod   *cluster.Pod
}

// place sorts the set's Pods into slots, in the memory of all: those that the set wants, and those below and above them. A Pod whose
// name the controller does not take for a member's is none of the set's
// (k8s.io/kubernetes pkg/controller/statefulset/stateful_set_utils.go, isMemberOf).
func place(in *Input, all []slot) (below, wanted, above []slot) {
	for _, p := range in.Pods {
		if p == nil {
			continue
		}
		if n, ok := ordinal(in.Set.Name, p.Name); ok {
			all = append(all, slot{n - int64(in.Set.Start), p})
		}
	}
	slices.SortFunc(all, func(a, b slot) int {
		if a.index != b.index {
			return cmp.Compare(a.index, b.index)
		}
		return strings.Compare(a.pod.Name, b.pod.Name)
	})
	all = slices.CompactFunc(all, func(a, b slot) bool { return a.index == b.index })
	low, high := 0, len(all)
	for low < high && all[low].index < 0 {
		low++
	}
	for high > low && all[high-1].index >= int64(in.Set.Replicas) {
		high--
	}
	return all[:low], all[low:high], all[high:]
}

func ordinal(set, pod string) (int64, bool) {
	digits, ok := strings.CutPrefix(pod, set)
	if !ok || len(digits) < 2 || digits[0] != '-' || digits[1] < '0' || digits[1] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(digits[1:], 10, 32)
	return n, err == nil
}

// partition gives the index below which Pods are held back.
func (j *judge) partition() int64 {
	if j.Set.Strategy != cluster.RollingUpdate || !j.Set.HasRollingUpdate {
		return 0
	}
	return int64(j.Set.Partition)
}

// revisionFor gives the revision at which the controller would build the Pod of an index, were it missing: this decides whether
// deleting it helps (k8s.io/kubernetes pkg/controller/statefulset/stateful_set_utils.go, newVersionedStatefulSetPod).
func (j *judge) revisionFor(index int64) string {
	set := j.Set
	if set.Strategy == cluster.RollingUpdate {
		held := int64(set.Partition)
		if !set.HasRollingUpdate {
			held = int64(set.CurrentReplicas)
		}
		if index < held {
			return set.CurrentRevision
		}
	}
	return set.UpdateRevision
}

// stale tells whether the Pod would come back at another revision if it were deleted.
func (j *judge) stale(s slot) bool {
	want := j.revisionFor(s.index)
	return want != "" && s.pod.Revision != want
}

// outdated tells whether the Pod is not at the update revision.
func (j *judge) outdated(p *cluster.Pod) bool {
	return j.Set.UpdateRevision != "" && p.Revision != j.Set.UpdateRevision
}

// live tells whether the Pod is neither on its way out nor about to be replaced.
func live(p *cluster.Pod) bool { return p.Deleted == 0 && !p.Terminal() }

// available tells whether the controller takes the Pod for available
// (k8s.io/kubernetes pkg/controller/statefulset/stateful_set_utils.go, isRunningAndAvailable).
func (j *judge) available(p *cluster.Pod) bool {
	if p.Deleted != 0 || p.Phase != cluster.PhaseRunning || !p.Ready {
		return false
	}
	minReady := cluster.Time(j.Set.MinReady)
	return minReady <= 0 || (p.ReadyChanged != 0 && j.now-p.ReadyChanged >= minReady)
}
