package collectors

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"tocsin/collectors/cluster"
)

var batchNow = time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC)

// today gives the instant of a time of the day of batchNow.
func today(hour, minute int) cluster.Time {
	return cluster.Time(time.Date(2026, 5, 5, hour, minute, 0, 0, time.UTC).Unix())
}

const day = 24 * 3600

func batchMeta(name string, uid byte, created cluster.Time) cluster.Meta {
	return cluster.Meta{UID: cluster.UID{uid}, Namespace: "shop", Name: name, Created: created}
}

// nightly is a CronJob of 02:00 that ran today and succeeded.
func nightly(name string, uid byte, changes ...func(*cluster.CronJob)) *cluster.CronJob {
	c := &cluster.CronJob{Meta: batchMeta(name, uid, today(12, 0)-100*day), Generation: 1, Schedule: "0 2 * * *", Policy: "Allow",
		LastSchedule: today(2, 0), LastSuccess: today(2, 21)}
	for _, change := range changes {
		change(c)
	}
	return c
}

// nightlyRun is the Job of a CronJob, for the tick of so many days ago.
func nightlyRun(c *cluster.CronJob, uid byte, daysAgo cluster.Time, changes ...func(*cluster.Job)) *cluster.Job {
	tick := today(2, 0) - daysAgo*day
	j := &cluster.Job{Meta: batchMeta(c.Name+"-run", uid, tick+1), Tick: tick, Started: tick + 1, Active: 1, Ready: 1}
	j.Owners = []cluster.Owner{{UID: c.UID, Kind: "CronJob", Name: c.Name, Controller: true}}
	for _, change := range changes {
		change(j)
	}
	return j
}

func succeeded(j *cluster.Job) {
	j.Active, j.Ready, j.Succeeded = 0, 0, 1
	j.Completed, j.Complete = j.Started-1+21*60, j.Started-1+21*60
}

func gaveUp(j *cluster.Job) {
	j.Active, j.Ready, j.Failed = 0, 0, 1
	j.FailureTarget, j.FailedAt, j.FailureReason = j.Started+600, j.Started+600, "BackoffLimitExceeded"
}

func podOf(j *cluster.Job, change func(*cluster.Pod)) *cluster.Pod {
	p := &cluster.Pod{Meta: batchMeta(j.Name+"-x", j.UID[0]+100, j.Created), Started: j.Started, Node: "node-1", Scheduled: cluster.IsScheduled}
	p.Owners = []cluster.Owner{{UID: j.UID, Kind: "Job", Name: j.Name, Controller: true}}
	change(p)
	return p
}

