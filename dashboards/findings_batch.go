package dashboards

// ofCronJob completes a finding about a CronJob, whose owner's severity stands on tocsin_cronjob_info.
func ofCronJob(alert, where, since, next string) finding {
	return finding{
		alert: alert, severity: "warning", since: since,
		where: told(where, perCronJob, "severity", "tocsin_cronjob_info{NS}"),
		key:   []string{"namespace", "cronjob"}, per: perCronJob, object: "cronjob/$2", next: always(next),
		dashboard: cronJobUID + "?var-namespace=$1&var-cronjob=$2",
	}
}

// suspendedFor falls back on the last run, and on the creation of a CronJob that never ran.
var suspendedFor = sinceTime("tocsin_cronjob_suspended_since_timestamp_seconds{NS}", "tocsin_cronjob_last_schedule_timestamp_seconds{NS}",
	"tocsin_cronjob_created_timestamp_seconds{NS}")

// withoutSuccess is three runs, or what the owner says with tocsin/success-within. Not while another alert says more.
const withoutSuccess = `(
  tocsin_cronjob_runs_since_success{NS} >= 3
  unless on (cluster, namespace, cronjob) tocsin_cronjob_success_within_seconds{NS}
  unless on (cluster, namespace, cronjob) tocsin_cronjob_never_succeeded{NS} == 1
  or tocsin_cronjob_seconds_since_last_success{NS} > tocsin_cronjob_success_within_seconds{NS}
)
unless on (cluster, namespace, cronjob) tocsin_cronjob_failing{NS} == 1`

// failedBecause has the reason and the cause of the newest failure as its reason, also where neither is known.
var failedBecause = either(
	joined("tocsin_cronjob_last_failure_info{NS}", "reason", ": ", "reason", "cause"),
	"tocsin_cronjob_failing{NS} == 1 unless on (cluster, namespace, cronjob) tocsin_cronjob_last_failure_info{NS}",
)

func cronJobFindings() target {
	const (
		describe     = "kubectl -n $1 describe cronjob $2"
		activeJob    = "kubectl -n $1 get jobs,pods | grep $2-, then describe the oldest"
		resume       = `ask who suspended it; to resume: kubectl -n $1 patch cronjob $2 -p '{"spec":{"suspend":false}}'`
		schedule     = "kubectl -n $1 get cronjob $2 -o jsonpath='{.spec.schedule} {.spec.timeZone} {.spec.startingDeadlineSeconds}'"
		jobs         = "kubectl -n $1 get jobs,pods | grep $2-, then read the logs of the newest"
		sinceSuccess = "tocsin_cronjob_seconds_since_last_success{NS}"
	)
	due := sinceTime("tocsin_cronjob_due_timestamp_seconds{NS}")
	running := sinceTime("tocsin_cronjob_active_run_start_timestamp_seconds{NS}", "tocsin_cronjob_last_schedule_timestamp_seconds{NS}",
		"tocsin_cronjob_created_timestamp_seconds{NS}")
	blocked := `tocsin_cronjob_state{NS, state="blocked"} and on (` + perCronJob + `) tocsin_cronjob_missed_runs{NS} >= 2`
	never := "tocsin_cronjob_runs_since_success{NS} >= 2 and on (" + perCronJob + ") tocsin_cronjob_never_succeeded{NS} == 1"
	long := "tocsin_cronjob_long_running{NS} == 1 unless on (" + perCronJob + ") tocsin_cronjob_active_run_stalled{NS}"
	forgotten := "tocsin_cronjob_skipped_runs{NS} >= 1\nand on (" + perCronJob + ") " + maxBy(perCronJob, suspendedFor) + " > 7 * 86400"
	suspended := ofCronJob("CronJobSuspendedLong", constant(forgotten, "reason", "suspended for over a week"), suspendedFor, resume)
	suspended.severity = "info"
	return findingsOf("cronjobs", []finding{
		ofCronJob("CronJobRunMissed", copied(`tocsin_cronjob_state{NS, state=~"late|missed"}`, "reason", "state"), due, describe),
		ofCronJob("CronJobBlocked", constant(blocked, "reason", "its earlier run has not ended"), due, activeJob),
		ofCronJob("CronJobFailing", failedBecause, sinceSuccess, jobs),
		ofCronJob("CronJobNeverSucceeded", constant(never, "reason", "no success since its creation"), sinceSuccess, jobs),
		ofCronJob("CronJobNoSuccess", constant(withoutSuccess, "reason", "too long without a success"), sinceSuccess, describe),
		ofCronJob("CronJobScheduleInvalid", `tocsin_cronjob_schedule_problem{NS, reason!="stale_active"}`, sinceSuccess, schedule),
		ofCronJob("CronJobRunStalled", "tocsin_cronjob_active_run_stalled{NS}", running, activeJob),
		ofCronJob("CronJobLongRunning", constant(long, "reason", "far longer than any before"), running, activeJob),
		suspended,
	})
}

// failedJobs are those without a CronJob that failed within the last three days, or nobody knows when: what failed before is history.
const failedJobs = `tocsin_job_failed{NS, cronjob=""}
unless on (cluster, namespace, job_name) time() - tocsin_job_finished_timestamp_seconds{NS} > 72 * 3600`

func jobFindings() target {
	job := finding{
		severity: "warning", key: []string{"namespace", "job_name"}, per: perJob, object: "job/$2", dashboard: cronJobsUID + "?var-namespace=$1",
		since: either(sinceTime("tocsin_job_finished_timestamp_seconds{NS}", "tocsin_job_start_timestamp_seconds{NS}"), notSaid("tocsin_job_state{NS}")),
	}
	failed, stalled := job, job
	failed.alert, failed.where = "JobFailed", joined(failedJobs, "reason", ": ", "reason", "cause")
	failed.next = always("kubectl -n $1 logs job/$2 --all-containers; nothing will run it again")
	stalled.alert, stalled.where = "JobStalled", "tocsin_job_stalled{NS}"
	stalled.next = always("kubectl -n $1 describe job $2, and its Pods: kubectl -n $1 describe pods -l batch.kubernetes.io/job-name=$2")
	return findingsOf("jobs", []finding{failed, stalled})
}
