package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	kjson "sigs.k8s.io/json"
)

// item is one object of a file, not parsed yet.
type item struct {
	document
	yaml     bool
	dash     bool     // it begins with the dash of a YAML list
	defaults identity // what it is when it does not say so itself, as in a list of one kind
	list     int      // which of the file's documents it is an item of
}

// outcome is what has become of an item.
type outcome struct {
	identity
	resource Resource
	record   any    // nil when there is nothing to keep
	unknown  string // its kind, when that is not read
	nested   []byte // its JSON, when it is a list itself
	remade   bool   // that JSON was made from YAML, so that its lines are none of the file's
	newest   Time
	ahead    Time  // a moment that it tells of and that cannot have been yet
	undated  bool  // a CronJob whose edits cannot be dated
	invalid  error // it is well-formed and does not fit its kind; the record is a stub then, or nil
	broken   error // it is neither YAML nor JSON, or no object
	line     int
}

var errNoKind = errors.New("not a Kubernetes object, it has no apiVersion and kind: write it with kubectl get … -o yaml")

var errNoText = errors.New("apiVersion and kind must both be there, and be text")

// decode makes a record of an item. Kinds that nobody wants are told by a glance and not parsed.
func (l *loader) decode(it item) outcome {
	out := outcome{line: it.line}
	data := it.data
	if it.yaml {
		out.identity = peekYAML(data).or(it.defaults)
		if _, known := snapshotKinds[out.gvk()]; out.kind != "" && out.apiVersion != "" && !known && !l.ruled(out.identity) && !out.mayList() {
			out.unknown = out.unread()
			return out
		}
		var at int
		if data, at, out.broken = toJSON(data); out.broken != nil {
			out.line += at
			return out
		}
		if it.dash {
			data = bytes.TrimSuffix(bytes.TrimPrefix(data, []byte("[")), []byte("]"))
		}
	}
	id, _, hasItems, _, err := peekJSON(data)
	if err != nil {
		return out.fail(it, err)
	}
	out.identity = id.or(it.defaults)
	switch {
	case out.kind == "" && out.apiVersion == "":
		out.broken = errNoKind
		return out
	case out.kind == "" || out.apiVersion == "":
		out.broken = errNoText
		return out
	}
	r, known := snapshotKinds[out.gvk()]
	_, isList := out.listOf(hasItems)
	switch {
	case isList && !known:
		out.nested, out.remade = data, it.yaml
	case known:
		out.resource = r
		l.typed(&out, it, data)
	case l.ruled(out.identity):
		l.reference(&out, it, data)
	default:
		out.unknown = out.unread()
	}
	return out
}

// or fills in what an object does not say of itself.
func (i identity) or(other identity) identity {
	if i.kind == "" {
		i.kind = other.kind
	}
	if i.apiVersion == "" {
		i.apiVersion = other.apiVersion
	}
	return i
}

// fail notes an error of the JSON, at its line when the item was read as JSON.
func (o *outcome) fail(it item, err error) outcome {
	o.broken = err
	if at, ok := errors.AsType[*jsonError](err); ok && !it.yaml {
		o.line += bytes.Count(it.data[:min(at.offset, len(it.data))], []byte{'\n'})
	}
	return *o
}

func (l *loader) typed(out *outcome, it item, data []byte) {
	obj, into, err := blank(out.resource)
	if err != nil {
		out.invalid = err
		return
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, into); err != nil {
		if syntax, offset := kjson.SyntaxErrorOffset(err); syntax {
			*out = out.fail(it, &jsonError{int(offset), err})
			return
		}
		out.invalid = fmt.Errorf("%s: %s", out.identity, strings.TrimPrefix(err.Error(), "json: "))
		l.stub(out, data)
		return
	}
	l.date(out, obj)
	identify(obj.(metav1.Object), out.identity)
	if e, ok := obj.(*corev1.Event); ok && e.Reason != "FailedCreate" {
		return // the others are not read; a watch has the API server sift them
	}
	if c, ok := obj.(*batchv1.CronJob); ok {
		out.undated = c.Generation != 1 && len(c.ManagedFields) == 0
	}
	out.record, out.invalid = l.decoder.record(out.resource, obj)
	if out.invalid != nil {
		out.record = nil
		l.stub(out, data)
	}
}

// blank gives a new object of the resource, and what its JSON is to be read into.
func blank(r Resource) (obj runtime.Object, into any, err error) {
	if r == Snapshots { // k8s.io/api has no type for it
		u := &unstructured.Unstructured{}
		return u, &u.Object, nil
	}
	info := r.Info()
	obj, err = kinds.New(info.GroupVersion().WithKind(info.Kind))
	return obj, obj, err
}

// identify gives an object that was written by hand, and so has no UID, one of its name, and its owner references likewise, so that
// owners and owned still find each other.
func identify(o metav1.Object, id identity) {
	uid := func(kind, name string) types.UID { return types.UID(kind + "/" + objectName(id.namespace, name)) }
	if o.GetUID() == "" {
		o.SetUID(uid(id.kind, id.name))
	}
	refs := o.GetOwnerReferences()
	for i := range refs {
		if refs[i].UID == "" {
			refs[i].UID = uid(refs[i].Kind, refs[i].Name)
			o.SetOwnerReferences(refs)
		}
	}
}

// ruled tells whether a kind without a record of its own has to be parsed, for the claim rules.
func (l *loader) ruled(id identity) bool { return l.options.Rules != nil && !id.secret() }

func (l *loader) reference(out *outcome, it item, data []byte) {
	var obj map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &obj); err != nil {
		_, offset := kjson.SyntaxErrorOffset(err)
		*out = out.fail(it, &jsonError{int(offset), err})
		return
	}
	claims, ok := l.options.Rules(out.gvk(), obj)
	if !ok {
		out.unknown = out.unread()
		return
	}
	out.resource = References
	u := &unstructured.Unstructured{Object: obj}
	l.date(out, u)
	identify(u, out.identity)
	out.record, out.invalid = l.decoder.reference(u, claims)
}

// reference makes the record of a custom resource. Its name has the kind in front, since objects of several kinds share the table.
func (d *decoder) reference(o *unstructured.Unstructured, claims []string) (any, error) {
	if o.GetName() == "" {
		return nil, fmt.Errorf("decode %s: %w", o.GetKind(), errNoName)
	}
	ref := &Reference{Meta: d.meta(References, o), Kind: d.strings.get(o.GetKind())}
	ref.Name = ref.Kind + "/" + ref.Name
	for _, c := range claims {
		ref.Claims = append(ref.Claims, d.strings.get(c))
	}
	return ref, nil
}
