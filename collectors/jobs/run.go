package jobs

import (
	"strconv"
	"strings"

	"tocsin/collectors/cluster"
)

// oldestNamedTick is before every CronJob that ever was, and newer than what a date in a name, such as backup-20260505, comes to as a
// number of minutes.
const oldestNamedTick = 1325376000 // 2012-01-01

// scheduledTick gives the tick that the CronJob controller made the Job for: its annotation says it, and before Kubernetes 1.28 only its
// name does, <cronjob>-<tick in minutes> (k8s.io/kubernetes pkg/controller/cronjob/utils.go, getTimeHashInMinutes). 0 for a run that
// was started by hand. A number that somebody chose is no tick: a tick is before the Job's creation, and not by a year.
func scheduledTick(j *cluster.Job, cronJob string) cluster.Time {
	if j.Tick != 0 {
		return j.Tick
	}
	rest, ok := strings.CutPrefix(j.Name, cronJob)
	if !ok || len(rest) < 2 || rest[0] != '-' {
		return 0
	}
	minutes, err := strconv.ParseUint(rest[1:], 10, 32)
	if err != nil {
		return 0
	}
	const year, skew = 366 * 24 * 3600, 60
	tick := cluster.Time(minutes) * 60
	if tick < oldestNamedTick || tick > j.Created+skew || tick < j.Created-year {
		return 0
	}
	return tick
}

// keyOf gives the instant by which a CronJob's runs are ordered: the tick that the run is for, and for one started by hand its start.
func keyOf(j *cluster.Job, tick cluster.Time) cluster.Time {
	switch {
	case tick != 0:
		return tick
	case j.Started != 0:
		return j.Started
	}
	return j.Created
}

// isNameOfTick tells whether the name is that which the CronJob controller gives the Job of the tick
// (k8s.io/kubernetes pkg/controller/cronjob/cronjob_controllerv2.go, getJobName).
func isNameOfTick(name, cronJob string, tick cluster.Time) bool {
	rest, ok := strings.CutPrefix(name, cronJob)
	if !ok || len(rest) < 2 || rest[0] != '-' {
		return false
	}
	minutes, err := strconv.ParseInt(rest[1:], 10, 64)
	return err == nil && cluster.Time(minutes) == tick/60
}
