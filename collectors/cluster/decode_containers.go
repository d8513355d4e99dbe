package cluster

import (
	"math"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// The waiting reasons that every container has before its first start (k8s.io/kubernetes pkg/kubelet/kubelet_pods.go).
const (
	containerCreating = "ContainerCreating"
	podInitializing   = "PodInitializing"
)

// containers sums up the container statuses, init containers first, as the fields of Pod say.
func (d *decoder) containers(p *Pod, status *corev1.PodStatus) {
	all := make([]containerStatus, 0, len(status.InitContainerStatuses)+len(status.ContainerStatuses))
	initRuns := false
	for i := range status.InitContainerStatuses {
		s := &status.InitContainerStatuses[i]
		all = append(all, containerStatus{s, true})
		initRuns = initRuns || s.State.Running != nil
	}
	for i := range status.ContainerStatuses {
		all = append(all, containerStatus{&status.ContainerStatuses[i], false})
	}
	for _, c := range all {
		p.Restarts += max(c.RestartCount, 0)
		if c.RestartCount > 0 && c.State.Running != nil {
			p.Restarted = max(p.Restarted, seconds(c.State.Running.StartedAt.Time))
		}
		d.waiting(p, c, initRuns)
	}
	p.Failure = d.termination(all)
}

type containerStatus struct {
	*corev1.ContainerStatus
	init bool
}

// waiting takes over the container's waiting reason when it tells more than what is known. A container that waits for an init
// container which runs does not wait for its creation: an init container may well take long.
func (d *decoder) waiting(p *Pod, c containerStatus, initRuns bool) {
	w := c.State.Waiting
	if w == nil || (p.Waiting != "" && p.Waiting != containerCreating) || (w.Reason == podInitializing && initRuns) {
		return
	}
	reason := w.Reason
	if reason == "" || reason == podInitializing {
		reason = containerCreating
	}
	if p.Waiting == "" || reason != containerCreating {
		p.Waiting, p.WaitingContainer, p.WaitingInit = d.strings.get(reason), d.strings.get(c.Name), c.init
	}
}

// termination gives the first container that has ended with a non-zero code; only when none has, the first that did so before its
// present run, unless it has since ended well.
func (d *decoder) termination(all []containerStatus) *Termination {
	for _, c := range all {
		if t := c.State.Terminated; t != nil && t.ExitCode != 0 {
			return d.terminationOf(c, t)
		}
	}
	for _, c := range all {
		if t := c.LastTerminationState.Terminated; t != nil && t.ExitCode != 0 && c.State.Terminated == nil {
			return d.terminationOf(c, t)
		}
	}
	return nil
}

func (d *decoder) terminationOf(c containerStatus, t *corev1.ContainerStateTerminated) *Termination {
	return &Termination{
		Container: d.strings.get(c.Name),
		Init:      c.init,
		Reason:    d.strings.get(t.Reason),
		ExitCode:  t.ExitCode,
		Started:   seconds(t.StartedAt.Time),
		Finished:  seconds(t.FinishedAt.Time),
	}
}

// startupBudget gives how long the Pod's probes let it take to become ready: its containers start together, its init containers one
// after the other.
func startupBudget(spec *corev1.PodSpec) int32 {
	var longest, inits int64
	for i := range spec.Containers {
		longest = max(longest, probeBudget(&spec.Containers[i]))
	}
	for i := range spec.InitContainers {
		inits += probeBudget(&spec.InitContainers[i])
	}
	return int32(min(longest+inits, math.MaxInt32))
}

func probeBudget(c *corev1.Container) int64 {
	var budget int64
	if p := c.StartupProbe; p != nil {
		// The defaults are those of k8s.io/kubernetes pkg/apis/core/v1/defaults.go, SetDefaults_Probe.
		period, failures := int64(p.PeriodSeconds), int64(p.FailureThreshold)
		if period <= 0 {
			period = 10
		}
		if failures <= 0 {
			failures = 3
		}
		budget = int64(max(p.InitialDelaySeconds, 0)) + period*failures
	}
	if p := c.ReadinessProbe; p != nil {
		budget += int64(max(p.InitialDelaySeconds, 0))
	}
	return min(budget, math.MaxInt32)
}

// systemPaths hold the node's own files, which every node has: a Pod that writes there leaves no data behind when it moves.
var systemPaths = []string{"/etc", "/usr", "/lib", "/proc", "/sys", "/var/run", "/run", "/dev", "/var/log"}

// writesHostPath tells whether a container mounts, writable, a hostPath that may hold data.
func writesHostPath(spec *corev1.PodSpec) bool {
	for i := range spec.Volumes {
		v := &spec.Volumes[i]
		if v.HostPath != nil && holdsData(v.HostPath) && (mountsWritable(spec.InitContainers, v.Name) || mountsWritable(spec.Containers, v.Name)) {
			return true
		}
	}
	return false
}

func holdsData(h *corev1.HostPathVolumeSource) bool {
	if h.Type != nil {
		switch *h.Type {
		case corev1.HostPathSocket, corev1.HostPathCharDev, corev1.HostPathBlockDev:
			return false
		}
	}
	clean := path.Clean(h.Path)
	for _, system := range systemPaths {
		if clean == system || strings.HasPrefix(clean, system+"/") {
			return false
		}
	}
	return true
}

func mountsWritable(containers []corev1.Container, volume string) bool {
	for i := range containers {
		for j := range containers[i].VolumeMounts {
			if m := &containers[i].VolumeMounts[j]; m.Name == volume && !m.ReadOnly {
				return true
			}
		}
	}
	return false
}
