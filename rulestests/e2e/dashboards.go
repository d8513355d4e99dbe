package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tocsin/dashboards"
	"tocsin/rulestests/stack"
)

// alive asks the stack's Prometheus every query of the dashboards: each must have had something to show at some time of the stories, but for those
// of nothingInStories, and Prometheus must have nothing to say against it. The dashboard of one CronJob is asked about one that was suspended,
// one that hung and one that failed.
func alive(ctx context.Context, s *stack.Stack, since time.Time) error {
	found, errs := map[string]bool{}, []error(nil)
	for _, cronJob := range []string{"purge", "billing", "import"} {
		for _, q := range dashboards.Queries(time.Now(), map[string]string{"cronjob": cronJob}) {
			name := fmt.Sprintf("%s: %s: %s", q.Dashboard, q.Panel, q.RefID)
			if found[name] {
				continue
			}
			some, err := showed(ctx, s, q, since)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
			found[name] = some
		}
	}
	for name, some := range found {
		switch why, exempt := nothingInStories[name]; {
		case !some && !exempt:
			errs = append(errs, fmt.Errorf("%s never had anything to show", name))
		case some && exempt:
			errs = append(errs, fmt.Errorf("%s had something to show, and was not to: %s", name, why))
		}
	}
	return errors.Join(errs...)
}

// showed says whether a query had a result at any time, asked as Grafana asks it: for a range, or for single moments.
func showed(ctx context.Context, s *stack.Stack, q dashboards.Query, since time.Time) (bool, error) {
	if !q.Instant {
		found, err := s.Over(ctx, q.Expr, since)
		return len(found) > 0, err
	}
	for at := time.Now(); at.After(since); at = at.Add(-20 * time.Second) {
		if found, err := s.At(ctx, q.Expr, at); err != nil || len(found) > 0 {
			return len(found) > 0, err
		}
	}
	return false, nil
}

// nothingInStories are the queries that no story gives anything to, with the reason.
var nothingInStories = map[string]string{
	"tocsin-itself: Not judged: A": "no story has an object that is to be ignored",
}
