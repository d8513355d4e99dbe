package rollout

import (
	"sort"
	"strconv"
	"strings"

	"tocsin/collectors/cluster"
)

// claimName gives the name of the claim that a set makes from its template i for the Pod of an index
// (k8s.io/kubernetes pkg/controller/statefulset/stateful_set_utils.go, getPersistentVolumeClaimName).
func claimName(set *cluster.StatefulSet, i int, index int64) string {
	return ClaimPrefix(set, i) + strconv.FormatInt(index+int64(set.Start), 10)
}

// ClaimPrefix gives what the names of the claims of the set's template i begin with; their Pod's ordinal follows.
func ClaimPrefix(set *cluster.StatefulSet, i int) string {
	return set.Templates[i].Name + "-" + set.Name + "-"
}

// Drift counts the claims of a template that differ from it: claims outlive a template that was changed by making the set anew, and
// no controller adapts them.
type Drift struct {
	Size  int // smaller than the template asks for
	Class int // of another storage class than the template names
}

// Compare counts the differences between a set's template i and its claims of the ordinals in range. claims are those of the set's
// namespace, by name; prefix is what ClaimPrefix gives.
func Compare(set *cluster.StatefulSet, i int, prefix string, claims []*cluster.Claim) Drift {
	var d Drift
	t := &set.Templates[i]
	for k := sort.Search(len(claims), func(k int) bool { return claims[k].Name >= prefix }); k < len(claims); k++ {
		digits, ok := strings.CutPrefix(claims[k].Name, prefix)
		if !ok {
			break
		}
		if n, err := strconv.ParseInt(digits, 10, 32); err != nil || digits != strconv.FormatInt(n, 10) ||
			n < int64(set.Start) || n >= int64(set.Start)+int64(set.Replicas) {
			continue
		}
		c := claims[k]
		if c.Broken {
			continue
		}
		size := c.Capacity
		if size == 0 { // not bound yet
			size = c.Request
		}
		if size < t.Request {
			d.Size++
		}
		if t.HasClass && c.Class != t.Class {
			d.Class++
		}
	}
	return d
}
