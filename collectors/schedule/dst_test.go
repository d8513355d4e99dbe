package schedule

import (
	"testing"
	"time"
)

// Ticks around changes of the clock, as the library gives them from one to the next.
func TestDaylightSaving(t *testing.T) {
	cases := []struct {
		name, zone, spec string
		ticks            []string // on the zone's clock; each is the Next of the one before
	}{
		{"New York, gap: the time that is missing is skipped", "America/New_York", "30 2 * * *",
			[]string{"2026-03-07 02:30", "2026-03-09 02:30"}},
		{"New York, gap: hourly goes on", "America/New_York", "30 * * * *",
			[]string{"2026-03-08 00:30", "2026-03-08 01:30", "2026-03-08 03:30"}},
		{"New York, gap: 3:00 is there", "America/New_York", "0 3 * * *",
			[]string{"2026-03-07 03:00", "2026-03-08 03:00", "2026-03-09 03:00"}},
		// kubernetes/kubernetes#121594.
		{"New York, overlap: runs twice", "America/New_York", "30 1 * * *",
			[]string{"2026-10-31 01:30", "2026-11-01 01:30 EDT", "2026-11-01 01:30 EST", "2026-11-02 01:30"}},
		{"Paris, gap", "Europe/Paris", "30 2 * * *",
			[]string{"2026-03-28 02:30", "2026-03-30 02:30"}},
		{"Paris, gap on the only date: a year without", "Europe/Paris", "30 2 29 3 *",
			[]string{"2025-03-29 02:30", "2027-03-29 02:30"}},
		{"Paris, overlap", "Europe/Paris", "30 2 * * *",
			[]string{"2026-10-24 02:30", "2026-10-25 02:30 CEST", "2026-10-25 02:30 CET", "2026-10-26 02:30"}},
		{"Paris, beside the change", "Europe/Paris", "30 3 * * *",
			[]string{"2026-03-28 03:30", "2026-03-29 03:30", "2026-03-30 03:30"}},
		{"Lord Howe, half an hour", "Australia/Lord_Howe", "15 2 * * *",
			[]string{"2026-10-03 02:15", "2026-10-05 02:15"}},

		// Where the clock goes forward at midnight, the date has no 0:00.
		{"Cairo, no midnight", "Africa/Cairo", "0 0 * * *",
			[]string{"2026-04-23 00:00", "2026-04-25 00:00"}},
		{"Cairo, Thursday's hour runs into Friday", "Africa/Cairo", "0 1 * * 4",
			[]string{"2026-04-16 01:00", "2026-04-23 01:00", "2026-04-24 01:00", "2026-04-30 01:00"}},
		{"Cairo, overlap at midnight", "Africa/Cairo", "30 23 * * *",
			[]string{"2026-10-28 23:30", "2026-10-29 23:30 EEST", "2026-10-29 23:30 EET", "2026-10-30 23:30"}},
		{"Santiago, no midnight", "America/Santiago", "0 0 * * *",
			[]string{"2026-09-05 00:00", "2026-09-07 00:00"}},
		{"Santiago, a week without", "America/Santiago", "0 0 * * 0",
			[]string{"2026-08-30 00:00", "2026-09-13 00:00"}},
		{"Beirut, no midnight", "Asia/Beirut", "0 0 * * *",
			[]string{"2026-03-28 00:00", "2026-03-30 00:00"}},
		{"Havana, no midnight", "America/Havana", "0 0 * * *",
			[]string{"2026-03-07 00:00", "2026-03-09 00:00"}},
		{"Havana, midnight twice", "America/Havana", "0 0 * * *",
			[]string{"2026-10-31 00:00", "2026-11-01 00:00 CDT", "2026-11-01 00:00 CST", "2026-11-02 00:00"}},
		{"Azores, no midnight", "Atlantic/Azores", "0 0 * * *",
			[]string{"2026-03-28 00:00", "2026-03-30 00:00"}},
		{"Azores, midnight twice", "Atlantic/Azores", "0 0 * * *",
			[]string{"2026-10-24 00:00", "2026-10-25 00:00 +00", "2026-10-25 00:00 -01", "2026-10-26 00:00"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := mustParse(t, c.spec, c.zone)
			prefixed := mustParse(t, "TZ="+c.zone+" "+c.spec, "")
			first := local(t, c.zone, c.ticks[0])
			at := first
			for i, tick := range c.ticks {
				want := local(t, c.zone, tick)
				if i > 0 {
					if got := s.Next(at); !got.Equal(want) {
						t.Fatalf("Next(%v) = %v, want %v", at, got.In(want.Location()), want)
					}
					if got := prefixed.Next(at); !got.Equal(want) {
						t.Fatalf("with a prefix: Next(%v) = %v, want %v", at, got, want)
					}
				}
				if !s.IsTick(want) {
					t.Errorf("IsTick(%v) = false", want)
				}
				if got := s.Count(first, want, 1000); got != i {
					t.Errorf("Count(%v, %v) = %d, want %d", first, want, got, i)
				}
				at = want
			}
		})
	}
}

