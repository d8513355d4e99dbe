package scenarios

// refusedCronJobs are the stories of runs that the API server does not let begin.
func refusedCronJobs() []Scenario { return []Scenario{overQuota(), neverDue()} }

func overQuota() Scenario {
	const name = "over-quota"
	missed, neverStarts := runMissed(name, "backup"), runMissed(name, "export")
	return Scenario{
		Name:    name,
		Story:   "Somebody gives the namespace a quota that has no room for Jobs: the CronJob is as green as before, and no backup is made.",
		Objects: cronJob("backup", "", everyMinute, "", "") + cronJob("export", "", everyMinute+"\n  startingDeadlineSeconds: 10", "", ""),
		Steps: []Step{{
			Say: "a backup and an export are made every minute",
			See: []string{
				`count(tocsin_cronjob_last_success_timestamp_seconds{namespace="over-quota"}) == 2`,
				`count(tocsin_cronjob_state{namespace="over-quota", state="ok"} == 1) == 2`,
			},
		}, {
			Say: "the namespace gets a quota of no Jobs: the API server refuses the next ones, and the export's ten seconds to start pass by",
			Do:  []Action{kubectl("create", "quota", "no-jobs", "--hard=count/jobs.batch=0")},
			See: []string{
				`tocsin_cronjob_state{namespace="over-quota", cronjob="backup", state="late"} == 1`,
				`tocsin_cronjob_missed_runs{namespace="over-quota", cronjob="backup"} >= 1`,
				`tocsin_cronjob_state{namespace="over-quota", cronjob="export", state="missed"} == 1`,
			},
			Page: []Page{missed, neverStarts},
		}, {
			Say:      "the quota is deleted: the controller makes up for the backup, and the next export starts at its time",
			Do:       []Action{kubectl("delete", "quota", "no-jobs")},
			See:      []string{`count(tocsin_cronjob_state{namespace="over-quota", state="ok"} == 1) == 2`},
			Resolve:  []Page{missed, neverStarts},
			Patience: 4 * minute, // the controller tries again at ever longer intervals
		}},
		May: []Page{noSuccess(name, "backup"), noSuccess(name, "export")}, // once three runs are wanting
	}
}

func neverDue() Scenario {
	const name = "never-due"
	invalid := cronJobPage("CronJobScheduleInvalid", name, "report", "has a schedule that does not work (zero_starting_deadline)")
	invalid.Labels += " reason=zero_starting_deadline"
	return Scenario{
		Name:  name,
		Story: "A time zone that does not exist is refused by the API server; a starting deadline of no seconds is not, and then nothing ever runs.",
		// One with a deadline of thirty seconds runs.
		Objects: cronJob("report", "", everyMinute+"\n  startingDeadlineSeconds: 0", "", "") +
			cronJob("digest", "", everyMinute+"\n  startingDeadlineSeconds: 30\n  timeZone: Europe/Lisbon", "", ""),
		Steps: []Step{{
			Say: "somebody writes a zone that does not exist, and is told; somebody else writes startingDeadlineSeconds: 0, and is not",
			Do:  []Action{refused("unknown time zone Mars/Olympus", cronJob("mission", "", everyMinute+"\n  timeZone: Mars/Olympus", "", ""))},
			See: []string{
				`tocsin_cronjob_schedule_problem{namespace="never-due", cronjob="report", reason="zero_starting_deadline"} == 1`,
				`tocsin_cronjob_state{namespace="never-due", cronjob="report", state="invalid"} == 1`,
				`tocsin_cronjob_info{namespace="never-due", cronjob="digest", timezone="Europe/Lisbon", timezone_source="spec"} == 1`,
				// The report's tick comes at the same moment and brings nothing.
				`tocsin_cronjob_last_success_timestamp_seconds{namespace="never-due", cronjob="digest"}`,
			},
			Gone: []string{`tocsin_cronjob_last_schedule_timestamp_seconds{namespace="never-due", cronjob="report"}`},
			Page: []Page{invalid},
		}, {
			Say: "the deadline becomes thirty seconds",
			Do:  []Action{kubectl("patch", "cronjob", "report", "-p", `{"spec":{"startingDeadlineSeconds":30}}`)},
			See: []string{
				`tocsin_cronjob_last_success_timestamp_seconds{namespace="never-due", cronjob="report"}`,
				`tocsin_cronjob_state{namespace="never-due", cronjob="report", state="ok"} == 1`,
			},
			Gone:    []string{`tocsin_cronjob_schedule_problem{namespace="never-due"}`},
			Resolve: []Page{invalid},
		}},
		Silent: []string{`ALERTS{namespace="never-due", cronjob="digest", alertstate="firing"}`},
		// From the patch to the next tick the run that was due before it counts as missed.
		May: []Page{runMissed(name, "report")},
	}
}
