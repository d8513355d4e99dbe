package cluster

import (
	"strings"
	"time"
)

// UID is a Kubernetes UID in 16 bytes: the UUID itself, or a hash of what is not one. The zero UID means that the object has none.
type UID [16]byte

// Time is an instant in Unix seconds, the resolution of the API's own timestamps. 0 means that the object does not say.
type Time int64

// Std gives the instant in UTC, or the zero time.Time when the object does not say.
func (t Time) Std() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.Unix(int64(t), 0).UTC()
}

// Severity is what a workload's owner asked for with the annotation tocsin/severity.
type Severity uint8

// The severities; SeverityUnset leaves the choice to each alert rule.
const (
	SeverityUnset Severity = iota
	SeverityInfo
	SeverityWarning
	SeverityCritical
)

// String gives the label value: "", "info", "warning" or "critical".
func (s Severity) String() string {
	return [...]string{"", "info", "warning", "critical"}[s]
}

// Annotation is a bit for each of Tocsin's annotations.
type Annotation uint8

// The annotations that an object's owner may set.
const (
	AnnotationIgnore Annotation = 1 << iota
	AnnotationSeverity
	AnnotationSuccessWithin
	AnnotationCoverage
)

// Meta is what every record keeps of its object's metadata.
type Meta struct {
	UID       UID
	Namespace string
	Name      string
	Created   Time
	// Deleted is when deletion was asked for: deletionTimestamp less the grace period, since deletionTimestamp itself is the
	// deadline. 0 while the object is not being deleted.
	Deleted Time
	Owners  []Owner
	// Ignore is the annotation tocsin/ignore: "true" on the object itself; View.Ignored also asks its owners and its Namespace.
	Ignore   bool
	Severity Severity
	// Invalid marks the annotations of ours whose value cannot be used.
	Invalid Annotation
	// Broken tells that the object could not be decoded but for its metadata: it exists, and nothing else is known of it.
	Broken bool
}

// Owner is one of an object's owner references.
type Owner struct {
	UID        UID
	Kind       string
	Name       string
	Controller bool
}

// Controller gives the owner reference with controller: true, or false when there is none.
func (m *Meta) Controller() (Owner, bool) {
	for _, o := range m.Owners {
		if o.Controller {
			return o, true
		}
	}
	return Owner{}, false
}

// Labels is an object's labels in one string, sorted by key: key NUL value NUL key NUL value … . It keeps a Pod's labels in one
// allocation, and equal sets can share it. It fits k8s.io/apimachinery/pkg/labels.Labels.
type Labels string

// Lookup gives the value of a label and whether the object has it.
func (l Labels) Lookup(key string) (string, bool) {
	for rest := string(l); rest != ""; {
		k, v, next := cutPair(rest)
		if k == key {
			return v, true
		}
		rest = next
	}
	return "", false
}

// Get gives the value of a label, or "".
func (l Labels) Get(key string) string {
	v, _ := l.Lookup(key)
	return v
}

// Has tells whether the object has the label.
func (l Labels) Has(key string) bool {
	_, ok := l.Lookup(key)
	return ok
}

// Map gives the labels as a new map.
func (l Labels) Map() map[string]string {
	m := map[string]string{}
	for rest := string(l); rest != ""; {
		k, v, next := cutPair(rest)
		m[k] = v
		rest = next
	}
	return m
}

func cutPair(s string) (key, value, rest string) {
	key, s, _ = strings.Cut(s, "\x00")
	value, rest, _ = strings.Cut(s, "\x00")
	return key, value, rest
}