// Prev over the same days: the newest instant at which the clock shows a tick.
func TestPrevOverChanges(t *testing.T) {
	cases := []struct {
		name, zone, spec, at, want string
	}{
		{"gap, on the day", "America/New_York", "30 2 * * *", "2026-03-08 12:00", "2026-03-07 02:30"},
		{"gap, right after", "America/New_York", "30 2 * * *", "2026-03-08 03:00", "2026-03-07 02:30"},
		{"overlap, after both", "America/New_York", "30 1 * * *", "2026-11-01 12:00", "2026-11-01 01:30 EST"},
		{"overlap, between", "America/New_York", "30 1 * * *", "2026-11-01 01:00 EST", "2026-11-01 01:30 EDT"},
		{"overlap, before both", "America/New_York", "30 1 * * *", "2026-11-01 01:00 EDT", "2026-10-31 01:30"},
		{"Paris, a year without", "Europe/Paris", "30 2 29 3 *", "2026-12-31 00:00", "2025-03-29 02:30"},
		{"no midnight", "Africa/Cairo", "0 0 * * *", "2026-04-24 12:00", "2026-04-23 00:00"},
		{"no midnight on Sunday", "America/Santiago", "0 0 * * 0", "2026-09-06 12:00", "2026-08-30 00:00"},
		{"midnight twice", "America/Havana", "0 0 * * *", "2026-11-01 12:00", "2026-11-01 00:00 CST"},
		// Friday 1:00 starts a run, and does not match: see the package comment.
		{"an hour that ran into Friday", "Africa/Cairo", "0 1 * * 4", "2026-04-24 12:00", "2026-04-23 01:00"},
		{"29 February, over sixteen changes", "Europe/Paris", "0 0 29 2 *", "2032-02-28 00:00", "2028-02-29 00:00"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := mustParse(t, c.spec, c.zone)
			at, want := local(t, c.zone, c.at), local(t, c.zone, c.want)
			got := s.Prev(at)
			if !got.Equal(want) {
				t.Fatalf("Prev(%v) = %v, want %v", at, got.In(want.Location()), want)
			}
			if !s.Next(got.Add(-time.Second)).Equal(got) {
				t.Errorf("Next(%v - 1s) is something else", got)
			}
		})
	}
}

