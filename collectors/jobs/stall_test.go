package jobs

import (
	"strconv"
	"testing"

	"tocsin/collectors/cluster"
)

// pod makes a Pod that was created and started on a node at an instant.
func pod(start string, changes ...func(*cluster.Pod)) *cluster.Pod {
	p := &cluster.Pod{Meta: cluster.Meta{Namespace: "ns", Name: "pod " + start, UID: uid("pod " + start), Created: at(start)}, Started: at(start), Node: "n1",
		Phase: cluster.PhasePending, Scheduled: cluster.IsScheduled, ScheduleChange: at(start), ReadyChanged: at(start)}
	for _, change := range changes {
		change(p)
	}
	return p
}

func waiting(reason string) func(*cluster.Pod) {
	return func(p *cluster.Pod) { p.Waiting, p.WaitingContainer = reason, "main" }
}
func running(p *cluster.Pod) { p.Phase, p.Ready = cluster.PhaseRunning, true }
func unscheduled(s cluster.Scheduled) func(*cluster.Pod) {
	return func(p *cluster.Pod) { p.Node, p.Started, p.ReadyChanged, p.Scheduled = "", 0, 0, s }
}
func going(s string) func(*cluster.Pod) { return func(p *cluster.Pod) { p.Deleted = at(s) } }
func restarts(n int32) func(*cluster.Pod) {
	return func(p *cluster.Pod) { p.Restarts, p.Phase = n, cluster.PhaseRunning }
}
func restarted(s string) func(*cluster.Pod) { return func(p *cluster.Pod) { p.Restarted = at(s) } }

// crashed is what the last container to end left: from, to and how.
func crashed(from, to, reason string, code int32) func(*cluster.Pod) {
	return func(p *cluster.Pod) {
		p.Failure = &cluster.Termination{Container: "main", Reason: reason, ExitCode: code, Started: at(from), Finished: at(to)}
	}
}
func over(p *cluster.Pod) { p.Phase = cluster.PhaseFailed }

// with makes the world of the Job "j" and its Pods.
func with(pods ...*cluster.Pod) world { return world{pods: map[string][]*cluster.Pod{"j": pods}} }

func (w world) refused(quota bool, s string) world {
	w.refusals = map[string]*cluster.Event{"j": {Quota: quota, Last: at(s)}}
	return w
}

type jobCase struct {
	name  string
	j     *cluster.Job
	world world
	now   string
	want  string
}

func runJobCases(t *testing.T, cases []jobCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			l := tc.world.lookups()
			v := JudgeJob(tc.j, &l, at(tc.now).Std())
			got := failureFacts(v.Failure)
			got["state"], got["stall"], got["stays"] = v.State.String(), v.Stall.String(), strconv.FormatBool(v.WithoutTTL)
			expect(t, got, tc.want)
		})
	}
}

func TestStalledReports(t *testing.T) {
	pending := func(j *cluster.Job) { j.Ready = 0 }
	runJobCases(t, []jobCase{
		// Refused by a quota: no Pod, and nothing in the status that says so.
		{"kubernetes/kubernetes#90124", job("j", "11:45", noPods), with(), "12:00", "state=pending stall=no_pods"},
		{"kubernetes/kubernetes#90124: the Event says which", job("j", "11:45", noPods), with().refused(true, "11:59"), "12:00", "stall=quota"},
		{"kubernetes/kubernetes#90124: a webhook", job("j", "11:45", noPods), with().refused(false, "11:59"), "12:00", "stall=admission"},
		// A missing image, ConfigMap or Secret: the Job is active for ever.
		{"kubernetes/kubernetes#62415", job("j", "11:40", pending), with(pod("11:40", waiting("ImagePullBackOff"))), "12:00", "state=pending stall=image_pull"},
		{"kubernetes/kubernetes#76570", job("j", "11:40", pending), with(pod("11:40", waiting("CreateContainerConfigError"))), "12:00", "stall=config_error"},
		{"argoproj/argo-cd#11571", job("j", "11:40", pending), with(pod("11:40", waiting("ContainerCreating"))), "12:00", "stall=creating"},
		// A queue holds it back: not running, and not stalled.
		{"kubernetes/kube-state-metrics#2511", job("j", "09:00", noPods, func(j *cluster.Job) { j.Suspend, j.Suspended = true, at("09:00") }), with(), "12:00", "state=suspended stall="},
		// FailureTarget was unknown to tools.
		{"NVIDIA/nodewright#421", job("j", "05:30", failing("06:30", "DeadlineExceeded")), with(pod("05:30", running, going("06:30"))), "07:00",
			"state=failed stall=terminating reason=DeadlineExceeded cause=deadline"},
	})
}

