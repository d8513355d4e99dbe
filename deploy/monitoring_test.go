package deploy

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	corev1 "k8s.io/api/core/v1"
)

const operatorValues = "serviceMonitor: {enabled: true}"

// TestServiceMonitor: our series keep their labels, and the target's are gone.
func TestServiceMonitor(t *testing.T) {
	all := chart(t, operatorValues)
	monitor, service := one[monitoringv1.ServiceMonitor](t, all, "ServiceMonitor"), one[corev1.Service](t, all, "Service")
	e := monitor.Spec.Endpoints[0]
	if !e.HonorLabels {
		t.Error("honorLabels is off: the target's namespace would hide ours")
	}
	if e.Port != service.Spec.Ports[0].Name {
		t.Errorf("port %s, the Service's is %s", e.Port, service.Spec.Ports[0].Name)
	}
	if drop := e.RelabelConfigs[0]; drop.Action != "labeldrop" || drop.Regex != "(namespace|pod|service|endpoint|container)" {
		t.Errorf("the target's labels are not dropped: %v", drop)
	}
	for key, value := range monitor.Spec.Selector.MatchLabels {
		if service.Labels[key] != value {
			t.Errorf("selects Services with %s=%s; ours has %v", key, value, service.Labels)
		}
	}
	if service.Labels[monitor.Spec.JobLabel] != "tocsin" {
		t.Errorf("the label job would be %q", service.Labels[monitor.Spec.JobLabel])
	}
}

// TestKubePrometheusStack: one value brings what that stack selects by default: the label release, and the sidecar's label.
func TestKubePrometheusStack(t *testing.T) {
	all := chart(t, "kubePrometheusStack: prom")
	if m := one[monitoringv1.ServiceMonitor](t, all, "ServiceMonitor"); m == nil || m.Labels["release"] != "prom" {
		t.Errorf("ServiceMonitor %v", m)
	}
	rules := of[monitoringv1.PrometheusRule](t, all, "PrometheusRule")
	if len(rules) == 0 {
		t.Error("no PrometheusRule")
	}
	for _, r := range rules {
		if r.Labels["release"] != "prom" {
			t.Errorf("PrometheusRule %s: labels %v", r.Name, r.Labels)
		}
	}
	dashboards := of[corev1.ConfigMap](t, all, "ConfigMap")
	if len(dashboards) == 0 {
		t.Error("no dashboard")
	}
	for _, d := range dashboards {
		if d.Labels["grafana_dashboard"] != "1" || d.Labels["release"] != "" {
			t.Errorf("ConfigMap %s: labels %v", d.Name, d.Labels)
		}
	}
}

// TestDashboardsAreThoseOfDashboards: byte by byte, one to a ConfigMap.
func TestDashboardsAreThoseOfDashboards(t *testing.T) {
	got := map[string]string{}
	for _, c := range of[corev1.ConfigMap](t, chart(t, "dashboards: {enabled: true}"), "ConfigMap") {
		if len(c.Data) != 1 {
			t.Errorf("%s holds %d files", c.Name, len(c.Data))
		}
		maps.Copy(got, c.Data)
	}
	want := contents(t, dashboardFiles, "*.json")
	if len(got) != len(want) {
		t.Errorf("%d dashboards, want %d", len(got), len(want))
	}
	for name, text := range want {
		if got[name] != strings.TrimSuffix(string(text), "\n") || !json.Valid([]byte(got[name])) {
			t.Errorf("%s is not that of dashboards/", name)
		}
	}
}

// TestNotes: what is said after an installation names what is there, with commands that name it.
func TestNotes(t *testing.T) {
	helm := tool(t, "helm", "chart")
	for values, want := range map[string][]string{
		"{}":                        {"kubectl -n tocsin rollout status deployment/tocsin", "curl -s http://localhost:10227/metrics", "--set kubePrometheusStack=", "honor_labels: true"},
		"kubePrometheusStack: prom": {"ServiceMonitor tocsin/tocsin", "get prometheusrules", "search for Tocsin"},
		"{serviceMonitor: {enabled: true, namespace: monitoring}, fullnameOverride: watcher}": {"kubectl -n monitoring get servicemonitor watcher", "deployment/watcher"},
		"web: {telemetryPath: /m, config: {secretName: web, tls: true}}":                      {"curl -sk https://localhost:10227/m ", "client certificate"},
		"{rbac: {scope: namespaces}, namespaces: [shop, data]}":                               {"shop, data", "neither nodes nor volumes"},
		"shards: 3": {"rollout status statefulset/tocsin", "What one of its 3 shards has found", "port-forward statefulset/tocsin"},
	} {
		cmd := exec.Command(helm, "install", Release, "chart", "--namespace", Namespace, "--dry-run=client", "--values", "-")
		cmd.Stdin = strings.NewReader(values)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", values, err)
		}
		_, notes, _ := bytes.Cut(out, []byte("NOTES:\n"))
		for _, text := range want {
			if !bytes.Contains(notes, []byte(text)) {
				t.Errorf("%s: the notes do not say %q:\n%s", values, text, notes)
			}
		}
		if i := slices.IndexFunc(strings.Split(string(notes), "\n"), func(l string) bool { return len(l) > 170 }); i >= 0 {
			t.Errorf("%s: line %d of the notes is too long", values, i+1)
		}
	}
}