// batchRecords is a namespace with a CronJob in each state, and Jobs that no CronJob owns.
func batchRecords() map[cluster.Resource][]any {
	yesterday := func(c *cluster.CronJob) { c.LastSchedule, c.LastSuccess = today(2, 0)-day, today(2, 21)-day }
	well := nightly("well", 1, func(c *cluster.CronJob) {
		c.Severity, c.SuccessWithin, c.TimeZone, c.Schedule = cluster.SeverityCritical, 26*time.Hour, "Europe/Paris", "0 4 * * *"
	})
	failing := nightly("failing", 2, func(c *cluster.CronJob) { c.LastSuccess -= day })
	late := nightly("late", 3, yesterday)
	blocked := nightly("blocked", 4, yesterday, func(c *cluster.CronJob) {
		c.Policy, c.Active = "Forbid", []cluster.JobRef{{Name: "blocked-run", UID: cluster.UID{14}}}
	})
	suspended := nightly("suspended", 5, func(c *cluster.CronJob) {
		c.LastSchedule, c.LastSuccess, c.Suspend, c.SuspendedAt, c.Generation = today(2, 0)-10*day, today(2, 21)-10*day, true, today(12, 0)-10*day, 2
	})
	gone := nightly("gone", 6, func(c *cluster.CronJob) { c.LastSuccess = 0 })
	zoned := nightly("zoned", 7, func(c *cluster.CronJob) { c.LastSchedule -= 1800 })
	missed := nightly("missed", 8, yesterday, func(c *cluster.CronJob) { c.StartingDeadline, c.HasStartingDeadline = 3600, true })
	ignored := nightly("ignored", 9, yesterday, func(c *cluster.CronJob) { c.Ignore = true })

	failedRun := nightlyRun(failing, 12, 0, gaveUp)
	hung := nightlyRun(blocked, 14, 1, func(j *cluster.Job) { j.Ready = 0 })
	ignoredRun := nightlyRun(ignored, 19, 1, gaveUp)
	free := func(name string, uid byte, changes ...func(*cluster.Job)) *cluster.Job {
		j := &cluster.Job{Meta: batchMeta(name, uid, today(11, 0)), Started: today(11, 0), Active: 1, Ready: 1}
		for _, change := range changes {
			change(j)
		}
		return j
	}
	migrate := free("migrate", 20, gaveUp, func(j *cluster.Job) {
		j.FailureReason, j.PolicyContainer, j.PolicyExitCode, j.Severity = "PodFailurePolicy", "main", "2", cluster.SeverityInfo
	})
	refused := free("refused", 21, func(j *cluster.Job) { j.Active, j.Ready, j.Severity = 0, 0, cluster.SeverityWarning })
	return map[cluster.Resource][]any{
		cluster.CronJobs: {well, failing, late, blocked, suspended, gone, zoned, missed, ignored},
		cluster.Jobs: {nightlyRun(well, 11, 0, succeeded), failedRun, hung, ignoredRun, migrate, refused,
			free("done", 22, succeeded),
			free("indexed", 23, func(j *cluster.Job) { j.PerIndex, j.FailedIndexes, j.HasTTL = true, 4, true }),
			free("queued", 24, func(j *cluster.Job) { j.Suspend, j.Started, j.Active, j.Ready = true, 0, 0, 0 })},
		cluster.Pods: {
			podOf(failedRun, func(p *cluster.Pod) {
				p.Phase, p.Failure = cluster.PhaseFailed, &cluster.Termination{Container: "main", Reason: "OOMKilled", ExitCode: 137, Finished: failedRun.FailedAt}
			}),
			podOf(hung, func(p *cluster.Pod) {
				p.Phase, p.Waiting, p.WaitingContainer = cluster.PhasePending, "ImagePullBackOff", "main"
			}),
		},
		cluster.Events: {
			&cluster.Event{Meta: batchMeta("e1", 0, 0), InvolvedKind: "CronJob", InvolvedName: "late", InvolvedUID: late.UID, Quota: true, Last: today(11, 30)},
			&cluster.Event{Meta: batchMeta("e2", 0, 0), InvolvedKind: "Job", InvolvedName: "refused", InvolvedUID: refused.UID, Last: today(11, 59)},
		},
	}
}

func TestCronJobCollector(t *testing.T) {
	store := storeOf(batchNow, batchRecords())
	c := newCronJobCollector(DefaultOptions())
	first := scraped(t, c, store)
	golden(t, "cronjob", first)
	if second := scraped(t, c, store); !bytes.Equal(first, second) {
		t.Errorf("a second scrape of the same objects differs:\n%s", second)
	}
}

// series gives the lines of a scrape, less comments, that match a pattern.
func series(t *testing.T, c Collector, store *cluster.Store, pattern string) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(string(scraped(t, c, store))) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && regexp.MustCompile(pattern).MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// What is not known is not judged: without CronJobs or Jobs there is no series, without Pods what lies in them is unknown.
func TestCronJobsWithoutSources(t *testing.T) {
	for _, r := range []cluster.Resource{cluster.CronJobs, cluster.Jobs} {
		store := storeOf(batchNow, batchRecords())
		store.SetState(r, "", cluster.Forbidden, "")
		if got := series(t, newCronJobCollector(DefaultOptions()), store, ""); len(got) > 0 {
			t.Errorf("without %s: %d series", r, len(got))
		}
	}
	for _, tc := range []struct {
		unknown        cluster.Resource
		pattern, known string
	}{
		{cluster.Pods, `active_run_stalled.*"blocked"`, `reason="image_pull"`},
		{cluster.Pods, `last_failure_info.*"failing"`, `cause="oom_killed"`},
		{cluster.Events, `active_run_stalled.*"late"`, `reason="quota"`},
	} {
		store := storeOf(batchNow, batchRecords())
		c := newCronJobCollector(DefaultOptions())
		if got := series(t, c, store, tc.pattern); len(got) != 1 || !strings.Contains(got[0], tc.known) {
			t.Errorf("%s: %q", tc.pattern, got)
		}
		store.SetState(tc.unknown, "", cluster.Forbidden, "")
		if got := series(t, c, store, tc.pattern); len(got) > 0 && strings.Contains(got[0], tc.known) {
			t.Errorf("without %s: %q", tc.unknown, got)
		}
		if got := series(t, c, store, `^tocsin_cronjob_state`); len(got) != 8 {
			t.Errorf("without %s: %d states of 8", tc.unknown, len(got))
		}
	}
}

