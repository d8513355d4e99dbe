package dashboards

import "strconv"

// Grafana's names of the colors that mean something here.
const (
	good     = "green"
	info     = "blue"
	attend   = "yellow"
	warning  = "orange"
	critical = "red"
	broken   = "purple"
)

// severities of the alerts, the worst first. code is what a table of findings sorts by.
var severities = []struct{ code, name, title, color string }{
	{"1", "critical", "Critical alerts", critical},
	{"2", "warning", "Warnings", warning},
	{"3", "info", "Inventory alerts", info},
}

// state is a value of a timeline.
type state struct{ text, color string }

// States in which timelines show an object, numbered by their places: the higher the worse, so that the worst of several wins.
var (
	cronJobStates = []state{
		{"ok", good}, {"suspended", info}, {"late", attend}, {"blocked", warning}, {"long running", warning},
		{"stalled", warning}, {"failing", critical}, {"missed", critical}, {"invalid", broken},
	}
	rolloutStates = []state{
		{"complete", good}, {"deleting", info}, {"partitioned", info}, {"ondelete pending", info}, {"scaling", attend},
		{"progressing", attend}, {"unobserved", warning}, {"blocked", critical},
	}
	// alertStates are numbered by severity.
	alertStates  = []state{{}, {"info", info}, {"warning", warning}, {"critical", critical}}
	sourceStates = []state{{"not known", critical}, {"known", good}}
)

func byNumber(states []state) mapping {
	options := map[string]any{}
	for i, s := range states {
		if s.text == "" {
			continue
		}
		options[strconv.Itoa(i)] = map[string]any{"text": s.text, "color": s.color, "index": i}
	}
	return mapping{Type: "value", Options: options}
}

// byName colors text. Names that are in none of the states keep the text's color.
func byName(states ...state) mapping {
	options := map[string]any{}
	for i, s := range states {
		options[s.text] = map[string]any{"color": s.color, "index": i}
	}
	return mapping{Type: "value", Options: options}
}

// bySeverity shows the code of a severity by its name.
func bySeverity() mapping {
	options := map[string]any{}
	for i, s := range severities {
		options[s.code] = map[string]any{"text": s.name, "color": s.color, "index": i}
	}
	return mapping{Type: "value", Options: options}
}

// says shows a number as a word.
func says(number int, text, color string) mapping {
	return mapping{Type: "value", Options: map[string]any{strconv.Itoa(number): map[string]any{"text": text, "color": color, "index": 0}}}
}

// from gives thresholds: the first color, and others from their values on.
func from(first string, more ...step) *thresholds {
	return &thresholds{Mode: "absolute", Steps: append([]step{{Color: first}}, more...)}
}

func at(value float64, color string) step { return step{Color: color, Value: &value} }
