package dashboards

// The uids are part of the addresses that alerts and people's bookmarks have.
const (
	overviewUID     = "tocsin-overview"
	cronJobsUID     = "tocsin-cronjobs"
	cronJobUID      = "tocsin-cronjob"
	statefulSetsUID = "tocsin-statefulsets"
	nodesUID        = "tocsin-nodes"
	itselfUID       = "tocsin-itself"
)

// What is in trouble, one series for each object.
var (
	overdueCronJobs = maxBy(perCronJob, `tocsin_cronjob_state{NS, state=~"late|missed|blocked"}`)
	failingCronJobs = maxBy(perCronJob, "tocsin_cronjob_failing{NS} == 1")
	stalledRuns     = maxBy(perCronJob, "tocsin_cronjob_active_run_stalled{NS} or tocsin_cronjob_long_running{NS} == 1")
	stalledJobs     = maxBy(perJob, "tocsin_job_stalled{NS}")
	lostJobs        = maxBy(perJob, failedJobs)
	stuckRollouts   = maxBy(perStatefulSet, `tocsin_statefulset_rollout_blocked{SET} or tocsin_statefulset_rollout_state{SET, state="unobserved"} or tocsin_statefulset_manual_delete_pods{SET} > 0`)
	strandedPods    = maxBy(perPod, "tocsin_pod_stranded{NS}")
	riskyNodes      = strandedByDrain + " > 0"
	uncoveredNodes  = maxBy(perDaemonSet, `tocsin_daemonset_nodes{NS, coverage=~"missing|pending"}`)
	orphans         = maxBy(perClaim, "tocsin_persistentvolumeclaim_orphaned{NS}")
	unclaimed       = maxBy(perVolume, "tocsin_persistentvolume_unclaimed{CL}")
	blindSources    = maxBy(perResource, "tocsin_source_up{CL} == 0")
)

func overview(known alerts) dashboard {
	cronJobs := leads("CronJobs", to(cronJobsUID, keepNamespace))
	sets := leads("StatefulSets and volumes", to(statefulSetsUID, keepNamespace))
	nodes := leads("Nodes", to(nodesUID, keepNamespace))
	findings := []target{
		cronJobFindings(), jobFindings(), statefulSetFindings(), volumeFindings(), placementFindings(), daemonSetFindings(), ownFindings(),
	}
	return newDashboard(overviewUID, "Tocsin / Overview", "What needs attention now among CronJobs, Jobs, StatefulSets, volumes, nodes and DaemonSets, "+
		"why, and what to do next.",
		"now-24h", variables(), known,
		beside(3,
			alarm("Runs overdue", "CronJobs whose run was due and has not started: late, missed for good, or blocked by their own earlier run.",
				critical, "cronjobs", overdueCronJobs, cronJobs),
			alarm("CronJobs failing", "CronJobs whose newest finished run failed.", critical, "cronjobs", failingCronJobs, cronJobs),
			alarm("Runs stalled", "CronJobs with a run that makes no progress, or takes far longer than any before, and Jobs without a CronJob that are stalled.", warning, "jobs",
				either(stalledRuns, stalledJobs), cronJobs),
			alarm("Jobs failed", "Jobs that no CronJob owns and that failed within the last three days. Nothing runs them again.",
				warning, "jobs", lostJobs, cronJobs),
			alarm("Rollouts blocked", "StatefulSets whose rollout will not end by itself.", critical, "statefulsets", stuckRollouts, sets),
			alarm("Pods stranded", "Pods that are Pending because no node can ever take them, as things stand.", critical, "pods", strandedPods, nodes),
		),
		beside(3,
			alarm("Suspended CronJobs", "CronJobs that are suspended, for however long.",
				info, "cronjobs", maxBy(perCronJob, `tocsin_cronjob_state{NS, state="suspended"}`), cronJobs),
			alarm("Orphaned claims", "PersistentVolumeClaims that nothing uses, owns or names.", info, "persistentvolumeclaims", orphans, sets),
			alarm("Unclaimed volumes", "PersistentVolumes that no claim holds.", info, "persistentvolumes", unclaimed, sets),
			alarm("Nodes not to drain", "Nodes whose drain would leave Pods Pending for ever. Namespaces do not narrow this.",
				info, "nodes", riskyNodes, nodes),
			alarm("DaemonSets with gaps", "DaemonSets without a started Pod on a ready node that they should run on.",
				warning, "daemonsets", uncoveredNodes, nodes),
			alarm("Tocsin is blind to", "Resources that are forbidden, not synced or stale: what depends on them is not judged. \"not known\" when there "+
				"is no Tocsin at all.",
				warning, "namespaces", blindSources, leads("Tocsin itself", to(itselfUID))),
		),
		beside(14, findingsTable("What needs attention", "Every object in trouble, the worst first: why, for how long, and what to type next. The object "+
			"leads to its dashboard, the finding to its runbook. "+
			"Alerts fire for the same things, some minutes later.", "Nothing needs attention", findings)),
		beside(9,
			graph("In trouble over time", "How many objects were in trouble, by what.", []target{
				over("overdue", "count("+overdueCronJobs+")", "runs overdue"),
				over("failing", "count("+failingCronJobs+")", "CronJobs failing"),
				over("stalled", "count("+either(stalledRuns, stalledJobs)+")", "runs stalled"),
				over("failed", "count("+lostJobs+")", "Jobs failed"),
				over("blocked", "count("+stuckRollouts+")", "rollouts blocked"),
				over("stranded", "count("+strandedPods+")", "Pods stranded"),
			}, noValue("Nothing was in trouble"), decimals(0), custom("fillOpacity", 60), custom("stacking", map[string]any{"mode": "normal", "group": "A"}),
				paint("Pods stranded", "dark-red"), paint("rollouts blocked", critical), paint("runs overdue", "light-red"),
				paint("CronJobs failing", "dark-orange"), paint("Jobs failed", warning), paint("runs stalled", attend)),
			timeline("Alerts firing", "Which of Tocsin's alerts fired when, by the worst severity among them. Empty also where the alert rules are not loaded.", alertStates,
				[]target{over("A", firing(known), "{{alertname}} {{cluster}}")}, noValue("No alert fired")),
		),
	)
}

// firing numbers the alerts that fire by their severity, as in alertStates.
func firing(known alerts) string {
	names := known.matcher()
	return maxBy("cluster, alertname", "3 * ALERTS{NS, "+names+`, alertstate="firing", severity="critical"}
or 2 * ALERTS{NS, `+names+`, alertstate="firing", severity="warning"}
or 1 * ALERTS{NS, `+names+`, alertstate="firing", severity="info"}`)
}
