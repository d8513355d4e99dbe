package cluster

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// metadataFields are what is read of every object; client-go's reflector reads the version, and the annotation that ends a streamed list.
var metadataFields = []string{
	"metadata.name", "metadata.namespace", "metadata.uid", "metadata.resourceVersion", "metadata.creationTimestamp",
	"metadata.deletionTimestamp", "metadata.deletionGracePeriodSeconds",
	"metadata.ownerReferences.kind", "metadata.ownerReferences.name", "metadata.ownerReferences.uid", "metadata.ownerReferences.controller",
	"metadata.annotations[k8s.io/initial-events-end]", "metadata.annotations[" + annotationIgnore + "]",
	"metadata.annotations[" + annotationSeverity + "]",
}

// managedFields are what is read of who changed what and when.
var managedFields = []string{
	"metadata.managedFields.manager", "metadata.managedFields.time", "metadata.managedFields.subresource", "metadata.managedFields.fieldsV1",
}

const betaStorageClass = "metadata.annotations[volume.beta.kubernetes.io/storage-class]"

// wantedFields are the fields that the decoder reads of each resource: a field that it comes to read must come to stand here.
// TestSiftedEqualsWhole tells when one is missing.
var wantedFields = [resourceCount][]string{
	CronJobs: concat(managedFields, under("spec.jobTemplate.spec.template.spec.", templateFields), []string{
		"metadata.generation", "metadata.annotations[" + annotationSuccessWithin + "]",
		"spec.schedule", "spec.timeZone", "spec.concurrencyPolicy", "spec.suspend", "spec.startingDeadlineSeconds",
		"status.active.name", "status.active.uid", "status.lastScheduleTime", "status.lastSuccessfulTime",
	}),
	Jobs: concat(under("spec.template.spec.", templateFields), []string{
		"metadata.annotations[batch.kubernetes.io/cronjob-scheduled-timestamp]", "metadata.annotations[helm.sh/hook-delete-policy]",
		"spec.suspend", "spec.parallelism", "spec.ttlSecondsAfterFinished", "spec.backoffLimitPerIndex", "spec.activeDeadlineSeconds", "spec.managedBy",
		"status.conditions.type", "status.conditions.status", "status.conditions.lastTransitionTime", "status.conditions.reason", "status.conditions.message",
		"status.startTime", "status.completionTime", "status.active", "status.succeeded", "status.failed", "status.ready", "status.terminating",
		"status.uncountedTerminatedPods", "status.failedIndexes",
	}),
	Pods: concat(under("spec.containers.", containerFields), under("spec.initContainers.", containerFields),
		under("status.containerStatuses.", statusFields), under("status.initContainerStatuses.", statusFields),
		under("spec.", schedulingFields), []string{
			"metadata.labels", "metadata.annotations[kubernetes.io/config.mirror]", "spec.nodeName",
			"spec.volumes.name", "spec.volumes.volumeSource.persistentVolumeClaim.claimName", "spec.volumes.volumeSource.ephemeral{}",
			"spec.volumes.volumeSource.hostPath",
			"status.phase", "status.reason", "status.startTime",
			"status.conditions.type", "status.conditions.status", "status.conditions.lastTransitionTime", "status.conditions.reason",
		}),
	Namespaces: nil,
	Events: {
		"involvedObject.kind", "involvedObject.name", "involvedObject.uid", "message", "firstTimestamp", "lastTimestamp", "eventTime",
		"series.lastObservedTime",
	},
	Claims: concat(managedFields, []string{
		"metadata.labels", "metadata.annotations[]", betaStorageClass, "metadata.annotations[volume.kubernetes.io/selected-node]",
		"metadata.annotations[helm.sh/resource-policy]",
		"spec.volumeName", "spec.storageClassName", "spec.resources.requests[storage]", "spec.dataSource", "spec.dataSourceRef",
		"status.phase", "status.capacity[storage]", "status.conditions.type", "status.conditions.status", "status.conditions.lastTransitionTime",
	}),
	Volumes: {
		"metadata.labels[topology.kubernetes.io/zone]", "metadata.labels[topology.kubernetes.io/region]",
		"metadata.labels[failure-domain.beta.kubernetes.io/zone]", "metadata.labels[failure-domain.beta.kubernetes.io/region]",
		betaStorageClass, "spec.storageClassName", "spec.capacity[storage]", "spec.persistentVolumeReclaimPolicy",
		"spec.persistentVolumeSource.local{}", "spec.persistentVolumeSource.hostPath{}",
		"spec.claimRef.namespace", "spec.claimRef.name", "spec.claimRef.uid", "spec.nodeAffinity", "status.phase", "status.lastPhaseTransitionTime",
	},
	StatefulSets: concat(under("spec.template.spec.", templateFields), []string{
		"metadata.generation", "spec.replicas", "spec.podManagementPolicy", "spec.updateStrategy", "spec.minReadySeconds", "spec.serviceName",
		"spec.ordinals", "spec.persistentVolumeClaimRetentionPolicy", "spec.volumeClaimTemplates.metadata.name",
		"spec.volumeClaimTemplates.metadata.annotations[volume.beta.kubernetes.io/storage-class]",
		"spec.volumeClaimTemplates.spec.storageClassName", "spec.volumeClaimTemplates.spec.resources.requests[storage]",
		"status.observedGeneration", "status.replicas", "status.currentReplicas", "status.updatedReplicas", "status.readyReplicas",
		"status.currentRevision", "status.updateRevision",
	}),
	DaemonSets: concat(under("spec.template.spec.", templateFields), under("spec.template.spec.", schedulingFields), []string{
		"metadata.annotations[" + annotationCoverage + "]", "spec.template.spec.hostNetwork",
	}),
	Deployments:            workloadFields,
	ReplicaSets:            workloadFields,
	ReplicationControllers: workloadFields,
	Nodes: {
		"metadata.labels", "spec.unschedulable", "spec.taints.key", "spec.taints.value", "spec.taints.effect",
		"status.conditions.type", "status.conditions.status", "status.conditions.lastTransitionTime",
	},
	Services:       {"spec.clusterIP", "spec.type"},
	StorageClasses: {"provisioner", "volumeBindingMode"},
	Budgets:        {"spec.selector", "status.disruptionsAllowed"},
	Autoscalers:    {"spec.scaleTargetRef.kind", "spec.scaleTargetRef.name", "spec.maxReplicas"},
}

