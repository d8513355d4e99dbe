package synthetic

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// podsOfDeployment is how many Pods a Deployment without a claim has.
const podsOfDeployment = 20

// deployments makes a Deployment with one Pod for each claim that is left, half of them zonal, and others for the Pods that are left.
func (g *generator) deployments() {
	claims := g.Claims - g.claimsUsed
	pods := g.Pods - g.podsUsed - claims
	switch {
	case claims < 0:
		g.fail("too few claims: %d, need at least %d at so many statefulsets", g.Claims, g.claimsUsed)
	case pods < 0:
		g.fail("too few pods: %d, need at least %d for what else there is", g.Pods, g.podsUsed+claims)
	}
	if g.err != nil {
		return
	}
	for i := range claims {
		g.addDeployment(i, fmt.Sprintf("app-%d", i), 1, fmt.Sprintf("app-%d-data", i))
	}
	for i := 0; pods > 0; i++ {
		n := min(pods, podsOfDeployment)
		g.addDeployment(i, fmt.Sprintf("web-%d", i), n, "")
		pods -= n
	}
}

func (g *generator) addDeployment(i int, name string, replicas int, claimName string) {
	namespace, created := g.namespaceOf(i), g.ago(g.between(30*24*time.Hour, age))
	labels := map[string]string{"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "shop", "app.kubernetes.io/managed-by": "Helm"}
	var claims []string
	if claimName != "" {
		claims = []string{claimName}
	}
	template := podSpec(name, corev1.RestartPolicyAlways, claims...)
	n := int32(replicas)
	d := &appsv1.Deployment{
		ObjectMeta: g.meta(namespace, name, created, labels),
		Spec: appsv1.DeploymentSpec{Replicas: new(n), Selector: selector(labels), RevisionHistoryLimit: new(int32(10)), ProgressDeadlineSeconds: new(int32(600)),
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: template},
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: new(intstr.FromString("25%")), MaxSurge: new(intstr.FromString("25%"))}}},
		Status: appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: n, UpdatedReplicas: n, ReadyReplicas: n, AvailableReplicas: n, Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable", LastUpdateTime: at(created), LastTransitionTime: at(created)},
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable", LastUpdateTime: at(created), LastTransitionTime: at(created)},
		}},
	}
	d.Annotations = map[string]string{"deployment.kubernetes.io/revision": "2"}
	g.manage(d, "deployment"+strconv.Itoa(len(claims)), manager{name: "helm", at: created}, manager{name: "kube-controller-manager", subresource: "status", at: created.Add(time.Minute)})
	g.put("deployments", Object{Object: d})
	g.addReplicaSet(d, template, "7b5d9c6f4d", 0, created)
	current := g.addReplicaSet(d, template, "6f8d7b9c55", n, created.Add(24*time.Hour))
	podLabels := map[string]string{appsv1.DefaultDeploymentUniqueLabelKey: "6f8d7b9c55"}
	maps.Copy(podLabels, labels)
	for range replicas {
		role := ServingPod
		if claimName != "" {
			role = NoRole
		}
		p := pod{namespace: namespace, name: current.Name + "-" + g.suffix(), labels: podLabels, owners: owner("apps/v1", "ReplicaSet", current.Name, current.UID),
			created: g.ago(g.between(24*time.Hour, 20*24*time.Hour)), node: g.next(), template: template, shape: fmt.Sprint("deployment", len(claims)), role: role}
		if claimName != "" {
			c := claim{namespace: namespace, name: claimName, class: networkClass, created: created, state: "in_use", reason: "pod"}
			if i%2 == 0 {
				c.class, c.zone = zonalClass, p.node.zone
			}
			g.addClaim(c)
			g.pinned(p, c, "Deployment", "none")
		}
		g.addPod(p)
	}
}

func (g *generator) addReplicaSet(d *appsv1.Deployment, template corev1.PodSpec, hash string, replicas int32, created time.Time) *appsv1.ReplicaSet {
	labels := map[string]string{appsv1.DefaultDeploymentUniqueLabelKey: hash}
	maps.Copy(labels, d.Labels)
	r := &appsv1.ReplicaSet{
		ObjectMeta: g.meta(d.Namespace, d.Name+"-"+hash, created, labels),
		Spec:       appsv1.ReplicaSetSpec{Replicas: new(replicas), Selector: selector(labels), Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: template}},
		Status:     appsv1.ReplicaSetStatus{Replicas: replicas, FullyLabeledReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas, ObservedGeneration: 1},
	}
	r.OwnerReferences = owner("apps/v1", "Deployment", d.Name, d.UID)
	g.manage(r, "replicaset"+strconv.Itoa(len(template.Volumes)), manager{name: "kube-controller-manager", at: created}, manager{name: "kube-controller-manager", subresource: "status", at: created})
	g.put("replicasets", Object{Object: r})
	return r
}
