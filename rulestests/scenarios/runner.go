package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tocsin/rulestests/stack"
)

// Runner runs scenarios against a stack.
type Runner struct {
	Stack *stack.Stack
	// Tell is called with a line for those who watch, from several goroutines.
	Tell func(scenario, line string)
	// Record, if not nil, is called after each step, with its number from 1.
	Record func(ctx context.Context, scenario string, step int) error
	// Idle leaves out every action: with an exporter that says nothing, no scenario must hold.
	Idle bool
	// Patience, if not 0, is every step's.
	Patience time.Duration
}

// Result is how a scenario went.
type Result struct {
	Scenario Scenario
	Err      error
	// ToPage is the time from the end of a step's actions to its last page, ToResolution the same for resolutions; each of the slowest step
	// that had any, 0 without.
	ToPage, ToResolution time.Duration
	// Took is the whole of it.
	Took time.Duration
}

// Run runs one scenario to its end. It never panics and does not clean up: the stack goes as a whole.
func (r *Runner) Run(ctx context.Context, sc Scenario) Result {
	began := time.Now()
	result := Result{Scenario: sc}
	result.Err = r.run(ctx, sc, &result)
	result.Took = time.Since(began)
	if result.Err == nil {
		result.Err = r.wasSilent(ctx, sc, result.Took)
	}
	return result
}

