package schedule

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestCache(t *testing.T) {
	c := NewCache(10, "Asia/Tokyo")
	first, problem := c.Get("0 6 * * *", "Europe/Paris")
	if problem != ProblemNone || first.Zone() != "Europe/Paris" {
		t.Fatalf("%q in %q", problem, first.Zone())
	}
	if again, _ := c.Get("0 6 * * *", "Europe/Paris"); again != first {
		t.Error("the second Get parsed it again")
	}
	elsewhere, _ := c.Get("0 6 * * *", "")
	if elsewhere == first || elsewhere.Zone() != "Asia/Tokyo" || elsewhere.ZoneSource() != TimezoneDefault {
		t.Errorf("without a zone: %q from %v", elsewhere.Zone(), elsewhere.ZoneSource())
	}
	if s, problem := c.Get("0 0 * * 7", ""); s == nil || problem != ProblemParseError {
		t.Errorf("bad schedule: %q", problem)
	}
	if s, problem := c.Get("0 0 * * 7", ""); s == nil || problem != ProblemParseError {
		t.Errorf("bad schedule, held: %q", problem)
	}
	if c.Len() != 3 {
		t.Errorf("Len = %d, want 3", c.Len())
	}
	noon, _ := c.Get("0 12 * * *", "Europe/Paris")
	if noon.loc != first.loc {
		t.Error("two schedules in one zone hold it twice")
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := NewCache(10, "")
	for i := range 500 {
		spec := fmt.Sprintf("%d %d * * *", i%60, i/60)
		if s, problem := c.Get(spec, ""); problem != ProblemNone || s.NeverFires(utc(t, "2026-05-05 12:00")) {
			t.Fatalf("%q: %q", spec, problem)
		}
		if c.Len() > 10 {
			t.Fatalf("Len = %d", c.Len())
		}
	}
	// What is too long to be parsed is too long to be held.
	c = NewCache(10, "")
	if _, problem := c.Get(strings.Repeat("*", maxSpecLength+1), ""); problem != ProblemParseError {
		t.Errorf("long schedule: %q", problem)
	}
	if _, problem := c.Get("* * * * *", strings.Repeat("z", maxZoneLength+1)); problem != ProblemUnknownTimezone {
		t.Errorf("long zone: %q", problem)
	}
	if c.Len() != 0 {
		t.Errorf("Len = %d, want 0", c.Len())
	}
	c = NewCache(-1, "")
	c.Get("1 * * * *", "")
	c.Get("2 * * * *", "")
	if c.Len() != 1 {
		t.Errorf("limit -1: Len = %d, want 1", c.Len())
	}
}

func TestCacheConcurrently(t *testing.T) {
	c := NewCache(20, "Europe/Paris")
	now := utc(t, "2026-05-05 12:00")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 300 {
				s, problem := c.Get(fmt.Sprintf("%d * * * *", i%30), []string{"", "Asia/Tokyo", "Nowhere"}[i%3])
				if (problem == ProblemNone) == (i%3 == 2) {
					t.Errorf("%d: %q", i, problem)
				}
				s.Next(now)
				s.Prev(now)
			}
		})
	}
	wg.Wait()
	if c.Len() > 20 {
		t.Errorf("Len = %d", c.Len())
	}
}
