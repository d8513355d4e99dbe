// Package cluster holds what is known of a cluster: one source per resource, fed by list and watch or by a snapshot's files, compact
// records of the objects, and the indexes that join them.
//
// Writers and readers never wait for each other. A change that arrives while a view is open is queued, and applied when the last view
// is closed; a view therefore stays consistent for the length of a scrape without copying anything. Two other designs were left: a
// lock held by readers stops the watches, and with them the API server's send buffers, for the length of each scrape; a persistent
// map costs every record several allocations for the sake of a reader that comes twice a minute.
//
// What was tried to make a large cluster cheap, and what it gave with 106,703 objects (429 MB in etcd) behind an API server on the same two
// cores (`make bench-scale SCALEFLAGS=--serve` keeps one up, for a start of one's own to be watched):
//
//   - Lists are streamed (WatchList), so that no list is ever decoded at once: the peak is a seventh of what kube-state-metrics has.
//   - Protobuf is sifted before it is decoded (wire.go): only the fields that records rest on are. A start took 5.5 s in place of 12.8, and 3.9 s of
//     CPU in place of 7.3. Answers come unpacked besides, since unpacking was 18 % of a start's CPU; what that alone gave was not measured.
//   - Types of the groups that are not read are left out of the program: 41 MB in place of 56, of which 25 in place of 30 are in memory.
//   - Labels are kept of Pods, claims and Nodes alone, since nothing selects others. Equal strings, label sets and scheduling
//     restrictions are one (decode_intern.go).
//   - After the lists the heap is held nearer to what is in use, and what the start left is given back (cmd/tocsin/memory.go): 124 MB
//     resident in place of 173. What is left above the 70 MB in use is the program, and holes between records, which a heap whose objects do not move
//     keeps. To collect more often during the start fills some of them (6 MB fewer) and costs a fifth more CPU; it was left.
//   - Verdicts are judged anew at each scrape: two thirds of its CPU, 35 of 51 ms. To keep them until something changes was not tried.
//
// Of several exporters each can take a Shard. Its objects are told from others by their metadata, before a record is made of them, and
// the API server is asked to leave out the namespaces of others, by name, since no selector can hash. With 32,000 objects in 60
// namespaces one of three shards, having 0.36 of the Pods, needed of what the whole cluster takes
//
//   - by leaving out what arrives: 0.98 of the bytes read, 0.8 of the CPU time until the first scrape, 0.7 of the resident memory
//   - by asking for less as well: 0.39 of the bytes, 0.46 of the CPU time, 0.68 of the memory, and no more of the API server's CPU time
//
// and one of seven, having 0.22 of them, 0.25, 0.3 and 0.62; of the 82 MB of the whole some 40 are the process's own, however little it
// holds. Nodes and PersistentVolumes, which have no namespace to ask for, come in full to every shard. With --namespace, which has a
// list and watch for each namespace, a shard opens only its own. To do so without --namespace was left: it would hold a watch open for
// each resource in each namespace.
package cluster

import (
	"slices"
	"sync"
	"time"
)

// maxQueue bounds the changes that wait for views to close: past it a new view waits until the present ones are closed, so that
// overlapping readers cannot hold the queue for ever.
const maxQueue = 100_000

// Store holds the records. Its methods may be called from many goroutines.
type Store struct {
	now   func() time.Time
	start Time

	only, except map[string]bool // namespaces
	shard        Shard

	mu      sync.Mutex
	idle    *sync.Cond // views is 0
	views   int
	queue   []change
	data    tables
	sources [resourceCount]source
}

