package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

func TestDecodeStatefulSet(t *testing.T) {
	got := decoded[StatefulSet](t, StatefulSets, `
metadata: {name: db, namespace: shop, generation: 4, annotations: {tocsin/severity: critical}}
spec:
  replicas: 0
  ordinals: {start: 5}
  podManagementPolicy: Parallel
  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 2}}
  minReadySeconds: 10
  serviceName: db
  persistentVolumeClaimRetentionPolicy: {whenScaled: Delete, whenDeleted: Retain}
  template: {spec: {nodeName: node-1, volumes: [{name: v, persistentVolumeClaim: {claimName: shared}}]}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {storageClassName: "", resources: {requests: {storage: 1Gi}}}
  - metadata: {name: log}
status:
  observedGeneration: 3
  replicas: 1
  currentReplicas: 2
  updatedReplicas: 3
  readyReplicas: 4
  currentRevision: db-1
  updateRevision: db-2
`)
	want := &StatefulSet{
		Meta:       Meta{Namespace: "shop", Name: "db", Severity: SeverityCritical},
		Generation: 4, Observed: 3, Replicas: 0, Start: 5, Parallel: true, HasRollingUpdate: true, Partition: 2, MinReady: 10,
		CurrentRevision: "db-1", UpdateRevision: "db-2", StatusReplicas: 1, CurrentReplicas: 2, UpdatedReplicas: 3, ReadyReplicas: 4,
		ServiceName: "db", DeletesScaled: true,
		Templates: []ClaimTemplate{{Name: "data", HasClass: true, Request: 1 << 30}, {Name: "log"}},
		Template:  Template{Claims: []string{"shared"}, NodeName: "node-1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s := decoded[StatefulSet](t, StatefulSets, "metadata: {name: x}"); s.Replicas != 1 || s.HasRollingUpdate || s.Strategy != RollingUpdate {
		t.Errorf("defaults: %+v", s)
	}
	for strategy, want := range map[string]UpdateStrategy{"OnDelete": OnDelete, "Recreate": Recreate, "RollingUpdate": RollingUpdate, "Magic": OtherStrategy} {
		if s := decoded[StatefulSet](t, StatefulSets, "metadata: {name: x}\nspec: {updateStrategy: {type: "+strategy+"}}"); s.Strategy != want {
			t.Errorf("%s: got %v", strategy, s.Strategy)
		}
	}
}

func TestDecodeWorkloads(t *testing.T) {
	for _, r := range []Resource{Deployments, ReplicaSets, ReplicationControllers} {
		w := decoded[Workload](t, r, `
metadata: {name: x}
spec: {replicas: 3, template: {spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: shared}}]}}}
`)
		want := &Workload{Meta: Meta{Name: "x"}, Kind: r.Info().Kind, Replicas: 3, Template: Template{Claims: []string{"shared"}}}
		if diff := cmp.Diff(want, w); diff != "" {
			t.Error(diff)
		}
		if w := decoded[Workload](t, r, "metadata: {name: x}"); w.Replicas != 1 {
			t.Errorf("%s: replicas %d", r, w.Replicas)
		}
	}
}

func TestDecodeDaemonSet(t *testing.T) {
	got := decoded[DaemonSet](t, DaemonSets, `
metadata: {name: agent, annotations: {tocsin/coverage: all}}
spec: {template: {spec: {hostNetwork: true, nodeSelector: {disk: ssd}, tolerations: [{operator: Exists}]}}}
`)
	want := &DaemonSet{
		Meta: Meta{Name: "agent"}, HostNetwork: true, CoverAll: true,
		Scheduling: &Scheduling{
			NodeSelector: map[string]string{"disk": "ssd"},
			Tolerations:  []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeService(t *testing.T) {
	for spec, want := range map[string]bool{
		"clusterIP: None":                     true,
		"clusterIP: 10.0.0.1":                 false,
		"":                                    false,
		"type: ExternalName, clusterIP: None": false,
	} {
		if s := decoded[Service](t, Services, "metadata: {name: x}\nspec: {"+spec+"}"); s.Headless != want {
			t.Errorf("%s: got %v", spec, s.Headless)
		}
	}
}

// In policy/v1 an empty selector selects every Pod, and an absent one none.
func TestDecodeBudget(t *testing.T) {
	pod := labels.Set{"app": "db"}
	for spec, want := range map[string]bool{
		"selector: {matchLabels: {app: db}}":    true,
		"selector: {matchLabels: {app: other}}": false,
		"selector: {}":                          true,
	} {
		b := decoded[Budget](t, Budgets, "metadata: {name: x}\nspec: {"+spec+"}\nstatus: {disruptionsAllowed: 2}")
		if b.Selector == nil || b.Selector.Matches(pod) != want || b.Allowed != 2 {
			t.Errorf("%s: got %v, allowed %d", spec, b.Selector, b.Allowed)
		}
	}
	if b := decoded[Budget](t, Budgets, "metadata: {name: x}"); b.Selector != nil {
		t.Errorf("no selector: got %v", b.Selector)
	}
}

func TestDecodeAutoscaler(t *testing.T) {
	got := decoded[Autoscaler](t, Autoscalers, "metadata: {name: x}\nspec: {maxReplicas: 9, scaleTargetRef: {kind: StatefulSet, name: db}}")
	if diff := cmp.Diff(&Autoscaler{Meta: Meta{Name: "x"}, TargetKind: "StatefulSet", TargetName: "db", Max: 9}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeNode(t *testing.T) {
	got := decoded[Node](t, Nodes, `
metadata: {name: node-1, labels: {zone: a, kubernetes.io/hostname: node-1}}
spec: {unschedulable: true, taints: [{key: gpu, value: "yes", effect: NoSchedule, timeAdded: "2026-05-05T00:00:00Z"}]}
status:
  conditions:
  - {type: MemoryPressure, status: "False", lastTransitionTime: "2026-05-04T00:00:00Z"}
  - {type: Ready, status: "True", lastTransitionTime: "2026-05-05T00:00:00Z"}
`)
	want := &Node{
		Meta:     Meta{Name: "node-1"},
		LabelMap: map[string]string{"zone": "a", "kubernetes.io/hostname": "node-1"},
		Taints:   []corev1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}, Unschedulable: true,
		Ready: true, ReadyChanged: at(t, "2026-05-05T00:00:00Z"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := decoded[Node](t, Nodes, "metadata: {name: x}\nstatus: {conditions: [{type: Ready, status: Unknown}]}"); n.Ready {
		t.Error("a node of which nothing is known is Ready")
	}
}
