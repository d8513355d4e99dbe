package dashboards

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kinds of panels, units and colors that the dashboards keep to.
var (
	kinds = []string{"stat", "timeseries", "table", "bargauge", "state-timeline"}
	units = []string{"none", "short", "s", "bytes", "dateTimeFromNow", "dateTimeAsIso", "suffix:×"}
)

// eachPanel runs the check for every panel that is not a row, with where it is.
func eachPanel(check func(d dashboard, p panel, where string)) {
	for _, d := range dashboards() {
		for _, p := range d.allPanels() {
			check(d, p, fmt.Sprintf("dashboard %s, panel %q", d.UID, p.Title))
		}
	}
}

func TestDashboards(t *testing.T) {
	uids, titles := map[string]bool{}, map[string]bool{}
	for _, d := range dashboards() {
		if uids[d.UID] || titles[d.Title] {
			t.Errorf("dashboard %s (%s) is there twice", d.UID, d.Title)
		}
		uids[d.UID], titles[d.Title] = true, true
		if !regexp.MustCompile(`^tocsin-[a-z]+$`).MatchString(d.UID) {
			t.Errorf("dashboard %s: its uid is not readable", d.UID)
		}
		if d.SchemaVersion > 42 || d.Editable || d.Description == "" || !slices.Contains(d.Tags, tag) || d.Refresh == "" {
			t.Errorf("dashboard %s: want schemaVersion at most 42, not editable, a description, a refresh and the tag %s", d.UID, tag)
		}
		if len(d.Annotations.List) != len(severities) {
			t.Errorf("dashboard %s: want annotations for alerts of each severity", d.UID)
		}
		for _, a := range d.Annotations.List {
			if a.Datasource != prometheus || !strings.Contains(a.Expr, `alertstate="firing"`) {
				t.Errorf("dashboard %s: annotation %s is not of alerts that fire, from the chosen data source", d.UID, a.Name)
			}
		}
		if d.Time.From != fmt.Sprintf("now-%dh", int(d.window().Hours())) {
			t.Errorf("dashboard %s: opens at %s, want hours: now-24h", d.UID, d.Time.From)
		}
	}
	for _, uid := range []string{"tocsin-overview", "tocsin-cronjobs", "tocsin-cronjob", "tocsin-statefulsets", "tocsin-nodes", "tocsin-itself"} {
		if !uids[uid] {
			t.Errorf("there is no dashboard %s: people's bookmarks and alerts lead to it", uid)
		}
	}
}

func TestVariables(t *testing.T) {
	for _, d := range dashboards() {
		var text strings.Builder
		for _, p := range d.allPanels() {
			for _, target := range p.Targets {
				text.WriteString(target.Expr + "\n")
			}
		}
		for i, v := range d.Templating.List {
			where := fmt.Sprintf("dashboard %s, variable %s", d.UID, v.Name)
			if v.Label == "" || v.Description == "" {
				t.Errorf("%s has no label or no description", where)
			}
			if i == 0 {
				if v.Name != "datasource" || v.Label != "Data source" || v.Type != "datasource" || v.Query != "prometheus" {
					t.Errorf("%s: the first variable chooses the data source", where)
				}
				continue
			}
			if !strings.Contains(text.String(), `"$`+v.Name+`"`) {
				t.Errorf("%s narrows nothing", where)
			}
			if v.Type != "query" || *v.Datasource != prometheus || v.Refresh != 2 {
				t.Errorf("%s: want a query of the chosen data source, asked again when the time range changes", where)
			}
			if v.IncludeAll && (v.AllValue != anything || !v.Multi) {
				t.Errorf("%s: all must match what lacks the label, and several can be chosen", where)
			}
			if v.Definition != v.Query.(variableQuery).Query {
				t.Errorf("%s: definition is not its query", where)
			}
		}
		if !d.hasVariable("cluster") {
			t.Errorf("dashboard %s has no variable cluster", d.UID)
		}
		if has := d.hasVariable("namespace"); has == (d.UID == itselfUID) {
			t.Errorf("dashboard %s: variable namespace: %t (all but the one about Tocsin itself have it)", d.UID, has)
		}
	}
}

