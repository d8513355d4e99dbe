package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
)

// asController parses as the CronJob controller does, in its own terms: the zone is written in front of the schedule,
// and what the library makes of the whole stands. The controller's process runs in UTC here.
func asController(spec, timeZone string) (sched cron.Schedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			sched, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	if timeZone != "" {
		if _, err := time.LoadLocation(timeZone); err != nil {
			return nil, err
		}
		if !strings.Contains(spec, "TZ") {
			spec = "TZ=" + timeZone + " " + spec
		}
	}
	sched, err = cron.ParseStandard(spec)
	if c, ok := sched.(*cron.SpecSchedule); ok && c.Location == time.Local {
		c.Location = time.UTC
	}
	return sched, err
}

// compose makes a schedule that parses, and a zone, from the digits of pick: text alone seldom gets that far.
func compose(pick uint64) (spec, zone string) {
	choices := [][]string{
		{"0", "30", "*", "*/7", "0,59", "5/20", "*/60", ","},
		{"0", "1", "2", "23", "*", "0-3", "*/5", "8-17", "2,23", "12"},
		{"*", "?", "1", "29", "30", "31", "*/2", "1,15", "*/1", "24-31"},
		{"*", "*", "2", "3,10", "9", "*/5", "4", "11", "JAN", "2,4,6,9,11"},
		{"*", "*", "0", "1-5", "*/2", "4", "5", "sat", "?", ","},
	}
	texts := make([]string, len(choices))
	for i, choice := range choices {
		texts[i] = choice[pick%uint64(len(choice))]
		pick /= uint64(len(choice))
	}
	zones := []string{"", "Europe/Paris", "America/New_York", "Africa/Cairo", "America/Santiago", "Asia/Beirut",
		"America/Havana", "Atlantic/Azores", "Australia/Lord_Howe", "America/Asuncion", "Asia/Gaza", "Pacific/Apia"}
	return strings.Join(texts, " "), zones[pick%uint64(len(zones))]
}

func FuzzSchedule(f *testing.F) {
	const may = 1777982400 // 2026-05-05T12:00:00Z
	for _, seed := range []struct {
		spec, zone string
		at         int64
		span       uint32
	}{
		{"0 6 * * *", "", may, 86400},
		{"*/10 8-10 * * 1-5", "Europe/Paris", may, 7 * 86400},
		{"0 0 29 2 *", "Asia/Kolkata", may, 1 << 31},
		{"0 0 31 2 *", "", may, 1 << 31},
		{"0 1 * * 4", "Africa/Cairo", 1776981600, 86400},
		{"0 12 * * 0", "America/Santiago", 1788200000, 30 * 86400},
		{"30 23 31 * *", "Atlantic/Azores", may, 86400},
		{"30 1 1,15 * 1", "America/New_York", 1793507400, 7200},
		{"0 0 * * *", "America/Havana", 1793507400, 7200},
		{"15 2 * * *", "Australia/Lord_Howe", 1790000000, 7200},
		{"0 0 1 * *", "Pacific/Apia", 1325200000, 7200},
		{", * * * *", "", may, 1},
		{"@every 90m", "", may, 86400},
		{"@every -1h", "", may, 86400},
		{"@every 9223372036s", "", may, 1 << 31},
		{"@weekly", "Asia/Beirut", may, 1 << 30},
		{"TZ=0", "", may, 1},
		{"TZ=Local 0 0 * * *", "Europe/Paris", may, 1},
		{"CRON_TZ=Asia/Tokyo 0 0 */2 * 1", "UTC", may, 86400},
		{"0 0 *-TZ * *", "Europe/Paris", may, 86400},
		{"? ? ? ? ?\x00", "\x00", -1 << 62, 1},
		{"* * * * *", "", 1 << 62, 1},
	} {
		f.Add(seed.spec, seed.zone, uint64(0), seed.at, seed.span)
	}
	// Where the spec is empty, pick makes one: these are spread over fourteen months.
	for i := range uint64(40) {
		f.Add("", "", i*1_234_567_891, int64(may+i*11*86400), uint32(i*86400))
	}
	f.Fuzz(func(t *testing.T, spec, zone string, pick uint64, at int64, span uint32) {
		if spec == "" {
			spec, zone = compose(pick)
		}
		s, problem := Parse(spec, zone, "")
		if s == nil {
			t.Fatal("Parse gave nil")
		}
		controller, err := asController(spec, zone)
		refusedByUs := len(spec) > maxSpecLength || strings.EqualFold(zone, "local") || len(zone) > maxZoneLength
		if (problem == ProblemNone) != (err == nil) && !refusedByUs {
			t.Fatalf("problem %q, the controller: %v", problem, err)
		}
		// Any instant is allowed; most are taken from the years 2012 to 2100.
		if at > 1<<40 || at < -1<<40 {
			at %= 4102444800
		}
		now := time.Unix(at, 0)
		checkLaws(t, s, s.From(now.Add(-time.Duration(span)*time.Second)), now, span)
		if problem != ProblemNone {
			checkNoTicks(t, s)
			return
		}
		// The library itself: only where it comes to an end, and in good time.
		c, isCron := controller.(*cron.SpecSchedule)
		if isCron && (fieldsOf(c).empty() || at < firstInstant || at > lastInstant-20*366*secondsPerDay) {
			return
		}
		if got, want := s.Next(now), controller.Next(now); isCron && !got.Equal(want) {
			t.Fatalf("Next(%v) = %v, the controller's is %v", now, got, want)
		}
	})
}

