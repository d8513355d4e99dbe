package jobs

import (
	"testing"

	"tocsin/collectors/cluster"
)

const backoff = "BackoffLimitExceeded"

// What people have reported about runs that were said to fail and did not, and the other way round.
func TestOutcomeReports(t *testing.T) {
	runCases(t, []cronJobCase{
		// The alert kept firing on an old failed Job, though later runs passed.
		{"cybozu-go/neco#1691", cron("0 * * * *", "02:00", "02:01"), listed(run("01:00", failed("01:10", backoff)), run("02:00", complete("02:01"))), "02:30",
			"state=ok failing=false reason= failure=05-05T01:10 success=05-05T02:01 duration=60"},
		// The history limit keeps a lone failure for weeks, long after the successful Jobs are gone.
		{"gavinmcfall/home-ops#2263", cron("0 * * * *", "02:00", "02:01"), listed(run("01:00", failed("01:10", backoff))), "02:30",
			"state=ok failing=false failure=05-05T01:10 duration=-1"},
		// A Job that retried and succeeded has failed Pods; it has not failed.
		{"kubernetes-monitoring/kubernetes-mixin#295", cron("0 * * * *", "02:00", "02:10"),
			listed(run("02:00", complete("02:10"), func(j *cluster.Job) { j.Failed = 3 })), "02:30", "failing=false failure="},
		// An alert per run of one incident: three failed runs are one CronJob that fails.
		{"deckhouse/deckhouse#1989", cron("0 * * * *", "03:00", "00:01"), listed(run("01:00", failed("01:10", backoff)), run("02:00", failed("02:10", backoff)),
			run("03:00", failed("03:10", "DeadlineExceeded"))), "03:30", "failing=true reason=DeadlineExceeded failure=05-05T03:10 since=2"},
		// Degraded, healthy as soon as the next run starts, degraded again.
		{"argoproj/argo-cd#24429", cron("0 * * * *", "02:00", "00:01"), listed(run("01:00", failed("01:10", backoff)), run("02:00")), "02:05",
			"failing=true reason=BackoffLimitExceeded unfinished=1"},
		// Last success and last failure gathered separately: which came last by the clock is not which run was last.
		{"DataDog/datadog-agent#18474", cron("0 * * * *", "02:00", "02:59"), listed(run("01:00", complete("02:59")), run("02:00", failed("02:10", backoff))), "03:00",
			"failing=true success=05-05T02:59 failure=05-05T02:10 duration=600"},
		// A rerun by hand cured it, and the CronJob still looked failed.
		{"kubernetes/kubernetes#118276", cron("0 6 * * *", "06:00", "09:10"), listed(run("06:00", failed("06:05", backoff)), manual("09:00", complete("09:10"))), "10:00",
			"failing=false success=05-05T09:10 duration=600 delay=0"},
		// … made by a user interface that sets no controller, so that the CronJob controller never sees it.
		{"kubernetes-retired/dashboard#9881", cron("0 6 * * *", "06:00", "05-04 06:04"),
			listed(run("06:00", failed("06:05", backoff)), manual("09:00", complete("09:10"))), "10:00", "failing=false success=05-05T09:10 since=0"},
		// failedJobsHistoryLimit 0 silences the alert, and hides everything.
		{"giantswarm/etcd-backup#29", cron("0 6 * * *", "06:00", "05-04 06:10"), world{}, "07:00",
			"failing=true reason=JobGone cause=unknown container= code= failure= duration=-1 delay=-1"},
		// "Not completed" and "failed" fired for the same Job.
		{"kubermatic/kubermatic#2706", cron("0 6 * * *", "06:00", "05-04 06:10"), listed(run("06:00", failing("06:10", backoff)), run("05-04 06:00", complete("05-04 06:10"))),
			"12:00", "failing=true long=false"},
		// Failed Jobs have no end time; the condition has.
		{"kubernetes/kube-state-metrics#2722", cron("0 6 * * *", "06:00", "05-04 06:10"), listed(run("06:00", failed("06:10", backoff))), "07:00",
			"failing=true duration=600"},
		// FailureTarget and a Pod that does not end: every Job alert was silent.
		{"kubernetes/website#46808", cron("0 6 * * *", "06:00", "05-04 06:11", active("run 06:00"), forbid), listed(run("06:00", failing("06:30", "DeadlineExceeded"))), "07:00",
			"state=ok failing=true reason=DeadlineExceeded failure=05-05T06:30 stall=terminating unfinished=1"},
		// One verdict per CronJob, however many Jobs are kept.
		{"DataDog/integrations-core#9226", cron("0 6 * * *", "06:00", "06:10"), listed(run("05-02 06:00", complete("05-02 06:10")), run("05-03 06:00", complete("05-03 06:10")),
			run("05-04 06:00", failed("05-04 06:10", backoff)), run("06:00", complete("06:10"))), "07:00", "failing=false never=false"},
		// The time of the last success is absent when there was none, and absent things raise no alarm.
		{"sapcc/helm-charts#9088", cron("0 6 * * *", "06:00", "", created("05-01 00:00")), listed(run("06:00", failed("06:10", backoff))), "12:00",
			"failing=true never=true since=4 success= counted=05-01T00:00"},
	})
}

