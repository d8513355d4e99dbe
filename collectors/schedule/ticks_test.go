package schedule

import (
	"testing"
	"time"
)

func TestNext(t *testing.T) {
	cases := []struct {
		name string
		spec string
		from string
		want []string // successive ticks; "" for none
	}{
		{"daily", "0 6 * * *", "2026-05-05 06:00", []string{"2026-05-06 06:00", "2026-05-07 06:00"}},
		{"strictly after", "* * * * *", "2026-05-05 06:00", []string{"2026-05-05 06:01"}},
		{"a second before", "0 6 * * *", "2026-05-05 05:59:59", []string{"2026-05-05 06:00"}},
		// kubernetes/kubernetes#101148: "1 0 * * *", not started one day in five.
		{"a minute past midnight", "1 0 * * *", "2026-02-25 00:01", []string{"2026-02-26 00:01"}},
		{"? is *", "? ? ? ? ?", "2026-05-05 06:00", []string{"2026-05-05 06:01"}},
		{"@hourly", "@hourly", "2026-05-05 06:00", []string{"2026-05-05 07:00"}},
		{"@daily", "@daily", "2026-05-05 06:00", []string{"2026-05-06 00:00"}},
		{"@midnight", "@midnight", "2026-05-05 06:00", []string{"2026-05-06 00:00"}},
		{"@weekly", "@weekly", "2026-05-05 06:00", []string{"2026-05-10 00:00"}},
		{"@monthly", "@monthly", "2026-05-05 06:00", []string{"2026-06-01 00:00"}},
		{"@yearly", "@yearly", "2026-05-05 06:00", []string{"2027-01-01 00:00"}},
		{"@annually", "@annually", "2026-05-05 06:00", []string{"2027-01-01 00:00"}},
		// kubernetes/kube-state-metrics#2967, #2988: a step beyond the field is its first value.
		{"*/60", "*/60 * * * *", "2026-05-05 06:00", []string{"2026-05-05 07:00", "2026-05-05 08:00"}},
		{"*/120", "*/120 4-22 * * *", "2026-05-05 21:30", []string{"2026-05-05 22:00", "2026-05-06 04:00"}},
		// robfig/cron#358: day of month and day of week, both restricted, mean either.
		{"dom or dow", "0 0 1 * 1", "2026-12-01 00:00", []string{"2026-12-07 00:00", "2026-12-14 00:00"}},
		{"dom or dow, the dom", "0 0 1 * 1", "2026-12-28 00:00", []string{"2027-01-01 00:00", "2027-01-04 00:00"}},
		{"*/1 is a star: and", "0 0 */1 * 1", "2026-12-01 00:00", []string{"2026-12-07 00:00", "2026-12-14 00:00"}},
		{"*/2 is a restriction: or", "0 0 */2 * 1", "2026-12-01 00:00", []string{"2026-12-03 00:00", "2026-12-05 00:00", "2026-12-07 00:00"}},
		// kubernetes/kube-state-metrics#3021.
		{"first seven days or Wednesdays", "0 1 */32,1-7 * 3", "2026-05-06 12:00", []string{"2026-05-07 01:00", "2026-05-13 01:00"}},
		{"a burst", "*/10 8-10 * * *", "2026-05-05 10:40", []string{"2026-05-05 10:50", "2026-05-06 08:00"}},
		{"weekdays", "0 9 * * 1-5", "2026-05-08 09:00", []string{"2026-05-11 09:00"}},
		{"day 29 monthly", "0 3 29 * *", "2026-01-29 03:00", []string{"2026-03-29 03:00"}},
		{"day 31", "0 0 31 * *", "2026-03-31 00:00", []string{"2026-05-31 00:00"}},
		{"29 February", "0 0 29 2 *", "2024-03-01 00:00", []string{"2028-02-29 00:00", "2032-02-29 00:00"}},
		{"29 February, the last of the century", "0 0 29 2 *", "2092-03-01 00:00", []string{"2096-02-29 00:00", ""}},
		{"29 February, out of sight", "0 0 29 2 *", "2098-12-31 00:00", []string{""}},
		{"29 February, in sight again", "0 0 29 2 *", "2099-01-01 00:00", []string{"2104-02-29 00:00"}},
		{"31 February", "59 23 31 2 *", "2026-05-05 00:00", []string{""}},
		{"no minute", ", * * * *", "2026-05-05 00:00", []string{""}},
		// A timestamp that was never set reads as year 1.
		{"before any cluster", "0 0 1 * *", "0001-01-01 00:00", []string{"2012-01-01 00:00", "2012-02-01 00:00"}},
		{"the end of RFC 3339", "0 0 1 1 *", "9998-12-31 00:00", []string{"9999-01-01 00:00", ""}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, at := mustParse(t, c.spec, ""), utc(t, c.from)
			for _, want := range c.want {
				got := s.Next(at)
				if !got.Equal(utc(t, want)) {
					t.Fatalf("Next(%v) = %v, want %q", at, got, want)
				}
				if at = got; !got.IsZero() && got.Location() != time.UTC {
					t.Errorf("Next(%v) is not in UTC", at)
				}
			}
		})
	}
}

