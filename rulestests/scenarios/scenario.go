// Package scenarios holds the stories that Tocsin exists for, as values that run against the real stack: what goes wrong, what must then be
// seen in Tocsin's metrics, in Prometheus' alerts and in the pages that arrive, and what must not. The demo and the end-to-end test run the
// same list.
package scenarios

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tocsin/rulestests/stack"
)

// Scenario is one story. It has a namespace of its own, named after it; its nodes and volumes have that name as their prefix.
type Scenario struct {
	// Name of the scenario and of its namespace.
	Name string
	// Story says in one sentence what happens, for those who watch.
	Story string
	// Objects is YAML that is applied before the first step, in the scenario's namespace.
	Objects string
	Steps   []Step
	// Silent are PromQL expressions that must not have had a result at any time of the story. Pages that no step names must not come either;
	// that needs no word here.
	Silent []string
	// May are pages that may come or not, as chance has it.
	May []Page
	// Alone marks a story that disturbs the others (it stops the API server, say): it runs after them.
	Alone bool
	// Clusters are labels cluster whose alerts belong to this story.
	Clusters []string
}

// Step is something that is done, and what must be seen before the next one.
type Step struct {
	// Say tells those who watch what is done, as "db-1 is drained".
	Say string
	// Do is done in this order.
	Do []Action
	// See are PromQL expressions that must each give a result.
	See []string
	// Gone are PromQL expressions that must each give none.
	Gone []string
	// Page are the pages that must arrive.
	Page []Page
	// Resolve are the pages whose resolution must arrive.
	Resolve []Page
	// Still are pages of earlier steps that must still be firing, without ever having been resolved or started anew.
	Still []Page
	// Patience is how long all of this may take; two minutes when it is 0.
	Patience time.Duration
}

// Page is what must arrive: everything that Alertmanager sends of it but the long texts, which are checked not to be empty.
type Page struct {
	Alert, Severity, Summary string
	// Labels are all labels of the alert but alertname and severity, as "namespace=purge cronjob=nightly".
	Labels string
}

// key is what identifies the page among all: its alert and its labels.
func (p Page) key() string {
	labels := map[string]string{"alertname": p.Alert, "severity": p.Severity}
	for pair := range strings.FieldsSeq(p.Labels) {
		name, value, _ := strings.Cut(pair, "=")
		labels[name] = value
	}
	return labelsKey(labels)
}

// labelsKey writes labels in one order: Go prints maps sorted.
func labelsKey(labels map[string]string) string { return fmt.Sprint(labels) }

// Action is one thing that is done to the stack.
type Action struct {
	// Text is what a person would type, or how one would say it.
	Text string
	do   func(ctx context.Context, s *stack.Stack, namespace string) error
}

// kubectl types a command in the scenario's namespace.
func kubectl(args ...string) Action {
	return Action{"kubectl " + strings.Join(args, " "), func(ctx context.Context, s *stack.Stack, namespace string) error {
		_, err := s.Kubectl(ctx, "", append([]string{"-n", namespace}, args...)...)
		return err
	}}
}

// act is something that is done to the stack itself.
func act(text string, do func(ctx context.Context, s *stack.Stack) error) Action {
	return Action{text, func(ctx context.Context, s *stack.Stack, _ string) error { return do(ctx, s) }}
}

// refused types a command that the API server must refuse with this text.
func refused(with, yaml string) Action {
	return Action{"kubectl apply, refused with " + with, func(ctx context.Context, s *stack.Stack, namespace string) error {
		_, err := s.Kubectl(ctx, yaml, "-n", namespace, "apply", "-f", "-")
		if err == nil || !strings.Contains(err.Error(), with) {
			return fmt.Errorf("the API server was to refuse it with %q, and said: %w", with, err)
		}
		return nil
	}}
}

// apply applies YAML in the scenario's namespace.
func apply(yaml string) Action {
	return Action{"kubectl apply", func(ctx context.Context, s *stack.Stack, namespace string) error {
		_, err := s.Kubectl(ctx, yaml, "-n", namespace, "apply", "-f", "-")
		return err
	}}
}

// wait waits until kubectl wait says that a condition holds.
func wait(condition string, objects ...string) Action {
	args := append([]string{"wait", "--for=" + condition, "--timeout=120s"}, objects...)
	return Action{"", kubectl(args...).do}
}

// prints waits, as long as wait does, until a command's output is exactly this.
func prints(text string, args ...string) Action {
	return Action{"", func(ctx context.Context, s *stack.Stack, namespace string) error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		return until(ctx, func() error {
			out, err := s.Kubectl(ctx, "", append([]string{"-n", namespace}, args...)...)
			if out = strings.TrimSpace(out); err == nil && out != text {
				err = fmt.Errorf("kubectl %s prints %q, not %q", strings.Join(args, " "), out, text)
			}
			return err
		})
	}}
}
