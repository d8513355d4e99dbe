package dashboards

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Query is a query of a panel, ready to run.
type Query struct {
	// Dashboard is the uid, Panel the panel's title, and RefID the query's name in it.
	Dashboard, Panel, RefID string
	// Expr has no variables left.
	Expr string
	// Instant is whether it asks for the present values only, else for those of the dashboard's time range.
	Instant bool
	// Empty is what the panel says when there is no data, "" for Grafana's own words.
	Empty string
}

// Queries gives the queries of all panels as Grafana would send them at that moment, with a step of a minute. values are those of the
// variables, such as {"cronjob": "sync-stock"}; a variable that is not among them stands for everything. Where a variable that only can
// have one value is missing, its dashboard's panels find nothing.
func Queries(moment time.Time, values map[string]string) []Query {
	var all []Query
	for _, d := range source() {
		fill := d.filler(moment, values)
		for _, p := range d.allPanels() {
			for _, t := range p.Targets {
				all = append(all, Query{Dashboard: d.UID, Panel: p.Title, RefID: t.RefID, Expr: fill(t.Expr), Instant: t.Instant, Empty: p.FieldConfig.Defaults.NoValue})
			}
		}
	}
	return all
}

// allPanels gives the panels with those of closed rows, without the rows.
func (d dashboard) allPanels() []panel {
	var all []panel
	for _, p := range d.Panels {
		if p.Type != "row" {
			all = append(all, p)
		}
		all = append(all, p.Panels...)
	}
	return all
}

// interval is the step, rateInterval what Grafana makes of it for a scrape interval of a minute, at most.
const (
	interval     = "1m"
	rateInterval = "5m"
)

func (d dashboard) filler(moment time.Time, values map[string]string) func(string) string {
	window := d.window()
	pairs := []string{
		"$__rate_interval", rateInterval, "$__interval", interval, "$__range", window.String(),
		"${__from}", strconv.FormatInt(moment.Add(-window).UnixMilli(), 10),
	}
	for _, v := range d.Templating.List {
		value, ok := values[v.Name]
		switch {
		case !ok:
			value = v.AllValue
		case v.Multi: // is compared as a regular expression
			value = strings.ReplaceAll(regexp.QuoteMeta(value), `\`, `\\`)
		}
		pairs = append(pairs, "$"+v.Name, value)
	}
	return strings.NewReplacer(pairs...).Replace
}

// window is how far the dashboard looks back when it is opened.
func (d dashboard) window() time.Duration {
	var hours int
	if _, err := fmt.Sscanf(d.Time.From, "now-%dh", &hours); err != nil {
		return time.Hour
	}
	return time.Duration(hours) * time.Hour
}
