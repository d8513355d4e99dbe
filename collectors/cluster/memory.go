package cluster

// memory is what only the watch can know: when a schedule was edited, how a container ended whose Pod is gone, how a run ended whose
// Job is gone. It improves verdicts and is needed for none; a restart loses it.
type memory struct {
	at, start Time
	initial   bool // the change is part of a scope's first list: what it shows happened before Tocsin started

	evidence map[UID]*Evidence    // by Job
	lastRun  map[UID]*FinishedRun // by CronJob
	runs     map[UID]Runs         // by CronJob
}

func (m *memory) init() {
	m.evidence, m.lastRun, m.runs = map[UID]*Evidence{}, map[UID]*FinishedRun{}, map[UID]Runs{}
}

// cronJob dates edits and suspensions. managedFields, which the decoder read, date a change to the second when the watch has just
// seen it; on an object that has not changed in this respect they may have moved on with another field of the same manager, so that
// what was known before holds.
func (m *memory) cronJob(old, new *CronJob) {
	if old != nil && (new == nil || new.UID != old.UID) {
		delete(m.runs, old.UID)
		delete(m.lastRun, old.UID)
		old = nil
	}
	if new == nil {
		return
	}
	if old == nil {
		// What managedFields say at first sight is believed, but not of the future, as which a clock that is wrong shows.
		if new.ChangedAt > m.at {
			new.ChangedAt = 0
		}
		if new.SuspendedAt > m.at {
			new.SuspendedAt = 0
		}
		return
	}
	edited := old.Schedule != new.Schedule || old.TimeZone != new.TimeZone
	resumed := old.Suspend && !new.Suspend
	if edited || resumed {
		new.ChangedAt = m.dated(new.ChangedAt, old.ChangedAt)
	} else {
		new.ChangedAt = old.ChangedAt
	}
	switch {
	case !new.Suspend:
		new.SuspendedAt = 0
	case old.Suspend:
		new.SuspendedAt = old.SuspendedAt
	default:
		new.SuspendedAt = m.dated(new.SuspendedAt, old.SuspendedAt)
	}
}

// dated gives the moment that managedFields name for a change just seen when it can be true, else the present.
func (m *memory) dated(fields, before Time) Time {
	if fields > before && fields <= m.at {
		return fields
	}
	return m.at
}

// job counts each run of a CronJob once, and remembers the newest that is gone.
func (m *memory) job(old, new *Job, pods index[UID, Pod], cronJobs *Table[CronJob]) {
	if old != nil && (new == nil || new.UID != old.UID) {
		m.jobGone(old, pods[old.UID], cronJobs)
		old = nil
	}
	if new == nil || !new.Finished() || (old != nil && old.Finished()) {
		return
	}
	if old == nil && (m.initial || new.FinishedAt() < m.start) {
		return // it had finished before Tocsin started
	}
	m.count(new, cronJobs, func(r *Runs) {
		if new.Failure() {
			r.Failed++
		} else {
			r.Succeeded++
		}
	})
}

func (m *memory) count(j *Job, cronJobs *Table[CronJob], add func(*Runs)) {
	o, ok := ownerIn(j, cronJobs)
	if !ok {
		return
	}
	r := m.runs[o.UID]
	add(&r)
	m.runs[o.UID] = r
}

func (m *memory) jobGone(j *Job, pods []*Pod, cronJobs *Table[CronJob]) {
	evidence := m.evidence[j.UID]
	delete(m.evidence, j.UID)
	o, ok := ownerIn(j, cronJobs)
	if !ok {
		return
	}
	if !j.Finished() {
		m.count(j, cronJobs, func(r *Runs) { r.Gone++ })
		return
	}
	run := &FinishedRun{Tick: j.Tick, Failed: j.Failure(), Reason: j.FailureReason, Started: j.Started, Finished: j.FinishedAt()}
	if run.Tick == 0 {
		run.Tick = max(j.Started, j.Created)
	}
	for _, p := range pods {
		if e := m.evidenceOf(p); e.newer(evidence) {
			evidence = e
		}
	}
	run.Evidence = evidence
	if before := m.lastRun[o.UID]; before == nil || before.Tick <= run.Tick {
		m.lastRun[o.UID] = run
	}
}

// ownerIn gives the Job's CronJob while it exists: what is remembered of one that does not, nobody would let go of.
func ownerIn(j *Job, cronJobs *Table[CronJob]) (Owner, bool) {
	o, ok := j.CronJobOwner()
	if !ok {
		return o, false
	}
	c := cronJobs.Get(j.Namespace, o.Name)
	return o, c != nil && c.UID == o.UID
}

// pod keeps what a Job's Pod told when it goes, or begins to go: a container that the deletion itself kills ends with a code that says
// nothing about the failure.
func (m *memory) pod(old, new *Pod, jobs *Table[Job]) {
	if old == nil || (new != nil && new.UID == old.UID && (new.Deleted == 0 || old.Deleted != 0)) {
		return
	}
	o, ok := old.Controller()
	if !ok || o.Kind != "Job" {
		return
	}
	if j := jobs.Get(old.Namespace, o.Name); j == nil || j.UID != o.UID {
		return // nobody would ask, and nobody would let go of it
	}
	if e := m.evidenceOf(old); e.newer(m.evidence[o.UID]) {
		m.evidence[o.UID] = e
	}
}

func (m *memory) evidenceOf(p *Pod) *Evidence {
	e := Evidence{PodReason: p.Reason, Disruption: p.Disruption, Seen: m.at}
	if f := p.Failure; f != nil && (p.Deleted == 0 || f.Finished <= p.Deleted) {
		e.Termination = *f
	}
	if !p.Terminal() {
		e.Waiting, e.WaitingContainer = p.WaitsFor()
	}
	if e.Termination == (Termination{}) && e.PodReason == "" && e.Disruption == "" && e.Waiting == "" {
		return nil
	}
	return &e
}

// newer tells whether e is to be believed rather than other: a container's end before a mere reason, the later end before the earlier.
func (e *Evidence) newer(other *Evidence) bool {
	switch {
	case e == nil:
		return false
	case other == nil:
		return true
	case (e.Termination == Termination{}) != (other.Termination == Termination{}):
		return e.Termination != Termination{}
	}
	return max(e.Termination.Finished, 1) >= max(other.Termination.Finished, 1)
}