// checkLaws checks what holds between Next, Prev, IsTick, Count and Slot, and that Count is a walk with Next.
func checkLaws(t *testing.T, s *Schedule, a Anchored, now time.Time, span uint32) {
	t.Helper()
	prev, next := a.Slot(now)
	if !prev.Equal(a.Prev(now)) || !next.Equal(a.Next(now)) {
		t.Fatalf("Slot(%v) = %v, %v", now, prev, next)
	}
	second := time.Second
	if !next.IsZero() {
		if !next.After(now) || !a.IsTick(next) && !s.changesBetween(now.AddDate(0, 0, -32), next) {
			t.Fatalf("Next(%v) = %v, a tick: %v", now, next, a.IsTick(next))
		}
		if p := a.Prev(next); s.matchesOrEvery(next) && !p.Equal(next) {
			t.Fatalf("Prev(Next(%v) = %v) = %v", now, next, p)
		}
	}
	if !prev.IsZero() {
		if prev.After(now) || !a.IsTick(prev) || !a.Prev(prev).Equal(prev) || !a.Next(prev.Add(-second)).Equal(prev) {
			t.Fatalf("Prev(%v) = %v: a tick: %v, Prev of it: %v, Next from the second before: %v",
				now, prev, a.IsTick(prev), a.Prev(prev), a.Next(prev.Add(-second)))
		}
	}
	// No instant between Prev and now shows a tick: Next from any of them leads past now. Steps of 7 minutes and 13
	// seconds, and the ones near the ends.
	from := prev
	if from.IsZero() || now.Sub(from) > 300*433*second {
		from = now.Add(-300 * 433 * second)
	}
	for _, at := range []time.Time{from, from.Add(second), now.Add(-second)} {
		checkNothingBetween(t, s, a, prev, at, now)
	}
	for at := from; at.Before(now); at = at.Add(433 * second) {
		checkNothingBetween(t, s, a, prev, at, now)
	}
	if a.IsTick(now) != (a.Next(now.Add(-second)).Equal(now.Truncate(second)) && !a.Next(now.Add(-second)).IsZero()) && s.matchesOrEvery(now) {
		t.Fatalf("IsTick(%v) = %v, Next from the second before is %v", now, a.IsTick(now), a.Next(now.Add(-second)))
	}

	const limit = 200
	after := now.Add(-time.Duration(span) * second)
	walked := 0
	for at := a.Next(after); walked < limit && !at.IsZero() && !at.After(now); at = a.Next(at) {
		walked++
	}
	if got := a.Count(after, now, limit); got != walked {
		t.Fatalf("Count(%v, %v) = %d, walking finds %d", after, now, got, walked)
	}
}

// checkNothingBetween: from at, which lies between Prev(now) and now, Next finds no matching tick up to now.
func checkNothingBetween(t *testing.T, s *Schedule, a Anchored, prev, at, now time.Time) {
	t.Helper()
	if at.Before(prev) || at.After(now) || at.Unix() < firstInstant || at.Unix() > lastInstant {
		return
	}
	if next := a.Next(at); !next.IsZero() && !next.After(now) && s.matchesOrEvery(next) {
		t.Fatalf("Prev(%v) = %v, but Next(%v) = %v", now, prev, at, next)
	}
}

// changesBetween tells whether the clock changed. From a start in the month of such a change the library can come to
// instants that no tick leads to: on 2017-10-01, Asuncion had no midnight at which to notice that it is October.
func (s *Schedule) changesBetween(from, to time.Time) bool {
	start, _ := to.In(s.loc).ZoneBounds()
	return start.After(from)
}

// matchesOrEvery leaves out the ticks that the library comes to without their matching (see IsTick).
func (s *Schedule) matchesOrEvery(at time.Time) bool {
	u := at.Unix()
	return s.isEvery() || s.kind == kindCron && u >= firstInstant && u <= lastInstant && s.matches(u)
}
