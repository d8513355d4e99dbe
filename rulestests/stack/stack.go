// Package stack runs everything that a page passes through, for real and on loopback: etcd, the API server with its controllers and its
// scheduler, Tocsin with the ServiceAccount and the ClusterRole that the project ships, Prometheus with our rules, Alertmanager with our
// routes, and a webhook that takes the pages. Only the kubelets are played, by kwok, with stages that give the failures a kubelet gives
// (kwok.yaml says which).
//
// Rejected: kind and k3s (they need a container engine), envtest (no controllers, no scheduler), mocks of any of these.
package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"tocsin/rulestests/loopback"
	"tocsin/rulestests/tools"
)

// Speed is what every waiting time of an installation is divided by, so that a story takes minutes and not hours: the rules' `for`, Tocsin's
// --start-grace and --rollout-deadline, Alertmanager's group_wait, group_interval and repeat_interval. The rules' expressions stay as shipped.
const Speed = 30

// Stack is the running whole.
type Stack struct {
	// Dir holds every component's data and log while the stack runs.
	Dir string
	// API is the API server, which a story may stop for a while.
	API *Process
	// Tocsin is the exporter under test.
	Tocsin *Exporter
	// Pages is what Alertmanager has sent.
	Pages *Pages

	kubelets   *Process
	progress   io.Writer
	processes  []*Process
	mu         sync.Mutex
	exporters  []*Exporter
	prometheus string
	alerts     string
	apiserver  string
	kubectl    string
	binary     string
}

// PrometheusURL is where Prometheus answers.
func (s *Stack) PrometheusURL() string { return "http://" + s.prometheus }

// AlertmanagerURL is where Alertmanager answers.
func (s *Stack) AlertmanagerURL() string { return "http://" + s.alerts }

// Start builds what is missing, starts all of it and waits until it serves. It says on progress what it does: the first build takes minutes.
// Whatever the error, Stop is still to be called where a Stack is given: it may have begun.
func Start(ctx context.Context, progress io.Writer) (*Stack, error) {
	s, err := newStack(progress)
	if err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{
		// Prometheus comes late: with nothing to scrape for long it would say so.
		s.build, s.startControlPlane, s.startKubelets, s.install, s.startMonitoring, s.startTocsin,
	} {
		if err := step(ctx); err != nil {
			return s, err
		}
	}
	return s, nil
}

// StartMonitoring starts Alertmanager and Prometheus alone, with something else in Tocsin's place at the address.
func StartMonitoring(ctx context.Context, progress io.Writer, address string) (*Stack, error) {
	s, err := newStack(progress)
	if err != nil {
		return nil, err
	}
	if err := s.startMonitoring(ctx); err != nil {
		return s, err
	}
	return s, s.scrape(ctx, &Exporter{Process: &Process{}, address: address})
}

func newStack(progress io.Writer) (*Stack, error) {
	dir, err := os.MkdirTemp("", "tocsin-stack-")
	if err != nil {
		return nil, err
	}
	return &Stack{Dir: dir, progress: progress}, nil
}

// build makes the binary under test and sees to it that every tool is there before the first component starts.
func (s *Stack) build(ctx context.Context) error {
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "prometheus", "alertmanager"} {
		if _, err := tools.Path(ctx, name, s.progress); err != nil {
			return err
		}
	}
	var err error
	if s.kubectl, err = tools.Path(ctx, "kubectl", s.progress); err != nil {
		return err
	}
	s.binary = filepath.Join(s.Dir, "tocsin")
	return tools.Build(ctx, s.binary, "./cmd/tocsin")
}

// run starts a tool as a component of the stack.
func (s *Stack) run(ctx context.Context, name string, args []string, ready func(context.Context) error) (*Process, error) {
	bin, err := tools.Path(ctx, name, s.progress)
	if err != nil {
		return nil, err
	}
	p := &Process{command: loopback.Command{Name: name, Dir: s.Dir, Path: bin, Args: args}, ready: ready}
	s.processes = append(s.processes, p)
	began := time.Now()
	if err := p.Start(ctx); err != nil {
		return nil, err
	}
	fmt.Fprintf(s.progress, "%s is ready after %.1f s\n", name, time.Since(began).Seconds())
	return p, nil
}

// Stop takes everything down in the reverse order and removes its files. With a folder in keep, the components' logs are moved there first.
func (s *Stack) Stop(keep string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range slices.Backward(s.processes) {
		p.Stop()
	}
	if s.Pages != nil {
		s.Pages.close()
	}
	var errs []error
	if keep != "" {
		errs = append(errs, os.MkdirAll(keep, 0o755))
		logs, err := filepath.Glob(filepath.Join(s.Dir, "*.log"))
		errs = append(errs, err)
		for _, log := range logs {
			text, err := os.ReadFile(log)
			errs = append(errs, err, os.WriteFile(filepath.Join(keep, filepath.Base(log)), text, 0o644))
		}
	}
	return errors.Join(append(errs, os.RemoveAll(s.Dir))...)
}
