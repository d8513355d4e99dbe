package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestKustomize: kustomize makes of the base what the plain manifest holds, and of an overlay what its writer means.
func TestKustomize(t *testing.T) {
	kustomize := tool(t, "kustomize", "kustomize")
	build := func(dir string) map[string]*unstructured.Unstructured {
		out, err := exec.Command(kustomize, "build", dir).CombinedOutput()
		if err != nil {
			t.Fatalf("kustomize build %s: %v\n%s", dir, err, out)
		}
		return byIdentity(objects(t, string(out)))
	}
	plain, err := os.ReadFile("tocsin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(byIdentity(objects(t, string(plain))), build("kustomize/base")); diff != "" {
		t.Errorf("kustomize/base is not tocsin.yaml (-want +got):\n%s", diff)
	}

	// kustomize takes relative paths only, and no file outside of what it is given.
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "tocsin"), os.DirFS("kustomize")); err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay")
	if err := os.Mkdir(overlay, 0o755); err != nil {
		t.Fatal(err)
	}
	const text = "namespace: watch\nresources: [../tocsin/base]\ncomponents: [../tocsin/prometheus-operator]\nlabels: [{pairs: {release: prom}}]\n"
	if err := os.WriteFile(filepath.Join(overlay, "kustomization.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	made := build(overlay)
	for _, id := range []string{
		"v1/Namespace /watch", "apps/v1/Deployment watch/tocsin", "rbac.authorization.k8s.io/v1/ClusterRole /tocsin",
		"monitoring.coreos.com/v1/ServiceMonitor watch/tocsin", "monitoring.coreos.com/v1/PrometheusRule watch/tocsin-cronjobs",
	} {
		switch o := made[id]; {
		case o == nil:
			t.Errorf("an overlay with the component makes no %s", id)
		case o.GetLabels()["release"] != "prom":
			t.Errorf("%s has the labels %v", id, o.GetLabels())
		}
	}
}

func byIdentity(all []*unstructured.Unstructured) map[string]*unstructured.Unstructured {
	found := map[string]*unstructured.Unstructured{}
	for _, o := range all {
		found[identity(o)] = o
	}
	return found
}
