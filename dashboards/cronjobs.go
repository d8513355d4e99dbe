package dashboards

import "strings"

// toCronJob leads from a row to the CronJob's own dashboard.
func toCronJob(title string) property {
	return goes("Show ${__value.text}", to(cronJobUID, "var-namespace=${__data.fields.Namespace}", "var-cronjob=${__data.fields."+title+"}"))
}

// seriesToCronJob is the same from a series.
func seriesToCronJob() option {
	return leads("Show ${__field.labels.cronjob}", to(cronJobUID, "var-namespace=${__field.labels.namespace}", "var-cronjob=${__field.labels.cronjob}"))
}

// usual is the median of the durations that a CronJob's runs had, looked at every two hours over the last two weeks; before the first such
// look, the last run's.
const usual = `(
  quantile_over_time(0.5, max by (cluster, namespace, cronjob) (tocsin_cronjob_last_run_duration_seconds{NS})[14d:2h])
  or max by (cluster, namespace, cronjob) (tocsin_cronjob_last_run_duration_seconds{NS})
)`

var (
	lastRun    = maxBy(perCronJob, "tocsin_cronjob_last_run_duration_seconds{NS}")
	runningFor = maxBy(perCronJob, "time() - tocsin_cronjob_active_run_start_timestamp_seconds{NS}")
	// troubled CronJobs are those that were not well at some time of what the dashboard shows.
	troubled = strings.Join([]string{
		`last_over_time(tocsin_cronjob_state{NS, state!="ok"}[$__range] @ end())`,
		`or last_over_time(tocsin_cronjob_active_run_stalled{NS}[$__range] @ end())`,
		`or tocsin_cronjob_last_failure_timestamp_seconds{NS} @ end() > ${__from} / 1000`,
		`or tocsin_cronjob_failing{NS} @ end() == 1`,
		`or tocsin_cronjob_long_running{NS} @ end() == 1`,
	}, "\n")
)

