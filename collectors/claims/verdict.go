// Package claims judges PersistentVolumeClaims and PersistentVolumes: who uses, owns or reserves a claim, and when nobody does, why it
// is left over; which volumes no claim holds, and which have lost their nodes.
//
// A claim's name is never taken apart to guess whose it is: the names that live StatefulSets give are looked up instead, because
// template x of set a-b and template x-a of set b both make x-a-b-0.
package claims

import "tocsin/collectors/cluster"

// State is what a claim is at present.
type State uint8

// The states. Unknown is a claim whose state hangs on what is not known.
const (
	Unknown State = iota
	InUse
	Reserved
	Orphaned
	Terminating
	stateCount
)

// String gives the label value.
func (s State) String() string {
	return [stateCount]string{"unknown", "in_use", "reserved", "orphaned", "terminating"}[s]
}

// Reason says why a claim is in its state, or a volume unclaimed. The reason of Unknown is the name of the resource that is not known.
type Reason string

// The reasons of InUse and Terminating. A claim that is being deleted is Blocked while a Pod keeps it from going.
const (
	ByPod      Reason = "pod"
	Blocked    Reason = "blocked"
	NotBlocked Reason = "none"
)

// The reasons of Reserved, strongest first: a claim gets the first that applies.
const (
	OwnerReference                Reason = "owner_reference"
	StatefulSetOrdinal            Reason = "statefulset"
	ScaledToZero                  Reason = "scaled_to_zero"
	StatefulSetAutoscaled         Reason = "statefulset_autoscaled"
	DeploymentTemplate            Reason = "deployment_template"
	StatefulSetTemplate           Reason = "statefulset_template"
	DaemonSetTemplate             Reason = "daemonset_template"
	ReplicationControllerTemplate Reason = "replicationcontroller_template"
	ReplicaSetTemplate            Reason = "replicaset_template"
	CronJobTemplate               Reason = "cronjob_template"
	JobTemplate                   Reason = "job_template"
	VolumeSource                  Reason = "volume_source"
	CustomResource                Reason = "custom_resource"
	Spared                        Reason = "ignored"
	New                           Reason = "new"
)

// The reasons of Orphaned, strongest first.
const (
	KeptByHelm                 Reason = "kept_by_helm"
	StatefulSetScaledDown      Reason = "statefulset_scaled_down"
	StatefulSetTemplateRemoved Reason = "statefulset_template_removed"
	StatefulSetDeleted         Reason = "statefulset_deleted"
	FinishedJobOnly            Reason = "finished_job_only"
	TerminatedPodOnly          Reason = "terminated_pod_only"
	OldRevisionOnly            Reason = "old_revision_only"
	NeverBound                 Reason = "never_bound"
	Lost                       Reason = "lost"
	NoReference                Reason = "no_reference"
)

// Verdict is what is found of one claim.
type Verdict struct {
	State  State
	Reason Reason
}

// Bytes gives the capacity that a claim holds: that of its volume, what it asked for where the API does not say the volume's, and 0
// while it is bound to none.
func Bytes(c *cluster.Claim) int64 {
	switch {
	case c.Capacity != 0:
		return c.Capacity
	case c.Phase == phaseBound:
		return c.Request
	}
	return 0
}

// The phases of claims and volumes that verdicts ask for.
const (
	phaseBound     = "Bound"
	phaseLost      = "Lost"
	phaseAvailable = "Available"
	phaseReleased  = "Released"
	phaseFailed    = "Failed"
)
