package cluster

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"sync"
	"weak"
)

// The bounds of a generation of interned strings. They hold the label sets and owners of a large cluster's list in its order; what
// falls out of them is stored once more when it comes again, which costs memory and nothing else.
const (
	maxInternCount  = 4096
	maxInternBytes  = 512 << 10
	maxInternLength = 4096
)

// interner makes equal strings share their memory. It holds two generations: what has not been asked for while the younger one filled
// up is let go, so that its size is bounded whatever comes. The package unique was left: it lets a value go as soon as nobody holds
// its handle, and a handle instead of a string would show in every record.
type interner struct {
	mu         sync.Mutex
	young, old map[string]string
	bytes      int
}

func newInterner() *interner { return &interner{young: map[string]string{}} }

// get gives a string equal to s that shares no memory with it, the same one each time while it is remembered.
func (n *interner) get(s string) string {
	if s == "" {
		return ""
	}
	if len(s) > maxInternLength {
		return strings.Clone(s)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if known, ok := n.young[s]; ok {
		return known
	}
	known, ok := n.old[s]
	if !ok {
		known = strings.Clone(s)
	}
	return n.remember(known)
}

// getBytes is get for a string that is still bytes; it allocates only what is new.
func (n *interner) getBytes(b []byte) string {
	if len(b) == 0 || len(b) > maxInternLength {
		return string(b)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if known, ok := n.young[string(b)]; ok {
		return known
	}
	known, ok := n.old[string(b)]
	if !ok {
		known = string(b)
	}
	return n.remember(known)
}

func (n *interner) remember(s string) string {
	if len(n.young) >= maxInternCount || n.bytes+len(s) > maxInternBytes {
		n.old, n.young, n.bytes = n.young, make(map[string]string, len(n.young)), 0
	}
	n.young[s] = s
	n.bytes += len(s)
	return s
}

// pointers makes equal values one pointer, for as long as somebody holds it: it holds the values weakly, and forgets one when it is
// collected.
type pointers[T any] struct {
	mu    sync.Mutex
	known map[string]weak.Pointer[T]
}

// get gives the pointer whose value has the encoding, and makes it first when there is none.
func (p *pointers[T]) get(encoding []byte, build func() *T) *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.known[string(encoding)].Value(); known != nil {
		return known
	}
	if p.known == nil {
		p.known = map[string]weak.Pointer[T]{}
	}
	value, id := build(), string(encoding)
	p.known[id] = weak.Make(value)
	runtime.AddCleanup(value, p.forget, id)
	return value
}

func (p *pointers[T]) forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.known[id]; ok && known.Value() == nil { // it may have come again meanwhile
		delete(p.known, id)
	}
}

// packLabels encodes labels as Labels does, sorted by key, without those named.
func packLabels(set map[string]string, without ...string) []byte {
	if len(set) == 0 {
		return nil
	}
	keys, size := make([]string, 0, len(set)), 0
	for k, v := range set {
		if !slices.Contains(without, k) {
			keys = append(keys, k)
			size += len(k) + len(v) + 2
		}
	}
	slices.Sort(keys)
	var b bytes.Buffer
	b.Grow(size)
	for _, k := range keys {
		b.WriteString(k)
		b.WriteByte(0)
		b.WriteString(set[k])
		b.WriteByte(0)
	}
	return b.Bytes()
}
