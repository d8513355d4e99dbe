package exposition

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/common/expfmt"
)

// benchGather gives what writes 8,000 samples, four of each object.
func benchGather() func(*Gathering) {
	var prepared []Labels
	for i := range 2000 {
		prepared = append(prepared, object(i))
	}
	ok, failed := Pairs("result", "succeeded"), Pairs("result", "failed")
	return func(g *Gathering) {
		for _, o := range prepared {
			g.Write(state, 1, o, Labels{})
			g.Write(total, 1777946400, o, Labels{})
			g.Write(runs, 5, o, ok)
			g.Write(runs, 0, o, failed)
		}
	}
}

// BenchmarkGathering is taking samples alone, without laying them out.
func BenchmarkGathering(b *testing.B) {
	b.Run("series=8000", func(b *testing.B) {
		gather, g := benchGather(), NewGathering(10_000, nil)
		gather(g)
		b.ReportAllocs()
		for b.Loop() {
			g.Reset()
			gather(g)
		}
	})
}

// BenchmarkScrape is a whole scrape in each format and with each content encoding.
func BenchmarkScrape(b *testing.B) {
	for _, format := range []struct {
		name   string
		accept expfmt.Format
	}{
		{"text", expfmt.NewFormat(expfmt.TypeTextPlain)},
		{"openmetrics", expfmt.NewFormat(expfmt.TypeOpenMetrics)},
		{"protobuf", expfmt.NewFormat(expfmt.TypeProtoDelim)},
	} {
		for _, encoding := range []string{"identity", "gzip", "zstd"} {
			b.Run("series=8000/format="+format.name+"/encoding="+encoding, func(b *testing.B) {
				h := handler(benchGather())
				r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
				r.Header.Set("Accept", string(format.accept))
				r.Header.Set("Accept-Encoding", encoding)
				w := &discard{header: http.Header{}}
				h.ServeHTTP(w, r)
				if w.status >= http.StatusBadRequest || encoding != "identity" && w.header.Get("Content-Encoding") != encoding {
					b.Fatal(w.status, w.header)
				}
				b.ReportAllocs()
				for b.Loop() {
					h.ServeHTTP(w, r)
				}
			})
		}
	}
}

// discard is a client of which only the answer's beginning is kept.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(b []byte) (int, error) { return io.Discard.Write(b) }
