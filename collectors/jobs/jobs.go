// Package jobs says how CronJobs and Jobs fare: whether a run that was due has started, what became of the runs that did, which of
// them will never end, and why one failed.
//
// The verdicts are pure functions of records and an instant. The state of a CronJob follows from ticks, not from thresholds: a run is
// due at a tick, and what covers the tick is a Job for it or after it. The outcome follows from the newest finished run by its tick,
// not by its end, because runs overlap. What the watch remembers improves a verdict, and none needs it.
package jobs

import (
	"time"

	"tocsin/collectors/cluster"
)

const (
	// goneAfter is how long after a tick its Job may be missing: the CronJob's status and the Job come by two watches.
	goneAfter = 60
	// podTroubleAfter is for how long a Pod may be in trouble before its Job is stalled: image pulls are retried and nodes are added
	// in less. It is also the longest back-off of the Job controller between Pods
	// (k8s.io/kubernetes pkg/controller/job/job_controller.go, MaxJobPodFailureBackOff).
	podTroubleAfter = 10 * 60
	// noPodsAfter is for how long a Job may be without Pods, or its Pods may take to go: the Job controller acts within seconds, and
	// a Pod has 30 seconds of grace by default.
	noPodsAfter = 5 * 60
	// longRunFloor is the shortest time that is ever called long by comparison with earlier runs.
	longRunFloor = 10 * 60
	// maxSlot is how long after its tick a run may take before it counts as one without a success, however rare the ticks are.
	maxSlot = 24 * 60 * 60
	// MaxTicks bounds every count of ticks.
	MaxTicks = 1000
)

// Lookups finds what is known about a Job or CronJob beside its own record. A nil function means that its source is not known: then
// no verdict is given that needs it.
type Lookups struct {
	// Pods gives a Job's Pods, in any order.
	Pods func(job cluster.UID) []*cluster.Pod
	// Evidence gives what a Job's Pods told before they went, or nil.
	Evidence func(job cluster.UID) *cluster.Evidence
	// Refusal gives the newest FailedCreate Event about a Job or CronJob, or nil.
	Refusal func(object cluster.UID) *cluster.Event
}

func (l *Lookups) pods(job cluster.UID) []*cluster.Pod {
	if l.Pods == nil {
		return nil
	}
	return l.Pods(job)
}

func (l *Lookups) evidence(job cluster.UID) *cluster.Evidence {
	if l.Evidence == nil {
		return nil
	}
	return l.Evidence(job)
}

func (l *Lookups) refusal(object cluster.UID) *cluster.Event {
	if l.Refusal == nil {
		return nil
	}
	return l.Refusal(object)
}

func seconds(now time.Time) cluster.Time { return cluster.Time(now.Unix()) }

// unfinished tells whether the Job controller, and with it the CronJob controller, still takes the Job for running: neither Complete
// nor Failed, though its outcome may be decided (k8s.io/kubernetes pkg/controller/cronjob/utils.go, IsJobFinished).
func unfinished(j *cluster.Job) bool { return j.Complete == 0 && j.FailedAt == 0 }

// suspended tells whether somebody holds the Job back: by hand, or a queue such as Kueue.
func suspended(j *cluster.Job) bool { return j.Suspend || j.Suspended != 0 }
