package jobs

import (
	"strings"

	"tocsin/collectors/cluster"
)

// Cause is what made a run fail, as its Pods tell it.
type Cause uint8

// The causes.
const (
	CauseUnknown       Cause = iota
	CauseOOMKilled           // the kernel, for the container's memory limit
	CauseError               // it exited with a code of its own
	CauseSignal              // it was killed
	CauseEvicted             // by the kubelet, which was short of something
	CauseDeadline            // activeDeadlineSeconds, of the Job or of the Pod
	CauseImagePull           // an image that could not be had
	CauseConfigError         // a container that could not be made
	CauseStartError          // a container that could not be started
	CauseUnschedulable       // no node for it
	CausePreempted           // by a Pod of higher priority
	CauseDrained             // by the eviction API, as kubectl drain uses it
	CauseNodeLost            // its node went away
	CauseQuota               // a ResourceQuota refused its Pods
	CauseAdmission           // something else in the API server, or the kubelet, refused them
	Causes                   // how many there are
)

// String gives the value of the label cause.
func (c Cause) String() string {
	return [...]string{"unknown", "oom_killed", "error", "signal", "evicted", "deadline", "image_pull", "config_error", "start_error",
		"unschedulable", "preempted", "drained", "node_lost", "quota", "admission"}[c]
}

// causeOf reads evidence from the outside in: what was done to the Pod explains how its containers ended, not the other way round.
func causeOf(e *cluster.Evidence) Cause {
	if c := causeOfPodReason(e.PodReason); c != CauseUnknown {
		return c
	}
	if c := causeOfDisruption(e.Disruption); c != CauseUnknown {
		return c
	}
	return causeOfTermination(&e.Termination)
}

// causeOfPodReason reads a Pod's status.reason, which the kubelet writes (k8s.io/kubernetes pkg/kubelet: eviction/helpers.go,
// active_deadline.go, lifecycle/predicate.go, preemption/preemption.go, nodeshutdown/nodeshutdown_manager.go).
func causeOfPodReason(reason string) Cause {
	switch reason {
	case "Evicted":
		return CauseEvicted
	case "DeadlineExceeded":
		return CauseDeadline
	case "Preempting":
		return CausePreempted
	case "NodeLost", "NodeShutdown", "Terminated", "Shutdown":
		return CauseNodeLost
	case "UnexpectedAdmissionError":
		return CauseAdmission
	case "NodeAffinity", "NodeName", "NodePorts":
		return CauseUnschedulable
	}
	if strings.HasPrefix(reason, "OutOf") {
		return CauseUnschedulable
	}
	return CauseUnknown
}

// causeOfDisruption reads the reason of a Pod's condition DisruptionTarget (k8s.io/api core/v1, PodReason…, and the taint eviction and
// pod garbage collection controllers of k8s.io/kubernetes).
func causeOfDisruption(reason string) Cause {
	switch reason {
	case "EvictionByEvictionAPI":
		return CauseDrained
	case "PreemptionByScheduler":
		return CausePreempted
	case "DeletionByTaintManager", "DeletionByPodGC":
		return CauseNodeLost
	case "TerminationByKubelet":
		return CauseEvicted
	}
	return CauseUnknown
}

func causeOfTermination(t *cluster.Termination) Cause {
	switch t.Reason {
	case "OOMKilled":
		return CauseOOMKilled
	case "StartError", "ContainerCannotRun":
		return CauseStartError
	case "ContainerStatusUnknown":
		return CauseUnknown // the kubelet found the container gone; its code, 137, is made up
	}
	return causeOfCode(t.ExitCode)
}

// causeOfCode reads an exit code as shells write it: above 128 it is a signal's number.
func causeOfCode(code int32) Cause {
	switch {
	case code == 0:
		return CauseUnknown
	case code > 128:
		return CauseSignal
	}
	return CauseError
}

// causeOfWaiting says what a Pod that does not run waits for, unknown for what passes by itself.
func causeOfWaiting(reason string) Cause {
	switch reason {
	case "Unschedulable":
		return CauseUnschedulable
	case "RunContainerError":
		return CauseStartError
	}
	return causeOfStall(waitingStall(reason))
}

func causeOfStall(s Stall) Cause {
	switch s {
	case ImagePull:
		return CauseImagePull
	case ConfigError:
		return CauseConfigError
	case Quota:
		return CauseQuota
	case Admission:
		return CauseAdmission
	}
	return CauseUnknown
}

// newestEvidence gives what the Pod that failed last tells of a failed Job, or what the watch remembers when that is newer; nothing
// when nothing is known.
func newestEvidence(j *cluster.Job, pods []*cluster.Pod, remembered *cluster.Evidence) cluster.Evidence {
	var newest *cluster.Pod
	var at cluster.Time
	for _, p := range pods {
		if !tells(j, p) {
			continue
		}
		if t := endOf(p); newest == nil || t > at || t == at && p.Name < newest.Name {
			newest, at = p, t
		}
	}
	switch {
	case remembered != nil && (newest == nil || remembered.Termination.Finished > at):
		return *remembered
	case newest == nil:
		return cluster.Evidence{}
	}
	e := cluster.Evidence{PodReason: newest.Reason, Disruption: newest.Disruption}
	if f := newest.Failure; f != nil && !killedByEnd(j, newest, f) {
		e.Termination = *f
	}
	return e
}

// tells tells whether a Pod has something to say about why its Job failed.
func tells(j *cluster.Job, p *cluster.Pod) bool {
	if p.Phase == cluster.PhaseSucceeded {
		return false
	}
	return p.Failure != nil && !killedByEnd(j, p, p.Failure) || causeOfPodReason(p.Reason) != CauseUnknown || causeOfDisruption(p.Disruption) != CauseUnknown
}

// killedByEnd tells whether a container ended because its Pod was deleted, or because the Job's time was over: its exit code says
// nothing about the failure.
func killedByEnd(j *cluster.Job, p *cluster.Pod, f *cluster.Termination) bool {
	return p.Deleted != 0 && f.Finished > p.Deleted || j.FailureReason == "DeadlineExceeded" && f.Finished >= j.FinishedAt()
}
