package rollout

import (
	"testing"

	"tocsin/collectors/cluster"
)

func TestReasons(t *testing.T) {
	blocked := func(reason, action, node string, minutes float64, manual int) outcome {
		return outcome{State: "blocked", Reason: reason, Action: action, Pod: "db-1", Node: node, Revision: "update", Since: ago(minutes), ManualDelete: manual}
	}
	check(t, []row{
		{"its claim is gone, and no controller has made it again", ordered(pod(1, pending(20)), noClaim("data-db-1")), blocked("pvc_missing", "delete_pod", "", 20, 1)},
		{"a claim that is not the set's own is gone",
			ordered(pod(1, pending(20), func(p *cluster.Pod) { p.Claims = append(p.Claims, cluster.ClaimRef{Name: "shared"}) })),
			blocked("pvc_missing", "fix_storage", "", 20, 0)},
		{"an ephemeral claim is not there yet",
			ordered(pod(1, pending(20), func(p *cluster.Pod) { p.Claims = append(p.Claims, cluster.ClaimRef{Name: "db-1-tmp", Ephemeral: true}) })),
			blocked("unschedulable", "free_node", "", 20, 0)},
		{"no room", ordered(pod(1, pending(20))), blocked("unschedulable", "free_node", "", 20, 0)},
		{"no room, and the claim waits for its first consumer",
			ordered(pod(1, pending(20)), claim("data-db-1", func(c *cluster.Claim) { c.Phase = "Pending" }), func(w *world) { w.wait = true }),
			blocked("unschedulable", "free_node", "", 20, 0)},
		{"the claim should be bound and is not",
			ordered(pod(1, pending(20)), claim("data-db-1", func(c *cluster.Claim) { c.Phase = "Pending" })),
			blocked("volume_unbound", "fix_storage", "", 20, 0)},
		{"the volume of the claim is lost",
			ordered(pod(1, pending(20)), claim("data-db-1", func(c *cluster.Claim) { c.Phase = "Lost" }), func(w *world) { w.wait = true }),
			blocked("volume_unbound", "fix_storage", "", 20, 0)},
		{"binding the volume fails, the scheduler gave no verdict",
			ordered(pod(1, pending(20), func(p *cluster.Pod) { p.Scheduled = cluster.NotScheduled }),
				claim("data-db-1", func(c *cluster.Claim) { c.Phase = "Pending" }), func(w *world) { w.wait = true }),
			blocked("volume_unbound", "fix_storage", "", 20, 0)},
		{"its volume is on a node that is gone",
			ordered(pod(1, pending(20)), func(w *world) { w.strand = Stranding{ByVolumes: true, Remedy: FixStorage} }),
			blocked("unschedulable_volume_affinity", "fix_storage", "", 20, 0)},
		{"no node has the labels that it selects",
			ordered(pod(1, pending(20)), func(w *world) { w.strand = Stranding{Remedy: FixTemplate} }),
			blocked("unschedulable", "fix_template", "", 20, 0)},
		{"gated", ordered(pod(1, pending(20), func(p *cluster.Pod) { p.Scheduled = cluster.SchedulingGated })), blocked("scheduling_gated", "wait", "", 20, 0)},
		{"image", ordered(pod(1, waiting("ErrImagePull", 20))), blocked("image_pull", "fix_template", "n1", 20, 0)},
		{"image name", ordered(pod(1, waiting("InvalidImageName", 20))), blocked("image_pull", "fix_template", "n1", 20, 0)},
		{"a Secret is missing", ordered(pod(1, waiting("CreateContainerConfigError", 20))), blocked("config_error", "fix_template", "n1", 20, 0)},
		{"the command does not exist: the kubelet backs off, its last end tells",
			ordered(pod(1, broken(20), func(p *cluster.Pod) { p.Failure.Reason = "StartError" })), blocked("config_error", "fix_template", "n1", 20, 0)},
		{"an init container fails again and again",
			ordered(pod(1, broken(20), phase(cluster.PhasePending), func(p *cluster.Pod) { p.WaitingInit, p.Failure.Init = true, true })),
			blocked("init_failing", "fix_template", "n1", 20, 0)},
		{"an init container runs once more after it failed",
			ordered(pod(1, broken(20), phase(cluster.PhasePending), func(p *cluster.Pod) { p.Waiting, p.Restarted, p.Failure.Init = "", ago(0.1), true })),
			blocked("init_failing", "fix_template", "n1", 20, 0)},
		{"an image that an init container needs",
			ordered(pod(1, waiting("ImagePullBackOff", 20), func(p *cluster.Pod) { p.WaitingInit = true })), blocked("image_pull", "fix_template", "n1", 20, 0)},
		{"it crashes", ordered(pod(1, broken(20))), blocked("crash_loop", "fix_template", "n1", 20, 0)},
		{"it runs between two crashes",
			ordered(pod(1, broken(20), func(p *cluster.Pod) { p.Waiting, p.Restarted = "", ago(0.1) })), blocked("crash_loop", "fix_template", "n1", 20, 0)},
		{"it has just crashed again",
			ordered(pod(1, broken(20), unready(2), func(p *cluster.Pod) { p.Waiting = "" })), blocked("crash_loop", "fix_template", "n1", 20, 0)},
		{"a sidecar crashes",
			ordered(pod(1, broken(20), func(p *cluster.Pod) { p.WaitingInit = true })), blocked("init_failing", "fix_template", "n1", 20, 0)},
		{"a probe fails", ordered(pod(1, unready(20))), blocked("not_ready", "fix_template", "n1", 20, 0)},
		{"its container is being created for too long", ordered(pod(1, waiting("ContainerCreating", 20))), blocked("not_ready", "fix_template", "n1", 20, 0)},
		{"its node is not ready", ordered(pod(1, unready(20)), nodeDown("n1")), blocked("node_not_ready", "free_node", "n1", 20, 0)},
		{"it ends for too long", ordered(pod(1, terminating(20))), blocked("terminating", "wait", "n1", 20, 0)},
		{"it ends within a long grace period",
			ordered(pod(1, terminating(20), func(p *cluster.Pod) { p.Grace = 3600 })), outcome{State: "progressing"}},
		{"minReadySeconds of an hour: it waits", ordered(spec(func(s *cluster.StatefulSet) { s.MinReady = 3600 }), pod(1, made(30))), outcome{State: "progressing"}},
		{"it starts within its own probes",
			ordered(pod(1, made(25), unready(25), func(p *cluster.Pod) { p.StartupBudget = 1800 })), outcome{State: "progressing"}},
		{"it starts for longer than its own probes let it",
			ordered(pod(1, made(35), unready(35), func(p *cluster.Pod) { p.StartupBudget = 1800 })), blocked("not_ready", "fix_template", "n1", 35, 0)},
	})
}

