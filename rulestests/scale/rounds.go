package main

import (
	"context"
	"errors"
	"fmt"
)

// compare measures the exporters in turn, round after round, and prints what they came to.
func (b *bench) compare(ctx context.Context) error {
	var names []string
	for _, e := range b.options.exporters {
		names = append(names, map[string]string{"tocsin": tocsin, "families": ksmFamilies, "all": ksmAll}[e])
	}
	var failed error
	for round := range b.options.rounds {
		f, err := b.measureFloor(ctx)
		if err != nil {
			return err
		}
		b.floors = append(b.floors, f)
		fmt.Fprintf(b.out, "round %d: the floor is %.1f s decoded, %.1f s raw, %.0f MB\n", round+1, f.Decoded, f.Raw, float64(f.Bytes)/1e6)
		for i := range names {
			name := names[(i+round)%len(names)] // each comes first, second and last
			if b.dirty {
				if err := b.restore(ctx); err != nil {
					return err
				}
				b.dirty = false
			}
			r, err := b.measureExporter(ctx, name)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil { // the others are worth their table none the less
				failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
				fmt.Fprintf(b.out, "round %d: %s: %v\n", round+1, name, err)
				continue
			}
			b.results[name] = append(b.results[name], r)
			fmt.Fprintf(b.out, "round %d: %s: start %s, rest %s, scrape %s\n", round+1, name, mStart.format(r[mStart]), mRest.format(r[mRest]), mP50.format(r[mP50]))
		}
	}
	fmt.Fprintln(b.out)
	b.results.print(b.out, names)
	best := b.floors[0]
	for _, f := range b.floors {
		best = floor{min(best.Decoded, f.Decoded), min(best.Raw, f.Raw), f.Bytes}
	}
	fmt.Fprintf(b.out, "floor: %.1f s decoded one after the other, %.1f s raw, %.0f MB\n\n", best.Decoded, best.Raw, float64(best.Bytes)/1e6)
	missed := b.results.check(b.out, best)
	return errors.Join(failed, b.conclude(missed))
}

// conclude prints what the verdicts were found to be, and gives the error that the exit status tells.
func (b *bench) conclude(missed int) error {
	const shown = 20
	for i, d := range b.verdicts {
		if i == shown {
			fmt.Fprintln(b.out, "and more")
			break
		}
		fmt.Fprintln(b.out, d)
	}
	switch {
	case len(b.verdicts) > 0:
		return fmt.Errorf("the exposition differs from the truth in %d values", len(b.verdicts))
	case b.verdicts != nil:
		fmt.Fprintln(b.out, "all verdicts are the truth")
	}
	if missed > 0 && !b.options.reportOnly {
		return fmt.Errorf("%d bars are missed", missed)
	}
	return nil
}
