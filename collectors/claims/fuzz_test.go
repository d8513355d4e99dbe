package claims

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin/collectors/cluster"
)

// source of small numbers for a namespace made at random; it gives 0 when its bytes are used up.
type dice []byte

func (d *dice) roll(n int) int {
	if len(*d) == 0 {
		return 0
	}
	v := int((*d)[0]) % n
	*d = (*d)[1:]
	return v
}

func (d *dice) name() string {
	parts := [...]string{"a", "b", "0", "1", "a-b", "", "01", "2147483648"}
	name := make([]string, 1+d.roll(3))
	for i := range name {
		name[i] = parts[d.roll(len(parts))]
	}
	return strings.Join(name, "-")
}

func (d *dice) names() (names []string) {
	for range d.roll(3) {
		names = append(names, d.name())
	}
	return names
}

func (d *dice) meta() cluster.Meta {
	m := cluster.Meta{Name: d.name(), UID: uid(string(rune('a' + d.roll(9)))), Created: ago(time.Duration(d.roll(200)) * 10 * time.Minute)}
	if d.roll(8) == 7 {
		m.Deleted = ago(time.Hour)
	}
	for range d.roll(2) {
		m.Owners = append(m.Owners, cluster.Owner{Kind: [...]string{"Pod", "Deployment", "X"}[d.roll(3)], UID: uid(string(rune('a' + d.roll(9)))), Controller: d.roll(2) == 1})
	}
	return m
}

// namespace makes a namespace of what the dice say.
func (d *dice) namespace() *Namespace {
	in := &Namespace{Terminating: d.roll(16) == 15, Spare: DefaultRules().Spare}
	replicas := func() int32 { return [...]int32{0, 1, 2, -1, 1<<31 - 1, -1 << 31}[d.roll(6)] }
	for i := range 1 + d.roll(12) {
		c := &cluster.Claim{Meta: d.meta(), Phase: [...]string{"Bound", "Pending", "Lost", "", "?"}[d.roll(5)], CloneOf: d.name(), HelmKeep: d.roll(9) == 8,
			CreatedBy: [...]string{"", "kube-controller-manager"}[d.roll(2)], Capacity: int64(d.roll(9)), Request: 1, Annotations: d.name()}
		c.Labels = cluster.Labels(d.name())
		if d.roll(3) > 0 {
			c.Name += fmt.Sprintf("-%d", i%3)
		}
		in.Claims = append(in.Claims, c)
	}
	for range d.roll(5) {
		p := &cluster.Pod{Meta: d.meta(), Phase: cluster.Phase(d.roll(6)), Node: d.name(), Grace: int32(d.roll(2))}
		for _, name := range d.names() {
			p.Claims = append(p.Claims, cluster.ClaimRef{Name: name, Ephemeral: d.roll(2) == 1})
		}
		in.Pods = append(in.Pods, p)
	}
	for range d.roll(5) {
		s := &cluster.StatefulSet{Meta: d.meta(), Replicas: replicas(), Start: replicas(), Template: cluster.Template{Claims: d.names()}}
		for _, name := range d.names() {
			s.Templates = append(s.Templates, cluster.ClaimTemplate{Name: name})
		}
		in.StatefulSets = append(in.StatefulSets, s)
		in.Autoscalers = append(in.Autoscalers, &cluster.Autoscaler{TargetKind: "StatefulSet", TargetName: s.Name, Max: replicas()})
	}
	for range d.roll(3) {
		w := &cluster.Workload{Meta: d.meta(), Replicas: replicas(), Template: cluster.Template{Claims: d.names()}}
		in.Deployments, in.ReplicaSets, in.ReplicationControllers = append(in.Deployments, w), append(in.ReplicaSets, w), append(in.ReplicationControllers, w)
		in.DaemonSets = append(in.DaemonSets, &cluster.DaemonSet{Template: cluster.Template{Claims: d.names()}})
		in.CronJobs = append(in.CronJobs, &cluster.CronJob{Claims: d.names()})
		in.Jobs = append(in.Jobs, &cluster.Job{Complete: cluster.Time(d.roll(2)), Claims: d.names()})
		in.Snapshots = append(in.Snapshots, &cluster.Snapshot{Claim: d.name(), Ready: d.roll(2) == 1})
		in.References = append(in.References, &cluster.Reference{Claims: d.names()})
	}
	for range d.roll(3) {
		in.Unknown = append(in.Unknown, Evidence()[d.roll(len(Evidence()))])
	}
	return in
}

// FuzzClaims: every claim has one state with a reason of that state, orphans are called so only when all is known, and a claim that a
// live Pod names is never one.
func FuzzClaims(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32})
	f.Add([]byte(strings.Repeat("a claim and who it is for; ", 20)))
	reasons := map[State][]Reason{
		InUse:       {ByPod},
		Terminating: {Blocked, NotBlocked},
		Reserved: {OwnerReference, StatefulSetOrdinal, ScaledToZero, StatefulSetAutoscaled, DeploymentTemplate, StatefulSetTemplate, DaemonSetTemplate,
			ReplicationControllerTemplate, ReplicaSetTemplate, CronJobTemplate, JobTemplate, VolumeSource, CustomResource, Spared, New},
		Orphaned: {KeptByHelm, StatefulSetScaledDown, StatefulSetTemplateRemoved, StatefulSetDeleted, FinishedJobOnly, TerminatedPodOnly,
			OldRevisionOnly, NeverBound, Lost, NoReference},
	}
	for _, r := range Evidence() {
		reasons[Unknown] = append(reasons[Unknown], Reason(r.String()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := dice(data)
		in := d.namespace()
		verdicts := Judge(in, now)
		if len(verdicts) != len(in.Claims) {
			t.Fatalf("%d verdicts on %d claims", len(verdicts), len(in.Claims))
		}
		counts := map[State]int{}
		for i, v := range verdicts {
			counts[v.State]++
			if !slices.Contains(reasons[v.State], v.Reason) {
				t.Errorf("%q: %s for the reason %q", in.Claims[i].Name, v.State, v.Reason)
			}
			if Bytes(in.Claims[i]) < 0 {
				t.Errorf("%q: negative bytes", in.Claims[i].Name)
			}
			if v.State == Orphaned || v.State == Reserved && v.Reason == New {
				for _, p := range in.Pods {
					for _, c := range p.Claims {
						if c.Name == in.Claims[i].Name && !c.Ephemeral && !p.Terminal() {
							t.Errorf("%q: %s/%s, though Pod %q uses it", c.Name, v.State, v.Reason, p.Name)
						}
					}
				}
			}
			if v.State == Orphaned && !onlyAutoscalers(in.Unknown) {
				t.Errorf("%q: an orphan without knowledge of %v", in.Claims[i].Name, in.Unknown)
			}
		}
		total := 0
		for _, n := range counts {
			total += n
		}
		if total != len(in.Claims) {
			t.Errorf("the counts add up to %d of %d", total, len(in.Claims))
		}
	})
}

// onlyAutoscalers tells whether nothing else is unknown: they matter to few claims.
func onlyAutoscalers(unknown []cluster.Resource) bool {
	return !slices.ContainsFunc(unknown, func(r cluster.Resource) bool { return r != cluster.Autoscalers })
}
