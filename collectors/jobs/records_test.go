package jobs

import (
	"crypto/md5"
	"strconv"
	"strings"
	"testing"
	"time"

	"tocsin/collectors/cluster"
	"tocsin/collectors/schedule"
)

// at reads an instant: "02:00" and "02:00:30" are on 2026-05-05, a Tuesday, "05-04 02:00" in 2026.
func at(s string) cluster.Time {
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04"} {
		for _, prefix := range []string{"", "2026-", "2026-05-05 "} {
			if t, err := time.Parse(layout, prefix+s); err == nil {
				return cluster.Time(t.Unix())
			}
		}
	}
	panic("not an instant: " + s)
}

func uid(name string) cluster.UID { return md5.Sum([]byte(name)) }

// cron makes the CronJob "c" with a schedule in UTC, last run for the tick and last successful at the instants given, "" for never.
func cron(spec, last, success string, changes ...func(*cluster.CronJob)) *cluster.CronJob {
	c := &cluster.CronJob{Meta: cluster.Meta{Namespace: "ns", Name: "c", UID: uid("c"), Created: at("2026-01-01 00:00")}, Generation: 1,
		Schedule: spec, Policy: "Allow"}
	if last != "" {
		c.LastSchedule = at(last)
	}
	if success != "" {
		c.LastSuccess = at(success)
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

func forbid(c *cluster.CronJob)  { c.Policy = "Forbid" }
func suspend(c *cluster.CronJob) { c.Suspend = true }
func created(s string) func(*cluster.CronJob) {
	return func(c *cluster.CronJob) { c.Created = at(s) }
}
func deadline(seconds int64) func(*cluster.CronJob) {
	return func(c *cluster.CronJob) { c.StartingDeadline, c.HasStartingDeadline = seconds, true }
}
func changed(s string) func(*cluster.CronJob) {
	return func(c *cluster.CronJob) { c.ChangedAt, c.Generation = at(s), 2 }
}
func suspendedAt(s string) func(*cluster.CronJob) {
	return func(c *cluster.CronJob) { c.Suspend, c.SuspendedAt, c.Generation = true, at(s), 2 }
}
func zone(name string) func(*cluster.CronJob) {
	return func(c *cluster.CronJob) { c.TimeZone = name }
}
func active(names ...string) func(*cluster.CronJob) {
	return func(c *cluster.CronJob) {
		for _, n := range names {
			c.Active = append(c.Active, cluster.JobRef{Name: n, UID: uid(n)})
		}
	}
}

// run makes the CronJob's run for a tick, which started then and still runs.
func run(tick string, changes ...func(*cluster.Job)) *cluster.Job {
	j := job("run "+tick, tick, changes...)
	j.Tick = at(tick)
	return j
}

// manual makes a run of the CronJob that somebody started at an instant.
func manual(start string, changes ...func(*cluster.Job)) *cluster.Job {
	return job("manual "+start, start, changes...)
}

// job makes a Job with one Pod that was created and started at an instant.
func job(name, start string, changes ...func(*cluster.Job)) *cluster.Job {
	j := &cluster.Job{Meta: cluster.Meta{Namespace: "ns", Name: name, UID: uid(name), Created: at(start)}, Started: at(start), Active: 1, Ready: 1}
	for _, change := range changes {
		change(j)
	}
	return j
}

func complete(end string) func(*cluster.Job) {
	return func(j *cluster.Job) {
		j.Active, j.Ready, j.Succeeded = 0, 0, 1
		j.Completed, j.Complete, j.SuccessCriteriaMet = at(end), at(end), at(end)
	}
}

func failed(end, reason string) func(*cluster.Job) {
	return func(j *cluster.Job) {
		j.Active, j.Ready, j.Failed = 0, 0, 1
		j.FailedAt, j.FailureTarget, j.FailureReason = at(end), at(end), reason
	}
}

// failing makes a Job whose failure is decided and whose Pod does not go.
func failing(end, reason string) func(*cluster.Job) {
	return func(j *cluster.Job) {
		failed(end, reason)(j)
		j.FailedAt, j.Terminating = 0, 1
	}
}

// noPods makes a Job that has none.
func noPods(j *cluster.Job) { j.Active, j.Ready = 0, 0 }

func started(s string) func(*cluster.Job) {
	return func(j *cluster.Job) { j.Created, j.Started = at(s), at(s) }
}

// world is what is known beside the CronJob.
type world struct {
	jobs        []*cluster.Job
	pods        map[string][]*cluster.Pod // by Job; nil: not known
	evidence    map[string]*cluster.Evidence
	refusals    map[string]*cluster.Event // by Job, or "c"
	last        *cluster.FinishedRun
	defaultZone string
}

func (w world) lookups() Lookups {
	var l Lookups
	if w.pods != nil {
		pods := map[cluster.UID][]*cluster.Pod{}
		for n, p := range w.pods {
			pods[uid(n)] = p
		}
		l.Pods = func(u cluster.UID) []*cluster.Pod { return pods[u] }
	}
	if w.evidence != nil {
		l.Evidence = func(u cluster.UID) *cluster.Evidence {
			for n, e := range w.evidence {
				if uid(n) == u {
					return e
				}
			}
			return nil
		}
	}
	if w.refusals != nil {
		l.Refusal = func(u cluster.UID) *cluster.Event {
			for n, e := range w.refusals {
				if uid(n) == u {
					return e
				}
			}
			return nil
		}
	}
	return l
}

func judge(t testing.TB, c *cluster.CronJob, w world, now string) CronJobVerdict {
	t.Helper()
	in := CronJobInput{CronJob: c, Grace: 2 * time.Minute, Jobs: w.jobs, LastRun: w.last, Lookups: w.lookups()}
	in.Schedule, in.Problem = schedule.Parse(c.Schedule, c.TimeZone, w.defaultZone)
	return JudgeCronJob(&in, at(now).Std())
}

// facts gives a verdict as words: instants as 05-04T02:00, what is not known or zero as "".
func facts(v CronJobVerdict) map[string]string {
	f := failureFacts(v.Failure)
	for k, n := range map[string]int64{"interval": v.Interval, "missed": int64(v.Missed), "skipped": int64(v.Skipped), "since": int64(v.RunsSinceSuccess),
		"unfinished": int64(v.Unfinished), "duration": v.Duration, "delay": v.StartDelay} {
		f[k] = strconv.FormatInt(n, 10)
	}
	for k, b := range map[string]bool{"failing": v.Failing, "never": v.NeverSucceeded, "long": v.LongRunning} {
		f[k] = strconv.FormatBool(b)
	}
	for k, t := range map[string]cluster.Time{"due": v.Due, "next": v.Next, "success": v.LastSuccess, "failure": v.LastFailure,
		"counted": v.SuccessOrCreation, "start": v.ActiveStart} {
		f[k] = ""
		if t != 0 {
			f[k] = strings.TrimSuffix(t.Std().Format("01-02T15:04:05"), ":00")
			if t.Std().Year() != 2026 {
				f[k] = t.Std().Format("2006-") + f[k]
			}
		}
	}
	f["state"], f["problem"], f["stall"] = v.State.String(), v.Problem.String(), v.Stall.String()
	return f
}

func failureFacts(f Failure) map[string]string {
	return map[string]string{"reason": f.Reason, "cause": f.Cause.String(), "container": f.Container, "code": f.ExitCode}
}

// expect compares facts with what is wanted, "state=late due=05-05T02:00"; what is not named may be anything.
func expect(t *testing.T, got map[string]string, want string) {
	t.Helper()
	for w := range strings.FieldsSeq(want) {
		k, v, _ := strings.Cut(w, "=")
		g, ok := got[k]
		if !ok {
			t.Fatalf("the test wants %q, which is no fact", k)
		}
		if g != v {
			t.Errorf("%s is %q, want %q", k, g, v)
		}
	}
}

// cronJobCase is a CronJob in its world at an instant, and what the verdict must say.
type cronJobCase struct {
	name  string
	c     *cluster.CronJob
	world world
	now   string
	want  string
}

func runCases(t *testing.T, cases []cronJobCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			expect(t, facts(judge(t, tc.c, tc.world, tc.now)), tc.want)
		})
	}
}

func listed(jobs ...*cluster.Job) world { return world{jobs: jobs} }
