package placement

// WorkloadKind bounds the label workload_kind: the kinds of Kubernetes' own controllers and of operators in wide use as they are,
// any other is "other".
func WorkloadKind(kind string) string {
	switch kind {
	case "Pod", "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", "CronJob",
		"AdvancedStatefulSet", "CloneSet", "Cluster", "Instance", "InstanceSet", "LeaderWorkerSet", "Notebook", "Rollout", "StrimziPodSet",
		"VirtualMachineInstance", "Workflow":
		return kind
	}
	return "other"
}
