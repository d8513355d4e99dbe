package claims

import (
	"time"

	"tocsin/collectors/cluster"
)

// stuckAfter is how long a released volume may take to be deleted: provisioners retry with a back-off of minutes.
const stuckAfter = 15 * time.Minute

// The reasons of an unclaimed volume.
const (
	ReleasedRetained    Reason = "released_retained"
	ReleasedDeleteStuck Reason = "released_delete_stuck"
	Failed              Reason = "failed"
	Available           Reason = "available"
	ClaimMissing        Reason = "claim_missing"
)

// Claims finds the claim that a volume names. The volume's claim is only looked for in namespaces that it knows.
type Claims struct {
	Known func(namespace string) bool
	Get   func(namespace, name string) *cluster.Claim
}

// Unclaimed is the verdict on a volume that no claim holds.
type Unclaimed struct {
	Reason Reason       // "" when a claim holds it, or when that cannot be told
	Since  cluster.Time // 0 when the API does not say
}

// JudgeVolume tells whether a claim holds the volume, and if not, why.
//
// A volume that names a claim and waits for it is not unclaimed. A released volume that is to be deleted is stuck only when the API
// tells that it has been so for long. When a claim went missing is written nowhere: its volume's last change was to be bound.
func JudgeVolume(v *cluster.Volume, claims Claims, now time.Time) Unclaimed {
	switch v.Phase {
	case phaseReleased:
		if v.ReclaimPolicy == "" || v.ReclaimPolicy == "Retain" { // Retain is what a volume made by hand gets
			return Unclaimed{ReleasedRetained, v.PhaseChanged}
		}
		if v.PhaseChanged != 0 && now.Sub(v.PhaseChanged.Std()) > stuckAfter {
			return Unclaimed{ReleasedDeleteStuck, v.PhaseChanged}
		}
	case phaseFailed:
		return Unclaimed{Failed, v.PhaseChanged}
	case phaseAvailable:
		if !v.HasClaim {
			return Unclaimed{Available, v.PhaseChanged}
		}
	case phaseBound:
		if v.HasClaim && claims.Known(v.ClaimNamespace) && !held(v, claims.Get(v.ClaimNamespace, v.ClaimName)) {
			return Unclaimed{Reason: ClaimMissing}
		}
	}
	return Unclaimed{}
}

// held tells whether the claim is the one that the volume was bound to, and not a later one of its name
// (k8s.io/component-helpers/storage/volume, IsVolumeBoundToClaim).
func held(v *cluster.Volume, c *cluster.Claim) bool {
	return c != nil && (v.ClaimUID == (cluster.UID{}) || v.ClaimUID == c.UID)
}
