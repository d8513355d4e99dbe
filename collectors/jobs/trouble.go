package jobs

import "tocsin/collectors/cluster"

// trouble is what keeps a Pod from running, and since when.
type trouble struct {
	stall Stall
	since cluster.Time
}

// worstOf gives the oldest trouble of a Job's Pods, and whether any Pod is there that has not ended and is not going.
func worstOf(pods []*cluster.Pod, now cluster.Time) (worst trouble, active bool) {
	for _, p := range pods {
		if p.Terminal() || p.Deleted != 0 {
			continue
		}
		active = true
		t := troubleOf(p, now)
		if t.stall != NoStall && (worst.stall == NoStall || t.since < worst.since || t.since == worst.since && t.stall < worst.stall) {
			worst = t
		}
	}
	return worst, active
}

func troubleOf(p *cluster.Pod, now cluster.Time) trouble {
	reason, _ := p.WaitsFor()
	if reason == "Unschedulable" {
		since := p.ScheduleChange
		if since == 0 {
			since = p.Created
		}
		if p.Scheduled == cluster.SchedulingGated {
			return trouble{SchedulingGated, since}
		}
		return trouble{Unschedulable, since} // also when no scheduler has ever looked at it
	}
	switch s := waitingStall(reason); {
	case s == CrashLoop, loops(p, now):
		return trouble{CrashLoop, crashingSince(p)}
	case s == NoStall, p.Ready:
		return trouble{}
	default:
		// While it has never been ready, the condition is as old as the Pod; else it says when the Pod stopped being so.
		return trouble{s, max(startOf(p), p.ReadyChanged)}
	}
}

// waitingStall says what a container's waiting reason comes to. The reasons are those of k8s.io/kubernetes pkg/kubelet/images/types.go,
// pkg/kubelet/container/sync_result.go and pkg/kubelet/kuberuntime/kuberuntime_container.go.
func waitingStall(reason string) Stall {
	switch reason {
	case "":
		return NoStall
	case "ErrImagePull", "ImagePullBackOff", "ImageInspectError", "ErrImageNeverPull", "InvalidImageName", "RegistryUnavailable",
		"SignatureValidationFailed":
		return ImagePull
	case "CreateContainerConfigError", "CreateContainerError", "PreCreateHookError", "PreStartHookError", "PostStartHookError",
		"RunContainerError":
		return ConfigError
	case "CrashLoopBackOff":
		return CrashLoop
	}
	return Creating // ContainerCreating, CreatePodSandboxError, and what a runtime may say beside
}

// surelyLooping is after how many restarts a crash loop has lasted for ten minutes: the kubelet waits 10, 20, 40, 80, 160 and 300
// seconds before them (k8s.io/kubernetes pkg/kubelet/kubelet.go, containerBackOffPeriod and MaxCrashLoopBackOff), and begins anew when
// a container has run for ten minutes.
const surelyLooping = 6

// loops tells whether a Pod whose container runs at this instant is in a crash loop none the less: it runs for seconds only, and what
// looks now and then would see the loop come and go.
func loops(p *cluster.Pod, now cluster.Time) bool {
	return p.Restarts >= surelyLooping && p.Restarted != 0 && now-p.Restarted < podTroubleAfter
}

// crashingSince gives when a crash loop began: at the Pod's start, but not before the first crash while there has been but one or two,
// since a container may have run well for hours. The Ready condition is no help: without a readiness probe each round makes the Pod
// ready for a moment.
func crashingSince(p *cluster.Pod) cluster.Time {
	since := startOf(p)
	if f := p.Failure; f != nil {
		switch p.Restarts {
		case 0: // the first crash
			since = max(since, f.Finished)
		case 1: // the second, of a container that was started seconds after the first
			since = max(since, f.Started)
		}
	}
	return since
}

func startOf(p *cluster.Pod) cluster.Time {
	if p.Started != 0 {
		return p.Started
	}
	return p.Created
}

// endOf gives when a Pod that has ended did so, as far as it tells.
func endOf(p *cluster.Pod) cluster.Time {
	switch {
	case p.Failure != nil && p.Failure.Finished != 0:
		return p.Failure.Finished
	case p.ReadyChanged != 0:
		return p.ReadyChanged
	}
	return startOf(p)
}