func TestPrev(t *testing.T) {
	cases := []struct {
		name, spec, at, want string
	}{
		{"at the tick", "0 6 * * *", "2026-05-05 06:00", "2026-05-05 06:00"},
		{"a second before it", "0 6 * * *", "2026-05-05 05:59:59", "2026-05-04 06:00"},
		{"same hour, earlier minute", "*/20 6 * * *", "2026-05-05 06:39:59", "2026-05-05 06:20"},
		{"earlier hour, last minute", "*/20 6 * * *", "2026-05-05 12:00", "2026-05-05 06:40"},
		{"same hour, no minute yet", "30 5,6 * * *", "2026-05-05 06:29", "2026-05-05 05:30"},
		{"over the weekend", "0 9 * * 1-5", "2026-05-09 12:00", "2026-05-08 09:00"},
		{"over New Year", "0 9 31 12 *", "2026-01-01 00:00", "2025-12-31 09:00"},
		{"dom or dow", "0 0 1 * 1", "2026-12-05 00:00", "2026-12-01 00:00"},
		{"day 31", "0 0 31 * *", "2026-05-30 00:00", "2026-03-31 00:00"},
		{"29 February", "0 0 29 2 *", "2026-05-01 00:00", "2024-02-29 00:00"},
		{"29 February, over a century", "0 0 29 2 *", "2104-02-28 00:00", "2096-02-29 00:00"},
		{"31 February", "59 23 31 2 *", "2026-05-05 00:00", ""},
		{"no minute", ", * * * *", "2026-05-05 00:00", ""},
		{"before any cluster", "* * * * *", "2011-12-31 23:59", ""},
		{"the first instant", "* * * * *", "2012-01-01 00:00", "2012-01-01 00:00"},
		{"nothing since the first instant", "0 6 * * *", "2012-01-01 05:00", ""},
		{"@every has no phase", "@every 1h", "2026-05-05 00:00", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := mustParse(t, c.spec, "").Prev(utc(t, c.at)); !got.Equal(utc(t, c.want)) {
				t.Errorf("Prev(%s) = %v, want %q", c.at, got, c.want)
			}
		})
	}
}

