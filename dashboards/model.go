package dashboards

// The types below are Grafana's classic dashboard model, as far as these dashboards use it: the field names are Grafana's.

type dashboard struct {
	UID                  string         `json:"uid"`
	Title                string         `json:"title"`
	Description          string         `json:"description"`
	Tags                 []string       `json:"tags"`
	Editable             bool           `json:"editable"`
	GraphTooltip         int            `json:"graphTooltip"`
	Refresh              string         `json:"refresh"`
	SchemaVersion        int            `json:"schemaVersion"`
	Time                 timeRange      `json:"time"`
	Timezone             string         `json:"timezone"`
	FiscalYearStartMonth int            `json:"fiscalYearStartMonth"`
	Links                []link         `json:"links"`
	Annotations          annotationList `json:"annotations"`
	Templating           templating     `json:"templating"`
	Panels               []panel        `json:"panels"`
}

type timeRange struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// link is one of a dashboard, of a panel or of a field.
type link struct {
	Title       string   `json:"title"`
	Type        string   `json:"type,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	IncludeVars bool     `json:"includeVars,omitempty"`
	KeepTime    bool     `json:"keepTime,omitempty"`
	URL         string   `json:"url,omitempty"`
	TargetBlank bool     `json:"targetBlank,omitempty"`
}

type annotationList struct {
	List []annotation `json:"list"`
}

type annotation struct {
	Name        string     `json:"name"`
	Datasource  datasource `json:"datasource"`
	Enable      bool       `json:"enable"`
	IconColor   string     `json:"iconColor"`
	Expr        string     `json:"expr"`
	Step        string     `json:"step"`
	TitleFormat string     `json:"titleFormat"`
	TextFormat  string     `json:"textFormat"`
	TagKeys     string     `json:"tagKeys"`
}

type datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

type templating struct {
	List []variable `json:"list"`
}

type variable struct {
	Name        string         `json:"name"`
	Label       string         `json:"label"`
	Description string         `json:"description,omitempty"`
	Type        string         `json:"type"`
	Datasource  *datasource    `json:"datasource,omitempty"`
	Query       any            `json:"query"`
	Definition  string         `json:"definition,omitempty"`
	Refresh     int            `json:"refresh"`
	Sort        int            `json:"sort,omitempty"`
	Multi       bool           `json:"multi,omitempty"`
	IncludeAll  bool           `json:"includeAll,omitempty"`
	AllValue    string         `json:"allValue,omitempty"`
	Current     map[string]any `json:"current"`
	Hide        int            `json:"hide"`
}

type variableQuery struct {
	Query string `json:"query"`
	RefID string `json:"refId"`
}

type panel struct {
	ID              int              `json:"id"`
	Type            string           `json:"type"`
	Title           string           `json:"title"`
	Description     string           `json:"description,omitempty"`
	GridPos         gridPos          `json:"gridPos"`
	Datasource      *datasource      `json:"datasource,omitempty"`
	Targets         []target         `json:"targets,omitempty"`
	Transformations []transformation `json:"transformations,omitempty"`
	FieldConfig     *fieldConfig     `json:"fieldConfig,omitempty"`
	Options         map[string]any   `json:"options,omitempty"`
	// Collapsed and Panels are a row's.
	Collapsed bool    `json:"collapsed,omitempty"`
	Panels    []panel `json:"panels,omitempty"`
}

type gridPos struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

type target struct {
	RefID        string     `json:"refId"`
	Datasource   datasource `json:"datasource"`
	Expr         string     `json:"expr"`
	Format       string     `json:"format"`
	Instant      bool       `json:"instant"`
	Range        bool       `json:"range"`
	LegendFormat string     `json:"legendFormat,omitempty"`
}

type transformation struct {
	ID      string         `json:"id"`
	Options map[string]any `json:"options"`
}

type fieldConfig struct {
	Defaults  field      `json:"defaults"`
	Overrides []override `json:"overrides"`
}

type field struct {
	Unit        string         `json:"unit,omitempty"`
	Decimals    *int           `json:"decimals,omitempty"`
	Min         *float64       `json:"min,omitempty"`
	Max         *float64       `json:"max,omitempty"`
	NoValue     string         `json:"noValue,omitempty"`
	Color       map[string]any `json:"color,omitempty"`
	Thresholds  *thresholds    `json:"thresholds,omitempty"`
	Mappings    []mapping      `json:"mappings"`
	Links       []link         `json:"links,omitempty"`
	Custom      map[string]any `json:"custom,omitempty"`
	DisplayName string         `json:"displayName,omitempty"`
}

type thresholds struct {
	Mode  string `json:"mode"`
	Steps []step `json:"steps"`
}

// step of a threshold: the color from this value on. The first has none.
type step struct {
	Color string   `json:"color"`
	Value *float64 `json:"value"`
}

type mapping struct {
	Type    string         `json:"type"`
	Options map[string]any `json:"options"`
}

type override struct {
	Matcher    matcher    `json:"matcher"`
	Properties []property `json:"properties"`
}

type matcher struct {
	ID      string `json:"id"`
	Options string `json:"options"`
}

type property struct {
	ID    string `json:"id"`
	Value any    `json:"value"`
}
