package exposition

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"google.golang.org/protobuf/testing/protocmp"
)

func handler(gather func(*Gathering), change ...func(*HandlerOptions)) *Handler {
	others := prometheus.NewRegistry()
	others.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "process_things_total", Help: "Things."}, func() float64 { return 7 }))
	o := HandlerOptions{
		New: func() *Gathering { return NewGathering(0, nil) }, Gather: gather, Others: others,
		Waiting: func() string { return "" }, Logger: slog.New(slog.DiscardHandler),
	}
	for _, c := range change {
		c(&o)
	}
	return NewHandler(o)
}

func scrape(h http.Handler, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func fill(g *Gathering) {
	s := sample()
	for _, r := range s.sorted() {
		for _, v := range r.rows {
			g.Write(r.family, v.value, Labels{v.object}, Labels{v.rest})
		}
	}
}

// decode reads families in any of expfmt's formats.
func decode(t *testing.T, body io.Reader, format expfmt.Format) map[string]*dto.MetricFamily {
	t.Helper()
	families := map[string]*dto.MetricFamily{}
	for d := expfmt.NewDecoder(body, format); ; {
		mf := &dto.MetricFamily{}
		if err := d.Decode(mf); errors.Is(err, io.EOF) {
			return families
		} else if err != nil {
			t.Fatal(err)
		}
		for _, m := range mf.Metric {
			slices.SortFunc(m.Label, func(a, b *dto.LabelPair) int { return strings.Compare(a.GetName(), b.GetName()) })
		}
		families[mf.GetName()] = mf
	}
}

func TestProtobufSaysWhatTextSays(t *testing.T) {
	h := handler(fill)
	text := scrape(h)
	proto := scrape(h, "Accept", string(expfmt.NewFormat(expfmt.TypeProtoDelim)))
	if got := proto.Header().Get("Content-Type"); !strings.HasPrefix(got, "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited") {
		t.Fatalf("Content-Type %q", got)
	}
	want := decode(t, text.Body, expfmt.NewFormat(expfmt.TypeTextPlain))
	got := decode(t, proto.Body, expfmt.NewFormat(expfmt.TypeProtoDelim))
	if len(want) != 4 {
		t.Fatalf("families in the text: %v", want)
	}
	if diff := cmp.Diff(want, got, protocmp.Transform(), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-text +protobuf):\n%s", diff)
	}
}

func TestFormats(t *testing.T) {
	tests := map[string]struct{ accept, contentType, end string }{
		"nothing asked":     {"", "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", "process_things_total 7\n"},
		"a browser":         {"text/html,*/*;q=0.8", "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", "process_things_total 7\n"},
		"OpenMetrics 1.0.0": {"application/openmetrics-text;version=1.0.0", "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores", "process_things_total 7.0\n# EOF\n"},
		"OpenMetrics 0.0.1": {"application/openmetrics-text;version=0.0.1", "application/openmetrics-text; version=0.0.1; charset=utf-8; escaping=underscores", "process_things_total 7.0\n# EOF\n"},
		"Prometheus 3": {
			"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
			"application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=allow-utf-8", "# EOF\n",
		},
	}
	h := handler(fill)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := scrape(h, "Accept", tt.accept)
			if got := w.Header().Get("Content-Type"); got != tt.contentType {
				t.Errorf("Content-Type %q, want %q", got, tt.contentType)
			}
			if !strings.HasSuffix(w.Body.String(), tt.end) {
				t.Errorf("the end is not %q:\n%s", tt.end, w.Body)
			}
			if strings.Count(w.Body.String(), "# EOF") > 1 {
				t.Error("more than one # EOF")
			}
		})
	}
}

func TestEncodings(t *testing.T) {
	tests := []struct{ accept, want string }{
		{"", ""}, {"identity", ""}, {"br", ""}, {"gzip", "gzip"}, {"zstd", "zstd"}, {"gzip, deflate, br, zstd", "gzip"},
		{"gzip;q=0.5, zstd;q=0.8", "zstd"}, {"gzip;q=0", ""}, {"*", "gzip"}, {"gzip;q=0, *", "zstd"}, {"identity;q=1, gzip;q=0.5", ""},
		{"GZIP", "gzip"}, {"gzip;q=nonsense", ""}, {"gzip;q=2", ""},
	}
	h := handler(fill)
	plain := scrape(h).Body.String()
	for _, tt := range tests {
		t.Run(tt.accept, func(t *testing.T) {
			for range 2 { // the second with a writer that was used before
				w := scrape(h, "Accept-Encoding", tt.accept)
				if got := w.Header().Get("Content-Encoding"); got != tt.want {
					t.Fatalf("Content-Encoding %q, want %q", got, tt.want)
				}
				if got := w.Header().Get("Vary"); got != "Accept, Accept-Encoding" {
					t.Errorf("Vary %q", got)
				}
				if got := decompress(t, tt.want, w.Body); got != plain {
					t.Errorf("the body is\n%s\nwant\n%s", got, plain)
				}
			}
		})
	}
}