func (r *Runner) run(ctx context.Context, sc Scenario, result *Result) error {
	if err := r.prepare(ctx, sc); err != nil {
		return err
	}
	for i, step := range sc.Steps {
		if step.Say != "" {
			r.Tell(sc.Name, step.Say)
		}
		if err := r.step(ctx, sc, step, result); err != nil {
			return fmt.Errorf("step %d (%s): %w", i+1, step.Say, err)
		}
		if r.Record != nil && !sc.Alone { // a story that stands alone may have stopped the API server
			if err := r.Record(ctx, sc.Name, i+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare makes the namespace and the objects that are there from the beginning.
func (r *Runner) prepare(ctx context.Context, sc Scenario) error {
	if r.Idle {
		return nil
	}
	if _, err := r.Stack.Kubectl(ctx, "", "create", "namespace", sc.Name); err != nil {
		return err
	}
	if sc.Objects == "" {
		return nil
	}
	_, err := r.Stack.Kubectl(ctx, sc.Objects, "-n", sc.Name, "apply", "-f", "-")
	return err
}

// step acts, then waits until everything that the step names has been seen.
func (r *Runner) step(ctx context.Context, sc Scenario, step Step, result *Result) error {
	before := time.Now()
	if !r.Idle {
		for _, action := range step.Do {
			if action.Text != "" {
				r.Tell(sc.Name, "  "+action.Text)
			}
			if err := action.do(ctx, r.Stack, sc.Name); err != nil {
				return err
			}
		}
	}
	done := time.Now()
	patience := 2 * time.Minute
	if step.Patience != 0 {
		patience = step.Patience
	}
	if r.Patience != 0 {
		patience = r.Patience
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, query := range step.See {
		if err := until(ctx, func() error { return r.hasResult(ctx, query, true) }); err != nil {
			return err
		}
		r.Tell(sc.Name, "  seen: "+query)
	}
	for _, query := range step.Gone {
		if err := until(ctx, func() error { return r.hasResult(ctx, query, false) }); err != nil {
			return err
		}
	}
	for _, page := range step.Page {
		at, err := r.arrives(ctx, page, "firing", before)
		if err != nil {
			return err
		}
		result.ToPage = max(result.ToPage, at.Sub(done))
	}
	for _, page := range step.Resolve {
		at, err := r.arrives(ctx, page, "resolved", before)
		if err != nil {
			return err
		}
		result.ToResolution = max(result.ToResolution, at.Sub(done))
	}
	for _, page := range step.Still {
		if err := r.still(ctx, page); err != nil {
			return err
		}
	}
	return nil
}

// still errs unless the page came, was not resolved, and began once.
func (r *Runner) still(ctx context.Context, want Page) error {
	var began []time.Time
	for _, page := range r.Stack.Pages.All() {
		if labelsKey(page.Labels) != want.key() {
			continue
		}
		if page.Status == "resolved" {
			return fmt.Errorf("%s was resolved at %s", want.key(), page.At.Format(time.TimeOnly))
		}
		if !slices.ContainsFunc(began, page.StartsAt.Equal) {
			began = append(began, page.StartsAt)
		}
	}
	if len(began) != 1 {
		return fmt.Errorf("%s began %d times: %v", want.key(), len(began), began)
	}
	return r.hasResult(ctx, want.query(), true)
}

// hasResult asks Prometheus whether an expression gives something, and errs when it is not as wanted.
func (r *Runner) hasResult(ctx context.Context, query string, want bool) error {
	samples, err := r.Stack.Query(ctx, query)
	switch {
	case err != nil:
		return err
	case want && len(samples) == 0:
		return fmt.Errorf("%s gives nothing", query)
	case !want && len(samples) > 0:
		return fmt.Errorf("%s still gives %v", query, samples[0].Metric)
	}
	return nil
}

// arrives waits for the page, with this status, sent after an instant; it gives when it came. A firing one must be firing in Prometheus too.
// A page with the right alert and labels and another summary is an error at once.
func (r *Runner) arrives(ctx context.Context, want Page, status string, after time.Time) (time.Time, error) {
	var at time.Time
	var wrong error
	err := until(ctx, func() error {
		var others []string
		for _, page := range r.Stack.Pages.All() {
			if page.Status != status || page.At.Before(after) || labelsKey(page.Labels) != want.key() {
				if page.Labels["alertname"] == want.Alert {
					others = append(others, page.Status+" "+labelsKey(page.Labels))
				}
				continue
			}
			if got := page.Annotations["summary"]; got != want.Summary {
				wrong = fmt.Errorf("the page %s has the summary %q, not %q", want.key(), got, want.Summary)
				return nil
			}
			if wrong = complete(page); wrong == nil {
				at = page.At
			}
			return nil
		}
		return fmt.Errorf("no page is %s with %s; others of that name: %q", status, want.key(), others)
	})
	if err = errors.Join(wrong, err); err != nil || status != "firing" {
		return at, err
	}
	return at, until(ctx, func() error { return r.hasResult(ctx, want.query(), true) })
}

// query is the page's alert as Prometheus has it.
func (p Page) query() string {
	matchers := []string{`alertstate="firing"`, fmt.Sprintf("alertname=%q", p.Alert), fmt.Sprintf("severity=%q", p.Severity)}
	for pair := range strings.FieldsSeq(p.Labels) {
		name, value, _ := strings.Cut(pair, "=")
		matchers = append(matchers, fmt.Sprintf("%s=%q", name, value))
	}
	return "ALERTS{" + strings.Join(matchers, ",") + "}"
}

// complete says whether a page has all that a person on call needs, with no template left unexpanded.
func complete(page stack.Page) error {
	for _, name := range []string{"summary", "description", "runbook_url", "dashboard_url"} {
		text := page.Annotations[name]
		if text == "" || strings.Contains(text, "<no value>") || strings.Contains(text, "<error") || strings.Contains(text, "{{") {
			return fmt.Errorf("the page %v has the %s %q", page.Labels, name, text)
		}
	}
	return nil
}

// wasSilent checks what must not have been, over the whole of the story.
func (r *Runner) wasSilent(ctx context.Context, sc Scenario, took time.Duration) error {
	for _, query := range sc.Silent {
		over := fmt.Sprintf("count_over_time((%s)[%ds:1s])", query, int(took.Seconds())+1)
		if err := r.hasResult(ctx, over, false); err != nil {
			return fmt.Errorf("was to stay silent: %w", err)
		}
	}
	return r.unforeseen(sc)
}

// unforeseen errs with the pages that belong to the scenario and that no step of it names.
func (r *Runner) unforeseen(sc Scenario) error {
	foreseen := sc.foreseen()
	var errs []error
	for _, page := range r.Stack.Pages.All() {
		if key := labelsKey(page.Labels); sc.owns(page.Labels) && !foreseen[key] {
			foreseen[key] = true // said once
			errs = append(errs, fmt.Errorf("a page that nothing foresaw: %s: %s", key, page.Annotations["summary"]))
		}
	}
	return errors.Join(errs...)
}

// foreseen are the keys of the pages that the scenario names.
func (sc Scenario) foreseen() map[string]bool {
	keys := map[string]bool{}
	for _, page := range sc.May {
		keys[page.key()] = true
	}
	for _, step := range sc.Steps {
		for _, page := range slices.Concat(step.Page, step.Resolve) {
			keys[page.key()] = true
		}
	}
	return keys
}

// Strays gives the pages that belong to none of the scenarios.
func (r *Runner) Strays(all []Scenario) error {
	var errs []error
pages:
	for _, page := range r.Stack.Pages.All() {
		for _, sc := range all {
			if sc.owns(page.Labels) || sc.foreseen()[labelsKey(page.Labels)] {
				continue pages
			}
		}
		errs = append(errs, fmt.Errorf("a page that belongs to no scenario: %s: %s", labelsKey(page.Labels), page.Annotations["summary"]))
	}
	return errors.Join(errs...)
}

// owns says whether an alert with these labels is about the scenario's objects.
func (sc Scenario) owns(labels map[string]string) bool {
	if cluster := labels["cluster"]; cluster != "" {
		return slices.Contains(sc.Clusters, cluster)
	}
	for _, name := range []string{"namespace", "claim_namespace"} {
		if labels[name] == sc.Name {
			return true
		}
	}
	return strings.HasPrefix(labels["node"], sc.Name+"-") || strings.HasPrefix(labels["persistentvolume"], sc.Name+"-")
}

// until calls check four times a second until it gives nil or ctx ends; the error is then the last one of check.
func until(ctx context.Context, check func() error) error {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited in vain: %w", err)
		case <-tick.C:
		}
	}
}
