package exposition

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// compressor is a content encoding's writer.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

// encoding is a content encoding that is offered. Its writers are kept for reuse: each has some hundred kilobytes of tables.
type encoding struct {
	name    string
	writers sync.Pool
}

// newEncodings gives what is offered, the preferred first where a client leaves the choice. Both run at their fastest: what a scrape
// costs counts for more than the few bytes that a slower setting would save in text as repetitive as this.
func newEncodings() []*encoding {
	return []*encoding{
		{name: "gzip", writers: sync.Pool{New: func() any {
			w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails only for an unknown level
			return w
		}}},
		{name: "zstd", writers: sync.Pool{New: func() any {
			// One goroutine, and the window that RFC 8878 asks every decoder to take.
			w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
			return w
		}}},
	}
}

// acceptable chooses the encoding that the request's Accept-Encoding ranks highest; nil is none at all. "identity" is never refused: a
// client that accepts nothing is better served than not.
func acceptable(h http.Header, offered []*encoding) *encoding {
	var best *encoding
	bestQ := 0.0
	header := strings.Join(h.Values("Accept-Encoding"), ",")
	if named, q := quality(header, "identity"); named {
		bestQ = q
	}
	for _, e := range offered {
		named, q := quality(header, e.name)
		if !named {
			_, q = quality(header, "*")
		}
		if q > bestQ || q == bestQ && q > 0 && best == nil {
			best, bestQ = e, q
		}
	}
	return best
}

// quality gives the weight that the header gives a coding, and whether it names it at all.
func quality(header, coding string) (named bool, q float64) {
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		weight, found := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		if !found {
			return true, 1
		}
		q, err := strconv.ParseFloat(weight, 64)
		if err != nil || !(q >= 0 && q <= 1) {
			q = 0
		}
		return true, q
	}
	return false, 0
}

// encoded calls write with a writer in the encoding, and finishes it.
func (e *encoding) encoded(w io.Writer, write func(io.Writer) error) error {
	c := e.writers.Get().(compressor)
	defer func() {
		c.Reset(nil)
		e.writers.Put(c)
	}()
	c.Reset(w)
	if err := write(c); err != nil {
		return err
	}
	return c.Close()
}
