package jobs

import (
	"strconv"

	"tocsin/collectors/cluster"
)

// Failure is why a Job failed. It is comparable.
type Failure struct {
	Reason    string // of the Job's condition, as batch/v1 has it, or "other"; "JobGone" for a run that left nothing behind
	Cause     Cause
	Container string // "" when unknown
	ExitCode  string // "" when unknown
}

// FailureOf gives why a Job that has failed did so. Its condition says what the Job controller counted; the cause lies in its Pods,
// in what the watch remembers of them, and for a Pod failure policy in the condition's message.
func FailureOf(j *cluster.Job, l *Lookups) Failure {
	f := Failure{Reason: j.FailureReason, Cause: CauseUnknown}
	pods := l.pods(j.UID)
	e, known := newestEvidence(j, pods, l.evidence(j.UID))
	if known {
		f.Cause = causeOf(&e)
		f.name(&e.Termination)
	}
	switch {
	case j.FailureReason == "DeadlineExceeded":
		f.deadline(j, l, pods)
	case j.PolicyExitCode != "":
		f.policy(j)
	case !known:
		f.waiting(pods)
	}
	return f
}

func failureOfRemembered(r *cluster.FinishedRun) Failure {
	f := Failure{Reason: r.Reason, Cause: CauseUnknown}
	if r.Evidence != nil {
		f.Cause = causeOf(r.Evidence)
		f.name(&r.Evidence.Termination)
	}
	if r.Reason == "DeadlineExceeded" {
		f.Cause = CauseDeadline
	}
	return f
}

func (f *Failure) name(t *cluster.Termination) {
	if t.ExitCode != 0 {
		f.Container, f.ExitCode = t.Container, strconv.Itoa(int(t.ExitCode))
	}
}

// policy takes over what the message of a Pod failure policy says: which container's exit code matched. A Pod has several, and the
// message outlives them all.
func (f *Failure) policy(j *cluster.Job) {
	if f.Container == j.PolicyContainer && f.ExitCode == j.PolicyExitCode {
		return
	}
	f.Container, f.ExitCode, f.Cause = j.PolicyContainer, j.PolicyExitCode, CauseError
	if code, err := strconv.Atoi(j.PolicyExitCode); err == nil {
		f.Cause = causeOfCode(int32(code))
	}
}

// deadline finds what a Job's time was spent on: what its Pods waited for when it ran out, else simply too much work. Without Pods it
// may have been anything.
func (f *Failure) deadline(j *cluster.Job, l *Lookups, pods []*cluster.Pod) {
	crashed := f.Cause
	f.Cause = CauseDeadline
	switch p := stuckPod(pods); {
	case p == nil:
		if refused := refusalSince(l.refusal(j.UID), j.Started); refused != NoStall && j.Failed == 0 && j.Succeeded == 0 {
			f.Cause = causeOfStall(refused)
		} else if l.Pods == nil {
			f.Cause = CauseUnknown
		}
	case p.Waiting == "CrashLoopBackOff":
		if crashed != CauseUnknown {
			f.Cause = crashed
		}
	default:
		f.stuck(p)
	}
}

// waiting is for a Job whose Pods have told nothing yet: one of them may still wait.
func (f *Failure) waiting(pods []*cluster.Pod) {
	if p := stuckPod(pods); p != nil && p.Waiting != "CrashLoopBackOff" {
		f.stuck(p)
	}
}

func (f *Failure) stuck(p *cluster.Pod) {
	f.Container, f.ExitCode = p.WaitingContainer, ""
	f.Cause = causeOfWaiting(p)
}

// stuckPod gives the oldest of the Pods that have not ended and wait for something that a cause is known for, nil if there is none.
func stuckPod(pods []*cluster.Pod) *cluster.Pod {
	var oldest *cluster.Pod
	for _, p := range pods {
		if p.Terminal() || causeOfWaiting(p) == CauseUnknown && p.Waiting != "CrashLoopBackOff" {
			continue
		}
		if oldest == nil || p.Created < oldest.Created || p.Created == oldest.Created && p.Name < oldest.Name {
			oldest = p
		}
	}
	return oldest
}
