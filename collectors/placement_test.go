package collectors

import (
	"bytes"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"tocsin/collectors/cluster"
)

var placementNow = time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC)

func hostAffinity(node string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}}}
}

func readyNode(name string) *cluster.Node {
	return &cluster.Node{Meta: cluster.Meta{Name: name}, Ready: true, ReadyChanged: 1, LabelMap: map[string]string{corev1.LabelHostname: name}}
}

func ownedBy(kind, name string, uid byte) []cluster.Owner {
	return []cluster.Owner{{Kind: kind, Name: name, UID: cluster.UID{uid}, Controller: true}}
}

// placementRecords is a cluster in which a database has a member on each of three nodes, of which node-1 is cordoned and its member
// waits, and node-3's is not to be drained; in which a cache of an operator has no budget; and in which nobody asks for cold-0.
func placementRecords() map[cluster.Resource][]any {
	cordoned := readyNode("node-1")
	cordoned.Unschedulable = true
	pod := func(name, node, claim string, owners []cluster.Owner) *cluster.Pod {
		p := &cluster.Pod{Meta: cluster.Meta{Namespace: "db", Name: name, Owners: owners}, Node: node, Phase: cluster.PhaseRunning, Ready: true}
		if claim != "" {
			p.Claims = []cluster.ClaimRef{{Name: claim}}
		}
		if node == "" {
			p.Phase, p.Ready, p.Scheduled, p.ScheduleChange = cluster.PhasePending, false, cluster.Unschedulable, 1777980660
		}
		return p
	}
	member := func(name, node, claim, app string) *cluster.Pod {
		p := pod(name, node, claim, ownedBy("StatefulSet", "pg", 1))
		p.Labels = cluster.Labels("app\x00" + app + "\x00")
		return p
	}
	volume := func(name, node, phase string) *cluster.Volume {
		return &cluster.Volume{Meta: cluster.Meta{Name: name}, Phase: phase, Local: true, Affinity: hostAffinity(node)}
	}
	claim := func(name, volume string) *cluster.Claim {
		return &cluster.Claim{Meta: cluster.Meta{Namespace: "db", Name: name}, Phase: "Bound", Volume: volume}
	}
	hostPath := pod("agent-7c9-x", "node-2", "", ownedBy("ReplicaSet", "agent-7c9", 2))
	hostPath.HostPath = true
	ignored := pod("scratch", "node-2", "data-1", nil)
	ignored.Ignore = true
	return map[cluster.Resource][]any{
		cluster.Nodes: {cordoned, readyNode("node-2"), readyNode("node-3"), readyNode("node-4")},
		cluster.Pods: {member("pg-0", "", "data-0", "pg"), member("pg-1", "node-2", "data-1", "pg"), member("pg-2", "node-3", "data-2", "primary"),
			pod("cache-0", "node-3", "data-3", ownedBy("Memcached", "cache", 3)), pod("bare", "node-3", "data-3", nil), hostPath, ignored,
			pod("fixed-0", "node-4", "", ownedBy("StatefulSet", "fixed", 4))},
		cluster.Claims:      {claim("data-0", "pv-0"), claim("data-1", "pv-1"), claim("data-2", "pv-2"), claim("data-3", "pv-3")},
		cluster.Volumes:     {volume("pv-0", "node-1", "Bound"), volume("pv-1", "node-2", "Bound"), volume("pv-2", "node-3", "Bound"), volume("pv-3", "node-3", "Bound"), volume("cold-0", "node-4", "Released")},
		cluster.ReplicaSets: {&cluster.Workload{Meta: cluster.Meta{Namespace: "db", Name: "agent-7c9", UID: cluster.UID{2}, Owners: ownedBy("Deployment", "agent", 5)}}},
		cluster.StatefulSets: {&cluster.StatefulSet{Meta: cluster.Meta{Namespace: "db", Name: "pg", UID: cluster.UID{1}}},
			&cluster.StatefulSet{Meta: cluster.Meta{Namespace: "db", Name: "fixed", UID: cluster.UID{4}}, Template: cluster.Template{NodeName: "node-4"}}},
		cluster.Budgets: {&cluster.Budget{Meta: cluster.Meta{Namespace: "db", Name: "pg"}, Allowed: 1, Selector: labels.SelectorFromSet(labels.Set{"app": "pg"})},
			&cluster.Budget{Meta: cluster.Meta{Namespace: "db", Name: "primary"}, Selector: labels.SelectorFromSet(labels.Set{"app": "primary"})}},
	}
}

func TestPlacementCollector(t *testing.T) {
	store := storeOf(placementNow, placementRecords())
	c := newPlacementCollector(DefaultOptions())
	first := scraped(t, c, store)
	golden(t, "placement", first)
	if second := scraped(t, c, store); !bytes.Equal(first, second) {
		t.Errorf("a second scrape of the same objects differs:\n%s", second)
	}
}

// TestPlacementWithoutBudgets: who protects whom is not known, so no forecast says "none"; all else stays.
func TestPlacementWithoutBudgets(t *testing.T) {
	store := storeOf(placementNow, placementRecords())
	store.SetState(cluster.Budgets, "", cluster.Forbidden, "no rule")
	got := scraped(t, newPlacementCollector(DefaultOptions()), store)
	if bytes.Contains(got, []byte("tocsin_node_drain_stranded_pods{")) {
		t.Errorf("a forecast although budgets are not known:\n%s", got)
	}
	if !bytes.Contains(got, []byte(`tocsin_pod_stranded{namespace="db",pod="pg-0",cause="node_cordoned",pin="local_volume"} 1`)) {
		t.Errorf("no stranded pod:\n%s", got)
	}
}

// TestPlacementFollowsOwners: a Pod may be seen before the workload above it, and its record does not change when that comes.
func TestPlacementFollowsOwners(t *testing.T) {
	records := placementRecords()
	replicaSet := records[cluster.ReplicaSets][0]
	delete(records, cluster.ReplicaSets)
	store := storeOf(placementNow, records)
	c := newPlacementCollector(DefaultOptions())
	if got := scraped(t, c, store); !bytes.Contains(got, []byte(`workload_kind="ReplicaSet",workload="agent-7c9"`)) {
		t.Errorf("the replica set is not named:\n%s", got)
	}
	store.Put(cluster.ReplicaSets, "", replicaSet)
	if got := scraped(t, c, store); !bytes.Contains(got, []byte(`workload_kind="Deployment",workload="agent"`)) {
		t.Errorf("the deployment is not named:\n%s", got)
	}
}
