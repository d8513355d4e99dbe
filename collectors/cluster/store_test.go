package cluster

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

func testStore(now *time.Time) *Store {
	return NewStore(func() time.Time { return *now }, nil, nil)
}

func uid(n byte) UID { return UID{n} }

func owned(kind, name string, by UID) []Owner {
	return []Owner{{UID: by, Kind: kind, Name: name, Controller: true}}
}

func job(name string, id byte, change func(*Job)) *Job {
	j := &Job{Meta: Meta{UID: uid(id), Namespace: "shop", Name: name, Created: 1000, Owners: owned("CronJob", "purge", uid(1))}}
	if change != nil {
		change(j)
	}
	return j
}

func purge(change func(*CronJob)) *CronJob {
	c := &CronJob{Meta: Meta{UID: uid(1), Namespace: "shop", Name: "purge", Created: 500}, Schedule: "@daily"}
	if change != nil {
		change(c)
	}
	return c
}

// What arrives while a view is open must neither wait for it nor be seen by it.
func TestViewIsConsistent(t *testing.T) {
	now := time.Unix(2000, 0)
	s := testStore(&now)
	s.Replace(Jobs, "", []any{job("a", 10, nil), job("b", 11, nil)}, 0)
	v := s.View()
	s.Put(Jobs, "", job("c", 12, nil))
	s.Delete(Jobs, "", job("a", 10, nil))
	s.Replace(Jobs, "", []any{job("c", 12, nil)}, 0)
	if v.Jobs.Len() != 2 || len(v.Jobs.All()) != 2 || len(v.JobsOf(purge(nil))) != 2 {
		t.Errorf("an open view changed: %d Jobs", v.Jobs.Len())
	}
	v.Close()
	v = s.View()
	defer v.Close()
	if len(v.Jobs.All()) != 1 || v.Jobs.All()[0].Name != "c" || len(v.JobsOf(purge(nil))) != 1 {
		t.Errorf("the next view does not have what came meanwhile: %d Jobs", v.Jobs.Len())
	}
}

// A list of one namespace says nothing about another.
func TestReplaceStaysInItsScope(t *testing.T) {
	now := time.Unix(2000, 0)
	s := testStore(&now)
	other := job("x", 20, func(j *Job) { j.Namespace = "data" })
	s.Replace(Jobs, "shop", []any{job("a", 10, nil)}, 0)
	s.Replace(Jobs, "data", []any{other}, 0)
	s.Replace(Jobs, "shop", nil, 0)
	v := s.View()
	defer v.Close()
	if all := v.Jobs.All(); len(all) != 1 || all[0] != other {
		t.Errorf("got %d Jobs, want only the other namespace's", len(all))
	}
}

func TestHealth(t *testing.T) {
	now := time.Unix(2000, 0)
	s := testStore(&now)
	state := func(want State) {
		t.Helper()
		if got := s.Health(Jobs).State; got != want {
			t.Errorf("state is %s, want %s", got, want)
		}
	}
	state(Off)
	s.Expect(Jobs, "shop")
	s.Expect(Jobs, "data")
	state(Unsynced)
	s.Replace(Jobs, "shop", nil, 0)
	state(Unsynced)
	if got := s.Waiting(); got != "jobs: not listed yet" {
		t.Errorf("Waiting() = %q", got)
	}
	s.Replace(Jobs, "data", nil, 3)
	state(Synced)
	if got := s.Health(Jobs).Invalid; got != 3 {
		t.Errorf("%d invalid objects, want 3", got)
	}
	s.SetState(Jobs, "data", Forbidden, "no")
	state(Forbidden)
	if got := s.Waiting(); got != "" {
		t.Errorf("a forbidden source keeps Tocsin from being ready: %q", got)
	}
	s.Replace(Jobs, "data", nil, 0)
	state(Synced)
	s.SetState(Jobs, "data", Stale, "no answer")
	state(Stale)
	s.Heard(Jobs, "data")
	state(Synced)
	if got := s.Health(Jobs).Invalid; got != 0 {
		t.Errorf("%d invalid objects after a clean list, want 0", got)
	}
}