func TestOutcomeEdges(t *testing.T) {
	runCases(t, []cronJobCase{
		{"a minute after the tick its Job may yet come", cron("0 6 * * *", "06:00", "05-04 06:10"), world{}, "06:01", "failing=false"},
		{"a second later it is gone", cron("0 6 * * *", "06:00", "05-04 06:10"), world{}, "06:01:01", "failing=true reason=JobGone"},
		{"gone, and status.active names it", cron("0 6 * * *", "06:00", "05-04 06:10", active("c-29632680")), world{}, "07:00", "failing=false problem=stale_active state=ok"},
		{"gone, and status.active names another", cron("0 6 * * *", "06:00", "05-04 06:10", active("c-29632679")), world{}, "07:00", "failing=true problem=stale_active"},
		{"gone, and then a success", cron("0 6 * * *", "06:00", "06:10"), world{}, "07:00", "failing=false never=false"},
		{"gone, and it would have been the first", cron("0 6 * * *", "06:00", "", created("05-04 12:00")), world{}, "07:00", "failing=true reason=JobGone never=true"},
		{"gone, and an older failure is kept", cron("0 6 * * *", "06:00", ""), listed(run("05-04 06:00", failed("05-04 06:10", backoff))), "07:00",
			"failing=true reason=JobGone failure=05-04T06:10 duration=-1 delay=-1"},
		{"gone, and an earlier run ends later", cron("0 * * * *", "02:00", "02:59"), listed(run("01:00", complete("02:59"))), "02:59:30", "failing=true reason=JobGone"},
		{"gone while suspended", cron("0 6 * * *", "06:00", "05-04 06:10", suspend), world{}, "07:00", "state=suspended failing=true reason=JobGone"},
		{"the watch saw it fail", cron("0 6 * * *", "06:00", "05-04 06:10"), world{last: &cluster.FinishedRun{Tick: at("06:00"), Failed: true, Reason: backoff,
			Started: at("06:00:01"), Finished: at("06:10"), Evidence: &cluster.Evidence{Termination: cluster.Termination{Container: "main", ExitCode: 3}}}}, "07:00",
			"failing=true reason=BackoffLimitExceeded cause=error container=main code=3 failure=05-05T06:10 duration=599 delay=1"},
		{"the watch saw it succeed before the status says so", cron("0 6 * * *", "06:00", "05-04 06:10"), world{last: &cluster.FinishedRun{Tick: at("06:00"),
			Started: at("06:00"), Finished: at("06:10")}}, "07:00", "failing=false success=05-05T06:10 duration=600 counted=05-05T06:10"},
		{"the watch saw an older one", cron("0 6 * * *", "06:00", "05-04 06:10"), world{last: &cluster.FinishedRun{Tick: at("05-04 06:00"), Finished: at("05-04 06:10")}},
			"07:00", "failing=true reason=JobGone"},
		{"the watch saw an older failure", cron("0 6 * * *", "06:00", "06:10"), world{jobs: []*cluster.Job{run("06:00", complete("06:10"))},
			last: &cluster.FinishedRun{Tick: at("05-04 06:00"), Failed: true, Finished: at("05-04 06:10")}}, "07:00", "failing=false failure=05-04T06:10 duration=600"},

		{"a run by hand failed after a success", cron("0 6 * * *", "06:00", "06:05"), listed(run("06:00", complete("06:05")), manual("09:00", failed("09:10", backoff))), "10:00",
			"state=ok failing=true failure=05-05T09:10 delay=0 duration=600"},
		{"a run by hand failed before the first tick", cron("0 6 * * *", "", "", created("01:00")), listed(manual("02:00", failed("02:10", backoff))), "03:00",
			"state=ok failing=true never=true delay=-1"},
		{"a run by hand goes on before the first tick", cron("0 6 * * *", "", "", created("01:00")), listed(manual("02:00")), "03:00", "never=false unfinished=1"},
		{"the first run goes on", cron("0 6 * * *", "06:00", "", created("01:00")), listed(run("06:00")), "06:30", "never=true failing=false since=0"},
		{"success is decided and not yet complete", cron("0 6 * * *", "06:00", "05-04 06:10"), listed(run("06:00", func(j *cluster.Job) { j.SuccessCriteriaMet = at("06:10") })), "06:11",
			"failing=false success=05-05T06:10 unfinished=1 long=false"},
		{"runs that start at the same instant", cron("0 6 * * *", "06:00", "05-04 06:10"), listed(run("06:00", failed("06:10", backoff)), manual("06:00", complete("06:20"))), "07:00",
			"failing=false duration=1200"},
		{"the newest of several is late", cron("0 6 * * *", "06:00", "06:10"), listed(run("05-04 06:00", complete("05-04 06:10")), run("06:00", started("06:00:07"), complete("06:10")),
			run("05-03 06:00", complete("05-03 06:10"))), "07:00", "delay=7 duration=593"},
		{"nothing since three ticks though nothing fails", cron("*/5 * * * *", "12:00", "11:40", func(c *cluster.CronJob) { c.Policy = "Replace" }, active("run 12:00")),
			listed(run("12:00")), "12:03", "state=ok failing=false since=3"},
		{"a weekly run has a day", cron("0 3 * * 0", "05-03 03:00", "04-26 03:10"), listed(run("05-03 03:00")), "05-04 02:59:59", "since=0"},
		{"and not more", cron("0 3 * * 0", "05-03 03:00", "04-26 03:10"), listed(run("05-03 03:00")), "05-04 03:00", "since=1"},
		{"a run that is not yet over", cron("0 * * * *", "02:00", "01:05"), listed(run("02:00")), "02:59:59", "since=0"},
		{"a run whose slot is over", cron("0 * * * *", "02:00", "01:05"), listed(run("02:00")), "03:00", "since=1"},
		{"a success in the future", cron("0 6 * * *", "06:00", "05-07 06:00"), world{}, "07:00", "state=ok failing=false since=0"},
		{"a thousand at most", cron("* * * * *", "05-04 00:00", ""), world{}, "12:00", "since=1000 missed=1000"},
		{"a Job that has no status yet", cron("0 6 * * *", "06:00", "05-04 06:10"), listed(&cluster.Job{Meta: cluster.Meta{Name: "c-29632680", Created: at("06:00:02")}}), "06:02",
			"state=ok unfinished=1 start= delay=2 failing=false"},
	})
}

