package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"tocsin/rulestests/scale/synthetic"
)

// result is what one exporter came to in one round: seconds and bytes.
type result map[measure]float64

// measure is a line of the table.
type measure string

// The measures, in the order of the table.
const (
	mSeries     measure = "series"
	mBytes      measure = "bytes a scrape"
	mWire       measure = "bytes a scrape, gzip"
	mStart      measure = "start to full scrape"
	mStartCPU   measure = "CPU of the start"
	mStartPeak  measure = "peak memory of the start"
	mP50        measure = "scrape p50"
	mP99        measure = "scrape p99"
	mGzipP50    measure = "scrape p50, gzip"
	mGzipP99    measure = "scrape p99, gzip"
	mScrapeCPU  measure = "CPU of 100 scrapes"
	mGzipCPU    measure = "CPU of 100 scrapes, gzip"
	mRest       measure = "resident memory at rest"
	mPeak       measure = "resident memory at its peak"
	mUpdatesCPU measure = "CPU of 10,000 Pod updates"
	mJobsCPU    measure = "CPU of 2,000 Job completions"
	mRelistCPU  measure = "CPU of a full relist"
)

func measures() []measure {
	return []measure{mSeries, mBytes, mWire, mStart, mStartCPU, mStartPeak, mP50, mP99, mGzipP50, mGzipP99, mScrapeCPU, mGzipCPU, mRest, mPeak, mUpdatesCPU, mJobsCPU, mRelistCPU}
}

const scrapeCount = 100

// measureExporter starts an exporter, measures it and ends it. The cluster is afterwards as it was before.
func (b *bench) measureExporter(ctx context.Context, name string) (result, error) {
	e, err := b.startExporter(ctx, name)
	if err != nil {
		return nil, err
	}
	defer e.stop()
	r := result{mStart: e.ready.Seconds()}
	if r[mStartCPU], err = e.cpu(); err != nil {
		return nil, err
	}
	_, r[mStartPeak], err = e.memory()
	for _, step := range []func(context.Context, *exporter, result) error{b.scrape, b.rest, b.change} {
		if err == nil {
			err = step(ctx, e, r)
		}
	}
	if err == nil && name == tocsin && b.verdicts == nil {
		err = errors.New("the verdicts were not checked")
	}
	return r, err
}

// scrape measures scrapes. Tocsin's verdicts are checked first.
func (b *bench) scrape(ctx context.Context, e *exporter, r result) error {
	series, err := e.series(ctx)
	if err != nil {
		return err
	}
	r[mSeries] = float64(sum(series))
	if series["tocsin_build_info"] > 0 {
		if err := b.judge(ctx, e.scraper); err != nil {
			return err
		}
	}
	plain, err := e.many(ctx, e.process, scrapeCount, false)
	if err != nil {
		return err
	}
	packed, err := e.many(ctx, e.process, scrapeCount, true)
	if err != nil {
		return err
	}
	if unpacked, err := e.unpacked(ctx); err != nil || sum(unpacked) != sum(series) {
		return fmt.Errorf("a compressed scrape has %d series, a plain one %d: %w", sum(unpacked), sum(series), err)
	}
	r[mBytes], r[mP50], r[mP99] = float64(plain.bytes), plain.percentile(.5), plain.percentile(.99)
	r[mWire], r[mGzipP50], r[mGzipP99] = float64(packed.bytes), packed.percentile(.5), packed.percentile(.99)
	r[mScrapeCPU] = plain.cpu * scrapeCount / float64(len(plain.times))
	r[mGzipCPU] = packed.cpu * scrapeCount / float64(len(packed.times))
	return nil
}

// rest lets the exporter be, but for a scrape every ten seconds, and notes the least memory that it had: what the start and the scrapes
// took is given back bit by bit.
func (b *bench) rest(ctx context.Context, e *exporter, r result) error {
	for end := time.Now().Add(b.options.rest); time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(10*time.Second, b.options.rest)):
		}
		now, _, err := e.memory()
		if err != nil {
			return err
		}
		if r[mRest] == 0 || now < r[mRest] {
			r[mRest] = now
		}
		if _, _, err := e.once(ctx, true); err != nil {
			return err
		}
	}
	return nil
}

// change measures what updates, completions and a relist cost. Each is paid for with the next scrape, since an exporter may leave work
// until then.
func (b *bench) change(ctx context.Context, e *exporter, r result) error {
	defer func() { b.dirty = true }()
	for _, step := range []struct {
		measure measure
		do      func() error
	}{
		{mUpdatesCPU, func() error { return b.write(ctx, b.first(synthetic.ServingPod, podUpdates), restarted) }},
		{mJobsCPU, func() error { return b.write(ctx, b.first(synthetic.RunningJob, jobCompletions), completed) }},
		{mRelistCPU, func() error { return b.relist(ctx) }},
	} {
		if err := b.calm(ctx, e); err != nil {
			return err
		}
		before, err := e.cpu()
		if err != nil {
			return err
		}
		if err := step.do(); err != nil {
			return err
		}
		if err := b.calm(ctx, e); err != nil {
			return err
		}
		if _, _, err := e.once(ctx, true); err != nil {
			return err
		}
		after, err := e.cpu()
		if err != nil {
			return err
		}
		r[step.measure] = after - before
		if step.measure == mJobsCPU {
			if _, r[mPeak], err = e.memory(); err != nil {
				return err
			}
		}
	}
	return nil
}

// calm waits until what was written has reached the exporter, and the exporter has nothing to do.
func (b *bench) calm(ctx context.Context, e *exporter) error {
	const serving = 0.3 // an API server is never quite idle
	if err := b.server.api.calm(ctx, serving); err != nil {
		return err
	}
	return e.calm(ctx, idleRun)
}

// judge compares Tocsin's exposition with the truth.
func (b *bench) judge(ctx context.Context, s *scraper) error {
	body, err := s.openAs(ctx, "text/plain;version=0.0.4", false)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(body)
	if err != nil {
		return fmt.Errorf("parse the exposition: %w", err)
	}
	b.verdicts = append(make([]string, 0, 1), b.truth.Check(families)...)
	return nil
}
