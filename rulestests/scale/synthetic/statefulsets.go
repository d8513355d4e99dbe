package synthetic

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// setStory is what is special about a StatefulSet.
type setStory uint8

const (
	healthySet   setStory = iota
	trapped               // its template has been reverted, its last Pod is stuck at the bad revision
	crashLooping          // its last Pod crashes at the present revision
	homeless              // its last Pod's local volume is on a node that is gone
	homeCordoned          // its last Pod's local volume is on a cordoned node
	scaledToZero
	scaledDown // a claim of a former ordinal is left
	withoutService
	drifted // its claims are smaller than its template
)

func (g *generator) setStories() []setStory {
	var all []setStory
	for _, s := range [...]struct {
		story    setStory
		perMille int
	}{{trapped, 10}, {crashLooping, 5}, {homeless, 5}, {homeCordoned, 5}, {scaledToZero, 10}, {scaledDown, 15}, {withoutService, 3}, {drifted, 3}} {
		for range shareOf(g.StatefulSets, s.perMille) {
			all = append(all, s.story)
		}
	}
	return all
}

// set is what a StatefulSet is made of.
type set struct {
	namespace, name string
	story           setStory
	replicas        int32
	class           string // of its claims, "" when it has none
	labels          map[string]string
	protection      string
	template        corev1.PodSpec
	object          *appsv1.StatefulSet
}

func (g *generator) statefulSets() {
	stories := g.setStories()
	for i := range g.StatefulSets {
		s := &set{namespace: g.namespaceOf(i), name: fmt.Sprintf("db-%d", i), replicas: [...]int32{1, 2, 3, 3, 3, 5, 5, 7, 7, 9}[i/10%10]}
		s.class = [...]string{zonalClass, zonalClass, zonalClass, zonalClass, zonalClass, zonalClass, networkClass, networkClass, localClass, ""}[i%10]
		if i < len(stories) {
			s.story, s.replicas = stories[i], 3
			switch s.story {
			case homeless, homeCordoned:
				s.class = localClass
			case scaledToZero:
				s.replicas = 0
				fallthrough
			case scaledDown, drifted:
				s.class = zonalClass
			}
		}
		s.labels = map[string]string{"app.kubernetes.io/name": "db", "app.kubernetes.io/instance": s.name, "app.kubernetes.io/managed-by": "Helm"}
		s.protection = "none"
		if i%4 == 0 {
			g.addBudget(s, i%8 == 0)
		}
		g.addSet(s)
		g.addService(s)
		for ordinal := range s.replicas {
			g.addMember(s, ordinal)
		}
		g.spareClaims(s)
	}
}

func (g *generator) addSet(s *set) {
	created := g.ago(g.between(30*24*time.Hour, age))
	s.template = podSpec(s.name, corev1.RestartPolicyAlways)
	current := s.name + "-6c8d5f7b94"
	o := &appsv1.StatefulSet{
		ObjectMeta: g.meta(s.namespace, s.name, created, s.labels),
		Spec: appsv1.StatefulSetSpec{
			Replicas: new(s.replicas), Selector: selector(s.labels), ServiceName: s.name, PodManagementPolicy: appsv1.OrderedReadyPodManagement, RevisionHistoryLimit: new(int32(10)),
			Template:                             corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: s.labels}, Spec: s.template},
			UpdateStrategy:                       appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: new(int32(0))}},
			PersistentVolumeClaimRetentionPolicy: &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{WhenDeleted: appsv1.RetainPersistentVolumeClaimRetentionPolicyType, WhenScaled: appsv1.RetainPersistentVolumeClaimRetentionPolicyType},
		},
		Status: appsv1.StatefulSetStatus{ObservedGeneration: 1, Replicas: s.replicas, ReadyReplicas: s.replicas, AvailableReplicas: s.replicas, CurrentReplicas: s.replicas, UpdatedReplicas: s.replicas,
			CurrentRevision: current, UpdateRevision: current, CollisionCount: new(int32(0))},
	}
	if s.class != "" {
		size := "20Gi"
		if s.story == drifted {
			size = "50Gi"
		}
		o.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{
			ObjectMeta: metav1.ObjectMeta{Name: "data"},
			Spec: corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: new(s.class), VolumeMode: volumeMode(),
				Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}}},
			Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
		}}
	}
	if s.story == trapped {
		o.Generation, o.Status.ObservedGeneration = 3, 3
		o.Status.UpdatedReplicas--
	}
	if s.troubled() {
		o.Status.ReadyReplicas--
		o.Status.AvailableReplicas--
	}
	s.object = o
	g.manage(o, "statefulset"+s.class, manager{name: "helm", at: created}, manager{name: "kube-controller-manager", subresource: "status", at: g.ago(20 * time.Hour)})
	g.put("statefulsets", Object{Object: o})
	g.setTruth(s)
}

