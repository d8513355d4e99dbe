package schedule

import "time"

const (
	secondsPerDay = 24 * 60 * 60
	// lookBack bounds Prev. The longest stretch without a tick is eight years, around a century that has no
	// 29 February.
	lookBack = 12 * 366 * secondsPerDay
)

// matches tells whether the local clock at u shows a tick.
func (s *Schedule) matches(u int64) bool {
	local := time.Unix(u, 0).In(s.loc)
	hour, minute, second := local.Clock()
	_, month, day := local.Date()
	return second == 0 && has(s.fields.minutes, minute) && has(s.fields.hours, hour) &&
		has(s.fields.months, int(month)) && s.fields.dayMatches(day, int(local.Weekday()))
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

// last gives the last matching reading of a clock that runs from the reading from to the reading to, both included,
// and whether there is one. A reading is in seconds since 1970-01-01 00:00:00 on that clock.
func (f fields) last(to, from int64) (int64, bool) {
	day := floorDiv(to, secondsPerDay)
	if second, ok := f.lastSecond(int(to - day*secondsPerDay)); ok && f.lastDay(day, day) == day {
		reading := day*secondsPerDay + int64(second)
		return reading, reading >= from
	}
	firstDay := floorDiv(from, secondsPerDay)
	day = f.lastDay(day-1, firstDay)
	if day < firstDay {
		return 0, false
	}
	second, _ := f.lastSecond(secondsPerDay - 1)
	reading := day*secondsPerDay + int64(second)
	return reading, reading >= from
}

// lastSecond gives the last matching second of a day at or before second, and whether there is one.
func (f fields) lastSecond(second int) (int, bool) {
	hour, minute := second/3600, second%3600/60
	if has(f.hours, hour) {
		if m, ok := highest(f.minutes, minute); ok {
			return hour*3600 + m*60, true
		}
	}
	h, ok := highest(f.hours, hour-1)
	m, _ := highest(f.minutes, 59)
	return h*3600 + m*60, ok
}

// lastDay gives the last matching day from day back to first, in days since 1970-01-01, or a day before first if
// there is none.
func (f fields) lastDay(day, first int64) int64 {
	y, month, dom := time.Unix(day*secondsPerDay, 0).UTC().Date()
	for day >= first {
		if !has(f.months, int(month)) {
			day -= int64(dom)
		} else {
			// 1970-01-01 was a Thursday.
			for dow := int(((day+4)%7 + 7) % 7); dom > 0 && day >= first; dom, day = dom-1, day-1 {
				if f.dayMatches(dom, dow) {
					return day
				}
				dow = (dow + 6) % 7
			}
		}
		if month--; month == 0 {
			y, month = y-1, time.December
		}
		dom = daysIn(y, month)
	}
	return day
}

func daysIn(year int, month time.Month) int {
	switch month {
	case time.April, time.June, time.September, time.November:
		return 30
	case time.February:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
