package deploy

import (
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
)

// workload is what a Deployment and a StatefulSet have in common.
type workload struct {
	replicas int32
	selector *metav1.LabelSelector
	template corev1.PodTemplateSpec
}

// workloadOf gives the one workload that there must be, of whichever kind.
func workloadOf(t *testing.T, all []*unstructured.Unstructured) workload {
	t.Helper()
	deployment, set := one[appsv1.Deployment](t, all, "Deployment"), one[appsv1.StatefulSet](t, all, "StatefulSet")
	switch {
	case deployment != nil && set == nil:
		return workload{*deployment.Spec.Replicas, deployment.Spec.Selector, deployment.Spec.Template}
	case set != nil && deployment == nil:
		return workload{*set.Spec.Replicas, set.Spec.Selector, set.Spec.Template}
	}
	t.Fatal("neither a Deployment alone nor a StatefulSet alone")
	return workload{}
}

// TestShards: every shard has a Pod that knows its number, from the label that the StatefulSet controller gives it
// (apps.kubernetes.io/pod-index).
func TestShards(t *testing.T) {
	all := chart(t, "shards: 3")
	set := one[appsv1.StatefulSet](t, all, "StatefulSet")
	if set == nil {
		t.Fatal("no StatefulSet")
	}
	if n := ptr.Deref(set.Spec.Replicas, 1); n != 3 {
		t.Errorf("%d replicas for 3 shards", n)
	}
	if set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
		t.Errorf("podManagementPolicy %q: one shard that cannot start would keep those behind it away", set.Spec.PodManagementPolicy)
	}
	c := set.Spec.Template.Spec.Containers[0]
	for _, arg := range []string{"--total-shards=3", "--shard=$(SHARD)"} {
		if !slices.Contains(c.Args, arg) {
			t.Errorf("no %s among %v", arg, c.Args)
		}
	}
	i := slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "SHARD" })
	if i < 0 || c.Env[i].ValueFrom == nil || c.Env[i].ValueFrom.FieldRef == nil ||
		c.Env[i].ValueFrom.FieldRef.FieldPath != "metadata.labels['"+appsv1.PodIndexLabel+"']" {
		t.Errorf("SHARD is not the Pod's number: %v", c.Env)
	}
}

// TestShardsHaveTheSamePods: but for what tells them their number, the Pods are the Deployment's.
func TestShardsHaveTheSamePods(t *testing.T) {
	for _, further := range []string{"", "resources: {limits: {memory: null}}\n", "web: {config: {secretName: web}}\nclaimRules: {defaults: false}\n"} {
		want := workloadOf(t, chart(t, further)).template
		all := chart(t, further+"shards: 2")
		if one[appsv1.StatefulSet](t, all, "StatefulSet") == nil {
			t.Fatal("two shards, and no StatefulSet")
		}
		got := workloadOf(t, all).template
		c := &got.Spec.Containers[0]
		if !slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "SHARD" }) {
			t.Errorf("%q: the Pods of shards do not know their number", further)
		}
		c.Args = slices.DeleteFunc(c.Args, func(arg string) bool { return strings.Contains(arg, "shard") })
		c.Env = slices.DeleteFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "SHARD" })
		if len(c.Env) == 0 {
			c.Env = nil
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%q: the Pods of shards are others (-Deployment +StatefulSet):\n%s", further, diff)
		}
	}
}

// TestOneShardIsADeployment: with the permissions, the names and the flags that there are without the value.
func TestOneShardIsADeployment(t *testing.T) {
	if diff := gocmp.Diff(chart(t, "{}"), chart(t, "shards: 1")); diff != "" {
		t.Errorf("one shard is not what there is by default (-default +one):\n%s", diff)
	}
}

// TestShardsCanBeStopped: none is left when there are to be no replicas.
func TestShardsCanBeStopped(t *testing.T) {
	if n := workloadOf(t, chart(t, "{shards: 3, replicas: 0}")).replicas; n != 0 {
		t.Errorf("%d Pods, want none", n)
	}
}

// TestShardsService: the governing Service is there, whatever else is off, and headless, or Tocsin would raise StatefulSetServiceInvalid of
// itself. What scrapes by a port finds every shard once: by the other Service, which stays as it was.
func TestShardsService(t *testing.T) {
	const further = "{shards: 2, service: {enabled: false}, fullnameOverride: a-name-of-fifty-characters-is-as-long-as-it-can-be0}"
	for _, values := range []string{"shards: 2", further} {
		all := chart(t, values)
		name := one[appsv1.StatefulSet](t, all, "StatefulSet").Spec.ServiceName
		services := of[corev1.Service](t, all, "Service")
		i := slices.IndexFunc(services, func(s *corev1.Service) bool { return s.Name == name })
		if i < 0 {
			t.Fatalf("%s: no Service %q", values, name)
		}
		if s := services[i].Spec; s.ClusterIP != corev1.ClusterIPNone || len(s.Ports) != 0 {
			t.Errorf("%s: the governing Service has clusterIP %q and ports %v; want None and none", values, s.ClusterIP, s.Ports)
		}
	}
	scraped := one[corev1.Service](t, chart(t, "{}"), "Service")
	for _, s := range of[corev1.Service](t, chart(t, "shards: 2"), "Service") {
		if s.Name == scraped.Name {
			if diff := gocmp.Diff(scraped, s); diff != "" {
				t.Errorf("the Service that is scraped changes with the shards:\n%s", diff)
			}
			return
		}
	}
	t.Errorf("no Service %s", scraped.Name)
}

// TestShardsNeedTheirNumber: before Kubernetes 1.28 a Pod cannot know its number in the StatefulSet. The chart says so before the Pods do.
func TestShardsNeedTheirNumber(t *testing.T) {
	helm := tool(t, "helm", "chart")
	for _, c := range []struct{ values, kubernetes, says string }{
		{"shards: 2", "v1.27.16", "shards: need Kubernetes 1.28"},
		{"shards: 1", "v1.27.16", ""},
		{"shards: 2", "v1.28.0-rc.1", ""},
		{"shards: 2", "v1.28.0", ""},
	} {
		_, err := Template(helm, ".", []byte(c.values), "--kube-version", c.kubernetes)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s on Kubernetes %s: %v; want %q", c.values, c.kubernetes, err, c.says)
		}
	}
}
