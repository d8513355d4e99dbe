package rollout

import "tocsin/collectors/cluster"

// reason tells what is wrong with a Pod that is not available, and what ends it.
func (j *judge) reason(s slot) (Reason, Action) {
	p, stale := s.pod, j.stale(s)
	fixable := FixTemplate // by another template, which comes into effect when the Pod is deleted
	if stale {
		fixable = DeletePod
	}
	switch {
	case p.Terminal() && p.Deleted == 0:
		return TerminalPhase, Wait
	case p.Phase == cluster.PhasePending:
		if r, a := j.claimReason(s); r != NoReason {
			return r, a
		}
	}
	switch {
	case p.Deleted != 0 && j.nodeLost(p):
		return TerminatingNodeLost, FreeNode
	case p.Deleted != 0:
		return Terminating, Wait
	case p.Phase == cluster.PhasePending && p.Node == "":
		return j.unscheduled(p, stale)
	}
	switch r := containerReason(p); {
	case r != NoReason:
		return r, fixable
	case j.looping(p) && p.Failure != nil:
		return CrashLoop, fixable
	case j.nodeLost(p):
		return NodeNotReady, FreeNode
	case p.Ready:
		return WaitingMinReady, Wait
	}
	return NotReady, fixable
}

// claimReason tells what is wrong with the claims that a Pending Pod names. A claim of the set's own that is missing is made by the
// controller since Kubernetes 1.37, by older ones only together with the Pod: that it stays missing shows which.
func (j *judge) claimReason(s slot) (Reason, Action) {
	if j.Claim == nil {
		return NoReason, NoAction
	}
	missing := NoAction
	for _, ref := range s.pod.Claims {
		c := j.Claim(s.pod.Namespace, ref.Name)
		switch {
		case c != nil && c.Deleted != 0:
			return ClaimTerminating, FixStorage
		case c != nil || ref.Ephemeral || missing == FixStorage || s.pod.Node != "": // what has a node had its claims
		case j.template(s, ref.Name):
			missing = DeletePod
		default:
			missing = FixStorage
		}
	}
	if missing != NoAction {
		return ClaimMissing, missing
	}
	return NoReason, NoAction
}

// unscheduled tells why a Pod has no node.
func (j *judge) unscheduled(p *cluster.Pod, stale bool) (Reason, Action) {
	var stranding Stranding
	if j.Stranded != nil && p.Scheduled != cluster.SchedulingGated {
		stranding = j.Stranded(p)
	}
	remedy := FreeNode
	if stranding.Remedy != NoAction {
		remedy = stranding.Remedy
	}
	if stale && (stranding.Remedy == NoAction || stranding.Remedy == FixTemplate) {
		remedy = DeletePod
	}
	switch {
	case stranding.ByVolumes:
		return UnschedulableVolumeAffinity, remedy
	case j.unbound(p):
		return VolumeUnbound, FixStorage
	case p.Scheduled == cluster.SchedulingGated && !stale:
		return SchedulingGated, Wait
	case p.Scheduled == cluster.SchedulingGated:
		return SchedulingGated, DeletePod
	}
	return Unschedulable, remedy
}

// unbound tells whether a claim that should be bound before the Pod can be scheduled is not. Claims that wait for their first consumer
// are not bound either while, say, there is no room for the Pod.
func (j *judge) unbound(p *cluster.Pod) bool {
	if j.Claim == nil || p.Scheduled == cluster.SchedulingGated {
		return false
	}
	for _, ref := range p.Claims {
		c := j.Claim(p.Namespace, ref.Name)
		switch {
		case c == nil || c.Phase == "Bound" || c.Broken:
		case c.Phase == "Lost", p.Scheduled != cluster.Unschedulable, j.Immediate != nil && j.Immediate(c.Class):
			return true
		}
	}
	return false
}

// containerReason tells what the kubelet says of the Pod's containers, as far as it names a fault
// (k8s.io/kubernetes pkg/kubelet/images/types.go, pkg/kubelet/kuberuntime/kuberuntime_container.go, pkg/kubelet/container/sync_result.go).
func containerReason(p *cluster.Pod) Reason {
	if p.Ready {
		return NoReason
	}
	switch p.Waiting {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable",
		"SignatureValidationFailed":
		return ImagePull
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError", "StartError", "PreCreateHookError",
		"PreStartHookError", "PostStartHookError":
		return ConfigError
	}
	f := p.Failure
	switch {
	case f != nil && (f.Reason == "StartError" || f.Reason == "ContainerCannotRun"):
		return ConfigError
	case p.Waiting == "CrashLoopBackOff" && p.WaitingInit, f != nil && f.Init && p.Phase == cluster.PhasePending:
		return InitFailing
	case p.Waiting == "CrashLoopBackOff":
		return CrashLoop
	}
	return NoReason
}

// nodeLost tells whether the Pod's node is not ready, or not there any more.
func (j *judge) nodeLost(p *cluster.Pod) bool {
	if j.Node == nil || p.Node == "" {
		return false
	}
	n := j.Node(p.Node)
	return n == nil || !n.Ready
}
