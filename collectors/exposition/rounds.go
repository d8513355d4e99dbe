package exposition

import (
	"fmt"
	"sync"

	dto "github.com/prometheus/client_model/go"
)

// round is one gathering that overlapping scrapes share.
type round struct {
	done    chan struct{} // closed when everything below is set
	samples *Gathering
	others  []*dto.MetricFamily
	err     error
	readers int // under rounds.mu
}

// rounds lets scrapes share a gathering that is under way when they arrive; a scrape that comes later starts a new one, however long
// others take to read theirs.
type rounds struct {
	empty  func() *Gathering
	gather func(*Gathering) ([]*dto.MetricFamily, error)

	mu      sync.Mutex
	running *round
	spare   *Gathering // memory of a finished round
}

// join gives a finished round and how to leave it; its samples must not be used after that.
func (s *rounds) join() (*round, func()) {
	s.mu.Lock()
	r := s.running
	if r != nil {
		r.readers++
		s.mu.Unlock()
		<-r.done
		return r, func() { s.leave(r) }
	}
	r = &round{done: make(chan struct{}), samples: s.spare, readers: 1}
	s.running, s.spare = r, nil
	s.mu.Unlock()

	if r.samples == nil {
		r.samples = s.empty()
	}
	s.run(r)
	return r, func() { s.leave(r) }
}

func (s *rounds) run(r *round) {
	defer func() {
		if p := recover(); p != nil { // whoever waits for this round must not wait for ever
			r.err = fmt.Errorf("gathering: %v", p)
		}
		s.mu.Lock()
		s.running = nil
		s.mu.Unlock()
		close(r.done)
	}()
	r.others, r.err = s.gather(r.samples)
}

func (s *rounds) leave(r *round) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.readers--
	if r.readers == 0 && s.spare == nil {
		r.samples.Reset()
		s.spare = r.samples
	}
}