func cronJobs(known alerts) dashboard {
	legend := "{{namespace}}/{{cronjob}} {{cluster}}"
	inTrouble := cronJobState() + "\nand on (" + perCronJob + ") (\n" + indent(troubled) + "\n)"
	return newDashboard(cronJobsUID, "Tocsin / CronJobs", "Which CronJobs are overdue, failing or stuck, how long their runs take against their usual, "+
		"and what runs next. And the Jobs that no CronJob owns.",
		"now-24h", variables(), known.of("tocsin-cronjobs", "tocsin-jobs"),
		beside(3,
			stat("CronJobs", "CronJobs that Tocsin judges.", "count("+maxBy(perCronJob, "tocsin_cronjob_info{NS}")+")", levels(from(info))),
			alarm("Overdue", "A run was due and has not started: late, missed for good, or blocked by the CronJob's own earlier run.",
				critical, "cronjobs", overdueCronJobs),
			alarm("Failing", "The newest finished run failed.", critical, "cronjobs", failingCronJobs),
			alarm("Stalled", "A run makes no progress, or takes far longer than any before.", warning, "jobs", stalledRuns),
			alarm("Invalid", "As it is written, the CronJob can never run, or runs at other times than its schedule says.", broken, "cronjobs",
				maxBy(perCronJob, `tocsin_cronjob_schedule_problem{NS, reason!="stale_active"}`)),
			alarm("Suspended", "Suspended, for however long.", info, "cronjobs", maxBy(perCronJob, `tocsin_cronjob_state{NS, state="suspended"}`)),
		),
		beside(9, findingsTable("CronJobs and Jobs that need attention",
			"The worst first: why, for how long, and what to type next. The object leads to its dashboard, the finding to its runbook.",
			"All CronJobs run as they should, and no Job has failed", []target{cronJobFindings(), jobFindings()})),
		beside(9, timeline("CronJobs in trouble, over time", "The state of each CronJob that was not well at some time of those shown. Of several "+
			"troubles the worst is shown.", cronJobStates,
			[]target{over("A", inTrouble, legend)}, noValue("No CronJob was in trouble"), seriesToCronJob())),
		beside(9,
			bars("Runs since the last success", "Runs that should be over by now and have not succeeded, for each CronJob with any. Three are an alert.",
				[]target{now("A", "sort_desc(topk(15, "+maxBy(perCronJob, "tocsin_cronjob_runs_since_success{NS} > 0")+"))", legend)},
				levels(from(attend, at(3, critical))), noValue("Every CronJob's newest run succeeded"), seriesToCronJob()),
			bars("Last run against its usual", "How many times as long as usual the newest finished run took. Usual is the median of the last two weeks.",
				[]target{now("A", "sort_desc(topk(15,\n  "+lastRun+"\n  / ("+usual+" > 0)\n))", legend)},
				unit("suffix:×"), decimals(1), levels(from(good, at(1.5, attend), at(3, warning))), noValue("No run has finished"), seriesToCronJob()),
		),
		beside(9,
			table("Running now", "Runs that have not finished: since when, how long a run usually takes, and why one does not get on. Usual is the median "+
				"of the last two weeks.", "Nothing is running",
				[]string{"-Running for"}, []column{
					text("namespace", "Namespace", broad(100)), text("cronjob", "CronJob", toCronJob("CronJob")),
					number("running", "Running for", "s", broad(120)), number("usual", "Usually", "s", broad(95)),
					text("reason", "Stalled by"),
				}, []target{
					rows("running", maxBy(perCronJob+", reason", orElse("time() - tocsin_cronjob_active_run_start_timestamp_seconds{NS}", perCronJob,
						"reason", "tocsin_cronjob_active_run_stalled{NS}"))),
					rows("usual", usual+"\nand on ("+perCronJob+") tocsin_cronjob_active_run_start_timestamp_seconds{NS}"),
				}),
			table("Next runs", "What is due next, the earliest first. Runs that are overdue are not here.",
				"No CronJob will run", []string{"Next run"}, []column{
					text("namespace", "Namespace", broad(100)), text("cronjob", "CronJob", toCronJob("CronJob")),
					number("", "Next run", "dateTimeFromNow", broad(110)),
					text("schedule", "Schedule", broad(110)), text("timezone", "Time zone"),
				}, []target{
					rows("A", "bottomk(20, "+maxBy(perCronJob+", schedule, timezone",
						told("1000 * tocsin_cronjob_next_run_timestamp_seconds{NS}", perCronJob, "schedule, timezone", "tocsin_cronjob_info{NS}"))+")"),
				}),
		),
		beside(8,
			graph("Runs that ended", "Runs that Tocsin saw end, by result: gone means that the Job was deleted before its end. A restart loses none, but "+
				"counts none that ended meanwhile.",
				[]target{over("A", "sum by (result) (max by (cluster, namespace, cronjob, result) (increase(tocsin_cronjob_runs_total{NS}[$__rate_interval])))", "{{result}}")},
				stacked, paint("succeeded", good), paint("failed", critical), paint("gone", attend)),
			graph("Start delay", "How long after their time the newest scheduled runs started. When all are late, look at the kube-controller-manager.",
				[]target{
					over("worst", "max("+maxBy(perCronJob, "tocsin_cronjob_last_run_start_delay_seconds{NS}")+")", "worst"),
					over("median", "quantile(0.5, "+maxBy(perCronJob, "tocsin_cronjob_last_run_start_delay_seconds{NS}")+")", "median"),
				}, unit("s"), paint("worst", warning), paint("median", info)),
			table("Jobs that nothing deletes", "Finished Jobs without ttlSecondsAfterFinished, owner or Helm hook policy: they and their Pods stay for ever.",
				"Every finished Job is deleted in time",
				[]string{"-Jobs"}, []column{text("namespace", "Namespace"), number("", "Jobs", "none")},
				[]target{rows("A", sumBy("cluster, namespace", maxBy(perJob, "tocsin_job_without_ttl{NS}")))}, wide(6)),
		),
		closedRow("Every CronJob over time", 16, timeline("State of every CronJob",
			"Choose a namespace first where there are hundreds.", cronJobStates, []target{over("A", cronJobState(), legend)},
			noValue("There is no CronJob"), set("showValue", "never"), seriesToCronJob())),
	)
}
