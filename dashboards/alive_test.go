package dashboards

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/prometheus/model/labels"

	"tocsin/collectors"
	"tocsin/rules"
)

// notInSample are the queries that find nothing in the sample cluster, and why that is right. They find something in testdata/trouble.prom.
var notInSample = map[string]string{
	"tocsin-overview/What needs attention/itself":    "Tocsin knows every source of a snapshot",
	"tocsin-overview/In trouble over time/failing":   "the only run that failed was followed by one that did not",
	"tocsin-statefulsets/Promises not kept/A":        "its Services and claims are as they should be",
	"tocsin-statefulsets/Volumes out of reach/A":     "every node that a volume is on exists",
	"tocsin-itself/What is wrong with Tocsin/itself": "Tocsin knows every source of a snapshot",
	"tocsin-itself/Not judged/A":                     "nothing is ignored, and no annotation is invalid",
}

// filled gives every query of the dashboards in a world, and for the dashboard of one CronJob those for each that its variable offers.
func filled(t *testing.T, w *world, values map[string]string) []Query {
	t.Helper()
	all := slices.DeleteFunc(Queries(w.now, values), func(q Query) bool { return q.Dashboard == cronJobUID })
	for _, name := range w.values(t, "tocsin_cronjob_info", "cronjob") {
		values = maps.Clone(values)
		values["cronjob"] = name
		all = append(all, slices.DeleteFunc(Queries(w.now, values), func(q Query) bool { return q.Dashboard != cronJobUID })...)
	}
	return all
}

func (q Query) key() string { return q.Dashboard + "/" + q.Panel + "/" + q.RefID }

// answers gives what all queries find, by dashboard, panel and refId.
func answers(t *testing.T, w *world, values map[string]string) map[string][]row {
	t.Helper()
	all := map[string][]row{}
	for _, q := range filled(t, w, values) {
		found := w.found(t, q)
		for _, name := range slices.Sorted(maps.Keys(found)) {
			all[q.key()] = append(all[q.key()], found[name])
		}
	}
	return all
}

// TestNoPanelIsDead: in the sample cluster each query finds something, but for those that rightly don't; and those do in trouble.
func TestNoPanelIsDead(t *testing.T) {
	w, other := sampled(t, alone), inTrouble(t, alone)
	inSample, inOther := answers(t, w, map[string]string{}), answers(t, other, map[string]string{})
	known := map[string]bool{}
	for _, q := range filled(t, w, map[string]string{}) {
		key := q.key()
		reason, listed := notInSample[key]
		known[key] = true
		switch {
		case len(inSample[key]) > 0 && listed:
			t.Errorf("%s finds something in the sample, and notInSample says that it doesn't: %s", key, reason)
		case len(inSample[key]) == 0 && !listed:
			t.Errorf("%s finds nothing in the sample:\n%s", key, q.Expr)
		case listed && len(inOther[key]) == 0:
			t.Errorf("%s finds nothing in testdata/trouble.prom either:\n%s", key, q.Expr)
		}
	}
	for key := range notInSample {
		if !known[key] {
			t.Errorf("notInSample lists %s, which is no query of a dashboard", key)
		}
	}
}

// TestColumnsAreLabels: each column of a table that is a label, and each label that a legend names, is there in what the queries find, but
// for the cluster; and no label is found that has no column.
func TestColumnsAreLabels(t *testing.T) {
	both := answers(t, sampled(t, alone), map[string]string{})
	for key, rows := range answers(t, inTrouble(t, alone), map[string]string{}) {
		both[key] = append(both[key], rows...)
	}
	for _, d := range dashboards() {
		for _, p := range d.allPanels() {
			var have, want []string
			for _, target := range p.Targets {
				for _, r := range both[d.UID+"/"+p.Title+"/"+target.RefID] {
					r.labels.Range(func(l labels.Label) { have = append(have, l.Name) })
				}
				for _, m := range legendLabel.FindAllStringSubmatch(target.LegendFormat, -1) {
					want = append(want, m[1])
				}
			}
			if p.Type == "table" {
				for name := range p.renamed() {
					if !strings.HasPrefix(name, "Value") && name != "For" {
						want = append(want, name)
					}
				}
			}
			where := fmt.Sprintf("dashboard %s, panel %q", d.UID, p.Title)
			for _, name := range want {
				if name != "cluster" && !slices.Contains(have, name) {
					t.Errorf("%s shows the label %s, which nothing has: there are %v", where, name, sortedSet(have))
				}
			}
			for _, name := range sortedSet(have) {
				if p.Type == "table" && !slices.Contains(want, name) {
					t.Errorf("%s has no column for the label %s", where, name)
				}
			}
		}
	}
}

