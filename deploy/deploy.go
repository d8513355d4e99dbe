// Package deploy renders the Helm chart: the manifests beside it, its tests and the real stack all see the same objects.
//
// The chart is the one source. What it needs of the product is copied into it (chart/files: the alert rules, the dashboards, the table of
// permissions), and what needs no Helm is rendered from it (tocsin.yaml, kustomize). Tests in this package find what has drifted, and with
// -update write it anew.
package deploy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Release and Namespace are what the rendered objects are named after, and what the runbooks' commands assume.
const (
	Release   = "tocsin"
	Namespace = "tocsin"
)

// Variants gives the sets of values that the chart must hold for, by name: testdata/values/NAME.yaml in dir, which is this directory.
// Beside Namespace, their objects lie in the namespaces monitoring, shop and data.
func Variants(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "testdata", "values", "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no values in %s", filepath.Join(dir, "testdata", "values"))
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(filepath.Base(f), ".yaml")
	}
	return names, nil
}

// RenderVariant gives a variant's objects. helm is the path of the command, dir this directory.
func RenderVariant(helm, dir, name string) ([]*unstructured.Unstructured, error) {
	values, err := os.ReadFile(filepath.Join(dir, "testdata", "values", name+".yaml"))
	if err != nil {
		return nil, err
	}
	return Render(helm, dir, values)
}

// Render gives the objects that the chart in dir makes of the values (YAML), in the order in which helm would create them. The error is
// helm's own.
func Render(helm, dir string, values []byte) ([]*unstructured.Unstructured, error) {
	text, err := Template(helm, dir, values)
	if err != nil {
		return nil, err
	}
	return Objects(text)
}

// Template gives what `helm template` prints for the values (YAML), with further arguments behind its own.
func Template(helm, dir string, values []byte, args ...string) ([]byte, error) {
	cmd := exec.Command(helm, append([]string{"template", Release, filepath.Join(dir, "chart"), "--namespace", Namespace, "--values", "-"}, args...)...)
	cmd.Stdin = bytes.NewReader(values)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("helm template: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return text, nil
}

// Objects splits YAML documents into objects. Documents without one are left out.
func Objects(text []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		object := map[string]any{}
		if err := yaml.UnmarshalStrict(document, &object); err != nil {
			return nil, fmt.Errorf("document %d: %w", len(objects)+1, err)
		}
		if len(object) > 0 {
			objects = append(objects, &unstructured.Unstructured{Object: object})
		}
	}
}
