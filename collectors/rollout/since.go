package rollout

import "tocsin/collectors/cluster"

// since gives when the Pod's present trouble began, 0 when unknown. The condition Ready says it, but for a container that crashes
// again and again without a readiness probe: that is ready for some seconds of each round, and the condition starts anew.
func (j *judge) since(p *cluster.Pod) cluster.Time {
	if p.Deleted != 0 {
		return p.Deleted
	}
	start := p.Started
	if start == 0 {
		start = p.Created
	}
	switch {
	case !j.looping(p):
		if p.ReadyChanged != 0 {
			return p.ReadyChanged
		}
		return p.Created
	case p.ReadyChanged-start < j.allowed(p): // it has never been well for long
		return start
	case j.now-p.ReadyChanged > j.allowed(p) || j.recent(p):
		return p.ReadyChanged
	}
	return start
}

// looping tells whether a container has restarted and does not run, or has not run for long since.
func (j *judge) looping(p *cluster.Pod) bool {
	return p.Restarts > 0 && (p.Waiting != "" || p.Restarted == 0 || j.now-p.Restarted < j.allowed(p))
}

// The kubelet's back-off between restarts, in seconds (k8s.io/kubernetes pkg/kubelet/kubelet.go, initialBackOff and maxBackOff as far
// as they apply to containers).
const (
	firstBackOff = 10
	maxBackOff   = 300
)

// recent tells whether the restarts of a Pod are too few to have lasted as long as it may be unavailable, so that it was well before:
// the container ran for long, or all restarts together, back-offs counted double for safety, do not take that long.
func (j *judge) recent(p *cluster.Pod) bool {
	var run cluster.Time
	if f := p.Failure; f != nil && f.Started != 0 {
		run = max(f.Finished-f.Started, 0)
	}
	allowed := j.allowed(p)
	if run >= allowed {
		return true
	}
	lasted, backOff := run, cluster.Time(firstBackOff)
	for range min(p.Restarts, 1000) {
		if lasted >= allowed {
			return false
		}
		lasted += run + 2*backOff
		backOff = min(2*backOff, maxBackOff)
	}
	return lasted < allowed
}
