package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// volatile are the metrics that two exporters with the same verdicts need not share: those of the process, and what only one that has
// watched for some time can tell.
var volatile = [...]string{"go_", "process_", "promhttp_", "tocsin_build_info", "tocsin_collector_duration_seconds", "tocsin_source_last_event_timestamp_seconds", "tocsin_cronjob_runs_total"}

// clock is by how much a duration up to now may differ between two scrapes, in seconds.
const clock = 60

// patience is how long the last events may be under way after the load, on a machine that is still busy with them.
const patience = 2 * time.Minute

// sameAsFresh starts a second Tocsin and counts the series in which the two differ. It looks again for as long as events may be under
// way: one that is lost stays lost.
func (b *bench) sameAsFresh(ctx context.Context, e *exporter) (int, error) {
	fresh, err := b.startExporter(ctx, tocsin)
	if err != nil {
		return 0, err
	}
	defer fresh.stop()
	for end := time.Now().Add(patience); ; {
		ours, err := e.values(ctx)
		if err != nil {
			return 0, err
		}
		theirs, err := fresh.values(ctx)
		if err != nil {
			return 0, err
		}
		differences := compare(ours, theirs)
		if len(differences) == 0 || time.Now().After(end) {
			for _, d := range differences[:min(len(differences), 20)] {
				fmt.Fprintln(b.out, d)
			}
			return len(differences), nil
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(5 * time.Second):
		}
	}
}

// compare gives the series in which an exposition differs from that of a fresh start.
func compare(ours, fresh map[string]float64) []string {
	var differences []string
	say := func(series, was, is string) {
		differences = append(differences, fmt.Sprintf("%s: %s, a fresh start says %s", series, was, is))
	}
	for series, v := range ours {
		f, ok := fresh[series]
		since := strings.HasPrefix(series, "tocsin_cronjob_seconds_since_last_success")
		switch {
		case !ok:
			say(series, fmt.Sprint(v), "nothing")
		case f != v && !(since && f-v >= 0 && f-v < clock):
			say(series, fmt.Sprint(v), fmt.Sprint(f))
		}
	}
	for series, f := range fresh {
		if _, ok := ours[series]; !ok {
			say(series, "nothing", fmt.Sprint(f))
		}
	}
	slices.Sort(differences)
	return differences
}

// values gives every series that is not volatile, with its value.
func (s *scraper) values(ctx context.Context) (map[string]float64, error) {
	body, err := s.open(ctx, false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	values := map[string]float64{}
	lines := bufio.NewScanner(body)
next:
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, v := range volatile {
			if strings.HasPrefix(line, v) {
				continue next
			}
		}
		i := strings.LastIndexByte(line, ' ')
		if i < 0 {
			continue
		}
		value, err := strconv.ParseFloat(line[i+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		values[line[:i]] = value
	}
	return values, lines.Err()
}
