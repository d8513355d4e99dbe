package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// bar is a ratio that has to be met: Tocsin's measure by that of kube-state-metrics with the families only.
type bar struct {
	measures []measure // added up
	most     float64
}

func bars() []bar {
	return []bar{
		{[]measure{mRest}, 0.15}, {[]measure{mPeak}, 0.25}, {[]measure{mP50}, 0.25}, {[]measure{mStart}, 0.6}, {[]measure{mUpdatesCPU, mJobsCPU}, 0.5}, {[]measure{mSeries}, 0.4},
	}
}

// startByFloor is how much longer than the floor Tocsin's start may take.
const startByFloor = 1.5

// results are those of all rounds by exporter.
type results map[string][]result

// median gives the median over the rounds, of the sum of the measures.
func (r results) median(exporter string, ms ...measure) (float64, bool) {
	var values []float64
	for _, round := range r[exporter] {
		total := 0.0
		for _, m := range ms {
			total += round[m]
		}
		values = append(values, total)
	}
	if len(values) == 0 {
		return 0, false
	}
	slices.Sort(values)
	return values[len(values)/2], true
}

// print writes the table of medians.
func (r results) print(out io.Writer, exporters []string) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "median\t%s\t\n", strings.Join(exporters, "\t"))
	for _, m := range measures() {
		fmt.Fprintf(w, "%s\t", m)
		for _, e := range exporters {
			if v, ok := r.median(e, m); ok {
				fmt.Fprint(w, m.format(v))
			}
			fmt.Fprint(w, "\t")
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush()
}

// format writes a value in the unit that its measure has.
func (m measure) format(v float64) string {
	switch {
	case m == mSeries:
		return fmt.Sprintf("%.0f", v)
	case strings.Contains(string(m), "memory"), strings.Contains(string(m), "bytes"):
		return fmt.Sprintf("%.1f MB", v/1e6)
	case v < 1:
		return fmt.Sprintf("%.0f ms", v*1000)
	}
	return fmt.Sprintf("%.1f s", v)
}

// check prints each bar and tells how many are missed.
func (r results) check(out io.Writer, f floor) (missed int) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(what string, ratio, most float64) {
		met := "met"
		if !(ratio <= most) {
			met = "NOT MET"
			missed++
		}
		fmt.Fprintf(w, "%s\t%.2f\t(bar %.2f)\t%s\n", what, ratio, most, met)
	}
	fmt.Fprintf(w, "ratio to %s\t\t\t\n", ksmFamilies)
	for _, b := range bars() {
		ours, ok := r.median(tocsin, b.measures...)
		theirs, also := r.median(ksmFamilies, b.measures...)
		if !ok || !also {
			continue
		}
		names := make([]string, 0, len(b.measures))
		for _, m := range b.measures {
			names = append(names, string(m))
		}
		line(strings.Join(names, " and "), ours/theirs, b.most)
	}
	if ours, ok := r.median(tocsin, mStart); ok && f.Decoded > 0 {
		line("start to full scrape, by the floor", ours/f.Decoded, startByFloor)
	}
	_ = w.Flush()
	return missed
}
