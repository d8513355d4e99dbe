package schedule

import (
	"testing"
	"time"
)

func BenchmarkNext(b *testing.B) {
	for name, spec := range map[string]string{
		"daily":       "0 6 * * *",
		"daily Paris": "TZ=Europe/Paris 0 6 * * *",
		"29 February": "0 0 29 2 *",
		"31 February": "0 0 31 2 *",
	} {
		b.Run(name, func(b *testing.B) {
			s, now := mustParse(b, spec, ""), utc(b, "2026-05-05 12:00")
			b.ReportAllocs()
			for b.Loop() {
				s.Next(now)
			}
		})
	}
}

func BenchmarkPrev(b *testing.B) {
	for name, spec := range map[string]string{
		"daily":             "0 6 * * *",
		"daily Paris":       "TZ=Europe/Paris 0 6 * * *",
		"29 February":       "0 0 29 2 *",
		"29 February Paris": "TZ=Europe/Paris 0 0 29 2 *",
		"31 February Paris": "TZ=Europe/Paris 0 0 31 2 *",
	} {
		b.Run(name, func(b *testing.B) {
			s, now := mustParse(b, spec, ""), utc(b, "2026-05-05 12:00")
			b.ReportAllocs()
			for b.Loop() {
				s.Prev(now)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for name, zone := range map[string]string{"UTC": "", "Paris": "Europe/Paris"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse("*/15 8-17 * * 1-5", zone, "")
			}
		})
	}
}

func BenchmarkCacheGet(b *testing.B) {
	c := NewCache(100, "")
	b.ReportAllocs()
	for b.Loop() {
		c.Get("*/15 8-17 * * 1-5", "Europe/Paris")
	}
}

func BenchmarkCount(b *testing.B) {
	now := utc(b, "2026-05-05 12:00")
	for name, c := range map[string]struct {
		spec  string
		after time.Time
	}{
		"daily, one":        {"0 6 * * *", now.AddDate(0, 0, -1)},
		"daily, forty":      {"0 6 * * *", now.AddDate(0, 0, -40)},
		"minutely, capped":  {"* * * * *", now.AddDate(-5, 0, 0)},
		"29 February":       {"0 0 29 2 *", now.AddDate(-14, 0, 0)},
		"@every 1s, capped": {"@every 1s", now.AddDate(-5, 0, 0)},
	} {
		b.Run(name, func(b *testing.B) {
			a := mustParse(b, c.spec, "").From(c.after)
			b.ReportAllocs()
			for b.Loop() {
				a.Count(c.after, now, 1000)
			}
		})
	}
}
