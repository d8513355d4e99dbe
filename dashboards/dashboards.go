// Package dashboards holds Tocsin's Grafana dashboards. The Go code here is their source: units, colors, links, variables and
// annotations are written once and shared by all panels. The JSON files beside it are made from it, for everybody to import, and a test
// finds it when they differ:
//
//	go test ./dashboards -run JSON -update
package dashboards

import (
	"bytes"
	"embed"
	"encoding/json"
	"io/fs"
)

//go:embed tocsin-*.json
var embedded embed.FS

// Files gives the dashboards as they are imported, one JSON file each, as "tocsin-overview.json".
func Files() fs.FS { return embedded }

// source gives all dashboards, in the order in which somebody would look at them.
func source() []dashboard {
	known := knownAlerts()
	return []dashboard{overview(known), cronJobs(known), cronJob(known), statefulSets(known), nodes(known), itself(known)}
}

// fileName of a dashboard's JSON.
func (d dashboard) fileName() string { return d.UID + ".json" }

func (d dashboard) encode() ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(d)
	return text.Bytes(), err
}

// newDashboard lays the lines out from top to bottom, and gives each panel its number.
func newDashboard(uid, title, description, from string, variables []variable, marked alerts, lines ...line) dashboard {
	return dashboard{
		UID:           uid,
		Title:         title,
		Description:   description,
		Tags:          []string{tag},
		GraphTooltip:  1, // one crosshair for all panels
		Refresh:       "1m",
		SchemaVersion: schemaVersion,
		Time:          timeRange{From: from, To: "now"},
		Timezone:      "browser",
		Links:         []link{{Title: "Tocsin", Type: "dashboards", Tags: []string{tag}, IncludeVars: true, KeepTime: true}},
		Annotations:   annotationList{List: alertAnnotations(marked, variables)},
		Templating:    templating{List: variables},
		Panels:        layout(lines, variables),
	}
}

const (
	// tag by which the dashboards link to each other.
	tag = "tocsin"
	// schemaVersion is Grafana 10.3's: every later Grafana reads it, and upgrades it in memory.
	schemaVersion = 39
	// width of Grafana's grid.
	width = 24
)

// line is what stands side by side: panels of one height that share the width equally, but for those that have a width already.
type line struct {
	height int
	panels []panel
}

func beside(height int, panels ...panel) line { return line{height, panels} }

// closedRow is a row that asks nothing of Prometheus until somebody opens it.
func closedRow(title string, height int, panels ...panel) line {
	return line{1, []panel{{Type: "row", Title: title, Collapsed: true, Panels: place(panels, height, 0)}}}
}

func layout(lines []line, variables []variable) []panel {
	var all []panel
	y, id := 0, 0
	finish := func(p *panel) {
		id++
		p.ID = id
		for i := range p.Targets {
			p.Targets[i].Expr = narrow(p.Targets[i].Expr, variables)
		}
	}
	for _, l := range lines {
		for _, p := range place(l.panels, l.height, y) {
			finish(&p)
			for i := range p.Panels {
				finish(&p.Panels[i])
				p.Panels[i].GridPos.Y = y + 1
			}
			all = append(all, p)
		}
		y += l.height
	}
	return all
}

func place(panels []panel, height, y int) []panel {
	left, open := width, 0
	for _, p := range panels {
		left -= p.GridPos.W
		if p.GridPos.W == 0 {
			open++
		}
	}
	x := 0
	placed := make([]panel, 0, len(panels))
	for _, p := range panels {
		w := p.GridPos.W
		if w == 0 {
			w = left / open
		}
		p.GridPos = gridPos{X: x, Y: y, W: w, H: height}
		x += w
		placed = append(placed, p)
	}
	return placed
}
