package claims

import (
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"tocsin/collectors/cluster"
)

// Spare tells which claims are kept on purpose though nothing names them. A claim has to satisfy all of it that is set.
type Spare struct {
	// Labels selects by labels; nil selects nothing by itself.
	Labels labels.Selector
	// Annotation is the key of an annotation that the claim has; one that ends with * stands for all keys that begin so.
	Annotation string
}

// Matches tells whether the claim is spared. The zero Spare spares none.
func (s Spare) Matches(c *cluster.Claim) bool {
	if s.Labels == nil && s.Annotation == "" {
		return false
	}
	return (s.Labels == nil || s.Labels.Matches(c.Labels)) && (s.Annotation == "" || hasAnnotation(c.Annotations, s.Annotation))
}

// hasAnnotation looks for a key among those of cluster.Claim.Annotations.
func hasAnnotation(keys, wanted string) bool {
	prefix, open := strings.CutSuffix(wanted, "*")
	for key := range strings.SplitSeq(keys, "\x00") {
		if key == wanted || open && key != "" && strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}
