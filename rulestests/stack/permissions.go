package stack

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"tocsin/rulestests/tools"
)

// permission is one thing that an account may do, or did.
type permission struct {
	verb, group, resource string
}

func (p permission) String() string {
	if p.group == "" {
		return p.verb + " " + p.resource
	}
	return p.verb + " " + p.resource + "." + p.group
}

// CheckPermissions compares what the accounts asked the API server for, as its audit log has it, with the shipped ClusterRole: the error names
// each permission that was asked for without a rule, and each that nobody used.
func (s *Stack) CheckPermissions(ctx context.Context) error {
	// This API server streams lists as watches; one more Tocsin lists as it would where that is not to be had.
	e, err := s.exporter(ctx, ExporterOptions{Name: "lists", Account: "tocsin", Env: []string{"KUBE_FEATURE_WatchListClient=false"}})
	if err != nil {
		return err
	}
	e.Stop()
	allowed, err := shipped()
	if err != nil {
		return err
	}
	log, err := os.Open(s.file("audit.jsonl"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	used := map[permission]bool{}
	var errs []error
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct {
			Verb string
			// ObjectRef is absent for what is not an object: discovery.
			ObjectRef *struct{ APIGroup, Resource string }
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return fmt.Errorf("audit log: %w", err)
		}
		if event.ObjectRef == nil {
			continue
		}
		p := permission{event.Verb, event.ObjectRef.APIGroup, event.ObjectRef.Resource}
		used[p] = true
		if !allowed[p] {
			errs = append(errs, fmt.Errorf("tocsin asks to %s, which the ClusterRole does not allow", p))
			allowed[p] = true // said once
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	for p := range allowed {
		if !used[p] {
			errs = append(errs, fmt.Errorf("the ClusterRole allows to %s, and tocsin never did", p))
		}
	}
	return errors.Join(errs...)
}

// shipped is what deploy/rbac.yaml allows.
func shipped() (map[permission]bool, error) {
	root, err := tools.Root()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "deploy", "rbac.yaml"))
	if err != nil {
		return nil, err
	}
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(text, &role); err != nil {
		return nil, fmt.Errorf("deploy/rbac.yaml: %w", err)
	}
	allowed := map[permission]bool{}
	for _, rule := range role.Rules {
		for _, verb := range rule.Verbs {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					allowed[permission{verb, group, resource}] = true
				}
			}
		}
	}
	return allowed, nil
}