// perExporter are the panels about the exporters themselves or about their series, of which two are twice as many.
var perExporter = []string{
	"tocsin-itself/Exporters/A", "tocsin-itself/Versions/A", "tocsin-itself/Duration of a scrape/A", "tocsin-itself/Series/A", "tocsin-itself/CPU/A",
	"tocsin-itself/Memory/resident", "tocsin-itself/Memory/heap", "tocsin-itself/Labels renamed/A",
}

// measured are the panels about what the tests' own machine does, which is never twice the same.
var measured = append([]string{"tocsin-itself/Duration by collector/A"}, perExporter...)

// TestReplicasCountOnceAndShardsAddUp: exporters that say the same change no number, and shards say together what one exporter says of all.
func TestReplicasCountOnceAndShardsAddUp(t *testing.T) {
	sample := func(t *testing.T, a arrangement) *world { return sampled(t, a) }
	for name, of := range map[string]func(*testing.T, arrangement) *world{"sample": sample, "trouble": inTrouble} {
		one := answers(t, of(t, alone), map[string]string{})
		for _, a := range []arrangement{{1, 2}, {3, 1}, {3, 2}} {
			t.Run(fmt.Sprintf("%s, %d shards, %d replicas", name, a.shards, a.replicas), func(t *testing.T) {
				several, exporters := answers(t, of(t, a), map[string]string{}), a.shards*a.replicas
				for _, key := range sortedSet(slices.Concat(slices.Collect(maps.Keys(one)), slices.Collect(maps.Keys(several)))) {
					want, got := one[key], several[key]
					if slices.Contains(perExporter, key) {
						value := len(want) == 1 && len(got) == 1 && got[0].value == float64(exporters)*want[0].value
						if len(got) != exporters*len(want) && !value {
							t.Errorf("%s is listed as being about exporters, and of %d it does not say so many times as much", key, exporters)
						}
						continue
					}
					if slices.Contains(measured, key) {
						continue
					}
					if diff := cmp.Diff(texts(want, false), texts(got, false)); diff != "" {
						t.Errorf("%s: these exporters (+) say something else than one (-):\n%s", key, diff)
					}
				}
			})
		}
	}
}

// TestTroubleAddsUp: testdata/trouble.prom has something of each family that adds up, or its shards could say nothing wrong.
func TestTroubleAddsUp(t *testing.T) {
	w := inTrouble(t, alone)
	for _, f := range collectors.AddUp() {
		if len(w.instant(t, f.Name+" > 0")) == 0 {
			t.Errorf("testdata/trouble.prom has no %s above 0", f.Name)
		}
	}
}

// TestClustersAreToldApart: with a label cluster, one that is chosen is shown as if it were the only one, and two are shown both.
func TestClustersAreToldApart(t *testing.T) {
	only := answers(t, sampled(t, alone), map[string]string{})
	w := sampled(t, alone, "cluster", "east")
	for _, e := range sampled(t, alone, "cluster", "west").series {
		w.series[e.labels.String()] = e
	}
	if got := w.values(t, "tocsin_build_info", "cluster"); !slices.Equal(got, []string{"east", "west"}) {
		t.Fatalf("the variable cluster offers %q", got)
	}
	chosen, all := answers(t, w, map[string]string{"cluster": "east"}), answers(t, w, map[string]string{})
	for key, want := range only {
		if slices.Contains(measured, key) {
			continue
		}
		if diff := cmp.Diff(texts(want, true), texts(chosen[key], true)); diff != "" {
			t.Errorf("%s: one of two clusters (+) is not shown as the only one (-):\n%s", key, diff)
		}
		both, east, west := all[key], 0, 0
		for _, r := range both {
			switch r.labels.Get("cluster") {
			case "east":
				east++
			case "west":
				west++
			}
		}
		if east != west || east > 0 && east != len(want) && !strings.Contains(key, "Next runs") {
			t.Errorf("%s: of two clusters, the one is shown %d times and the other %d times, and %d times where it is alone", key, east, west, len(want))
		}
	}
}

