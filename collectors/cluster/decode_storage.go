package cluster

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func (d *decoder) claim(o *corev1.PersistentVolumeClaim) (*Claim, error) {
	c := &Claim{
		Meta:         d.meta(Claims, o),
		Labels:       d.labels(o.Labels),
		Phase:        d.strings.get(string(o.Status.Phase)),
		Volume:       strings.Clone(o.Spec.VolumeName),
		Class:        d.strings.get(claimClass(o)),
		Request:      storage(o.Spec.Resources.Requests),
		Capacity:     storage(o.Status.Capacity),
		CreatedBy:    d.strings.get(createdBy(o.ManagedFields)),
		CloneOf:      strings.Clone(cloneOf(o)),
		SelectedNode: d.strings.get(o.Annotations["volume.kubernetes.io/selected-node"]),
		HelmKeep:     strings.ToLower(strings.TrimSpace(o.Annotations["helm.sh/resource-policy"])) == "keep",
		Annotations:  d.strings.get(strings.Join(slices.Sorted(maps.Keys(o.Annotations)), "\x00")),
	}
	for i := range o.Status.Conditions {
		if u := &o.Status.Conditions[i]; u.Type == corev1.PersistentVolumeClaimUnused && u.Status == corev1.ConditionTrue {
			c.Unused = seconds(u.LastTransitionTime.Time)
		}
	}
	return c, nil
}

// The storage class of an object may stand in an annotation, from before there was a field, which goes first (k8s.io/component-helpers
// storage/volume, GetPersistentVolumeClaimClass and GetPersistentVolumeClass; that package would bring client-go's clients of all groups,
// a quarter of the program).

func hasBetaClass(annotations map[string]string) bool {
	_, ok := annotations[corev1.BetaStorageClassAnnotation]
	return ok
}

func claimClass(o *corev1.PersistentVolumeClaim) string {
	if hasBetaClass(o.Annotations) {
		return o.Annotations[corev1.BetaStorageClassAnnotation]
	}
	return valueOr(o.Spec.StorageClassName, "")
}

func volumeClass(o *corev1.PersistentVolume) string {
	if hasBetaClass(o.Annotations) {
		return o.Annotations[corev1.BetaStorageClassAnnotation]
	}
	return o.Spec.StorageClassName
}

func storage(list corev1.ResourceList) int64 {
	q := list[corev1.ResourceStorage]
	return q.Value()
}

// cloneOf gives the claim of the same namespace that the claim is to be filled from. dataSourceRef is the newer field of the two, and
// the only one that may name another namespace.
func cloneOf(o *corev1.PersistentVolumeClaim) string {
	const kind = "PersistentVolumeClaim"
	if r := o.Spec.DataSourceRef; r != nil {
		if r.Kind == kind && valueOr(r.APIGroup, "") == "" && (valueOr(r.Namespace, "") == "" || *r.Namespace == o.Namespace) {
			return r.Name
		}
		return ""
	}
	if r := o.Spec.DataSource; r != nil && r.Kind == kind && valueOr(r.APIGroup, "") == "" {
		return r.Name
	}
	return ""
}

func (d *decoder) volume(o *corev1.PersistentVolume) (*Volume, error) {
	v := &Volume{
		Meta:          d.meta(Volumes, o),
		Phase:         d.strings.get(string(o.Status.Phase)),
		Class:         d.strings.get(volumeClass(o)),
		Capacity:      storage(o.Spec.Capacity),
		ReclaimPolicy: d.strings.get(string(o.Spec.PersistentVolumeReclaimPolicy)),
		PhaseChanged:  secondsOf(o.Status.LastPhaseTransitionTime),
		Local:         o.Spec.Local != nil,
		HostPath:      o.Spec.HostPath != nil,
		Zone:          zones(o.Labels),
	}
	if r := o.Spec.ClaimRef; r != nil {
		v.HasClaim, v.ClaimUID = true, parseUID(string(r.UID))
		v.ClaimNamespace, v.ClaimName = d.strings.get(r.Namespace), strings.Clone(r.Name)
	}
	if o.Spec.NodeAffinity != nil {
		v.Affinity = d.nodeSelector(o.Spec.NodeAffinity.Required)
	}
	return v, nil
}

// zones reads the labels by which the scheduler restricts old in-tree volumes; a value may be several zones with "__" between them, and
// one with an empty zone in it restricts nothing (k8s.io/kubernetes pkg/scheduler/framework/plugins/volumezone/volume_zone.go;
// k8s.io/cloud-provider volume/helpers/zones.go, LabelZonesToSet).
func zones(labels map[string]string) map[string][]string {
	var all map[string][]string
	for _, key := range []string{
		corev1.LabelTopologyZone, corev1.LabelTopologyRegion, corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion,
	} {
		value, ok := labels[key]
		if !ok {
			continue
		}
		list := strings.Split(strings.Clone(value), "__")
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
		if slices.Contains(list, "") {
			continue
		}
		if all == nil {
			all = map[string][]string{}
		}
		all[key] = list
	}
	return all
}

func (d *decoder) storageClass(o *storagev1.StorageClass) *StorageClass {
	return &StorageClass{
		Meta:                 d.meta(StorageClasses, o),
		Provisioner:          d.strings.get(o.Provisioner),
		WaitForFirstConsumer: valueOr(o.VolumeBindingMode, storagev1.VolumeBindingImmediate) == storagev1.VolumeBindingWaitForFirstConsumer,
	}
}

// snapshot reads a VolumeSnapshot, for which k8s.io/api has no type. A field of an unexpected type counts as absent.
func (d *decoder) snapshot(o *unstructured.Unstructured) *Snapshot {
	claim, _, _ := unstructured.NestedString(o.Object, "spec", "source", "persistentVolumeClaimName")
	ready, _, _ := unstructured.NestedBool(o.Object, "status", "readyToUse")
	return &Snapshot{Meta: d.meta(Snapshots, o), Claim: strings.Clone(claim), Ready: ready}
}