func TestStalledPods(t *testing.T) {
	one := func(changes ...func(*cluster.Pod)) world { return with(pod("11:00", changes...)) }
	for reason, want := range map[string]string{
		"ErrImagePull": "image_pull", "ImagePullBackOff": "image_pull", "ImageInspectError": "image_pull", "ErrImageNeverPull": "image_pull", "InvalidImageName": "image_pull",
		"CreateContainerConfigError": "config_error", "CreateContainerError": "config_error", "RunContainerError": "config_error", "PostStartHookError": "config_error",
		"ContainerCreating": "creating", "PodInitializing": "creating", "CrashLoopBackOff": "crash_loop", "SomethingNew": "creating",
	} {
		runJobCases(t, []jobCase{
			{reason, job("j", "11:00"), one(waiting(reason)), "11:10:01", "stall=" + want},
			{reason + " for ten minutes", job("j", "11:00"), one(waiting(reason)), "11:10", "stall="},
		})
	}
	runJobCases(t, []jobCase{
		{"runs", job("j", "11:00"), one(running), "12:00", "state=running stall="},
		{"runs and is not ready", job("j", "11:00"), one(func(p *cluster.Pod) { p.Phase = cluster.PhaseRunning }), "12:00", "stall="},
		{"waits since a moment", job("j", "11:00"), one(waiting("ImagePullBackOff"), func(p *cluster.Pod) { p.ReadyChanged = at("11:55") }), "12:00", "stall="},
		{"no node", job("j", "11:00", func(j *cluster.Job) { j.Ready = 0 }), one(unscheduled(cluster.Unschedulable)), "11:10:01", "stall=unschedulable state=pending"},
		{"no node for ten minutes", job("j", "11:00"), one(unscheduled(cluster.Unschedulable)), "11:10", "stall="},
		{"gated", job("j", "11:00"), one(unscheduled(cluster.SchedulingGated)), "12:00", "stall=scheduling_gated"},
		{"no scheduler", job("j", "11:00"), one(unscheduled(cluster.NotScheduled)), "12:00", "stall=unschedulable"},
		{"one Pod of several", job("j", "11:00"), with(pod("11:01", running), pod("11:00", waiting("ImagePullBackOff"))), "12:00", "stall=image_pull"},
		{"the oldest trouble", job("j", "11:00"), with(pod("11:02", waiting("ContainerCreating")), pod("11:01", waiting("ImagePullBackOff"))), "12:00", "stall=image_pull"},
		{"Pods that have ended", job("j", "11:00"), one(over, waiting("ImagePullBackOff")), "12:00", "stall="},
		{"Pods that go while another runs", job("j", "11:00"), with(pod("11:00", waiting("ImagePullBackOff"), going("11:30")), pod("11:30", running)), "12:00", "stall="},
		{"Pods that are not known", job("j", "11:00"), world{}, "12:00", "stall="},

		{"an hour of crash loop", job("j", "11:00"), one(waiting("CrashLoopBackOff"), restarts(13), crashed("11:55:52", "11:56", "Error", 1)), "12:00", "state=running stall=crash_loop"},
		{"the crash loop between two waits", job("j", "11:00"), one(restarts(13), restarted("11:59:58"), crashed("11:54", "11:54:08", "Error", 1)), "12:00", "stall=crash_loop"},
		{"the crash loop between two waits, ready for a moment", job("j", "11:00"), one(running, restarts(6), restarted("11:59:58")), "12:00", "stall=crash_loop"},
		{"a crash loop that was", job("j", "11:00"), one(running, restarts(13), restarted("11:50")), "12:00", "stall="},
		{"killed for memory twice, and runs", job("j", "11:00"), one(running, restarts(2), restarted("11:59"), crashed("11:20", "11:58", "OOMKilled", 137)), "12:00", "state=running stall="},
		{"its first crash after hours", job("j", "09:00"), with(pod("09:00", waiting("CrashLoopBackOff"), restarts(0), crashed("09:00", "11:59:55", "Error", 1))), "12:00", "stall="},
		{"its second crash after hours", job("j", "09:00"), with(pod("09:00", waiting("CrashLoopBackOff"), restarts(1), crashed("11:59", "11:59:55", "Error", 1))), "12:00", "stall="},
		{"ready a moment ago", job("j", "11:00"), one(waiting("CrashLoopBackOff"), restarts(7), func(p *cluster.Pod) { p.ReadyChanged = at("11:59") }), "12:00", "stall=crash_loop"},
	})
}

