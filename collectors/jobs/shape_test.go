package jobs

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// shaper makes objects of bytes: each byte picks one of a few values that matter, so that a fuzzer reaches what lies deep.
type shaper struct {
	bytes []byte
	now   int64
}

// pick gives a number below n; 0 when the bytes are used up.
func (s *shaper) pick(n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return int(b) % n
}

func (s *shaper) yes() bool { return s.pick(2) == 1 }

func of[T any](s *shaper, values ...T) T { return values[s.pick(len(values))] }

// time gives an instant near now, mostly before it and often on a full hour, or none.
func (s *shaper) time() *metav1.Time {
	ago := of[int64](s, 0, 30, 60, 119, 120, 121, 299, 301, 599, 601, 3600, 7200, 24*3600, 7*24*3600, 400*24*3600, -60, -3600)
	switch s.pick(3) {
	case 0:
		return nil
	case 1:
		return &metav1.Time{Time: time.Unix(s.now-ago, 0)}
	}
	return &metav1.Time{Time: time.Unix((s.now-ago)/3600*3600, 0)}
}

func (s *shaper) moment() metav1.Time {
	if t := s.time(); t != nil {
		return *t
	}
	return metav1.Time{}
}

func (s *shaper) cronJob() batchv1.CronJob {
	c := batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "c", UID: "c", CreationTimestamp: s.moment(), DeletionTimestamp: s.time(), Generation: int64(s.pick(3))}}
	c.Spec.Schedule = of(s, "0 * * * *", "0 2 * * *", "* * * * *", "*/10 8-10 * * *", "0 9 * * 1-5", "0 0 29 2 *", "0 0 30 2 *", "@every 90m", "@every -1h", "nonsense",
		"TZ=Asia/Tokyo 0 0 * * *", "0 0 1 * 4")
	c.Spec.TimeZone = of(s, nil, new("Africa/Cairo"), new("Europe/Paris"), new("Nowhere"))
	c.Spec.ConcurrencyPolicy = of(s, batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent, "")
	c.Spec.StartingDeadlineSeconds = of(s, nil, new(int64(0)), new(int64(1)), new(int64(200)), new(int64(-5)))
	c.Spec.Suspend = of(s, nil, new(false), new(true))
	c.Status.LastScheduleTime, c.Status.LastSuccessfulTime = s.time(), s.time()
	for range s.pick(3) {
		n := s.pick(4)
		c.Status.Active = append(c.Status.Active, corev1.ObjectReference{Name: fmt.Sprintf("j%d", n), UID: types.UID(fmt.Sprintf("j%d", n))})
	}
	return c
}

func (s *shaper) job(c *batchv1.CronJob, n int) batchv1.Job {
	j := batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("j%d", n), UID: types.UID(fmt.Sprintf("j%d", n)), CreationTimestamp: s.moment(), DeletionTimestamp: s.time()}}
	switch tick := s.moment(); s.pick(3) {
	case 0:
		j.Annotations = map[string]string{batchv1.CronJobScheduledTimestampAnnotation: tick.Format(time.RFC3339)}
	case 1:
		j.Name = fmt.Sprintf("%s-%d", c.Name, tick.Unix()/60)
	}
	j.Spec.Suspend = of(s, nil, new(true))
	j.Spec.ManagedBy = of(s, nil, nil, nil, new("example.com/other"))
	j.Spec.Parallelism = of(s, nil, new(int32(0)))
	j.Spec.ActiveDeadlineSeconds = of(s, nil, new(int64(600)))
	j.Status = batchv1.JobStatus{StartTime: s.time(), CompletionTime: s.time(), Active: int32(s.pick(2)), Failed: int32(s.pick(3)), Succeeded: int32(s.pick(2)),
		Ready: of(s, nil, new(int32(1))), Terminating: of(s, nil, new(int32(1)))}
	for _, kind := range []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed, batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet, batchv1.JobSuspended} {
		if s.pick(4) == 1 {
			j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: s.moment(),
				Reason:  of(s, "BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy", "Mine"),
				Message: "Container main for pod ns/p failed with exit code 137 matching FailJob rule at index 0"})
		}
	}
	return j
}

func (s *shaper) pod(n int) corev1.Pod {
	p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p%d", n), CreationTimestamp: s.moment(), DeletionTimestamp: s.time()}}
	p.Spec.NodeName = of(s, "n1", "")
	p.Status = corev1.PodStatus{Phase: of(s, corev1.PodPending, corev1.PodRunning, corev1.PodFailed, corev1.PodSucceeded, ""), Reason: of(s, "", "Evicted", "OutOfcpu"), StartTime: s.time()}
	p.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodReady, Status: of(s, corev1.ConditionFalse, corev1.ConditionTrue), LastTransitionTime: s.moment()},
		{Type: corev1.PodScheduled, Status: of(s, corev1.ConditionTrue, corev1.ConditionFalse), Reason: of(s, "Unschedulable", "SchedulingGated", ""), LastTransitionTime: s.moment()},
		{Type: corev1.DisruptionTarget, Status: of(s, corev1.ConditionFalse, corev1.ConditionTrue), Reason: of(s, "EvictionByEvictionAPI", "Mine")},
	}
	terminated := func() *corev1.ContainerStateTerminated {
		return &corev1.ContainerStateTerminated{ExitCode: of[int32](s, 0, 1, 137), Reason: of(s, "Error", "OOMKilled", "StartError"), StartedAt: s.moment(), FinishedAt: s.moment()}
	}
	container := corev1.ContainerStatus{Name: "main", RestartCount: of[int32](s, 0, 1, 7)}
	switch s.pick(3) {
	case 0:
		container.State.Waiting = &corev1.ContainerStateWaiting{Reason: of(s, "ImagePullBackOff", "CrashLoopBackOff", "RunContainerError", "ContainerCreating", "Mine")}
	case 1:
		container.State.Running = &corev1.ContainerStateRunning{StartedAt: s.moment()}
	default:
		container.State.Terminated = terminated()
	}
	if s.yes() {
		container.LastTerminationState.Terminated = terminated()
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{container}
	return p
}
