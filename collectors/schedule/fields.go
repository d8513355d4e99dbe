package schedule

import (
	"math/bits"
	"time"

	"github.com/robfig/cron/v3"
)

const secondsPerDay = 24 * 60 * 60

// fields are a cron schedule's fields as bit sets, without the library's marks for stars.
type fields struct {
	minutes, hours, doms, months, dows uint64
	// eitherDay: dom and dow are both restricted, and a day needs to match only one of them.
	eitherDay bool
}

// starBit is the library's mark for a field that was given as a star (spec.go, starBit).
const starBit = 1 << 63

func fieldsOf(c *cron.SpecSchedule) fields {
	return fields{
		minutes:   c.Minute & (1<<60 - 1),
		hours:     c.Hour & (1<<24 - 1),
		doms:      c.Dom & (1<<32 - 2),
		months:    c.Month & (1<<13 - 2),
		dows:      c.Dow & (1<<7 - 1),
		eitherDay: c.Dom&starBit == 0 && c.Dow&starBit == 0,
	}
}

// empty tells whether a field holds no value at all: "," parses as one. The library would look for it through five
// years, minute by minute.
func (f fields) empty() bool {
	noDay := f.doms == 0 || f.dows == 0
	if f.eitherDay {
		noDay = f.doms == 0 && f.dows == 0
	}
	return f.minutes == 0 || f.hours == 0 || f.months == 0 || noDay
}

func (f fields) dayMatches(dom, dow int) bool {
	d, w := has(f.doms, dom), has(f.dows, dow)
	if f.eitherDay {
		return d || w
	}
	return d && w
}

// first gives the first matching reading of a clock that runs from the reading from to the reading to, both included,
// and whether there is one. A reading is in seconds since 1970-01-01 00:00:00 on that clock, which never changes.
func (f fields) first(from, to int64) (int64, bool) {
	day := floorDiv(from, secondsPerDay)
	if second, ok := f.firstSecond(int(from - day*secondsPerDay)); ok && f.firstDay(day, day) == day {
		reading := day*secondsPerDay + int64(second)
		return reading, reading <= to
	}
	lastDay := floorDiv(to, secondsPerDay)
	day = f.firstDay(day+1, lastDay)
	if day > lastDay {
		return 0, false
	}
	second, _ := f.firstSecond(0)
	reading := day*secondsPerDay + int64(second)
	return reading, reading <= to
}

// firstSecond gives the first matching second of a day at or after second, and whether there is one.
func (f fields) firstSecond(second int) (int, bool) {
	minuteOfDay := (second + 59) / 60
	hour, minute := minuteOfDay/60, minuteOfDay%60
	if has(f.hours, hour) {
		if m, ok := lowest(f.minutes, minute); ok {
			return hour*3600 + m*60, true
		}
		hour++
	}
	h, ok := lowest(f.hours, hour)
	m, _ := lowest(f.minutes, 0)
	return h*3600 + m*60, ok
}

// firstDay gives the first matching day from day on to last, in days since 1970-01-01, or a day after last if there
// is none.
func (f fields) firstDay(day, last int64) int64 {
	year, month, dom := time.Unix(day*secondsPerDay, 0).UTC().Date()
	for day <= last {
		days := daysIn(year, month)
		if !has(f.months, int(month)) {
			day += int64(days - dom + 1)
		} else {
			for dow := weekday(day); dom <= days && day <= last; dom, day = dom+1, day+1 {
				if f.dayMatches(dom, dow) {
					return day
				}
				dow = (dow + 1) % 7
			}
		}
		dom = 1
		if month++; month > time.December {
			year, month = year+1, time.January
		}
	}
	return day
}

// last gives the last matching reading of a clock that runs from the reading from to the reading to, both included,
// and whether there is one; see first.
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
	year, month, dom := time.Unix(day*secondsPerDay, 0).UTC().Date()
	for day >= first {
		if !has(f.months, int(month)) {
			day -= int64(dom)
		} else {
			for dow := weekday(day); dom > 0 && day >= first; dom, day = dom-1, day-1 {
				if f.dayMatches(dom, dow) {
					return day
				}
				dow = (dow + 6) % 7
			}
		}
		if month--; month == 0 {
			year, month = year-1, time.December
		}
		dom = daysIn(year, month)
	}
	return day
}

func has(set uint64, bit int) bool { return set>>uint(bit)&1 == 1 }

// lowest gives the smallest value in the set that is at least n, and whether there is one.
func lowest(set uint64, n int) (int, bool) {
	set = set >> uint(n) << uint(n)
	return bits.TrailingZeros64(set), set != 0
}

// highest gives the largest value in the set that is at most n, and whether there is one.
func highest(set uint64, n int) (int, bool) {
	set &= 1<<uint(n+1) - 1
	return bits.Len64(set) - 1, set != 0
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

// weekday gives the day of the week, Sunday being 0, of a day since 1970-01-01, which was a Thursday.
func weekday(day int64) int { return int(((day+4)%7 + 7) % 7) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
