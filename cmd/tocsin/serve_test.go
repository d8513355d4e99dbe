package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"google.golang.org/protobuf/testing/protocmp"
)

func TestMain(m *testing.M) {
	silence()
	m.Run()
}

// output is what a command has written so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// server is a command that serves.
type server struct {
	address string
	stderr  *output
	stop    func()
	code    chan int
}

var listening = regexp.MustCompile(`msg="Listening on" address=(\S+)`)

// start runs a command until the test ends, and waits for it to listen.
func start(t *testing.T, args ...string) *server {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &server{stderr: &output{}, stop: stop, code: make(chan int, 1)}
	go func() { s.code <- execute(ctx, append(args, "--web.listen-address=127.0.0.1:0"), io.Discard, s.stderr) }()
	t.Cleanup(func() { stop(); s.code <- <-s.code })
	for s.address == "" {
		if m := listening.FindStringSubmatch(s.stderr.String()); m != nil {
			s.address = m[1]
			break
		}
		select {
		case code := <-s.code:
			s.code <- code
			t.Fatalf("exit status %d:\n%s", code, s.stderr)
		case <-time.After(5 * time.Millisecond):
		}
	}
	return s
}

// get gives the status and the body of an answer; headers are names and values in turn.
func get(t *testing.T, client *http.Client, url string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

const example = "../../deploy/example"

func TestPaths(t *testing.T) {
	s := start(t, "--snapshot", example, "--web.telemetry-path=/verdicts")
	for path, want := range map[string]struct {
		code int
		body string
	}{
		"/":           {200, `<a href="/verdicts">`},
		"/verdicts":   {200, "\ntocsin_source_up{"},
		"/livez":      {200, "ok\n"},
		"/readyz":     {200, "ok\n"},
		"/-/healthy":  {200, "ok\n"},
		"/-/ready":    {200, "ok\n"},
		"/metrics":    {404, ""},
		"/debug/vars": {404, ""},
	} {
		if code, body := get(t, http.DefaultClient, "http://"+s.address+path); code != want.code || !strings.Contains(body, want.body) {
			t.Errorf("%s: %d\n%s", path, code, body)
		}
		for _, method := range []string{http.MethodPost, http.MethodDelete} {
			r, _ := http.NewRequestWithContext(t.Context(), method, "http://"+s.address+path, strings.NewReader("x"))
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if want.code == 200 && answer.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %s", method, path, answer.Status)
			}
		}
	}
}

// verdicts decodes an exposition and leaves out what no two scrapes have alike.
func verdicts(t *testing.T, body string, format expfmt.Format) map[string]*dto.MetricFamily {
	t.Helper()
	families := map[string]*dto.MetricFamily{}
	for d := expfmt.NewDecoder(strings.NewReader(body), format); ; {
		mf := &dto.MetricFamily{}
		if err := d.Decode(mf); errors.Is(err, io.EOF) {
			return families
		} else if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(mf.GetName(), "tocsin_") && !regexp.MustCompile(`duration_seconds$|seconds_since`).MatchString(mf.GetName()) {
			families[mf.GetName()] = mf
		}
	}
}

func TestProtobufSaysWhatTextSays(t *testing.T) {
	s := start(t, "--snapshot", example)
	url := "http://" + s.address + "/metrics"
	proto := expfmt.NewFormat(expfmt.TypeProtoDelim)
	_, text := get(t, http.DefaultClient, url)
	_, binary := get(t, http.DefaultClient, url, "Accept", string(proto))
	want, got := verdicts(t, text, expfmt.NewFormat(expfmt.TypeTextPlain)), verdicts(t, binary, proto)
	if len(want) < 10 {
		t.Fatalf("families in the text: %d", len(want))
	}
	byName := protocmp.SortRepeated(func(a, b *dto.LabelPair) bool { return a.GetName() < b.GetName() })
	if diff := cmp.Diff(want, got, protocmp.Transform(), byName); diff != "" {
		t.Errorf("(-text +protobuf):\n%s", diff)
	}
}

