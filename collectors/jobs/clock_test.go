package jobs

import (
	"testing"

	"tocsin/collectors/cluster"
)

// What people have reported about runs that were due, late, or not late at all.
func TestDueReports(t *testing.T) {
	runCases(t, []cronJobCase{
		// A start that was missed through startingDeadlineSeconds leaves no event and no status: one day in five nothing ran.
		{"kubernetes/kubernetes#101148", cron("1 0 * * *", "02-25 00:01", "02-25 00:02", deadline(10)), world{}, "02-26 09:00",
			"state=missed due=02-26T00:01 missed=1"},
		// After an outage of three hours the newest tick alone was run: nothing is late any more, however many were lost.
		{"kubernetes/kubernetes#42649", cron("* * * * *", "12:00", "08:59"), listed(run("12:00")), "12:00:30", "state=ok missed=0"},
		// The monitor's zone is not the controller's: the last run is at no tick, so that every verdict would be wrong.
		{"kubernetes/kube-state-metrics#500", cron("50 18 * * *", "05-04 09:50", "05-04 09:51"), world{}, "12:00",
			"state=invalid problem=timezone_mismatch due= next= interval=0"},
		{"kubernetes/kube-state-metrics#500: the right --default-timezone", cron("50 18 * * *", "05-04 09:50", "05-04 09:51"),
			world{defaultZone: "Asia/Tokyo"}, "12:00", "state=late problem= due=05-05T09:50"},
		{"kubernetes/kube-state-metrics#500: edited since, nobody knows when", cron("50 18 * * *", "05-04 09:50", "05-04 09:51",
			func(c *cluster.CronJob) { c.Generation = 2 }), world{}, "12:00", "problem="},
		{"kubernetes/kube-state-metrics#500: edited before the run", cron("50 18 * * *", "05-04 09:50", "05-04 09:51", changed("05-03 12:00")),
			world{}, "12:00", "problem=timezone_mismatch"},
		{"kubernetes/kube-state-metrics#500: has a zone of its own", cron("50 18 * * *", "05-04 09:50", "05-04 09:51", zone("UTC")), world{},
			"12:00", "problem="},
		{"kubernetes/kube-state-metrics#500: @every has no zone", cron("@every 24h", "05-04 09:50:13", "05-04 09:51"), world{}, "09:00",
			"state=ok problem="},
		// One threshold for all CronJobs fits none: weekly, monthly and leap-day ones were late for most of their lives.
		{"giantswarm/prometheus-rules#361: weekly", cron("0 3 * * 0", "05-03 03:00", "05-03 03:10"), world{}, "05-07 12:00", "state=ok missed=0"},
		{"giantswarm/prometheus-rules#361: monthly, day 29", cron("0 0 29 * *", "04-29 00:00", "04-29 00:10"), world{}, "05-28 00:00", "state=ok"},
		{"giantswarm/prometheus-rules#361: leap day", cron("0 0 29 2 *", "", "", created("2024-03-01 00:00")), world{}, "12:00",
			"state=ok due=2028-02-29T00:00 interval=126230400"},
		// The gap between the next two ticks taken for the interval: a weekday job was missed each Saturday.
		{"the weekday job on Saturday", cron("0 9 * * 1-5", "05-08 09:00", "05-08 09:10"), world{}, "05-09 12:00", "state=ok due=05-11T09:00"},
		{"the weekday job on Monday", cron("0 9 * * 1-5", "05-08 09:00", "05-08 09:10"), world{}, "05-11 09:05", "state=late due=05-11T09:00 missed=1"},
		// An edited schedule has ticks in the past at which it was not yet so; none of them was missed.
		{"kubernetes/kubernetes#63371", cron("0 5 * * *", "05-04 23:00", "05-04 23:01", changed("12:00")), world{}, "13:00",
			"state=ok due=05-06T05:00 missed=0"},
		// … and yet the next sync may start one of them, 18 hours late.
		{"kubernetes/kubernetes#130838", cron("0 5 * * *", "05:00", "23:01", changed("12:00")), listed(run("05:00", started("23:00"), complete("23:01"))),
			"23:30", "state=ok due=05-06T05:00 delay=64800 duration=60"},
		// Pages for a run that was a second or two late.
		{"DataDog/integrations-core#8501", cron("0 2 * * *", "05-04 02:00", "05-04 02:10"), world{}, "02:00:02", "state=ok due=05-05T02:00 missed=0"},
		// What one exporter rejected or died on, Kubernetes runs.
		{"kubernetes/kube-state-metrics#2967", cron("*/60 * * * *", "02:00", "02:01"), world{}, "02:30", "state=ok problem= interval=3600"},
		{"kubernetes/kube-state-metrics#2988", cron("0 1 */32,1-7 * 3", "", "", created("00:00")), world{}, "02:00", "problem="},
		// On the day without a midnight robfig's walk over the hours runs into Friday, and the controller starts a run there.
		{"robfig/cron: the tick after a missing midnight in Cairo", cron("0 1 * * 4", "04-22 23:00", "04-22 23:01", zone("Africa/Cairo")), world{},
			"04-25 10:00", "state=late due=04-23T22:00 missed=1 since=1"},
		{"robfig/cron: … which a deadline of two days still lets start", cron("0 1 * * 4", "04-22 23:00", "04-22 23:01", zone("Africa/Cairo"), deadline(172800)),
			world{}, "04-25 10:00", "state=late due=04-23T22:00 missed=1"},
		// Day of month and day of week together mean "or".
		{"robfig/cron#358", cron("0 0 1 * 1", "05-04 00:00", "05-04 00:01"), world{}, "05-11 00:10", "state=late due=05-11T00:00"},
	})
}

