package synthetic

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// daemonSets makes an agent that tolerates everything and lacks a Pod on two nodes, and a log shipper that dedicated nodes exclude.
func (g *generator) daemonSets() {
	g.daemonSet("node-agent", []corev1.Toleration{{Operator: corev1.TolerationOpExists}})
	g.daemonSet("log-shipper", nil)
}

func (g *generator) daemonSet(name string, tolerations []corev1.Toleration) {
	namespace, labels := namespaceName(0), map[string]string{"app": name}
	template := podSpec(name, corev1.RestartPolicyAlways)
	template.Tolerations = tolerations
	d := &appsv1.DaemonSet{
		ObjectMeta: g.meta(namespace, name, g.ago(age), labels),
		Spec:       appsv1.DaemonSetSpec{Selector: selector(labels), Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: template}},
	}
	coverage := func(class string) { g.truth.add("tocsin_daemonset_nodes", 1, name, class) }
	type place struct {
		node node
		at   time.Time
	}
	var places []place
	for _, n := range g.allNodes {
		switch {
		case n.dedicated && tolerations == nil:
			coverage("excluded_taint")
			g.truth.add("tocsin_daemonset_excluded_nodes", 1, name, dedicatedKey)
			continue
		case n.withoutAgent && tolerations != nil:
			coverage("missing")
			continue
		case !n.ready:
			coverage("not_ready")
		default:
			coverage("covered")
			d.Status.NumberReady++
		}
		places = append(places, place{n, g.ago(g.between(24*time.Hour, 20*24*time.Hour))})
	}
	d.Status.ObservedGeneration, d.Status.DesiredNumberScheduled, d.Status.CurrentNumberScheduled = 1, int32(len(places)), int32(len(places))
	g.manage(d, "daemonset", manager{name: "helm", at: d.CreationTimestamp.Time}, manager{name: "kube-controller-manager", subresource: "status", at: g.ago(time.Hour)})
	g.put("daemonsets", Object{Object: d})
	for _, p := range places {
		spec := *template.DeepCopy()
		spec.Affinity = onlyOn(p.node.name)
		g.addPod(pod{namespace: namespace, name: name + "-" + p.node.name[5:], labels: labels, owners: owner("apps/v1", "DaemonSet", name, d.UID),
			created: p.at, node: p.node, template: spec, shape: "daemonset"})
	}
}

// onlyOn is the affinity that the DaemonSet controller gives its Pods.
func onlyOn(node string) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
		{MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}},
	}}}}
}
