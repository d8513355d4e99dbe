package jobs

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"tocsin/collectors/cluster"
	"tocsin/collectors/schedule"
)

// FuzzVerdict judges whatever decodes as a CronJob, its Jobs and their Pods, at any instant: it must not panic, must give exactly one
// state and nothing that contradicts it, and must not depend on the order in which Jobs and Pods are listed. Beside the objects that
// the JSON holds there are those that shape stands for, byte by byte, so that most inputs are clusters.
func FuzzVerdict(f *testing.F) {
	add := func(cronJob, jobs, pods string, now int64, options byte) {
		f.Add([]byte(cronJob), []byte(jobs), []byte(pods), now, options, []byte{})
	}
	const tuesday = 1777982400 // 2026-05-05 12:00
	add(`{}`, `[]`, `[]`, 0, 0)
	add(`{"metadata":{"name":"c","uid":"u","creationTimestamp":"2026-01-01T00:00:00Z","generation":1},
		"spec":{"schedule":"0 2 * * *","concurrencyPolicy":"Forbid","startingDeadlineSeconds":600},
		"status":{"lastScheduleTime":"2026-05-04T02:00:00Z","active":[{"name":"c-29631120","uid":"j"}]}}`,
		`[{"metadata":{"name":"c-29631120","uid":"j","creationTimestamp":"2026-05-04T02:00:00Z"},"status":{"startTime":"2026-05-04T02:00:00Z","active":1}},
		{"metadata":{"name":"x","uid":"k"},"spec":{"suspend":true},"status":{"failed":1,"conditions":[{"type":"Failed","status":"True","reason":"DeadlineExceeded"}]}}]`,
		`[{"metadata":{"name":"p","creationTimestamp":"2026-05-04T02:00:00Z"},"status":{"phase":"Pending","containerStatuses":[{"name":"m","state":{"waiting":{"reason":"ImagePullBackOff"}}}]}},
		{"metadata":{"name":"q"},"status":{"phase":"Failed","reason":"Evicted","containerStatuses":[{"restartCount":9,"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}}]`, tuesday, 0xff)
	add(`{"metadata":{"name":"c"},"spec":{"schedule":"@every -1h","suspend":true},"status":{"lastScheduleTime":"2026-05-05T02:00:00Z","lastSuccessfulTime":"1900-01-01T00:00:00Z"}}`,
		`[{"metadata":{"name":"j"},"spec":{"managedBy":"x/y"},"status":{"completionTime":"9999-12-31T23:59:59Z","conditions":[{"type":"Complete","status":"True"}]}}]`, `[]`, tuesday, 0x0f)
	add(`{"metadata":{"name":"c","generation":1},"spec":{"schedule":"0 0 1 * 4","timeZone":"Africa/Cairo"}}`, `[]`, `[]`, -1<<62, 1)

	for i := range byte(12) {
		f.Add([]byte{}, []byte{}, []byte{}, int64(tuesday), byte(0xff), []byte{i, i, 1, i, 2, i, i, 0, 3, 1, i, i, 4, i, i, 0, i, i, 2, i, 5, i, i, 1, i, i, 3, i, i, i, i, 2})
	}

	f.Fuzz(func(t *testing.T, cronJob, jobList, podList []byte, unix int64, options byte, shape []byte) {
		var c batchv1.CronJob
		var jobs []batchv1.Job
		var pods []corev1.Pod
		s := shaper{bytes: shape, now: unix}
		if json.Unmarshal(cronJob, &c) != nil || c.Spec.Schedule == "" {
			c = s.cronJob()
		}
		if json.Unmarshal(jobList, &jobs) != nil || json.Unmarshal(podList, &pods) != nil {
			jobs, pods = nil, nil
		}
		for len(s.bytes) > 0 && len(jobs) < 20 {
			jobs = append(jobs, s.job(&c, len(jobs)))
			for range s.pick(3) {
				pods = append(pods, s.pod(len(pods)))
			}
		}
		if c.Name == "" {
			c.Name = "c"
		}
		in := CronJobInput{CronJob: decoded[cluster.CronJob](t, cluster.CronJobs, &c), Grace: time.Duration(options) * time.Second}
		in.Schedule, in.Problem = schedule.Parse(c.Spec.Schedule, in.CronJob.TimeZone, "")
		for i := range jobs {
			if jobs[i].Name == "" {
				jobs[i].Name = "j"
			}
			in.Jobs = append(in.Jobs, decoded[cluster.Job](t, cluster.Jobs, &jobs[i]))
		}
		all := make([]*cluster.Pod, 0, len(pods))
		for i := range pods {
			if pods[i].Name == "" {
				pods[i].Name = "p"
			}
			all = append(all, decoded[cluster.Pod](t, cluster.Pods, &pods[i]))
		}
		now := time.Unix(unix, 0)
		in.Lookups = fuzzLookups(options, all, cluster.Time(unix))
		if options&8 != 0 && len(in.Jobs) > 0 {
			j := in.Jobs[0]
			in.LastRun = &cluster.FinishedRun{Tick: j.Started, Failed: j.Failure(), Reason: j.FailureReason, Started: j.Started, Finished: j.Completed}
		}
		v := JudgeCronJob(&in, now)
		checkVerdict(t, &in, &v, cluster.Time(unix))
		for _, j := range in.Jobs {
			checkJob(t, j, JudgeJob(j, &in.Lookups, now))
		}

		slices.Reverse(in.Jobs)
		slices.Reverse(all)
		if distinct(in.Jobs, all) && JudgeCronJob(&in, now) != v {
			t.Errorf("the verdict depends on the order of Jobs and Pods:\n%+v\n%+v", v, JudgeCronJob(&in, now))
		}
	})
}

