package collectors

import (
	"time"

	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
	"tocsin/collectors/jobs"
	"tocsin/collectors/schedule"
)

// The question of this file: did each CronJob's runs start when they were due, and what became of them?

// maxSchedules bounds the parsed schedules that are kept. CronJobs share most of theirs.
const maxSchedules = 20_000

// cronJobCollector gives the verdicts on CronJobs.
type cronJobCollector struct {
	grace     time.Duration
	schedules *schedule.Cache
	prepared  prepared[cronJobKey, preparedCronJob]
	failures  prepared[jobs.Failure, exposition.Labels]

	mismatched []*cluster.CronJob // of this scrape
	hint       zoneHint

	states                  [jobs.States]exposition.Labels
	problems                [jobs.Problems]exposition.Labels
	stalls                  [jobs.Stalls]exposition.Labels
	succeeded, failed, gone exposition.Labels
}

// cronJobKey is what the label pairs of a CronJob are made of. Its severity may be that of a workload above it.
type cronJobKey struct {
	cronJob  *cluster.CronJob
	severity cluster.Severity
}

// preparedCronJob is what is made once per record of a CronJob.
type preparedCronJob struct {
	labels, info exposition.Labels
	schedule     *schedule.Schedule
	problem      schedule.Problem
}

func newCronJobCollector(options Options) Collector {
	c := &cronJobCollector{
		grace:     options.StartGrace,
		schedules: schedule.NewCache(maxSchedules, options.DefaultTimezone),
		stalls:    stallLabels(),
		succeeded: exposition.Pairs("result", "succeeded"),
		failed:    exposition.Pairs("result", "failed"),
		gone:      exposition.Pairs("result", "gone"),
		hint:      zoneHint{log: options.Log},
	}
	for s := range c.states {
		c.states[s] = exposition.Pairs("state", jobs.State(s).String())
	}
	for p := range c.problems {
		c.problems[p] = exposition.Pairs("reason", jobs.Problem(p).String())
	}
	return c
}

func stallLabels() (labels [jobs.Stalls]exposition.Labels) {
	for s := range labels {
		labels[s] = exposition.Pairs("reason", jobs.Stall(s).String())
	}
	return labels
}

func (c *cronJobCollector) Collect(view *cluster.View, sink exposition.Sink) error {
	if !view.Known(cluster.CronJobs, cluster.Jobs) {
		return nil
	}
	defer c.prepared.sweep()
	defer c.failures.sweep()
	in := jobs.CronJobInput{Grace: c.grace, Lookups: jobLookups(view)}
	c.mismatched = c.mismatched[:0]
	for _, cronJob := range view.CronJobs.All() {
		if view.Ignored(&cronJob.Meta) {
			continue
		}
		key := cronJobKey{cronJob, view.SeverityOf(&cronJob.Meta)}
		p := c.prepared.get(key, func() preparedCronJob { return c.prepare(key) })
		in.CronJob, in.Schedule, in.Problem = cronJob, p.schedule, p.problem
		in.Jobs, in.LastRun = view.JobsOf(cronJob), view.LastRunOf(cronJob.UID)
		v := jobs.JudgeCronJob(&in, view.Now)
		if v.Problem == jobs.TimezoneMismatch {
			c.mismatched = append(c.mismatched, cronJob)
		}
		w := seriesOf{sink, p.labels}
		w.write(cronJobInfo, 1, p.info)
		w.timestamp(cronJobCreated, cronJob.Created)
		w.timestamp(cronJobLastSchedule, cronJob.LastSchedule)
		if cronJob.Suspend {
			w.timestamp(cronJobSuspendedSince, cronJob.SuspendedAt)
		}
		if cronJob.SuccessWithin > 0 {
			w.number(cronJobSuccessWithin, cronJob.SuccessWithin.Seconds())
		}
		c.writeSchedule(w, &v)
		c.writeOutcome(w, &v, view.Now)
		c.writeActive(w, &v)
		c.writeRuns(w, view.RunsOf(cronJob.UID))
	}
	sink.Write(timezoneMismatches, float64(len(c.mismatched)), exposition.Labels{}, exposition.Labels{})
	c.hint.suggest(c.mismatched)
	return nil
}

