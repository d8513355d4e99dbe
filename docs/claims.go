package docs

import (
	"fmt"
	"strings"

	"tocsin/collectors/claims"
)

// DefaultClaimRules gives the list of claims-rules.md that says which claim rules hold without a file.
func DefaultClaimRules() string {
	var list strings.Builder
	rules := claims.DefaultRules()
	for _, r := range rules.Resources() {
		fmt.Fprintf(&list, "- what a `%s.%s` (%s) names\n", r.Resource, r.Group, r.Version)
	}
	for _, s := range rules.Spare {
		var with []string
		if s.Labels != nil {
			with = append(with, "the labels `"+s.Labels.String()+"`")
		}
		if s.Annotation != "" {
			with = append(with, "the annotation `"+s.Annotation+"`")
		}
		fmt.Fprintf(&list, "- a claim with %s\n", strings.Join(with, " and "))
	}
	return list.String()
}
