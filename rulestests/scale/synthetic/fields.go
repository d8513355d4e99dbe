package synthetic

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// manager is who owns fields of an object, and since when.
type manager struct {
	name, subresource string
	at                time.Time
	fields            []byte
}

// manage gives the object its managedFields. Objects of the same shape own the same fields, so that these are worked out once per
// shape.
func (g *generator) manage(o metav1.Object, shape string, managers ...manager) {
	entries := make([]metav1.ManagedFieldsEntry, 0, len(managers))
	for _, m := range managers {
		raw := m.fields
		if raw == nil {
			raw = g.fieldsOf(o, shape, m.subresource)
		}
		at := metav1.NewTime(m.at)
		operation := metav1.ManagedFieldsOperationUpdate
		if m.name == "helm" {
			operation = metav1.ManagedFieldsOperationApply
		}
		version := "v1"
		if g, ok := o.(runtime.Object); ok {
			version = apiVersion(g)
		}
		entries = append(entries, metav1.ManagedFieldsEntry{
			Manager: m.name, Operation: operation, APIVersion: version, Time: &at,
			FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(raw)), Subresource: m.subresource,
		})
	}
	o.SetManagedFields(entries)
}

// fieldsOf gives the fields that an object has, as FieldsV1 writes them: of its status for the subresource, else of all else.
func (g *generator) fieldsOf(o any, shape, subresource string) []byte {
	key := shape + "/" + subresource
	if raw, ok := g.fields[key]; ok {
		return raw
	}
	raw, err := json.Marshal(o)
	if err != nil {
		return nil
	}
	var all map[string]any
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	tree := map[string]any{}
	if subresource == "status" {
		tree["f:status"] = fieldTree(all["status"])
	} else {
		meta, _ := all["metadata"].(map[string]any)
		maps.DeleteFunc(meta, func(k string, _ any) bool { return k != "labels" && k != "annotations" && k != "ownerReferences" })
		tree["f:metadata"], tree["f:spec"] = fieldTree(all["metadata"]), fieldTree(all["spec"])
	}
	raw, _ = json.Marshal(tree) // maps with strings: it cannot fail
	g.fields[key] = raw
	return raw
}

// fieldTree follows sigs.k8s.io/structured-merge-diff: f: for a field, k: for an item of a list that has a key.
func fieldTree(v any) map[string]any {
	tree := map[string]any{}
	switch v := v.(type) {
	case map[string]any:
		for k, child := range v {
			if slices.Contains(atomic[:], k) {
				child = nil
			}
			tree["f:"+k] = fieldTree(child)
		}
	case []any:
		for _, item := range v {
			fields, ok := item.(map[string]any)
			if !ok {
				return tree
			}
			if fields["name"] == serviceAccountVolume {
				continue // admission adds it after the fields have been counted
			}
			i := slices.IndexFunc(listKeys[:], func(k string) bool { _, ok := fields[k]; return ok })
			if i < 0 {
				return tree
			}
			key, _ := json.Marshal(map[string]any{listKeys[i]: fields[listKeys[i]]})
			children := fieldTree(fields)
			children["."] = map[string]any{}
			tree["k:"+string(key)] = children
		}
	}
	return tree
}

// atomic are the lists that have one owner as a whole.
var atomic = [...]string{"args", "containerStatuses", "images", "sources", "taints", "tolerations"}

// listKeys are the fields by which items of lists are told apart.
var listKeys = [...]string{"uid", "mountPath", "containerPort", "type", "ip", "name"}

func apiVersion(o runtime.Object) string {
	key := Key(o)
	switch {
	case strings.HasPrefix(key, "/registry/jobs"), strings.HasPrefix(key, "/registry/cronjobs"):
		return "batch/v1"
	case strings.HasPrefix(key, "/registry/statefulsets"), strings.HasPrefix(key, "/registry/d"), strings.HasPrefix(key, "/registry/replicasets"):
		return "apps/v1"
	}
	return "v1"
}
