package synthetic

import (
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// claim is what a PersistentVolumeClaim and the volume that it is bound to are made of.
type claim struct {
	namespace, name string
	class           string
	zone            string // of a zonal volume
	node            string // of a local volume
	size            string
	created         time.Time
	labels          map[string]string
	annotations     map[string]string
	manager         string // that made it
	state, reason   string // what it is
	unbound         bool
}

// addClaim makes a claim, its volume, and what is known of both.
func (g *generator) addClaim(c claim) {
	g.claimsUsed++
	g.truth.add("tocsin_persistentvolumeclaims", 1, c.namespace, c.state, c.reason)
	if c.state == "orphaned" {
		g.truth.add("tocsin_persistentvolumeclaim_orphaned", 1, c.namespace, c.name, c.reason)
	}
	if c.size == "" {
		c.size = "20Gi"
	}
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(c.size)}
	o := &corev1.PersistentVolumeClaim{
		ObjectMeta: g.meta(c.namespace, c.name, c.created, c.labels),
		Spec: corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: size}, StorageClassName: &c.class, VolumeMode: volumeMode()},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
	o.Generation = 0
	o.Annotations = map[string]string{"volume.kubernetes.io/storage-provisioner": "ebs.csi.aws.com"}
	maps.Copy(o.Annotations, c.annotations)
	o.Finalizers = []string{"kubernetes.io/pvc-protection"}
	if !c.unbound {
		o.Spec.VolumeName = "pvc-" + string(o.UID)
		o.Annotations["pv.kubernetes.io/bind-completed"], o.Annotations["pv.kubernetes.io/bound-by-controller"] = "yes", "yes"
		o.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, AccessModes: o.Spec.AccessModes, Capacity: size}
		unused := corev1.PersistentVolumeClaimCondition{Type: "Unused", Status: corev1.ConditionFalse, Reason: "PodUsingPVC", LastTransitionTime: at(c.created.Add(time.Minute))}
		if c.state != "in_use" {
			unused.Status, unused.Reason = corev1.ConditionTrue, "NoPodsUsingPVC"
		}
		o.Status.Conditions = []corev1.PersistentVolumeClaimCondition{unused}
	}
	if c.manager == "" {
		c.manager = "helm"
	}
	managers := []manager{{name: c.manager, at: c.created}}
	if !c.unbound {
		managers = append(managers, manager{name: "kube-controller-manager", subresource: "status", at: c.created.Add(time.Minute)})
	}
	g.manage(o, fmt.Sprint("claim", c.unbound, len(c.labels), len(c.annotations)), managers...)
	g.put("persistentvolumeclaims", Object{Object: o})
	if !c.unbound {
		g.addVolume(c, o)
	}
}

func volumeMode() *corev1.PersistentVolumeMode { m := corev1.PersistentVolumeFilesystem; return &m }

func (g *generator) addVolume(c claim, o *corev1.PersistentVolumeClaim) {
	v := g.volume(o.Spec.VolumeName, c.class, c.created)
	v.Spec.ClaimRef = &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: o.Namespace, Name: o.Name, UID: o.UID}
	v.Spec.Capacity = o.Status.Capacity
	v.Status.Phase = corev1.VolumeBound
	v.Status.LastPhaseTransitionTime = ref(c.created.Add(time.Minute))
	switch {
	case c.node != "":
		v.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: "/mnt/disks/" + string(o.UID)}}
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: in(corev1.LabelHostname, c.node)}
		if g.exists(c.node) {
			g.truth.add("tocsin_node_local_persistentvolumes", 1, string(v.Status.Phase))
		} else {
			g.truth.add("tocsin_persistentvolume_node_missing", 1, v.Name, c.namespace, c.name)
		}
	case c.zone != "":
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: in(csiZone, c.zone)}
	}
	g.putVolume(v)
}

// gone is the name of a node that does not exist any more.
const gone = "node-gone"

func (g *generator) exists(node string) bool { return node != gone }

func in(label, value string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: label, Operator: corev1.NodeSelectorOpIn, Values: []string{value}},
	}}}}
}

func (g *generator) volume(name, class string, created time.Time) *corev1.PersistentVolume {
	driver := "ebs.csi.aws.com"
	if class == networkClass {
		driver = "efs.csi.aws.com"
	}
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: g.uid(), CreationTimestamp: at(created), Finalizers: []string{"kubernetes.io/pv-protection"},
			Annotations: map[string]string{"pv.kubernetes.io/provisioned-by": driver}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("20Gi")}, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete, StorageClassName: class, VolumeMode: volumeMode(),
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: fmt.Sprintf("vol-%016x", g.uids), FSType: "ext4",
				VolumeAttributes: map[string]string{"storage.kubernetes.io/csiProvisionerIdentity": "1700000000000-8081-" + driver}}},
		},
	}
}

func (g *generator) putVolume(v *corev1.PersistentVolume) {
	g.volumesUsed++
	g.manage(v, "volume"+string(v.Status.Phase), manager{name: "csi-provisioner", at: v.CreationTimestamp.Time},
		manager{name: "kube-controller-manager", subresource: "status", at: v.CreationTimestamp.Add(time.Minute)})
	g.put("persistentvolumes", Object{Object: v})
}

// unclaimedVolumes makes the volumes that are left: half of them released and kept, the others available, or failed.
func (g *generator) unclaimedVolumes() {
	left := g.Volumes - g.volumesUsed
	if left < 0 {
		g.fail("too few volumes: %d, need at least %d, one for each claim that is bound", g.Volumes, g.volumesUsed)
	}
	for i := range left {
		v := g.volume(fmt.Sprintf("pv-left-%05d", i), networkClass, g.ago(40*24*time.Hour))
		v.Status.LastPhaseTransitionTime = ref(g.ago(9 * 24 * time.Hour))
		v.Spec.ClaimRef = &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: g.namespaceOf(i), Name: fmt.Sprintf("former-%d", i), UID: types.UID(fmt.Sprintf("00000000-0000-4000-9000-%012d", i))}
		reason := ""
		switch i % 4 {
		case 0, 1:
			v.Status.Phase, v.Spec.PersistentVolumeReclaimPolicy, reason = corev1.VolumeReleased, corev1.PersistentVolumeReclaimRetain, "released_retained"
		case 2:
			v.Status.Phase, v.Spec.ClaimRef, reason = corev1.VolumeAvailable, nil, "available"
		case 3:
			v.Status.Phase, reason = corev1.VolumeFailed, "failed"
		}
		g.truth.add("tocsin_persistentvolume_unclaimed", 1, v.Name, reason)
		g.putVolume(v)
	}
}
