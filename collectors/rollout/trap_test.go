package rollout

import (
	"testing"

	"tocsin/collectors/cluster"
)

// TestTrap is the table of what the StatefulSet controller of Kubernetes 1.37 does, and does not do, with Pods that a bad template
// left behind. Each row was tried on the controller's own code.
func TestTrap(t *testing.T) {
	bad := pod(2, at("B"), broken(120))
	check(t, []row{
		{"ordered, template reverted, the bad Pod stays though both revisions are the same",
			ordered(bad, update("A", 2)),
			outcome{State: "blocked", Reason: "crash_loop", Action: "delete_pod", Pod: "db-2", Node: "n2", Revision: "other", Since: ago(120), ManualDelete: 1, Outdated: 1}},
		{"parallel, template reverted: replaced in seconds, so not yet to be deleted",
			parallel(pod(2, at("B"), broken(2)), update("A", 2)),
			outcome{State: "progressing", Outdated: 1}},
		{"parallel, template reverted, and still there after two hours: that it persists proves the trap",
			parallel(bad, update("A", 2)),
			outcome{State: "blocked", Reason: "crash_loop", Action: "delete_pod", Pod: "db-2", Node: "n2", Revision: "other", Since: ago(120), ManualDelete: 1, Outdated: 1}},
		{"ordered, template reverted, the bad Pod has failed: the controller deletes it itself",
			ordered(bad, pod(2, phase(cluster.PhaseFailed)), update("A", 2)),
			outcome{State: "progressing"}},
		{"ordered, template mended, the bad Pod is Pending",
			ordered(pod(2, at("B"), pending(120)), update("C", 2)),
			outcome{State: "blocked", Reason: "unschedulable", Action: "delete_pod", Pod: "db-2", Revision: "other", Since: ago(120), ManualDelete: 1, Outdated: 3}},
		{"partition 2 with ordinals from 5: only the last Pod is updated",
			ordered(fromFive, partition(2), pod(2, at("B")), update("B", 2)),
			outcome{State: "partitioned", Outdated: 2}},
		{"partition 2 with ordinals from 5, the last Pod not updated yet",
			ordered(fromFive, partition(2), update("B", 3)),
			outcome{State: "progressing", Outdated: 3}},
		{"ordered, template changed while the first Pod was unready: the rollout never starts",
			ordered(pod(0, unready(120)), update("C", 3)),
			outcome{State: "blocked", Reason: "not_ready", Action: "delete_pod", Pod: "db-0", Node: "n0", Revision: "current", Since: ago(120), ManualDelete: 1, Outdated: 3}},
		{"the same without rollingUpdate: the first Pod would come back as it is, deleting it is useless",
			ordered(pod(0, unready(120)), update("C", 3), noRollingUpdate),
			outcome{State: "blocked", Reason: "not_ready", Action: "fix_template", Pod: "db-0", Node: "n0", Revision: "current", Since: ago(120), Outdated: 3}},
		{"parallel, one Pod left at the bad revision and a higher one unready at the new",
			parallel(pod(1, at("B"), broken(120)), pod(2, at("C"), broken(120)), update("C", 1)),
			outcome{State: "blocked", Reason: "crash_loop", Action: "delete_pod", Pod: "db-1", Node: "n1", Revision: "other", Since: ago(120), ManualDelete: 1, Outdated: 2}},
		{"ordered, a lower Pod is terminating: the controller waits for that one",
			ordered(pod(1, terminating(20)), bad, update("A", 1)),
			outcome{State: "blocked", Reason: "terminating", Action: "wait", Pod: "db-1", Node: "n1", Revision: "update", Since: ago(20), Outdated: 1}},
		{"ordered, the partition raised over a bad canary: it would come back at the old revision",
			ordered(bad, partition(3), update("B", 2)),
			outcome{State: "blocked", Reason: "crash_loop", Action: "delete_pod", Pod: "db-2", Node: "n2", Revision: "update", Since: ago(120), ManualDelete: 1, Outdated: 2}},
		{"parallel, the partition raised over a bad canary",
			parallel(bad, partition(3), update("B", 2)),
			outcome{State: "blocked", Reason: "crash_loop", Action: "delete_pod", Pod: "db-2", Node: "n2", Revision: "update", Since: ago(120), ManualDelete: 1, Outdated: 2}},
		{"on delete, an old Pod has failed: it comes back at the new revision by itself",
			ordered(strategy(cluster.OnDelete), pod(2, phase(cluster.PhaseFailed)), update("B", 3)),
			outcome{State: "ondelete_pending", Outdated: 2}},
		{"on delete, all Pods updated: before 1.37 the current revision is never set",
			ordered(strategy(cluster.OnDelete), pod(0, at("B")), pod(1, at("B")), pod(2, at("B")), update("B", 0)),
			outcome{State: "complete"}},
		{"a healthy canary: the revisions differ for ever",
			ordered(partition(1), pod(1, at("B")), pod(2, at("B")), update("B", 1)),
			outcome{State: "partitioned", Outdated: 1}},
		{"minReadySeconds 60 and ready for a second: it waits, it is not stuck",
			ordered(spec(func(s *cluster.StatefulSet) { s.MinReady = 60 }), pod(2, at("B"), made(1.0/60)), update("B", 2)),
			outcome{State: "progressing", Outdated: 2}},
		{"a Pod is Pending and its claim is being deleted",
			ordered(pod(1, pending(60)), deleteClaim("data-db-1")),
			outcome{State: "blocked", Reason: "pvc_terminating", Action: "fix_storage", Pod: "db-1", Revision: "update", Since: ago(60)}},
		{"a Pod at a bad revision is Pending and its claim is being deleted: deleting the Pod does not help",
			ordered(pod(1, at("B"), pending(60)), deleteClaim("data-db-1")),
			outcome{State: "blocked", Reason: "pvc_terminating", Action: "fix_storage", Pod: "db-1", Revision: "other", Since: ago(60), Outdated: 1}},
		{"parallel, a claim that is being deleted ends each round of the controller: deleting another Pod does not help yet",
			parallel(pod(0, pending(60)), deleteClaim("data-db-0"), bad, update("A", 2)),
			outcome{State: "blocked", Reason: "pvc_terminating", Action: "fix_storage", Pod: "db-0", Revision: "update", Since: ago(60), Outdated: 1}},
		{"a Pod is missing and its claim is being deleted",
			ordered(without(1), deleteClaim("data-db-1")),
			outcome{State: "blocked", Reason: "pvc_terminating", Action: "fix_storage", Pod: "db-1", Revision: "update", Since: ago(30)}},
		{"without rollingUpdate a lost Pod comes back at the current revision while there are Pods there",
			ordered(noRollingUpdate, pod(0, at("C"), broken(60)), update("C", 2), pod(1, at("C")), pod(2, at("C"))),
			outcome{State: "blocked", Reason: "crash_loop", Action: "delete_pod", Pod: "db-0", Node: "n0", Revision: "update", Since: ago(60), ManualDelete: 1}},
		{"with rollingUpdate it comes back as it is",
			ordered(pod(0, at("C"), broken(60)), update("C", 2), pod(1, at("C")), pod(2, at("C"))),
			outcome{State: "blocked", Reason: "crash_loop", Action: "fix_template", Pod: "db-0", Node: "n0", Revision: "update", Since: ago(60)}},
	})
}

// fromFive makes the ordinals 5, 6 and 7.
func fromFive(w *world) {
	w.set.Start = 5
	for i := range w.pods {
		p := newPod(i+5, w.pods[i].Revision)
		w.pods[i] = p
	}
}
