package scenarios

// endedJobs are the stories of how a Job's end is told, when not much is left to tell it.
func endedJobs() []Scenario {
	return []Scenario{outOfMemory(), pastDeadline(), timeToLive(), evicted()}
}

func outOfMemory() Scenario {
	const name = "out-of-memory"
	failed := jobPage(name, "train", "BackoffLimitExceeded")
	return Scenario{
		Name: name,
		Story: "A container is killed for want of memory again and again. When the Job gives up, its controller deletes the pod, and with it the only " +
			"object that said so.",
		Objects: job("train", "backoffLimit: 1", "kubelet.tocsin/does: oom", "OnFailure"),
		Steps: []Step{{
			Say: "the Job has failed, and its pod is gone",
			Do: []Action{
				wait("condition=Failed", "job/train"),
				prints("", "get", "pods", "-o", "name"),
			},
			See: []string{
				`tocsin_job_failed{namespace="out-of-memory", job_name="train", reason="BackoffLimitExceeded", cause="oom_killed", container="main", exit_code="137"} == 1`,
			},
			Page: []Page{failed},
		}, {
			Say:     "the Job is deleted",
			Do:      []Action{kubectl("delete", "job", "train")},
			Gone:    []string{`tocsin_job_failed{namespace="out-of-memory"}`},
			Resolve: []Page{failed},
		}},
	}
}

func pastDeadline() Scenario {
	const name = "past-deadline"
	failed := jobPage(name, "vacuum", "DeadlineExceeded")
	conditions := []string{"get", "job", "vacuum", "-o", "jsonpath={.status.conditions[*].type}"}
	return Scenario{
		Name: name,
		Story: "A Job's time is over, and its pod hangs on a node that does not answer: Kubernetes waits for the pod before it calls the Job failed, " +
			"Tocsin does not.",
		Objects: job("vacuum", "activeDeadlineSeconds: 3", "kubelet.tocsin/does: hang-on-delete", "Never"),
		Steps: []Step{{
			Say: "three seconds are over, the pod is to go and does not",
			Do:  []Action{prints("FailureTarget", conditions...)},
			See: []string{
				`tocsin_job_failed{namespace="past-deadline", job_name="vacuum", reason="DeadlineExceeded", cause="deadline"} == 1`,
				`tocsin_job_state{namespace="past-deadline", job_name="vacuum", state="failed"} == 1`,
			},
			Page: []Page{failed},
		}, {
			Say: "the Job still does not count as failed; its pod is deleted by force, and then it does",
			Do: []Action{
				prints("FailureTarget", conditions...),
				kubectl("delete", "pods", "--all", "--force", "--grace-period=0"),
				prints("FailureTarget Failed", conditions...),
			},
			See:   []string{`tocsin_job_failed{namespace="past-deadline", job_name="vacuum", reason="DeadlineExceeded", cause="deadline"} == 1`},
			Still: []Page{failed},
		}, {
			Say:     "the Job is deleted",
			Do:      []Action{kubectl("delete", "job", "vacuum")},
			Gone:    []string{`tocsin_job_failed{namespace="past-deadline"}`},
			Resolve: []Page{failed},
		}},
	}
}

func timeToLive() Scenario {
	const name = "time-to-live"
	failed := jobPage(name, "notify", "BackoffLimitExceeded")
	return Scenario{
		Name:    name,
		Story:   "A failed Job has a ttlSecondsAfterFinished: it is paged while it is there, and goes by itself.",
		Objects: job("notify", "backoffLimit: 0\n  ttlSecondsAfterFinished: 20", `kubelet.tocsin/does: exit, kubelet.tocsin/exit-code: "1"`, "Never"),
		Steps: []Step{{
			Say:  "the Job has failed",
			See:  []string{`tocsin_job_failed{namespace="time-to-live", job_name="notify", reason="BackoffLimitExceeded", cause="error", exit_code="1"} == 1`},
			Page: []Page{failed},
		}, {
			Say:     "its time to live is over",
			Do:      []Action{prints("", "get", "jobs", "-o", "name")},
			Gone:    []string{`tocsin_job_failed{namespace="time-to-live"}`},
			Resolve: []Page{failed},
		}},
		Silent: []string{`tocsin_job_without_ttl{namespace="time-to-live"}`},
	}
}

func evicted() Scenario {
	const name = "evicted"
	failed := jobPage(name, "transcode", "BackoffLimitExceeded")
	return Scenario{
		Name:    name,
		Story:   "The kubelet evicts a Job's only pod from a full disk: the program has done nothing wrong, and the page says so.",
		Objects: job("transcode", "backoffLimit: 0", "kubelet.tocsin/does: evict", "Never"),
		Steps: []Step{{
			Say:  "the Job has failed, and no exit code is to blame",
			See:  []string{`tocsin_job_failed{namespace="evicted", job_name="transcode", reason="BackoffLimitExceeded", cause="evicted", container="", exit_code=""} == 1`},
			Page: []Page{failed},
		}, {
			Say: "the Job is deleted and made anew on a node with room",
			Do: []Action{
				kubectl("delete", "job", "transcode"),
				apply(job("transcode", "backoffLimit: 0", "", "Never")),
			},
			See:     []string{`tocsin_job_state{namespace="evicted", job_name="transcode", state="succeeded"} == 1`},
			Gone:    []string{`tocsin_job_failed{namespace="evicted"}`},
			Resolve: []Page{failed},
		}},
	}
}
