package dashboards

import "maps"

// option changes a panel that was just made.
type option func(*panel)

func newPanel(kind, title, description string, targets []target, options map[string]any, changes []option) panel {
	p := panel{
		Type: kind, Title: title, Description: description, Datasource: &prometheus, Targets: targets, Options: options,
		FieldConfig: &fieldConfig{
			Defaults:  field{Unit: "none", Mappings: []mapping{}, Thresholds: from(good), Color: map[string]any{"mode": "thresholds"}},
			Overrides: []override{},
		},
	}
	for _, change := range changes {
		change(&p)
	}
	return p
}

// now asks for the present values.
func now(ref, expr, legend string) target {
	return target{RefID: ref, Datasource: prometheus, Expr: expr, Format: "time_series", Instant: true, LegendFormat: legend}
}

// over asks for values over the dashboard's time range.
func over(ref, expr, legend string) target {
	return target{RefID: ref, Datasource: prometheus, Expr: expr, Format: "time_series", Range: true, LegendFormat: legend}
}

var lastValue = map[string]any{"calcs": []string{"lastNotNull"}, "fields": "", "values": false}

// stat is one number, large.
func stat(title, description, expr string, changes ...option) panel {
	return statOf(title, description, []target{now("A", expr, "")}, changes...)
}

func statOf(title, description string, targets []target, changes ...option) panel {
	return newPanel("stat", title, description, targets, map[string]any{
		"reduceOptions": lastValue, "colorMode": "background_solid", "graphMode": "none", "textMode": "auto", "justifyMode": "center", "orientation": "auto",
	}, append([]option{noValue("not known")}, changes...))
}

// alarm is the number of things that are wrong: "none" in green, else the number in the color. source is the resource that must be known
// for "none" to be said.
func alarm(title, description, color, source, things string, changes ...option) panel {
	return stat(title, description, count(things, source), append([]option{levels(from(good, at(1, color))), mapped(says(0, "none", good))}, changes...)...)
}

// count gives how many series there are. 0 is said only where the source that would tell of them is known: an exporter that is gone or
// blind is not good news.
func count(things, source string) string {
	return "count(\n" + indent(things) + "\n)\n" + `or 0 * max(tocsin_source_up{CL, resource="` + source + `"} == 1)`
}

// graph is lines over time.
func graph(title, description string, targets []target, changes ...option) panel {
	return newPanel("timeseries", title, description, targets, map[string]any{
		"legend":  map[string]any{"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []string{}},
		"tooltip": map[string]any{"mode": "multi", "sort": "desc"},
	}, append([]option{
		custom("drawStyle", "line"), custom("lineInterpolation", "stepAfter"), custom("lineWidth", 1), custom("fillOpacity", 10),
		custom("showPoints", "never"), custom("spanNulls", bridged), colors("palette-classic"), minimum(0),
	}, changes...))
}

// bridged is the gap that a restart of the exporter leaves, in milliseconds: lines go on over it.
const bridged = 300_000

// timeline is a bar per object that shows its states over time.
func timeline(title, description string, states []state, targets []target, changes ...option) panel {
	return newPanel("state-timeline", title, description, targets, map[string]any{
		"alignValue": "left", "mergeValues": true, "rowHeight": 0.8, "showValue": "auto",
		"legend":  map[string]any{"displayMode": "list", "placement": "bottom", "showLegend": true},
		"tooltip": map[string]any{"mode": "single", "sort": "none"},
	}, append([]option{
		custom("fillOpacity", 80), custom("lineWidth", 0), custom("spanNulls", bridged), mapped(byNumber(states)),
	}, changes...))
}

// bars is a bar per object, in the order of the query.
func bars(title, description string, targets []target, changes ...option) panel {
	return newPanel("bargauge", title, description, targets, map[string]any{
		"reduceOptions": lastValue, "displayMode": "basic", "orientation": "horizontal", "showUnfilled": true, "valueMode": "color",
		"namePlacement": "left", "sizing": "manual", "minVizHeight": 16, "minVizWidth": 8, "maxVizHeight": 32,
		"text": map[string]any{"titleSize": 13, "valueSize": 15},
	}, append([]option{minimum(0)}, changes...))
}

func unit(u string) option       { return func(p *panel) { p.FieldConfig.Defaults.Unit = u } }
func noValue(text string) option { return func(p *panel) { p.FieldConfig.Defaults.NoValue = text } }
func minimum(v float64) option   { return func(p *panel) { p.FieldConfig.Defaults.Min = &v } }
func decimals(n int) option      { return func(p *panel) { p.FieldConfig.Defaults.Decimals = &n } }
func wide(w int) option          { return func(p *panel) { p.GridPos.W = w } }

func levels(t *thresholds) option { return func(p *panel) { p.FieldConfig.Defaults.Thresholds = t } }

func mapped(m ...mapping) option {
	return func(p *panel) { p.FieldConfig.Defaults.Mappings = append(p.FieldConfig.Defaults.Mappings, m...) }
}

func colors(mode string) option {
	return func(p *panel) { p.FieldConfig.Defaults.Color = map[string]any{"mode": mode} }
}

func custom(name string, value any) option {
	return func(p *panel) {
		if p.FieldConfig.Defaults.Custom == nil {
			p.FieldConfig.Defaults.Custom = map[string]any{}
		}
		p.FieldConfig.Defaults.Custom[name] = value
	}
}

// set changes an option of the kind of panel. The map may be shared, so it is copied.
func set(name string, value any) option {
	return func(p *panel) {
		p.Options = maps.Clone(p.Options)
		p.Options[name] = value
	}
}

// leads is where a click on a value leads.
func leads(title, url string) option {
	return func(p *panel) {
		p.FieldConfig.Defaults.Links = append(p.FieldConfig.Defaults.Links, link{Title: title, URL: url})
	}
}

// paint gives a series the color, by its name; paintAll those whose names begin so.
func paint(series, color string) option {
	return painted(matcher{ID: "byName", Options: series}, color)
}

func paintAll(beginning, color string) option {
	return painted(matcher{ID: "byRegexp", Options: "/^" + beginning + "/"}, color)
}

func painted(m matcher, color string) option {
	return func(p *panel) {
		fixed := map[string]any{"mode": "fixed", "fixedColor": color}
		p.FieldConfig.Overrides = append(p.FieldConfig.Overrides, override{Matcher: m, Properties: []property{{ID: "color", Value: fixed}}})
	}
}

// legendRight is for many series.
func legendRight(p *panel) {
	p.Options["legend"] = map[string]any{"displayMode": "list", "placement": "right", "showLegend": true, "calcs": []string{}}
}

// stacked draws bars on top of each other instead of lines.
func stacked(p *panel) {
	custom("drawStyle", "bars")(p)
	custom("fillOpacity", 70)(p)
	custom("stacking", map[string]any{"mode": "normal", "group": "A"})(p)
}
