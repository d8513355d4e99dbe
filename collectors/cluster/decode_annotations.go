package cluster

import (
	"strings"
	"time"

	"github.com/prometheus/common/model"
)

// The annotations that an object's owner may set.
const (
	annotationIgnore        = "tocsin/ignore"
	annotationSeverity      = "tocsin/severity"
	annotationSuccessWithin = "tocsin/success-within"
	annotationCoverage      = "tocsin/coverage"
)

// String gives the annotation's key, for one bit.
func (a Annotation) String() string {
	switch a {
	case AnnotationIgnore:
		return annotationIgnore
	case AnnotationSeverity:
		return annotationSeverity
	case AnnotationSuccessWithin:
		return annotationSuccessWithin
	case AnnotationCoverage:
		return annotationCoverage
	}
	return ""
}

// annotate reads the annotations that any kind may have, and the severity of the kinds that alerts are about. A severity elsewhere,
// such as on each of a workload's Pods, has no effect and is not looked at.
func (m *Meta) annotate(r Resource, annotations map[string]string) {
	if v, ok := annotations[annotationIgnore]; ok {
		m.Ignore = v == "true"
		if v != "true" && v != "false" {
			m.Invalid |= AnnotationIgnore
		}
	}
	switch r {
	case CronJobs, Jobs, StatefulSets, Claims:
	default:
		return
	}
	if v, ok := annotations[annotationSeverity]; ok {
		switch v {
		case "info":
			m.Severity = SeverityInfo
		case "warning":
			m.Severity = SeverityWarning
		case "critical":
			m.Severity = SeverityCritical
		default:
			m.Invalid |= AnnotationSeverity
		}
	}
}

// successWithin reads a duration as Prometheus or Go writes it; it must be positive.
func (m *Meta) successWithin(annotations map[string]string) time.Duration {
	v, ok := annotations[annotationSuccessWithin]
	if !ok {
		return 0
	}
	v = strings.TrimSpace(v)
	if d, err := model.ParseDuration(v); err == nil && d > 0 {
		return time.Duration(d)
	}
	if d, err := time.ParseDuration(v); err == nil && d > 0 {
		return d
	}
	m.Invalid |= AnnotationSuccessWithin
	return 0
}

// coverAll reads tocsin/coverage.
func (m *Meta) coverAll(annotations map[string]string) bool {
	v, ok := annotations[annotationCoverage]
	if ok && v != "all" && v != "false" {
		m.Invalid |= AnnotationCoverage
	}
	return v == "all"
}
