package cluster

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// policyMessage is the message of a failure by a rule about exit codes, "Container %s for pod %s/%s failed with exit code %v matching
// %v rule at index %d" (k8s.io/kubernetes pkg/controller/job/pod_failure_policy.go, matchPodFailurePolicy). It is strict, since what it
// finds becomes labels.
var policyMessage = regexp.MustCompile(`^Container ([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?) for pod \S+ failed with exit code (-?[0-9]{1,10}) matching `)

// podFailurePolicyMessage gives the container and its exit code, "" and "" when the message does not tell them.
func podFailurePolicyMessage(message string) (container, code string) {
	m := policyMessage.FindStringSubmatch(message)
	if m == nil {
		return "", ""
	}
	if _, err := strconv.ParseInt(m[2], 10, 32); err != nil {
		return "", ""
	}
	return m[1], m[2]
}

// countIndexes tells how many indexes a Job's status.failedIndexes names, such as "1,3-5,7" (k8s.io/kubernetes
// pkg/controller/job/indexed_job_utils.go). Parts that cannot be read are not counted.
func countIndexes(s string) int {
	total := 0
	for part := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err1 := strconv.ParseInt(first, 10, 32)
		to, err2 := strconv.ParseInt(last, 10, 32)
		if err1 != nil || err2 != nil || from < 0 || to < from {
			continue
		}
		total = min(total+int(to-from)+1, math.MaxInt32)
	}
	return total
}