func TestScheduledTick(t *testing.T) {
	for _, tc := range []struct {
		name, created string
		annotated     cluster.Time
		want          cluster.Time
	}{
		{"c-29632680", "06:00", 0, at("06:00")},
		{"c-29632680", "23:00", 0, at("06:00")},
		{"c-1", "06:00", at("05:00"), at("05:00")},
		{"c-1", "06:00", 0, 0},                       // the first run by hand
		{"c-20260505", "06:00", 0, 0},                // a date
		{"c-26050506", "06:00", 0, 0},                // a date and an hour
		{"c-1777960800", "06:00", 0, 0},              // Unix time
		{"c-29632740", "06:00", 0, 0},                // a tick to come
		{"c-backup-29632680", "06:00", 0, 0},         // of another CronJob
		{"c29632680", "06:00", 0, 0},                 // no name of the controller's
		{"c-", "06:00", 0, 0},                        // nor this
		{"c", "06:00", 0, 0},                         // nor this
		{"other-29632680", "06:00", 0, 0},            // nor this
		{"c-99999999999999999999999", "06:00", 0, 0}, // too large for any number
	} {
		j := &cluster.Job{Meta: cluster.Meta{Name: tc.name, Created: at(tc.created)}, Tick: tc.annotated}
		if got := scheduledTick(j, "c"); got != tc.want {
			t.Errorf("%s, created at %s: tick %d, want %d", tc.name, tc.created, got, tc.want)
		}
	}
}

