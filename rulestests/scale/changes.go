package main

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"tocsin/rulestests/scale/synthetic"
)

// How much is changed, as far as the cluster has so much.
const (
	podUpdates     = 10_000
	jobCompletions = 2000
)

// write stores what change makes of the objects, with an instant that each write has.
func (b *bench) write(ctx context.Context, objects []synthetic.Object, change func(runtime.Object, metav1.Time) runtime.Object) error {
	batch, now := b.server.store.changes(ctx), metav1.NewTime(time.Now().Truncate(time.Second))
	for _, o := range objects {
		operation, err := put(change(o.Object, now))
		if err != nil {
			return err
		}
		if err := batch.add(operation); err != nil {
			break // which end gives
		}
	}
	return batch.end()
}

// restarted has a Pod's container run anew.
func restarted(o runtime.Object, now metav1.Time) runtime.Object {
	pod := o.DeepCopyObject().(*corev1.Pod)
	status := &pod.Status.ContainerStatuses[0]
	status.RestartCount++
	status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 2, Reason: "Error", StartedAt: status.State.Running.StartedAt, FinishedAt: now}
	status.State.Running.StartedAt = now
	for i := range pod.Status.Conditions {
		if t := pod.Status.Conditions[i].Type; t == corev1.PodReady || t == corev1.ContainersReady {
			pod.Status.Conditions[i].LastTransitionTime = now
		}
	}
	return pod
}

// completed has a Job's Pod succeed.
func completed(o runtime.Object, now metav1.Time) runtime.Object {
	job := o.DeepCopyObject().(*batchv1.Job)
	s := &job.Status
	s.Active, s.Ready, s.Succeeded, s.CompletionTime = 0, new(int32(0)), 1, &now
	for _, t := range [...]batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		s.Conditions = append(s.Conditions, batchv1.JobCondition{Type: t, Status: corev1.ConditionTrue, LastProbeTime: now, LastTransitionTime: now, Reason: batchv1.JobReasonCompletionsReached})
	}
	return job
}

// unready has a Node's kubelet go silent.
func unready(o runtime.Object, now metav1.Time) runtime.Object {
	node := o.DeepCopyObject().(*corev1.Node)
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			c.Status, c.Reason, c.LastTransitionTime = corev1.ConditionUnknown, "NodeStatusUnknown", now
		}
	}
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &now})
	return node
}

// unchanged gives back what the cluster began with.
func unchanged(o runtime.Object, _ metav1.Time) runtime.Object { return o }

// first gives so many of the objects of a role, or all.
func (b *bench) first(role synthetic.Role, n int) []synthetic.Object {
	all := b.kept[role]
	return all[:min(n, len(all))]
}

// restore undoes updates and completions.
func (b *bench) restore(ctx context.Context) error {
	if err := b.write(ctx, b.first(synthetic.ServingPod, podUpdates), unchanged); err != nil {
		return err
	}
	return b.write(ctx, b.first(synthetic.RunningJob, jobCompletions), unchanged)
}

// relist starts the API server anew, at a revision that none of its clients has seen: their watches are refused, and they list again.
func (b *bench) relist(ctx context.Context) error {
	before, err := b.server.watches(ctx)
	if err != nil {
		return err
	}
	b.server.api.stop()
	for range 10 {
		if err := b.server.store.commit(ctx, []operation{{Put: &keyValue{[]byte("/bench/revision"), []byte("x")}}}); err != nil {
			return err
		}
	}
	if err := b.server.startAPI(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return b.server.api.Until(ctx, time.Second, func(ctx context.Context) error {
		now, err := b.server.watches(ctx)
		if err != nil {
			return err
		}
		for _, l := range lists() {
			if now[l.resource] < before[l.resource] {
				return fmt.Errorf("%s have %d watches, not yet %d", l.resource, now[l.resource], before[l.resource])
			}
		}
		return nil
	})
}