func set(names []string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

func (s *Store) wants(record any) bool {
	r := record.(Record)
	namespace := r.meta().Namespace
	return (namespace == "" || s.named(namespace)) && s.shard.reads(homeOf(r))
}

// named tells whether the flags let a namespace in.
func (s *Store) named(namespace string) bool {
	return (len(s.only) == 0 || s.only[namespace]) && !s.except[namespace]
}

type operation uint8

const (
	opPut operation = iota
	opDelete
	opReplace
)

type change struct {
	op       operation
	resource Resource
	scope    string
	records  []any
	invalid  int
	at       time.Time
}

// NewStore gives an empty store. now is the clock: the wall clock, or a snapshot's. It takes objects of the namespaces in only, all
// when that is empty, but never of those in except; objects without a namespace always.
func NewStore(now func() time.Time, only, except []string) *Store {
	return NewStoreOfShard(now, only, except, Shard{})
}

// NewStoreOfShard gives a NewStore that takes only what the shard has to know.
func NewStoreOfShard(now func() time.Time, only, except []string, shard Shard) *Store {
	s := &Store{now: now, start: Time(now().Unix()), only: set(only), except: set(except), shard: shard}
	s.idle = sync.NewCond(&s.mu)
	s.data.connect(shard)
	return s
}

// Expect registers that the resource will be listed in a namespace ("" for the whole cluster): until then it is Unsynced.
func (s *Store) Expect(r Resource, namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sources[r].scope(namespace)
}

// Put adds a record or replaces that of the same name. scope is the namespace of the list and watch that it came from.
func (s *Store) Put(r Resource, scope string, record any) {
	s.submit(change{op: opPut, resource: r, scope: scope, records: []any{record}})
}

// Delete removes the object that the record, its last state, is of.
func (s *Store) Delete(r Resource, scope string, record any) {
	s.submit(change{op: opDelete, resource: r, scope: scope, records: []any{record}})
}

// Replace makes the records all that the scope holds and marks it Synced. No view ever sees the scope between two lists. invalid is
// the number of listed objects that could not be decoded.
func (s *Store) Replace(r Resource, scope string, records []any, invalid int) {
	s.submit(change{op: opReplace, resource: r, scope: scope, records: records, invalid: invalid})
}

// Invalid counts an object that came by watch and could not be decoded, and forgets what was known of it under that name, since it is
// no longer true.
func (s *Store) Invalid(r Resource, scope, namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sources[r].addInvalid(scope, 1)
	s.queue = append(s.queue, change{op: opDelete, resource: r, scope: scope, records: []any{&Meta{Namespace: namespace, Name: name}}, at: s.now()})
	s.drain()
}

func (s *source) addInvalid(scope string, n int) {
	if s.invalid == nil {
		s.invalid = map[string]int{}
	}
	s.invalid[scope] += n
}

// Heard notes that the API server has been heard from about the scope: a bookmark, or a watch that was opened. It ends staleness.
func (s *Store) Heard(r Resource, scope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sc := s.sources[r].scope(scope)
	sc.last = s.now()
	if sc.state == Stale {
		sc.state, sc.reason = Synced, ""
	}
}

// SetState marks a scope Forbidden, Absent, Stale or Unsynced, with the reason in one line. Records of a scope that is Forbidden or
// Absent are kept: it may come back, and no verdict reads them meanwhile.
func (s *Store) SetState(r Resource, scope string, state State, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sc := s.sources[r].scope(scope)
	sc.state, sc.reason = state, reason
}

// waitsFor notes why a scope has not been listed yet. One that is known to be forbidden or absent stays so: Tocsin may be ready, and must
// not cease to be.
func (s *Store) waitsFor(r Resource, scope, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sc := s.sources[r].scope(scope); sc.state == Unsynced {
		sc.reason = reason
	}
}

// known tells whether it has been found out before whether the API server has what the scope lists.
func (s *Store) known(r Resource, scope string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sc := s.sources[r].scope(scope)
	return sc.listed || sc.state == Absent
}

// listed tells whether the scope has ever been listed.
func (s *Store) listed(r Resource, scope string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sources[r].scope(scope).listed
}

// Waiting says what the first list of which source is still waiting for, "" when every permitted source has been listed.
func (s *Store) Waiting() string {
	for _, r := range Resources() {
		if h := s.Health(r); h.State == Unsynced {
			if h.Reason == "" {
				return r.String() + ": not listed yet"
			}
			return r.String() + ": " + h.Reason
		}
	}
	return ""
}

// Health tells how far the resource can be trusted now.
func (s *Store) Health(r Resource) Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sources[r].health(s.data.table(r).len())
}

// View opens a view of the cluster at the store's present instant.
func (s *Store) View() *View {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.views > 0 && len(s.queue) > maxQueue {
		s.idle.Wait()
	}
	if s.views == 0 {
		s.drain()
		s.data.settle()
	}
	s.views++
	v := &View{tables: &s.data, Now: s.now(), store: s}
	for r := range v.health {
		v.health[r] = s.sources[r].health(s.data.table(Resource(r)).len())
	}
	return v
}

// Close ends the view; what it gave must not be used any more, but for the records themselves, which never change.
func (v *View) Close() {
	s := v.store
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views--
	if s.views == 0 {
		s.drain()
		s.idle.Broadcast()
	}
}

func (s *Store) submit(c change) {
	c.at = s.now()
	if c.op == opPut && c.resource == Volumes && !s.wants(c.records[0]) {
		c.op, c.records[0] = opDelete, metaOf(c.records[0].(*Volume)) // its claim is one of another shard's by now
	}
	c.records = slices.DeleteFunc(c.records, func(r any) bool { return !s.wants(r) })
	if c.resource == Events {
		c.records = newestRefusals(c.records)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, c)
	s.drain()
}

// drain applies what waits, unless a view is open.
func (s *Store) drain() {
	if s.views > 0 {
		return
	}
	for _, c := range s.queue {
		s.apply(c)
	}
	clear(s.queue)
	s.queue = s.queue[:0]
	if cap(s.queue) > 4096 { // after a burst
		s.queue = nil
	}
}

func (s *Store) apply(c change) {
	sc, t := s.sources[c.resource].scope(c.scope), s.data.table(c.resource)
	sc.last = c.at
	s.data.memory.at, s.data.memory.start = Time(c.at.Unix()), s.start
	s.data.memory.initial = !sc.listed && c.op == opReplace
	switch c.op {
	case opPut:
		for _, r := range c.records {
			if c.resource != Events || s.data.admits(r.(*Event)) {
				t.put(r)
			}
		}
	case opDelete:
		for _, r := range c.records {
			if e, ok := r.(*Event); !ok || !s.data.outdates(e) {
				t.delete(r)
			}
		}
	case opReplace:
		t.replace(c.scope, c.records)
		sc.listed = true
		s.sources[c.resource].setInvalid(c.scope, c.invalid)
	}
	if c.op == opReplace || sc.state == Stale {
		sc.state, sc.reason = Synced, ""
	}
}

func (s *source) setInvalid(scope string, n int) {
	delete(s.invalid, scope)
	if n > 0 {
		s.addInvalid(scope, n)
	}
}
