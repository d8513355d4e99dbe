package collectors

import (
	"bytes"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

var volumeNow = time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC)

func volumeMeta(namespace, name string, id byte) cluster.Meta {
	return cluster.Meta{Namespace: namespace, Name: name, UID: cluster.UID{id}, Created: cluster.Time(volumeNow.AddDate(0, -2, 0).Unix())}
}

func volumeRecords() map[cluster.Resource][]any {
	const gi = 1 << 30
	since := cluster.Time(volumeNow.AddDate(0, 0, -9).Unix())
	claim := func(namespace, name string, id byte, change func(*cluster.Claim)) *cluster.Claim {
		c := &cluster.Claim{Meta: volumeMeta(namespace, name, id), Phase: "Bound", Class: "nfs", Request: gi, Capacity: 2 * gi}
		if change != nil {
			change(c)
		}
		return c
	}
	volume := func(name, phase, claim string, uid byte, node string) *cluster.Volume {
		v := &cluster.Volume{Meta: volumeMeta("", name, 0), Phase: phase, Class: "local", Capacity: 200 * gi, ReclaimPolicy: "Retain", PhaseChanged: since}
		if claim != "" {
			v.HasClaim, v.ClaimNamespace, v.ClaimName, v.ClaimUID = true, "shop", claim, cluster.UID{uid}
		}
		if node != "" {
			v.Local, v.Affinity = true, hostAffinity(node)
		}
		return v
	}
	ignored := volume("ignored", "Failed", "", 0, "")
	ignored.Ignore = true
	return map[cluster.Resource][]any{
		cluster.Namespaces: {&cluster.Namespace{Meta: cluster.Meta{Name: "sandbox", Ignore: true}}, &cluster.Namespace{Meta: cluster.Meta{Name: "going", Deleted: since}}},
		cluster.Claims: {
			claim("shop", "data-db-0", 1, nil),
			claim("shop", "data-db-1", 2, func(c *cluster.Claim) { c.Unused, c.Severity, c.Capacity = since, cluster.SeverityCritical, 0 }),
			claim("shop", "left", 3, func(c *cluster.Claim) { c.Class, c.Phase, c.Capacity = "", "Pending", 0 }),
			claim("shop", "kept", 4, func(c *cluster.Claim) { c.Ignore = true }),
			claim("shop", "spared", 5, func(c *cluster.Claim) { c.Labels = "component\x00singleuser-storage" }),
			claim("going", "a", 6, nil),
			claim("sandbox", "a", 7, nil),
		},
		cluster.Pods:         {&cluster.Pod{Meta: volumeMeta("shop", "db-0", 8), Phase: cluster.PhaseRunning, Claims: []cluster.ClaimRef{{Name: "data-db-0"}}}},
		cluster.StatefulSets: {&cluster.StatefulSet{Meta: volumeMeta("shop", "db", 9), Replicas: 1, Templates: []cluster.ClaimTemplate{{Name: "data"}}}},
		cluster.Volumes: {
			volume("pv-0", "Bound", "data-db-0", 1, "n1"), volume("pv-1", "Bound", "data-db-1", 2, "gone"), volume("pv-2", "Bound", "deleted", 3, "n1"),
			volume("pv-3", "Released", "earlier", 3, "gone"), volume("pv-4", "Available", "", 0, ""), ignored,
		},
		cluster.Nodes: {&cluster.Node{Meta: cluster.Meta{Name: "n1"}, LabelMap: map[string]string{corev1.LabelHostname: "n1"}, Unschedulable: true}},
	}
}

func TestVolumeCollector(t *testing.T) {
	store := storeOf(volumeNow, volumeRecords())
	c := newVolumeCollector(DefaultOptions())
	first := scraped(t, c, store)
	golden(t, "volume", first)
	if second := scraped(t, c, store); !bytes.Equal(first, second) {
		t.Errorf("a second scrape of the same objects differs:\n%s", second)
	}
}

// TestVolumeSourcesUnknown: each source costs the verdicts that depend on it, and no others.
func TestVolumeSourcesUnknown(t *testing.T) {
	for _, test := range []struct {
		resource      cluster.Resource
		with, without []string
	}{
		{cluster.Pods, []string{`state="unknown",reason="pods"`, "_unclaimed{", "_node_missing{"}, []string{"claim_orphaned", `state="in_use"`, `state="reserved"`}},
		{cluster.CronJobs, []string{`state="unknown",reason="cronjobs"`, `state="in_use"`}, []string{"claim_orphaned"}},
		{cluster.Snapshots, []string{`state="unknown",reason="volumesnapshots"`}, []string{"claim_orphaned"}},
		{cluster.Claims, []string{`reason="released_retained"`}, []string{"_persistentvolumeclaims{", `reason="claim_missing"`}},
		{cluster.Volumes, []string{"claim_orphaned{"}, []string{"tocsin_persistentvolume_"}},
		{cluster.Nodes, []string{"claim_orphaned{", "_unclaimed{"}, []string{"_node_missing"}},
		{cluster.Namespaces, []string{"claim_orphaned{"}, nil},
	} {
		t.Run(test.resource.String(), func(t *testing.T) {
			store := storeOf(volumeNow, volumeRecords())
			store.SetState(test.resource, "", cluster.Forbidden, "no rule")
			got := string(scraped(t, newVolumeCollector(DefaultOptions()), store))
			for _, want := range test.with {
				if !strings.Contains(got, want) {
					t.Errorf("no %s", want)
				}
			}
			for _, not := range test.without {
				if strings.Contains(got, not) {
					t.Errorf("%s is there", not)
				}
			}
			if t.Failed() {
				t.Log(got)
			}
		})
	}
}

// TestVolumeOfNamespaceNotRead: a claim that is not read is not missing.
func TestVolumeOfNamespaceNotRead(t *testing.T) {
	store := cluster.NewStore(func() time.Time { return volumeNow }, nil, []string{"shop"})
	records := volumeRecords()
	for _, r := range cluster.Resources() {
		store.Expect(r, "")
		store.Replace(r, "", records[r], 0)
	}
	if got := scraped(t, newVolumeCollector(DefaultOptions()), store); bytes.Contains(got, []byte(`reason="claim_missing"`)) || !bytes.Contains(got, []byte("released_retained")) {
		t.Errorf("got:\n%s", got)
	}
}

// TestVolumeFollowsNodes: what is remembered of affinities is forgotten when a node's labels change, and not before.
func TestVolumeFollowsNodes(t *testing.T) {
	store := storeOf(volumeNow, volumeRecords())
	c := newVolumeCollector(DefaultOptions()).(*volumeCollector)
	missing := func() bool {
		return bytes.Contains(scraped(t, c, store), []byte(`node_missing{persistentvolume="pv-1"`))
	}
	if !missing() {
		t.Fatal("the node is gone")
	}
	index := c.reachable.index
	store.Put(cluster.Nodes, "", &cluster.Node{Meta: cluster.Meta{Name: "n1"}, LabelMap: map[string]string{corev1.LabelHostname: "n1"}, Ready: true})
	if !missing() || c.reachable.index != index {
		t.Error("a node became ready, and its labels are the same")
	}
	store.Put(cluster.Nodes, "", &cluster.Node{Meta: cluster.Meta{Name: "n2"}, LabelMap: map[string]string{corev1.LabelHostname: "gone"}})
	if missing() {
		t.Error("the node is back")
	}
}
