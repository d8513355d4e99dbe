package cluster

import (
	"crypto/sha256"
	"encoding/hex"
)

// parseUID gives a UID in 16 bytes: a UUID as the API server writes it is kept, anything else is hashed, since an object made by other
// means, or a hand-written snapshot, may have any string there.
func parseUID(s string) UID {
	if s == "" {
		return UID{}
	}
	if u, ok := parseUUID(s); ok && u != (UID{}) {
		return u
	}
	sum := sha256.Sum256([]byte(s))
	return UID(sum[:16])
}

// parseUUID reads the form 8-4-4-4-12 in lower case, the only one that is told apart from others by its bytes alone.
func parseUUID(s string) (UID, bool) {
	var u UID
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return UID{}, false
	}
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'F' {
			return UID{}, false
		}
	}
	digits := make([]byte, 0, 32)
	for _, part := range []string{s[:8], s[9:13], s[14:18], s[19:23], s[24:]} {
		digits = append(digits, part...)
	}
	if _, err := hex.Decode(u[:], digits); err != nil {
		return UID{}, false
	}
	return u, true
}
