package rollout

import (
	"encoding/binary"
	"slices"
	"strconv"
	"testing"
	"time"

	"tocsin/collectors/cluster"
)

// dice reads values from the fuzzer's bytes; when those are used up, all are 0.
type dice struct{ data []byte }

func (d *dice) byte() byte {
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return b
}

func (d *dice) bool() bool { return d.byte()&1 == 1 }

// small is mostly small, and now and then any number.
func (d *dice) small() int32 {
	b := d.byte()
	if b < 250 {
		return int32(b%6) - 1
	}
	var wide [4]byte
	d.data = d.data[copy(wide[:], d.data):]
	return int32(binary.LittleEndian.Uint32(wide[:]))
}

func (d *dice) time() cluster.Time {
	switch b := d.byte(); {
	case b < 40:
		return 0
	case b < 250:
		return ago(float64(b-40) / 3)
	default:
		return cluster.Time(int64(d.small()) << (b & 31))
	}
}

func pick[T any](d *dice, from ...T) T { return from[int(d.byte())%len(from)] }

func (d *dice) revision() string { return pick(d, "A", "B", "C", "") }

func (d *dice) pod() *cluster.Pod {
	p := &cluster.Pod{Node: pick(d, "", "n0", "n1", "gone"), Phase: cluster.Phase(d.byte() % 5), Ready: d.bool(), Scheduled: cluster.Scheduled(d.byte() % 4),
		Revision: d.revision(), Started: d.time(), ReadyChanged: d.time(), StartupBudget: d.small(), Restarts: d.small(), Grace: d.small(),
		Waiting: pick(d, "", "", "CrashLoopBackOff", "ImagePullBackOff", "CreateContainerError", "ContainerCreating"), WaitingInit: d.bool()}
	p.Name = pick(d, "db-", "db-", "db-", "db-0", "db", "other-", "") + strconv.Itoa(int(d.small()))
	p.Created = d.time()
	if d.byte() < 60 {
		p.Deleted = d.time()
	}
	if d.bool() {
		p.Failure = &cluster.Termination{Init: d.bool(), Started: d.time(), Finished: d.time()}
	}
	for range d.byte() % 3 {
		p.Claims = append(p.Claims, cluster.ClaimRef{Name: pick(d, "data-"+p.Name, "other"), Ephemeral: d.bool()})
	}
	return p
}

func (d *dice) input() Input {
	in := Input{Deadline: time.Duration(d.small()) * time.Minute, Set: &cluster.StatefulSet{Meta: cluster.Meta{Name: "db", Created: d.time()},
		Replicas: d.small(), Start: d.small(), Parallel: d.bool(), Strategy: cluster.UpdateStrategy(d.byte() % 4), HasRollingUpdate: d.bool(),
		Partition: d.small(), MinReady: d.small(), CurrentRevision: d.revision(), UpdateRevision: d.revision(), CurrentReplicas: d.small(),
		Templates: []cluster.ClaimTemplate{{Name: "data"}}}}
	switch d.byte() {
	case 0:
		in.Set.Deleted = d.time()
	case 1:
		in.Set.Generation = 1
	}
	for range d.byte() % 24 {
		in.Pods = append(in.Pods, d.pod())
	}
	if d.bool() {
		claim := &cluster.Claim{Meta: cluster.Meta{Deleted: d.time()}, Phase: pick(d, "Bound", "Pending", "Lost", "")}
		some := pick(d, claim, nil)
		in.Claim = func(_, name string) *cluster.Claim {
			if name == "data-db-1" {
				return claim
			}
			return some
		}
	}
	if d.bool() {
		node := &cluster.Node{Ready: d.bool()}
		in.Node = func(name string) *cluster.Node {
			if name == "gone" {
				return nil
			}
			return node
		}
	}
	if d.bool() {
		stranding := Stranding{ByVolumes: d.bool(), Remedy: Action(d.byte() % byte(Actions))}
		in.Stranded = func(*cluster.Pod) Stranding { return stranding }
	}
	return in
}

// FuzzRollout looks for panics, and for verdicts that contradict themselves or depend on the order of the Pods.
func FuzzRollout(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a set of three Pods, or whatever these letters happen to mean to the dice that are thrown with them"))
	for i := range 8 {
		seed := make([]byte, 400)
		for k := range seed {
			seed[k] = byte(k*k*(i+3) + k*7 + i)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := (&dice{data}).input()
		v := Judge(in, now)
		if v.State >= States || v.Reason >= Reasons || v.Action >= Actions {
			t.Fatalf("no such verdict: %+v", v)
		}
		_ = outcomeOf(v) // every value has its word
		blocked := v.State == Blocked
		if blocked != (v.Reason != NoReason) || blocked != (v.Action != NoAction) || blocked != (v.Pod != "") || blocked != (v.Since != 0) {
			t.Errorf("state and blocker do not agree: %+v", v)
		}
		if v.Outdated < 0 || v.Outdated > len(in.Pods) || v.ManualDelete < 0 || v.ManualDelete > len(in.Pods) {
			t.Errorf("counts beyond the %d Pods: %+v", len(in.Pods), v)
		}
		if !in.Set.Parallel && v.ManualDelete > 1 {
			t.Errorf("with OrderedReady one Pod at most unblocks now: %+v", v)
		}
		if (v.State == Partitioned || v.State == Complete || v.State == Unobserved || v.State == Deleting) && v.ManualDelete > 0 {
			t.Errorf("a Pod to be deleted though nothing is wrong: %+v", v)
		}
		if v.Reason == TerminalPhase || v.Action == DeletePod && v.ManualDelete == 0 && !in.Set.Parallel && blocked && ordinary(in) {
			t.Errorf("advice to delete a Pod that is not counted: %+v", v)
		}
		slices.Reverse(in.Pods)
		if again := Judge(in, now); again != v && distinct(in.Pods) {
			t.Errorf("the order of the Pods matters: %+v, reversed %+v", v, again)
		}
	})
}

// ordinary tells whether the deadline is no shorter than the time after which a Pod is counted.
func ordinary(in Input) bool { return in.Deadline >= patience*time.Second }

func distinct(pods []*cluster.Pod) bool {
	names := map[string]bool{}
	for _, p := range pods {
		names[p.Name] = true
	}
	return len(names) == len(pods)
}