func TestLists(t *testing.T) {
	tests := map[string]struct {
		args []string
		want func(string) bool
	}{
		"allow": {[]string{"--metric-allowlist=^tocsin_source_up$,_rollout_state"}, func(m string) bool {
			return m == "tocsin_source_up" || m == "tocsin_statefulset_rollout_state"
		}},
		"deny": {[]string{"--metric-denylist=tocsin_source_.*", "--metric-denylist", "daemonset"}, func(m string) bool {
			return !strings.HasPrefix(m, "tocsin_source_") && !strings.Contains(m, "daemonset")
		}},
	}
	all := start(t, "--snapshot", example)
	_, everything := get(t, http.DefaultClient, "http://"+all.address+"/metrics")
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := start(t, append(tt.args, "--snapshot", example)...)
			_, body := get(t, http.DefaultClient, "http://"+s.address+"/metrics")
			got := verdicts(t, body, expfmt.NewFormat(expfmt.TypeTextPlain))
			for m := range verdicts(t, everything, expfmt.NewFormat(expfmt.TypeTextPlain)) {
				if m == "tocsin_build_info" { // client_golang's, like those of the process
					continue
				}
				if (got[m] != nil) != tt.want(m) {
					t.Errorf("%s is there: %v", m, got[m] != nil)
				}
			}
		})
	}
}

// TestSnapshotTime reads the clock off the instant of the sources' last event.
func TestSnapshotTime(t *testing.T) {
	pod := write(t, "pod.yaml", podYAML)
	for flag, want := range map[string]string{
		"--snapshot-time=latest":                    "2026-05-05T12:00:00Z",
		"--snapshot-time=2026-05-06T01:02:03+02:00": "2026-05-05T23:02:03Z",
	} {
		t.Run(flag, func(t *testing.T) {
			s := start(t, "--snapshot", pod, flag)
			_, body := get(t, http.DefaultClient, "http://"+s.address+"/metrics")
			mf := verdicts(t, body, expfmt.NewFormat(expfmt.TypeTextPlain))["tocsin_source_last_event_timestamp_seconds"]
			at, _ := time.Parse(time.RFC3339, want)
			if got := mf.GetMetric()[0].GetGauge().GetValue() - float64(at.Unix()); got < 0 || got > 60 {
				t.Errorf("the clock is %v s after %s", got, want)
			}
		})
	}
}

// TestNamespaceThatTheSnapshotLacks has a name mistyped: nothing else would tell.
func TestNamespaceThatTheSnapshotLacks(t *testing.T) {
	s := start(t, "--snapshot", write(t, "pod.yaml", podYAML), "--namespace=shop", "--namespace=shopp")
	if got := s.stderr.String(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "namespace=shopp") {
		t.Errorf("not one warning:\n%s", got)
	}
}

// TestDeadAPIServer has a kubeconfig name an address where nobody listens.
func TestDeadAPIServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	s := start(t, "--kubeconfig", write(t, "kubeconfig", "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: \"http://"+
		l.Addr().String()+"\"}}]\ncontexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n"))
	url := "http://" + s.address
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		code, body := get(t, http.DefaultClient, url+"/readyz")
		if code != http.StatusServiceUnavailable || strings.Count(body, "\n") != 1 {
			t.Fatalf("/readyz: %d %q", code, body)
		}
		if strings.Contains(body, l.Addr().String()) && strings.Contains(body, "connection refused") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("/readyz does not say why: %q", body)
		}
	}
	if code, body := get(t, http.DefaultClient, url+"/metrics"); code != http.StatusServiceUnavailable || strings.Count(body, "\n") != 1 {
		t.Errorf("/metrics: %d %q", code, body)
	}
	if code, _ := get(t, http.DefaultClient, url+"/livez"); code != http.StatusOK {
		t.Errorf("/livez: %d", code)
	}
	if got := strings.Count(s.stderr.String(), "cannot be reached"); got != 1 {
		t.Errorf("told %d times:\n%s", got, s.stderr)
	}
}
