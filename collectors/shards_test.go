package collectors

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

// TestShardsAreTheWhole compares what shards say together with what one exporter says of the same cluster.
func TestShardsAreTheWhole(t *testing.T) {
	loaded, err := cluster.LoadSnapshot([]string{"../deploy/example"}, cluster.SnapshotOptions{})
	if err != nil {
		t.Fatal(err)
	}
	clusters := map[string]func(shard cluster.Shard) *cluster.Store{
		"example": func(shard cluster.Shard) *cluster.Store {
			store := cluster.NewStoreOfShard(func() time.Time { return loaded.Latest }, nil, nil, shard)
			loaded.Fill(store, cluster.Resources())
			return store
		},
	}
	for seed := range uint64(8) {
		records := randomCluster(rand.New(rand.NewPCG(seed, 1)))
		clusters[fmt.Sprintf("random %d", seed)] = func(shard cluster.Shard) *cluster.Store {
			store := cluster.NewStoreOfShard(func() time.Time { return setNow }, nil, []string{"left-out"}, shard)
			for _, r := range cluster.Resources() {
				store.Replace(r, "", slices.Clone(records[r]), 0)
			}
			return store
		}
	}
	for name, of := range clusters {
		t.Run(name, func(t *testing.T) {
			whole := values(t, of(cluster.Shard{}))
			for _, total := range []int{1, 2, 3, 7} {
				together := map[string]float64{}
				for i := range total {
					join(t, together, values(t, of(cluster.Shard{Index: i, Total: total})))
				}
				if diff := different(whole, together); len(diff) > 0 {
					t.Errorf("%d shards differ in %d series of %d:\n%s", total, len(diff), len(whole), strings.Join(diff[:min(len(diff), 20)], "\n"))
				}
			}
		})
	}
}

// values gives the value of each series that tells of the cluster. They are read as Prometheus reads them.
func values(t *testing.T, store *cluster.Store) map[string]float64 {
	t.Helper()
	set := NewSet(Table(), DefaultOptions(), slog.New(slog.DiscardHandler))
	text := setText(t, set, store, exposition.NewGathering(0, nil), false)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewBufferString(text))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for name, f := range families {
		if name == collectorDuration.Name || name == shards.Name {
			continue
		}
		for _, m := range f.Metric {
			all[name+labelText(m.Label)] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return all
}

func labelText(pairs []*dto.LabelPair) string {
	var text []string
	for _, p := range pairs {
		text = append(text, fmt.Sprintf("%s=%q", p.GetName(), p.GetValue()))
	}
	slices.Sort(text)
	return "{" + strings.Join(text, ",") + "}"
}

// join adds a shard's series to those of others: a series is one shard's, unless its family adds up, or it says the same of each exporter.
func join(t *testing.T, together, shard map[string]float64) {
	t.Helper()
	adds := map[string]bool{}
	for _, f := range AddUp() {
		adds[f.Name] = true
	}
	for series, v := range shard {
		name, _, _ := strings.Cut(series, "{")
		before, known := together[series]
		switch name {
		case sourceUp.Name, sourceLastEvent.Name, collectorSuccess.Name:
			if known && before != v {
				t.Errorf("%s is %v in one shard and %v in another", series, before, v)
			}
			together[series] = v
			continue
		}
		if known && !adds[name] {
			t.Errorf("two shards have %s", series)
		}
		together[series] += v
	}
}

func different(whole, together map[string]float64) (diff []string) {
	for series, v := range whole {
		if got, ok := together[series]; !ok || got != v {
			diff = append(diff, fmt.Sprintf("%s is %v, together %v (there: %v)", series, v, got, ok))
		}
	}
	for series, v := range together {
		if _, ok := whole[series]; !ok {
			diff = append(diff, fmt.Sprintf("%s is %v together only", series, v))
		}
	}
	slices.Sort(diff)
	return diff
}

// TestRandomClusterSaysEverything has the random clusters show every family that can differ between shards: a test of nothing proves nothing.
func TestRandomClusterSaysEverything(t *testing.T) {
	shown := map[string]bool{}
	for seed := range uint64(8) {
		records := randomCluster(rand.New(rand.NewPCG(seed, 1)))
		for series := range values(t, storeOf(setNow, records)) {
			name, _, _ := strings.Cut(series, "{")
			shown[name] = true
		}
	}
	for _, f := range append(AddUp(), volumeUnclaimed, volumeNodeMissing, podStranded, daemonSetNodes, daemonSetExcluded, claimOrphaned,
		statefulSetRolloutBlocked, jobFailed, cronJobFailing, workloadPinnedPods) {
		if !shown[f.Name] && f != sourceInvalid {
			t.Errorf("no random cluster shows %s", f.Name)
		}
	}
}

// randomCluster makes many small namespaces on few nodes, with everything in them that one object can say of another.
func randomCluster(r *rand.Rand) map[cluster.Resource][]any {
	w := &randomWorld{Rand: r, records: map[cluster.Resource][]any{}}
	for i := range 6 {
		name := fmt.Sprintf("node-%d", i)
		n := &cluster.Node{Meta: w.meta("", name), Ready: w.in(9), Unschedulable: !w.in(6),
			LabelMap: map[string]string{corev1.LabelHostname: name}, ReadyChanged: w.ago(3600)}
		if !w.in(3) {
			n.Taints = []corev1.Taint{{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule}}
		}
		w.put(cluster.Nodes, n)
	}
	w.put(cluster.StorageClasses, &cluster.StorageClass{Meta: w.meta("", "local"), WaitForFirstConsumer: true})
	for i := range 20 {
		w.put(cluster.Volumes, w.volume(fmt.Sprintf("spare-%d", i), "", ""))
	}
	names := []string{"left-out"}
	for i := range 40 {
		names = append(names, fmt.Sprintf("team-%03d", i))
	}
	for _, n := range names {
		w.put(cluster.Namespaces, &cluster.Namespace{Meta: w.meta("", n)})
		w.cronJobs(n)
		w.statefulSet(n, names)
		w.put(cluster.DaemonSets, &cluster.DaemonSet{Meta: w.meta(n, "agent"), CoverAll: w.in(2)})
	}
	return w.records
}

type randomWorld struct {
	*rand.Rand
	records map[cluster.Resource][]any
}

// in is true but once in n.
func (w *randomWorld) in(n int) bool { return w.IntN(n) > 0 }

func (w *randomWorld) ago(seconds int) cluster.Time {
	return cluster.Time(setNow.Unix() - 60 - w.Int64N(int64(seconds)))
}

func (w *randomWorld) put(r cluster.Resource, record any) {
	w.records[r] = append(w.records[r], record)
}

func (w *randomWorld) meta(namespace, name string) cluster.Meta {
	m := cluster.Meta{Namespace: namespace, Name: name, Created: w.ago(90 * 86400), Ignore: !w.in(15)}
	for i := range m.UID {
		m.UID[i] = byte(w.Uint32())
	}
	if !w.in(15) {
		m.Invalid = cluster.AnnotationSeverity
	}
	return m
}

func (w *randomWorld) owned(m cluster.Meta, kind string, by cluster.Meta) cluster.Meta {
	m.Owners = []cluster.Owner{{UID: by.UID, Kind: kind, Name: by.Name, Controller: true}}
	return m
}

func (w *randomWorld) node() string { return fmt.Sprintf("node-%d", w.IntN(7)) } // one of them does not exist

func (w *randomWorld) cronJobs(namespace string) {
	c := &cluster.CronJob{Meta: w.meta(namespace, "nightly"), Schedule: "17 2 * * *", Policy: "Forbid", LastSchedule: w.ago(3 * 86400), Suspend: !w.in(5)}
	w.put(cluster.CronJobs, c)
	for i := range 3 {
		j := &cluster.Job{Meta: w.owned(w.meta(namespace, fmt.Sprintf("nightly-%d", i)), "CronJob", c.Meta), Tick: w.ago(4 * 86400), Started: w.ago(86400)}
		if w.in(2) {
			j.FailedAt, j.FailureReason, j.Failed = w.ago(3600), "BackoffLimitExceeded", 1
		}
		w.put(cluster.Jobs, j)
	}
}

// volume gives a local volume, held by the claim of that name unless the namespace is "".
func (w *randomWorld) volume(name, namespace, claim string) *cluster.Volume {
	v := &cluster.Volume{Meta: w.meta("", name), Phase: "Available", Capacity: 1 << 30, Local: true, Affinity: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{w.node()}}}}}}}
	if namespace != "" {
		v.Phase, v.HasClaim, v.ClaimNamespace, v.ClaimName = []string{"Bound", "Bound", "Bound", "Released", "Failed"}[w.IntN(5)], true, namespace, claim
	}
	return v
}

