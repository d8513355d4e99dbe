package collectors

import (
	"strings"
	"testing"
	"time"

	"tocsin/collectors/cluster"
)

// An object that cannot be decoded costs its own verdict; that it exists, and might say anything, must keep others from false ones.
func TestBrokenObjectsAccuseNobody(t *testing.T) {
	now := time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC)
	old := cluster.Time(now.Add(-48 * time.Hour).Unix())
	meta := func(name string, id byte) cluster.Meta {
		return cluster.Meta{Namespace: "shop", Name: name, UID: cluster.UID{id}, Created: old}
	}
	broken := func(name string, id byte) cluster.Meta {
		m := meta(name, id)
		m.Broken = true
		return m
	}
	claim := &cluster.Claim{Meta: meta("data", 1), Phase: "Bound", Volume: "pv"}
	other := &cluster.Claim{Meta: meta("data", 2), Phase: "Bound"}
	other.Namespace = "elsewhere"
	for name, records := range map[string]map[cluster.Resource][]any{
		"a Pod":        {cluster.Pods: {&cluster.Pod{Meta: broken("web", 9)}}},
		"a CronJob":    {cluster.CronJobs: {&cluster.CronJob{Meta: broken("purge", 9)}}},
		"a set":        {cluster.StatefulSets: {&cluster.StatefulSet{Meta: broken("db", 9)}}},
		"a Deployment": {cluster.Deployments: {&cluster.Workload{Kind: "Deployment", Meta: broken("web", 9)}}},
	} {
		t.Run(name, func(t *testing.T) {
			records[cluster.Claims] = []any{claim, other}
			got := string(scraped(t, newVolumeCollector(DefaultOptions()), storeOf(now, records)))
			if strings.Contains(got, `orphaned{namespace="shop"`) || !strings.Contains(got, `tocsin_persistentvolumeclaims{namespace="shop",state="unknown"`) {
				t.Errorf("a claim that it may use is not unknown:\n%s", got)
			}
			if !strings.Contains(got, `tocsin_persistentvolumeclaim_orphaned{namespace="elsewhere"`) {
				t.Errorf("the verdict on another namespace's claim is lost:\n%s", got)
			}
		})
	}
	t.Run("a claim and a set's Pod", func(t *testing.T) {
		set := &cluster.StatefulSet{Meta: meta("db", 3), Replicas: 1, Generation: 1, Observed: 1, ServiceName: "db"}
		pod := &cluster.Pod{Meta: broken("db-0", 4)}
		pod.Owners = []cluster.Owner{{UID: set.UID, Kind: "StatefulSet", Name: "db", Controller: true}}
		store := storeOf(now, map[cluster.Resource][]any{cluster.StatefulSets: {set}, cluster.Pods: {pod}, cluster.Claims: {&cluster.Claim{Meta: broken("data", 1)}},
			cluster.Services: {&cluster.Service{Meta: broken("db", 5), Headless: true}},
			cluster.Volumes:  {&cluster.Volume{Meta: cluster.Meta{Name: "pv"}, Phase: "Bound", HasClaim: true, ClaimNamespace: "shop", ClaimName: "data", ClaimUID: cluster.UID{1}}}})
		for _, c := range []Collector{newStatefulSetCollector(DefaultOptions()), newVolumeCollector(DefaultOptions())} {
			got := string(scraped(t, c, store))
			for _, accusation := range []string{"rollout_blocked{", "governing_service_invalid{", "unclaimed{"} {
				if strings.Contains(got, accusation) {
					t.Errorf("there is %s:\n%s", accusation, got)
				}
			}
		}
	})
}
