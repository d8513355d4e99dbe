package cluster

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
)

// stub makes the record of an object that does not fit its kind from its metadata alone: it exists, and an object left out would make
// others' verdicts say that it doesn't. What its kind adds is at its zero value, but where that would be held against others: a Node
// takes Pods, and a Service governs a StatefulSet. An object without a usable name has none, nor has an Event, which only its content
// makes one that is read.
func (l *loader) stub(out *outcome, data []byte) {
	meta, ok := metadataOf(data)
	if !ok || out.resource == Events {
		return
	}
	obj, _, err := blank(out.resource)
	if err != nil {
		return
	}
	o := obj.(metav1.Object)
	o.SetNamespace(meta.Namespace)
	o.SetName(meta.Name)
	o.SetUID(meta.UID)
	o.SetLabels(meta.Labels)
	o.SetAnnotations(meta.Annotations)
	o.SetOwnerReferences(meta.OwnerReferences)
	o.SetCreationTimestamp(meta.CreationTimestamp)
	identify(o, out.identity)
	record, err := l.decoder.record(out.resource, obj)
	if err != nil {
		return
	}
	record.(interface{ meta() *Meta }).meta().Broken = true
	switch r := record.(type) {
	case *Node:
		r.Ready = true
	case *Service:
		r.Headless = true
	}
	out.record = record
	l.date(out, obj)
}

// metadataOf reads as much of an object's metadata as can be read, and tells whether that is enough to know which object it is.
func metadataOf(data []byte) (metav1.ObjectMeta, bool) {
	var object struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	var meta metav1.ObjectMeta
	if syntax, _ := kjson.SyntaxErrorOffset(kjson.UnmarshalCaseSensitivePreserveInts(data, &object)); syntax {
		return meta, false
	}
	read := func(key string, into any) bool {
		raw, ok := object.Metadata[key]
		return !ok || kjson.UnmarshalCaseSensitivePreserveInts(raw, into) == nil
	}
	if !read("namespace", &meta.Namespace) || !read("name", &meta.Name) || meta.Name == "" {
		return meta, false
	}
	for key, into := range map[string]any{
		"uid": &meta.UID, "labels": &meta.Labels, "annotations": &meta.Annotations,
		"ownerReferences": &meta.OwnerReferences, "creationTimestamp": &meta.CreationTimestamp,
	} {
		read(key, into) // what does not fit stays out
	}
	return meta, true
}
