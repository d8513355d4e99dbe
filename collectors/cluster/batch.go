package cluster

import "time"

// CronJob is what Tocsin keeps of a batch/v1 CronJob.
type CronJob struct {
	Meta
	Generation int64
	Schedule   string
	TimeZone   string // spec.timeZone, "" when unset
	Policy     string // concurrencyPolicy: Allow, Forbid or Replace
	// StartingDeadline is startingDeadlineSeconds; it counts only when HasStartingDeadline.
	StartingDeadline    int64
	HasStartingDeadline bool
	Suspend             bool
	LastSchedule        Time // status.lastScheduleTime: a tick, not the moment of a Job's creation
	LastSuccess         Time // status.lastSuccessfulTime: a Job's completion, not a tick
	Active              []JobRef
	// SuccessWithin is the annotation tocsin/success-within, 0 when unset or invalid.
	SuccessWithin time.Duration
	// ChangedAt is the last known moment at which schedule or timeZone changed or the CronJob was resumed: seen by the watch, else
	// from managedFields as they were when Tocsin first saw the object. 0 when unknown or never.
	ChangedAt Time
	// SuspendedAt is when it was suspended, known in the same ways; 0 when unknown or not suspended.
	SuspendedAt Time
	// Claims are the names of the PersistentVolumeClaims that its Job template mounts.
	Claims []string
	// NodeName is spec.nodeName of its Pod template.
	NodeName string
}

// JobRef is an entry of a CronJob's status.active.
type JobRef struct {
	Name string
	UID  UID
}

// Job is what Tocsin keeps of a batch/v1 Job.
type Job struct {
	Meta
	// Tick is the annotation batch.kubernetes.io/cronjob-scheduled-timestamp, which the CronJob controller sets and a Job created by
	// hand lacks (k8s.io/kubernetes pkg/controller/cronjob/utils.go, getJobFromTemplate2).
	Tick      Time
	Started   Time // status.startTime
	Completed Time // status.completionTime
	Active    int32
	Ready     int32
	Succeeded int32
	Failed    int32
	// Terminating is status.terminating: Pods that are going away.
	Terminating int32
	// Uncounted tells that status.uncountedTerminatedPods names Pods: their result is about to be counted.
	Uncounted bool
	Suspend   bool // spec.suspend
	// NoParallelism tells that spec.parallelism is 0: the Job is meant to have no Pods for now.
	NoParallelism bool
	// Conditions with status True; each is the condition's lastTransitionTime and 0 when the condition is absent or not True. A
	// condition that is True without a time has the Job's creation time, so that 0 always means "no".
	Complete           Time
	SuccessCriteriaMet Time
	FailedAt           Time // condition Failed
	FailureTarget      Time
	Suspended          Time // condition Suspended
	// FailureReason is the reason of FailureTarget or Failed as batch/v1 knows it, "other" when it is none of batch/v1's, "" when
	// neither condition is True.
	FailureReason string
	// PolicyContainer and PolicyExitCode are read from the message of a PodFailurePolicy failure, which outlives the Pods; the exit
	// code is "" when the rule that matched was not about exit codes.
	PolicyContainer string
	PolicyExitCode  string
	// ManagedBy is spec.managedBy when it is not the Job controller itself: then that controller does nothing for the Job.
	ManagedBy      string
	ActiveDeadline int64 // activeDeadlineSeconds, 0 when unset
	HasTTL         bool  // ttlSecondsAfterFinished is set
	HookDelete     bool  // has the annotation helm.sh/hook-delete-policy
	PerIndex       bool  // backoffLimitPerIndex is set
	FailedIndexes  int   // how many indexes status.failedIndexes names
	// Claims are the names of the PersistentVolumeClaims that its Pod template mounts.
	Claims   []string
	NodeName string // spec.nodeName of its Pod template
}

// Finished tells whether the Job has reached its end or its failure is decided: Complete, Failed, or one of the conditions that are
// written first, SuccessCriteriaMet and FailureTarget (k8s.io/kubernetes pkg/controller/job/job_controller.go).
func (j *Job) Finished() bool { return j.Success() || j.Failure() }

// Success tells whether the Job has succeeded: Complete or SuccessCriteriaMet.
func (j *Job) Success() bool { return j.Complete != 0 || j.SuccessCriteriaMet != 0 }

// Failure tells whether the Job has failed: Failed or FailureTarget.
func (j *Job) Failure() bool { return j.FailedAt != 0 || j.FailureTarget != 0 }

// FinishedAt gives the moment of success (completionTime, else the condition's) or of failure (FailureTarget's, else Failed's,
// because a failed Job has no completionTime), 0 while the Job is unfinished.
func (j *Job) FinishedAt() Time {
	switch {
	case j.FailureTarget != 0:
		return j.FailureTarget
	case j.FailedAt != 0:
		return j.FailedAt
	case j.Complete != 0 && j.Completed != 0:
		return j.Completed
	case j.Complete != 0:
		return j.Complete
	}
	return j.SuccessCriteriaMet
}

// Termination is how a container ended.
type Termination struct {
	Container string
	Init      bool
	Reason    string // the kubelet's: OOMKilled, Error, ContainerCannotRun, StartError …
	ExitCode  int32
	Started   Time // 0 when unknown
	Finished  Time
}

// Evidence is what a Job's Pods told about why it failed, remembered after they are gone.
type Evidence struct {
	Termination Termination // zero when no container failed
	PodReason   string      // status.reason: Evicted, DeadlineExceeded …
	Disruption  string      // reason of the condition DisruptionTarget
	// Waiting is what a Pod that had not ended waited for: a container's waiting reason, or Unschedulable while it had no node.
	Waiting          string
	WaitingContainer string
	Seen             Time
}

// FinishedRun is the outcome of a CronJob's Job that is gone, remembered by the watch.
type FinishedRun struct {
	Tick     Time // its key: the scheduled tick, else its start, else its creation
	Failed   bool // false: it succeeded
	Reason   string
	Started  Time
	Finished Time
	Evidence *Evidence // nil when nothing is known
}

// Runs counts what the watch has seen of a CronJob's runs since Tocsin started.
type Runs struct {
	Succeeded, Failed, Gone uint64
}

// Event is what Tocsin keeps of a FailedCreate Event: that the API server refused to create something for an object.
type Event struct {
	Meta
	InvolvedKind string
	InvolvedName string // in the Event's namespace
	InvolvedUID  UID
	Quota        bool // a ResourceQuota refused it; else an admission plugin or webhook, or a missing ServiceAccount
	Last         Time
}
