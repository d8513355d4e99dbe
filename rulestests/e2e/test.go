package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"text/tabwriter"
	"time"

	"tocsin/rulestests/scenarios"
	"tocsin/rulestests/stack"
)

// test runs the scenarios, side by side where they may, prints the table and gives what went wrong.
func test(ctx context.Context, s *stack.Stack, all []scenarios.Scenario, o options, told *teller) error {
	began := time.Now()
	runner := &scenarios.Runner{Stack: s, Tell: told.tell}
	if o.snapshots != "" {
		runner.Record = func(ctx context.Context, scenario string, step int) error {
			text, err := s.Snapshot(ctx, scenario)
			return errors.Join(err, os.MkdirAll(o.snapshots, 0o755),
				os.WriteFile(filepath.Join(o.snapshots, fmt.Sprintf("%s-%d.yaml", scenario, step)), []byte(text), 0o644))
		}
	}
	results := make([]scenarios.Result, len(all))
	var group sync.WaitGroup
	places := make(chan struct{}, o.jobs)
	for i, sc := range all {
		if !sc.Alone {
			group.Go(func() {
				places <- struct{}{}
				results[i] = runner.Run(ctx, sc)
				<-places
			})
		}
	}
	group.Wait()
	for i, sc := range all {
		if sc.Alone {
			results[i] = runner.Run(ctx, sc)
		}
	}
	printTable(results)
	var errs []error
	for _, r := range results {
		if r.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.Scenario.Name, r.Err))
		}
	}
	errs = append(errs, runner.Strays(all), s.CheckRules(ctx))
	if len(all) == len(scenarios.All()) { // some permissions are put to use by one story only
		errs = append(errs, s.CheckPermissions(ctx), accepts(ctx, s, told), alive(ctx, s, began))
	}
	return errors.Join(errs...)
}

// printTable says how each scenario went.
func printTable(results []scenarios.Result) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(w, "\nscenario\tfault to page (s)\tmend to resolution (s)\tin all (s)\t\t\n")
	for _, r := range results {
		verdict := "ok"
		if r.Err != nil {
			verdict = "FAILED"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%.0f\t%s\t\n", r.Scenario.Name, seconds(r.ToPage), seconds(r.ToResolution), r.Took.Seconds(), verdict)
	}
	_ = w.Flush()
}

// seconds writes a time, and a dash where there was none.
func seconds(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", d.Seconds())
}
