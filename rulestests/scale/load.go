package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tocsin/rulestests/scale/synthetic"
)

// The load.
const (
	crowdPods    = 20_000 // deleted at once
	crowdJobs    = 5000   // that finish within the time of the load
	flappers     = 20     // nodes that are ready and unready by turns
	flapEvery    = 2 * time.Second
	scrapers     = 10
	scrapeEvery  = time.Second
	loadTime     = time.Minute
	recoveryTime = 5 * time.Minute
	steps        = 60 // in which the Jobs finish
)

// The bars under load.
const (
	p99ByIdleP50 = 3.0
	memoryAfter  = 1.2
)

// underLoad measures scrapes while a namespace is emptied, Jobs finish and nodes flap; then whether nothing was missed, and whether the
// memory comes back.
func (b *bench) underLoad(ctx context.Context) error {
	e, err := b.startExporter(ctx, tocsin)
	if err != nil {
		return err
	}
	defer e.stop()
	if err := b.judge(ctx, e.scraper); err != nil {
		return err
	}
	idle, err := e.many(ctx, e.process, scrapeCount, true)
	if err != nil {
		return err
	}
	rested := result{}
	if err := b.rest(ctx, e, rested); err != nil {
		return err
	}
	before := rested[mRest]
	busy, err := b.load(ctx, e)
	if err != nil {
		return err
	}
	_, peak, err := e.memory()
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "scrape p50 idle %s; under load %d scrapes, p50 %s, p99 %s; memory before %s, at its peak %s\n", mP50.format(idle.percentile(.5)), len(busy.times),
		mP50.format(busy.percentile(.5)), mP99.format(busy.percentile(.99)), mRest.format(before), mPeak.format(peak))
	if err := b.calm(ctx, e); err != nil {
		return err
	}
	same, err := b.sameAsFresh(ctx, e)
	if err != nil {
		return err
	}
	after, took, err := b.recover(ctx, e, before)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "memory %s after %.0f s\n", mRest.format(after), took.Seconds())
	missed := 0
	for _, bar := range []struct {
		what        string
		ratio, most float64
	}{
		{"scrape p99 under load, by the p50 at rest", busy.percentile(.99) / idle.percentile(.5), p99ByIdleP50},
		{"memory after the load, by that before", after / before, memoryAfter},
		{"series that a fresh start has otherwise", float64(same), 0},
	} {
		met := "met"
		if !(bar.ratio <= bar.most) {
			met = "NOT MET"
			missed++
		}
		fmt.Fprintf(b.out, "%s: %.2f (bar %.2f) %s\n", bar.what, bar.ratio, bar.most, met)
	}
	return b.conclude(missed)
}

// load puts the load on and gives all scrapes.
func (b *bench) load(ctx context.Context, e *exporter) (scrapes, error) {
	ctx, cancel := context.WithTimeout(ctx, loadTime+10*time.Second)
	defer cancel()
	var all scrapes
	var mu sync.Mutex
	var errs []error
	var running sync.WaitGroup
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			errs = append(errs, err)
		}
	}
	end := time.Now().Add(loadTime)
	for range scrapers {
		running.Go(func() {
			s := newScraper(e.url)
			for time.Now().Before(end) {
				began := time.Now()
				t, n, err := s.once(ctx, true)
				if err != nil {
					note(err)
					return
				}
				mu.Lock()
				all.times, all.bytes = append(all.times, t), n
				mu.Unlock()
				time.Sleep(time.Until(began.Add(scrapeEvery)))
			}
		})
	}
	running.Go(func() { note(b.finishJobs(ctx, end)) })
	running.Go(func() { note(b.flap(ctx, end)) })
	running.Go(func() { note(b.empty(ctx)) })
	running.Wait()
	slices.Sort(all.times)
	return all, errors.Join(errs...)
}

// empty deletes the crowd's Pods.
func (b *bench) empty(ctx context.Context) error {
	batch := b.server.store.changes(ctx)
	for _, o := range b.kept[synthetic.CrowdPod] {
		if err := batch.add(remove(o.Object)); err != nil {
			break // which end gives
		}
	}
	return batch.end()
}

// finishJobs has Jobs complete, evenly until the end.
func (b *bench) finishJobs(ctx context.Context, end time.Time) error {
	jobs := b.first(synthetic.RunningJob, crowdJobs)
	pace := time.Until(end) / steps
	for part := range slices.Chunk(jobs, max(1, (len(jobs)+steps-1)/steps)) {
		if err := b.write(ctx, part, completed); err != nil {
			return err
		}
		time.Sleep(pace)
	}
	return nil
}

// flap has nodes be unready and ready by turns until the end, and ready then.
func (b *bench) flap(ctx context.Context, end time.Time) error {
	nodes := b.first(synthetic.HealthyNode, flappers)
	for time.Now().Before(end) {
		if err := b.write(ctx, nodes, unready); err != nil {
			return err
		}
		time.Sleep(flapEvery)
		if err := b.write(ctx, nodes, unchanged); err != nil {
			return err
		}
		time.Sleep(flapEvery)
	}
	return nil
}

// recover waits until the memory is back at what it was, nearly, and gives it and how long that took.
func (b *bench) recover(ctx context.Context, e *exporter, before float64) (float64, time.Duration, error) {
	began := time.Now()
	for {
		now, _, err := e.memory()
		took := time.Since(began)
		if err != nil || now <= before*memoryAfter || took > recoveryTime {
			return now, took, err
		}
		select {
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		case <-time.After(10 * time.Second):
		}
		if _, _, err := e.once(ctx, true); err != nil {
			return 0, 0, err
		}
	}
}
