package deploy

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"tocsin/rules"
)

const (
	rendered = "# Rendered from deploy/chart: change it there.\n"
	onePiece = "# Tocsin in one piece: kubectl apply -f deploy/tocsin.yaml\n" + rendered
)

// namespace is where the plain manifests put everything. Its Pods are held to what they keep to anyhow.
const namespace = `apiVersion: v1
kind: Namespace
metadata:
  name: ` + Namespace + `
  labels:
    pod-security.kubernetes.io/enforce: restricted
`

// TestGeneratedManifests: what needs no Helm is the chart, rendered.
func TestGeneratedManifests(t *testing.T) {
	helm := tool(t, "helm", "chart")
	base := plain(t, helm, "{}")
	base = slices.Concat(objects(t, namespace), base)
	compare(t, ".", "tocsin.yaml", map[string][]byte{"tocsin.yaml": document(t, onePiece, base...)})
	compare(t, "kustomize/base", "*.yaml", kustomization(t, "Kustomization", base))

	operator := plain(t, helm, "serviceMonitor: {enabled: true}\nprometheusRule: {enabled: true}\n")
	operator = slices.DeleteFunc(operator, func(o *unstructured.Unstructured) bool {
		return !strings.HasPrefix(o.GetAPIVersion(), "monitoring.coreos.com/")
	})
	compare(t, "kustomize/prometheus-operator", "*.yaml", kustomization(t, "Component", operator))
}

// TestGeneratedRuleFile: for a Prometheus without an operator, all groups in one file.
func TestGeneratedRuleFile(t *testing.T) {
	files := contents(t, rules.Files(), "*.yaml")
	names, err := fs.Glob(rules.Files(), "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := []byte("# Tocsin's alerts in one file, made from rules/: change them there.\ngroups:\n")
	for _, name := range names {
		about, groups, ok := bytes.Cut(files[name], []byte("groups:\n"))
		if !ok {
			t.Fatalf("rules/%s has no groups", name)
		}
		all = append(all, bytes.ReplaceAll(append([]byte("\n"), about...), []byte("\n#"), []byte("\n  #"))...)
		all = append(all, groups...)
	}
	compare(t, "examples/prometheus", "tocsin-rules.yaml", map[string][]byte{"tocsin-rules.yaml": all})
}

// plain gives the chart's objects without what only Helm reads.
func plain(t *testing.T, helm, values string) []*unstructured.Unstructured {
	t.Helper()
	all, err := Render(helm, ".", []byte(values))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		labels := o.GetLabels()
		delete(labels, "helm.sh/chart")
		delete(labels, "app.kubernetes.io/managed-by")
		o.SetLabels(labels)
	}
	return all
}

// kustomization gives the objects in files by kind, and the file that lists them.
func kustomization(t *testing.T, kind string, all []*unstructured.Unstructured) map[string][]byte {
	t.Helper()
	byFile := map[string][]*unstructured.Unstructured{}
	var resources []string
	for _, o := range all {
		name := strings.ToLower(o.GetKind()) + ".yaml"
		byFile[name] = append(byFile[name], o)
		if !slices.Contains(resources, name) {
			resources = append(resources, name)
		}
	}
	version := "kustomize.config.k8s.io/v1beta1"
	if kind == "Component" {
		version = "kustomize.config.k8s.io/v1alpha1"
	}
	list := fmt.Sprintf("%sapiVersion: %s\nkind: %s\n", rendered, version, kind)
	if kind == "Kustomization" {
		list += fmt.Sprintf("namespace: %s\n", Namespace)
	}
	files := map[string][]byte{"kustomization.yaml": []byte(list + "resources:\n  - " + strings.Join(resources, "\n  - ") + "\n")}
	for name, o := range byFile {
		files[name] = document(t, rendered, o...)
	}
	return files
}

func document(t *testing.T, head string, all ...*unstructured.Unstructured) []byte {
	t.Helper()
	text := []byte(head)
	for i, o := range all {
		if i > 0 {
			text = append(text, "---\n"...)
		}
		one, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, one...)
	}
	return text
}

func objects(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	all, err := Objects([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}
