package schedule

import (
	"strings"
	"testing"
	"time"
)

// utc reads "2026-05-05 09:00" or "2026-05-05 09:00:13" as UTC; "" is the zero time.
func utc(t testing.TB, s string) time.Time {
	t.Helper()
	if s == "" {
		return time.Time{}
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at
		}
	}
	t.Fatalf("not a time: %q", s)
	return time.Time{}
}

// local reads a time on a zone's clock, with the zone's abbreviation where it matters: "2026-11-01 01:30 EST".
func local(t testing.TB, zone, s string) time.Time {
	t.Helper()
	loc, err := LoadZone(zone)
	if err != nil {
		t.Fatal(err)
	}
	wall, abbreviation := s, ""
	if len(s) > len("2026-11-01 01:30") {
		wall, abbreviation = s[:16], s[17:]
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", wall, loc)
	if err != nil {
		t.Fatal(err)
	}
	if abbreviation == "" {
		return at
	}
	// In an overlap the parser picks one of the two instants.
	for _, shift := range []time.Duration{0, -time.Hour, time.Hour} {
		shifted := at.Add(shift)
		if name, _ := shifted.Zone(); name == abbreviation && shifted.Format("2006-01-02 15:04") == wall {
			return shifted
		}
	}
	t.Fatalf("no such time: %q in %s", s, zone)
	return time.Time{}
}

func mustParse(t testing.TB, spec, timeZone string) *Schedule {
	t.Helper()
	s, problem := Parse(spec, timeZone, "")
	if problem != ProblemNone {
		t.Fatalf("Parse(%q, %q): %v", spec, timeZone, problem)
	}
	return s
}

func TestParseGrammar(t *testing.T) {
	accepted := []string{
		"0 6 * * *",
		"* * * * *",
		"? ? ? ? ?",
		"0 0 ? * ?",
		"*/15 8-17 * * 1-5",
		"0 0 * JAN-mar mon,WED,fri",
		"5/20 * * * *", // from 5 to the end of the hour, by 20
		"0,30 0-6/2 1,15 * *",
		"  0 6 * * *  ",
		"0\t6 *\u00a0* *",
		"0 0 1 * 1",
		"59 23 31 2 *", // parses; see TestNeverFires
		"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly",
		"@every 90m", "@every 30s", "@every 1h30m10s", "@every 1000000h", "@every 9223372036s",
		// The library rounds these up to a second: kubernetes/kubernetes accepts them.
		"@every -1h", "@every 0s", "@every 1ns",
		// kubernetes/kube-state-metrics#2967, #2988, #3021: schedules that Kubernetes runs and other parsers refuse.
		"*/60 * * * *", "*/120 4-22 * * *", "0 1 */32,1-7 * 3",
		// Nothing but separators is an empty set of values, which no check refuses.
		", * * * *",
		"*-TZ * * * *", // after a star, the library does not look at the end of the range
	}
	for _, spec := range accepted {
		s, problem := Parse(spec, "", "")
		if s == nil || problem != ProblemNone {
			t.Errorf("Parse(%q): %q, want it accepted", spec, problem)
		}
	}

	refused := []string{
		"", " ", "\x00", "0 0 * * *\x00", "0 0 * * \x00",
		"0 0 * * 7", "0 22-2 * * *", "0 0 L * *", "H * * * *", "0 0 1W * *", "0 0 * * 5#3",
		"0 0 0 * * *", "0 0 * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * 0 *",
		"*/0 * * * *", "1-2-3 * * * *", "1/2/3 * * * *", "-1 * * * *", "x * * * *", "* * * * funday",
		"@reboot", "@Daily", "@every", "@every ", "@every 1 h", "@every 1d", "@every 99999999999h", " @daily",
		"99999999999999999999 * * * *", "*/99999999999999999999 * * * *",
		// kubernetes/kubernetes pkg/util/parsers: the library slices out of range on these, and panics.
		"TZ=0", "TZ=", "CRON_TZ=", "CRON_TZ=Europe/Paris", "TZ=UTC\t0\t0\t*\t*\t*",
		"TZ=UTC ", "TZ=UTC TZ=UTC 0 0 * * *", "TZ=UTC 0 0 * * * *", "0 0 * * * TZ=UTC", " TZ=UTC 0 0 * * *",
		strings.Repeat("9", 1<<20),
		"0 0 * * " + strings.Repeat("1,", maxSpecLength) + "1",
	}
	for _, spec := range refused {
		s, problem := Parse(spec, "", "")
		if s == nil || problem != ProblemParseError {
			t.Errorf("Parse(%.40q): %q, want %q", spec, problem, ProblemParseError)
		}
		checkNoTicks(t, s)
	}
}

// checkNoTicks asks a schedule that did not parse everything.
func checkNoTicks(t *testing.T, s *Schedule) {
	t.Helper()
	now := utc(t, "2026-05-05 12:00")
	start, end := s.Slot(now)
	a := s.From(now)
	aStart, aEnd := a.Slot(now)
	for _, at := range []time.Time{s.Next(now), s.Prev(now), start, end, a.Next(now), a.Prev(now), aStart, aEnd} {
		if !at.IsZero() {
			t.Errorf("a schedule that did not parse has a tick at %v", at)
		}
	}
	if s.IsTick(now) || a.IsTick(now) || s.Count(now.AddDate(-1, 0, 0), now, 9) != 0 || a.Count(now.AddDate(-1, 0, 0), now, 9) != 0 {
		t.Error("a schedule that did not parse has ticks")
	}
	if !s.NeverFires(now) {
		t.Error("a schedule that did not parse fires")
	}
	if _, every := s.Every(); every {
		t.Error("a schedule that did not parse has a delay")
	}
}

func TestZeroValues(t *testing.T) {
	checkNoTicks(t, nil)
	checkNoTicks(t, &Schedule{})
	var s *Schedule
	if s.Zone() != "" || s.ZoneSource() != TimezoneDefault {
		t.Error("a nil schedule has a zone")
	}
	var a Anchored
	if now := utc(t, "2026-05-05 12:00"); !a.Next(now).IsZero() || !a.Prev(now).IsZero() || a.IsTick(now) || a.Count(now, now, 1) != 0 {
		t.Error("the zero Anchored has ticks")
	}
}

func TestParseZone(t *testing.T) {
	const daily = "0 0 * * *"
	huge := strings.Repeat("Europe/", 100) + "Paris"
	cases := []struct {
		name                        string
		spec, timeZone, defaultZone string
		zone                        string
		source                      Source
		problem                     Problem
		next                        string // after 2026-05-05 12:00 UTC
	}{
		{"nothing", daily, "", "", "UTC", TimezoneDefault, ProblemNone, "2026-05-06 00:00"},
		// kubernetes/kube-state-metrics#500: the zone of the kube-controller-manager, not that of the monitor.
		{"default", daily, "", "Asia/Tokyo", "Asia/Tokyo", TimezoneDefault, ProblemNone, "2026-05-05 15:00"},
		{"spec", daily, "Europe/Paris", "Asia/Tokyo", "Europe/Paris", TimezoneSpec, ProblemNone, "2026-05-05 22:00"},
		{"spec trims", " @daily ", "Europe/Paris", "", "Europe/Paris", TimezoneSpec, ProblemNone, "2026-05-05 22:00"},
		{"half an hour", daily, "Asia/Kolkata", "", "Asia/Kolkata", TimezoneSpec, ProblemNone, "2026-05-05 18:30"},
		{"a three-quarter hour", daily, "Asia/Kathmandu", "", "Asia/Kathmandu", TimezoneSpec, ProblemNone, "2026-05-05 18:15"},
		{"TZ prefix", "TZ=America/New_York " + daily, "", "", "America/New_York", TimezonePrefix, ProblemNone, "2026-05-06 04:00"},
		{"CRON_TZ prefix", "CRON_TZ=America/New_York " + daily, "", "", "America/New_York", TimezonePrefix, ProblemNone, "2026-05-06 04:00"},
		{"prefix and descriptor", "TZ=America/New_York   @daily", "", "", "America/New_York", TimezonePrefix, ProblemNone, "2026-05-06 04:00"},
		{"prefix wins over spec", "TZ=America/New_York " + daily, "Europe/Paris", "", "America/New_York", TimezonePrefix, ProblemNone, "2026-05-06 04:00"},
		{"empty prefix is UTC", "TZ= " + daily, "", "Asia/Tokyo", "UTC", TimezonePrefix, ProblemNone, "2026-05-06 00:00"},
		{"prefix Local is the controller's zone", "TZ=Local " + daily, "", "Asia/Tokyo", "Asia/Tokyo", TimezoneDefault, ProblemNone, "2026-05-05 15:00"},
		{"TZ anywhere silences spec", "0 0 *-TZ * *", "Europe/Paris", "Asia/Tokyo", "Asia/Tokyo", TimezoneDefault, ProblemNone, "2026-05-05 15:00"},
		{"unknown spec", daily, "Mars/Phobos", "", "Mars/Phobos", TimezoneSpec, ProblemUnknownTimezone, ""},
		{"unknown spec comes before a good prefix", "TZ=UTC " + daily, "Mars/Phobos", "", "Mars/Phobos", TimezoneSpec, ProblemUnknownTimezone, ""},
		{"unknown spec comes before a bad schedule", "H * * * *", "Mars/Phobos", "", "Mars/Phobos", TimezoneSpec, ProblemUnknownTimezone, ""},
		{"Local", daily, "Local", "", "Local", TimezoneSpec, ProblemUnknownTimezone, ""},
		{"local", daily, "local", "", "local", TimezoneSpec, ProblemUnknownTimezone, ""},
		{"a directory", daily, "Europe", "", "Europe", TimezoneSpec, ProblemUnknownTimezone, ""},
		{"a path", daily, "../../etc/hostname", "", "../../etc/hostname", TimezoneSpec, ProblemUnknownTimezone, ""},
		{"NUL", daily, "UTC\x00", "", "UTC\x00", TimezoneSpec, ProblemUnknownTimezone, ""},
		{"huge", daily, huge, "", huge[:maxZoneLength] + "…", TimezoneSpec, ProblemUnknownTimezone, ""},
		{"unknown prefix", "TZ=Mars/Phobos " + daily, "", "", "Mars/Phobos", TimezonePrefix, ProblemUnknownTimezone, ""},
		{"unknown default", daily, "", "Mars/Phobos", "Mars/Phobos", TimezoneDefault, ProblemUnknownTimezone, ""},
		{"unknown default not needed", daily, "Europe/Paris", "Mars/Phobos", "Europe/Paris", TimezoneSpec, ProblemNone, "2026-05-05 22:00"},
		{"default Local", daily, "", "Local", "Local", TimezoneDefault, ProblemUnknownTimezone, ""},
		{"no schedule after the prefix", "TZ=0", "", "", "0", TimezonePrefix, ProblemParseError, ""},
		{"bad schedule keeps its zone", "H * * * *", "Europe/Paris", "", "Europe/Paris", TimezoneSpec, ProblemParseError, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, problem := Parse(c.spec, c.timeZone, c.defaultZone)
			if problem != c.problem {
				t.Errorf("problem %q, want %q", problem, c.problem)
			}
			if s.Zone() != c.zone || s.ZoneSource() != c.source {
				t.Errorf("zone %q from %v, want %q from %v", s.Zone(), s.ZoneSource(), c.zone, c.source)
			}
			if got, want := s.Next(utc(t, "2026-05-05 12:00")), utc(t, c.next); !got.Equal(want) {
				t.Errorf("next tick %v, want %v", got, want)
			}
		})
	}
}

func TestLabels(t *testing.T) {
	for p, want := range map[Problem]string{
		ProblemNone: "", ProblemParseError: "parse_error", ProblemUnknownTimezone: "unknown_timezone",
		ProblemNeverFires: "never_fires", Problem(99): "problem(99)",
	} {
		if p.String() != want {
			t.Errorf("%d: %q, want %q", p, p, want)
		}
	}
	for s, want := range map[Source]string{
		TimezoneDefault: "default", TimezoneSpec: "spec", TimezonePrefix: "prefix", Source(99): "source(99)",
	} {
		if s.String() != want {
			t.Errorf("%d: %q, want %q", s, s, want)
		}
	}
}

func TestLoadZone(t *testing.T) {
	for _, name := range []string{"", "UTC", "Europe/Paris", "Etc/GMT+12"} {
		if _, err := LoadZone(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"Local", "LOCAL", "Nowhere", "/etc/localtime", strings.Repeat("a/", 1000)} {
		if loc, err := LoadZone(name); err == nil || loc != nil || !strings.Contains(err.Error(), name[:4]) {
			t.Errorf("LoadZone(%.20q): %v, %v, want an error that names it", name, loc, err)
		}
	}
}
