package rollout

import (
	"testing"

	"tocsin/collectors/cluster"
)

func TestState(t *testing.T) {
	check(t, []row{
		{"all is well", ordered(), outcome{State: "complete"}},
		{"scaled to nothing", ordered(spec(func(s *cluster.StatefulSet) { s.Replicas = 0 }), without(2), without(1), without(0)), outcome{State: "complete"}},
		{"the spec has not been seen", ordered(spec(func(s *cluster.StatefulSet) { s.Generation = 3 }), pod(2, at("B"), broken(60))),
			outcome{State: "unobserved", Outdated: 1}},
		{"being deleted", ordered(spec(func(s *cluster.StatefulSet) { s.Deleted = ago(60); s.Generation = 3 }), pod(2, broken(60))),
			outcome{State: "deleting"}},
		{"scaling up: the next Pod starts", ordered(spec(func(s *cluster.StatefulSet) { s.Replicas = 5 }), pod(2, made(1), unready(1))),
			outcome{State: "scaling"}},
		{"scaling up: a Pod is not made", ordered(spec(func(s *cluster.StatefulSet) { s.Replicas = 5 }), pod(2, made(30))),
			outcome{State: "blocked", Reason: "pod_missing", Action: "wait", Pod: "db-3", Revision: "update", Since: ago(30)}},
		{"a Pod below the others is missing for a moment", ordered(without(0), pod(1, made(1))), outcome{State: "scaling"}},
		{"scaling down: the last Pod ends", ordered(spec(func(s *cluster.StatefulSet) { s.Replicas = 2 }), pod(2, terminating(1))),
			outcome{State: "scaling"}},
		{"scaling down: the last Pod does not end, its node is dead",
			ordered(spec(func(s *cluster.StatefulSet) { s.Replicas = 2 }), pod(2, terminating(30)), nodeDown("n2")),
			outcome{State: "blocked", Reason: "terminating_node_lost", Action: "free_node", Pod: "db-2", Node: "n2", Revision: "update", Since: ago(30)}},
		{"scaling down: one surplus Pod is broken, the controller deletes it",
			ordered(spec(func(s *cluster.StatefulSet) { s.Replicas = 2 }), pod(2, broken(30))), outcome{State: "scaling"}},
		{"scaling down, ordered: two surplus Pods are broken, the controller waits for the higher one to become ready",
			ordered(spec(func(s *cluster.StatefulSet) { s.Replicas = 1 }), pod(1, broken(30)), pod(2, broken(30))),
			outcome{State: "blocked", Reason: "crash_loop", Action: "delete_pod", Pod: "db-2", Node: "n2", Revision: "update", Since: ago(30), ManualDelete: 1}},
		{"scaling down, parallel: two surplus Pods are broken, the controller deletes both",
			parallel(spec(func(s *cluster.StatefulSet) { s.Replicas = 1 }), pod(1, broken(30)), pod(2, broken(30))), outcome{State: "scaling"}},
		{"ordinals start at 1 while Pod 0 still ends",
			ordered(spec(func(s *cluster.StatefulSet) { s.Start, s.Replicas = 1, 2 }), pod(0, terminating(1))), outcome{State: "scaling"}},
		{"rolling update: available Pods wait for their turn", ordered(update("B", 3)), outcome{State: "progressing", Outdated: 3}},
		{"rolling update without rollingUpdate goes on below status.currentReplicas",
			ordered(noRollingUpdate, pod(2, at("B")), update("B", 2)), outcome{State: "progressing", Outdated: 2}},
		{"partition, and a Pod below it at neither revision: nothing will touch it",
			ordered(partition(2), pod(0, at("X")), pod(2, at("C")), update("C", 1)), outcome{State: "partitioned", Outdated: 2}},
		{"partition, and a Pod below it unready for long",
			ordered(partition(2), pod(0, broken(30)), pod(2, at("B")), update("B", 2)),
			outcome{State: "blocked", Reason: "crash_loop", Action: "fix_template", Pod: "db-0", Node: "n0", Revision: "current", Since: ago(30), Outdated: 2}},
		{"on delete: a Pod unready for long, and deleting it brings the new revision",
			ordered(strategy(cluster.OnDelete), pod(1, broken(30)), update("B", 3)),
			outcome{State: "blocked", Reason: "crash_loop", Action: "delete_pod", Pod: "db-1", Node: "n1", Revision: "current", Since: ago(30), ManualDelete: 1, Outdated: 3}},
		{"on delete: a Pod unready for a moment",
			ordered(strategy(cluster.OnDelete), pod(1, unready(3)), update("B", 3)), outcome{State: "ondelete_pending", Outdated: 3}},
		{"recreate: an old Pod that does not end keeps all new ones away",
			ordered(strategy(cluster.Recreate), pod(2, terminating(30)), without(1), without(0), nodeDown("n2"), update("B", 0)),
			outcome{State: "blocked", Reason: "terminating_node_lost", Action: "free_node", Pod: "db-2", Node: "n2", Revision: "current", Since: ago(30)}},
		{"parallel: a Pod that fails tells more than one that is not ready, and the higher more than the lower",
			parallel(pod(0, broken(30)), pod(1, broken(40)), pod(2, unready(50))),
			outcome{State: "blocked", Reason: "crash_loop", Action: "fix_template", Pod: "db-1", Node: "n1", Revision: "update", Since: ago(40)}},
		{"parallel: one that is overdue tells more than one that has just failed",
			parallel(pod(0, unready(50)), pod(1, broken(2))),
			outcome{State: "blocked", Reason: "not_ready", Action: "fix_template", Pod: "db-0", Node: "n0", Revision: "update", Since: ago(50)}},
		{"parallel: two Pods left at the bad revision",
			parallel(pod(0, at("B"), broken(30)), pod(2, at("B"), broken(30))),
			outcome{State: "blocked", Reason: "crash_loop", Action: "delete_pod", Pod: "db-2", Node: "n2", Revision: "other", Since: ago(30), ManualDelete: 2, Outdated: 2}},
		{"ordered: of two Pods left at the bad revision only the lower unblocks now",
			ordered(pod(1, at("B"), broken(30)), pod(2, at("B"), broken(30))),
			outcome{State: "blocked", Reason: "crash_loop", Action: "delete_pod", Pod: "db-1", Node: "n1", Revision: "other", Since: ago(30), ManualDelete: 1, Outdated: 2}},
		{"a bad Pod of six minutes should be deleted already, though the rollout is not called blocked yet",
			ordered(pod(2, at("B"), broken(6))), outcome{State: "progressing", ManualDelete: 1, Outdated: 1}},
		{"an old Pod within its own startup probe may yet become ready",
			ordered(pod(2, at("B"), made(25), unready(25), func(p *cluster.Pod) { p.StartupBudget = 1800 })), outcome{State: "progressing", Outdated: 1}},
		{"an ignored Pod is not counted, and yet blocks",
			ordered(pod(2, at("B"), broken(60), func(p *cluster.Pod) { p.Ignore = true })),
			outcome{State: "blocked", Reason: "crash_loop", Action: "delete_pod", Pod: "db-2", Node: "n2", Revision: "other", Since: ago(60)}},
		{"Pods that by their names are not members of the set",
			ordered(pod(2, func(p *cluster.Pod) { p.Name = "db-2b" }), func(w *world) {
				for _, name := range []string{"db", "db-", "db--1", "db-+2", "db-99999999999", "other-2"} {
					p := newPod(0, "A")
					p.Name = name
					w.pods = append(w.pods, p)
				}
			}), outcome{State: "blocked", Reason: "pod_missing", Action: "wait", Pod: "db-2", Revision: "update", Since: ago(months)}},
	})
}
