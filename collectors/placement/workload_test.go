package placement

import "testing"

func TestWorkloadKind(t *testing.T) {
	for kind, want := range map[string]string{"Deployment": "Deployment", "Cluster": "Cluster", "MyOwnThing": "other", "": "other"} {
		if got := WorkloadKind(kind); got != want {
			t.Errorf("WorkloadKind(%q) = %q, want %q", kind, got, want)
		}
	}
}