// On a day without a midnight, Next depends on where it starts: this is why everything is asked from the instant
// that the controller starts from.
func TestNextDependsOnItsStart(t *testing.T) {
	// Friday 2026-04-24 has no 0:00 in Cairo: the library looks for it at 23:00 on Thursday, and then on Saturday.
	s := mustParse(t, "0 12 * * 5", "Africa/Cairo")
	noon := local(t, "Africa/Cairo", "2026-04-24 12:00")
	if got := s.Next(noon.Add(-time.Second)); !got.Equal(noon) {
		t.Errorf("from the morning: %v, want %v", got, noon)
	}
	if got, want := s.Next(noon.AddDate(0, 0, -7)), noon.AddDate(0, 0, 7); !got.Equal(want) {
		t.Errorf("from the Friday before: %v, want %v", got, want)
	}
	if got := s.Count(noon.AddDate(0, 0, -7), noon.AddDate(0, 0, 8), 9); got != 1 {
		t.Errorf("from the Friday before: %d ticks in 15 days, want 1", got)
	}

	// Coming from Thursday, it does not notice that it is Friday.
	s = mustParse(t, "0 1 * * 4", "Africa/Cairo")
	friday := local(t, "Africa/Cairo", "2026-04-24 01:00")
	if got := s.Next(friday.Add(-2 * time.Hour)); !got.Equal(friday) {
		t.Errorf("from Thursday: %v, want %v", got, friday)
	}
	if got := s.Next(friday.Add(-time.Second)); got.Equal(friday) {
		t.Errorf("from the second before: %v, want the Thursday after", got)
	}
}

// Next is computed without the library where no clock change is near: it must be the library's answer everywhere.
func TestNextIsTheLibrarys(t *testing.T) {
	zones := []string{"UTC", "America/New_York", "Europe/Paris", "Africa/Cairo", "America/Santiago", "Asia/Beirut",
		"America/Havana", "Atlantic/Azores", "Australia/Lord_Howe", "Antarctica/Troll", "Africa/Casablanca", "America/Asuncion",
		"Asia/Gaza", "Asia/Pyongyang", "Pacific/Apia", "Antarctica/Casey", "America/Sao_Paulo", "Asia/Kolkata"}
	specs := []string{"* * * * *", "30 2 * * *", "0 0 * * *", "30 23 * * 6", "0 1 * * 4", "0 12 * * 0", "0 0 1 * *", "0 0 31 * *",
		"0 0 31 9 *", "0 0 1 10 *", "0 * * 10 *", "*/7 0-3 1 4,9,11 *", "59 23 */2 3 0", "0 0 29 2 *", "0 0 31 2 *"}
	starts := []string{"2012-01-01 00:00", "2026-01-15 00:00", "2037-06-01 00:00"}
	for _, zone := range zones {
		for _, spec := range specs {
			s := mustParse(t, spec, zone)
			for _, start := range starts {
				// Eleven years, in uneven steps.
				for at, i := utc(t, start), 1; i < 40; i++ {
					if got, want := s.Next(at), s.cron.Next(at); !got.Equal(want) {
						t.Fatalf("%q in %s: Next(%v) = %v, the library's is %v", spec, zone, at, got, want)
					}
					at = at.Add(time.Duration(i%17+1)*277*time.Hour + 1801*time.Second)
				}
			}
			// Every three hours around each change of the clock in two years.
			for at, end := utc(t, "2026-01-01 00:00").In(s.loc), utc(t, "2028-01-01 00:00"); ; {
				_, change := at.ZoneBounds()
				if change.IsZero() || change.After(end) {
					break
				}
				for from := change.Add(-76 * time.Hour); from.Before(change.Add(76 * time.Hour)); from = from.Add(3*time.Hour - time.Second) {
					if got, want := s.Next(from), s.cron.Next(from); !got.Equal(want) {
						t.Fatalf("%q in %s: Next(%v) = %v, the library's is %v", spec, zone, from, got, want)
					}
				}
				at = change
			}
		}
	}
}

// Pacific/Apia left out the whole of 2011-12-30, and the library walks for ever when it comes to such a date.
func TestDateThatDoesNotExist(t *testing.T) {
	for _, zone := range []string{"Pacific/Apia", "Pacific/Fakaofo"} {
		s := mustParse(t, "0 0 1 * *", zone)
		want := local(t, zone, "2012-02-01 00:00")
		if got := s.Next(local(t, zone, "2011-12-15 00:00")); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", zone, got, want)
		}
	}
}