func texts(rows []row, dropCluster bool) []string {
	var all []string
	for _, r := range rows {
		l := r.labels
		if dropCluster {
			l = labels.NewBuilder(l).Del("cluster").Labels()
		}
		all = append(all, fmt.Sprintf("%s %.6g", l, r.value))
	}
	slices.Sort(all)
	return all
}

// withoutFinding are the alerts that are about no object that a table could have a row for.
var withoutFinding = map[string]string{
	"CronJobsNotScheduled": "is about all CronJobs of a cluster: each of them is a finding",
	"TocsinDown":           "is about what is not there: stats say so",
	"TocsinLabelsRenamed":  "is about a scrape job: a stat of the dashboard about Tocsin says so",
}

// TestFindingsAreTheAlerts: where the time that an alert waits for is left out, findings and alerts say the same of the same objects, and
// as loudly.
func TestFindingsAreTheAlerts(t *testing.T) {
	seen := map[string]bool{}
	for name, w := range map[string]*world{"sample": sampled(t, alone), "trouble": inTrouble(t, alone)} {
		var alerts, findings []string
		for _, s := range w.instant(t, "ALERTS") {
			l := s.Metric
			if _, none := withoutFinding[l.Get("alertname")]; none {
				continue
			}
			alerts = append(alerts, fmt.Sprint(l.Get("alertname"), " ", l.Get("severity"), " ", l.Get("namespace"), " ", objectOf(l)))
		}
		for key, rows := range answers(t, w, map[string]string{}) {
			if !strings.HasPrefix(key, "tocsin-overview/What needs attention/") {
				continue
			}
			for _, r := range rows {
				l := r.labels
				seen[l.Get("alert")] = true
				_, object, cut := strings.Cut(l.Get("object"), "/")
				if !cut {
					object = l.Get("object")
				}
				findings = append(findings, fmt.Sprint(l.Get("alert"), " ", severityOf(l.Get("severity")), " ", l.Get("namespace"), " ", object))
				if l.Get("next") == "" || strings.Contains(l.Get("next"), "$") || l.Get("reason") == "" {
					t.Errorf("%s: a finding lacks its reason or its next step: %s", name, l)
				}
				checkAddress(t, "finding "+l.Get("alert"), "/d/"+l.Get("dashboard"))
			}
		}
		sorted := cmpopts.SortSlices(strings.Compare)
		if diff := cmp.Diff(slices.Compact(slices.Sorted(slices.Values(alerts))), slices.Compact(slices.Sorted(slices.Values(findings))), sorted); diff != "" {
			t.Errorf("%s: the findings (+) are not the alerts (-):\n%s", name, diff)
		}
	}
	all, err := rules.Alerts()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if _, none := withoutFinding[a.Name]; none == seen[a.Name] {
			t.Errorf("alert %s: is among withoutFinding: %t, was found: %t", a.Name, none, seen[a.Name])
		}
	}
}

func objectOf(l labels.Labels) string {
	for _, name := range []string{"cronjob", "job_name", "statefulset", "daemonset", "persistentvolumeclaim", "persistentvolume", "pod", "node", "resource",
		"collector"} {
		if v := l.Get(name); v != "" {
			return v
		}
	}
	return ""
}

func severityOf(code string) string {
	for _, s := range severities {
		if s.code == code {
			return s.name
		}
	}
	return code
}

func sortedSet(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
