package cluster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestDecodeClaim(t *testing.T) {
	got := decoded[Claim](t, Claims, `
metadata:
  name: data-db-0
  namespace: shop
  annotations:
    volume.kubernetes.io/selected-node: node-1
    helm.sh/resource-policy: "keep "
    a: b
spec: {volumeName: pvc-1, storageClassName: fast, resources: {requests: {storage: 10Gi}}}
status:
  phase: Bound
  capacity: {storage: 20Gi}
  conditions: [{type: Unused, status: "True", lastTransitionTime: "2026-05-05T00:00:00Z"}]
`)
	want := &Claim{
		Meta: Meta{Namespace: "shop", Name: "data-db-0"}, Phase: "Bound", Volume: "pvc-1", Class: "fast",
		Request: 10 << 30, Capacity: 20 << 30, Unused: at(t, "2026-05-05T00:00:00Z"), SelectedNode: "node-1", HelmKeep: true,
		Annotations: "a\x00helm.sh/resource-policy\x00volume.kubernetes.io/selected-node",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	used := decoded[Claim](t, Claims, `
metadata: {name: x, annotations: {volume.beta.kubernetes.io/storage-class: old, helm.sh/resource-policy: delete}}
spec: {storageClassName: new}
status: {conditions: [{type: Unused, status: "False", lastTransitionTime: "2026-05-05T00:00:00Z"}]}
`)
	if used.Unused != 0 || used.Class != "old" || used.HelmKeep {
		t.Errorf("unused %v, class %q, keep %v", used.Unused.Std(), used.Class, used.HelmKeep)
	}
}

func TestDecodeClone(t *testing.T) {
	for spec, want := range map[string]string{
		"dataSource: {kind: PersistentVolumeClaim, name: a}":                                                                   "a",
		"dataSourceRef: {kind: PersistentVolumeClaim, name: a}":                                                                "a",
		"dataSourceRef: {kind: PersistentVolumeClaim, name: a, namespace: shop}":                                               "a",
		"dataSourceRef: {kind: PersistentVolumeClaim, name: a, namespace: other}":                                              "",
		"dataSource: {kind: VolumeSnapshot, apiGroup: snapshot.storage.k8s.io, name: a}":                                       "",
		"dataSource: {kind: PersistentVolumeClaim, name: a}, dataSourceRef: {kind: Populator, apiGroup: example.com, name: b}": "",
		"dataSource: {kind: PersistentVolumeClaim, apiGroup: example.com, name: a}":                                            "",
		"volumeName: x": "",
	} {
		if c := decoded[Claim](t, Claims, "metadata: {name: x, namespace: shop}\nspec: {"+spec+"}"); c.CloneOf != want {
			t.Errorf("%s: got %q", spec, c.CloneOf)
		}
	}
}

// A manager's entry takes the time of its last change, so that the oldest entry need not be the creator's.
func TestDecodeClaimCreator(t *testing.T) {
	const (
		creator = "{manager: kube-controller-manager, time: '2026-05-05T00:00:00Z', fieldsV1: {'f:spec': {'f:accessModes': {}}}}"
		later   = "{manager: kube-controller-manager, time: '2026-06-05T00:00:00Z', fieldsV1: {'f:spec': {'f:accessModes': {}}}}"
		label   = "{manager: kubectl-label, time: '2026-05-06T00:00:00Z', fieldsV1: {'f:metadata': {'f:labels': {}}}}"
		status  = "{manager: kubelet, subresource: status, time: '2026-05-04T00:00:00Z', fieldsV1: {'f:spec': {'f:accessModes': {}}}}"
		applied = "{manager: argocd, time: '2026-05-07T00:00:00Z', fieldsV1: {'f:spec': {'f:accessModes': {}}}}"
		helm    = "{manager: helm, time: '2026-05-01T00:00:00Z', fieldsV1: {'f:spec': {'f:accessModes': {}}}}"
	)
	for managed, want := range map[string]string{
		"":      "",
		creator: "kube-controller-manager",
		strings.Join([]string{label, later}, ","):     "kube-controller-manager",
		strings.Join([]string{status, creator}, ","):  "kube-controller-manager",
		strings.Join([]string{applied, creator}, ","): "kube-controller-manager",
		strings.Join([]string{creator, helm}, ","):    "helm",
		label: "",
	} {
		if c := decoded[Claim](t, Claims, "metadata: {name: x, managedFields: ["+managed+"]}"); c.CreatedBy != want {
			t.Errorf("%s: got %q, want %q", managed, c.CreatedBy, want)
		}
	}
}

func TestDecodeVolume(t *testing.T) {
	got := decoded[Volume](t, Volumes, `
metadata: {name: pvc-1, labels: {topology.kubernetes.io/zone: "a__b", topology.kubernetes.io/region: "__"}}
spec:
  capacity: {storage: 1Gi}
  storageClassName: fast
  persistentVolumeReclaimPolicy: Retain
  claimRef: {namespace: shop, name: data-db-0, uid: u}
  local: {path: /mnt/a}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}}
status: {phase: Released, lastPhaseTransitionTime: "2026-05-05T00:00:00Z"}
`)
	want := &Volume{
		Meta:  Meta{Name: "pvc-1"},
		Phase: "Released", Class: "fast", Capacity: 1 << 30, ReclaimPolicy: "Retain",
		HasClaim: true, ClaimNamespace: "shop", ClaimName: "data-db-0", ClaimUID: parseUID("u"),
		PhaseChanged: at(t, "2026-05-05T00:00:00Z"), Local: true,
		Affinity: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "k", Operator: corev1.NodeSelectorOpExists}},
		}}},
		// The scheduler leaves a label out whose value holds an empty zone.
		Zone: map[string][]string{"topology.kubernetes.io/zone": {"a", "b"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if v := decoded[Volume](t, Volumes, "metadata: {name: x}\nspec: {hostPath: {path: /srv}, nodeAffinity: {}}"); !v.HostPath || v.HasClaim || v.Affinity != nil {
		t.Errorf("got %+v", v)
	}
}

func TestDecodeSnapshot(t *testing.T) {
	s := decoded[Snapshot](t, Snapshots, `
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata: {name: s, namespace: shop, uid: u, creationTimestamp: "2026-05-05T00:00:00Z"}
spec: {source: {persistentVolumeClaimName: data-db-0}}
status: {readyToUse: true}
`)
	if s.Claim != "data-db-0" || !s.Ready || s.Created != at(t, "2026-05-05T00:00:00Z") || s.UID != parseUID("u") {
		t.Errorf("got %+v", s)
	}
	if s := decoded[Snapshot](t, Snapshots, "{metadata: {name: s}, spec: {source: [1]}, status: {readyToUse: 'yes'}}"); s.Claim != "" || s.Ready {
		t.Errorf("got %+v", s)
	}
}

func TestDecodeStorageClass(t *testing.T) {
	for text, want := range map[string]bool{
		"{metadata: {name: x}, volumeBindingMode: WaitForFirstConsumer}": true,
		"{metadata: {name: x}, volumeBindingMode: Immediate}":            false,
		"{metadata: {name: x}}": false,
	} {
		if c := decoded[StorageClass](t, StorageClasses, text); c.WaitForFirstConsumer != want {
			t.Errorf("%s: got %v", text, c.WaitForFirstConsumer)
		}
	}
}