func TestIsTick(t *testing.T) {
	cases := []struct {
		name, spec, at string
		want           bool
	}{
		{"tick", "0 6 * * *", "2026-05-05 06:00", true},
		{"a second later", "0 6 * * *", "2026-05-05 06:00:01", false},
		{"another minute", "0 6 * * *", "2026-05-05 06:01", false},
		{"another hour", "0 6 * * *", "2026-05-05 07:00", false},
		{"another day", "0 6 * * 1", "2026-05-05 06:00", false},
		{"another month", "0 6 * 6 *", "2026-05-05 06:00", false},
		// kubernetes/kube-state-metrics#500: last run at 09:50 UTC, "50 18 * * *" in a cluster that runs in Asia/Tokyo.
		{"the controller's zone is not UTC", "50 18 * * *", "2026-05-05 09:50", false},
		{"it is Asia/Tokyo", "TZ=Asia/Tokyo 50 18 * * *", "2026-05-05 09:50", true},
		{"no minute", ", * * * *", "2026-05-05 06:00", false},
		{"before any cluster", "* * * * *", "0001-01-01 00:00", false},
		{"@every has no phase", "@every 1h", "2026-05-05 06:00", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, at := mustParse(t, c.spec, ""), utc(t, c.at)
			if got := s.IsTick(at); got != c.want {
				t.Errorf("IsTick(%s) = %v", c.at, got)
			}
			if got := s.From(at.AddDate(-1, 0, 0)).IsTick(at); !s.isEvery() && got != c.want {
				t.Errorf("anchored: IsTick(%s) = %v", c.at, got)
			}
		})
	}
}

func (s *Schedule) isEvery() bool { _, every := s.Every(); return every }

func TestSubSeconds(t *testing.T) {
	s := mustParse(t, "0 6 * * *", "")
	tick := utc(t, "2026-05-05 06:00")
	half := 500 * time.Millisecond
	if got := s.Next(tick.Add(-half)); !got.Equal(tick) {
		t.Errorf("half a second before: Next = %v", got)
	}
	if got := s.Next(tick.Add(half)); !got.Equal(tick.AddDate(0, 0, 1)) {
		t.Errorf("half a second after: Next = %v", got)
	}
	if got := s.Prev(tick.Add(half)); !got.Equal(tick) {
		t.Errorf("half a second after: Prev = %v", got)
	}
	if got := s.Prev(tick.Add(-half)); !got.Equal(tick.AddDate(0, 0, -1)) {
		t.Errorf("half a second before: Prev = %v", got)
	}
	if !s.IsTick(tick.Add(half)) || s.IsTick(tick.Add(-half)) {
		t.Error("IsTick does not cut to the second")
	}
}

func TestCount(t *testing.T) {
	cases := []struct {
		name, spec, after, until string
		limit, want              int
	}{
		{"none yet", "0 6 * * *", "2026-05-04 06:00", "2026-05-05 05:59:59", 1000, 0},
		{"until is in", "0 6 * * *", "2026-05-04 06:00", "2026-05-05 06:00", 1000, 1},
		{"after is out", "0 6 * * *", "2026-05-05 06:00", "2026-05-05 06:00", 1000, 0},
		{"backwards", "* * * * *", "2026-05-05 06:00", "2026-05-04 06:00", 1000, 0},
		// kubernetes/kubernetes#42649, #45825, #110919: three hours without a controller.
		{"minutely, three hours", "* * * * *", "2026-05-05 09:00", "2026-05-05 12:00:30", 1000, 180},
		// devantler-tech/platform#4012: suspended since 26 March.
		{"daily, suspended", "0 6 * * *", "2026-03-26 12:00", "2026-05-05 12:00", 1000, 40},
		// The jump of mostRecentScheduleTime overshoots on bursts; the ticks exist all the same.
		{"burst", "*/10 8-10 * * *", "2026-05-05 08:00", "2026-05-05 12:00", 1000, 17},
		{"capped", "* * * * *", "2016-01-01 00:00", "2026-05-05 12:00", 1000, 1000},
		{"cap of zero", "* * * * *", "2026-01-01 00:00", "2026-05-05 12:00", 0, 0},
		{"negative cap", "* * * * *", "2026-01-01 00:00", "2026-05-05 12:00", -1, 0},
		{"29 February", "0 0 29 2 *", "2016-01-01 00:00", "2026-05-01 00:00", 1000, 3},
		{"29 February, from the year 1", "0 0 29 2 *", "0001-01-01 00:00", "2026-05-01 00:00", 1000, 4},
		{"31 February", "0 0 31 2 *", "0001-01-01 00:00", "9999-01-01 00:00", 1000, 0},
		{"no minute", ", * * * *", "0001-01-01 00:00", "9999-01-01 00:00", 1000, 0},
		{"@every", "@every 90m", "2026-05-05 10:00:13", "2026-05-05 13:00:13", 1000, 2},
		{"@every 0s is every second", "@every 0s", "2026-05-05 10:00", "2026-05-05 10:01", 1000, 60},
		{"@every, capped", "@every -1h", "2026-01-01 00:00", "2026-05-05 10:01", 1000, 1000},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := mustParse(t, c.spec, "")
			after, until := utc(t, c.after), utc(t, c.until)
			if got := s.Count(after, until, c.limit); got != c.want {
				t.Errorf("Count = %d, want %d", got, c.want)
			}
			if got := s.From(after).Count(after, until, c.limit); got != c.want {
				t.Errorf("anchored: Count = %d, want %d", got, c.want)
			}
		})
	}
}

