package collectors

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"tocsin/collectors/cluster"
)

// kubernetes/kube-state-metrics#500: the controller's zone is not the monitor's. Several CronJobs together tell which it is.
func TestZoneIsSuggested(t *testing.T) {
	ran := func(spec string, at string) *cluster.CronJob {
		tick, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		return &cluster.CronJob{Schedule: spec, LastSchedule: cluster.Time(tick.Unix())}
	}
	tokyo := []*cluster.CronJob{ran("50 18 * * *", "2026-05-05T09:50:00Z"), ran("0 2 * * *", "2026-05-04T17:00:00Z"), ran("30 8 * * 1-6", "2026-05-04T23:30:00Z")}
	var log bytes.Buffer
	hint := zoneHint{log: slog.New(slog.NewTextHandler(&log, nil))}
	hint.suggest(tokyo[:2])
	if log.Len() > 0 {
		t.Errorf("two CronJobs were enough: %s", log.String())
	}
	hint.suggest(tokyo)
	hint.suggest(tokyo)
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "offset=UTC+09:00") {
		t.Errorf("want one line that suggests UTC+09:00, got %q", got)
	}
	log.Reset()
	hint.suggest([]*cluster.CronJob{ran("1 2 3 1 *", "2026-05-05T09:50:00Z"), ran("7 7 7 2 *", "2026-05-05T17:01:00Z"), ran("9 9 9 3 *", "2026-05-05T23:32:00Z"), ran("11 11 11 4 *", "2026-05-05T23:33:00Z")})
	if log.Len() > 0 {
		t.Errorf("a zone that fits nobody is suggested: %s", log.String())
	}
}