// samber/awesome-prometheus-alerts#307: the age of a tick was sold as "running too long". Late, blocked and long are three things.
func TestLateBlockedAndLongDiffer(t *testing.T) {
	short := run("05-03 02:00", complete("05-03 02:10"))
	runCases(t, []cronJobCase{
		{"late", cron("0 2 * * *", "05-04 02:00", "05-04 02:10"), listed(short, run("05-04 02:00", complete("05-04 02:10"))), "04:00", "state=late long=false unfinished=0"},
		{"blocked", cron("0 2 * * *", "05-04 02:00", "05-03 02:10", forbid, active("run 05-04 02:00")), listed(short, run("05-04 02:00")), "04:00", "state=blocked long=false"},
		{"long", cron("0 2 * * *", "02:00", "05-03 02:10"), listed(short, run("02:00")), "04:00", "state=ok long=true"},
	})
}

func TestInvalidSchedules(t *testing.T) {
	runCases(t, []cronJobCase{
		{"31 February", cron("59 23 31 2 *", "", ""), world{}, "12:00", "state=invalid problem=never_fires due= next="},
		{"Sunday as 7", cron("0 0 * * 7", "", ""), world{}, "12:00", "state=invalid problem=parse_error"},
		{"TZ=0 makes the library panic", cron("TZ=0", "", ""), world{}, "12:00", "state=invalid problem=parse_error"},
		{"an unknown zone", cron("0 0 * * *", "", "", zone("Mars/Olympus")), world{}, "12:00", "state=invalid problem=unknown_timezone"},
		{"startingDeadlineSeconds 0", cron("0 2 * * *", "", "", deadline(0)), world{}, "12:00", "state=invalid problem=zero_starting_deadline"},
		{"startingDeadlineSeconds 1", cron("0 2 * * *", "02:00", "02:01", deadline(1)), world{}, "12:00", "state=ok problem="},
		{"a zone in the schedule", cron("TZ=America/New_York 0 0 * * *", "04:00", "04:01"), world{}, "12:00", "state=ok problem= next=05-06T04:00"},
		{"every 90 minutes, from the last run", cron("@every 90m", "10:00:13", "10:05"), world{}, "11:40",
			"state=late due=05-05T11:30:13 next=05-05T13:00:13 interval=5400 missed=1"},
		{"every -1h is every second", cron("@every -1h", "10:00", "10:01"), world{}, "12:00", "state=late missed=1000 interval=1"},
		{"invalid goes before suspended", cron("0 0 30 2 *", "", "", suspend), world{}, "12:00", "state=invalid problem=never_fires skipped=0"},
		{"what failed is told of an invalid one, too", cron("0 0 30 2 *", "02:00", ""), listed(run("02:00", failed("02:10", "BackoffLimitExceeded"))),
			"12:00", "state=invalid failing=true never=true since=0 missed=0"},
	})
}

