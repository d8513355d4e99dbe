package cluster

import (
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

func (d *decoder) cronJob(o *batchv1.CronJob) (*CronJob, error) {
	c := &CronJob{
		Meta:         d.meta(CronJobs, o),
		Generation:   o.Generation,
		Schedule:     d.strings.get(o.Spec.Schedule),
		Policy:       d.strings.get(string(o.Spec.ConcurrencyPolicy)),
		Suspend:      o.Spec.Suspend != nil && *o.Spec.Suspend,
		LastSchedule: secondsOf(o.Status.LastScheduleTime),
		LastSuccess:  secondsOf(o.Status.LastSuccessfulTime),
		Claims:       d.claimNames(o.Spec.JobTemplate.Spec.Template.Spec.Volumes),
		NodeName:     d.strings.get(o.Spec.JobTemplate.Spec.Template.Spec.NodeName),
	}
	if c.Policy == "" { // the API server's default
		c.Policy = string(batchv1.AllowConcurrent)
	}
	if tz := o.Spec.TimeZone; tz != nil {
		c.TimeZone = d.strings.get(*tz)
	}
	if s := o.Spec.StartingDeadlineSeconds; s != nil {
		c.StartingDeadline, c.HasStartingDeadline = *s, true
	}
	if len(o.Status.Active) > 0 {
		c.Active = make([]JobRef, len(o.Status.Active))
		for i, ref := range o.Status.Active {
			c.Active[i] = JobRef{strings.Clone(ref.Name), parseUID(string(ref.UID))}
		}
	}
	c.SuccessWithin = c.successWithin(o.Annotations)
	// A generation of 1 proves that spec is as it was created (k8s.io/kubernetes pkg/registry/batch/cronjob/strategy.go).
	if o.Generation > 1 {
		c.ChangedAt = lastOwned(o.ManagedFields, "f:schedule", "f:timeZone", "f:suspend")
	}
	switch {
	case !c.Suspend:
	case o.Generation == 1:
		c.SuspendedAt = c.Created
	default:
		c.SuspendedAt = lastOwned(o.ManagedFields, "f:suspend")
	}
	return c, nil
}

func (d *decoder) job(o *batchv1.Job) (*Job, error) {
	j := &Job{
		Meta:           d.meta(Jobs, o),
		Tick:           scheduledTick(o.Annotations),
		Started:        secondsOf(o.Status.StartTime),
		Completed:      secondsOf(o.Status.CompletionTime),
		Active:         o.Status.Active,
		Succeeded:      o.Status.Succeeded,
		Failed:         o.Status.Failed,
		Suspend:        o.Spec.Suspend != nil && *o.Spec.Suspend,
		NoParallelism:  valueOr(o.Spec.Parallelism, 1) == 0,
		HasTTL:         o.Spec.TTLSecondsAfterFinished != nil,
		PerIndex:       o.Spec.BackoffLimitPerIndex != nil,
		Claims:         d.claimNames(o.Spec.Template.Spec.Volumes),
		NodeName:       d.strings.get(o.Spec.Template.Spec.NodeName),
		ActiveDeadline: valueOr(o.Spec.ActiveDeadlineSeconds, 0),
		Ready:          valueOr(o.Status.Ready, 0),
		Terminating:    valueOr(o.Status.Terminating, 0),
	}
	_, j.HookDelete = o.Annotations["helm.sh/hook-delete-policy"]
	if by := valueOr(o.Spec.ManagedBy, ""); by != batchv1.JobControllerName {
		j.ManagedBy = d.strings.get(by)
	}
	if u := o.Status.UncountedTerminatedPods; u != nil {
		j.Uncounted = len(u.Succeeded)+len(u.Failed) > 0
	}
	if s := o.Status.FailedIndexes; s != nil {
		j.FailedIndexes = countIndexes(*s)
	}
	d.jobConditions(j, o.Status.Conditions)
	return j, nil
}

func (d *decoder) jobConditions(j *Job, conditions []batchv1.JobCondition) {
	for i := range conditions {
		c := &conditions[i]
		if c.Status != corev1.ConditionTrue {
			continue
		}
		at := seconds(c.LastTransitionTime.Time)
		if at == 0 {
			at = max(j.Created, 1)
		}
		switch c.Type {
		case batchv1.JobComplete:
			j.Complete = at
		case batchv1.JobSuccessCriteriaMet:
			j.SuccessCriteriaMet = at
		case batchv1.JobFailed:
			j.FailedAt = at
			d.failure(j, c)
		case batchv1.JobFailureTarget:
			j.FailureTarget = at
			d.failure(j, c)
		case batchv1.JobSuspended:
			j.Suspended = at
		}
	}
}

// otherReason stands for every reason that is none of batch/v1's, so that no text of a foreign controller becomes a label.
const otherReason = "other"

// failure reads why the Job failed from a condition that says that it did: FailureTarget or Failed, which the Job controller gives the
// same reason and message (k8s.io/kubernetes pkg/controller/job/job_controller.go).
func (d *decoder) failure(j *Job, c *batchv1.JobCondition) {
	reason := jobFailureReason(c.Reason)
	if j.FailureReason == "" || j.FailureReason == otherReason {
		j.FailureReason = reason
	}
	if reason == batchv1.JobReasonPodFailurePolicy && j.PolicyContainer == "" {
		container, code := podFailurePolicyMessage(c.Message)
		j.PolicyContainer, j.PolicyExitCode = d.strings.get(container), d.strings.get(code)
	}
}

func jobFailureReason(reason string) string {
	switch reason {
	case batchv1.JobReasonPodFailurePolicy:
		return batchv1.JobReasonPodFailurePolicy
	case batchv1.JobReasonBackoffLimitExceeded:
		return batchv1.JobReasonBackoffLimitExceeded
	case batchv1.JobReasonDeadlineExceeded:
		return batchv1.JobReasonDeadlineExceeded
	case batchv1.JobReasonMaxFailedIndexesExceeded:
		return batchv1.JobReasonMaxFailedIndexesExceeded
	case batchv1.JobReasonFailedIndexes:
		return batchv1.JobReasonFailedIndexes
	}
	return otherReason
}

func scheduledTick(annotations map[string]string) Time {
	t, err := time.Parse(time.RFC3339, annotations[batchv1.CronJobScheduledTimestampAnnotation])
	if err != nil {
		return 0
	}
	return seconds(t)
}

func (d *decoder) event(o *corev1.Event) (*Event, error) {
	e := &Event{
		Meta:         d.meta(Events, o),
		InvolvedKind: d.strings.get(o.InvolvedObject.Kind),
		InvolvedName: d.strings.get(o.InvolvedObject.Name),
		InvolvedUID:  parseUID(string(o.InvolvedObject.UID)),
		// k8s.io/apiserver pkg/admission/plugin/resourcequota/controller.go
		Quota: strings.Contains(o.Message, "exceeded quota"),
		Last:  max(seconds(o.LastTimestamp.Time), seconds(o.EventTime.Time), seconds(o.FirstTimestamp.Time)),
	}
	if o.Series != nil {
		e.Last = max(e.Last, seconds(o.Series.LastObservedTime.Time))
	}
	if e.Last == 0 {
		e.Last = e.Created
	}
	return e, nil
}

func valueOr[T any](p *T, or T) T {
	if p == nil {
		return or
	}
	return *p
}
