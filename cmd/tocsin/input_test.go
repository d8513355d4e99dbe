package main

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tocsin/collectors"
)

// write makes a file and gives its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const podYAML = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, creationTimestamp: "2026-05-05T12:00:00Z"}
`

// TestBadInput has each fault told in exactly one line that names it, with exit status 1 and before anything is served. The context
// ends a command that serves all the same.
func TestBadInput(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	pod := write(t, "pod.yaml", podYAML)
	cluster := func(server, more string) string {
		return write(t, "kubeconfig", "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: \""+server+"\""+more+
			"}}]\ncontexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n")
	}
	none := []string{"--snapshot", pod}
	for _, e := range collectors.Table() {
		none = append(none, "--no-collector."+e.Name)
	}
	tests := map[string]struct {
		args []string
		want string // in the line
	}{
		"unknown flag":             {[]string{"--snapshots", pod}, "--snapshots"},
		"argument":                 {[]string{"serve"}, "serve"},
		"flag without value":       {[]string{"--snapshot"}, "--snapshot"},
		"unknown collector":        {[]string{"--no-collector.pods"}, "collector.pods"},
		"no collector":             {none, "every collector"},
		"wrong duration":           {[]string{"--start-grace=soon"}, `--start-grace "soon"`},
		"negative duration":        {[]string{"--rollout-deadline=-1m"}, `--rollout-deadline "-1m"`},
		"duration without unit":    {[]string{"--rollout-deadline=10"}, `--rollout-deadline "10"`},
		"negative cap":             {[]string{"--max-series-per-metric=-1"}, `--max-series-per-metric "-1"`},
		"cap that is no number":    {[]string{"--max-series-per-metric=many"}, `--max-series-per-metric "many"`},
		"negative max requests":    {[]string{"--web.max-requests=-3"}, `--web.max-requests "-3"`},
		"negative shard":           {[]string{"--shard=-1"}, `--shard "-1"`},
		"no shards":                {[]string{"--snapshot", pod, "--total-shards=0"}, "--total-shards 0: at least 1"},
		"shard of one":             {[]string{"--snapshot", pod, "--shard=1"}, "--shard 1 needs --total-shards"},
		"shard too high":           {[]string{"--snapshot", pod, "--shard=3", "--total-shards=3"}, "--shard 3: of --total-shards 3 the last is 2"},
		"malformed zone":           {[]string{"--default-timezone=Europe/Pariss"}, "Europe/Pariss"},
		"the machine's own zone":   {[]string{"--default-timezone=Local"}, "Local"},
		"log level":                {[]string{"--log.level=loud"}, `--log.level "loud": none of debug`},
		"log format":               {[]string{"--log.format=xml"}, `--log.format "xml": none of logfmt`},
		"telemetry path":           {[]string{"--snapshot", pod, "--web.telemetry-path=metrics"}, `--web.telemetry-path "metrics"`},
		"telemetry path is taken":  {[]string{"--snapshot", pod, "--web.telemetry-path=/readyz"}, `--web.telemetry-path "/readyz"`},
		"telemetry path, pattern":  {[]string{"--snapshot", pod, "--web.telemetry-path=/{x}"}, `--web.telemetry-path "/{x}"`},
		"telemetry path, upwards":  {[]string{"--snapshot", pod, "--web.telemetry-path=/m/../y"}, `--web.telemetry-path "/m/../y"`},
		"telemetry path, dot":      {[]string{"--snapshot", pod, "--web.telemetry-path=/./x"}, `--web.telemetry-path "/./x"`},
		"telemetry path, dots":     {[]string{"--snapshot", pod, "--web.telemetry-path=/a/.."}, `--web.telemetry-path "/a/.."`},
		"telemetry path, query":    {[]string{"--snapshot", pod, "--web.telemetry-path=/m?x"}, `--web.telemetry-path "/m?x"`},
		"telemetry path, fragment": {[]string{"--snapshot", pod, "--web.telemetry-path=/m#x"}, `--web.telemetry-path "/m#x"`},
		"telemetry path, escape":   {[]string{"--snapshot", pod, "--web.telemetry-path=/m%zz"}, `--web.telemetry-path "/m%zz"`},
		"telemetry path, slash":    {[]string{"--snapshot", pod, "--web.telemetry-path=/m/"}, `--web.telemetry-path "/m/"`},
		"telemetry path, no text":  {[]string{"--snapshot", pod, "--web.telemetry-path=/\xff"}, `--web.telemetry-path "/\xff"`},
		"telemetry path, empty":    {[]string{"--snapshot", pod, "--web.telemetry-path="}, `--web.telemetry-path ""`},
		"telemetry path, landing":  {[]string{"--snapshot", pod, "--web.telemetry-path=/"}, `--web.telemetry-path "/": taken`},
		"telemetry path, healthy":  {[]string{"--snapshot", pod, "--web.telemetry-path=/-/healthy"}, `"/-/healthy": taken`},
		"snapshot and kubeconfig":  {[]string{"--snapshot", pod, "--kubeconfig", "k"}, "--kubeconfig and --snapshot"},
		"time without snapshot":    {[]string{"--snapshot-time=now"}, "--snapshot-time needs --snapshot"},
		"lenient without snapshot": {[]string{"--snapshot-lenient"}, "--snapshot-lenient needs --snapshot"},
		"snapshot time":            {[]string{"--snapshot", pod, "--snapshot-time=2026-05-05"}, `--snapshot-time "2026-05-05"`},
		"namespace both ways":      {[]string{"--snapshot", pod, "--namespace=a", "--namespace-exclude=a"}, `namespace "a"`},
		"namespace without name":   {[]string{"--snapshot", pod, "--namespace="}, "--namespace"},
		"namespaces in one flag":   {[]string{"--snapshot", pod, "--namespace=a,b"}, `--namespace "a,b": takes one name: repeat the flag`},
		"namespace, upper case":    {[]string{"--snapshot", pod, "--namespace=Not_A_NS"}, `--namespace "Not_A_NS"`},
		"namespace, path":          {[]string{"--snapshot", pod, "--namespace-exclude=../x"}, `--namespace-exclude "../x"`},
		"namespace, no text":       {[]string{"--snapshot", pod, "--namespace-exclude=\xff"}, `--namespace-exclude "\xff"`},
		"namespace, too long":      {[]string{"--snapshot", pod, "--namespace=" + strings.Repeat("a", 9999)}, `--namespace "aaa`},
		"both lists":               {[]string{"--snapshot", pod, "--metric-allowlist=a", "--metric-denylist=b"}, "--metric-allowlist and --metric-denylist"},
		"list that is no regex":    {[]string{"--snapshot", pod, "--metric-denylist=tocsin_(.*"}, "error: --metric-denylist: "},
		"allowlist, no regex":      {[]string{"--snapshot", pod, "--metric-allowlist=("}, "error: --metric-allowlist: "},
		"allowlist, no long regex": {[]string{"--snapshot", pod, "--metric-allowlist=" + strings.Repeat("(", 9999)}, "error: --metric-allowlist: "},
		"no such snapshot":         {[]string{"--snapshot", "/no/such/file"}, "/no/such/file"},
		"empty snapshot":           {[]string{"--snapshot", write(t, "empty.yaml", "")}, "empty.yaml"},
		"empty directory":          {[]string{"--snapshot", t.TempDir()}, "snapshot"},
		"snapshot of another kind": {[]string{"--snapshot", write(t, "config.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")}, "config.yaml"},
		"snapshot that is no YAML": {[]string{"--snapshot", write(t, "broken.yaml", podYAML+"---\n{broken: [\n")}, "broken.yaml"},
		"no such kubeconfig":       {[]string{"--kubeconfig", "/no/such/config"}, "--kubeconfig /no/such/config"},
		"kubeconfig is a folder":   {[]string{"--kubeconfig", t.TempDir()}, "--kubeconfig /"},
		"malformed kubeconfig":     {[]string{"--kubeconfig", write(t, "bad-kubeconfig", "clusters: {{\n")}, "bad-kubeconfig"},
		"empty kubeconfig":         {[]string{"--kubeconfig", write(t, "empty-kubeconfig", "")}, "empty-kubeconfig: names no cluster"},
		"no current-context":       {[]string{"--kubeconfig", write(t, "undecided", "clusters: [{name: c, cluster: {server: \"http://[::1]\"}}]\n")}, "undecided: has no current-context"},
		"no such current-context":  {[]string{"--kubeconfig", write(t, "lost", "clusters: [{name: c, cluster: {server: \"http://[::1]\"}}]\ncurrent-context: away\n")}, "away"},
		"kubeconfig, relative CA":  {[]string{"--kubeconfig", cluster("https://127.0.0.1:1", ", certificate-authority: ca.crt")}, "/ca.crt"},
		"kubeconfig without CA":    {[]string{"--kubeconfig", cluster("https://127.0.0.1:1", ", certificate-authority: /no/such/ca")}, "/no/such/ca"},
		"kubeconfig, server":       {[]string{"--kubeconfig", cluster("http://[::1", "")}, "kubeconfig"},
		"no cluster":               {nil, "give --kubeconfig or --snapshot"},
		"port in use":              {[]string{"--snapshot", pod, "--web.listen-address", taken.Addr().String()}, taken.Addr().String()},
		"listen address":           {[]string{"--snapshot", pod, "--web.listen-address", "127.0.0.1"}, `--web.listen-address "127.0.0.1"`},
		"listen address, empty":    {[]string{"--snapshot", pod, "--web.listen-address="}, `--web.listen-address ""`},
		"listen address, no port":  {[]string{"--snapshot", pod, "--web.listen-address=127.0.0.1:"}, `--web.listen-address "127.0.0.1:"`},
		"long name of a flag":      {[]string{"--" + strings.Repeat("x ", 9999)}, "--x"},
		"long name of a file":      {[]string{"--snapshot", "/" + strings.Repeat("x", 3999)}, "/xxx"},
		"file's name in colors":    {[]string{"--snapshot", "/\x1b[31m"}, "[31m: no such file"},
		"no such web config":       {[]string{"--snapshot", pod, "--web.config.file", "/no/such/web.yaml"}, "/no/such/web.yaml"},
		"typo in web config":       {[]string{"--snapshot", pod, "--web.config.file", write(t, "web.yaml", "basic_auth_user: {a: b}\n")}, "web.yaml"},
		"web config, certificate":  {[]string{"--snapshot", pod, "--web.config.file", write(t, "tls.yaml", "tls_server_config: {cert_file: no.crt, key_file: no.key}\n")}, "no.crt"},
		"no such claim rules":      {[]string{"--snapshot", pod, "--claims.rules-file", "/no/such/rules.yaml"}, "--claims.rules-file"},
		"faults in claim rules":    {[]string{"--snapshot", pod, "--claims.rules-file", write(t, "rules.yaml", "reference: []\nspare: 3\n")}, "rules.yaml"},
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			args := tt.args
			if !strings.Contains(strings.Join(args, " "), "--web.listen-address") {
				args = append(args, "--web.listen-address=127.0.0.1:0")
			}
			var stderr strings.Builder
			code := execute(ctx, args, io.Discard, &stderr)
			if ctx.Err() != nil {
				t.Fatalf("it served; stderr:\n%s", stderr.String())
			}
			if code != 1 {
				t.Errorf("exit status %d", code)
			}
			if got := stderr.String(); len(got) > 800 || strings.Contains(got, "\x1b") || strings.Contains(got, "KUBERNETES_MASTER") {
				t.Errorf("stderr has %d bytes:\n%s", len(got), got)
			}
			if got := stderr.String(); strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "\n") || !strings.Contains(got, tt.want) {
				t.Errorf("stderr is not one line with %q:\n%s", tt.want, got)
			}
		})
	}
}

func TestHelpAndVersionGoToStdout(t *testing.T) {
	for flag, want := range map[string]string{"--help": "--snapshot=PATH", "--version": "tocsin, version"} {
		t.Run(flag, func(t *testing.T) {
			var stdout, stderr strings.Builder
			if code := execute(t.Context(), []string{flag}, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
				t.Errorf("exit status %d, stderr %q", code, stderr.String())
			}
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("no %q in\n%s", want, stdout.String())
			}
		})
	}
}