// jobLookups gives what is known beside CronJobs and Jobs.
func jobLookups(view *cluster.View) jobs.Lookups {
	l := jobs.Lookups{Evidence: view.EvidenceOf}
	if view.Known(cluster.Pods) {
		l.Pods = view.PodsOf
	}
	if view.Known(cluster.Events) {
		l.Refusal = view.Refusal
	}
	return l
}

func (c *cronJobCollector) prepare(key cronJobKey) preparedCronJob {
	o := key.cronJob
	p := preparedCronJob{labels: exposition.Pairs("namespace", o.Namespace, "cronjob", o.Name)}
	p.schedule, p.problem = c.schedules.Get(o.Schedule, o.TimeZone)
	p.info = exposition.Pairs("schedule", o.Schedule, "timezone", p.schedule.Zone(), "timezone_source", p.schedule.ZoneSource().String(),
		"concurrency_policy", o.Policy, "severity", key.severity.String())
	return p
}

func (c *cronJobCollector) writeSchedule(w seriesOf, v *jobs.CronJobVerdict) {
	w.write(cronJobState, 1, c.states[v.State])
	if v.Problem != jobs.NoProblem {
		w.write(cronJobScheduleProblem, 1, c.problems[v.Problem])
	}
	w.timestamp(cronJobDue, v.Due)
	w.timestamp(cronJobNextRun, v.Next)
	if v.Interval > 0 {
		w.number(cronJobInterval, float64(v.Interval))
	}
	if v.Missed > 0 && v.State != jobs.Suspended && v.State != jobs.Invalid {
		w.number(cronJobMissedRuns, float64(v.Missed))
	}
	w.number(cronJobSkippedRuns, float64(v.Skipped))
	w.number(cronJobRunsSinceSuccess, float64(v.RunsSinceSuccess))
}

func (c *cronJobCollector) writeOutcome(w seriesOf, v *jobs.CronJobVerdict, now time.Time) {
	if v.SuccessOrCreation != 0 {
		w.number(cronJobSinceSuccess, max(0, now.Sub(v.SuccessOrCreation.Std()).Round(time.Millisecond).Seconds()))
	}
	w.number(cronJobNeverSucceeded, number(v.NeverSucceeded))
	w.timestamp(cronJobLastSuccess, v.LastSuccess)
	w.timestamp(cronJobLastFailure, v.LastFailure)
	w.number(cronJobFailing, number(v.Failing))
	if v.Failing {
		w.write(cronJobLastFailureInfo, 1, c.failures.get(v.Failure, func() exposition.Labels { return failureLabels(v.Failure) }))
	}
	w.seconds(cronJobDuration, v.Duration)
	w.seconds(cronJobStartDelay, v.StartDelay)
}

func failureLabels(f jobs.Failure) exposition.Labels {
	return exposition.Pairs("reason", f.Reason, "cause", f.Cause.String(), "container", f.Container, "exit_code", f.ExitCode)
}

func (c *cronJobCollector) writeActive(w seriesOf, v *jobs.CronJobVerdict) {
	w.number(cronJobActiveRuns, float64(v.Unfinished))
	w.timestamp(cronJobActiveStart, v.ActiveStart)
	if v.Stall != jobs.NoStall {
		w.write(cronJobStalled, 1, c.stalls[v.Stall])
	}
	w.number(cronJobLongRunning, number(v.LongRunning))
}

// writeRuns writes every result from the start: a counter that comes to be at 1 has lost its first increase.
func (c *cronJobCollector) writeRuns(w seriesOf, runs cluster.Runs) {
	w.write(cronJobRuns, float64(runs.Succeeded), c.succeeded)
	w.write(cronJobRuns, float64(runs.Failed), c.failed)
	w.write(cronJobRuns, float64(runs.Gone), c.gone)
}
