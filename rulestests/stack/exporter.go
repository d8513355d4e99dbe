package stack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"tocsin/collectors/claims"
	"tocsin/collectors/cluster"
	"tocsin/rulestests/loopback"
	"tocsin/rulestests/tools"
)

// Exporter is a running Tocsin, and a target of Prometheus' job tocsin.
type Exporter struct {
	*Process
	address string
	labels  map[string]string
}

// URL is where the exporter answers.
func (e *Exporter) URL() string { return "http://" + e.address }

// install gives the cluster what an installation has: the namespace, the ServiceAccount, the shipped ClusterRole bound to it. The custom
// resources that Tocsin can read are there too, empty, so that every rule of the ClusterRole is put to use.
func (s *Stack) install(ctx context.Context) error {
	root, err := tools.Root()
	if err != nil {
		return err
	}
	if _, err := s.Kubectl(ctx, "", "apply", "-f", filepath.Join(root, "deploy", "rbac.yaml")); err != nil {
		return err
	}
	if _, err := s.Kubectl(ctx, "", "create", "namespace", "tocsin"); err != nil {
		return err
	}
	if err := s.bind(ctx, "tocsin"); err != nil {
		return err
	}
	if _, err := s.Kubectl(ctx, workers, "apply", "-f", "-"); err != nil {
		return err
	}
	return s.defineCustomResources(ctx)
}

// workers are the nodes that every story's pods may run on. A node that a story does something to is its own, and tainted for the others.
const workers = `{apiVersion: v1, kind: List, items: [
  {apiVersion: v1, kind: Node, metadata: {name: worker-1, labels: {kubernetes.io/hostname: worker-1, kubernetes.io/os: linux}}},
  {apiVersion: v1, kind: Node, metadata: {name: worker-2, labels: {kubernetes.io/hostname: worker-2, kubernetes.io/os: linux}}},
  {apiVersion: v1, kind: Node, metadata: {name: worker-3, labels: {kubernetes.io/hostname: worker-3, kubernetes.io/os: linux}}},
]}`

// GrantAccount makes a ServiceAccount in the namespace tocsin, with a copy of the shipped ClusterRole of its own, which it gives as JSON: account,
// role and binding have the same name.
func (s *Stack) GrantAccount(ctx context.Context, account string) (role string, err error) {
	shipped, err := s.Kubectl(ctx, "", "get", "clusterrole", "tocsin", "-o", `jsonpath={"{\"rules\":"}{.rules}{"}"}`)
	if err != nil {
		return "", err
	}
	role = `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"` + account + `"},` + strings.TrimPrefix(shipped, "{")
	if _, err := s.Kubectl(ctx, role, "create", "-f", "-"); err != nil {
		return "", err
	}
	return role, s.bind(ctx, account)
}

// bind makes a ServiceAccount and binds the ClusterRole of the same name to it.
func (s *Stack) bind(ctx context.Context, account string) error {
	for _, args := range [][]string{
		{"-n", "tocsin", "create", "serviceaccount", account},
		{"create", "clusterrolebinding", account, "--clusterrole=" + account, "--serviceaccount=tocsin:" + account},
	} {
		if _, err := s.Kubectl(ctx, "", args...); err != nil {
			return err
		}
	}
	return nil
}

// startTocsin starts the exporter under test.
func (s *Stack) startTocsin(ctx context.Context) error {
	var err error
	s.Tocsin, err = s.StartExporter(ctx, ExporterOptions{Name: "tocsin", Account: "tocsin"})
	return err
}

// ExporterOptions say how one more Tocsin runs.
type ExporterOptions struct {
	// Name of its log and of its kubeconfig file.
	Name string
	// Account is its ServiceAccount in the namespace tocsin.
	Account string
	// Labels are those of the target: a label cluster sets its alerts apart from the others', none makes it a replica.
	Labels map[string]string
	// Env and Flags are added to those that it runs with anyway.
	Env, Flags []string
	// Snapshot, if not "", is what it judges instead of the API server's objects; it needs no account then.
	Snapshot string
}

// StartExporter starts one more Tocsin and lets Prometheus scrape it.
func (s *Stack) StartExporter(ctx context.Context, o ExporterOptions) (*Exporter, error) {
	e, err := s.exporter(ctx, o)
	if err != nil {
		return nil, err
	}
	return e, s.scrape(ctx, e)
}

// exporter starts one more Tocsin, which nobody scrapes yet.
func (s *Stack) exporter(ctx context.Context, o ExporterOptions) (*Exporter, error) {
	source, err := s.source(ctx, o)
	if err != nil {
		return nil, err
	}
	addresses, err := loopback.Addresses(1)
	if err != nil {
		return nil, err
	}
	e := &Exporter{address: addresses[0], labels: o.Labels}
	args := slices.Concat(source, []string{
		"--web.listen-address", e.address,
		"--start-grace", faster(2 * time.Minute).String(), "--rollout-deadline", faster(10 * time.Minute).String(),
	}, o.Flags)
	e.Process = &Process{command: loopback.Command{Name: o.Name, Dir: s.Dir, Path: s.binary, Args: args, Env: o.Env}, ready: loopback.Answers(e.URL()+"/readyz", "")}
	s.mu.Lock()
	s.processes = append(s.processes, e.Process)
	s.mu.Unlock()
	return e, e.Start(ctx)
}

// source gives the flags that tell an exporter what to judge.
func (s *Stack) source(ctx context.Context, o ExporterOptions) ([]string, error) {
	if o.Snapshot != "" {
		file := s.file(o.Name + ".snapshot.yaml")
		return []string{"--snapshot", file}, os.WriteFile(file, []byte(o.Snapshot), 0o644)
	}
	token, err := s.Kubectl(ctx, "", "-n", "tocsin", "create", "token", o.Account, "--duration=24h")
	if err != nil {
		return nil, err
	}
	return []string{"--kubeconfig", s.Kubeconfig(o.Name)}, s.writeKubeconfig(o.Name, strings.TrimSpace(token))
}

// scrape makes the exporter a target of Prometheus.
func (s *Stack) scrape(ctx context.Context, e *Exporter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exporters = append(s.exporters, e)
	return s.reload(ctx)
}

// defineCustomResources defines the optional resources that Tocsin reads.
func (s *Stack) defineCustomResources(ctx context.Context) error {
	snapshots := cluster.Snapshots.Info()
	if err := s.Define(ctx, snapshots.GroupVersionResource, snapshots.Kind); err != nil {
		return err
	}
	for _, rule := range claims.DefaultRules().References {
		if err := s.Define(ctx, rule.GroupVersionResource, rule.Kind); err != nil {
			return err
		}
	}
	return nil
}

// Define defines a custom resource with no schema, unless it is there, and waits until it is served.
func (s *Stack) Define(ctx context.Context, r schema.GroupVersionResource, kind string) error {
	name := r.Resource + "." + r.Group
	text := fmt.Sprintf(definition, name, r.Group, r.Resource, strings.ToLower(kind), kind, r.Version)
	if _, err := s.Kubectl(ctx, text, "apply", "-f", "-"); err != nil {
		return err
	}
	_, err := s.Kubectl(ctx, "", "wait", "--for=condition=Established", "--timeout=60s", "crd/"+name)
	return err
}

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: %s
  # Without this note the API server takes no definition in a group of Kubernetes' own.
  annotations: {api-approved.kubernetes.io: "unapproved, for a test"}
spec:
  group: %s
  scope: Namespaced
  names: {plural: %s, singular: %s, kind: %s}
  versions:
  - name: %s
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`
