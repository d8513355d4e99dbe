package dashboards

// ofTocsin keeps what Prometheus says of scrapes, and Go of processes, to Tocsin's own: whatever the scrape job is called, its targets have
// tocsin_build_info.
func ofTocsin(expr string) string {
	return expr + "\nand on (" + perInstance + ") tocsin_build_info{CL}"
}

func itself(known alerts) dashboard {
	const exporter = "{{instance}} {{cluster}}"
	perExporter := "cluster, instance"
	objects := addedUp(perResource, perResource, "tocsin_source_objects{CL}")
	dropped := addedUp("cluster, metric", "cluster, metric", "tocsin_series_dropped{CL}")
	return newDashboard(itselfUID, "Tocsin / Tocsin itself", "Whether Tocsin sees everything, how fresh what it knows is, and what it costs.",
		"now-6h", []variable{datasourceVariable(), clusterVariable()}, known.of("tocsin-itself"),
		beside(3,
			stat("Exporters", "Tocsins that are scraped now. Two of them alert no more than one.",
				"count(tocsin_build_info{CL})", levels(from(good)), noValue("none: Tocsin is down")),
			stat("Sources not known", "Resources that are forbidden, not synced or stale: what depends on them is not judged.",
				"count("+blindSources+")\nor 0 * max(tocsin_source_up{CL})", levels(from(good, at(1, warning))), mapped(says(0, "none", good))),
			stat("Collectors that fail", "Collectors that end in an error: their metrics are absent.",
				"count("+maxBy("cluster, collector", "tocsin_collector_success{CL} == 0")+")\nor 0 * max(tocsin_collector_success{CL})",
				levels(from(good, at(1, warning))), mapped(says(0, "none", good))),
			stat("Series dropped", "Series that are missing because a metric has more than --max-series-per-metric.",
				"sum("+dropped+")",
				levels(from(good, at(1, warning))), mapped(says(0, "none", good))),
			stat("Labels renamed", "Series whose namespace has become exported_namespace: the scrape job lacks honor_labels, and alerts name the wrong "+
				"namespace.",
				`count(tocsin_cronjob_info{CL, exported_namespace!=""} or tocsin_job_state{CL, exported_namespace!=""} or tocsin_statefulset_rollout_state{CL, exported_namespace!=""})
or 0 * max(tocsin_build_info{CL})`, levels(from(good, at(1, critical))), mapped(says(0, "none", good))),
			stat("In another time zone", "CronJobs without a time zone whose runs show that the kube-controller-manager is in another zone than "+
				"--default-timezone.",
				"sum("+addedUp("cluster", "cluster", "tocsin_timezone_mismatch_cronjobs{CL}")+")", levels(from(good, at(1, broken))), mapped(says(0, "none", good))),
		),
		beside(5, clusterFindingsTable("What is wrong with Tocsin", "The finding leads to its runbook. An exporter that is gone says nothing here: look "+
			"at Exporters.", "Every source is known and every collector works", []target{ownFindings()})),
		beside(11,
			table("Sources", "What Tocsin reads from the API server: how many objects it knows, when it last heard of the resource, and how many it could not read.",
				"Tocsin is not there", []string{"Known", "Resource"}, []column{
					text("resource", "Resource"), number("up", "Known", "none", append(shown(byNumber(sourceStates)), broad(95))...), number("objects", "Objects", "none", broad(80)),
					number("heard", "Last heard of", "s", append(limits(from(good, at(600, attend), at(1800, warning))), broad(110))...),
					counted("invalid", "Not readable", 110, from(good, at(1, warning))),
				}, []target{
					rows("up", "min by (cluster, resource) (tocsin_source_up{CL})"), rows("objects", objects),
					rows("heard", "min by (cluster, resource) (time() - tocsin_source_last_event_timestamp_seconds{CL})"),
					rows("invalid", either(addedUp(perResource, perResource, "tocsin_source_invalid_objects{CL}"),
						"0 * "+maxBy(perResource, "tocsin_source_up{CL}"))),
				}),
			timeline("Sources over time", "Whether each resource was known.",
				sourceStates, []target{over("A", "min by (cluster, resource) (tocsin_source_up{CL})", "{{resource}} {{cluster}}")},
				set("showValue", "never"), noValue("Tocsin was not there")),
		),
		beside(8,
			graph("Duration of a scrape", "As Prometheus sees it, from the request to the last byte.",
				[]target{over("A", maxBy(perExporter, ofTocsin("scrape_duration_seconds{CL}")), exporter)}, unit("s")),
			graph("Duration by collector", "What the collectors take of it.",
				[]target{over("A", maxBy("cluster, collector", "tocsin_collector_duration_seconds{CL}"), "{{collector}} {{cluster}}")}, unit("s")),
			graph("Series", "Samples of a scrape, before Prometheus drops any.",
				[]target{over("A", maxBy(perExporter, ofTocsin("scrape_samples_scraped{CL}")), exporter)}, unit("short")),
		),
		beside(8,
			graph("CPU", "Cores in use.",
				[]target{over("A", sumBy(perExporter, ofTocsin("rate(process_cpu_seconds_total{CL}[$__rate_interval])")), exporter)},
				unit("none")),
			graph("Memory", "Resident memory, and the heap that is in use.", []target{
				over("resident", maxBy(perExporter, ofTocsin("process_resident_memory_bytes{CL}")), "resident "+exporter),
				over("heap", maxBy(perExporter, ofTocsin("go_memstats_heap_inuse_bytes{CL}")), "heap "+exporter),
			}, unit("bytes")),
			graph("Objects known", "By resource. What falls to 0 of a sudden is no longer permitted, or was deleted.",
				[]target{over("A", objects, "{{resource}} {{cluster}}")}, unit("short"), legendRight),
		),
		beside(5,
			table("Versions", "Which Tocsin runs where.", "Tocsin is down", []string{"Instance"}, []column{
				text("instance", "Instance"), text("version", "Version", broad(90)),
				text("revision", "Revision", broad(100)), text("goversion", "Go", broad(90)), number("", "Running for", "s", broad(100)),
			}, []target{rows("A", "max by (cluster, instance, version, revision, goversion) (\n  (time() - process_start_time_seconds{CL})\n  * on ("+
				perInstance+") group_left (version, revision, goversion) tocsin_build_info{CL}\n)")}, wide(10)),
			table("Not judged", "Objects that tocsin/ignore takes out, annotations that have a value which means nothing, and metrics with dropped series.",
				"Everything is judged", []string{"What"}, []column{
					text("what", "What"), text("which", "Which"), number("", "Number", "none"),
				}, []target{rows("A", maxBy("cluster, what, which", either(
					copied(constant(addedUp("cluster, kind", "cluster, kind", "tocsin_ignored_objects{CL}"), "what", "ignored"), "which", "kind"),
					copied(constant(addedUp("cluster, annotation", "cluster, annotation", "tocsin_invalid_annotations{CL}"),
						"what", "annotation with an invalid value"), "which", "annotation"),
					copied(constant(dropped+" > 0", "what", "series dropped"), "which", "metric"))))}),
		),
	)
}
