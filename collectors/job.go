package collectors

import (
	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
	"tocsin/collectors/jobs"
)

// The question of this file: which Jobs have failed and why, and how do those fare that no CronJob owns? A CronJob's Jobs come and go
// by the minute; what they come to is its own series'.

var (
	jobFailed = jobFamily("tocsin_job_failed", "1 for every failed Job that still exists, also one that waits for its Pods to end: the reason of its condition, and what its Pods tell of the cause. The label cronjob is empty when no CronJob owns it.",
		"cronjob", "reason", "cause", "container", "exit_code", "severity")
	jobState = jobFamily("tocsin_job_state", "State of the Job, 1: pending, running, retrying (a Pod has failed and none is ready), succeeded, failed, suspended, external (another controller runs it). Only Jobs that no CronJob owns.",
		"state")
	jobStalled = jobFamily("tocsin_job_stalled", "1 when the Job makes no progress and will not by itself, with the reason. Only Jobs that no CronJob owns.",
		"reason", "severity")
	jobFailedIndexes = jobFamily("tocsin_job_failed_indexes",
		"Indexes of the Job that have failed for good, while others may still run. Only Jobs with backoffLimitPerIndex that no CronJob owns.")
	jobStart = jobFamily("tocsin_job_start_timestamp_seconds",
		"When the Job started; absent when it has not. Only Jobs that no CronJob owns.")
	jobFinished = jobFamily("tocsin_job_finished_timestamp_seconds",
		"When the Job succeeded or failed; absent while it is unfinished. Only Jobs that no CronJob owns.")
	jobWithoutTTL = jobFamily("tocsin_job_without_ttl",
		"1 for a finished Job that nothing will ever delete: it has no ttlSecondsAfterFinished, no owner, and no helm.sh/hook-delete-policy.")
)

func jobFamily(name, help string, labels ...string) *exposition.Family {
	return &exposition.Family{Name: name, Help: help, Labels: append([]string{"namespace", "job_name"}, labels...)}
}

// jobCollector gives the verdicts on Jobs.
type jobCollector struct {
	prepared prepared[*cluster.Job, preparedJob]
	failures prepared[severeFailure, exposition.Labels]
	stalls   prepared[severeStall, exposition.Labels]
	states   [jobs.JobStates]exposition.Labels
}

// preparedJob is what is made once per record of a Job.
type preparedJob struct {
	labels exposition.Labels
	failed exposition.Labels // with the CronJob
}

type severeFailure struct {
	jobs.Failure
	severity cluster.Severity
}

type severeStall struct {
	jobs.Stall
	severity cluster.Severity
}

func newJobCollector(Options) Collector {
	c := &jobCollector{}
	for s := range c.states {
		c.states[s] = exposition.Pairs("state", jobs.JobState(s).String())
	}
	return c
}

func (*jobCollector) Families() []*exposition.Family {
	return []*exposition.Family{jobFailed, jobState, jobStalled, jobFailedIndexes, jobStart, jobFinished, jobWithoutTTL}
}

func (c *jobCollector) Collect(view *cluster.View, sink exposition.Sink) error {
	if !view.Known(cluster.Jobs) {
		return nil
	}
	defer c.prepared.sweep()
	defer c.failures.sweep()
	defer c.stalls.sweep()
	lookups := jobLookups(view)
	for _, j := range view.Jobs.All() {
		owner, owned := j.CronJobOwner()
		if owned && !j.Failure() || view.Ignored(&j.Meta) {
			continue
		}
		p := c.prepared.get(j, func() preparedJob { return prepareJob(j, owner.Name) })
		w := seriesOf{sink, p.labels}
		if owned {
			c.writeFailed(seriesOf{sink, p.failed}, jobs.FailureOf(j, &lookups), view.SeverityOf(&j.Meta))
			continue
		}
		v := jobs.JudgeJob(j, &lookups, view.Now)
		w.write(jobState, 1, c.states[v.State])
		w.timestamp(jobStart, j.Started)
		w.timestamp(jobFinished, j.FinishedAt())
		if j.PerIndex {
			w.number(jobFailedIndexes, float64(j.FailedIndexes))
		}
		if v.WithoutTTL {
			w.number(jobWithoutTTL, 1)
		}
		if v.State == jobs.JobFailed {
			c.writeFailed(seriesOf{sink, p.failed}, v.Failure, view.SeverityOf(&j.Meta))
		}
		if v.Stall != jobs.NoStall {
			s := severeStall{v.Stall, view.SeverityOf(&j.Meta)}
			w.write(jobStalled, 1, c.stalls.get(s, func() exposition.Labels {
				return exposition.Pairs("reason", v.Stall.String(), "severity", s.severity.String())
			}))
		}
	}
	return nil
}

func prepareJob(j *cluster.Job, cronJob string) preparedJob {
	labels := exposition.Pairs("namespace", j.Namespace, "job_name", j.Name)
	return preparedJob{labels, labels.And(exposition.Pairs("cronjob", cronJob))}
}

func (c *jobCollector) writeFailed(w seriesOf, f jobs.Failure, severity cluster.Severity) {
	s := severeFailure{f, severity}
	w.write(jobFailed, 1, c.failures.get(s, func() exposition.Labels {
		return failureLabels(f).And(exposition.Pairs("severity", severity.String()))
	}))
}
