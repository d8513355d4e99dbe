package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tocsin/deploy"
	"tocsin/rulestests/stack"
	"tocsin/rulestests/tools"
)

// accepts asks the API server, without keeping anything, whether it takes what the project ships: the chart with each set of values that its
// tests know, and the plain manifest.
func accepts(ctx context.Context, s *stack.Stack, progress io.Writer) error {
	root, err := tools.Root()
	if err != nil {
		return err
	}
	helm, err := tools.Path(ctx, "helm", progress)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "deploy")
	variants, err := deploy.Variants(dir)
	if err != nil {
		return err
	}
	for _, namespace := range []string{"monitoring", "shop", "data"} {
		if _, err := s.Kubectl(ctx, "", "create", "namespace", namespace); err != nil {
			return err
		}
	}
	var errs []error
	for _, variant := range variants {
		objects, err := deploy.RenderVariant(helm, dir, variant)
		if err == nil {
			err = dryRun(ctx, s, objects)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("chart with the values %s: %w", variant, err))
		}
	}
	plain, err := os.ReadFile(filepath.Join(dir, "tocsin.yaml"))
	if err != nil {
		return err
	}
	objects, err := deploy.Objects(plain)
	if err == nil {
		err = dryRun(ctx, s, objects)
	}
	if err != nil {
		errs = append(errs, fmt.Errorf("deploy/tocsin.yaml: %w", err))
	}
	return errors.Join(errs...)
}

// dryRun applies objects on the server's side without keeping them. Prometheus Operator's kinds are defined first: their fields are checked
// against its Go types by the chart's own tests.
func dryRun(ctx context.Context, s *stack.Stack, objects []*unstructured.Unstructured) error {
	var text strings.Builder
	for _, object := range objects {
		gvk := object.GroupVersionKind()
		if gvk.Group == "monitoring.coreos.com" {
			if err := s.Define(ctx, gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind)+"s"), gvk.Kind); err != nil {
				return err
			}
		}
		doc, err := json.Marshal(object)
		if err != nil {
			return err
		}
		text.Write(doc)
		text.WriteString("\n---\n")
	}
	_, err := s.Kubectl(ctx, text.String(), "apply", "--server-side", "--dry-run=server", "--force-conflicts", "-f", "-")
	return err
}
