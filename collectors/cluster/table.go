package cluster

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// key names an object within its resource.
type key struct{ namespace, name string }

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.namespace, o.namespace), cmp.Compare(k.name, o.name))
}

// in tells whether a list of the scope would show the object: a namespace's, or for References those of a custom resource, whose names
// begin with it.
func (k key) in(scope string) bool {
	return scope == "" || k.namespace == scope || strings.HasPrefix(k.name, scope+"/")
}

func (m *Meta) meta() *Meta { return m }
func (m *Meta) key() key    { return key{m.Namespace, m.Name} }

// metaOf gives the Meta that the record *T embeds.
func metaOf[T any](row *T) *Meta { return any(row).(Record).meta() }

// Table holds the records of one resource, ordered by namespace and name. Records are never changed once they are in a table: an
// update puts a new one in, so whoever holds a record may compare its address to learn whether the object has changed.
//
// A record is found by bisecting its namespace, not by a map of all: the map would take 60 bytes per object, a fifth of a record.
type Table[T any] struct {
	order []*T
	spans map[string]span // of each namespace in order
	spare []*T            // the slice that order was before, to be filled at the next settling
	dirty map[key]*T      // what has come, or gone (nil), since the last settling
	count int
	owned int // those of them that are the shard's to count
	// changed is told of each record that goes (old) and comes (new), either may be nil; it keeps the indexes.
	changed func(old, new *T)
}

// span is a part of a slice.
type span struct{ from, to int }

// All gives the records, by namespace and name. The slice is good until the view is closed, and must not be changed.
func (t *Table[T]) All() []*T { return t.order }

// Len gives the number of records.
func (t *Table[T]) Len() int { return t.count }

// Get gives a record, or nil. The namespace of a cluster-wide object is "".
func (t *Table[T]) Get(namespace, name string) *T { return t.get(key{namespace, name}) }

func (t *Table[T]) get(k key) *T {
	if len(t.dirty) > 0 {
		if row, ok := t.dirty[k]; ok {
			return row
		}
	}
	in := t.In(k.namespace)
	i, found := slices.BinarySearchFunc(in, k.name, func(row *T, name string) int { return cmp.Compare(metaOf(row).Name, name) })
	if found {
		return in[i]
	}
	return nil
}

// In gives the records of a namespace, by name, as part of All.
func (t *Table[T]) In(namespace string) []*T {
	s := t.spans[namespace]
	return t.order[s.from:s.to]
}

func (t *Table[T]) put(row *T) {
	k := metaOf(row).key()
	old := t.get(k)
	if old == nil {
		t.count++
	}
	t.touch(k, old, row)
}

func (t *Table[T]) remove(k key) {
	if old := t.get(k); old != nil {
		t.count--
		t.touch(k, old, nil)
	}
}

func (t *Table[T]) touch(k key, old, row *T) {
	if t.dirty == nil {
		t.dirty = map[key]*T{}
	}
	t.dirty[k] = row
	if t.changed != nil {
		t.changed(old, row)
	}
}

// keptDirty bounds the memory that is kept for the changes between two settlings.
const keptDirty = 1024

// settle brings order up to date: the keys that changed are merged into it, the rest is copied in long runs.
func (t *Table[T]) settle() {
	if len(t.dirty) == 0 {
		return
	}
	keys := slices.SortedFunc(maps.Keys(t.dirty), key.compare)
	next, rest := t.spare[:0], t.order
	if cap(next) < t.count {
		next = make([]*T, 0, t.count+t.count/8)
	}
	for _, k := range keys {
		i, found := slices.BinarySearchFunc(rest, k, func(row *T, k key) int { return metaOf(row).key().compare(k) })
		next = append(next, rest[:i]...)
		rest = rest[i:]
		if found {
			rest = rest[1:]
		}
		if row := t.dirty[k]; row != nil {
			next = append(next, row)
		}
	}
	next = append(next, rest...)
	clear(t.order)
	t.order, t.spare = next, t.order[:0]
	if len(t.dirty) > keptDirty { // after a list; a map never gives memory back
		t.dirty, t.spare = nil, nil
	}
	clear(t.dirty)
	t.divide()
}

// divide finds the namespaces in order.
func (t *Table[T]) divide() {
	clear(t.spans)
	if t.spans == nil {
		t.spans = map[string]span{}
	}
	from := 0
	for i := range t.order {
		namespace := metaOf(t.order[from]).Namespace
		if i+1 == len(t.order) || metaOf(t.order[i+1]).Namespace != namespace {
			t.spans[namespace] = span{from, i + 1}
			from = i + 1
		}
	}
}

// index finds records by something other than their name.
type index[K comparable, T any] map[K][]*T

func (x index[K, T]) add(k K, row *T) { x[k] = append(x[k], row) }

func (x index[K, T]) drop(k K, row *T) {
	rows := x[k]
	i := slices.Index(rows, row)
	if i < 0 {
		return
	}
	if len(rows) == 1 {
		delete(x, k)
		return
	}
	rows[i] = rows[len(rows)-1]
	rows[len(rows)-1] = nil
	x[k] = rows[:len(rows)-1]
}
