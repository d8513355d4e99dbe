package collectors

import (
	"fmt"
	"log/slog"
	"time"

	"tocsin/collectors/cluster"
	"tocsin/collectors/schedule"
)

// zoneHint suggests what --default-timezone should be when several CronJobs have run at no tick of it. The zone of the
// kube-controller-manager cannot be asked for, and is never guessed: a wrong guess would make late what is not.
type zoneHint struct {
	log  *slog.Logger
	told int // CronJobs with a mismatch when the last hint was given
}

// enough is how many CronJobs have to agree: one alone may have any reason.
const enough = 3

// suggest logs the offset from UTC at which the most of the CronJobs have run at a tick. It says so once for each number of them.
func (h *zoneHint) suggest(mismatched []*cluster.CronJob) {
	if len(mismatched) < enough || len(mismatched) == h.told {
		return
	}
	h.told = len(mismatched)
	offset, fit := bestOffset(mismatched)
	if fit >= enough {
		h.log.Warn("CronJobs without a time zone run at no tick of --default-timezone; give the zone of the kube-controller-manager",
			"cronjobs", len(mismatched), "fit", fit, "offset", offsetName(offset))
	}
}

// bestOffset tries every offset that a zone may have. A tick at an offset is a tick in UTC that much later.
func bestOffset(cronJobs []*cluster.CronJob) (best time.Duration, fit int) {
	schedules := make([]*schedule.Schedule, len(cronJobs))
	for i, c := range cronJobs {
		schedules[i], _ = schedule.Parse(c.Schedule, "UTC", "")
	}
	for offset := -12 * time.Hour; offset <= 14*time.Hour; offset += 15 * time.Minute {
		n := 0
		for i, c := range cronJobs {
			if schedules[i].IsTick(c.LastSchedule.Std().Add(offset)) {
				n++
			}
		}
		if n > fit || n == fit && offset.Abs() < best.Abs() {
			best, fit = offset, n
		}
	}
	return best, fit
}

func offsetName(offset time.Duration) string {
	sign := '+'
	if offset < 0 {
		sign = '-'
	}
	offset = offset.Abs()
	return fmt.Sprintf("UTC%c%02d:%02d", sign, int(offset.Hours()), int(offset.Minutes())%60)
}
