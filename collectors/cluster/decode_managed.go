package cluster

import (
	"bytes"
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// lastOwned gives the newest time of the managedFields entries, leaving out those of subresources, that own one of the fields of
// spec; 0 when none does. The time of an entry moves on with any field that its manager changes, so that this is the latest moment at
// which the fields can have changed by its hand.
func lastOwned(entries []metav1.ManagedFieldsEntry, fields ...string) Time {
	var newest Time
	for i := range entries {
		e := &entries[i]
		if e.Subresource == "" && secondsOf(e.Time) > newest && ownsSpec(e, fields...) {
			newest = secondsOf(e.Time)
		}
	}
	return newest
}

// ownsSpec tells whether the entry owns one of the fields of spec, each given as fieldsV1 has it: "f:schedule".
func ownsSpec(e *metav1.ManagedFieldsEntry, fields ...string) bool {
	raw := e.FieldsV1.GetRawBytes()
	// Most entries own none of them; they need not be parsed to see that.
	if !slices.ContainsFunc(fields, func(f string) bool { return bytes.Contains(raw, []byte(f)) }) {
		return false
	}
	var owned struct {
		Spec map[string]json.RawMessage `json:"f:spec"`
	}
	if json.Unmarshal(raw, &owned) != nil {
		return false
	}
	return slices.ContainsFunc(fields, func(f string) bool { _, ok := owned.Spec[f]; return ok })
}

// createdBy gives the manager that made a PersistentVolumeClaim: that of the oldest entry which owns accessModes, a field that never
// changes, so that nobody owns it by an update; "" when there are none. The oldest entry of all would not do, since an entry's time
// moves on with its manager's later changes.
func createdBy(entries []metav1.ManagedFieldsEntry) string {
	var oldest *metav1.ManagedFieldsEntry
	for i := range entries {
		e := &entries[i]
		if e.Subresource == "" && ownsSpec(e, "f:accessModes") && (oldest == nil || secondsOf(e.Time) < secondsOf(oldest.Time)) {
			oldest = e
		}
	}
	if oldest == nil {
		return ""
	}
	return oldest.Manager
}
