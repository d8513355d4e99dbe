package deploy

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"tocsin/rulestests/tools"
)

// TestRestrictedProfile: the Pods keep to the restricted Pod security standard, whatever the values
// (k8s.io/pod-security-admission, policy/check_*.go).
func TestRestrictedProfile(t *testing.T) {
	eachVariant(t, func(t *testing.T, _ string, all []*unstructured.Unstructured) {
		pod := workloadOf(t, all).template.Spec
		c := pod.Containers[0]
		switch s, p := c.SecurityContext, pod.SecurityContext; {
		case len(pod.Containers) != 1 || len(pod.InitContainers) > 0:
			t.Error("more than one container")
		case p == nil || s == nil:
			t.Error("no security context")
		case !ptr.Deref(p.RunAsNonRoot, false) || ptr.Deref(p.RunAsUser, 1) == 0:
			t.Error("may run as root")
		case p.SeccompProfile == nil || p.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault:
			t.Error("no seccomp profile")
		case ptr.Deref(s.AllowPrivilegeEscalation, true) || ptr.Deref(s.Privileged, false):
			t.Error("may gain privileges")
		case !ptr.Deref(s.ReadOnlyRootFilesystem, false):
			t.Error("may write to its root file system")
		case s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(s.Capabilities.Add) > 0:
			t.Error("has capabilities")
		case pod.HostNetwork || pod.HostPID || pod.HostIPC:
			t.Error("shares a namespace with its host")
		}
		for _, v := range pod.Volumes {
			if v.Secret == nil && v.ConfigMap == nil {
				t.Errorf("volume %s is neither a Secret's nor a ConfigMap's", v.Name)
			}
		}
	})
}

// TestFlags: tocsin takes the command line that each set of values comes to.
func TestFlags(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "tocsin")
	if err := tools.Build(context.Background(), bin, "./cmd/tocsin"); err != nil {
		t.Fatal(err)
	}
	eachVariant(t, func(t *testing.T, _ string, all []*unstructured.Unstructured) {
		c := workloadOf(t, all).template.Spec.Containers[0]
		// A kubelet puts the variable in; the last shard is the one that must not be too high.
		args := slices.Clone(c.Args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "$(SHARD)", strconv.Itoa(int(workloadOf(t, all).replicas)-1))
		}
		// A flag that cannot work without another is found last, when all others have been read, and before anything is done.
		const last = "--snapshot-time needs --snapshot"
		out, err := exec.Command(bin, append(args, "--snapshot-time=now")...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), last) {
			t.Errorf("tocsin %s: %s; want %q only", strings.Join(c.Args, " "), out, last)
		}
		for _, arg := range c.Args {
			file, found := strings.CutPrefix(arg, "--web.config.file=")
			if !found {
				file, found = strings.CutPrefix(arg, "--claims.rules-file=")
			}
			if found && !slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == filepath.Dir(file) }) {
				t.Errorf("%s: nothing is mounted there", arg)
			}
		}
	})
}

// TestSelectors: what selects the Pods does, in every kind of object that does.
func TestSelectors(t *testing.T) {
	eachVariant(t, func(t *testing.T, _ string, all []*unstructured.Unstructured) {
		w := workloadOf(t, all)
		pod := labels.Set(w.template.Labels)
		selectors := map[string]*metav1.LabelSelector{"workload": w.selector}
		for _, c := range w.template.Spec.TopologySpreadConstraints {
			selectors["topology spread over "+c.TopologyKey] = c.LabelSelector
		}
		for _, s := range of[corev1.Service](t, all, "Service") {
			selectors["Service "+s.Name] = &metav1.LabelSelector{MatchLabels: s.Spec.Selector}
			for _, p := range s.Spec.Ports {
				if p.Name != "http" || p.TargetPort.StrVal != w.template.Spec.Containers[0].Ports[0].Name {
					t.Errorf("the port of the Service %s is %v", s.Name, p)
				}
			}
			if len(s.Spec.Ports) != 1 && s.Spec.ClusterIP != corev1.ClusterIPNone {
				t.Errorf("the Service %s has %d ports", s.Name, len(s.Spec.Ports))
			}
		}
		if p := one[policyv1.PodDisruptionBudget](t, all, "PodDisruptionBudget"); p != nil {
			selectors["PodDisruptionBudget"] = p.Spec.Selector
		}
		if p := one[networkingv1.NetworkPolicy](t, all, "NetworkPolicy"); p != nil {
			selectors["NetworkPolicy"] = &p.Spec.PodSelector
		}
		for who, s := range selectors {
			selector, err := metav1.LabelSelectorAsSelector(s)
			if err != nil || selector.Empty() || !selector.Matches(pod) {
				t.Errorf("%s selects %v (%v): the Pods have %v", who, selector, err, pod)
			}
		}
		if pod["app.kubernetes.io/name"] != "tocsin" {
			t.Error("the Pods have not the label that the runbooks look for")
		}
	})
}

// TestMemoryLimit: the Go runtime is told of the limit, with room for what is not its heap.
func TestMemoryLimit(t *testing.T) {
	for values, want := range map[string]string{"{}": "$(MEMORY_LIMIT_MIB)000000", "resources: {limits: {memory: null, cpu: 1}}": ""} {
		c := workloadOf(t, chart(t, values)).template.Spec.Containers[0]
		got := ""
		for i, e := range c.Env {
			if e.Name != "GOMEMLIMIT" {
				continue
			}
			got = e.Value
			// A variable is put in only where it stands before the one that names it.
			if i == 0 || c.Env[i-1].Name != "MEMORY_LIMIT_MIB" || c.Env[i-1].ValueFrom.ResourceFieldRef.Resource != "limits.memory" ||
				c.Env[i-1].ValueFrom.ResourceFieldRef.Divisor.String() != "1Mi" {
				t.Errorf("%s: GOMEMLIMIT %s does not follow the limit in Mi", values, got)
			}
		}
		if got != want {
			t.Errorf("%s: GOMEMLIMIT %q, want %q", values, got, want)
		}
	}
}

// TestProbes: with a web configuration they have a port of their own, where a kubelet needs no password.
func TestProbes(t *testing.T) {
	for values, want := range map[string]string{
		"{}":                               "http 10227",
		"web: {config: {tls: true}}":       "http 10227", // nothing is configured
		"web: {config: {secretName: web}}": "probes 10228 --web.probe-address=:10228",
		"web: {config: {secretName: web, probePort: 10300}}": "probes 10300 --web.probe-address=:10300",
	} {
		c := workloadOf(t, chart(t, values)).template.Spec.Containers[0]
		for path, probe := range map[string]*corev1.Probe{"/livez": c.LivenessProbe, "/readyz": c.ReadinessProbe} {
			if probe.HTTPGet.Path != path || probe.HTTPGet.Scheme != "" {
				t.Errorf("%s: %v, want %s", values, probe.HTTPGet, path)
			}
			got := probe.HTTPGet.Port.StrVal
			for _, p := range c.Ports {
				if p.Name == got {
					got = fmt.Sprintf("%s %d", got, p.ContainerPort)
				}
			}
			if i := slices.IndexFunc(c.Args, func(arg string) bool { return strings.HasPrefix(arg, "--web.probe-address") }); i >= 0 {
				got += " " + c.Args[i]
			}
			if got != want {
				t.Errorf("%s: %s is asked at %q, want %q", values, path, got, want)
			}
		}
	}
}
