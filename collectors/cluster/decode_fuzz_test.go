package cluster

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
)

// FuzzDecode decodes whatever JSON fits an API type: no panic, and a record with the object's name, or an error.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"metadata":{"name":"x","generation":2,"managedFields":[{"time":"2026-05-05T00:00:00Z","fieldsV1":{"f:spec":{"f:suspend":{}}}},{}]},"spec":{"suspend":true}}`,
		`{"metadata":{"name":"x","ownerReferences":[{}],"deletionTimestamp":"0001-01-02T00:00:00Z","labels":{"":""}},"status":{"conditions":[{"type":"Failed","status":"True","reason":"PodFailurePolicy","message":"Container c for pod a/b failed with exit code 1 matching "}],"failedIndexes":"1,3-5"}}`,
		`{"metadata":{"name":"x"},"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{}]}]}}},"volumes":[{"hostPath":{}},{"ephemeral":{}}],"containers":[{"startupProbe":{}}]},"status":{"containerStatuses":[{"state":{"waiting":{}},"lastState":{"terminated":{"exitCode":1}}}]}}`,
		`{"metadata":{"name":"x"},"spec":{"capacity":{"storage":"1e99"},"nodeAffinity":{},"claimRef":{},"selector":{"matchExpressions":[{}]},"updateStrategy":{},"volumeClaimTemplates":[{}],"template":null}}`,
	} {
		for r := range resourceCount {
			f.Add(uint8(r), []byte(seed))
		}
	}
	d := newDecoder()
	f.Fuzz(func(t *testing.T, resource uint8, data []byte) {
		r := Resource(resource) % resourceCount
		if r == Snapshots {
			u := &unstructured.Unstructured{}
			if json.Unmarshal(data, &u.Object) == nil {
				check(t, d, r, u)
			}
			return
		}
		info := r.Info()
		obj, err := scheme.Scheme.New(info.GroupVersion().WithKind(info.Kind))
		if err == nil && json.Unmarshal(data, obj) == nil {
			check(t, d, r, obj)
		}
	})
}
