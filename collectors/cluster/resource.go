package cluster

import "k8s.io/apimachinery/pkg/runtime/schema"

// Resource is one of the API resources that Tocsin reads.
type Resource uint8

// The resources.
const (
	CronJobs Resource = iota
	Jobs
	Pods
	Namespaces
	Events
	Claims
	Volumes
	StatefulSets
	DaemonSets
	Deployments
	ReplicaSets
	ReplicationControllers
	Nodes
	Services
	StorageClasses
	Budgets
	Autoscalers
	Snapshots
	References // the custom resources that claim rules name
	resourceCount
)

// ResourceInfo describes a resource to the API.
type ResourceInfo struct {
	schema.GroupVersionResource
	Kind       string
	Namespaced bool
	// Selector is a field selector that lets the API server sift.
	Selector string
	// Optional marks a resource that a cluster may not have: absent is then not a fault, and it has no source series while absent.
	Optional bool
}

var resourceTable = [resourceCount]ResourceInfo{
	CronJobs:     {GroupVersionResource: schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}, Kind: "CronJob", Namespaced: true},
	Jobs:         {GroupVersionResource: schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}, Kind: "Job", Namespaced: true},
	Pods:         {GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: "Pod", Namespaced: true},
	Namespaces:   {GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Kind: "Namespace"},
	Events:       {GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "events"}, Kind: "Event", Namespaced: true, Selector: "reason=FailedCreate"},
	Claims:       {GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}, Kind: "PersistentVolumeClaim", Namespaced: true},
	Volumes:      {GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumes"}, Kind: "PersistentVolume"},
	StatefulSets: {GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"}, Kind: "StatefulSet", Namespaced: true},
	DaemonSets:   {GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "daemonsets"}, Kind: "DaemonSet", Namespaced: true},
	Deployments:  {GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, Kind: "Deployment", Namespaced: true},
	ReplicaSets:  {GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}, Kind: "ReplicaSet", Namespaced: true},
	ReplicationControllers: {GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "replicationcontrollers"},
		Kind: "ReplicationController", Namespaced: true},
	Nodes:          {GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, Kind: "Node"},
	Services:       {GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "services"}, Kind: "Service", Namespaced: true},
	StorageClasses: {GroupVersionResource: schema.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"}, Kind: "StorageClass"},
	Budgets: {GroupVersionResource: schema.GroupVersionResource{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
		Kind: "PodDisruptionBudget", Namespaced: true},
	Autoscalers: {GroupVersionResource: schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
		Kind: "HorizontalPodAutoscaler", Namespaced: true},
	Snapshots: {GroupVersionResource: schema.GroupVersionResource{Group: "snapshot.storage.k8s.io", Version: "v1", Resource: "volumesnapshots"},
		Kind: "VolumeSnapshot", Namespaced: true, Optional: true},
	References: {GroupVersionResource: schema.GroupVersionResource{Resource: "customresources"}, Namespaced: true, Optional: true},
}

// Info describes the resource to the API.
func (r Resource) Info() ResourceInfo { return resourceTable[r] }

// String gives the plural name that the series tocsin_source_up and its kin have as the label resource.
func (r Resource) String() string { return resourceTable[r].Resource }

// Resources lists all resources that Tocsin may read.
func Resources() []Resource {
	all := make([]Resource, resourceCount)
	for i := range all {
		all[i] = Resource(i)
	}
	return all
}
