package dashboards

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"tocsin/rules"
)

var (
	legendLabel = regexp.MustCompile(`\{\{([a-z_]+)\}\}`)
	address     = regexp.MustCompile(`^/d/([a-z-]+)(?:\?(.*))?$`)
	kept        = regexp.MustCompile(`^\$\{([a-z]+):queryparam\}$`)
	fieldName   = regexp.MustCompile(`\$\{__data\.fields\.([^}]+)\}`)
	seriesLabel = regexp.MustCompile(`\$\{__field\.labels\.([^}]+)\}`)
)

func byUID(uid string) (dashboard, bool) {
	all := dashboards()
	i := slices.IndexFunc(all, func(d dashboard) bool { return d.UID == uid })
	if i < 0 {
		return dashboard{}, false
	}
	return all[i], true
}

func (d dashboard) hasVariable(name string) bool {
	return slices.ContainsFunc(d.Templating.List, func(v variable) bool { return v.Name == name })
}

// checkAddress: the dashboard is one of ours, and it has the variables that the address sets.
func checkAddress(t *testing.T, where, url string) {
	t.Helper()
	m := address.FindStringSubmatch(url)
	if m == nil {
		t.Errorf("%s: %q is no address of a dashboard", where, url)
		return
	}
	d, ok := byUID(m[1])
	if !ok {
		t.Errorf("%s: %q leads to the dashboard %s, which does not exist", where, url, m[1])
		return
	}
	for part := range strings.SplitSeq(m[2], "&") {
		name, ok := strings.CutPrefix(part, "var-")
		if k := kept.FindStringSubmatch(part); k != nil {
			name, ok = k[1], true
		}
		name, _, _ = strings.Cut(name, "=")
		if !ok && part != "" && part != "${__url_time_range}" {
			t.Errorf("%s: %q has %q, which Grafana does not know", where, url, part)
		}
		if ok && !d.hasVariable(name) {
			t.Errorf("%s: %q sets the variable %s, which %s does not have", where, url, name, d.UID)
		}
	}
}

// links gives those of a panel's values, titles and columns.
func (p panel) links(t *testing.T) []link {
	t.Helper()
	all := slices.Clone(p.FieldConfig.Defaults.Links)
	for _, o := range p.FieldConfig.Overrides {
		for _, property := range o.Properties {
			if links, ok := property.Value.([]link); ok {
				all = append(all, links...)
			}
		}
	}
	return all
}

// renamed gives a table's columns: their titles by the fields' names.
func (p panel) renamed() map[string]string {
	for _, t := range p.Transformations {
		if names, ok := t.Options["renameByName"].(map[string]string); ok {
			return names
		}
	}
	return nil
}

func TestLinksLeadSomewhere(t *testing.T) {
	for _, d := range dashboards() {
		for _, p := range d.allPanels() {
			where := fmt.Sprintf("dashboard %s, panel %q", d.UID, p.Title)
			var titles, legends []string
			for _, title := range p.renamed() {
				titles = append(titles, title)
			}
			for _, target := range p.Targets {
				for _, m := range legendLabel.FindAllStringSubmatch(target.LegendFormat, -1) {
					legends = append(legends, m[1])
				}
			}
			for _, l := range p.links(t) {
				if l.Title == "" {
					t.Errorf("%s: the link to %s has no title", where, l.URL)
				}
				for _, m := range fieldName.FindAllStringSubmatch(l.URL, -1) {
					if !slices.Contains(titles, m[1]) {
						t.Errorf("%s: %q names the column %s, which it does not have: %v", where, l.URL, m[1], titles)
					}
				}
				for _, m := range seriesLabel.FindAllStringSubmatch(l.Title+l.URL, -1) {
					if !slices.Contains(legends, m[1]) {
						t.Errorf("%s: %q names the label %s, which its legends %v do not", where, l.URL, m[1], legends)
					}
				}
				for part := range strings.SplitSeq(l.URL, "&") {
					if m := kept.FindStringSubmatch(part[strings.LastIndex(part, "?")+1:]); m != nil {
						if !d.hasVariable(m[1]) {
							t.Errorf("%s: %q keeps the variable %s, which the dashboard does not have", where, l.URL, m[1])
						}
					}
				}
				switch {
				case strings.HasPrefix(l.URL, rules.RunbookURL): // TestFindingsAreTheAlerts: each is called as an alert
				case strings.Contains(l.URL, "/d/${__data.fields.dashboard}"): // and leads to a dashboard
				default:
					checkAddress(t, where, l.URL)
				}
			}
		}
	}
}

// TestAlertsLeadToDashboards: dashboard_url of alerts with and without a cluster and an object.
func TestAlertsLeadToDashboards(t *testing.T) {
	alerts, err := rules.Alerts()
	if err != nil {
		t.Fatal(err)
	}
	object := map[string]string{"namespace": "shop", "cronjob": "sync-stock", "statefulset": "db", "node": "node-a", "claim_namespace": "shop"}
	inCluster := maps.Clone(object)
	inCluster["cluster"] = "east"
	for _, a := range alerts {
		url, err := template.New(a.Name).Option("missingkey=zero").Parse("{{ $labels := . }}" + a.Annotations["dashboard_url"])
		if err != nil {
			t.Errorf("alert %s: dashboard_url: %v", a.Name, err)
			continue
		}
		for _, labels := range []map[string]string{nil, {"cluster": "east"}, object, inCluster} {
			var got strings.Builder
			if err := url.Execute(&got, labels); err != nil {
				t.Errorf("alert %s: dashboard_url: %v", a.Name, err)
			}
			checkAddress(t, "alert "+a.Name, got.String())
			if labels["cluster"] != "" && !strings.Contains(got.String(), "var-cluster=east") {
				t.Errorf("alert %s: %q forgets the cluster", a.Name, &got)
			}
		}
	}
}

// TestJSONHasNoInputs: the files are loaded as they are, by a sidecar or by hand.
func TestJSONHasNoInputs(t *testing.T) {
	for _, d := range dashboards() {
		text, err := d.encode()
		if err != nil {
			t.Fatal(err)
		}
		var any map[string]any
		if err := json.Unmarshal(text, &any); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"__inputs", "__requires", "id", "version"} {
			if _, has := any[key]; has {
				t.Errorf("dashboard %s has %s", d.UID, key)
			}
		}
	}
}
