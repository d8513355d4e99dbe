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
	pods, remembered := l.pods(j.UID), l.evidence(j.UID)
	f := Failure{Reason: j.FailureReason}
	f.read(newestEvidence(j, pods, remembered))
	w := longestWait(pods)
	if w.reason == "" && remembered != nil {
		w = wait{remembered.Waiting, remembered.WaitingContainer}
	}
	switch {
	case j.FailureReason == "DeadlineExceeded":
		refused := refusalSince(l.refusal(j.UID), j.Started)
		switch f.deadline(w); {
		case f.Cause != CauseDeadline:
		case refused != NoStall && j.Failed == 0 && j.Succeeded == 0:
			f.Cause = causeOfStall(refused)
		case l.Pods == nil:
			f.Cause = CauseUnknown // it may have been anything that a Pod would tell
		}
	case j.PolicyExitCode != "":
		f.policy(j)
	case f.Cause == CauseUnknown && f.ExitCode == "":
		f.waited(w)
	}
	return f
}

// failureOfRemembered gives why a run failed whose Job is gone.
func failureOfRemembered(r *cluster.FinishedRun) Failure {
	f, e := Failure{Reason: r.Reason}, r.Evidence
	if e == nil {
		e = &cluster.Evidence{}
	}
	f.read(*e)
	if w := (wait{e.Waiting, e.WaitingContainer}); r.Reason == "DeadlineExceeded" {
		f.deadline(w)
	} else if f.Cause == CauseUnknown && f.ExitCode == "" {
		f.waited(w)
	}
	return f
}

func (f *Failure) read(e cluster.Evidence) {
	f.Cause = causeOf(&e)
	if t := &e.Termination; t.ExitCode != 0 {
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

// deadline says what a Job's time was spent on: what a Pod waited for when it ran out, crashing, or simply too much work.
func (f *Failure) deadline(w wait) {
	if w.reason == "CrashLoopBackOff" && f.Cause != CauseUnknown {
		return
	}
	f.Cause = CauseDeadline
	f.waited(w)
}

// waited takes over what a Pod waited for, if that explains a failure.
func (f *Failure) waited(w wait) {
	if c := causeOfWaiting(w.reason); c != CauseUnknown {
		f.Cause, f.Container, f.ExitCode = c, w.container, ""
	}
}

// wait is what keeps a Pod from running.
type wait struct{ reason, container string }

// longestWait gives what the oldest of the Pods that have not ended waits for, of those that wait for what may never come.
func longestWait(pods []*cluster.Pod) (w wait) {
	var oldest *cluster.Pod
	for _, p := range pods {
		if p.Terminal() {
			continue
		}
		reason, container := p.WaitsFor()
		if reason != "CrashLoopBackOff" && causeOfWaiting(reason) == CauseUnknown {
			continue
		}
		if oldest == nil || p.Created < oldest.Created || p.Created == oldest.Created && p.Name < oldest.Name {
			oldest, w = p, wait{reason, container}
		}
	}
	return w
}
