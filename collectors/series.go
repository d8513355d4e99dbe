package collectors

import (
	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

// seriesOf writes the series of one object.
type seriesOf struct {
	sink   exposition.Sink
	object exposition.Labels
}

func (s seriesOf) write(f *exposition.Family, value float64, rest exposition.Labels) {
	s.sink.Write(f, value, s.object, rest)
}

func (s seriesOf) number(f *exposition.Family, value float64) {
	s.sink.Write(f, value, s.object, exposition.Labels{})
}

// timestamp writes an instant, and nothing for one that is not known.
func (s seriesOf) timestamp(f *exposition.Family, t cluster.Time) {
	if t != 0 {
		s.number(f, float64(t))
	}
}

// seconds writes a span of time, and nothing for one that is not known, which is negative.
func (s seriesOf) seconds(f *exposition.Family, n int64) {
	if n >= 0 {
		s.number(f, float64(n))
	}
}
