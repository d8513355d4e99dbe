package scenarios

// stuckCronJobs are the stories of runs that do not end.
func stuckCronJobs() []Scenario { return []Scenario{wedged(), pileUp(), stuckStart()} }

func wedged() Scenario {
	const name = "wedged"
	blocked := cronJobPage("CronJobBlocked", name, "billing", "is blocked by its own earlier run")
	return Scenario{
		Name:    name,
		Story:   "A run hangs, and concurrencyPolicy Forbid holds all others back: nothing has failed, and nothing happens any more.",
		Objects: cronJob("billing", "", everyMinute+"\n  concurrencyPolicy: Forbid", "", ""),
		Steps: []Step{{
			Say: "the billing runs and succeeds",
			Do:  []Action{kubectl("create", "job", "billing-try", "--from=cronjob/billing")},
			See: []string{
				`tocsin_cronjob_last_success_timestamp_seconds{namespace="wedged", cronjob="billing"}`,
				`tocsin_cronjob_info{namespace="wedged", cronjob="billing", concurrency_policy="Forbid"} == 1`,
			},
		}, {
			Say: "a release of it waits for a lock that nobody gives back",
			Do:  []Action{templated("billing", `"run"`)},
			See: []string{
				`tocsin_cronjob_state{namespace="wedged", cronjob="billing", state="blocked"} == 1`,
				`tocsin_cronjob_missed_runs{namespace="wedged", cronjob="billing"} >= 2`,
				`tocsin_cronjob_active_runs{namespace="wedged", cronjob="billing"} == 1`,
			},
			Page:     []Page{blocked},
			Patience: 5 * minute,
		}, {
			Say: "the release is taken back, and the run that hangs is deleted: the next one starts at once",
			Do:  []Action{templated("billing", "null"), activeDeleted("billing")},
			See: []string{
				`tocsin_cronjob_state{namespace="wedged", cronjob="billing", state="ok"} == 1`,
				`tocsin_cronjob_runs_total{namespace="wedged", cronjob="billing", result="gone"} == 1`,
			},
			Resolve: []Page{blocked},
		}},
		// Its own runs are what it waits for: it is not late, and the hung run is not merely slow.
		Silent: []string{`ALERTS{namespace="wedged", alertname=~"CronJobRunMissed|CronJobLongRunning", alertstate="firing"}`},
		May:    []Page{noSuccess(name, "billing")}, // once three runs are wanting
	}
}

func pileUp() Scenario {
	const name = "pile-up"
	long := Page{"CronJobLongRunning", "warning", "A run of CronJob pile-up/crawl takes much longer than usual", "namespace=pile-up cronjob=crawl"}
	never, replaced := neverSucceeded(name, "crawl"), neverSucceeded(name, "poll")
	return Scenario{
		Name: name,
		Story: "Two new CronJobs never come to an end. One may run beside itself, and its runs pile up; of the other each run replaces the one before it, " +
			"so that it looks as if it had just begun.",
		Objects: cronJob("crawl", "", everyMinute, "kubelet.tocsin/does: run", "") +
			cronJob("poll", "", everyMinute+"\n  concurrencyPolicy: Replace", "kubelet.tocsin/does: run", "") +
			// It is replaced by the same rule, and always done before.
			cronJob("ping", "", everyMinute+"\n  concurrencyPolicy: Replace", "", ""),
		Steps: []Step{{
			Say: "the first runs of both should be over, and are not",
			See: []string{
				`tocsin_cronjob_long_running{namespace="pile-up", cronjob="crawl"} == 1`,
				`tocsin_cronjob_active_runs{namespace="pile-up", cronjob="crawl"} >= 2`,
				`tocsin_cronjob_active_runs{namespace="pile-up", cronjob="poll"} == 1`,
				`tocsin_cronjob_runs_since_success{namespace="pile-up", cronjob="poll"} >= 2 and tocsin_cronjob_never_succeeded == 1`,
			},
			Page:     []Page{long, never, replaced},
			Patience: 5 * minute,
		}, {
			Say: "both are mended, and what hangs is deleted",
			Do:  []Action{templated("crawl", "null"), templated("poll", "null"), activeDeleted("crawl"), activeDeleted("poll")},
			See: []string{
				`count(tocsin_cronjob_never_succeeded{namespace="pile-up"} == 0) == 3`,
				`tocsin_cronjob_long_running{namespace="pile-up", cronjob="crawl"} == 0`,
			},
			Resolve: []Page{long, never, replaced},
		}},
		Silent: []string{`ALERTS{namespace="pile-up", cronjob="ping", alertstate="firing"}`},
	}
}

func stuckStart() Scenario {
	const name = "stuck-start"
	stalled := Page{"CronJobRunStalled", "warning", "A run of CronJob stuck-start/archive is stalled", "namespace=stuck-start cronjob=archive"}
	return Scenario{
		Name:  name,
		Story: "A run waits for a ConfigMap that somebody has deleted: it is active, it has not failed, and it will never begin.",
		Steps: []Step{{
			Say: "tonight's archive has been waiting for its ConfigMap for a quarter of an hour",
			Do:  []Action{nightly("archive", "", "kubelet.tocsin/does: config-error, kubelet.tocsin/for: 15m", "")},
			See: []string{
				`tocsin_cronjob_active_run_stalled{namespace="stuck-start", cronjob="archive", reason="config_error"} == 1`,
				`tocsin_cronjob_active_runs{namespace="stuck-start", cronjob="archive"} == 1`,
			},
			Page: []Page{stalled},
		}, {
			Say: "the ConfigMap is put back, and the container starts",
			Do:  []Action{kubectl("annotate", "pods", "--all", "kubelet.tocsin/does-")},
			See: []string{
				`tocsin_cronjob_last_success_timestamp_seconds{namespace="stuck-start", cronjob="archive"}`,
				`tocsin_cronjob_never_succeeded{namespace="stuck-start", cronjob="archive"} == 0`,
			},
			Resolve: []Page{stalled},
		}},
	}
}
