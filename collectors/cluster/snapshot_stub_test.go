package cluster

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// An object that does not fit its kind still exists: without a record of it, its Pods would count as orphaned, its claims as unused and
// the Pods on a Node that cannot be read as lost.
func TestSnapshotStubs(t *testing.T) {
	const meta = "metadata: {name: x, namespace: %s, uid: 2e1b3c2a-9f70-4a55-8d0e-1f2a3b4c5d6e, labels: {app: db}, " +
		"creationTimestamp: '2026-05-01T00:00:00Z', annotations: {tocsin/ignore: 'true'}, ownerReferences: [{kind: CronJob, name: c, uid: u, controller: true}]}\n"
	object := func(apiVersion, kind, rest string) string {
		return fmt.Sprintf("apiVersion: %s\nkind: %s\n"+meta+"%s\n", apiVersion, kind, "shop", rest)
	}
	for r, doc := range map[Resource]string{
		CronJobs:               object("batch/v1", "CronJob", "spec: {startingDeadlineSeconds: soon}"),
		Jobs:                   object("batch/v1", "Job", "spec: {backoffLimit: 1.5}"),
		Pods:                   object("v1", "Pod", "spec: {containers: {name: x}}"),
		Namespaces:             object("v1", "Namespace", "status: 1"),
		Claims:                 object("v1", "PersistentVolumeClaim", "spec: {resources: {requests: {storage: lots}}}"),
		Volumes:                object("v1", "PersistentVolume", "spec: {capacity: {storage: lots}}"),
		StatefulSets:           object("apps/v1", "StatefulSet", "spec: {replicas: 3000000000}"),
		DaemonSets:             object("apps/v1", "DaemonSet", "spec: {template: []}"),
		Deployments:            object("apps/v1", "Deployment", "spec: {replicas: many}"),
		ReplicaSets:            object("apps/v1", "ReplicaSet", "spec: {replicas: many}"),
		ReplicationControllers: object("v1", "ReplicationController", "spec: {replicas: many}"),
		Nodes:                  object("v1", "Node", "spec: {taints: none}"),
		Services:               object("v1", "Service", "spec: {ports: 80}"),
		StorageClasses:         object("storage.k8s.io/v1", "StorageClass", "provisioner: []"),
		Budgets:                object("policy/v1", "PodDisruptionBudget", "spec: {selector: {matchExpressions: [{key: a, operator: Near}]}}"),
		Autoscalers:            object("autoscaling/v2", "HorizontalPodAutoscaler", "spec: {maxReplicas: many}"),
	} {
		path := filepath.Join(write(t, map[string]string{"f": doc}), "f")
		l, err := LoadSnapshot([]string{path}, SnapshotOptions{Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		row, ok := l.rows[r][key{"shop", "x"}]
		if !ok || l.invalid[r] != 1 {
			t.Errorf("%s: got %v, %d invalid", r, l.names(), l.invalid[r])
			continue
		}
		m := row.record.(interface{ meta() *Meta }).meta()
		owner, owned := m.Controller()
		if !m.Broken || m.UID != parseUID("2e1b3c2a-9f70-4a55-8d0e-1f2a3b4c5d6e") || !m.Ignore ||
			!owned || owner.Name != "c" || m.Created != Time(1777593600) || l.Latest.Unix() != 1777593600 {
			t.Errorf("%s: the stub is %+v, the latest moment %v", r, m, l.Latest)
		}
		if n, ok := row.record.(*Node); ok && !n.Ready {
			t.Error("a Node that cannot be read takes no Pods")
		}
		if s, ok := row.record.(*Service); ok && !s.Headless {
			t.Error("a Service that cannot be read is not headless")
		}
	}
}

// The metadata is kept as far as it fits; without a usable name, nothing is. An Event is only kept for what it says.
func TestSnapshotStubMetadata(t *testing.T) {
	for _, test := range []struct {
		text string
		kept bool
	}{
		{"apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: shop, labels: {app: db, n: 1}}\n", true},
		{"apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: shop, labels: {app: db}, creationTimestamp: yesterday}\n", true},
		{"apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: shop, labels: {app: db}, ownerReferences: {}}\n", true},
		{"apiVersion: v1\nkind: Pod\nmetadata: {name: 1, namespace: shop}\n", false},
		{"apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: [shop]}\n", false},
		{"apiVersion: v1\nkind: Pod\nmetadata: {namespace: shop}\nspec: []\n", false},
		{"apiVersion: v1\nkind: Pod\nmetadata: shop/x\n", false},
		{"apiVersion: v1\nkind: Event\nmetadata: {name: x, namespace: shop}\nreason: FailedCreate\ncount: many\n", false},
	} {
		path := filepath.Join(write(t, map[string]string{"f": test.text}), "f")
		l, err := LoadSnapshot([]string{path}, SnapshotOptions{})
		if err != nil {
			t.Fatal(err)
		}
		row, kept := l.rows[Pods][key{"shop", "x"}]
		if kept != test.kept || l.invalid[Pods]+l.invalid[Events] != 1 || len(l.names()) > 1 || (!kept && len(l.names()) > 0) {
			t.Errorf("got %v, %v invalid, of\n%s", l.names(), l.invalid, test.text)
		}
		if p, ok := row.record.(*Pod); ok && (!p.Broken || p.Labels.Get("app") != "db") {
			t.Errorf("the stub is %+v", p.Meta)
		}
	}
}
