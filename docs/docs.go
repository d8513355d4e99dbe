// Package docs makes the reference pages of this directory, metrics.md from the collectors and alerts.md from the rules, so that no list
// of either is kept by hand. Its tests find what has drifted, and with -update write it anew; they also hold every other page of the
// repository to the metrics, alerts, flags and files that there are.
package docs

import (
	"fmt"
	"slices"
	"strings"

	"tocsin/collectors"
	"tocsin/collectors/exposition"
)

// Metrics gives the text of metrics.md.
func Metrics() string {
	var page strings.Builder
	page.WriteString(`# Metrics

<!-- Made from the collectors. After a change: go test ./docs -update -->

Names, types, labels and values are a promise: a change to one of them is a breaking change. All are gauges, but those marked as
counters. A label with a closed set of values has them in parentheses, ` + "`\"\"`" + ` where it may be empty. Timestamps are Unix time; what has never
happened has no series.

Labels are named as kube-state-metrics names them, so that its series join with these without relabeling.
`)
	itself := collectors.Families()
	for _, e := range collectors.Table() {
		families := e.New(collectors.DefaultOptions()).Families()
		fmt.Fprintf(&page, "\n## The collector `%s`\n\n%s `--no-collector.%s` turns it off.\n\n", e.Name, e.Help, e.Name)
		writeMetrics(&page, families)
		itself = slices.DeleteFunc(itself, func(f *exposition.Family) bool {
			return slices.ContainsFunc(families, func(g *exposition.Family) bool { return g.Name == f.Name })
		})
	}
	page.WriteString("\n## Tocsin itself\n\nHow far the verdicts can be trusted. Beside these there are `tocsin_build_info` and client_golang's `go_` and `process_` metrics.\n\n")
	writeMetrics(&page, itself)
	page.WriteString("\n## Shards\n\nWith `--total-shards` each namespace is one shard's, and so are its series, those of its volumes included. Of these each shard exports its part:\ntheir sum over the shards is the cluster's.\n\n")
	for _, f := range collectors.AddUp() {
		page.WriteString("- " + f.Name + "\n")
	}
	return page.String()
}

func writeMetrics(page *strings.Builder, families []*exposition.Family) {
	page.WriteString("| metric | labels | meaning |\n|---|---|---|\n")
	for _, f := range families {
		name := f.Name
		if f.Type != exposition.Gauge {
			name += " (" + f.Type.String() + ")"
		}
		values := LabelValues(f.Name)
		labels := make([]string, 0, len(f.Labels))
		for _, l := range f.Labels {
			if len(values[l]) > 0 {
				l += " (" + strings.Join(quotedEmpty(values[l]), ", ") + ")"
			}
			labels = append(labels, l)
		}
		fmt.Fprintf(page, "| %s | %s | %s |\n", name, strings.Join(labels, ", "), strings.ReplaceAll(f.Help, "|", `\|`))
	}
}

func quotedEmpty(values []string) []string {
	shown := slices.Clone(values)
	for i, v := range shown {
		if v == "" {
			shown[i] = `""`
		}
	}
	return shown
}