func TestPanelsSayWhatTheyShow(t *testing.T) {
	titles := map[string]bool{}
	eachPanel(func(d dashboard, p panel, where string) {
		if p.Title == "" || titles[d.UID+p.Title] {
			t.Errorf("%s: its title is empty or there twice", where)
		}
		titles[d.UID+p.Title] = true
		if len(p.Description) < 10 || !strings.HasSuffix(p.Description, ".") {
			t.Errorf("%s: its description says too little, or is no sentence: %q", where, p.Description)
		}
		if !slices.Contains(kinds, p.Type) {
			t.Errorf("%s is of the kind %s, want one of %v", where, p.Type, kinds)
		}
		if p.Datasource == nil || *p.Datasource != prometheus {
			t.Errorf("%s does not ask the chosen data source", where)
		}
		f := p.FieldConfig.Defaults
		if !slices.Contains(units, f.Unit) {
			t.Errorf("%s has the unit %q, want one of %v", where, f.Unit, units)
		}
		if f.NoValue == "" && p.Type != "timeseries" {
			t.Errorf("%s does not say what it means when there is nothing", where)
		}
		if len(f.Thresholds.Steps) == 0 || f.Thresholds.Steps[0].Value != nil {
			t.Errorf("%s: its thresholds do not begin with a color for everything", where)
		}
		for i, s := range f.Thresholds.Steps[1:] {
			if before := f.Thresholds.Steps[i].Value; before != nil && *before >= *s.Value {
				t.Errorf("%s: its thresholds do not rise", where)
			}
		}
	})
}

// TestTables: columns that overrides and sorting name are there, and every number has its unit.
func TestTables(t *testing.T) {
	eachPanel(func(_ dashboard, p panel, where string) {
		if p.Type != "table" {
			return
		}
		units := map[string]bool{}
		var titles []string
		for _, title := range p.renamed() {
			titles = append(titles, title)
		}
		for _, o := range p.FieldConfig.Overrides {
			if !slices.Contains(titles, o.Matcher.Options) {
				t.Errorf("%s: an override is for the column %s, which it does not have", where, o.Matcher.Options)
			}
			for _, property := range o.Properties {
				units[o.Matcher.Options] = units[o.Matcher.Options] || property.ID == "unit" || property.ID == "custom.hidden"
			}
		}
		for field, title := range p.renamed() {
			if (strings.HasPrefix(field, "Value") || title == "For") && !units[title] {
				t.Errorf("%s: the column %s has no unit", where, title)
			}
		}
		for _, by := range p.Options["sortBy"].([]map[string]any) {
			if !slices.Contains(titles, by["displayName"].(string)) {
				t.Errorf("%s is sorted by the column %s, which it does not have", where, by["displayName"])
			}
		}
	})
}

// TestLayout: every panel is in the grid and has a number of its own, no two overlap, and no line has a gap.
func TestLayout(t *testing.T) {
	for _, d := range dashboards() {
		ids := map[int]bool{}
		taken := map[[2]int]string{}
		area, bottom := 0, 0
		put := func(p panel, closed bool) {
			if p.ID < 1 || ids[p.ID] {
				t.Errorf("dashboard %s, panel %q: its id %d is not its own", d.UID, p.Title, p.ID)
			}
			ids[p.ID] = true
			g := p.GridPos
			if g.X < 0 || g.W < 4 || g.X+g.W > width || g.H < 1 {
				t.Errorf("dashboard %s, panel %q does not fit into the grid: %+v", d.UID, p.Title, g)
			}
			if closed {
				return
			}
			for x := g.X; x < g.X+g.W; x++ {
				for y := g.Y; y < g.Y+g.H; y++ {
					if other, is := taken[[2]int{x, y}]; is {
						t.Fatalf("dashboard %s: panels %q and %q overlap", d.UID, p.Title, other)
					}
					taken[[2]int{x, y}] = p.Title
				}
			}
			area += g.W * g.H
			bottom = max(bottom, g.Y+g.H)
		}
		for _, p := range d.Panels {
			if p.Type == "row" {
				p.GridPos.W = width
			}
			put(p, false)
			for _, inner := range p.Panels {
				put(inner, true)
			}
		}
		if area != bottom*width {
			t.Errorf("dashboard %s has gaps: its panels cover %d of %d cells", d.UID, area, bottom*width)
		}
	}
}
