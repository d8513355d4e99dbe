package deploy

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	kjson "sigs.k8s.io/json"

	"tocsin/rulestests/tools"
)

// types are the Go types of all that the chart makes.
var types = map[string]func() any{
	"v1/ServiceAccount": func() any { return &corev1.ServiceAccount{} },
	"v1/Service":        func() any { return &corev1.Service{} },
	"v1/ConfigMap":      func() any { return &corev1.ConfigMap{} },
	"v1/Namespace":      func() any { return &corev1.Namespace{} },
	"apps/v1/Deployment": func() any {
		return &appsv1.Deployment{}
	},
	"apps/v1/StatefulSet": func() any {
		return &appsv1.StatefulSet{}
	},
	"rbac.authorization.k8s.io/v1/ClusterRole":        func() any { return &rbacv1.ClusterRole{} },
	"rbac.authorization.k8s.io/v1/ClusterRoleBinding": func() any { return &rbacv1.ClusterRoleBinding{} },
	"rbac.authorization.k8s.io/v1/Role":               func() any { return &rbacv1.Role{} },
	"rbac.authorization.k8s.io/v1/RoleBinding":        func() any { return &rbacv1.RoleBinding{} },
	"policy/v1/PodDisruptionBudget":                   func() any { return &policyv1.PodDisruptionBudget{} },
	"networking.k8s.io/v1/NetworkPolicy":              func() any { return &networkingv1.NetworkPolicy{} },
	"monitoring.coreos.com/v1/ServiceMonitor":         func() any { return &monitoringv1.ServiceMonitor{} },
	"monitoring.coreos.com/v1/PrometheusRule":         func() any { return &monitoringv1.PrometheusRule{} },
}

// as reads an object as its type, to the letter: a field that the type has not, or has in another case, is an error.
func as[T any](t *testing.T, o *unstructured.Unstructured) *T {
	t.Helper()
	into := new(T)
	strictly(t, o, into)
	return into
}

func strictly(t *testing.T, o *unstructured.Unstructured, into any) {
	t.Helper()
	text, err := json.Marshal(o.Object)
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := kjson.UnmarshalStrict(text, into)
	for _, e := range append(unknown, err) {
		if e != nil {
			t.Errorf("%s: %v", identity(o), e)
		}
	}
}

func identity(o *unstructured.Unstructured) string {
	return fmt.Sprintf("%s/%s %s/%s", o.GetAPIVersion(), o.GetKind(), o.GetNamespace(), o.GetName())
}

// tool gives the path of a command that is about to read the directory. Go takes a test's result from its cache while the files that the
// test itself has read are the same, and knows nothing of what a command reads: so they are read here.
func tool(t *testing.T, name, dir string) string {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		_, err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tools.Require(t, name)
}

// chart renders it.
func chart(t *testing.T, values string) []*unstructured.Unstructured {
	t.Helper()
	all, err := Render(tool(t, "helm", "chart"), ".", []byte(values))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// one gives the only object of a kind; all nil when there is none.
func one[T any](t *testing.T, all []*unstructured.Unstructured, kind string) *T {
	t.Helper()
	found := of[T](t, all, kind)
	switch len(found) {
	case 0:
		return nil
	case 1:
		return found[0]
	}
	t.Fatalf("%d objects of kind %s", len(found), kind)
	return nil
}

// of gives the objects of a kind.
func of[T any](t *testing.T, all []*unstructured.Unstructured, kind string) (found []*T) {
	t.Helper()
	for _, o := range all {
		if o.GetKind() == kind {
			found = append(found, as[T](t, o))
		}
	}
	return found
}

// eachVariant runs the test on every set of values that the chart must hold for.
func eachVariant(t *testing.T, test func(t *testing.T, name string, all []*unstructured.Unstructured)) {
	t.Helper()
	names, err := Variants(".")
	if err != nil {
		t.Fatal(err)
	}
	helm := tool(t, "helm", "chart")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, err := RenderVariant(helm, ".", name)
			if err != nil {
				t.Fatal(err)
			}
			test(t, name, all)
		})
	}
}

func TestLint(t *testing.T) {
	helm := tool(t, "helm", "chart")
	names, err := Variants(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		values := filepath.Join("testdata", "values", name+".yaml")
		if out, err := exec.Command(helm, "lint", "--strict", "--namespace", Namespace, "--values", values, "chart").CombinedOutput(); err != nil {
			t.Errorf("helm lint with %s: %v\n%s", values, err, out)
		}
	}
}

// TestManifests: every object is of its type to the letter, there once, labeled, and where it can be.
func TestManifests(t *testing.T) {
	eachVariant(t, func(t *testing.T, _ string, all []*unstructured.Unstructured) {
		seen := map[string]bool{}
		for _, o := range all {
			id := identity(o)
			if seen[id] {
				t.Errorf("%s is there twice", id)
			}
			seen[id] = true
			newType := types[o.GetAPIVersion()+"/"+o.GetKind()]
			if newType == nil {
				t.Errorf("%s is of no known type", id)
				continue
			}
			strictly(t, o, newType())
			if bad := validation.IsDNS1123Subdomain(o.GetName()); len(bad) > 0 {
				t.Errorf("%s: its name: %v", id, bad)
			}
			if o.GetNamespace() == "" && !strings.HasPrefix(o.GetKind(), "ClusterRole") {
				t.Errorf("%s has no namespace: where it lands would depend on kubectl's context", id)
			}
			for key, value := range o.GetLabels() {
				if bad := slices.Concat(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)); len(bad) > 0 {
					t.Errorf("%s: label %s=%s: %v", id, key, value, bad)
				}
			}
			if extra := strings.HasPrefix(o.GetName(), "extra") || strings.HasSuffix(o.GetName(), "-more"); !extra && o.GetLabels()["app.kubernetes.io/name"] != "tocsin" {
				t.Errorf("%s is not labeled app.kubernetes.io/name=tocsin", id)
			}
		}
	})
}

// TestVariantsDiffer: the sets of values are what their names say.
func TestVariantsDiffer(t *testing.T) {
	want := map[string][]string{
		"defaults":       {"ClusterRole", "ClusterRoleBinding", "Deployment", "Service", "ServiceAccount"},
		"everything-off": {"Deployment"},
		"everything-on": {"ClusterRole", "ClusterRoleBinding", "ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "PrometheusRule",
			"Service", "ServiceAccount", "ServiceMonitor"},
		"namespaces": {"Deployment", "PrometheusRule", "Role", "RoleBinding", "Service", "ServiceAccount", "ServiceMonitor"},
		"shards": {"ClusterRole", "ClusterRoleBinding", "ConfigMap", "PodDisruptionBudget", "PrometheusRule", "Service", "ServiceAccount", "ServiceMonitor",
			"StatefulSet"},
		"two-replicas": {"ClusterRole", "ClusterRoleBinding", "ConfigMap", "Deployment", "PodDisruptionBudget", "PrometheusRule", "Service", "ServiceAccount", "ServiceMonitor"},
	}
	eachVariant(t, func(t *testing.T, name string, all []*unstructured.Unstructured) {
		var kinds []string
		for _, o := range all {
			kinds = append(kinds, o.GetKind())
		}
		slices.Sort(kinds)
		if kinds = slices.Compact(kinds); !slices.Equal(kinds, want[name]) {
			t.Errorf("kinds %v, want %v", kinds, want[name])
		}
	})
}
