package schedule

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // a scratch image has no zone database, and schedules must not depend on the one of the machine
)

// maxZoneLength bounds, in bytes, the name of a zone. The longest in the database has 32.
const maxZoneLength = 255

// Source says which of three places a schedule's time zone was taken from.
type Source uint8

// The places, in no order of precedence: see Parse.
const (
	TimezoneDefault Source = iota // the zone of the kube-controller-manager, as the caller knows it
	TimezoneSpec                  // .spec.timeZone
	TimezonePrefix                // TZ= or CRON_TZ= at the start of .spec.schedule
)

// String gives the value of the label timezone_source.
func (s Source) String() string {
	switch s {
	case TimezoneDefault:
		return "default"
	case TimezoneSpec:
		return "spec"
	case TimezonePrefix:
		return "prefix"
	}
	return fmt.Sprintf("source(%d)", uint8(s))
}

// LoadZone loads a time zone by its name; "" is UTC. The error names the zone. "Local" is refused, as the API server
// does (k8s.io/kubernetes, pkg/apis/batch/validation/validation.go, validateTimeZone): it would be the zone of
// whichever process reads it.
func LoadZone(name string) (*time.Location, error) {
	if strings.EqualFold(name, "Local") || len(name) > maxZoneLength {
		return nil, fmt.Errorf("unknown time zone %q: use a name of the IANA time zone database", clip(name))
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("unknown time zone %q: use a name of the IANA time zone database", name)
	}
	return loc, nil
}

// zoned is a schedule taken apart into its zone and what remains for the parser.
type zoned struct {
	name      string
	source    Source
	rest      string
	malformed bool // a prefix that nothing follows, on which the library panics: "TZ=0"
}

// zoneOf finds the zone of a schedule as formatSchedule (see Parse) and the library's own prefix would, without
// loading it. A prefix of TZ=Local is the zone of the controller's process, so it is the default one.
func zoneOf(spec, timeZone, defaultZone string) zoned {
	fallback := zoned{name: named(defaultZone), source: TimezoneDefault, rest: spec}
	switch {
	case hasZonePrefix(spec):
		_, value, _ := strings.Cut(spec, "=")
		name, rest, found := strings.Cut(value, " ")
		if found && name == "Local" {
			fallback.rest = strings.TrimSpace(rest)
			return fallback
		}
		return zoned{name: named(name), source: TimezonePrefix, rest: strings.TrimSpace(rest), malformed: !found}
	case strings.Contains(spec, "TZ"):
		return fallback // elsewhere than in front it is rarely legal, and silences .spec.timeZone all the same
	case timeZone != "":
		// The controller writes "TZ=<zone> " in front, and what follows a prefix is trimmed: " @daily" parses here,
		// and only here.
		return zoned{name: named(timeZone), source: TimezoneSpec, rest: strings.TrimSpace(spec)}
	default:
		return fallback
	}
}

func named(zone string) string {
	if zone == "" {
		return "UTC"
	}
	return clip(zone)
}

// clip keeps an absurd name from becoming an absurd label. What it shortens still names no zone: none has an ellipsis.
func clip(zone string) string {
	if len(zone) <= maxZoneLength {
		return zone
	}
	return strings.ToValidUTF8(zone[:maxZoneLength], "") + "…"
}
