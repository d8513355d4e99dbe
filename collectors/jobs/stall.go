package jobs

import "tocsin/collectors/cluster"

// stallOf gives why a Job that is not finished makes no progress, or why one whose outcome is decided does not come to its end.
func stallOf(j *cluster.Job, l *Lookups, now cluster.Time) Stall {
	if !unfinished(j) || j.ManagedBy != "" {
		return NoStall // somebody else's Job may leave its status empty for ever
	}
	pods := l.pods(j.UID)
	if j.Finished() {
		return terminatingSince(j, pods, j.FinishedAt(), now)
	}
	if j.Deleted != 0 { // by a foreground deletion, which waits for the Pods
		return terminatingSince(j, pods, j.Deleted, now)
	}
	if suspended(j) {
		return NoStall
	}
	worst, active := worstOf(pods, now)
	switch {
	case worst.stall != NoStall && now-worst.since > podTroubleAfter:
		return worst.stall
	case active || j.Active > 0 || j.Uncounted || j.NoParallelism:
		return NoStall
	}
	return withoutPods(j, l, pods, now)
}

// terminatingSince tells of Pods that do not go, though they should have since an instant: their node is dead, or a finalizer holds
// them. Until they have, the Job controller does not write Failed or Complete
// (k8s.io/kubernetes pkg/controller/job/job_controller.go, enactJobFinished).
func terminatingSince(j *cluster.Job, pods []*cluster.Pod, since, now cluster.Time) Stall {
	if now-since <= noPodsAfter {
		return NoStall
	}
	if j.Terminating > 0 {
		return Terminating
	}
	for _, p := range pods {
		if p.Deleted != 0 {
			return Terminating
		}
	}
	return NoStall
}

// withoutPods judges a Job that should have Pods and has none that is not going.
func withoutPods(j *cluster.Job, l *Lookups, pods []*cluster.Pod, now cluster.Time) Stall {
	if j.Started == 0 {
		return NoStall // the Job controller has not taken it up: a queue may hold it
	}
	since, failed, going := j.Started, cluster.Time(0), j.Terminating > 0
	for _, p := range pods {
		switch {
		case p.Deleted != 0 && !p.Terminal(): // with podReplacementPolicy Failed the next one comes when this one is gone
			if now-p.Deleted > noPodsAfter {
				return Terminating
			}
			going = true
		case p.Phase == cluster.PhaseFailed:
			failed = max(failed, endOf(p))
		}
	}
	refused := refusalSince(l.refusal(j.UID), max(since, failed))
	switch {
	case going:
		return NoStall
	case j.Failed > 0 && failed == 0 && refused == NoStall:
		return NoStall // it may be between two Pods, and since when only a Pod can tell
	case j.Failed > 0:
		since = max(since, failed+podTroubleAfter-noPodsAfter) // the longest back-off
	}
	switch {
	case now-since <= noPodsAfter:
		return NoStall
	case refused != NoStall:
		return refused
	}
	return NoPods
}

// refusalSince gives which part of the API server has refused to make something, if it did so after an instant.
func refusalSince(e *cluster.Event, since cluster.Time) Stall {
	switch {
	case e == nil || e.Last < since:
		return NoStall
	case e.Quota:
		return Quota
	}
	return Admission
}
