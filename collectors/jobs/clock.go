package jobs

import (
	"time"

	"tocsin/collectors/cluster"
	"tocsin/collectors/schedule"
)

// clock is a CronJob's schedule at the instant of the verdict.
type clock struct {
	c          *cluster.CronJob
	now        cluster.Time
	grace      cluster.Time
	ticks      schedule.Anchored
	anchor     cluster.Time // from here on ticks are owed
	prev, next cluster.Time // the ticks around now, 0 if there is none
	every      int64        // seconds, of an @every schedule
}

// clock finds where ticks are counted from: the last one that the controller met or the CronJob's creation, and not before its
// schedule was last edited or it was resumed, since what the schedule then says was not so before.
func (in *CronJobInput) clock(now cluster.Time) clock {
	c := in.CronJob
	k := clock{c: c, now: now, grace: cluster.Time(in.Grace / time.Second)}
	from := c.LastSchedule
	if from == 0 {
		from = c.Created
	}
	if from == 0 {
		from = now // an object that no API server has made owes nothing yet
	}
	k.anchor = max(from, c.ChangedAt)
	if in.Problem != schedule.ProblemNone {
		return k
	}
	k.ticks = in.Schedule.From(from.Std())
	start, end := k.ticks.Slot(now.Std())
	k.prev, k.next = unix(start), unix(end)
	if d, ok := in.Schedule.Every(); ok {
		k.every = int64(d / time.Second)
	}
	return k
}

func unix(t time.Time) cluster.Time {
	if t.IsZero() {
		return 0
	}
	return cluster.Time(t.Unix())
}

// problem gives what keeps the CronJob from ever starting anything, or from being judged.
func (in *CronJobInput) problem(k *clock) Problem {
	c := in.CronJob
	switch {
	case in.Problem != schedule.ProblemNone:
		return problemOf(in.Problem)
	case k.next == 0:
		return NeverFires
	case c.HasStartingDeadline && c.StartingDeadline <= 0:
		return ZeroStartingDeadline
	case in.wrongZone(k):
		return TimezoneMismatch
	}
	return NoProblem
}

// wrongZone tells whether the controller has been seen to run in another zone than the CronJob is judged by: its last run is at no
// tick, although the schedule was the same then. Only a CronJob that leaves its zone to the controller can tell.
func (in *CronJobInput) wrongZone(k *clock) bool {
	c := in.CronJob
	if in.Schedule.ZoneSource() != schedule.TimezoneDefault || c.LastSchedule == 0 || k.every != 0 {
		return false
	}
	unchanged := c.Generation == 1 || c.ChangedAt != 0 && c.ChangedAt < c.LastSchedule
	return unchanged && !k.ticks.IsTick(c.LastSchedule.Std())
}

// judge fills in what is due of a CronJob that can run. A run covers the ticks up to its own, also one by hand and one that failed:
// that it failed is said elsewhere.
func (k *clock) judge(v *CronJobVerdict, newestRun cluster.Time, active activeRef) {
	c := k.c
	v.Next = k.next
	v.Due = unix(k.ticks.Next(max(k.anchor, newestRun).Std()))
	if v.Due == 0 || k.now < v.Due+k.grace {
		v.State = OK
		return
	}
	v.Missed = min(1+k.count(v.Due, k.now-k.grace), MaxTicks)
	switch {
	case c.Policy == "Forbid" && active == blockingRef:
		v.State = Blocked
	case active == danglingRef:
		v.State = Late // the controller has not looked since, and may yet
	case c.HasStartingDeadline && int64(k.now-max(k.prev, v.Due)) >= c.StartingDeadline:
		v.State = Missed // after a day without a midnight the controller comes to a tick that Prev does not know
	default:
		v.State = Late
	}
}

func (k *clock) count(after, until cluster.Time) int {
	if until <= after {
		return 0
	}
	return k.ticks.Count(after.Std(), until.Std(), MaxTicks)
}

func (k *clock) interval() int64 {
	switch {
	case k.every != 0:
		return k.every
	case k.prev == 0 || k.next == 0:
		return 0
	}
	return int64(k.next - k.prev)
}

// skipped counts the ticks that have passed while the CronJob was suspended.
func (k *clock) skipped() int {
	from := k.anchor
	if k.c.SuspendedAt != 0 {
		from = max(k.c.LastSchedule, k.c.SuspendedAt)
	}
	return k.count(from, k.now)
}

// runsSince counts the ticks after a success, 0 for none, whose slot is over: a run has until the next tick, and a day at most. What
// was before the schedule was edited or resumed is not counted, nor are the ticks while it is suspended; when that is since when is not
// known, since the last run.
func (k *clock) runsSince(success cluster.Time) int {
	from, until := success, k.now
	if from == 0 {
		from = k.c.Created
	}
	if from == 0 {
		from = k.anchor
	}
	from = max(from, k.c.ChangedAt)
	switch {
	case !k.c.Suspend:
	case k.c.SuspendedAt != 0:
		until = min(until, k.c.SuspendedAt)
	default:
		until = min(until, k.c.LastSchedule)
	}
	if until <= from {
		return 0
	}
	n := k.ticks.Count(from.Std(), until.Std(), MaxTicks+1)
	if k.prev <= until && k.prev+maxSlot > k.now {
		n-- // the slot that is open
	}
	return min(max(n, 0), MaxTicks)
}

// isLong tells whether a run that goes on takes too long: three times as long as any that succeeded, or with none to compare with,
// longer than the slot that it began in. A run with a deadline of its own will be ended by it, and one that waits or is suspended does
// not run.
func (k *clock) isLong(j *cluster.Job, longest, tick cluster.Time) bool {
	if j.Finished() || j.Started == 0 || j.ActiveDeadline > 0 || suspended(j) {
		return false
	}
	age := k.now - j.Started
	if longest > 0 {
		return age > max(3*longest, longRunFloor)
	}
	start, end := k.ticks.Slot(keyOf(j, tick).Std())
	return !start.IsZero() && !end.IsZero() && age > unix(end)-unix(start)
}