func TestLongRunning(t *testing.T) {
	hour := run("05-04 02:00", complete("05-04 03:00"))
	with := func(j *cluster.Job, more ...*cluster.Job) world { return listed(append(more, j)...) }
	limit := func(j *cluster.Job) { j.ActiveDeadline = 100_000 }
	runCases(t, []cronJobCase{
		{"three times as long as before", cron("0 2 * * *", "02:00", "05-04 03:00"), with(run("02:00"), hour), "05:00", "long=false"},
		{"a second longer", cron("0 2 * * *", "02:00", "05-04 03:00"), with(run("02:00"), hour), "05:00:01", "long=true"},
		{"ten minutes are never long", cron("0 2 * * *", "02:00", "05-04 02:00:05"), with(run("02:00"), run("05-04 02:00", complete("05-04 02:00:05"))), "02:10", "long=false"},
		{"but more than ten may be", cron("0 2 * * *", "02:00", "05-04 02:00:05"), with(run("02:00"), run("05-04 02:00", complete("05-04 02:00:05"))), "02:10:01", "long=true"},
		{"the longest success counts", cron("0 2 * * *", "02:00", "05-04 03:00"), with(run("02:00"), hour, run("05-03 02:00", complete("05-03 02:01"))), "04:00", "long=false"},
		{"nothing to compare with: its own slot", cron("0 2 * * *", "02:00", "05-04 03:00"), with(run("02:00")), "05-06 02:00", "long=false"},
		{"nothing to compare with: beyond it", cron("0 2 * * *", "02:00", "05-04 03:00"), with(run("02:00")), "05-06 02:00:01", "long=true"},
		{"a failed run is nothing to compare with", cron("0 2 * * *", "02:00", "05-03 03:00"), with(run("02:00"), run("05-04 02:00", failed("05-04 02:01", backoff))), "05:00", "long=false"},
		{"a run by hand is nothing to compare with", cron("0 2 * * *", "02:00", "05-04 08:01"), with(run("02:00"), manual("05-04 08:00", complete("05-04 08:01"))), "05:00", "long=false"},
		{"a run by hand may be long", cron("0 2 * * *", "02:00", "02:10"), with(manual("08:00"), run("02:00", complete("02:10"))), "08:30:01", "long=true"},
		{"a run by hand has the slot in which it began", cron("0 * * * *", "02:00", ""), with(manual("01:59")), "02:30", "long=false"},
		{"the slot is that of its tick, not of its late start", cron("0 2,3 * * *", "02:00", ""), with(run("02:00", started("03:30"))), "04:30:01", "long=true"},
		{"its own deadline will end it", cron("0 2 * * *", "02:00", "05-04 03:00"), with(run("02:00", limit), hour), "23:00", "long=false"},
		{"a run that is due and blocked says more", cron("0 2 * * *", "02:00", "05-04 03:00", forbid, active("run 02:00")), with(run("02:00"), hour), "05-06 12:00", "state=blocked long=false"},
		// Suspended Jobs were shown as running, with their timers.
		{"kubernetes/kube-state-metrics#2511", cron("0 2 * * *", "02:00", "05-04 03:00"), with(run("02:00", func(j *cluster.Job) { j.Suspend, j.Suspended = true, at("02:00") }), hour), "23:00",
			"long=false stall= unfinished=1"},
		{"in a queue, without a start", cron("0 2 * * *", "02:00", "05-04 03:00"), with(run("02:00", func(j *cluster.Job) { j.Started, j.Suspend = 0, true }), hour), "23:00", "long=false start="},
	})
}
