package schedule

import "time"

// Anchored is a schedule that begins at an instant: the CronJob's last schedule time, or its creation. For cron
// schedules the anchor changes nothing; @every schedules get from it the phase that they lack. It is a value, safe to
// copy; the zero value has no ticks.
type Anchored struct {
	s *Schedule
	lattice
}

// From anchors the schedule. The ticks of an @every schedule are then the anchor, to the second, and everything a
// whole number of delays before and after it: the controller steps the same way from the last schedule time
// (k8s.io/kubernetes, pkg/controller/cronjob/utils.go, mostRecentScheduleTime). Those before the anchor are where
// earlier runs will have been.
func (s *Schedule) From(anchor time.Time) Anchored {
	a := Anchored{s: s}
	if s.kindOf() == kindEvery {
		a.lattice = lattice{origin: clamp(anchor.Unix()), delay: s.delay}
	}
	return a
}

// Next gives the first tick strictly after t, the zero time if there is none.
func (a Anchored) Next(t time.Time) time.Time {
	if a.delay > 0 {
		return a.next(clamp(t.Unix()))
	}
	return a.s.Next(t)
}

// Prev gives the last tick at or before t, the zero time if there is none in the twelve years before it.
func (a Anchored) Prev(t time.Time) time.Time {
	if a.delay > 0 {
		return a.prev(min(t.Unix(), lastInstant))
	}
	return a.s.Prev(t)
}

// IsTick tells whether t, to the second, is a tick.
func (a Anchored) IsTick(t time.Time) bool {
	if a.delay > 0 {
		u := t.Unix()
		return u == clamp(u) && (u-a.origin)%a.delay == 0
	}
	return a.s.IsTick(t)
}

// Count gives the number of ticks in (after, until], at most limit.
func (a Anchored) Count(after, until time.Time, limit int) int {
	if a.delay > 0 {
		return a.count(clamp(after.Unix()), clamp(until.Unix()), limit)
	}
	return a.s.Count(after, until, limit)
}

// Slot gives the ticks around t: the last at or before it and the first after it, either zero if there is none.
func (a Anchored) Slot(t time.Time) (start, end time.Time) {
	return a.Prev(t), a.Next(t)
}

// lattice is the set of the instants origin + k*delay, in Unix seconds, for every whole k. Its methods take instants
// between firstInstant and lastInstant (prev also earlier ones), so that no sum of one and a delay (at most 292 years) overflows.
type lattice struct {
	origin, delay int64
}

// index gives the k of the last point at or before u.
func (l lattice) index(u int64) int64 { return floorDiv(u-l.origin, l.delay) }

func (l lattice) next(u int64) time.Time {
	next := l.origin + (l.index(u)+1)*l.delay
	if next > lastInstant {
		return time.Time{}
	}
	return time.Unix(next, 0).UTC()
}

func (l lattice) prev(u int64) time.Time {
	if u < firstInstant {
		return time.Time{}
	}
	prev := l.origin + l.index(u)*l.delay
	if prev < firstInstant || prev < u-lookBack {
		return time.Time{}
	}
	return time.Unix(prev, 0).UTC()
}

func (l lattice) count(after, until int64, limit int) int {
	n := min(l.index(until)-l.index(after), int64(limit))
	return int(max(n, 0))
}