// What is read of a Pod's spec, of a container, and of a container's status; of a Pod template's spec, and of a workload that has one.
var (
	schedulingFields = []string{
		"nodeSelector", "tolerations", "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
	}
	containerFields = []string{
		"volumeMounts.name", "volumeMounts.readOnly",
		"startupProbe.initialDelaySeconds", "startupProbe.periodSeconds", "startupProbe.failureThreshold", "readinessProbe.initialDelaySeconds",
	}
	statusFields = []string{
		"name", "restartCount", "state.waiting.reason", "state.running.startedAt",
		"state.terminated.exitCode", "state.terminated.reason", "state.terminated.startedAt", "state.terminated.finishedAt",
		"lastState.terminated.exitCode", "lastState.terminated.reason", "lastState.terminated.startedAt", "lastState.terminated.finishedAt",
	}
	templateFields = []string{"nodeName", "volumes.volumeSource.persistentVolumeClaim.claimName"}
	workloadFields = concat(under("spec.template.spec.", templateFields), []string{"spec.replicas"})
)

func concat(lists ...[]string) []string { return slices.Concat(lists...) }

func under(prefix string, paths []string) []string {
	all := make([]string, len(paths))
	for i, p := range paths {
		all[i] = prefix + p
	}
	return all
}

// wireKind is a kind, or the list of a kind, that comes in protobuf and of which not every field is read.
type wireKind struct {
	gvk  schema.GroupVersionKind
	mask *mask
}

// wireKinds are all of them, by apiVersion and kind with a space between them.
var wireKinds = func() map[string]*wireKind {
	all := map[string]*wireKind{}
	for r, fields := range wantedFields {
		info := Resource(r).Info()
		if !kinds.IsVersionRegistered(info.GroupVersion()) {
			continue
		}
		of := func(kind string, paths []string) {
			gvk := info.GroupVersion().WithKind(kind)
			obj, err := kinds.New(gvk)
			if err != nil {
				panic(err)
			}
			all[strings.Join([]string{info.GroupVersion().String(), kind}, " ")] = &wireKind{gvk, newMask(reflect.TypeOf(obj).Elem(), paths...)}
		}
		fields = concat(metadataFields, fields)
		of(info.Kind, fields)
		of(info.Kind+"List", concat([]string{"metadata"}, under("items.", fields)))
	}
	return all
}()
