package jobs

import "tocsin/collectors/cluster"

// runs is what a CronJob's Jobs come to, from one pass over them.
type runs struct {
	// finished is the newest finished run by key that is listed; remembered is the run that the watch remembers if that is newer still.
	finished    *cluster.Job
	remembered  *cluster.FinishedRun
	finishedKey cluster.Time
	failed      bool // that newest run failed

	newest        cluster.Time // the newest key of all, running ones included
	success       cluster.Time // the key of the newest success, or its completion where the key is not known
	lastSuccess   cluster.Time // the newest completion
	lastFailure   cluster.Time
	untold        bool // the newest success is known from status.lastSuccessfulTime alone
	scheduled     *cluster.Job
	scheduledTick cluster.Time // of scheduled, the newest that is not by hand

	unfinished  int
	activeStart cluster.Time // of the oldest unfinished Job that has started
	longest     cluster.Time // how long the longest of the scheduled runs that succeeded took
}

func (in *CronJobInput) runs() runs {
	c, r := in.CronJob, runs{}
	told := c.LastSuccess == 0
	for _, j := range in.Jobs {
		tick := scheduledTick(j, c.Name)
		key := keyOf(j, tick)
		r.newest = max(r.newest, key)
		if tick != 0 && (r.scheduled == nil || tick > r.scheduledTick || tick == r.scheduledTick && older(j, r.scheduled)) {
			r.scheduled, r.scheduledTick = j, tick
		}
		if unfinished(j) {
			r.unfinished++
			if j.Started != 0 && (r.activeStart == 0 || j.Started < r.activeStart) {
				r.activeStart = j.Started
			}
		}
		if !j.Finished() {
			continue
		}
		if r.finished == nil || key > r.finishedKey || key == r.finishedKey && later(j, r.finished) {
			r.finished, r.finishedKey, r.failed = j, key, j.Failure()
		}
		at := j.FinishedAt()
		if j.Failure() {
			r.lastFailure = max(r.lastFailure, at)
			continue
		}
		told = told || at == c.LastSuccess
		r.success, r.lastSuccess = max(r.success, key), max(r.lastSuccess, at)
		if tick != 0 && j.Started != 0 {
			r.longest = max(r.longest, at-j.Started)
		}
	}
	r.remember(in.LastRun)
	if l := in.LastRun; l != nil && !l.Failed {
		told = told || l.Finished == c.LastSuccess
	}
	if !told && c.LastSuccess > r.success {
		r.success, r.untold = c.LastSuccess, true
		r.newest = max(r.newest, c.LastSuccess)
	}
	r.lastSuccess = max(r.lastSuccess, c.LastSuccess)
	return r
}

// remember takes in the run that the watch saw finish and whose Job is gone.
func (r *runs) remember(last *cluster.FinishedRun) {
	if last == nil {
		return
	}
	r.newest = max(r.newest, last.Tick)
	if r.finished == nil || last.Tick > r.finishedKey {
		r.remembered, r.finished, r.finishedKey, r.failed = last, nil, last.Tick, last.Failed
	}
	if last.Failed {
		r.lastFailure = max(r.lastFailure, last.Finished)
		return
	}
	r.success, r.lastSuccess = max(r.success, last.Tick), max(r.lastSuccess, last.Finished)
}

// later orders finished Jobs of the same key, so that the verdict does not depend on the order in which they are listed.
func later(a, b *cluster.Job) bool {
	if a.FinishedAt() != b.FinishedAt() {
		return a.FinishedAt() > b.FinishedAt()
	}
	return a.Name > b.Name
}

// vanished tells whether the newest scheduled run left nothing behind: no Job, no success after it, and the watch did not see it end.
// A failed Job is deleted at once with failedJobsHistoryLimit 0, and then nothing in the API says that it failed. While status.active
// names the Job, the controller has not noticed, either.
func (in *CronJobInput) vanished(r *runs, now cluster.Time) bool {
	last := in.CronJob.LastSchedule
	if last == 0 || now-last <= goneAfter || r.newest >= last {
		return false
	}
	for i := range in.CronJob.Active {
		if isNameOfTick(in.CronJob.Active[i].Name, in.CronJob.Name, last) {
			return false
		}
	}
	return true
}

// outcome fills in what became of the runs that have ended.
func (v *CronJobVerdict) outcome(in *CronJobInput, r *runs, now cluster.Time) {
	c := in.CronJob
	v.LastSuccess, v.LastFailure = r.lastSuccess, r.lastFailure
	v.SuccessOrCreation = r.lastSuccess
	if v.SuccessOrCreation == 0 {
		v.SuccessOrCreation = c.Created
	}
	v.NeverSucceeded = r.lastSuccess == 0 && (c.LastSchedule != 0 || r.finishedKey != 0 || r.scheduled != nil)

	gone := in.vanished(r, now)
	switch {
	case gone:
		v.Failing, v.Failure = true, Failure{Reason: "JobGone", Cause: CauseUnknown}
	case r.failed && r.finishedKey > r.success:
		v.Failing = true
		if r.finished != nil {
			v.Failure = FailureOf(r.finished, &in.Lookups)
		} else {
			v.Failure = failureOfRemembered(r.remembered)
		}
	}
	v.Duration, v.StartDelay = unknown, unknown
	if !gone && (!r.untold || r.success <= r.finishedKey) {
		v.Duration = r.duration()
	}
	switch {
	case r.scheduled != nil && r.scheduledTick >= c.LastSchedule:
		v.StartDelay = max(0, int64(keyOf(r.scheduled, 0)-r.scheduledTick))
	case r.remembered != nil && r.remembered.Tick == c.LastSchedule && r.remembered.Started != 0:
		v.StartDelay = max(0, int64(r.remembered.Started-r.remembered.Tick))
	}
}

// duration gives how many seconds the newest finished run took. A failed Job has no completionTime; its condition tells the end.
func (r *runs) duration() int64 {
	var start, end cluster.Time
	switch {
	case r.finished != nil:
		start, end = r.finished.Started, r.finished.FinishedAt()
	case r.remembered != nil:
		start, end = r.remembered.Started, r.remembered.Finished
	}
	if start == 0 || end == 0 {
		return unknown
	}
	return max(0, int64(end-start))
}