func TestGrace(t *testing.T) {
	daily := func(changes ...func(*cluster.CronJob)) *cluster.CronJob {
		return cron("0 2 * * *", "05-04 02:00", "05-04 02:21", changes...)
	}
	runCases(t, []cronJobCase{
		{"a second before the tick", daily(), world{}, "01:59:59", "state=ok due=05-05T02:00 next=05-05T02:00 missed=0 interval=86400"},
		{"at the tick", daily(), world{}, "02:00", "state=ok due=05-05T02:00 next=05-06T02:00 missed=0"},
		{"a second before the grace ends", daily(), world{}, "02:01:59", "state=ok due=05-05T02:00 missed=0"},
		{"when the grace ends", daily(), world{}, "02:02", "state=late due=05-05T02:00 missed=1"},
		{"a deadline shorter than the grace", daily(deadline(10)), world{}, "02:00:30", "state=ok"},
		{"a second before the deadline ends", daily(deadline(3600)), world{}, "02:59:59", "state=late missed=1"},
		{"when the deadline ends", daily(deadline(3600)), world{}, "03:00", "state=missed missed=1"},
		{"a new tick may still be met though an older one is lost", cron("*/30 * * * *", "01:00", "01:01", deadline(600)), world{}, "02:05",
			"state=late due=05-05T01:30 missed=2"},
		{"the next tick in its grace does not count", daily(), world{}, "05-06 02:01", "state=late due=05-05T02:00 missed=1"},
		{"two are unmet", daily(), world{}, "05-06 02:02", "state=late due=05-05T02:00 missed=2"},
		{"bursts", cron("*/10 8-10 * * *", "08:00", "08:01"), world{}, "12:00", "state=late due=05-05T08:10 missed=17 next=05-06T08:00 interval=76200"},
		{"never scheduled", cron("0 9 * * *", "", "", created("05-04 20:00")), world{}, "12:00", "state=late due=05-05T09:00 missed=1 never=false"},
		{"just created", cron("0 2 * * *", "", "", created("11:55")), world{}, "12:00", "state=ok due=05-06T02:00 counted=05-05T11:55 success="},
		{"made by no API server", &cluster.CronJob{Schedule: "0 2 * * *", Policy: "Allow"}, world{}, "12:00", "state=ok due=05-06T02:00 missed=0 since=0 counted="},
		{"the last tick is in the future", cron("0 2 * * *", "05-06 02:00", "05-06 02:10"), world{}, "12:00", "state=ok due=05-07T02:00 failing=false since=0"},
		{"being deleted", daily(func(c *cluster.CronJob) { c.Deleted = at("01:00") }), world{}, "12:00", "state=ok due= missed=0"},
		{"refused by a quota", daily(), world{refusals: map[string]*cluster.Event{"c": {Last: at("02:00:05"), Quota: true}}}, "02:05:01",
			"state=late stall=quota unfinished=0"},
		{"refused by a quota, five minutes ago", daily(), world{refusals: map[string]*cluster.Event{"c": {Last: at("02:00:05"), Quota: true}}}, "02:05",
			"state=late stall="},
		{"refused by a webhook", daily(), world{refusals: map[string]*cluster.Event{"c": {Last: at("03:00")}}}, "03:05", "stall=admission"},
		{"refused for an earlier tick", daily(), world{refusals: map[string]*cluster.Event{"c": {Last: at("01:59")}}}, "03:05", "stall="},
	})
}

