package rollout

import (
	"testing"

	"tocsin/collectors/cluster"
)

func TestCompare(t *testing.T) {
	set := &cluster.StatefulSet{Meta: cluster.Meta{Namespace: "shop", Name: "db"}, Start: 1, Replicas: 3,
		Templates: []cluster.ClaimTemplate{{Name: "data", Class: "fast", HasClass: true, Request: 20}, {Name: "wal", Request: 5}}}
	claim := func(name, class string, request, capacity int64) *cluster.Claim {
		return &cluster.Claim{Meta: cluster.Meta{Namespace: "shop", Name: name}, Class: class, Request: request, Capacity: capacity}
	}
	claims := []*cluster.Claim{ // by name
		claim("data-dab-1", "slow", 1, 1),
		claim("data-db-0", "slow", 1, 1), // below the first ordinal
		claim("data-db-01", "slow", 1, 1),
		claim("data-db-1", "fast", 20, 20),
		claim("data-db-10", "slow", 1, 1),                   // beyond the last
		claim("data-db-2", "slow", 40, 40),                  // enlarged, which is no drift, but of another class
		claim("data-db-3", "fast", 20, 10),                  // its enlargement waits
		claim("data-db-99999999999999999999", "slow", 1, 1), // no ordinal
		claim("data-db-replica-1", "slow", 1, 1),            // of the set db-replica
		claim("wal-db-1", "", 4, 0),                         // not bound yet
		claim("wal-db-2", "any", 5, 5),                      // the template names no class
		claim("wal-db-3", "", 5, 0),
		claim("wal-db-3x", "any", 1, 1),
	}
	for i, want := range []Drift{{Size: 1, Class: 1}, {Size: 1}} {
		if got := Compare(set, i, ClaimPrefix(set, i), claims); got != want {
			t.Errorf("template %s: %+v, want %+v", set.Templates[i].Name, got, want)
		}
	}
}
