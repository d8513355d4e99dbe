package cluster

import corev1 "k8s.io/api/core/v1"

// Claim is what Tocsin keeps of a PersistentVolumeClaim.
type Claim struct {
	Meta
	Labels   Labels
	Phase    string // Pending, Bound, Lost
	Volume   string // spec.volumeName
	Class    string // storage class (k8s.io/component-helpers/storage/volume, GetPersistentVolumeClaimClass), "" when none
	Request  int64  // bytes asked for
	Capacity int64  // bytes of the bound volume, status.capacity; 0 while unbound
	// Unused is since when no Pod has used it: lastTransitionTime of the condition Unused=True, written by Kubernetes 1.37 and later.
	// 0 when the condition is absent or False.
	Unused Time
	// CreatedBy is the manager of the oldest managedFields entry, "" when there are none; the StatefulSet controller's is
	// kube-controller-manager.
	CreatedBy string
	// CloneOf is the claim of its namespace named by spec.dataSource or dataSourceRef, "" when none.
	CloneOf string
	// SelectedNode is the annotation volume.kubernetes.io/selected-node.
	SelectedNode string
	HelmKeep     bool // the annotation helm.sh/resource-policy: keep
	// Annotations are the keys of its annotations, NUL between them, for the rules that spare claims.
	Annotations string
}

// Volume is what Tocsin keeps of a PersistentVolume.
type Volume struct {
	Meta
	Phase          string // Available, Bound, Released, Failed, Pending
	Class          string
	Capacity       int64
	ReclaimPolicy  string
	HasClaim       bool // spec.claimRef is set
	ClaimNamespace string
	ClaimName      string
	ClaimUID       UID  // zero when pre-bound by name only
	PhaseChanged   Time // status.lastPhaseTransitionTime
	Local          bool // spec.local
	HostPath       bool // spec.hostPath
	// Affinity is spec.nodeAffinity.required; interned, so that equal affinities are one pointer. nil when absent.
	Affinity *corev1.NodeSelector
	// Zone restricts it by the zone and region labels of old in-tree volumes (scheduler plugin VolumeZone): label key to the values
	// allowed; nil when it has none.
	Zone map[string][]string
}

// StorageClass is what Tocsin keeps of a StorageClass.
type StorageClass struct {
	Meta
	Provisioner          string
	WaitForFirstConsumer bool
}

// Snapshot is what Tocsin keeps of a VolumeSnapshot: which claim it is being taken of.
type Snapshot struct {
	Meta
	Claim string
	Ready bool // status.readyToUse
}

// Reference is the claims that a custom resource names, found by a claim rule.
type Reference struct {
	Meta
	Kind   string
	Claims []string
}
