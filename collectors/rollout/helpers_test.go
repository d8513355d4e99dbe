package rollout

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tocsin/collectors/cluster"
)

var now = time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC)

// ago gives the instant that many minutes before now.
func ago(minutes float64) cluster.Time { return cluster.Time(now.Unix() - int64(minutes*60)) }

const months = 60 * 24 * 100 // minutes

// world is a namespace with one set.
type world struct {
	set    *cluster.StatefulSet
	pods   []*cluster.Pod
	claims map[string]*cluster.Claim
	nodes  map[string]*cluster.Node
	strand Stranding
	wait   bool // storage classes bind late
}

// ordered is a set db of three Pods at revision A, template A, all well for months, that its changes then differ from.
func ordered(changes ...func(*world)) *world {
	w := &world{
		set: &cluster.StatefulSet{Meta: cluster.Meta{Namespace: "shop", Name: "db", Created: ago(months)}, Generation: 2, Observed: 2, Replicas: 3,
			HasRollingUpdate: true, CurrentRevision: "A", UpdateRevision: "A", CurrentReplicas: 3, ServiceName: "db",
			Templates: []cluster.ClaimTemplate{{Name: "data", Request: 10}}},
		claims: map[string]*cluster.Claim{}, nodes: map[string]*cluster.Node{},
	}
	for i := range 3 {
		w.pods = append(w.pods, newPod(i, "A"))
	}
	for i := range 10 {
		name := fmt.Sprint("data-db-", i)
		w.claims[name] = &cluster.Claim{Meta: cluster.Meta{Namespace: "shop", Name: name}, Phase: "Bound", Capacity: 10, Class: "fast"}
		node := fmt.Sprint("n", i)
		w.nodes[node] = &cluster.Node{Meta: cluster.Meta{Name: node}, Ready: true}
	}
	for _, c := range changes {
		c(w)
	}
	return w
}

func parallel(changes ...func(*world)) *world {
	return ordered(append([]func(*world){func(w *world) { w.set.Parallel = true }}, changes...)...)
}

func newPod(ordinal int, revision string) *cluster.Pod {
	return &cluster.Pod{Meta: cluster.Meta{Namespace: "shop", Name: fmt.Sprint("db-", ordinal), Created: ago(months)}, Started: ago(months),
		Node: fmt.Sprint("n", ordinal), Phase: cluster.PhaseRunning, Ready: true, ReadyChanged: ago(months), Scheduled: cluster.IsScheduled,
		Revision: revision, Claims: []cluster.ClaimRef{{Name: fmt.Sprint("data-db-", ordinal)}}}
}

// update sets the update revision, the current one being A, and how many Pods at A status.currentReplicas counts.
func update(revision string, currentReplicas int32) func(*world) {
	return func(w *world) { w.set.UpdateRevision, w.set.CurrentReplicas = revision, currentReplicas }
}

func spec(change func(*cluster.StatefulSet)) func(*world) { return func(w *world) { change(w.set) } }

func partition(n int32) func(*world) { return func(w *world) { w.set.Partition = n } }

func strategy(s cluster.UpdateStrategy) func(*world) {
	return func(w *world) { w.set.Strategy, w.set.HasRollingUpdate = s, false }
}

func noRollingUpdate(w *world) { w.set.HasRollingUpdate = false }

// pod changes the Pod at an index.
func pod(index int, changes ...func(*cluster.Pod)) func(*world) {
	return func(w *world) {
		for _, c := range changes {
			c(w.pods[index])
		}
	}
}

func without(index int) func(*world) {
	return func(w *world) { w.pods = append(w.pods[:index:index], w.pods[index+1:]...) }
}

func at(revision string) func(*cluster.Pod) { return func(p *cluster.Pod) { p.Revision = revision } }

// made says that the Pod was created, and has been ready since.
func made(minutes float64) func(*cluster.Pod) {
	return func(p *cluster.Pod) { p.Created, p.Started, p.ReadyChanged = ago(minutes), ago(minutes), ago(minutes) }
}

func unready(minutes float64) func(*cluster.Pod) {
	return func(p *cluster.Pod) { p.Ready, p.ReadyChanged = false, ago(minutes) }
}

// broken says that the Pod, made so long ago, has crashed ever since.
func broken(minutes float64) func(*cluster.Pod) {
	return func(p *cluster.Pod) {
		made(minutes)(p)
		unready(minutes)(p)
		p.Waiting, p.Restarts = "CrashLoopBackOff", 20
		p.Failure = &cluster.Termination{Container: "main", ExitCode: 1, Reason: "Error", Started: ago(3.1), Finished: ago(3)}
	}
}

// pending says that the Pod, made so long ago, has never run.
func pending(minutes float64) func(*cluster.Pod) {
	return func(p *cluster.Pod) {
		made(minutes)(p)
		p.Phase, p.Ready, p.ReadyChanged, p.Node, p.Scheduled = cluster.PhasePending, false, 0, "", cluster.Unschedulable
	}
}

func waiting(reason string, minutes float64) func(*cluster.Pod) {
	return func(p *cluster.Pod) {
		made(minutes)(p)
		unready(minutes)(p)
		p.Phase, p.Waiting = cluster.PhasePending, reason
	}
}

func terminating(minutes float64) func(*cluster.Pod) {
	return func(p *cluster.Pod) { p.Deleted, p.Grace = ago(minutes), 30 }
}

func phase(f cluster.Phase) func(*cluster.Pod) {
	return func(p *cluster.Pod) { p.Phase, p.Ready = f, false }
}

func claim(name string, change func(*cluster.Claim)) func(*world) {
	return func(w *world) { change(w.claims[name]) }
}

func deleteClaim(name string) func(*world) {
	return claim(name, func(c *cluster.Claim) { c.Deleted = ago(30) })
}

func noClaim(name string) func(*world) { return func(w *world) { delete(w.claims, name) } }

func nodeDown(name string) func(*world) { return func(w *world) { w.nodes[name].Ready = false } }

func (w *world) input() Input {
	return Input{
		Set: w.set, Pods: w.pods, Deadline: 10 * time.Minute,
		Claim:     func(_, name string) *cluster.Claim { return w.claims[name] },
		Node:      func(name string) *cluster.Node { return w.nodes[name] },
		Immediate: func(string) bool { return !w.wait },
		Stranded:  func(*cluster.Pod) Stranding { return w.strand },
	}
}

// outcome is a verdict in the words of the labels, to be read in a table.
type outcome struct {
	State, Reason, Action string
	Pod, Node, Revision   string
	Since                 cluster.Time
	ManualDelete          int
	Outdated              int
}

func outcomeOf(v Verdict) outcome {
	o := outcome{State: v.State.String(), Reason: v.Reason.String(), Action: v.Action.String(), Pod: v.Pod, Node: v.Node, Since: v.Since,
		ManualDelete: v.ManualDelete, Outdated: v.Outdated}
	if v.State == Blocked {
		o.Revision = v.Revision.String()
	}
	return o
}

type row struct {
	name  string
	world *world
	want  outcome
}

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if diff := cmp.Diff(r.want, outcomeOf(Judge(r.world.input(), now))); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
		})
	}
}
