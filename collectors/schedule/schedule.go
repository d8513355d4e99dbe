// Package schedule answers what a CronJob's schedule says about instants: which tick comes next, which came last,
// how many lie between two instants, and why a schedule can never run.
//
// The grammar and Next are those of github.com/robfig/cron/v3 v3.0.1, because that is what the CronJob controller
// runs: its reading of a schedule (dom and dow restricted together mean "or", "*/60" is allowed, 7 is not a Sunday)
// and its daylight-saving behavior (a local time that does not exist is skipped, one that exists twice runs twice)
// decide when Jobs start. Another cron library would be right by its own lights and wrong about real clusters. Far
// from any change of the clock the library's answer is computed here from its own bit sets, because a scrape asks
// thousands of times; near one the library itself is asked, and the fuzz test holds the two together.
//
// A tick is an instant whose local clock matches every field, which is the same as Next(t-1s) == t. The library
// knows no Prev; here it is computed from the fields and the zone's offsets, rather than by bisecting Next: bisecting
// needs Next to be monotone, and on days without a midnight (Cairo, Santiago, Beirut, Havana, the Azores) it is not.
// On such a day Next depends on where it starts: it can pass the day over when it comes from an earlier one, and it
// can run into the hours of a day that does not match. So ask it from the instant the controller would start from
// (the last schedule time, or the creation), as Anchored and Count do.
//
// Everything here is a pure function of its arguments. Instants are returned in UTC, on whole seconds.
package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// maxSpecLength bounds, in bytes, what is handed to the parser: every value of every field written out takes less
// than half of it, so nothing that a person means is longer.
const maxSpecLength = 1 << 10

// Problem says why a schedule cannot run.
type Problem uint8

// The problems that a schedule can have by itself.
const (
	ProblemNone            Problem = iota // it runs
	ProblemParseError                     // the controller says UnparseableSchedule
	ProblemUnknownTimezone                // the controller says UnknownTimeZone, or cannot load the zone of the prefix
	ProblemNeverFires                     // it parses, and no date matches: 31 February
)

// String gives the value of the label reason, "" for ProblemNone.
func (p Problem) String() string {
	switch p {
	case ProblemNone:
		return ""
	case ProblemParseError:
		return "parse_error"
	case ProblemUnknownTimezone:
		return "unknown_timezone"
	case ProblemNeverFires:
		return "never_fires"
	}
	return fmt.Sprintf("problem(%d)", uint8(p))
}

type kind uint8

const (
	kindInvalid kind = iota // did not parse: no ticks
	kindCron                // five fields or a descriptor: ticks lie on the local clock
	kindEvery               // @every: ticks lie a constant delay apart, from wherever they begin
)

// Schedule is a parsed schedule. It is immutable and safe for concurrent use. One that did not parse, the zero value
// and a nil pointer have no ticks: times are zero, counts 0.
type Schedule struct {
	kind   kind
	source Source
	zone   string
	loc    *time.Location
	cron   *cron.SpecSchedule // kindCron
	fields fields             // kindCron: the same values
	delay  int64              // kindEvery: seconds, at least 1
}

// Parse reads a CronJob's .spec.schedule as its controller does. timeZone is .spec.timeZone, "" when unset;
// defaultZone is the zone of the kube-controller-manager, "" for UTC. The Schedule is never nil and always says which
// zone would hold; the problem is ProblemNone, ProblemParseError or ProblemUnknownTimezone. Whether it ever fires
// depends on the date: see NeverFires.
//
// The order of the checks and the rule that any "TZ" in the schedule silences .spec.timeZone are those of
// k8s.io/kubernetes, pkg/controller/cronjob/cronjob_controllerv2.go, syncCronJob and formatSchedule.
func Parse(spec, timeZone, defaultZone string) (*Schedule, Problem) {
	return parse(spec, timeZone, defaultZone, LoadZone)
}

func parse(spec, timeZone, defaultZone string, load func(string) (*time.Location, error)) (*Schedule, Problem) {
	z := zoneOf(spec, timeZone, defaultZone)
	s := &Schedule{source: z.source, zone: z.name}

	// The controller looks at .spec.timeZone first, even when the schedule's own zone will silence it.
	if timeZone != "" && z.source != TimezoneSpec {
		if _, err := load(timeZone); err != nil {
			s.source, s.zone = TimezoneSpec, clip(timeZone)
			return s, ProblemUnknownTimezone
		}
	}
	if z.malformed || len(spec) > maxSpecLength {
		return s, ProblemParseError
	}
	loc, err := load(z.name)
	if err != nil {
		return s, ProblemUnknownTimezone
	}
	parsed, err := parseStandard(z.rest)
	if err != nil {
		return s, ProblemParseError
	}

	s.loc = loc
	switch c := parsed.(type) {
	case *cron.SpecSchedule:
		// Without a prefix the library keeps time.Local, which it reads as "the zone of the time that it is given".
		c.Location = loc
		s.kind, s.cron, s.fields = kindCron, c, fieldsOf(c)
	case cron.ConstantDelaySchedule:
		s.kind, s.delay = kindEvery, int64(c.Delay/time.Second)
	default:
		return s, ProblemParseError
	}
	return s, ProblemNone
}

// parseStandard parses a schedule without a zone prefix. The recovery is the controller's own:
// k8s.io/kubernetes, pkg/util/parsers/parsers.go, ParseCronScheduleWithPanicRecovery.
func parseStandard(spec string) (parsed cron.Schedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			parsed, err = nil, fmt.Errorf("invalid schedule format: %v", r)
		}
	}()
	if hasZonePrefix(spec) {
		return nil, errors.New("more than one time zone in the schedule")
	}
	return cron.ParseStandard(spec)
}

// Zone is the name of the zone whose clock the schedule follows, as it is written; "UTC" for an empty one.
// For a zone that does not exist it is the name that was asked for.
func (s *Schedule) Zone() string {
	if s == nil {
		return ""
	}
	return s.zone
}

// ZoneSource says where Zone comes from.
func (s *Schedule) ZoneSource() Source {
	if s == nil {
		return TimezoneDefault
	}
	return s.source
}

// Every gives the delay of an @every schedule, and whether it is one. The delay is what the library makes of it:
// whole seconds, at least one ("@every -1h" is accepted, and runs every second).
func (s *Schedule) Every() (time.Duration, bool) {
	if s.kindOf() != kindEvery {
		return 0, false
	}
	return time.Duration(s.delay) * time.Second, true
}

func (s *Schedule) kindOf() kind {
	if s == nil {
		return kindInvalid
	}
	return s.kind
}

// hasZonePrefix tells whether the library would read a zone at the start of the schedule.
func hasZonePrefix(spec string) bool {
	return strings.HasPrefix(spec, "TZ=") || strings.HasPrefix(spec, "CRON_TZ=")
}