func (s *set) troubled() bool {
	return s.story == trapped || s.story == crashLooping || s.story == homeless || s.story == homeCordoned
}

// setTruth says what is to be found about a set.
func (g *generator) setTruth(s *set) {
	state, manual := "complete", 0.0
	blocked := func(reason, action string) {
		state = "blocked"
		g.truth.add("tocsin_statefulset_rollout_blocked", 1, s.namespace, s.name, reason, action)
		g.truth.add("tocsin_statefulset_blocking_pod_info", 1, s.namespace, s.name, s.name+"-2")
	}
	outdated := 0.0
	switch s.story {
	case trapped:
		manual, outdated = 1, 1
		blocked("image_pull", "delete_pod")
	case crashLooping:
		blocked("crash_loop", "fix_template")
	case homeless:
		blocked("unschedulable_volume_affinity", "fix_storage")
	case homeCordoned:
		blocked("unschedulable_volume_affinity", "free_node")
	case withoutService:
		g.truth.add("tocsin_statefulset_governing_service_invalid", 1, s.namespace, s.name, "missing")
	case drifted:
		g.truth.add("tocsin_statefulset_volume_template_drift", float64(s.replicas), s.namespace, s.name, "size")
	}
	g.truth.add("tocsin_statefulset_rollout_state", 1, s.namespace, s.name, state)
	g.truth.add("tocsin_statefulset_manual_delete_pods", manual, s.namespace, s.name)
	if outdated > 0 {
		g.truth.add("tocsin_statefulset_outdated_pods", outdated, s.namespace, s.name)
	}
}

func (g *generator) addService(s *set) {
	if s.story == withoutService {
		return
	}
	o := &corev1.Service{ObjectMeta: g.meta(s.namespace, s.name, s.object.CreationTimestamp.Time, s.labels), Spec: corev1.ServiceSpec{
		ClusterIP: corev1.ClusterIPNone, ClusterIPs: []string{corev1.ClusterIPNone}, Type: corev1.ServiceTypeClusterIP, Selector: s.labels, SessionAffinity: corev1.ServiceAffinityNone,
		IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol}, IPFamilyPolicy: new(corev1.IPFamilyPolicySingleStack),
		Ports: []corev1.ServicePort{{Name: "http", Port: 8080, TargetPort: intstr.FromString("http"), Protocol: corev1.ProtocolTCP}},
	}}
	o.Generation = 0
	g.manage(o, "service", manager{name: "helm", at: o.CreationTimestamp.Time})
	g.put("services", Object{Object: o})
}

func (g *generator) addBudget(s *set, allows bool) {
	s.protection = "pdb_blocking"
	o := &policyv1.PodDisruptionBudget{ObjectMeta: g.meta(s.namespace, s.name, g.ago(age), s.labels),
		Spec:   policyv1.PodDisruptionBudgetSpec{MaxUnavailable: new(intstr.FromInt32(1)), Selector: selector(s.labels)},
		Status: policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, CurrentHealthy: s.replicas, DesiredHealthy: s.replicas, ExpectedPods: s.replicas},
	}
	if allows {
		s.protection, o.Status.DisruptionsAllowed, o.Status.DesiredHealthy = "pdb", 1, s.replicas-1
	}
	g.put("poddisruptionbudgets", Object{Object: o})
}