// prometheus/prometheus#5802: alerts about a CronJob that had been deleted stayed, because its series did.
func TestDeletedCronJobLeavesNothing(t *testing.T) {
	store := storeOf(batchNow, batchRecords())
	c := newCronJobCollector(DefaultOptions())
	if got := series(t, c, store, `cronjob="failing"`); len(got) == 0 {
		t.Fatal("no series to begin with")
	}
	store.Delete(cluster.CronJobs, "", nightly("failing", 2))
	if got := series(t, c, store, `cronjob="failing"`); len(got) > 0 {
		t.Errorf("after its deletion: %q", got)
	}
}

// kubernetes/kube-state-metrics#431: what ran while the exporter was down must not make a counter jump when it starts.
func TestRunsAreCountedFromTheStart(t *testing.T) {
	store := storeOf(batchNow, batchRecords())
	c := newCronJobCollector(DefaultOptions())
	if got := series(t, c, store, `runs_total.* [^0]`); len(got) > 0 {
		t.Errorf("at the start: %q", got)
	}
	well := nightly("well", 1)
	next := nightlyRun(well, 31, -1, func(j *cluster.Job) { j.Name = "well-next" })
	store.Put(cluster.Jobs, "", next)
	done := *next
	gaveUp(&done)
	store.Put(cluster.Jobs, "", &done)
	if got := series(t, c, store, `runs_total.* [^0]`); len(got) != 1 || got[0] != `tocsin_cronjob_runs_total{namespace="shop",cronjob="well",result="failed"} 1` {
		t.Errorf("after a run: %q", got)
	}
}

// A changed record must not be written with what was prepared of the old one.
func TestEditedCronJob(t *testing.T) {
	store := storeOf(batchNow, batchRecords())
	c := newCronJobCollector(DefaultOptions())
	series(t, c, store, "")
	store.Put(cluster.CronJobs, "", nightly("well", 1, func(c *cluster.CronJob) { c.Schedule, c.Severity = "0 2 1 * *", cluster.SeverityInfo }))
	got := series(t, c, store, `^tocsin_cronjob_info.*"well"`)
	if len(got) != 1 || !strings.Contains(got[0], `schedule="0 2 1 * *",timezone="UTC",timezone_source="default",concurrency_policy="Allow",severity="info"`) {
		t.Errorf("%q", got)
	}
}

// kubernetes-retired/dashboard#9881: a rerun from a user interface that names the CronJob as its owner and not as its controller, so that
// the CronJob controller does not see it, cures the CronJob all the same.
func TestRerunWithoutController(t *testing.T) {
	records := batchRecords()
	rerun := nightlyRun(nightly("failing", 2), 40, 0, func(j *cluster.Job) {
		j.Name, j.Tick, j.Created, j.Started = "failing-rerun", 0, today(9, 0), today(9, 0)
		j.Owners[0].Controller = false
		succeeded(j)
	})
	records[cluster.Jobs] = append(records[cluster.Jobs], rerun)
	got := series(t, newCronJobCollector(DefaultOptions()), storeOf(batchNow, records), `^tocsin_cronjob_failing.*"failing"`)
	if len(got) != 1 || got[0] != `tocsin_cronjob_failing{namespace="shop",cronjob="failing"} 0` {
		t.Errorf("%q", got)
	}
}

// kubernetes/kube-state-metrics#2988: one schedule that could not be parsed cost every other CronJob its metrics.
func TestOneBadScheduleCostsNoOther(t *testing.T) {
	c := newCronJobCollector(DefaultOptions())
	store := storeOf(batchNow, batchRecords())
	store.Put(cluster.CronJobs, "", nightly("well", 1, func(c *cluster.CronJob) { c.Schedule, c.TimeZone = "TZ=0 \xff\n\"", "Nowhere/\\" }))
	if got := series(t, c, store, `^tocsin_cronjob_state`); len(got) != 8 {
		t.Errorf("%d states of 8", len(got))
	}
	if got := series(t, c, store, `^tocsin_cronjob_state.*"well"`); len(got) != 1 || !strings.Contains(got[0], `state="invalid"`) {
		t.Errorf("%q", got)
	}
}