func TestStalledWithoutPods(t *testing.T) {
	retrying := func(j *cluster.Job) { noPods(j); j.Failed = 2 }
	change := func(f func(*cluster.Job)) func(*cluster.Job) { return func(j *cluster.Job) { noPods(j); f(j) } }
	runJobCases(t, []jobCase{
		{"for five minutes", job("j", "11:55", noPods), with(), "12:00", "stall="},
		{"for longer", job("j", "11:55", noPods), with(), "12:00:01", "stall=no_pods"},
		{"though Pods are not known", job("j", "11:45", noPods), world{}, "12:00", "stall=no_pods"},
		{"though Pods are not known: quota", job("j", "11:45", noPods), world{}.refused(true, "11:46"), "12:00", "stall=quota"},
		{"a refusal before it started", job("j", "11:45", noPods), with().refused(true, "11:44"), "12:00", "stall=no_pods"},
		{"never seen by the Job controller", job("j", "11:45", change(func(j *cluster.Job) { j.Started = 0 })), with(), "12:00", "state=pending stall="},
		{"just created", job("j", "11:59", change(func(j *cluster.Job) { j.Started = 0 })), with(), "12:00", "stall="},
		{"a status that lags behind its Pods", job("j", "11:45", noPods), with(pod("11:45", running)), "12:00", "stall= state=running"},
		{"a result that is about to be counted", job("j", "11:45", change(func(j *cluster.Job) { j.Uncounted = true })), with(pod("11:45", over)), "12:00", "stall="},
		{"scaled to no Pods", job("j", "11:45", change(func(j *cluster.Job) { j.NoParallelism = true })), with(), "12:00", "stall="},
		{"some have succeeded, the rest is refused", job("j", "11:00", change(func(j *cluster.Job) { j.Succeeded = 3 })), with().refused(true, "11:50"), "12:00", "stall=quota state=running"},

		{"between two Pods", job("j", "11:00", retrying), with(pod("11:40", over, crashed("11:40", "11:50", "Error", 1))), "12:00", "state=retrying stall="},
		{"a Pod should have come", job("j", "11:00", retrying), with(pod("11:40", over, crashed("11:40", "11:50", "Error", 1))), "12:00:01", "state=retrying stall=no_pods"},
		{"a Pod was refused", job("j", "11:00", retrying), with(pod("11:40", over, crashed("11:40", "11:50", "Error", 1))).refused(true, "11:52"), "12:00:01", "stall=quota"},
		{"a Pod was refused before the last one", job("j", "11:00", retrying), with(pod("11:40", over, crashed("11:40", "11:50", "Error", 1))).refused(true, "11:39"), "12:00:01", "stall=no_pods"},
		{"between two Pods, of which none is left", job("j", "11:00", retrying), with(), "12:00", "stall="},
		{"between two Pods, which are not known", job("j", "11:00", retrying), world{}, "12:00", "stall="},

		{"its Pod goes", job("j", "11:00", noPods), with(pod("11:00", running, going("11:55"))), "12:00", "stall="},
		{"its Pod does not go", job("j", "11:00", noPods), with(pod("11:00", running, going("11:54:59"))), "12:00", "stall=terminating"},
		{"its Pods go, and are not known", job("j", "11:00", change(func(j *cluster.Job) { j.Terminating = 1 })), world{}, "12:00", "stall="},
		{"deleted, and its Pod does not go", job("j", "11:00", func(j *cluster.Job) { j.Deleted = at("11:50") }), with(pod("11:00", running, going("11:50"))), "12:00", "stall=terminating"},
		{"deleted, and nothing is left", job("j", "11:00", change(func(j *cluster.Job) { j.Deleted = at("11:50") })), with(), "12:00", "stall="},
		{"failed five minutes ago, and its Pod goes", job("j", "11:00", failing("11:55", backoff)), with(), "12:00", "state=failed stall="},
		{"failed, and its Pod does not go", job("j", "11:00", failing("11:54:59", backoff)), world{}, "12:00", "state=failed stall=terminating"},
		{"succeeded, and a Pod does not go", job("j", "11:00", func(j *cluster.Job) { j.SuccessCriteriaMet, j.Terminating = at("11:30"), 1 }), world{}, "12:00", "state=succeeded stall=terminating"},
		{"failed and ended", job("j", "11:00", failed("11:30", backoff)), with(pod("11:00", over, going("11:30"))), "12:00", "stall="},
	})
}

func TestOldestStalledRun(t *testing.T) {
	runCases(t, []cronJobCase{
		{"the oldest is told", cron("0 * * * *", "11:00", "05-04 10:00"), world{jobs: []*cluster.Job{run("11:00", noPods), run("10:00"), run("09:00")}, pods: map[string][]*cluster.Pod{
			"run 10:00": {pod("10:00", waiting("ImagePullBackOff"))}, "run 09:00": {pod("09:00", running)}}}, "11:50", "stall=image_pull unfinished=3 start=05-05T09:00"},
		{"a finished one is not", cron("0 * * * *", "11:00", "05-04 10:00"), world{jobs: []*cluster.Job{run("11:00", failed("11:10", backoff))}, pods: map[string][]*cluster.Pod{}}, "11:50", "stall="},
		{"a stalled run goes before a refusal", cron("0 * * * *", "10:00", "05-04 10:00"), world{jobs: []*cluster.Job{run("10:00", noPods)}, refusals: map[string]*cluster.Event{"c": {Last: at("11:01"), Quota: true}}},
			"11:50", "state=late stall=no_pods"},
	})
}
