package schedule

import "time"

// The library is asked about instants between these only, in Unix seconds.
//
// No CronJob is older than 2012, but a broken timestamp can be; before that, Pacific/Apia and Pacific/Fakaofo left
// out the whole of 2011-12-30, and the library's walk over the days never gets past such a date. An earlier instant
// is read as the first one. After the last, no answer can be written as RFC 3339.
const (
	firstInstant = 1325376000   // 2012-01-01T00:00:00Z
	lastInstant  = 253402300799 // 9999-12-31T23:59:59Z
)

// Next gives the first tick strictly after t, the zero time if there is none: the library looks five calendar years
// ahead. For @every it is t plus the delay; see From.
func (s *Schedule) Next(t time.Time) time.Time {
	u := t.Unix()
	switch s.kindOf() {
	case kindEvery:
		return lattice{origin: clamp(u), delay: s.delay}.next(clamp(u))
	case kindCron:
		if s.fields.empty() || u >= lastInstant {
			return time.Time{}
		}
		next := s.next(max(u, firstInstant-1))
		if next.IsZero() || next.Unix() > lastInstant {
			return time.Time{}
		}
		return next
	}
	return time.Time{}
}

// Prev gives the last tick at or before t, the zero time if there is none in the twelve years before it.
// An @every schedule has none until it is anchored; see From.
func (s *Schedule) Prev(t time.Time) time.Time {
	if s.kindOf() != kindCron {
		return time.Time{}
	}
	u, ok := s.prev(min(t.Unix(), lastInstant))
	if !ok {
		return time.Time{}
	}
	return time.Unix(u, 0).UTC()
}

// IsTick tells whether t, to the second, is a tick: whether its local clock matches, or the library comes to it from
// the tick before. The second is only ever the case after a day without a midnight; the controller starts those runs
// as well. An @every schedule has no ticks until it is anchored.
func (s *Schedule) IsTick(t time.Time) bool {
	if s.kindOf() != kindCron {
		return false
	}
	u := t.Unix()
	if u < firstInstant || u > lastInstant {
		return false
	}
	if s.matches(u) {
		return true
	}
	before, ok := s.prev(u - 1)
	return ok && s.Next(time.Unix(before, 0)).Unix() == u
}

// Count gives the number of ticks in (after, until], at most limit. It walks from after as the controller would, so
// that both find the same ticks; limit bounds the walk, and the library strides over empty months.
func (s *Schedule) Count(after, until time.Time, limit int) int {
	if s.kindOf() == kindEvery {
		a := clamp(after.Unix())
		return lattice{origin: a, delay: s.delay}.count(a, clamp(until.Unix()), limit)
	}
	n := 0
	for n < limit {
		next := s.Next(after)
		if next.IsZero() || next.After(until) || !next.After(after) {
			break
		}
		n, after = n+1, next
	}
	return n
}

// Slot gives the ticks around t: the last at or before it and the first after it, either zero if there is none.
func (s *Schedule) Slot(t time.Time) (start, end time.Time) {
	return s.Prev(t), s.Next(t)
}

// NeverFires tells whether no tick follows now, which is also true of a schedule that did not parse.
func (s *Schedule) NeverFires(now time.Time) bool {
	return s.Next(now).IsZero()
}

func clamp(u int64) int64 { return min(max(u, firstInstant), lastInstant) }
