package jobs

import (
	"time"

	"tocsin/collectors/cluster"
	"tocsin/collectors/schedule"
)

// unknown stands for a number of seconds that is not known.
const unknown = -1

// CronJobInput is what a CronJob is judged by.
type CronJobInput struct {
	CronJob  *cluster.CronJob
	Schedule *schedule.Schedule // as the CronJob's schedule and time zone parse; nil is like one that did not parse
	Problem  schedule.Problem   // of that parse
	Grace    time.Duration      // how late a run may start
	Jobs     []*cluster.Job     // its runs, scheduled or by hand, in any order
	LastRun  *cluster.FinishedRun
	Lookups
}

// CronJobVerdict is how a CronJob fares. Instants that are 0 and seconds that are negative are not known, or do not exist.
type CronJobVerdict struct {
	State   State
	Problem Problem

	Due      cluster.Time // the oldest tick without a run; in the future when all is well; 0 when Suspended or Invalid
	Next     cluster.Time // the next tick; 0 when Suspended or Invalid
	Interval int64        // seconds between the ticks around now; 0 when there are none

	Missed           int // ticks without a run from Due on, less those in the grace
	Skipped          int // ticks while suspended
	RunsSinceSuccess int // ticks since the last success whose slot is over, but for those while suspended

	LastSuccess       cluster.Time // the newest completion of any run
	LastFailure       cluster.Time
	SuccessOrCreation cluster.Time // LastSuccess, the CronJob's creation if there was none
	NeverSucceeded    bool         // a run has been scheduled or has finished, and none has succeeded
	Failing           bool         // the newest finished run by tick failed, or left nothing behind
	Failure           Failure      // of that run, zero unless Failing

	Unfinished  int          // Jobs that the controllers take for running
	ActiveStart cluster.Time // of the oldest of them that has started
	Stall       Stall        // of the oldest that is stalled, or why none can be made
	LongRunning bool

	Duration   int64 // seconds that the newest finished run by tick took
	StartDelay int64 // seconds from its tick to its start, of the newest run that was not by hand
}

// JudgeCronJob gives the verdict on a CronJob. It needs nothing but the record: whatever else is missing only makes the verdict say
// less.
func JudgeCronJob(in *CronJobInput, now time.Time) CronJobVerdict {
	c, r, at := in.CronJob, in.runs(), seconds(now)
	v := CronJobVerdict{Unfinished: r.unfinished, ActiveStart: r.activeStart}
	v.outcome(in, &r, at)

	k := in.clock(at)
	active := in.activeRefs(at)
	v.Problem = in.problem(&k)
	switch {
	case v.Problem != NoProblem:
		v.State = Invalid
	case c.Suspend:
		v.State, v.Skipped = Suspended, k.skipped()
	case c.Deleted != 0:
		// The controller starts nothing any more (k8s.io/kubernetes pkg/controller/cronjob/cronjob_controllerv2.go, syncCronJob).
	default:
		k.judge(&v, r.newest, active)
	}
	if v.Problem == NoProblem && active == danglingRef {
		v.Problem = StaleActive
	}
	if v.State != Invalid {
		v.Interval = k.interval()
		v.RunsSinceSuccess = k.runsSince(r.success)
	}
	if r.unfinished > 0 {
		v.active(in, &r, &k)
	}
	if v.Stall == NoStall && (v.State == Late || v.State == Missed) && at-v.Due > noPodsAfter {
		v.Stall = refusalSince(in.refusal(c.UID), v.Due)
	}
	return v
}

// activeRef says what status.active of a CronJob names.
type activeRef uint8

const (
	noRef       activeRef = iota
	danglingRef           // a Job that does not exist
	blockingRef           // an unfinished Job: with Forbid no other one is made meanwhile
)

func (in *CronJobInput) activeRefs(now cluster.Time) activeRef {
	result := noRef
	for i := range in.CronJob.Active {
		ref := &in.CronJob.Active[i]
		j := in.job(ref)
		switch {
		case j != nil && unfinished(j):
			return blockingRef
		case j == nil && now-in.CronJob.LastSchedule > goneAfter:
			result = danglingRef
		}
	}
	return result
}

func (in *CronJobInput) job(ref *cluster.JobRef) *cluster.Job {
	for _, j := range in.Jobs {
		if j.UID == ref.UID && (ref.UID != cluster.UID{} || j.Name == ref.Name) {
			return j
		}
	}
	return nil
}

// active fills in whether a run that has not finished is stalled or takes too long.
func (v *CronJobVerdict) active(in *CronJobInput, r *runs, k *clock) {
	var oldest *cluster.Job
	for _, j := range in.Jobs {
		if !unfinished(j) {
			continue
		}
		if s := stallOf(j, &in.Lookups, k.now); s != NoStall && (oldest == nil || older(j, oldest)) {
			oldest, v.Stall = j, s
		}
		if v.State != Blocked && !v.LongRunning {
			v.LongRunning = k.isLong(j, r.longest, scheduledTick(j, in.CronJob.Name))
		}
	}
}

// older orders Jobs by when they started.
func older(a, b *cluster.Job) bool {
	x, y := keyOf(a, 0), keyOf(b, 0)
	return x < y || x == y && a.Name < b.Name
}
