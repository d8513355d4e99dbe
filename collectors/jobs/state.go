package jobs

import "tocsin/collectors/schedule"

// State is a CronJob's state.
type State uint8

// The states: the first that holds in the order Invalid, Suspended, OK, Blocked, Missed, Late.
const (
	OK        State = iota // every tick is met, or still within the grace
	Late                   // a run is due and has not started, and the controller may yet start it
	Missed                 // a run is due and will never start: startingDeadlineSeconds has passed
	Blocked                // a run is due, and concurrencyPolicy Forbid holds it back while another one runs
	Suspended              // spec.suspend
	Invalid                // the schedule can never start anything
	States                 // how many there are
)

// String gives the value of the label state.
func (s State) String() string {
	return [...]string{"ok", "late", "missed", "blocked", "suspended", "invalid"}[s]
}

// Problem is what is wrong with a CronJob's schedule.
type Problem uint8

// The problems. All but StaleActive make the CronJob Invalid.
const (
	NoProblem Problem = iota
	ParseError
	UnknownTimezone
	NeverFires
	ZeroStartingDeadline // startingDeadlineSeconds 0: the controller is always later than that
	TimezoneMismatch     // the last run was at no tick of the zone that --default-timezone says: the controller's is another
	StaleActive          // status.active names a Job that does not exist, for which Forbid waits
	Problems             // how many there are
)

// String gives the value of the label reason, "" for NoProblem.
func (p Problem) String() string {
	return [...]string{"", "parse_error", "unknown_timezone", "never_fires", "zero_starting_deadline", "timezone_mismatch", "stale_active"}[p]
}

func problemOf(p schedule.Problem) Problem {
	switch p {
	case schedule.ProblemNone:
		return NoProblem
	case schedule.ProblemUnknownTimezone:
		return UnknownTimezone
	case schedule.ProblemNeverFires:
		return NeverFires
	}
	return ParseError
}

// JobState is a Job's state.
type JobState uint8

// The states: the first that holds in the order JobFailed, JobSucceeded, JobExternal, JobSuspended, JobRetrying, JobRunning,
// JobPending.
const (
	JobPending   JobState = iota // no Pod of it has run yet
	JobRunning                   // a Pod runs, or has run
	JobRetrying                  // a Pod has failed, and none is ready
	JobSucceeded                 // Complete or SuccessCriteriaMet
	JobFailed                    // Failed or FailureTarget
	JobSuspended                 // spec.suspend or the condition Suspended
	JobExternal                  // spec.managedBy names another controller
	JobStates                    // how many there are
)

// String gives the value of the label state.
func (s JobState) String() string {
	return [...]string{"pending", "running", "retrying", "succeeded", "failed", "suspended", "external"}[s]
}

// Stall is why a run will not end, or not begin, by itself.
type Stall uint8

// The reasons.
const (
	NoStall Stall = iota
	ImagePull
	ConfigError
	Unschedulable
	SchedulingGated
	Creating // containers are being created: a volume that is not mounted, a network that is not set up
	CrashLoop
	NoPods
	Quota       // a ResourceQuota refuses the Pods, or the Job
	Admission   // something else in the API server refuses them
	Terminating // it waits for a Pod that does not go
	Stalls      // how many there are
)

// String gives the value of the label reason, "" for NoStall.
func (s Stall) String() string {
	return [...]string{"", "image_pull", "config_error", "unschedulable", "scheduling_gated", "creating", "crash_loop", "no_pods", "quota",
		"admission", "terminating"}[s]
}
