// Package rollout judges how far the rollout of a StatefulSet has come, which Pod holds it up, why, since when, and what ends it.
//
// The StatefulSet's own status cannot tell: after a bad template has been reverted, its current and its update revision are the same
// and yet the controller waits for ever for a Pod that it will never replace. The verdicts therefore rest on the Pods, and on what
// the controller would do with each of them.
package rollout

import "tocsin/collectors/cluster"

// State is how far a rollout has come. Exactly one holds.
type State uint8

// The states.
const (
	// Complete: every Pod is there, available, and at the revision that it should have.
	Complete State = iota
	// Progressing: Pods are being replaced, or start within the time that they may take.
	Progressing
	// Scaling: Pods are missing or surplus, and nothing has held that up for too long.
	Scaling
	// Partitioned: the rollout has come as far as its partition lets it.
	Partitioned
	// OnDeletePending: Pods are outdated, and wait for somebody to delete them, as the strategy OnDelete has it.
	OnDeletePending
	// Blocked: a Pod has been unavailable for longer than it may take.
	Blocked
	// Unobserved: the controller has not seen the present spec yet.
	Unobserved
	// Deleting: the StatefulSet is being deleted.
	Deleting

	// States is the number of states.
	States
)

// String gives the value of the label state.
func (s State) String() string {
	return [...]string{"complete", "progressing", "scaling", "partitioned", "ondelete_pending", "blocked", "unobserved", "deleting"}[s]
}

// Reason is what is wrong with the Pod that holds a rollout up.
type Reason uint8

// The reasons, in the order in which they are looked for.
const (
	NoReason Reason = iota
	ClaimTerminating
	ClaimMissing
	PodMissing
	TerminatingNodeLost
	Terminating
	UnschedulableVolumeAffinity
	Unschedulable
	SchedulingGated
	VolumeUnbound
	ImagePull
	ConfigError
	InitFailing
	CrashLoop
	NodeNotReady
	NotReady
	WaitingMinReady
	// TerminalPhase is a Pod in phase Failed or Succeeded: the controller replaces it by itself, so it never blocks.
	TerminalPhase

	// Reasons is the number of reasons, NoReason included.
	Reasons
)

// String gives the value of the label reason.
func (r Reason) String() string {
	return [...]string{"", "pvc_terminating", "pvc_missing", "pod_missing", "terminating_node_lost", "terminating",
		"unschedulable_volume_affinity", "unschedulable", "scheduling_gated", "volume_unbound", "image_pull", "config_error",
		"init_failing", "crash_loop", "node_not_ready", "not_ready", "waiting_min_ready", "terminal_phase"}[r]
}

// explains tells whether the reason names a fault, rather than only that something is not there yet.
func (r Reason) explains() bool {
	switch r {
	case PodMissing, Terminating, SchedulingGated, NotReady, WaitingMinReady, TerminalPhase:
		return false
	}
	return true
}

// Action is what ends a blockade.
type Action uint8

// The actions.
const (
	NoAction Action = iota
	// DeletePod: delete the Pod, since the controller will not; it comes back at another revision.
	DeletePod
	// FixTemplate: the Pod is what the template makes of it; change the template.
	FixTemplate
	// FreeNode: give the Pod a node: uncordon its home, make room, or declare a dead node out of service.
	FreeNode
	// FixStorage: mend its claims or volumes.
	FixStorage
	// Wait: nothing that would be done to the Pod helps.
	Wait

	// Actions is the number of actions, NoAction included.
	Actions
)

// String gives the value of the label action.
func (a Action) String() string {
	return [...]string{"", "delete_pod", "fix_template", "free_node", "fix_storage", "wait"}[a]
}

// Revision is at which of its StatefulSet's revisions a Pod is.
type Revision uint8

// The revisions. AtUpdate also holds where the current revision is the same.
const (
	AtOther Revision = iota
	AtCurrent
	AtUpdate
)

// String gives the value of the label revision.
func (r Revision) String() string { return [...]string{"other", "current", "update"}[r] }

// Verdict is what is found about a StatefulSet. The fields from Reason to Revision are set when State is Blocked only.
type Verdict struct {
	State  State
	Reason Reason
	Action Action
	// Since is when the trouble of the blocking Pod began, 0 when unknown.
	Since cluster.Time
	// Pod is the name of the blocking Pod, or the name that a missing one should have.
	Pod      string
	Node     string // of the blocking Pod, "" while it has none
	Revision Revision
	// ManualDelete counts the Pods that the controller will never replace and whose deletion helps now.
	ManualDelete int
	// Outdated counts the live Pods that are not at the update revision, held back by the partition or not.
	Outdated int
}
