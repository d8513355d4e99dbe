package exposition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// pairs takes labels apart again, for what does not speak text: name and value in turn.
func pairs(l Labels) []string {
	var out []string
	for text := l.text; text != ""; {
		name, rest, _ := strings.Cut(text, `="`)
		end := closingQuote(rest)
		out = append(out, name, unescape(rest[:end]))
		text = strings.TrimPrefix(rest[end+1:], ",")
	}
	return out
}

func closingQuote(s string) int {
	for i := 0; ; i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
}

func unescape(v string) string {
	if !strings.Contains(v, `\`) {
		return v
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(v)
}

func (s *row) labels() Labels { return Labels{s.object}.And(Labels{s.rest}) }

// MetricFamilies gives the samples in the data model of client_golang, for protobuf and for what works on it.
func (g *Gathering) MetricFamilies() []*dto.MetricFamily {
	var out []*dto.MetricFamily
	for _, r := range g.sorted() {
		mf := &dto.MetricFamily{Name: &r.family.Name, Help: &r.family.Help, Type: dto.MetricType_GAUGE.Enum()}
		if r.family.Type == Counter {
			mf.Type = dto.MetricType_COUNTER.Enum()
		}
		for i := range r.rows {
			mf.Metric = append(mf.Metric, r.rows[i].metric(r.family.Type))
		}
		out = append(out, mf)
	}
	return out
}

func (s *row) metric(t Type) *dto.Metric {
	m, value := &dto.Metric{}, s.value
	if t == Counter {
		m.Counter = &dto.Counter{Value: &value}
	} else {
		m.Gauge = &dto.Gauge{Value: &value}
	}
	p := pairs(s.labels())
	for i := 0; i < len(p); i += 2 {
		m.Label = append(m.Label, &dto.LabelPair{Name: &p[i], Value: &p[i+1]})
	}
	slices.SortFunc(m.Label, func(a, b *dto.LabelPair) int { return strings.Compare(a.GetName(), b.GetName()) })
	return m
}

// collector is a prometheus.Collector of what gather writes.
type collector struct {
	descs  map[*Family]*prometheus.Desc
	order  []*Family
	gather func(Sink) error
}

// NewCollector makes a prometheus.Collector of something that writes samples of the families. An error, a sample whose label names are
// not its family's, or one whose family is not among them makes the registry's Gather fail.
func NewCollector(families []*Family, gather func(Sink) error) prometheus.Collector {
	c := &collector{descs: map[*Family]*prometheus.Desc{}, order: families, gather: gather}
	for _, f := range families {
		c.descs[f] = prometheus.NewDesc(f.Name, f.Help, f.Labels, nil)
	}
	return c
}

// Describe tells the families.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range c.order {
		ch <- c.descs[f]
	}
}

// Collect gathers and sends the samples as constant metrics.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	if err := c.gather(constSink{c, ch}); err != nil {
		ch <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
	}
}

// constSink sends each sample on as a constant metric.
type constSink struct {
	*collector
	ch chan<- prometheus.Metric
}

// Write sends one sample.
func (s constSink) Write(f *Family, value float64, object, rest Labels) {
	desc := s.descs[f]
	if desc == nil {
		err := fmt.Errorf("metric %s is written but not declared", f.Name)
		s.ch <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
		return
	}
	values, err := valuesFor(f, object.And(rest))
	if err != nil {
		s.ch <- prometheus.NewInvalidMetric(desc, err)
		return
	}
	t := prometheus.GaugeValue
	if f.Type == Counter {
		t = prometheus.CounterValue
	}
	m, err := prometheus.NewConstMetric(desc, t, value, values...)
	if err != nil {
		m = prometheus.NewInvalidMetric(desc, err)
	}
	s.ch <- m
}

// valuesFor gives the values of the family's labels in its order.
func valuesFor(f *Family, l Labels) ([]string, error) {
	p := pairs(l)
	values := make([]string, len(f.Labels))
	for i, name := range f.Labels {
		at := -1
		for j := 0; j < len(p); j += 2 {
			if p[j] == name {
				at = j
			}
		}
		if at < 0 || len(p) != 2*len(f.Labels) {
			return nil, fmt.Errorf("metric %s has the labels %v, but a sample {%s}", f.Name, f.Labels, l.text)
		}
		values[i] = p[at+1]
	}
	return values, nil
}