func TestSlot(t *testing.T) {
	cases := []struct {
		name, spec, at, start, end string
	}{
		{"daily", "0 6 * * *", "2026-05-05 12:00", "2026-05-05 06:00", "2026-05-06 06:00"},
		// An interval taken from the next two ticks calls a weekday job late on Saturdays.
		{"weekdays, on a Saturday", "0 9 * * 1-5", "2026-05-09 12:00", "2026-05-08 09:00", "2026-05-11 09:00"},
		// giantswarm/prometheus-rules#361, kubernetes/kube-state-metrics#1476: one threshold does not fit all.
		{"weekly", "0 3 * * 0", "2026-05-07 00:00", "2026-05-03 03:00", "2026-05-10 03:00"},
		{"monthly, day 29", "0 3 29 * *", "2026-02-10 00:00", "2026-01-29 03:00", "2026-03-29 03:00"},
		{"29 February", "0 0 29 2 *", "2026-05-01 00:00", "2024-02-29 00:00", "2028-02-29 00:00"},
		{"at a tick", "*/10 8-10 * * *", "2026-05-05 10:50", "2026-05-05 10:50", "2026-05-06 08:00"},
		{"never", "0 0 30 2 *", "2026-05-01 00:00", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, at := mustParse(t, c.spec, ""), utc(t, c.at)
			for _, slot := range []func(time.Time) (time.Time, time.Time){s.Slot, s.From(at).Slot} {
				start, end := slot(at)
				if !start.Equal(utc(t, c.start)) || !end.Equal(utc(t, c.end)) {
					t.Errorf("Slot = %v, %v, want %q, %q", start, end, c.start, c.end)
				}
			}
		})
	}
}

func TestNeverFires(t *testing.T) {
	now := utc(t, "2026-05-05 12:00")
	for spec, want := range map[string]bool{
		"0 0 31 2 *":                true,
		"59 23 31 2 *":              true,
		"0 0 31 2,4,6,9,11 *":       true,
		"0 0 30 2 ?":                true,
		", * * * *":                 true,
		"* , * * *":                 true,
		"* * , * *":                 true,
		"* * * , *":                 true,
		"* * * * ,":                 true,
		"* * , * ,":                 true,
		"* * , * 1":                 false, // either: Mondays
		"* * 1 * ,":                 false,
		"0 0 31 2 1":                false, // either: Mondays in February
		"0 0 29 2 *":                false,
		"* * * * *":                 false,
		"@every 1000000h":           false,
		"TZ=Europe/Paris 0 0 1 1 *": false,
	} {
		if got := mustParse(t, spec, "").NeverFires(now); got != want {
			t.Errorf("%q: NeverFires = %v", spec, got)
		}
	}
}
