package schedule

import (
	"testing"
	"time"
)

func TestEvery(t *testing.T) {
	for spec, want := range map[string]time.Duration{
		"@every 90m":         90 * time.Minute,
		"@every 1500ms":      time.Second,
		"@every 1h0m0.9s":    time.Hour,
		"@every 0s":          time.Second,
		"@every -1h":         time.Second,
		"@every 1000000h":    1000000 * time.Hour,
		"@every 9223372036s": 9223372036 * time.Second,
	} {
		if got, every := mustParse(t, spec, "").Every(); !every || got != want {
			t.Errorf("%q: %v, %v, want %v", spec, got, every, want)
		}
	}
	if got, every := mustParse(t, "@hourly", "").Every(); every || got != 0 {
		t.Errorf("@hourly: %v, %v", got, every)
	}
	// Without an anchor it starts from the instant that is asked about, as the library does.
	if got, want := mustParse(t, "@every 90m", "").Next(utc(t, "2026-05-05 10:00:13")), utc(t, "2026-05-05 11:30:13"); !got.Equal(want) {
		t.Errorf("Next = %v, want %v", got, want)
	}
}

func TestAnchoredEvery(t *testing.T) {
	cases := []struct {
		name, spec, anchor, at string
		prev, next             string
	}{
		// The next run of "@every 90m" after one at 10:00:13 is due at 11:30:13.
		{"first slot", "@every 90m", "2026-05-05 10:00:13", "2026-05-05 11:00", "2026-05-05 10:00:13", "2026-05-05 11:30:13"},
		{"at the anchor", "@every 90m", "2026-05-05 10:00:13", "2026-05-05 10:00:13", "2026-05-05 10:00:13", "2026-05-05 11:30:13"},
		{"at a tick", "@every 90m", "2026-05-05 10:00:13", "2026-05-05 13:00:13", "2026-05-05 13:00:13", "2026-05-05 14:30:13"},
		{"years on", "@every 90m", "2020-01-01 00:00:13", "2026-05-05 13:00", "2026-05-05 12:00:13", "2026-05-05 13:30:13"},
		{"before the anchor", "@every 90m", "2026-05-05 10:00:13", "2026-05-05 08:00", "2026-05-05 07:00:13", "2026-05-05 08:30:13"},
		{"every second", "@every -1h", "2026-05-05 10:00:13", "2026-05-05 10:00:20", "2026-05-05 10:00:20", "2026-05-05 10:00:21"},
		{"a century", "@every 1000000h", "2026-05-05 10:00", "2026-05-06 10:00", "2026-05-05 10:00", "2140-06-03 02:00"},
		{"no tick for twelve years", "@every 1000000h", "2026-05-05 10:00", "2040-05-06 10:00", "", "2140-06-03 02:00"},
		{"beyond RFC 3339", "@every 9223372036s", "9900-01-01 00:00", "9900-01-02 00:00", "9900-01-01 00:00", ""},
		{"anchored on a time that was never set", "@every 1h", "0001-01-01 00:00", "2026-05-05 10:30", "2026-05-05 10:00", "2026-05-05 11:00"},
		{"asked about a time that was never set", "@every 1h", "2026-05-05 10:00", "0001-01-01 00:00", "", "2012-01-01 01:00"},
		{"a clock that changes does not matter", "TZ=Europe/Paris @every 24h", "2026-03-28 09:00", "2026-03-29 12:00", "2026-03-29 09:00", "2026-03-30 09:00"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a, at := mustParse(t, c.spec, "").From(utc(t, c.anchor)), utc(t, c.at)
			prev, next := a.Slot(at)
			if !prev.Equal(utc(t, c.prev)) || !next.Equal(utc(t, c.next)) {
				t.Errorf("Slot = %v, %v, want %q, %q", prev, next, c.prev, c.next)
			}
			for _, tick := range []time.Time{prev, next} {
				if !tick.IsZero() && !a.IsTick(tick) {
					t.Errorf("IsTick(%v) = false", tick)
				}
			}
			if delay, _ := a.s.Every(); delay > time.Second && !next.IsZero() && a.IsTick(next.Add(time.Second)) {
				t.Errorf("a second after %v is a tick, too", next)
			}
		})
	}
}

func TestAnchoredEverySubSeconds(t *testing.T) {
	anchor := utc(t, "2026-05-05 10:00:13")
	a := mustParse(t, "@every 90m", "").From(anchor.Add(700 * time.Millisecond))
	if got := a.Next(anchor.Add(700 * time.Millisecond)); !got.Equal(anchor.Add(90 * time.Minute)) {
		t.Errorf("Next = %v", got)
	}
	if !a.IsTick(anchor) {
		t.Error("the anchor is not cut to the second")
	}
}

func TestAnchoredEveryCount(t *testing.T) {
	a := mustParse(t, "@every 90m", "").From(utc(t, "2026-05-05 10:00:13"))
	cases := []struct {
		after, until string
		want         int
	}{
		{"2026-05-05 10:00:13", "2026-05-05 11:30:12", 0},
		{"2026-05-05 10:00:13", "2026-05-05 11:30:13", 1},
		{"2026-05-05 10:30", "2026-05-05 14:30:13", 3},
		{"2026-05-05 06:00", "2026-05-05 14:30:13", 6}, // from 7:00:13 on
		{"2026-05-05 14:00", "2026-05-05 06:00", 0},
		{"2025-05-05 14:00", "2026-05-05 06:00", 1000},
	}
	for _, c := range cases {
		if got := a.Count(utc(t, c.after), utc(t, c.until), 1000); got != c.want {
			t.Errorf("Count(%s, %s) = %d, want %d", c.after, c.until, got, c.want)
		}
	}
}

func TestAnchoredCron(t *testing.T) {
	// The anchor changes nothing for a cron schedule.
	s := mustParse(t, "0 6 * * *", "Europe/Paris")
	a := s.From(utc(t, "2020-02-02 13:37"))
	at := utc(t, "2026-05-05 12:00")
	if !a.Next(at).Equal(s.Next(at)) || !a.Prev(at).Equal(s.Prev(at)) || !a.IsTick(s.Next(at)) || a.IsTick(at) ||
		a.Count(at, at.AddDate(0, 0, 3), 10) != 3 {
		t.Error("an anchored cron schedule differs from the schedule")
	}
}
