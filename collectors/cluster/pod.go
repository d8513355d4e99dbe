package cluster

import corev1 "k8s.io/api/core/v1"

// Phase is a Pod's phase.
type Phase uint8

// The phases; PhaseUnknown is also a phase that Tocsin does not know.
const (
	PhaseUnknown Phase = iota
	PhasePending
	PhaseRunning
	PhaseSucceeded
	PhaseFailed
)

// Scheduled is what the condition PodScheduled says.
type Scheduled uint8

// The values: NotScheduled is a condition that is absent, or False for a reason that is not below.
const (
	NotScheduled Scheduled = iota
	IsScheduled
	Unschedulable
	SchedulingGated
)

// Pod is what Tocsin keeps of a Pod: about 300 bytes and its name.
type Pod struct {
	Meta
	Labels Labels
	Node   string // spec.nodeName
	// Reason is status.reason: Evicted, DeadlineExceeded, NodeLost …
	Reason string
	// Disruption is the reason of the condition DisruptionTarget when True.
	Disruption string
	// Waiting is the most telling waiting reason of its containers, init containers first: the first that is neither
	// ContainerCreating nor PodInitializing, else ContainerCreating when any container waits, else "".
	Waiting          string
	WaitingContainer string
	// Revision is the label controller-revision-hash.
	Revision string
	// TargetNode is the node that a DaemonSet's Pod is meant for (matchFields metadata.name in its required affinity).
	TargetNode string
	Claims     []ClaimRef
	// Failure is the first container, init containers first, that ended with a non-zero exit code: in its present state, else in its
	// last one. nil when none did.
	Failure *Termination
	// Scheduling is what restricts its nodes; interned, so that equal restrictions are one pointer. nil for a DaemonSet's Pod, whose
	// every Pod names another node: see TargetNode.
	Scheduling     *Scheduling
	Started        Time // status.startTime
	ReadyChanged   Time // lastTransitionTime of Ready; 0 when the condition is absent
	ScheduleChange Time // lastTransitionTime of PodScheduled; 0 when the condition is absent
	// Restarted is when the youngest of the containers that have restarted began its present run (state.running.startedAt); 0 when
	// no container has restarted or none of those runs.
	Restarted Time
	Restarts  int32
	// Grace is the grace period of its deletion in seconds (metadata.deletionGracePeriodSeconds), 0 while it is not being deleted.
	Grace int32
	// StartupBudget is how long in seconds its own probes let it take to become ready: over its containers the maximum of startup
	// probe (initialDelay + period × failureThreshold) + readiness initialDelay, plus the sum over its init containers.
	StartupBudget int32
	Phase         Phase
	Ready         bool
	Scheduled     Scheduled
	WaitingInit   bool // the container that Waiting is of is an init container
	Mirror        bool // a static Pod's mirror
	// HostPath tells that it mounts, writable, a hostPath that may hold data: not a socket or device, nor below a system path.
	HostPath bool
}

// Terminal tells whether the Pod's phase is Succeeded or Failed: it will never run again.
func (p *Pod) Terminal() bool { return p.Phase == PhaseSucceeded || p.Phase == PhaseFailed }

// WaitsFor gives what keeps the Pod from running: Unschedulable while it has no node, else the waiting reason of a container and which.
func (p *Pod) WaitsFor() (reason, container string) {
	if p.Node == "" && p.Scheduled != IsScheduled {
		return corev1.PodReasonUnschedulable, ""
	}
	return p.Waiting, p.WaitingContainer
}

// ClaimRef is a PersistentVolumeClaim that a Pod's volume names.
type ClaimRef struct {
	Name string
	// Ephemeral: a generic ephemeral volume; the claim is <pod>-<volume> and belongs to the Pod
	// (k8s.io/component-helpers/storage/ephemeral, VolumeClaimName).
	Ephemeral bool
}

// Scheduling is what in a Pod's spec restricts the nodes that it may run on.
type Scheduling struct {
	NodeSelector map[string]string
	// Required is the required node affinity, nil when there is none.
	Required    *corev1.NodeSelector
	Tolerations []corev1.Toleration
}
