package synthetic

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// CrowdNamespace is the namespace of a Crowd.
const CrowdNamespace = "crowd"

// Crowd is one more namespace, that a load test empties: Pods of one Deployment, and Jobs that run.
type Crowd struct {
	Pods, Jobs int
}

func (g *generator) crowd() {
	if g.Crowd == (Crowd{}) {
		return
	}
	ns := &corev1.Namespace{ObjectMeta: g.meta("", CrowdNamespace, g.ago(age), map[string]string{corev1.LabelMetadataName: CrowdNamespace}),
		Spec: corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}}, Status: corev1.NamespaceStatus{Phase: corev1.NamespaceActive}}
	g.put("namespaces", Object{Object: ns})
	template := podSpec("crowd", corev1.RestartPolicyAlways)
	for i := range g.Crowd.Pods {
		g.addPod(pod{namespace: CrowdNamespace, name: fmt.Sprintf("crowd-6f8d7b9c55-%05d", i), labels: map[string]string{appsv1.DefaultDeploymentUniqueLabelKey: "6f8d7b9c55", "app": "crowd"},
			owners: owner("apps/v1", "ReplicaSet", "crowd-6f8d7b9c55", "00000000-0000-4000-a000-000000000000"), created: g.ago(g.between(24*time.Hour, 48*time.Hour)),
			node: g.next(), template: template, shape: "crowd", role: CrowdPod})
	}
	for i := range g.Crowd.Jobs {
		j := job{namespace: CrowdNamespace, name: fmt.Sprintf("crowd-%d", i), created: g.ago(g.between(2*time.Hour, 20*time.Hour)), outcome: running,
			template: podSpec("import", corev1.RestartPolicyNever), labels: map[string]string{"app": "crowd"}}
		g.truth.add("tocsin_job_state", 1, j.namespace, j.name, "running")
		g.addJob(j)
	}
}