// fuzzLookups gives every Job the same Pods, evidence and refusal, or lets their sources be unknown.
func fuzzLookups(options byte, pods []*cluster.Pod, now cluster.Time) Lookups {
	var l Lookups
	if options&1 != 0 {
		l.Pods = func(cluster.UID) []*cluster.Pod { return pods }
	}
	if options&2 != 0 {
		l.Refusal = func(cluster.UID) *cluster.Event { return &cluster.Event{Quota: options&16 != 0, Last: now} }
	}
	if options&4 != 0 {
		l.Evidence = func(cluster.UID) *cluster.Evidence {
			return &cluster.Evidence{Termination: cluster.Termination{ExitCode: int32(options), Finished: now}}
		}
	}
	return l
}

func decoded[R any](t *testing.T, r cluster.Resource, obj runtime.Object) *R {
	t.Helper()
	row, err := cluster.Decode(r, obj)
	if err != nil {
		t.Skip(err)
	}
	return row.(*R)
}

func checkVerdict(t *testing.T, in *CronJobInput, v *CronJobVerdict, now cluster.Time) {
	t.Helper()
	if v.State >= States || v.Problem >= Problems || v.Stall >= Stalls || v.Failure.Cause >= Causes {
		t.Fatalf("no such verdict: %+v", v)
	}
	for _, n := range []int{v.Missed, v.Skipped, v.RunsSinceSuccess} {
		if n < 0 || n > MaxTicks {
			t.Errorf("a count of %d", n)
		}
	}
	if v.Unfinished < 0 || v.Unfinished > len(in.Jobs) || v.Duration < unknown || v.StartDelay < unknown || v.Interval < 0 {
		t.Errorf("out of range: %+v", v)
	}
	invalid := v.Problem != NoProblem && v.Problem != StaleActive
	if (v.State == Invalid) != invalid || (v.State == Suspended) != (in.CronJob.Suspend && !invalid) {
		t.Errorf("state %s of a CronJob with problem %q, suspended %t", v.State, v.Problem, in.CronJob.Suspend)
	}
	if (invalid || v.State == Suspended) && (v.Due != 0 || v.Next != 0 || v.Missed != 0) {
		t.Errorf("something is due of a CronJob that is %s: %+v", v.State, v)
	}
	overdue := v.State == Late || v.State == Missed || v.State == Blocked
	if overdue && (v.Due == 0 || v.Due > now || v.Next <= now || v.Missed == 0) || v.State == OK && v.Missed != 0 {
		t.Errorf("%s at %d: %+v", v.State, now, v)
	}
	if v.Failing != (v.Failure != Failure{}) {
		t.Errorf("failing %t, because of %+v", v.Failing, v.Failure)
	}
	if v.LongRunning && (v.Unfinished == 0 || v.State == Blocked) || v.ActiveStart != 0 && v.Unfinished == 0 {
		t.Errorf("of %d unfinished: %+v", v.Unfinished, v)
	}
	if v.Stall != NoStall && v.Unfinished == 0 && v.State != Late && v.State != Missed {
		t.Errorf("nothing runs and nothing is due, and it is stalled: %+v", v)
	}
}

func checkJob(t *testing.T, j *cluster.Job, v JobVerdict) {
	t.Helper()
	if v.State >= JobStates || v.Stall >= Stalls || v.Failure.Cause >= Causes {
		t.Fatalf("no such verdict: %+v", v)
	}
	if (v.State == JobFailed) != j.Failure() || j.Failure() != (v.Failure != Failure{}) {
		t.Errorf("failed %t: %+v", j.Failure(), v)
	}
	if v.Stall != NoStall && v.Stall != Terminating && (j.Finished() || v.State == JobSuspended || v.State == JobExternal) {
		t.Errorf("%s and stalled by %s", v.State, v.Stall)
	}
}

// distinct tells whether names and UIDs tell all objects apart, as they do in a cluster.
func distinct(jobs []*cluster.Job, pods []*cluster.Pod) bool {
	names, uids := map[string]bool{}, map[cluster.UID]bool{}
	for _, j := range jobs {
		names[j.Name], uids[j.UID] = true, true
	}
	if len(names) != len(jobs) || len(uids) != len(jobs) {
		return false
	}
	clear(names)
	for _, p := range pods {
		names[p.Name] = true
	}
	return len(names) == len(pods)
}
