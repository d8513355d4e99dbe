package cluster_test

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"tocsin/collectors/cluster"
	"tocsin/rulestests/scale/synthetic"
)

// benchNow is the instant of the benchmarks' cluster.
var benchNow = time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC)

// benchObjects gives the objects of a synthetic cluster, as controllers and kubelets leave them, by resource.
func benchObjects(b *testing.B) map[cluster.Resource][]runtime.Object {
	b.Helper()
	kinds := map[string]cluster.Resource{}
	for _, r := range cluster.Resources() {
		kinds[r.Info().Kind] = r
	}
	objects := map[cluster.Resource][]runtime.Object{}
	_, err := synthetic.Generate(synthetic.Options{Sizes: synthetic.DefaultSizes().Times(0.05), Seed: 1, Now: benchNow}, func(o synthetic.Object) error {
		gvks, _, err := scheme.Scheme.ObjectKinds(o.Object)
		if err != nil {
			return err
		}
		r := kinds[gvks[0].Kind]
		objects[r] = append(objects[r], o.Object)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return objects
}

// benchRecords decodes objects. Of the same objects it gives other records each time, as the watch does of an object that has changed.
func benchRecords(b *testing.B, r cluster.Resource, objects []runtime.Object) []any {
	b.Helper()
	decode := cluster.NewDecoder()
	var records []any
	for _, o := range objects {
		record, err := decode(r, o)
		if err != nil {
			b.Fatal(err)
		}
		records = append(records, record)
	}
	return records
}

// BenchmarkDecode makes records of objects of a kind, the strings and restrictions that they share being known already.
func BenchmarkDecode(b *testing.B) {
	all := benchObjects(b)
	for _, of := range []struct {
		resource cluster.Resource
		objects  int
	}{
		{cluster.CronJobs, 100}, {cluster.Jobs, 100}, {cluster.Pods, 100}, {cluster.Claims, 100}, {cluster.Volumes, 100}, {cluster.StatefulSets, 100},
		{cluster.DaemonSets, 2}, {cluster.Deployments, 50}, {cluster.ReplicaSets, 100}, {cluster.Nodes, 50}, {cluster.Services, 50},
	} {
		b.Run(fmt.Sprintf("kind=%s/objects=%d", of.resource.Info().Kind, of.objects), func(b *testing.B) {
			objects := all[of.resource]
			if len(objects) < of.objects {
				b.Fatalf("%d objects", len(objects))
			}
			decode := cluster.NewDecoder()
			decodeAll := func() {
				for i := range of.objects { // spread over all: neighbors are of one story
					if _, err := decode(of.resource, objects[i*len(objects)/of.objects]); err != nil {
						b.Fatal(err)
					}
				}
			}
			decodeAll()
			b.ReportAllocs()
			for b.Loop() {
				decodeAll()
			}
		})
	}
}

// benchKinds are the resources that most changes are of.
var benchKinds = []cluster.Resource{cluster.CronJobs, cluster.Jobs, cluster.Pods, cluster.Claims}

// benchStore gives a store of the objects.
func benchStore(b *testing.B, all map[cluster.Resource][]runtime.Object) *cluster.Store {
	b.Helper()
	store := cluster.NewStore(func() time.Time { return benchNow }, nil, nil)
	for _, r := range cluster.Resources() {
		store.Expect(r, "")
		store.Replace(r, "", benchRecords(b, r, all[r]), 0)
	}
	store.View().Close()
	return store
}

// benchChanges are how many objects change between two views.
const benchChanges = 100

// BenchmarkStorePut is the arrival of new states of objects that are known, until the next view has them in order.
func BenchmarkStorePut(b *testing.B) {
	benchChange(b, func(store *cluster.Store, r cluster.Resource, states []any) {
		for _, s := range states {
			store.Put(r, "", s)
		}
		store.View().Close()
	})
}

// BenchmarkStoreDelete is objects that go and, since a benchmark needs them again, come back.
func BenchmarkStoreDelete(b *testing.B) {
	benchChange(b, func(store *cluster.Store, r cluster.Resource, states []any) {
		for _, s := range states {
			store.Delete(r, "", s)
		}
		store.View().Close()
		for _, s := range states {
			store.Put(r, "", s)
		}
		store.View().Close()
	})
}

// benchChange measures what changes the objects of one kind in a store to the states, which are others at each turn.
func benchChange(b *testing.B, change func(store *cluster.Store, r cluster.Resource, states []any)) {
	all := benchObjects(b)
	for _, r := range benchKinds {
		b.Run(fmt.Sprintf("kind=%s/changes=%d", r.Info().Kind, benchChanges), func(b *testing.B) {
			store, changed := benchStore(b, all), all[r][:benchChanges]
			states := [2][]any{benchRecords(b, r, changed), benchRecords(b, r, changed)}
			change(store, r, states[1])
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				change(store, r, states[i%2])
			}
		})
	}
}

// BenchmarkStoreReplace is a list that finds what was known before.
func BenchmarkStoreReplace(b *testing.B) {
	all := benchObjects(b)
	for _, r := range benchKinds {
		b.Run(fmt.Sprintf("kind=%s/objects=%d", r.Info().Kind, len(all[r])), func(b *testing.B) {
			store, records := benchStore(b, all), benchRecords(b, r, all[r])
			b.ReportAllocs()
			for b.Loop() {
				store.Replace(r, "", records, 0)
				store.View().Close()
			}
		})
	}
}

// BenchmarkView is a view of a store in which nothing has changed.
func BenchmarkView(b *testing.B) {
	store := benchStore(b, benchObjects(b))
	b.ReportAllocs()
	for b.Loop() {
		store.View().Close()
	}
}