// What meets a tick, and what holds it back.
func TestCover(t *testing.T) {
	runCases(t, []cronJobCase{
		// A weekly run was missed and run again by hand: still an alert for six days.
		{"a rerun by hand meets a missed tick", cron("0 2 * * 0", "04-26 02:00", "04-26 02:10"), listed(manual("05-04 08:00", complete("05-04 08:20"))),
			"05-06 10:00", "state=ok due=05-10T02:00 missed=0"},
		{"so it does when its Job is gone", cron("0 2 * * 0", "04-26 02:00", "05-04 08:20"), world{}, "05-06 10:00", "state=ok due=05-10T02:00"},
		{"but not the ticks after it", cron("0 2 * * *", "05-03 02:00", "05-04 08:20"), listed(manual("05-04 08:00", complete("05-04 08:20"))),
			"05-06 10:00", "state=late due=05-05T02:00 missed=2 failing=false"},
		{"a run by hand that goes on", cron("0 2 * * *", "05-03 02:00", "05-03 02:10"), listed(manual("05-04 08:00")), "05-04 09:00", "state=ok"},
		{"a run by hand that failed", cron("0 2 * * *", "05-03 02:00", "05-03 02:10"), listed(manual("05-04 08:00", failed("05-04 08:10", "BackoffLimitExceeded"))),
			"05-04 09:00", "state=ok failing=true"},
		{"a run by hand before the tick", cron("0 2 * * *", "05-04 02:00", "05-04 02:10"), listed(manual("01:30", complete("01:40"))), "03:00", "state=late"},
		{"an earlier run that ended after the tick", cron("0 * * * *", "01:00", "02:59"), listed(run("01:00", complete("02:59"))), "03:01",
			"state=late due=05-05T02:00 missed=1"},
		{"the watch remembers when that run began", cron("0 * * * *", "01:00", "02:59"),
			world{last: &cluster.FinishedRun{Tick: at("01:00"), Started: at("01:00"), Finished: at("02:59")}}, "03:01", "state=late due=05-05T02:00 duration=7140"},
		{"Forbid waits for the run before", cron("0 2 * * *", "05-04 02:00", "05-03 02:10", forbid, active("run 05-04 02:00")), listed(run("05-04 02:00")),
			"12:00", "state=blocked missed=1 due=05-05T02:00 long=false unfinished=1 start=05-04T02:00"},
		{"Forbid waits for a run that has failed and does not end", cron("0 2 * * *", "05-04 02:00", "05-03 02:10", forbid, active("run 05-04 02:00")),
			listed(run("05-04 02:00", failing("05-04 03:00", "DeadlineExceeded"))), "12:00", "state=blocked failing=true stall=terminating"},
		{"blocked goes before missed", cron("0 2 * * *", "05-04 02:00", "05-03 02:10", forbid, active("run 05-04 02:00"), deadline(60)),
			listed(run("05-04 02:00")), "12:00", "state=blocked"},
		{"Allow waits for nobody", cron("0 2 * * *", "05-04 02:00", "05-03 02:10", active("run 05-04 02:00")), listed(run("05-04 02:00")), "12:00", "state=late"},
		{"Forbid does not wait for a run by hand", cron("0 2 * * *", "05-04 02:00", "05-04 02:10", forbid), listed(manual("05-04 08:00")), "12:00", "state=late"},
		{"Forbid does not wait for a finished run", cron("0 2 * * *", "05-04 02:00", "05-04 02:10", forbid, active("run 05-04 02:00")),
			listed(run("05-04 02:00", complete("05-04 02:10"))), "12:00", "state=late problem="},
		{"Forbid waits for a Job that is gone", cron("0 2 * * *", "05-04 02:00", "05-03 02:10", forbid, active("run 05-04 02:00")), world{}, "12:00",
			"state=late problem=stale_active"},
		{"Forbid waits for one Job, and another is gone", cron("0 2 * * *", "05-04 02:00", "05-03 02:10", forbid, active("run 05-04 02:00", "gone")), listed(run("05-04 02:00")), "12:00",
			"state=blocked problem="},
		{"status.active is allowed to lag for a minute", cron("0 2 * * *", "02:00", "05-04 02:10", active("run 02:00")), world{}, "02:01", "problem="},
		{"after a blocked run", cron("0 * * * *", "02:00", "02:20", forbid), listed(run("02:00", started("02:20"))), "02:30", "state=ok delay=1200"},
	})
}

func TestSuspended(t *testing.T) {
	runCases(t, []cronJobCase{
		// A suspended CronJob was skipped by the check, so that nobody noticed that it had stopped for ever.
		{"devantler-tech/platform#4012", cron("0 0 * * *", "03-26 00:00", "03-26 00:10", suspendedAt("03-26 12:00")), world{}, "05-05 12:00",
			"state=suspended skipped=40 due= next= missed=0 since=0 interval=86400"},
		{"nobody knows since when", cron("0 0 * * *", "03-26 00:00", "03-26 00:10", suspend), world{}, "05-05 12:00", "skipped=40 since=0"},
		{"long after its last run", cron("0 0 * * *", "03-26 00:00", "03-26 00:10", suspendedAt("05-01 12:00")), world{}, "05-05 12:00", "skipped=4 since=36"},
		{"created suspended", cron("0 0 * * *", "", "", created("05-01 12:00"), suspendedAt("05-01 12:00")), world{}, "05-05 12:00", "skipped=4 never=false since=0"},
		{"more than a thousand", cron("* * * * *", "05-04 00:00", "05-04 00:01", suspend), world{}, "05-05 12:00", "skipped=1000"},
		{"it had failed before", cron("0 0 * * *", "05-01 00:00", "04-27 00:10", suspendedAt("05-01 12:00")), listed(run("05-01 00:00", failed("05-01 00:10", "BackoffLimitExceeded"))),
			"05-05 12:00", "failing=true since=4 failure=05-01T00:10"},
		{"its run goes on", cron("0 11 * * *", "11:00", "05-04 11:40", suspend), listed(run("11:00")), "12:00", "unfinished=1 start=05-05T11:00"},
		{"resumed", cron("0 0 * * *", "03-26 00:00", "03-26 00:10", changed("11:00")), world{}, "12:00", "state=ok due=05-06T00:00 skipped=0 since=0"},
		{"resumed a tick ago", cron("0 0 * * *", "03-26 00:00", "03-26 00:10", changed("05-04 11:00")), world{}, "12:00", "state=late due=05-05T00:00 missed=1"},
	})
}
