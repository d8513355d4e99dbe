package dashboards

// column of a table: a label, or a query's value.
type column struct {
	// field is the label's name, or the query's refId.
	field string
	// value says that it is a query's.
	value bool
	title string
	more  []property
}

// unseen hides a column, as Grafana before 12 has it and as it has it since.
var unseen = []property{{ID: "custom.hidden", Value: true}, {ID: "custom.hideFrom", Value: map[string]bool{"viz": true, "legend": true, "tooltip": true}}}

// text is a column with a label's values.
func text(label, title string, more ...property) column {
	return column{field: label, title: title, more: more}
}

// number is a column with a query's values.
func number(ref, title, unit string, more ...property) column {
	return column{field: ref, value: true, title: title, more: append([]property{{ID: "unit", Value: unit}}, more...)}
}

// counted is a narrow column with a number that has colors.
func counted(ref, title string, pixels int, colors *thresholds) column {
	return number(ref, title, "none", append(limits(colors), broad(pixels))...)
}

// behind is a column that is not shown.
func behind(label, title string) column {
	return column{field: label, title: title, more: unseen}
}

// noNumber hides the values of the only query: they are all 1.
func noNumber() column {
	return column{value: true, title: "Value", more: unseen}
}

func broad(pixels int) property { return property{ID: "custom.width", Value: pixels} }

// shown colors the cell's background by its value.
func shown(m ...mapping) []property {
	background := property{ID: "custom.cellOptions", Value: map[string]any{"type": "color-background", "mode": "basic"}}
	return []property{background, {ID: "mappings", Value: m}}
}

// limits colors a number.
func limits(t *thresholds) []property {
	return []property{cells("color-text"), {ID: "thresholds", Value: t}}
}

func cells(kind string) property {
	return property{ID: "custom.cellOptions", Value: map[string]any{"type": kind}}
}

// wrapped breaks long text, as Grafana before 12 has it and as it has it since.
func wrapped() []property {
	return []property{{ID: "custom.cellOptions", Value: map[string]any{"type": "auto", "wrapText": true}}, {ID: "custom.wrapText", Value: true}}
}

func goes(title, url string) property {
	return property{ID: "links", Value: []link{{Title: title, URL: url}}}
}

// rows asks for the present values as rows of a table.
func rows(ref, expr string) target {
	return target{RefID: ref, Datasource: prometheus, Expr: expr, Format: "table", Instant: true}
}

// table joins the queries' rows on the labels that they share. Sorted by the first column named in by, then the next; a name that starts
// with "-" sorts downwards.
func table(title, description, empty string, by []string, columns []column, targets []target, changes ...option) panel {
	p := newPanel("table", title, description, targets, map[string]any{
		"cellHeight": "sm", "showHeader": true, "footer": map[string]any{"show": false}, "sortBy": sortBy(by),
	}, append([]option{
		noValue(empty), custom("align", "auto"), custom("cellOptions", map[string]any{"type": "auto"}), custom("filterable", false), custom("inspect", false),
		mapped(says(-1, "–", "text")),
	}, changes...))
	p.Transformations = arrange(columns, len(targets))
	for _, c := range append([]column{text("cluster", "Cluster", broad(90))}, columns...) {
		// A cell without a value must not say what the whole table says when it is empty.
		properties := append([]property{{ID: "noValue", Value: "–"}}, c.more...)
		p.FieldConfig.Overrides = append(p.FieldConfig.Overrides, override{Matcher: matcher{ID: "byName", Options: c.title}, Properties: properties})
	}
	return p
}

func sortBy(names []string) []map[string]any {
	var list []map[string]any
	for _, n := range names {
		desc := n[0] == '-'
		if desc {
			n = n[1:]
		}
		list = append(list, map[string]any{"displayName": n, "desc": desc})
	}
	return list
}

// arrange merges the queries' frames where there are several, and brings the columns into their order. Clusters are a column of their own
// where there are any.
func arrange(columns []column, queries int) []transformation {
	index, names := map[string]int{}, map[string]string{}
	add := func(field, title string) {
		index[field], names[field] = len(index), title
	}
	for i, c := range columns {
		field := c.field
		if c.value {
			field = valueField(c.field, queries)
		}
		if i == 1 {
			add("cluster", "Cluster")
		}
		add(field, c.title)
	}
	organize := transformation{ID: "organize", Options: map[string]any{
		"excludeByName": map[string]bool{"Time": true}, "indexByName": index, "renameByName": names,
	}}
	if queries == 1 {
		return []transformation{organize}
	}
	return []transformation{merge, organize}
}

// merge puts the rows of several frames into one, joined where all that they have in common is the same.
var merge = transformation{ID: "merge", Options: map[string]any{}}

// valueField is what Grafana calls the values of a query in a table.
func valueField(ref string, queries int) string {
	if queries == 1 || ref == "" {
		return "Value"
	}
	return "Value #" + ref
}
