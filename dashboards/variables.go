package dashboards

import (
	"slices"
	"strings"

	"tocsin/rules"
)

var prometheus = datasource{Type: "prometheus", UID: "${datasource}"}

// anything is what a variable stands for when all is chosen. It matches a missing label too: clusters are told apart where they have a label.
const anything = ".*"

func datasourceVariable() variable {
	return variable{
		Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus", Refresh: 1,
		Description: "The Prometheus, Mimir, Thanos or VictoriaMetrics that scrapes Tocsin.",
		Current:     map[string]any{},
	}
}

// choice is a variable with the values of a label: some or all of them.
func choice(name, label, description, query string) variable {
	v := one(name, label, description, query)
	v.Multi, v.IncludeAll, v.AllValue = true, true, anything
	v.Current = map[string]any{"text": []string{"All"}, "value": []string{"$__all"}}
	return v
}

// one is a variable with the values of a label: one of them.
func one(name, label, description, query string) variable {
	return variable{
		Name: name, Label: label, Description: description, Type: "query", Datasource: &prometheus,
		Query: variableQuery{Query: query, RefID: "variable"}, Definition: query,
		Refresh: 2, // when the time range changes: workloads come and go
		Sort:    1, // by name
		Current: map[string]any{},
	}
}

func clusterVariable() variable {
	return choice("cluster", "Cluster", "Has choices only where series carry a label cluster.", "label_values(tocsin_build_info, cluster)")
}

// variables gives those that every dashboard about workloads has, with more behind them.
func variables(more ...variable) []variable {
	return append([]variable{
		datasourceVariable(), clusterVariable(),
		choice("namespace", "Namespace", "Narrows what belongs to a namespace; nodes and volumes do not.",
			`label_values({__name__=~"tocsin_(cronjob_info|job_state|statefulset_rollout_state|daemonset_info|persistentvolumeclaims)", cluster=~"$cluster"}, namespace)`),
	}, more...)
}

// alerts are those of Tocsin's rules.
type alerts []rules.Alert

// knownAlerts are all of them. The rules are embedded, and their own tests fail where they can't be read.
func knownAlerts() alerts {
	all, _ := rules.Alerts()
	return all
}

// of gives those of the groups.
func (a alerts) of(groups ...string) alerts {
	return slices.DeleteFunc(slices.Clone(a), func(r rules.Alert) bool { return !slices.Contains(groups, r.Group) })
}

// matcher picks the alerts among ALERTS.
func (a alerts) matcher() string {
	var names []string
	for _, r := range a {
		names = append(names, r.Name)
	}
	return `alertname=~"` + strings.Join(names, "|") + `"`
}

// alertAnnotations mark when the alerts begin to fire, by severity: the five minutes after that, as alerts that fire for days would shade all
// that is below them. Info is off until asked for.
func alertAnnotations(marked alerts, variables []variable) []annotation {
	filter := `cluster=~"$cluster"`
	if slices.ContainsFunc(variables, func(v variable) bool { return v.Name == "namespace" }) {
		filter += `, namespace=~"$namespace"`
	}
	var list []annotation
	for _, s := range severities {
		firing := func(offset string) string {
			return `max by (cluster, alertname, severity, namespace, cronjob, job_name, statefulset, daemonset, persistentvolumeclaim, persistentvolume, pod, node, resource, collector) (` +
				`ALERTS{` + marked.matcher() + `, alertstate="firing", severity="` + s.name + `", ` + filter + `}` + offset + `)`
		}
		list = append(list, annotation{
			Name:        s.title,
			Datasource:  prometheus,
			Enable:      s.name != "info",
			IconColor:   s.color,
			Expr:        firing("") + "\nunless " + firing(" offset 5m"),
			Step:        "60s",
			TitleFormat: "{{alertname}}",
			TextFormat: "{{cluster}} {{namespace}} {{cronjob}}{{job_name}}{{statefulset}}{{daemonset}}{{persistentvolumeclaim}}{{persistentvolume}} " +
				"{{pod}} {{node}}{{resource}}{{collector}}",
			TagKeys: "severity",
		})
	}
	return list
}

// to is the address of another dashboard that keeps the data source, the clusters and the time, with more of the query string behind it.
func to(uid string, more ...string) string {
	return "/d/" + uid + "?${datasource:queryparam}&${cluster:queryparam}&${__url_time_range}" + strings.Join(append([]string{""}, more...), "&")
}

// keepNamespace is for to, where the other dashboard has the variable as well.
const keepNamespace = "${namespace:queryparam}"
