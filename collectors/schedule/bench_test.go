package schedule

import (
	"testing"
	"time"
)

// benchSchedules are one that ticks often, the same where clocks change, one that seldom ticks, and one that never does.
var benchSchedules = []struct{ name, spec string }{
	{"daily", "0 6 * * *"},
	{"daily-in-Paris", "TZ=Europe/Paris 0 6 * * *"},
	{"29-February", "0 0 29 2 *"},
	{"29-February-in-Paris", "TZ=Europe/Paris 0 0 29 2 *"},
	{"31-February-in-Paris", "TZ=Europe/Paris 0 0 31 2 *"},
}

func BenchmarkNext(b *testing.B) {
	for _, s := range benchSchedules {
		b.Run("schedule="+s.name, func(b *testing.B) {
			s, now := mustParse(b, s.spec, ""), utc(b, "2026-05-05 12:00")
			b.ReportAllocs()
			for b.Loop() {
				s.Next(now)
			}
		})
	}
}

func BenchmarkPrev(b *testing.B) {
	for _, s := range benchSchedules {
		b.Run("schedule="+s.name, func(b *testing.B) {
			s, now := mustParse(b, s.spec, ""), utc(b, "2026-05-05 12:00")
			b.ReportAllocs()
			for b.Loop() {
				s.Prev(now)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, zone := range []struct{ name, zone string }{{"UTC", ""}, {"Paris", "Europe/Paris"}} {
		b.Run("zone="+zone.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse("*/15 8-17 * * 1-5", zone.zone, "")
			}
		})
	}
}

// BenchmarkCacheGet is what a schedule costs that is there already.
func BenchmarkCacheGet(b *testing.B) {
	const spec, zone = "*/15 8-17 * * 1-5", "Europe/Paris"
	c := NewCache(100, "")
	c.Get(spec, zone)
	b.ReportAllocs()
	for b.Loop() {
		c.Get(spec, zone)
	}
}

func BenchmarkCount(b *testing.B) {
	now := utc(b, "2026-05-05 12:00")
	for _, c := range []struct {
		name, spec string
		after      time.Time
	}{
		{"schedule=daily/ticks=1", "0 6 * * *", now.AddDate(0, 0, -1)},
		{"schedule=daily/ticks=40", "0 6 * * *", now.AddDate(0, 0, -40)},
		{"schedule=minutely/ticks=capped", "* * * * *", now.AddDate(-5, 0, 0)},
		{"schedule=29-February/ticks=3", "0 0 29 2 *", now.AddDate(-14, 0, 0)},
		{"schedule=every-second/ticks=capped", "@every 1s", now.AddDate(-5, 0, 0)},
	} {
		b.Run(c.name, func(b *testing.B) {
			a := mustParse(b, c.spec, "").From(c.after)
			b.ReportAllocs()
			for b.Loop() {
				a.Count(c.after, now, 1000)
			}
		})
	}
}
