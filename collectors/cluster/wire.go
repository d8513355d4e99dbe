package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// mask says which fields of a protobuf message are read.
type mask struct {
	fields []*mask // by field number; nil is not read
	// A map's entries are told by their keys: those in entries are read, and of the others the key alone where names is set.
	isMap   bool
	names   bool
	entries map[string]struct{}
}

// whole is the mask of a field that is read as it is.
var whole = &mask{}

// newMask makes the mask of a type of k8s.io/api from paths as the fields' protobuf tags name them: "spec.nodeName". A path that ends
// with {} reads of a message only whether it is there; one that ends with [key] reads an entry of a map, with [] all keys of a map. A path
// that the type does not have is a mistake of this program, and panics.
func newMask(t reflect.Type, paths ...string) *mask {
	m := &mask{}
	for _, path := range paths {
		fields, key, isMap := strings.Cut(path, "[")
		at, of, rest := m, t, fields
		for rest != "" {
			var name string
			name, rest, _ = strings.Cut(rest, ".")
			name, presence := strings.CutSuffix(name, "{}")
			number, field := protobufField(of, name)
			last := rest == "" && !presence && !isMap
			at = at.child(number, last)
			of = field
		}
		if !isMap {
			continue
		}
		at.isMap = true
		if key = strings.TrimSuffix(key, "]"); key == "" {
			at.names = true
			continue
		}
		if at.entries == nil {
			at.entries = map[string]struct{}{}
		}
		at.entries[key] = struct{}{}
	}
	return m
}

// child gives the mask of a field, a new one unless there is one already.
func (m *mask) child(number int, last bool) *mask {
	for len(m.fields) <= number {
		m.fields = append(m.fields, nil)
	}
	switch {
	case last:
		m.fields[number] = whole
	case m.fields[number] == whole:
		panic(fmt.Sprintf("field %d is read whole, and a part of it named as well", number)) // whole is shared, and must not be changed
	case m.fields[number] == nil:
		m.fields[number] = &mask{}
	}
	return m.fields[number]
}

// protobufField finds a field of a message by its name, and gives its number and the type of its elements.
func protobufField(t reflect.Type, name string) (int, reflect.Type) {
	for f := range t.Fields() {
		tag := strings.Split(f.Tag.Get("protobuf"), ",")
		if !slices.Contains(tag, "name="+name) {
			continue
		}
		number, err := strconv.Atoi(tag[1])
		if err != nil {
			break
		}
		of := f.Type
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		return number, of
	}
	panic(fmt.Sprintf("%s has no field %s", t, name))
}

var errWire = errors.New("malformed protobuf")

// field is one field of a message, as its bytes.
type field struct {
	number, wire int
	tag          int // length of the tag
	value        int // where the value begins: behind the length of what has one
	end          int
}

// lengthDelimited is the wire type of messages, strings and bytes.
const lengthDelimited = 2

// nextField reads the field at the beginning of b.
func nextField(b []byte) (field, error) {
	tag, n := binary.Uvarint(b)
	if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29 {
		return field{}, errWire
	}
	f := field{number: int(tag >> 3), wire: int(tag & 7), tag: n, value: n}
	switch f.wire {
	case 0:
		_, k := binary.Uvarint(b[n:])
		if k <= 0 {
			return f, errWire
		}
		f.end = n + k
	case 1:
		f.end = n + 8
	case lengthDelimited:
		length, k := binary.Uvarint(b[n:])
		if k <= 0 || length > uint64(len(b)-n-k) {
			return f, errWire
		}
		f.value = n + k
		f.end = f.value + int(length)
	case 5:
		f.end = n + 4
	default: // groups, which no API type has
		return f, errWire
	}
	if f.end > len(b) {
		return f, errWire
	}
	return f, nil
}

// sift appends to dst what the mask reads of a message. What is left out is passed over by its length: neither looked at nor copied.
func (m *mask) sift(dst, message []byte) ([]byte, error) {
	for len(message) > 0 {
		f, err := nextField(message)
		if err != nil {
			return dst, err
		}
		var sub *mask
		if f.number < len(m.fields) {
			sub = m.fields[f.number]
		}
		if sub != nil && sub.isMap {
			if sub, err = sub.ofEntry(message[f.value:f.end]); err != nil {
				return dst, err
			}
		}
		switch {
		case sub == nil:
		case sub == whole || f.wire != lengthDelimited:
			dst = append(dst, message[:f.end]...)
		default:
			dst = append(dst, message[:f.value]...)
			at := len(dst)
			if dst, err = sub.sift(dst, message[f.value:f.end]); err != nil {
				return dst, err
			}
			putPadded(dst[at-(f.value-f.tag):at], len(dst)-at)
		}
		message = message[f.end:]
	}
	return dst, nil
}

// keyOnly is the mask of a map's entry of which the key is read.
var keyOnly = &mask{fields: []*mask{nil, whole}}

// ofEntry gives the mask of a map's entry, by its key.
func (m *mask) ofEntry(entry []byte) (*mask, error) {
	for rest := entry; len(rest) > 0; {
		f, err := nextField(rest)
		if err != nil {
			return nil, err
		}
		if f.number == 1 {
			if _, ok := m.entries[string(rest[f.value:f.end])]; ok {
				return whole, nil
			}
			break
		}
		rest = rest[f.end:]
	}
	if m.names {
		return keyOnly, nil
	}
	return nil, nil
}

// putPadded writes a number as a varint that fills b: a length has become shorter, and what follows it need not move for that.
func putPadded(b []byte, n int) {
	for i := range b {
		b[i] = byte(n&0x7f) | 0x80
		n >>= 7
	}
	b[len(b)-1] &= 0x7f
}
