package jobs

import (
	"testing"

	"tocsin/collectors/cluster"
)

func because(reason string) func(*cluster.Pod) { return func(p *cluster.Pod) { p.Reason = reason } }
func disrupted(reason string) func(*cluster.Pod) {
	return func(p *cluster.Pod) { p.Disruption = reason }
}

func TestFailureCauses(t *testing.T) {
	gaveUp := job("j", "11:00", failed("11:30", backoff))
	late := job("j", "11:00", failed("11:30", "DeadlineExceeded"))
	ended := func(changes ...func(*cluster.Pod)) world { return with(pod("11:00", append(changes, over)...)) }
	policy := func(container, code string) *cluster.Job {
		return job("j", "11:00", failed("11:30", "PodFailurePolicy"), func(j *cluster.Job) { j.PolicyContainer, j.PolicyExitCode = container, code })
	}
	remembered := func(e cluster.Evidence) world {
		w := with()
		w.evidence = map[string]*cluster.Evidence{"j": &e}
		return w
	}
	killed := cluster.Termination{Container: "main", Reason: "OOMKilled", ExitCode: 137, Finished: at("11:29")}
	runJobCases(t, []jobCase{
		{"a code of its own", gaveUp, ended(crashed("11:00", "11:30", "Error", 2)), "12:00", "state=failed reason=BackoffLimitExceeded cause=error container=main code=2"},
		{"killed for memory", gaveUp, ended(crashed("11:00", "11:30", "OOMKilled", 137)), "12:00", "cause=oom_killed code=137"},
		{"killed", gaveUp, ended(crashed("11:00", "11:30", "Error", 137)), "12:00", "cause=signal code=137"},
		{"terminated", gaveUp, ended(crashed("11:00", "11:30", "Error", 143)), "12:00", "cause=signal code=143"},
		{"128 is a code", gaveUp, ended(crashed("11:00", "11:30", "Error", 128)), "12:00", "cause=error"},
		{"no such program", gaveUp, ended(crashed("11:00", "11:30", "StartError", 128)), "12:00", "cause=start_error code=128"},
		{"no such program, as Docker said", gaveUp, ended(crashed("11:00", "11:30", "ContainerCannotRun", 127)), "12:00", "cause=start_error"},
		{"a container that the kubelet lost", gaveUp, ended(crashed("11:00", "11:30", "ContainerStatusUnknown", 137)), "12:00", "cause=unknown code=137"},
		{"evicted", gaveUp, ended(because("Evicted"), disrupted("TerminationByKubelet")), "12:00", "cause=evicted container= code="},
		{"evicted, which killed it", gaveUp, ended(because("Evicted"), crashed("11:00", "11:30", "Error", 137)), "12:00", "cause=evicted"},
		{"the Pod's own deadline", gaveUp, ended(because("DeadlineExceeded"), crashed("11:00", "11:30", "Error", 137)), "12:00", "cause=deadline"},
		{"drained", gaveUp, ended(disrupted("EvictionByEvictionAPI"), crashed("11:00", "11:30", "Error", 143), going("11:29")), "12:00", "cause=drained"},
		{"preempted", gaveUp, ended(disrupted("PreemptionByScheduler")), "12:00", "cause=preempted"},
		{"preempted by the kubelet", gaveUp, ended(because("Preempting"), disrupted("TerminationByKubelet")), "12:00", "cause=preempted"},
		{"its node was tainted", gaveUp, ended(disrupted("DeletionByTaintManager")), "12:00", "cause=node_lost"},
		{"its node went", gaveUp, ended(disrupted("DeletionByPodGC")), "12:00", "cause=node_lost"},
		{"its node shut down", gaveUp, ended(because("Terminated"), disrupted("TerminationByKubelet")), "12:00", "cause=node_lost"},
		{"the kubelet had no room", gaveUp, ended(because("OutOfcpu")), "12:00", "cause=unschedulable"},
		{"the kubelet refused it", gaveUp, ended(because("UnexpectedAdmissionError")), "12:00", "cause=admission"},
		{"the newest of several", gaveUp, with(pod("11:20", over, crashed("11:20", "11:30", "Error", 7)), pod("11:00", over, crashed("11:00", "11:10", "Error", 3))), "12:00", "code=7"},
		{"one that succeeded says nothing", gaveUp, with(pod("11:20", func(p *cluster.Pod) { p.Phase = cluster.PhaseSucceeded }, crashed("11:20", "11:30", "Error", 7))), "12:00", "cause=unknown code="},
		{"deleted, and killed by that", gaveUp, ended(crashed("11:00", "11:31", "Error", 137), going("11:30")), "12:00", "cause=unknown code="},
		{"deleted after it crashed", gaveUp, ended(crashed("11:00", "11:29", "Error", 1), going("11:30")), "12:00", "cause=error code=1"},
		{"no Pod is left", gaveUp, with(), "12:00", "cause=unknown container= code="},
		{"Pods are not known", gaveUp, world{}, "12:00", "reason=BackoffLimitExceeded cause=unknown"},

		// With restartPolicy OnFailure the Pod is deleted the moment the Job fails, and the exit code with it.
		{"kubernetes/kubernetes#74848", gaveUp, remembered(cluster.Evidence{Termination: killed}), "12:00", "reason=BackoffLimitExceeded cause=oom_killed container=main code=137"},
		{"kubernetes/kubernetes#74848: while it is still there", job("j", "11:00", failing("11:30", backoff)),
			with(pod("11:00", waiting("CrashLoopBackOff"), restarts(6), crashed("11:29", "11:29:30", "OOMKilled", 137), going("11:30"))), "11:31", "cause=oom_killed code=137"},
		{"an older memory than its Pods", gaveUp, func() world {
			w := remembered(cluster.Evidence{Termination: killed})
			w.pods["j"] = []*cluster.Pod{pod("11:29", over, crashed("11:29", "11:30", "Error", 4))}
			return w
		}(), "12:00", "cause=error code=4"},
		{"a newer memory than its Pods", gaveUp, func() world {
			w := remembered(cluster.Evidence{Termination: killed})
			w.pods["j"] = []*cluster.Pod{pod("11:00", over, crashed("11:00", "11:01", "Error", 4))}
			return w
		}(), "12:00", "cause=oom_killed code=137"},
		{"drained, as the watch saw", gaveUp, remembered(cluster.Evidence{Disruption: "EvictionByEvictionAPI", Seen: at("11:30")}), "12:00", "cause=drained"},

		{"its time was over", late, with(), "12:00", "reason=DeadlineExceeded cause=deadline container= code="},
		{"its time was over, Pods are not known", late, world{}, "12:00", "cause=unknown"},
		{"its time was over, which killed it", late, ended(crashed("11:00", "11:30", "Error", 137)), "12:00", "cause=deadline container= code="},
		{"its time was over while an image could not be pulled", job("j", "11:00", failing("11:30", "DeadlineExceeded")), with(pod("11:00", waiting("ImagePullBackOff"), going("11:30"))), "11:31",
			"cause=image_pull container=main code="},
		{"its time was over while a Secret was missing", job("j", "11:00", failing("11:30", "DeadlineExceeded")), with(pod("11:00", waiting("CreateContainerConfigError"), going("11:30"))), "11:31",
			"cause=config_error"},
		{"its time was over while it could not start", job("j", "11:00", failing("11:30", "DeadlineExceeded")), with(pod("11:00", waiting("RunContainerError"), going("11:30"))), "11:31", "cause=start_error"},
		{"its time was over while no node was found", job("j", "11:00", failing("11:30", "DeadlineExceeded")), with(pod("11:00", unscheduled(cluster.Unschedulable), going("11:30"))), "11:31",
			"cause=unschedulable container="},
		{"its time was over in a crash loop", job("j", "11:00", failing("11:30", "DeadlineExceeded")),
			with(pod("11:00", waiting("CrashLoopBackOff"), restarts(6), crashed("11:29", "11:29:30", "OOMKilled", 137), going("11:30"))), "11:31", "cause=oom_killed code=137"},
		{"its time was over, after Pods that crashed", late, ended(crashed("11:00", "11:10", "Error", 9)), "12:00", "cause=deadline container=main code=9"},
		{"its time was over while a volume was mounted", job("j", "11:00", failing("11:30", "DeadlineExceeded")), with(pod("11:00", waiting("ContainerCreating"), going("11:30"))), "11:31", "cause=deadline"},
		{"its time was over while an image could not be pulled, as the watch saw", late, remembered(cluster.Evidence{Waiting: "ErrImagePull", WaitingContainer: "main"}), "12:00",
			"cause=image_pull container=main code="},
		{"its time was over while no node was found, as the watch saw", late, remembered(cluster.Evidence{Waiting: "Unschedulable"}), "12:00", "cause=unschedulable"},
		{"its time was over in a crash loop, as the watch saw", late, remembered(cluster.Evidence{Termination: killed, Waiting: "CrashLoopBackOff"}), "12:00", "cause=oom_killed code=137"},
		{"its time was over after a crash, as the watch saw", late, remembered(cluster.Evidence{Termination: killed}), "12:00", "cause=deadline container=main code=137"},
		{"its time was over while it was made, as the watch saw", late, remembered(cluster.Evidence{Waiting: "ContainerCreating"}), "12:00", "cause=deadline container="},
		{"it waited for an image, and something else failed it", job("j", "11:00", failing("11:30", "other")), with(pod("11:00", waiting("ImagePullBackOff"), going("11:30"))), "11:31",
			"reason=other cause=image_pull container=main"},
		{"its time was over, and a quota had refused its Pods", job("j", "11:00", failed("11:30", "DeadlineExceeded"), func(j *cluster.Job) { j.Failed = 0 }), with().refused(true, "11:20"), "12:00", "cause=quota"},
		{"its time was over, and a webhook had refused its Pods", job("j", "11:00", failed("11:30", "DeadlineExceeded"), func(j *cluster.Job) { j.Failed = 0 }), world{}.refused(false, "11:20"), "12:00", "cause=admission"},
		{"its time was over, and one Pod had been refused among others", late, with().refused(true, "11:20"), "12:00", "cause=deadline"},

		{"a Pod failure policy", policy("main", "42"), ended(crashed("11:00", "11:30", "Error", 42)), "12:00", "reason=PodFailurePolicy cause=error container=main code=42"},
		{"a Pod failure policy, without Pods", policy("main", "42"), with(), "12:00", "cause=error container=main code=42"},
		{"a Pod failure policy, Pods are not known", policy("main", "42"), world{}, "12:00", "cause=error container=main code=42"},
		{"a Pod failure policy for memory", policy("main", "137"), ended(crashed("11:00", "11:30", "OOMKilled", 137)), "12:00", "cause=oom_killed code=137"},
		{"a Pod failure policy for a signal", policy("main", "143"), with(), "12:00", "cause=signal code=143"},
		{"a Pod failure policy for another container", policy("sidecar", "3"), ended(crashed("11:00", "11:30", "OOMKilled", 137)), "12:00", "cause=error container=sidecar code=3"},
		{"a Pod failure policy for a condition", policy("", ""), with(), "12:00", "cause=unknown container= code="},
		{"a Pod failure policy for a condition that a Pod has", policy("", ""), ended(disrupted("EvictionByEvictionAPI")), "12:00", "cause=drained"},
		{"some indexes", job("j", "11:00", failed("11:30", "FailedIndexes")), ended(crashed("11:00", "11:30", "Error", 5)), "12:00", "reason=FailedIndexes code=5"},
	})
}

func TestRememberedFailure(t *testing.T) {
	for _, tc := range []struct {
		run  cluster.FinishedRun
		want string
	}{
		{cluster.FinishedRun{Reason: backoff}, "reason=BackoffLimitExceeded cause=unknown code="},
		{cluster.FinishedRun{Reason: "DeadlineExceeded"}, "cause=deadline"},
		{cluster.FinishedRun{Reason: "DeadlineExceeded", Evidence: &cluster.Evidence{Waiting: "ErrImagePull", WaitingContainer: "main"}}, "cause=image_pull container=main"},
		{cluster.FinishedRun{Reason: backoff, Evidence: &cluster.Evidence{PodReason: "Evicted"}}, "cause=evicted"},
		{cluster.FinishedRun{Reason: backoff, Evidence: &cluster.Evidence{Waiting: "CreateContainerError", WaitingContainer: "main"}}, "cause=config_error container=main"},
	} {
		expect(t, failureFacts(failureOfRemembered(&tc.run)), tc.want)
	}
}
