package collectors

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"tocsin/collectors/cluster"
)

// statefulCluster is a synthetic cluster of the stateful kind.
type statefulCluster struct {
	nodes, sets, claims, pods int
}

// build decodes its objects into a store: sets of three Pods, each with a claim on a volume of its own, every other one on a node's disk
// and the rest in a zone; claims that are left over; Pods of Deployments for the rest; Pods of a DaemonSet.
func (c statefulCluster) build(tb testing.TB) *cluster.Store {
	tb.Helper()
	store := cluster.NewStore(func() time.Time { return benchNow }, nil, nil)
	decode := cluster.NewDecoder()
	records := map[cluster.Resource][]any{}
	add := func(r cluster.Resource, o runtime.Object) {
		record, err := decode(r, o)
		if err != nil {
			tb.Fatal(r, err)
		}
		records[r] = append(records[r], record)
	}
	for n := range c.nodes {
		add(cluster.Nodes, benchNode(n))
	}
	for n := range c.sets {
		set := benchSet(n)
		add(cluster.StatefulSets, set)
		for ordinal := range 3 {
			i := n*3 + ordinal
			add(cluster.Pods, benchSetPod(set, ordinal, i, c.nodes))
			add(cluster.Claims, benchClaim(set.Namespace, fmt.Sprintf("data-%s-%d", set.Name, ordinal), i))
			add(cluster.Volumes, benchVolume(i, c.nodes, set.Namespace, fmt.Sprintf("data-%s-%d", set.Name, ordinal)))
		}
	}
	for i := c.sets * 3; i < c.claims; i++ {
		namespace, name := fmt.Sprintf("team-%03d", i%200), fmt.Sprintf("data-gone-%d", i)
		add(cluster.Claims, benchClaim(namespace, name, i))
		add(cluster.Volumes, benchVolume(i, c.nodes, namespace, name))
	}
	for i := c.sets * 3; i < c.pods; i++ {
		add(cluster.Pods, benchWebPod(i, c.nodes))
	}
	for _, r := range cluster.Resources() {
		store.Expect(r, "")
		store.Replace(r, "", records[r], 0)
	}
	return store
}

// BenchmarkGatherStateful is a full scrape by all collectors of 50,000 Pods, 10,000 claims, 2,000 StatefulSets and 1,000 nodes.
func BenchmarkGatherStateful(b *testing.B) {
	b.Run("nodes=1000/pods=50000", func(b *testing.B) {
		benchGather(b, statefulCluster{nodes: 1000, sets: 2000, claims: 10_000, pods: 50_000}.build(b), Table())
	})
}

func benchNode(n int) *corev1.Node {
	name := fmt.Sprintf("node-%04d", n)
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: benchUID(10, n), CreationTimestamp: metav1.Time{Time: benchNow.AddDate(0, -2, 0)},
		Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", n%3)}},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue,
			LastTransitionTime: metav1.Time{Time: benchNow.AddDate(0, -1, 0)}}}}}
}

func benchSet(n int) *appsv1.StatefulSet {
	name := fmt.Sprintf("db-%05d", n)
	revision := name + "-6f7d9c"
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprintf("team-%03d", n%200), Name: name, UID: benchUID(11, n), Generation: 1,
			CreationTimestamp: metav1.Time{Time: benchNow.AddDate(0, -1, 0)}},
		Spec: appsv1.StatefulSetSpec{Replicas: ptr.To[int32](3), ServiceName: name,
			UpdateStrategy: appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType,
				RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: ptr.To[int32](0)}},
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: benchClaimSpec(0)}}},
		Status: appsv1.StatefulSetStatus{ObservedGeneration: 1, Replicas: 3, ReadyReplicas: 3, CurrentReplicas: 3, UpdatedReplicas: 3,
			CurrentRevision: revision, UpdateRevision: revision},
	}
}

func benchRunningPod(meta metav1.ObjectMeta, node string) *corev1.Pod {
	started := metav1.Time{Time: benchNow.AddDate(0, 0, -7)}
	meta.CreationTimestamp = started
	return &corev1.Pod{ObjectMeta: meta,
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "main"}},
			Tolerations: []corev1.Toleration{{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](300)}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &started,
			Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: started},
				{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: started}},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "main", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}}}}}}
}

func benchSetPod(set *appsv1.StatefulSet, ordinal, n, nodes int) *corev1.Pod {
	name := fmt.Sprintf("%s-%d", set.Name, ordinal)
	p := benchRunningPod(metav1.ObjectMeta{Namespace: set.Namespace, Name: name, UID: benchUID(12, n),
		Labels:          map[string]string{"app": set.Name, "controller-revision-hash": set.Status.CurrentRevision, "statefulset.kubernetes.io/pod-name": name},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "StatefulSet", Name: set.Name, UID: set.UID, Controller: new(true)}}},
		fmt.Sprintf("node-%04d", n%nodes))
	p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-" + name}}}}
	return p
}

func benchWebPod(n, nodes int) *corev1.Pod {
	owner := fmt.Sprintf("web-%04d-5d8c7", n/20)
	return benchRunningPod(metav1.ObjectMeta{Namespace: fmt.Sprintf("team-%03d", n/20%200), Name: fmt.Sprintf("%s-%05d", owner, n), UID: benchUID(13, n),
		Labels:          map[string]string{"app": owner, "pod-template-hash": "5d8c7"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: owner, UID: benchUID(14, n/20), Controller: new(true)}}},
		fmt.Sprintf("node-%04d", n%nodes))
}

func benchClaimSpec(n int) corev1.PersistentVolumeClaimSpec {
	spec := corev1.PersistentVolumeClaimSpec{StorageClassName: new("fast"),
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")}}}
	if n > 0 {
		spec.VolumeName = fmt.Sprintf("pv-%06d", n)
	}
	return spec
}

func benchClaim(namespace, name string, n int) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: benchUID(15, n), CreationTimestamp: metav1.Time{Time: benchNow.AddDate(0, -1, 0)}},
		Spec:       benchClaimSpec(n + 1),
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound,
			Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")}}}
}

func benchVolume(n, nodes int, namespace, claim string) *corev1.PersistentVolume {
	key, value := corev1.LabelHostname, fmt.Sprintf("node-%04d", n%nodes)
	if n%2 == 1 {
		key, value = corev1.LabelTopologyZone, fmt.Sprintf("zone-%d", n%nodes%3)
	}
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pv-%06d", n+1), UID: benchUID(16, n)},
		Spec: corev1.PersistentVolumeSpec{StorageClassName: "fast", PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")},
			ClaimRef: &corev1.ObjectReference{Namespace: namespace, Name: claim, UID: benchUID(15, n)},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}}}}}}}},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound}}
}
