package dashboards

func cronJob(known alerts) dashboard {
	timestamp := func(title, description, metric string, changes ...option) panel {
		return stat(title, description, "1000 * max("+metric+")", append([]option{unit("dateTimeFromNow"), levels(from(info)), set("text", map[string]any{"valueSize": 24})}, changes...)...)
	}
	newest := func(title, description, metric string, changes ...option) panel {
		return stat(title, description, "max("+metric+")", changes...)
	}
	vars := variables(one("cronjob", "CronJob", "Names that several namespaces or clusters have are told apart there.",
		`label_values(tocsin_cronjob_info{cluster=~"$cluster", namespace=~"$namespace"}, cronjob)`))
	return newDashboard(cronJobUID, "Tocsin / CronJob", "One CronJob in depth: what it should do, what it did, and why it does not.",
		"now-168h", vars, known.of("tocsin-cronjobs"),
		beside(3,
			stat("State", "Of several troubles the worst.", "max("+cronJobState()+")", mapped(byNumber(cronJobStates)), levels(from(good))),
			timestamp("Last success", "When a run last succeeded, scheduled or by hand.",
				"tocsin_cronjob_last_success_timestamp_seconds{NS}", noValue("never")),
			timestamp("Next run", "The next tick of its schedule. None while it is suspended or invalid.",
				"tocsin_cronjob_next_run_timestamp_seconds{NS}", noValue("none")),
			newest("Runs since success", "Runs that should be over by now and have not succeeded. Three are an alert.",
				"tocsin_cronjob_runs_since_success{NS}", levels(from(good, at(1, attend), at(3, critical)))),
			newest("Runs missed", "Ticks without a run since the one that is due. Not counted while suspended.",
				"tocsin_cronjob_missed_runs{NS}", levels(from(good, at(1, critical))), noValue("none")),
			stat("Last run against usual", "How many times as long as usual the newest finished run took. Usual is the median of the last two weeks.",
				"max("+lastRun+"\n/ ("+usual+" > 0))",
				unit("suffix:×"), decimals(1), levels(from(good, at(1.5, attend), at(3, warning))), noValue("no run")),
		),
		beside(6, findingsTable("What is wrong, and what to do", "The finding leads to its runbook.", "Nothing is wrong with this CronJob",
			[]target{cronJobFindings()})),
		beside(5, timeline("State over time", "Of several troubles the worst is shown.", cronJobStates,
			[]target{over("A", cronJobState(), "{{namespace}}/{{cronjob}} {{cluster}}")}, noValue("There is no such CronJob"))),
		beside(4,
			table("What it is", "Its schedule and the time zone that it runs by, and where that is written: in spec.timeZone, in a prefix of the "+
				"schedule, or nowhere (--default-timezone).", "There is no such CronJob", nil, []column{
				text("namespace", "Namespace"), text("schedule", "Schedule"), text("timezone", "Time zone"), text("timezone_source", "Zone from"),
				text("concurrency_policy", "Concurrency"),
				text("severity", "Severity"), number("interval", "Interval", "s"), number("created", "Created", "dateTimeAsIso"),
			}, []target{
				rows("interval", maxBy("cluster, namespace, schedule, timezone, timezone_source, concurrency_policy, severity",
					described("tocsin_cronjob_schedule_interval_seconds{NS}"))),
				rows("created", maxBy("cluster, namespace, schedule, timezone, timezone_source, concurrency_policy, severity",
					described("1000 * tocsin_cronjob_created_timestamp_seconds{NS}"))),
			}),
		),
		beside(9,
			graph("Durations", "How long the newest finished run took, its usual (the median of two weeks), and how long the present run has taken.", []target{
				over("last", lastRun, "last run {{namespace}} {{cluster}}"),
				over("usual", usual, "usual {{namespace}} {{cluster}}"),
				over("running", runningFor, "running now {{namespace}} {{cluster}}"),
			}, unit("s"), noValue("No run is known"), paintAll("last", good), paintAll("usual", info), paintAll("running", warning)),
			graph("Time since the last success", "Since its creation when it has never succeeded. The limit is what the owner set with "+
				"tocsin/success-within, else three times the gap between its runs.", []target{
				over("since", maxBy(perCronJob, "tocsin_cronjob_seconds_since_last_success{NS}"), "since success {{namespace}} {{cluster}}"),
				over("limit", maxBy(perCronJob, "tocsin_cronjob_success_within_seconds{NS}\nor 3 * tocsin_cronjob_schedule_interval_seconds{NS}"),
					"limit {{namespace}} {{cluster}}"),
			}, unit("s"), paintAll("since", info), paintAll("limit", critical)),
		),
		beside(8,
			graph("Runs that ended", "Runs that Tocsin saw end, by result: gone means that the Job was deleted before its end.",
				[]target{over("A", "sum by (result) (max by (cluster, namespace, cronjob, result) (increase(tocsin_cronjob_runs_total{NS}[$__rate_interval])))", "{{result}}")},
				stacked, paint("succeeded", good), paint("failed", critical), paint("gone", attend)),
			graph("Runs at the same time", "Jobs of it that have not finished, and ticks without a run.", []target{
				over("active", maxBy(perCronJob, "tocsin_cronjob_active_runs{NS}"), "active {{namespace}} {{cluster}}"),
				over("missed", maxBy(perCronJob, "tocsin_cronjob_missed_runs{NS}"), "missed {{namespace}} {{cluster}}"),
			}, paintAll("active", info), paintAll("missed", critical)),
			graph("Start delay", "How long after its time the newest scheduled run started.",
				[]target{over("A", maxBy(perCronJob, "tocsin_cronjob_last_run_start_delay_seconds{NS}"), "{{namespace}} {{cluster}}")}, unit("s"),
				noValue("No scheduled run is known")),
		),
		beside(6,
			table("Failed runs that are still there", "Its Jobs that failed, as far as failedJobsHistoryLimit keeps them, and what their Pods tell of the cause.",
				"No failed run is listed", []string{"Job"}, []column{
					text("namespace", "Namespace"), text("job_name", "Job"), text("reason", "Reason"), text("cause", "Cause"), text("container", "Container"),
					text("exit_code", "Exit code"),
					noNumber(),
				}, []target{rows("A", maxBy("cluster, namespace, job_name, reason, cause, container, exit_code", "tocsin_job_failed{NS}"))}),
		),
	)
}

// described adds what is written in the CronJob.
func described(expr string) string {
	return told(expr, perCronJob, "schedule, timezone, timezone_source, concurrency_policy, severity", "tocsin_cronjob_info{NS}")
}
