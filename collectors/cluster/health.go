package cluster

import "time"

// State is how far a source can be trusted.
type State uint8

// The states.
const (
	Off       State = iota // not read: no collector needs it, or a flag turned it off
	Unsynced               // not listed yet
	Synced                 // listed, and watched since
	Forbidden              // the API server refuses to list or watch it
	Absent                 // the API server does not have it, or a snapshot holds none of it and that proves nothing
	Stale                  // was synced, but has had no contact for too long
)

// String gives the state in a word, for logs and /readyz.
func (s State) String() string {
	return [...]string{"off", "not synced", "synced", "forbidden", "absent", "stale"}[s]
}

// worse tells whether a source with scopes in both states is rather in s.
func (s State) worse(than State) bool {
	order := [...]int{Off: 0, Absent: 1, Synced: 2, Stale: 3, Forbidden: 4, Unsynced: 5}
	return order[s] > order[than]
}

// Health is what a source knows of itself.
type Health struct {
	State State
	// Reason says in one line why the state is not Synced, "" when there is nothing to say.
	Reason string
	// LastEvent is when the source last heard from the API server: an object, a bookmark, a list. Zero when never.
	LastEvent time.Time
	Objects   int
	// Invalid counts the objects that could not be decoded.
	Invalid int
}

// Up tells whether verdicts may rest on the source.
func (h Health) Up() bool { return h.State == Synced }

// scope is one list and watch of a resource: the whole cluster (namespace ""), or one namespace.
type scope struct {
	state  State
	reason string
	last   time.Time
	listed bool // a list has been applied: what comes now is news
}

type source struct {
	scopes  map[string]*scope
	invalid map[string]int // by scope: the last list's, and those of the watch since
}

func (s *source) scope(namespace string) *scope {
	if s.scopes == nil {
		s.scopes = map[string]*scope{}
	}
	sc := s.scopes[namespace]
	if sc == nil {
		sc = &scope{state: Unsynced}
		s.scopes[namespace] = sc
	}
	return sc
}

// health sums a source up: it is as good as the worst of its scopes. A scope that is Absent counts only when all are: of several custom
// resources a cluster has some.
func (s *source) health(objects int) Health {
	h := Health{Objects: objects}
	for _, n := range s.invalid {
		h.Invalid += n
	}
	if len(s.scopes) == 0 {
		return h
	}
	for _, sc := range s.scopes {
		if sc.last.After(h.LastEvent) {
			h.LastEvent = sc.last
		}
		if sc.state.worse(h.State) {
			h.State, h.Reason = sc.state, sc.reason
		}
	}
	return h
}