func decompress(t *testing.T, encoding string, body io.Reader) string {
	t.Helper()
	var err error
	switch encoding {
	case "gzip":
		body, err = gzip.NewReader(body)
	case "zstd":
		body, err = zstd.NewReader(body)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestNothingBeforeReady(t *testing.T) {
	h := handler(fill, func(o *HandlerOptions) { o.Waiting = func() string { return "pods: not listed yet" } })
	w := scrape(h)
	if w.Code != http.StatusServiceUnavailable || w.Body.String() != "not ready: pods: not listed yet\n" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

func TestTooManyScrapes(t *testing.T) {
	inside, release := make(chan struct{}), make(chan struct{})
	h := handler(func(*Gathering) { close(inside); <-release }, func(o *HandlerOptions) { o.MaxRequests = 1 })
	done := make(chan int)
	go func() { done <- scrape(h).Code }()
	<-inside
	if w := scrape(h); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "--web.max-requests") || w.Header().Get("Retry-After") != "1" {
		t.Errorf("one too many: %d %v %q", w.Code, w.Header(), w.Body)
	}
	close(release)
	if code := <-done; code != http.StatusOK {
		t.Errorf("the first: %d", code)
	}
}

// TestOverlappingScrapesShareAGathering holds the first gathering until all other scrapes have joined it.
func TestOverlappingScrapesShareAGathering(t *testing.T) {
	const scrapers = 8
	var gathered atomic.Int32
	var h *Handler
	release := make(chan struct{})
	h = handler(func(g *Gathering) {
		n := gathered.Add(1)
		if n == 1 {
			<-release
		}
		g.Write(total, float64(n), Labels{}, Labels{})
	})
	bodies := make(chan string, scrapers)
	for range scrapers {
		go func() { bodies <- scrape(h).Body.String() }()
	}
	for joined := 0; joined < scrapers; {
		h.rounds.mu.Lock()
		if h.rounds.running != nil {
			joined = h.rounds.running.readers
		}
		h.rounds.mu.Unlock()
	}
	close(release)
	for range scrapers {
		if body := <-bodies; !strings.Contains(body, "\ntocsin_test_mismatches 1\n") {
			t.Errorf("a scrape that overlapped got\n%s", body)
		}
	}
	if body := scrape(h).Body.String(); !strings.Contains(body, "\ntocsin_test_mismatches 2\n") {
		t.Errorf("a later scrape is not fresh:\n%s", body)
	}
}

// TestSlowReadersKeepWhatTheyWereGiven has gatherings come and go while earlier ones are still being read.
func TestSlowReadersKeepWhatTheyWereGiven(t *testing.T) {
	var gathered atomic.Int32
	h := handler(func(g *Gathering) {
		n := float64(gathered.Add(1))
		for i := range 200 {
			g.Write(state, n, object(i), Pairs("state", "ok"))
		}
	})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				var values []string
				for line := range strings.Lines(scrape(h, "Accept-Encoding", "identity").Body.String()) {
					if strings.HasPrefix(line, "tocsin_test_state{") {
						values = append(values, line[strings.LastIndexByte(line, ' ')+1:])
					}
				}
				if len(values) != 200 || len(slices.Compact(values)) != 1 {
					t.Error("a scrape mixes two gatherings")
				}
			}
		})
	}
	all.Wait()
}

func TestAGatheringThatPanicsLeavesNobodyWaiting(t *testing.T) {
	first := true
	h := handler(func(g *Gathering) {
		g.Write(total, 1, Labels{}, Labels{})
		if first {
			first = false
			panic("boom")
		}
	})
	if w := scrape(h); w.Code != http.StatusInternalServerError || w.Body.String() != "gathering: boom\n" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	if w := scrape(h); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "tocsin_test_mismatches 1\n") {
		t.Errorf("afterwards: %d %q", w.Code, w.Body)
	}
}

func TestSomeOtherMetricsThatFailCostNoVerdict(t *testing.T) {
	h := handler(fill, func(o *HandlerOptions) {
		healthy := o.Others
		o.Others = prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
			mfs, _ := healthy.Gather()
			return mfs, errors.New("no process")
		})
	})
	if w := scrape(h); w.Code != http.StatusOK || !bytes.Contains(w.Body.Bytes(), []byte("tocsin_test_state{")) {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}