// statefulSet makes a set with its Pods, claims and volumes. Some of the claims name a volume that is nobody's, or one that is a claim's
// of another namespace; some volumes have a claim that is gone.
func (w *randomWorld) statefulSet(namespace string, others []string) {
	s := &cluster.StatefulSet{Meta: w.meta(namespace, "db"), Replicas: 4, ServiceName: "db", UpdateRevision: "b", CurrentRevision: "a"}
	w.put(cluster.StatefulSets, s)
	for i := range 4 {
		pod := fmt.Sprintf("db-%d", i)
		claim, volume := "data-"+pod, namespace+"-"+pod
		c := &cluster.Claim{Meta: w.meta(namespace, claim), Phase: "Bound", Volume: volume, Capacity: 1 << 30}
		switch w.IntN(8) {
		case 0:
			c.Volume = fmt.Sprintf("spare-%d", w.IntN(25))
		case 1:
			c.Volume = others[w.IntN(len(others))] + "-" + pod
		}
		if w.in(6) {
			w.put(cluster.Claims, c)
		}
		w.put(cluster.Volumes, w.volume(volume, namespace, claim))
		p := &cluster.Pod{Meta: w.owned(w.meta(namespace, pod), "StatefulSet", s.Meta), Phase: cluster.PhaseRunning, Node: w.node(), Ready: w.in(4),
			Scheduled: cluster.IsScheduled, Started: w.ago(86400), ReadyChanged: w.ago(86400), ScheduleChange: w.ago(86400), Revision: "b",
			Claims: []cluster.ClaimRef{{Name: claim}}}
		if !w.in(3) {
			p.Phase, p.Node, p.Ready, p.Scheduled = cluster.PhasePending, "", false, cluster.Unschedulable
		}
		if w.in(5) {
			w.put(cluster.Pods, p)
		}
	}
	w.put(cluster.Claims, &cluster.Claim{Meta: w.meta(namespace, "old"), Phase: "Bound", Volume: namespace + "-old", Capacity: 1 << 30})
	w.put(cluster.Budgets, &cluster.Budget{Meta: w.meta(namespace, "db"), Allowed: 1})
}
