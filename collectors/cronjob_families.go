package collectors

import "tocsin/collectors/exposition"

var (
	cronJobInfo = cronJobFamily("tocsin_cronjob_info", "1, with the CronJob's schedule, the time zone that it runs by and where that is written (spec.timeZone, a TZ= prefix of the schedule, or --default-timezone), its concurrency policy, and the severity that its owner asks for.",
		"schedule", "timezone", "timezone_source", "concurrency_policy", "severity")
	cronJobState = cronJobFamily("tocsin_cronjob_state", "State of the CronJob, 1: ok, late (a run is due and has not started), missed (it never will, startingDeadlineSeconds has passed), blocked (concurrencyPolicy Forbid waits for another run), suspended, invalid (it can never run).",
		"state")
	cronJobScheduleProblem = cronJobFamily("tocsin_cronjob_schedule_problem", "1 when the CronJob can never run (parse_error, unknown_timezone, never_fires, zero_starting_deadline), when its last run shows that the controller runs in another zone than --default-timezone (timezone_mismatch), or when its status names a Job that is gone (stale_active).",
		"reason")
	cronJobSinceSuccess = cronJobFamily("tocsin_cronjob_seconds_since_last_success",
		"Seconds since the newest success of any run of the CronJob, scheduled or by hand; since its creation when it has never succeeded.")
	cronJobNeverSucceeded = cronJobFamily("tocsin_cronjob_never_succeeded",
		"Whether runs of the CronJob have been scheduled or have finished, and none has ever succeeded.")
	cronJobLastSuccess = cronJobFamily("tocsin_cronjob_last_success_timestamp_seconds",
		"When a run of the CronJob last completed with success; absent when never.")
	cronJobLastFailure = cronJobFamily("tocsin_cronjob_last_failure_timestamp_seconds",
		"When the newest failed run of the CronJob that is known failed; absent when none is.")
	cronJobLastSchedule = cronJobFamily("tocsin_cronjob_last_schedule_timestamp_seconds",
		"The tick that the CronJob was last started for; absent when never.")
	cronJobDue = cronJobFamily("tocsin_cronjob_due_timestamp_seconds",
		"The oldest tick without a run: in the future when all is well; absent when the CronJob is suspended or invalid.")
	cronJobNextRun = cronJobFamily("tocsin_cronjob_next_run_timestamp_seconds",
		"The next tick of the CronJob's schedule; absent when it is suspended or invalid.")
	cronJobInterval = cronJobFamily("tocsin_cronjob_schedule_interval_seconds",
		"Seconds between the ticks before and after now; absent when the CronJob is invalid.")
	cronJobMissedRuns = cronJobFamily("tocsin_cronjob_missed_runs",
		"Ticks without a run since the one that is due, 1000 at most; absent when there are none, and for a CronJob that is suspended or invalid.")
	cronJobRunsSinceSuccess = cronJobFamily("tocsin_cronjob_runs_since_success",
		"Ticks since the last success of the CronJob whose run should be over (by the next tick, or within a day), 1000 at most; those while it is suspended are not counted.")
	cronJobSkippedRuns = cronJobFamily("tocsin_cronjob_skipped_runs",
		"Ticks that have passed while the CronJob is suspended, 1000 at most.")
	cronJobFailing = cronJobFamily("tocsin_cronjob_failing",
		"Whether, of the CronJob's runs that have finished, the newest by its tick failed, and no later one succeeded.")
	cronJobLastFailureInfo = cronJobFamily("tocsin_cronjob_last_failure_info", "1 while the CronJob is failing: why the newest run failed, as its Job's condition says (JobGone when it left none), and what its Pods tell of the cause.",
		"reason", "cause", "container", "exit_code")
	cronJobActiveRuns = cronJobFamily("tocsin_cronjob_active_runs",
		"Jobs of the CronJob that have not finished.")
	cronJobActiveStart = cronJobFamily("tocsin_cronjob_active_run_start_timestamp_seconds",
		"When the oldest of the CronJob's unfinished Jobs started; absent when there is none.")
	cronJobStalled = cronJobFamily("tocsin_cronjob_active_run_stalled", "1 when a run of the CronJob makes no progress, or cannot be created, and will not get further by itself, with the reason; of several, the oldest.",
		"reason")
	cronJobLongRunning = cronJobFamily("tocsin_cronjob_long_running",
		"Whether a run of the CronJob takes more than three times as long as any that succeeded and more than ten minutes, or, with none to compare with, longer than its schedule leaves it. 0 where activeDeadlineSeconds will end it, and when blocked.")
	cronJobDuration = cronJobFamily("tocsin_cronjob_last_run_duration_seconds",
		"How long the CronJob's newest finished run took; absent when unknown.")
	cronJobStartDelay = cronJobFamily("tocsin_cronjob_last_run_start_delay_seconds",
		"How long after its tick the CronJob's newest scheduled run started; absent when unknown.")
	cronJobSuspendedSince = cronJobFamily("tocsin_cronjob_suspended_since_timestamp_seconds",
		"When the CronJob was suspended; absent when it is not, or that is unknown.")
	cronJobCreated = cronJobFamily("tocsin_cronjob_created_timestamp_seconds",
		"When the CronJob was created.")
	cronJobSuccessWithin = cronJobFamily("tocsin_cronjob_success_within_seconds",
		"How old a success of the CronJob may become, as its owner says with the annotation tocsin/success-within.")
	cronJobRuns = &exposition.Family{Name: "tocsin_cronjob_runs_total", Type: exposition.Counter, Labels: []string{"namespace", "cronjob", "result"},
		Help: "Runs of the CronJob that have been seen to end since the exporter started, by result: succeeded, failed, gone (its Job was deleted before its end)."}
	timezoneMismatches = &exposition.Family{Name: "tocsin_timezone_mismatch_cronjobs",
		Help: "CronJobs whose last run shows that the kube-controller-manager runs in another time zone than --default-timezone."}
)

func cronJobFamily(name, help string, labels ...string) *exposition.Family {
	return &exposition.Family{Name: name, Help: help, Labels: append([]string{"namespace", "cronjob"}, labels...)}
}

func (*cronJobCollector) Families() []*exposition.Family {
	return []*exposition.Family{cronJobInfo, cronJobState, cronJobScheduleProblem, cronJobSinceSuccess, cronJobNeverSucceeded,
		cronJobLastSuccess, cronJobLastFailure, cronJobLastSchedule, cronJobDue, cronJobNextRun, cronJobInterval, cronJobMissedRuns,
		cronJobRunsSinceSuccess, cronJobSkippedRuns, cronJobFailing, cronJobLastFailureInfo, cronJobActiveRuns, cronJobActiveStart,
		cronJobStalled, cronJobLongRunning, cronJobDuration, cronJobStartDelay, cronJobSuspendedSince, cronJobCreated, cronJobSuccessWithin,
		cronJobRuns, timezoneMismatches}
}
