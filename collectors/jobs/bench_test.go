package jobs

import (
	"fmt"
	"testing"
	"time"

	"tocsin/collectors/cluster"
	"tocsin/collectors/schedule"
)

// benchInput is a daily CronJob with ten Jobs, of which some failed.
func benchInput() (CronJobInput, time.Time) {
	day := at("02:00")
	c := cron("0 2 * * *", "02:00", "02:10", forbid, zone("Europe/Berlin"))
	in := CronJobInput{CronJob: c, Grace: 2 * time.Minute}
	in.Schedule, in.Problem = schedule.Parse("30 3 * * *", "Europe/Berlin", "")
	c.LastSchedule = day - 30*60
	for i := range 10 {
		tick := c.LastSchedule - cluster.Time(i)*24*3600
		j := &cluster.Job{Meta: cluster.Meta{Name: fmt.Sprintf("c-%d", tick/60), UID: cluster.UID{byte(i + 1)}, Created: tick}, Tick: tick, Started: tick}
		if i%3 == 0 {
			j.FailedAt, j.FailureTarget, j.FailureReason, j.Failed = tick+600, tick+600, backoff, 1
		} else {
			j.Complete, j.Completed, j.Succeeded = tick+600, tick+600, 1
		}
		in.Jobs = append(in.Jobs, j)
	}
	pods := []*cluster.Pod{pod("01:30", over, crashed("01:30", "01:40", "Error", 2))}
	in.Pods = func(cluster.UID) []*cluster.Pod { return pods }
	in.Refusal = func(cluster.UID) *cluster.Event { return nil }
	return in, at("12:00").Std()
}

func BenchmarkCronJobVerdict(b *testing.B) {
	b.Run("jobs=10", func(b *testing.B) {
		in, now := benchInput()
		b.ReportAllocs()
		for b.Loop() {
			JudgeCronJob(&in, now)
		}
	})
}

func BenchmarkJobVerdict(b *testing.B) {
	in, now := benchInput()
	stalled := in
	crashing := []*cluster.Pod{pod("01:30", running, restarts(20), restarted("09:55"), waiting("CrashLoopBackOff"), crashed("09:54", "09:55", "Error", 2))}
	stalled.Pods = func(cluster.UID) []*cluster.Pod { return crashing }
	for _, of := range []struct {
		state string
		job   *cluster.Job
		in    *CronJobInput
	}{
		{"failed", in.Jobs[0], &in},
		{"succeeded", in.Jobs[1], &in},
		{"stalled", &cluster.Job{Meta: cluster.Meta{Name: "stalled", Created: at("01:30")}, Started: at("01:30")}, &stalled},
	} {
		b.Run("state="+of.state, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				JudgeJob(of.job, &of.in.Lookups, now)
			}
		})
	}
}
