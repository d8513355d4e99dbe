package exposition

import (
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
)

// chunk is how much text is laid out before it is handed on, in bytes.
const chunk = 64 << 10

var chunks = sync.Pool{New: func() any { b := make([]byte, 0, chunk+chunk/8); return &b }}

// WriteText writes the samples in Prometheus' text format 0.0.4, or with openMetrics in that of OpenMetrics 1.0 without its last line,
// # EOF, since other families may follow. Families come by name, samples in the order in which they were gathered.
func (g *Gathering) WriteText(w io.Writer, openMetrics bool) error {
	buffer := chunks.Get().(*[]byte)
	defer chunks.Put(buffer)
	b := (*buffer)[:0]
	for _, r := range g.sorted() {
		b = appendHeader(b, r.family, openMetrics)
		for i := range r.rows {
			b = appendSample(b, r.family.Name, &r.rows[i])
			if len(b) >= chunk {
				if _, err := w.Write(b); err != nil {
					return err
				}
				b = b[:0]
			}
		}
	}
	*buffer = b[:0]
	_, err := w.Write(b)
	return err
}

// appendHeader writes HELP and TYPE. OpenMetrics names a counter's family without the _total of its samples.
func appendHeader(b []byte, f *Family, openMetrics bool) []byte {
	name := f.Name
	help := strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	if openMetrics {
		help = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
		if f.Type == Counter {
			name = strings.TrimSuffix(name, "_total")
		}
	}
	b = append(append(append(b, "# HELP "...), name...), ' ')
	b = append(append(b, help.Replace(f.Help)...), '\n')
	b = append(append(append(b, "# TYPE "...), name...), ' ')
	return append(append(b, f.Type.String()...), '\n')
}

func appendSample(b []byte, name string, s *row) []byte {
	b = append(b, name...)
	if s.object != "" || s.rest != "" {
		b = append(append(b, '{'), s.object...)
		if s.object != "" && s.rest != "" {
			b = append(b, ',')
		}
		b = append(append(b, s.rest...), '}')
	}
	return append(appendValue(append(b, ' '), s.value), '\n')
}

// appendValue writes a number as Prometheus' own exposition does: 1, 1.5, 1.7e+09, +Inf, NaN.
func appendValue(b []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(b, "NaN"...)
	case math.IsInf(v, 1):
		return append(b, "+Inf"...)
	case math.IsInf(v, -1):
		return append(b, "-Inf"...)
	case v == math.Trunc(v) && math.Abs(v) < 1e6: // where the general way gives the same, slowly
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