func TestUnknown(t *testing.T) {
	judge := func(w *world, forget func(*Input)) outcome {
		in := w.input()
		forget(&in)
		return outcomeOf(Judge(in, now))
	}
	rows := []struct {
		name   string
		world  *world
		forget func(*Input)
		reason string
	}{
		{"nodes, terminating", ordered(pod(1, terminating(20)), nodeDown("n1")), func(in *Input) { in.Node = nil }, "terminating"},
		{"nodes, not ready", ordered(pod(1, unready(20)), nodeDown("n1")), func(in *Input) { in.Node = nil }, "not_ready"},
		{"claims, terminating", ordered(pod(1, pending(20)), deleteClaim("data-db-1")), func(in *Input) { in.Claim = nil }, "unschedulable"},
		{"claims, missing", ordered(pod(1, pending(20)), noClaim("data-db-1")), func(in *Input) { in.Claim = nil }, "unschedulable"},
		{"claims, of a missing Pod", ordered(without(1), deleteClaim("data-db-1")), func(in *Input) { in.Claim = nil }, "pod_missing"},
		{"storage classes", ordered(pod(1, pending(20)), claim("data-db-1", func(c *cluster.Claim) { c.Phase = "Pending" })),
			func(in *Input) { in.Immediate = nil }, "unschedulable"},
		{"placement", ordered(pod(1, pending(20)), func(w *world) { w.strand.ByVolumes = true }), func(in *Input) { in.Stranded = nil }, "unschedulable"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if got := judge(r.world, r.forget); got.Reason != r.reason {
				t.Errorf("reason %q, want %q", got.Reason, r.reason)
			}
		})
	}
}

// TestSince is about the start of a trouble when containers restart, which makes the condition Ready start anew.
func TestSince(t *testing.T) {
	restarted := func(restarts int32, ran, readyChanged float64) func(*cluster.Pod) {
		return func(p *cluster.Pod) {
			unready(readyChanged)(p)
			p.Waiting, p.Restarts = "CrashLoopBackOff", restarts
			p.Failure = &cluster.Termination{ExitCode: 1, Started: ago(readyChanged + ran), Finished: ago(readyChanged)}
		}
	}
	check(t, []row{
		{"it crashes without a readiness probe, and was ready two minutes ago",
			ordered(pod(1, broken(120), unready(2))),
			outcome{State: "blocked", Reason: "crash_loop", Action: "fix_template", Pod: "db-1", Node: "n1", Revision: "update", Since: ago(120)}},
		{"so it does after months", ordered(pod(1, restarted(20, 0.2, 2))),
			outcome{State: "blocked", Reason: "crash_loop", Action: "fix_template", Pod: "db-1", Node: "n1", Revision: "update", Since: ago(months)}},
		{"it crashed once after months", ordered(pod(1, restarted(1, months, 2))), outcome{State: "progressing"}},
		{"it crashed a few times within minutes, after months", ordered(pod(1, restarted(3, 0.1, 1))), outcome{State: "progressing"}},
		{"it has been unready for as long as that takes, after months", ordered(pod(1, restarted(6, 0.2, 15))),
			outcome{State: "blocked", Reason: "crash_loop", Action: "fix_template", Pod: "db-1", Node: "n1", Revision: "update", Since: ago(15)}},
		{"it restarted long ago, and a probe fails now",
			ordered(pod(1, unready(3), func(p *cluster.Pod) { p.Restarts, p.Restarted = 5, ago(60) })), outcome{State: "progressing"}},
		{"its claim was deleted after the others were made", ordered(without(1), pod(0, made(12)), deleteClaim("data-db-1")),
			outcome{State: "blocked", Reason: "pvc_terminating", Action: "fix_storage", Pod: "db-1", Revision: "update", Since: ago(12)}},
		{"nothing says since when: not blocked", ordered(pod(1, func(p *cluster.Pod) { p.Ready, p.ReadyChanged, p.Created = false, 0, 0 })),
			outcome{State: "progressing"}},
	})
}
