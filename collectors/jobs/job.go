package jobs

import (
	"time"

	"tocsin/collectors/cluster"
)

// JobVerdict is how a Job fares.
type JobVerdict struct {
	State      JobState
	Stall      Stall   // also of a Job whose outcome is decided and that does not come to its end
	Failure    Failure // zero unless State is JobFailed
	WithoutTTL bool    // it has finished, and nothing will ever delete it
}

// JudgeJob gives the verdict on a Job.
func JudgeJob(j *cluster.Job, l *Lookups, now time.Time) JobVerdict {
	v := JobVerdict{State: jobState(j, l), Stall: stallOf(j, l, seconds(now)), WithoutTTL: withoutTTL(j)}
	if v.State == JobFailed {
		v.Failure = FailureOf(j, l)
	}
	return v
}

func jobState(j *cluster.Job, l *Lookups) JobState {
	switch {
	case j.Failure():
		return JobFailed
	case j.Success():
		return JobSucceeded
	case j.ManagedBy != "":
		return JobExternal
	case suspended(j):
		return JobSuspended
	}
	ran, ready := j.Ready > 0 || j.Succeeded > 0, j.Ready > 0
	for _, p := range l.pods(j.UID) {
		ran = ran || p.Phase == cluster.PhaseRunning || p.Phase == cluster.PhaseSucceeded
		ready = ready || p.Ready && !p.Terminal()
	}
	switch {
	case j.Failed > 0 && !ready:
		return JobRetrying
	case ran:
		return JobRunning
	}
	return JobPending
}

// withoutTTL tells whether a finished Job stays for ever: no ttlSecondsAfterFinished, no owner that would delete it, and not one of
// Helm's hooks, which Helm deletes.
func withoutTTL(j *cluster.Job) bool {
	return !unfinished(j) && !j.HasTTL && len(j.Owners) == 0 && !j.HookDelete && j.Deleted == 0
}
