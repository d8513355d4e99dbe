package cluster

import "k8s.io/apimachinery/pkg/labels"

// UpdateStrategy is a StatefulSet's update strategy.
type UpdateStrategy uint8

// The strategies; OtherStrategy is one that Tocsin does not know.
const (
	RollingUpdate UpdateStrategy = iota
	OnDelete
	Recreate
	OtherStrategy
)

// StatefulSet is what Tocsin keeps of a StatefulSet.
type StatefulSet struct {
	Meta
	Generation, Observed int64
	Replicas             int32 // spec.replicas, 1 when unset
	Start                int32 // spec.ordinals.start
	Parallel             bool
	Strategy             UpdateStrategy
	// HasRollingUpdate tells that updateStrategy.rollingUpdate is set: when it is not, the controller builds a lost Pod at another
	// revision (k8s.io/kubernetes pkg/controller/statefulset/stateful_set_utils.go, newVersionedStatefulSetPod).
	HasRollingUpdate bool
	Partition        int32
	MinReady         int32 // minReadySeconds
	CurrentRevision  string
	UpdateRevision   string
	StatusReplicas   int32
	CurrentReplicas  int32
	UpdatedReplicas  int32
	ReadyReplicas    int32
	ServiceName      string
	Templates        []ClaimTemplate
	// DeletesScaled and DeletesDeleted are persistentVolumeClaimRetentionPolicy: Delete rather than Retain.
	DeletesScaled, DeletesDeleted bool
	Template                      Template
}

// ClaimTemplate is one of a StatefulSet's volumeClaimTemplates.
type ClaimTemplate struct {
	Name     string
	Class    string
	HasClass bool  // storageClassName is set
	Request  int64 // bytes
}

// Template is what Tocsin keeps of a workload's Pod template.
type Template struct {
	Claims   []string // PersistentVolumeClaims that its volumes name
	NodeName string   // spec.nodeName: every Pod of it goes there, past the scheduler
}

// Workload is a Deployment, ReplicaSet, ReplicationController: what owns Pods and names claims.
type Workload struct {
	Meta
	Kind     string
	Replicas int32
	Template Template
}

// DaemonSet is what Tocsin keeps of a DaemonSet.
type DaemonSet struct {
	Meta
	Template    Template
	Scheduling  *Scheduling // of its template
	HostNetwork bool
	CoverAll    bool // the annotation tocsin/coverage: all
}

// Service is what Tocsin keeps of a Service.
type Service struct {
	Meta
	Headless bool // clusterIP: None, and not an ExternalName
}

// Budget is what Tocsin keeps of a PodDisruptionBudget.
type Budget struct {
	Meta
	// Selector is nil when the budget selects nothing; in policy/v1 an empty selector selects every Pod of the namespace.
	Selector labels.Selector
	Allowed  int32 // status.disruptionsAllowed
}

// Autoscaler is what Tocsin keeps of a HorizontalPodAutoscaler.
type Autoscaler struct {
	Meta
	TargetKind, TargetName string
	Max                    int32
}

// Namespace is what Tocsin keeps of a Namespace; its Deleted and Ignore matter.
type Namespace struct {
	Meta
}
