package cluster

import (
	"bytes"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
)

// newSerializer gives the serializer of API clients: JSON as ever, and protobuf of which only the wanted fields are decoded.
func newSerializer() runtime.NegotiatedSerializer {
	base := serializer.NewCodecFactory(kinds).WithoutConversion()
	s := siftingSerializer{base, nil}
	for _, info := range base.SupportedMediaTypes() {
		if info.MediaType == runtime.ContentTypeProtobuf {
			stream := *info.StreamSerializer
			stream.Serializer = eventReader{stream.Serializer}
			info.Serializer, info.StreamSerializer = objectReader{info.Serializer}, &stream
		}
		s.types = append(s.types, info)
	}
	return s
}

type siftingSerializer struct {
	runtime.NegotiatedSerializer
	types []runtime.SerializerInfo
}

func (s siftingSerializer) SupportedMediaTypes() []runtime.SerializerInfo { return s.types }

// objectReader decodes objects and lists. What it has no mask of, such as a Status, client-go's own serializer decodes.
type objectReader struct{ runtime.Serializer }

// envelope is the beginning of every object in protobuf; a runtime.Unknown follows (k8s.io/apimachinery pkg/runtime/serializer/protobuf).
var envelope = []byte("k8s\x00")

// scratch are buffers for sifted messages, of which the decoded objects keep nothing.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// maxScratch bounds a buffer that is kept, in bytes: a list may be large, and comes once.
const maxScratch = 1 << 20

// Decode gives the object that data is, with its wanted fields only.
func (r objectReader) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	kind, raw := openEnvelope(data)
	if kind == nil || into != nil {
		return r.Serializer.Decode(data, defaults, into)
	}
	obj, err := kinds.New(kind.gvk)
	if err != nil {
		return nil, &kind.gvk, err
	}
	message, ok := obj.(interface{ Unmarshal([]byte) error })
	if !ok {
		return r.Serializer.Decode(data, defaults, into)
	}
	buffer := scratch.Get().(*[]byte)
	defer func() {
		if cap(*buffer) <= maxScratch {
			scratch.Put(buffer)
		}
	}()
	if *buffer, err = kind.mask.sift((*buffer)[:0], raw); err != nil {
		return nil, &kind.gvk, err
	}
	return obj, &kind.gvk, message.Unmarshal(*buffer)
}

// openEnvelope gives the kind and the message, or nil when the kind has no mask or the message comes in any unusual way.
func openEnvelope(data []byte) (kind *wireKind, raw []byte) {
	rest, ok := bytes.CutPrefix(data, envelope)
	if !ok {
		return nil, nil
	}
	for len(rest) > 0 {
		f, err := nextField(rest)
		if err != nil {
			return nil, nil
		}
		value := rest[f.value:f.end]
		switch {
		case f.wire != lengthDelimited:
			return nil, nil
		case f.number == 1:
			kind = kindOf(value)
		case f.number == 2:
			raw = value
		case f.number == 3 && len(value) > 0: // a content encoding
			return nil, nil
		}
		rest = rest[f.end:]
	}
	return kind, raw
}

// kindOf finds the kind of a runtime.TypeMeta.
func kindOf(typeMeta []byte) *wireKind {
	var version, name []byte
	for len(typeMeta) > 0 {
		f, err := nextField(typeMeta)
		if err != nil {
			return nil
		}
		switch f.number {
		case 1:
			version = typeMeta[f.value:f.end]
		case 2:
			name = typeMeta[f.value:f.end]
		}
		typeMeta = typeMeta[f.end:]
	}
	var room [128]byte
	return wireKinds[string(append(append(append(room[:0], version...), ' '), name...))]
}

// eventReader decodes the frames of a watch. Their objects stay where they are: client-go decodes each before it reads the next frame.
type eventReader struct{ runtime.Serializer }

// Decode fills into, a metav1.WatchEvent, whose object is part of data.
func (r eventReader) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	event, ok := into.(*metav1.WatchEvent)
	if !ok {
		return r.Serializer.Decode(data, defaults, into)
	}
	for rest := data; len(rest) > 0; {
		f, err := nextField(rest)
		if err != nil {
			return nil, nil, err
		}
		switch value := rest[f.value:f.end]; f.number {
		case 1:
			event.Type = eventType(value)
		case 2: // a runtime.RawExtension, which has the one field
			object, err := nextField(value)
			if err != nil {
				return nil, nil, err
			}
			event.Object.Raw = value[object.value:object.end]
		}
		rest = rest[f.end:]
	}
	return event, &eventKind, nil
}

var eventKind = metav1.SchemeGroupVersion.WithKind("WatchEvent")

func eventType(b []byte) string {
	for _, t := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted, watch.Bookmark, watch.Error} {
		if string(b) == string(t) {
			return string(t)
		}
	}
	return string(b)
}