// kube-state-metrics#431: Jobs that finished before the exporter started must not make its counters jump.
func TestRunsCountEachJobOnce(t *testing.T) {
	now := time.Unix(2000, 0)
	s := testStore(&now)
	done := func(at Time) func(*Job) { return func(j *Job) { j.Complete, j.Completed = at, at } }
	failed := func(at Time) func(*Job) {
		return func(j *Job) { j.FailureTarget, j.FailureReason = at, "BackoffLimitExceeded" }
	}
	s.Replace(CronJobs, "", []any{purge(nil)}, 0)
	s.Replace(Jobs, "", []any{job("old-1", 10, done(1500)), job("old-2", 11, failed(1600)), job("running", 12, nil), job("vanishes", 13, nil)}, 0)
	check := func(what string, want Runs) {
		t.Helper()
		v := s.View()
		defer v.Close()
		if got := v.RunsOf(uid(1)); got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	check("after the first list", Runs{})
	now = time.Unix(3000, 0)
	s.Put(Jobs, "", job("running", 12, failed(2990)))
	s.Put(Jobs, "", job("running", 12, func(j *Job) { failed(2990)(j); j.FailedAt = 2995 }))
	check("a failure in two steps", Runs{Failed: 1})
	s.Put(Jobs, "", job("new", 14, nil))
	s.Delete(Jobs, "", job("new", 14, done(2999))) // its last state is the first to tell
	check("a success seen only in the deletion", Runs{Failed: 1, Succeeded: 1})
	s.Delete(Jobs, "", job("vanishes", 13, nil))
	check("a Job that went unfinished", Runs{Failed: 1, Succeeded: 1, Gone: 1})
	s.Replace(Jobs, "", []any{job("old-1", 10, done(1500)), job("during-outage", 15, done(2500)), job("older", 16, done(1700))}, 0)
	check("a relist", Runs{Failed: 1, Succeeded: 2, Gone: 1})
	s.Delete(CronJobs, "", purge(nil))
	check("the CronJob is gone", Runs{})
	s.Delete(Jobs, "", job("during-outage", 15, done(2500)))
	check("its Jobs go after it", Runs{})
}

// kubernetes#74848: with OnFailure the Pod is deleted as the Job fails, and with it the exit code.
func TestEvidenceOutlivesThePod(t *testing.T) {
	now := time.Unix(2000, 0)
	s := testStore(&now)
	oom := &Termination{Container: "main", Reason: "OOMKilled", ExitCode: 137, Finished: 1990}
	killed := &Termination{Container: "main", Reason: "Error", ExitCode: 143, Finished: 2040}
	pod := func(change func(*Pod)) *Pod {
		p := &Pod{Meta: Meta{UID: uid(30), Namespace: "shop", Name: "purge-1-x", Owners: owned("Job", "purge-1", uid(10))}, Failure: oom}
		change(p)
		return p
	}
	s.Replace(CronJobs, "", []any{purge(nil)}, 0)
	s.Replace(Jobs, "", []any{job("purge-1", 10, func(j *Job) { j.Tick = 1900 })}, 0)
	s.Replace(Pods, "", []any{pod(func(*Pod) {})}, 0)
	now = time.Unix(2050, 0)
	s.Put(Pods, "", pod(func(p *Pod) { p.Deleted, p.Failure = 2010, oom }))
	s.Delete(Pods, "", pod(func(p *Pod) { p.Deleted, p.Failure = 2010, killed }))
	v := s.View()
	if e := v.EvidenceOf(uid(10)); e == nil || e.Termination != *oom {
		t.Errorf("evidence is %+v, want the container's end before the deletion", e)
	}
	v.Close()
	s.Delete(Jobs, "", job("purge-1", 10, func(j *Job) { j.Tick, j.FailureTarget, j.FailureReason = 1900, 2005, "BackoffLimitExceeded" }))
	v = s.View()
	defer v.Close()
	run := v.LastRunOf(uid(1))
	if run == nil || !run.Failed || run.Tick != 1900 || run.Reason != "BackoffLimitExceeded" || run.Evidence == nil || run.Evidence.Termination != *oom {
		t.Errorf("the run that is gone is remembered as %+v", run)
	}
	if v.EvidenceOf(uid(10)) != nil {
		t.Error("evidence of a Job that is gone is kept")
	}
}

func TestEditsAndSuspensionsAreDated(t *testing.T) {
	now := time.Unix(2000, 0)
	s := testStore(&now)
	step := func(at int64, change func(*CronJob)) *CronJob {
		now = time.Unix(at, 0)
		s.Put(CronJobs, "", purge(change))
		v := s.View()
		defer v.Close()
		return v.CronJobs.Get("shop", "purge")
	}
	s.Replace(CronJobs, "", []any{purge(func(c *CronJob) { c.ChangedAt = 700 })}, 0)
	if c := step(2100, func(c *CronJob) { c.ChangedAt = 2050 }); c.ChangedAt != 700 {
		t.Errorf("an image bump by the same manager moved the edit to %d", c.ChangedAt)
	}
	if c := step(2200, func(c *CronJob) { c.Schedule, c.ChangedAt = "@hourly", 2190 }); c.ChangedAt != 2190 {
		t.Errorf("an edit is dated %d, want managedFields' 2190", c.ChangedAt)
	}
	if c := step(2300, func(c *CronJob) { c.Schedule, c.Suspend = "@hourly", true }); c.SuspendedAt != 2300 || c.ChangedAt != 2190 {
		t.Errorf("suspended at %d, changed at %d", c.SuspendedAt, c.ChangedAt)
	}
	if c := step(2400, func(c *CronJob) { c.Schedule, c.Suspend, c.SuspendedAt = "@hourly", true, 2390 }); c.SuspendedAt != 2300 {
		t.Errorf("the suspension moved to %d", c.SuspendedAt)
	}
	if c := step(2500, func(c *CronJob) { c.Schedule = "@hourly" }); c.SuspendedAt != 0 || c.ChangedAt != 2500 {
		t.Errorf("after a resume: suspended at %d, changed at %d", c.SuspendedAt, c.ChangedAt)
	}
}

// A clock that runs ahead, or a snapshot that is judged at an earlier instant, must not make an edit of what has not happened yet.
func TestEditsOfTheFutureAreNotBelieved(t *testing.T) {
	now := time.Unix(2000, 0)
	s := testStore(&now)
	s.Replace(CronJobs, "", []any{purge(func(c *CronJob) { c.ChangedAt, c.SuspendedAt = 2001, 2001 })}, 0)
	v := s.View()
	defer v.Close()
	if c := v.CronJobs.Get("shop", "purge"); c.ChangedAt != 0 || c.SuspendedAt != 0 {
		t.Errorf("changed at %d, suspended at %d, want neither", c.ChangedAt, c.SuspendedAt)
	}
}

func TestIgnoreAndSeverityComeFromAbove(t *testing.T) {
	now := time.Unix(2000, 0)
	s := testStore(&now)
	s.Replace(CronJobs, "", []any{purge(func(c *CronJob) { c.Ignore, c.Severity, c.Invalid = true, SeverityCritical, AnnotationCoverage })}, 0)
	j := job("purge-1", 10, nil)
	s.Replace(Jobs, "", []any{j}, 0)
	other := &Job{Meta: Meta{Namespace: "quiet", Name: "x"}}
	s.Replace(Namespaces, "", []any{&Namespace{Meta{Name: "quiet", Ignore: true}}}, 0)
	v := s.View()
	if !v.Ignored(&j.Meta) || !v.Ignored(&other.Meta) || v.SeverityOf(&j.Meta) != SeverityCritical {
		t.Error("a Job does not inherit from its CronJob or Namespace")
	}
	if v.InvalidAnnotations(AnnotationCoverage) != 1 || v.InvalidAnnotations(AnnotationIgnore) != 0 {
		t.Error("invalid annotations are miscounted")
	}
	v.Close()
	s.Replace(CronJobs, "", []any{purge(nil)}, 0)
	s.Replace(Namespaces, "", nil, 0)
	v = s.View()
	defer v.Close()
	if v.Ignored(&j.Meta) || v.Ignored(&other.Meta) || v.InvalidAnnotations(AnnotationCoverage) != 0 {
		t.Error("an annotation outlives its removal")
	}
}

// The API server makes one Event for each refused attempt; memory must follow the number of objects, not of attempts.
func TestRefusalsAreBounded(t *testing.T) {
	now := time.Unix(2000, 0)
	s := testStore(&now)
	event := func(n int, last Time, about byte) *Event {
		return &Event{Meta: Meta{Namespace: "shop", Name: fmt.Sprint("e", n)}, InvolvedKind: "Job", InvolvedName: fmt.Sprint("j", about),
			InvolvedUID: uid(about), Quota: n%2 == 0, Last: last}
	}
	var events []any
	for n := range 500 {
		events = append(events, event(n, Time(n), 7))
	}
	s.Replace(Events, "", events, 0)
	s.Put(Events, "", event(1, 100, 7))    // an old one, late
	s.Delete(Events, "", event(2, 200, 7)) // one that expires
	v := s.View()
	if e := v.Refusal(uid(7)); v.Events.Len() != 1 || e == nil || e.Last != 499 {
		t.Errorf("%d Events are kept, the newest is %+v", v.Events.Len(), e)
	}
	v.Close()
	s.Delete(Events, "", event(499, 499, 7))
	v = s.View()
	defer v.Close()
	if v.Refusal(uid(7)) != nil {
		t.Error("a refusal outlives its Event")
	}
}

// Run with -race: scrapes, events and relists at once.
func TestStoreConcurrently(t *testing.T) {
	now := time.Unix(2000, 0)
	s := testStore(&now)
	s.Replace(CronJobs, "", []any{purge(nil)}, 0)
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range 300 {
				name := fmt.Sprint("j", (i*7+worker)%50)
				switch i % 5 {
				case 0:
					s.Replace(Jobs, "", []any{job(name, byte(i), nil), job("steady", 9, nil)}, 0)
				case 1:
					s.Delete(Jobs, "", job(name, byte(i), nil))
				default:
					s.Put(Jobs, "", job(name, byte(i), nil))
				}
				s.Heard(Jobs, "")
			}
		})
		all.Go(func() {
			for range 200 {
				v := s.View()
				n := 0
				for _, j := range v.Jobs.All() {
					n += len(j.Name)
				}
				if again := len(v.Jobs.All()); n > 0 && again == 0 {
					t.Error("a view was emptied while it was open")
				}
				_ = v.JobsOf(purge(nil))
				v.Close()
			}
		})
	}
	all.Wait()
	if len(s.queue) != 0 {
		t.Errorf("%d changes were never applied", len(s.queue))
	}
}
