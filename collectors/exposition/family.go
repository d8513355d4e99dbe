// Package exposition turns samples into a scrape: families, prepared label pairs, and the sinks that samples are written to.
package exposition

import (
	"strings"
	"unicode/utf8"
)

// Type is a metric family's type.
type Type uint8

// The types that Tocsin exports.
const (
	Gauge Type = iota
	Counter
)

// String gives the word of a TYPE line.
func (t Type) String() string { return [...]string{"gauge", "counter"}[t] }

// Family is a metric family: a row in a collector's table.
type Family struct {
	Name string
	Help string
	Type Type
	// Labels are the label names of its series, in the order in which they are written.
	Labels []string
}

// MaxLabelBytes bounds a label value. Kubernetes' names are at most 253 bytes; what is longer comes from free fields of objects.
const MaxLabelBytes = 1024

// Labels is a run of label pairs as the text formats write them, name="value",name="value", with the values escaped. It is made once,
// when an object changes, and written at each scrape.
type Labels struct{ text string }

// Pairs makes Labels from names and values in turn. Values are cut at MaxLabelBytes, and what is not UTF-8 in them is replaced: they
// come from objects that anyone may write.
func Pairs(namesAndValues ...string) Labels {
	var b strings.Builder
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(namesAndValues[i])
		b.WriteString(`="`)
		writeEscaped(&b, bounded(namesAndValues[i+1]))
		b.WriteByte('"')
	}
	return Labels{b.String()}
}

// And gives the pairs of both.
func (l Labels) And(more Labels) Labels {
	switch {
	case l.text == "":
		return more
	case more.text == "":
		return l
	}
	return Labels{l.text + "," + more.text}
}

// String gives the pairs as the text formats write them.
func (l Labels) String() string { return l.text }

func bounded(v string) string {
	v = strings.ToValidUTF8(v, "\uFFFD")
	if len(v) <= MaxLabelBytes {
		return v
	}
	v = v[:MaxLabelBytes]
	for !utf8.ValidString(v) { // the cut went through a rune
		v = v[:len(v)-1]
	}
	return v
}

func writeEscaped(b *strings.Builder, v string) {
	for i := range len(v) {
		switch v[i] {
		case '\\':
			b.WriteString(`\\`)
		case '"':
			b.WriteString(`\"`)
		case '\n':
			b.WriteString(`\n`)
		default:
			b.WriteByte(v[i])
		}
	}
}

// Sink takes samples. Collectors write an object's samples one after the other, whatever their families; a sink groups them. Objects
// come in label order, so that a sink that has enough of a family drops the same series at each scrape.
type Sink interface {
	// Write takes one sample: object is the pairs that all series of the object share, rest those of this series alone. Together they
	// have the family's label names, each once; either may be empty.
	Write(f *Family, value float64, object, rest Labels)
}
