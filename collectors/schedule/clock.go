package schedule

import "time"

const (
	// lookBack bounds prev. The longest stretch without a tick is eight years, around a century that has no
	// 29 February.
	lookBack = 12 * 366 * secondsPerDay
	// lookAhead bounds what next does by itself. Beyond it the library decides, with its limit of five years.
	lookAhead = 366 * secondsPerDay
	// A change of the clock is near if it is no further off than this. The library first goes back to the start of
	// the day, or of the month if the month does not match, and no clock has been moved by more than a day.
	near      = 3 * secondsPerDay
	nearMonth = near + 31*secondsPerDay
)

// matches tells whether the local clock at u shows a tick.
func (s *Schedule) matches(u int64) bool {
	local := time.Unix(u, 0).In(s.loc)
	hour, minute, second := local.Clock()
	_, month, day := local.Date()
	return second == 0 && has(s.fields.minutes, minute) && has(s.fields.hours, hour) &&
		has(s.fields.months, int(month)) && s.fields.dayMatches(day, int(local.Weekday()))
}

// next gives what the library gives as the first tick after u. Unless the clock changes on the way or near it, that
// is the next matching reading of a steady clock, and is found from the fields at a tenth of the cost.
func (s *Schedule) next(u int64) time.Time {
	local := time.Unix(u+1, 0).In(s.loc)
	_, offset := local.Zone()
	start, end := local.ZoneBounds()
	until, before := u+lookAhead, int64(near)
	if !end.IsZero() {
		until = min(until, end.Unix()-near)
	}
	if !has(s.fields.months, int(local.Month())) {
		before = nearMonth
	}
	if start.IsZero() || u-before >= start.Unix() {
		if wall, ok := s.fields.first(u+1+int64(offset), until+int64(offset)); ok {
			return time.Unix(wall-int64(offset), 0).UTC()
		}
	}
	return s.cron.Next(time.Unix(u, 0).UTC())
}

// prev gives the last instant at or before u at which the local clock shows a tick, and whether there is one within
// lookBack. It goes back from one change of the zone's offset to the one before: in between, local time and UTC
// differ by a constant, so that gaps and overlaps need no thought.
func (s *Schedule) prev(u int64) (int64, bool) {
	if s.fields.empty() {
		return 0, false
	}
	limit := max(u-lookBack, firstInstant)
	for u >= limit {
		local := time.Unix(u, 0).In(s.loc)
		_, offset := local.Zone()
		from := limit
		if start, _ := local.ZoneBounds(); !start.IsZero() {
			from = max(from, start.Unix())
		}
		if wall, ok := s.fields.last(u+int64(offset), from+int64(offset)); ok {
			return wall - int64(offset), true
		}
		u = from - 1
	}
	return 0, false
}
