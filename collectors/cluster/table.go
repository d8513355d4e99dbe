package cluster

import (
	"cmp"
	"slices"
	"sort"
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
func metaOf[T any](row *T) *Meta { return any(row).(interface{ meta() *Meta }).meta() }

// Table holds the records of one resource, ordered by namespace and name. Records are never changed once they are in a table: an
// update puts a new one in, so whoever holds a record may compare its address to learn whether the object has changed.
type Table[T any] struct {
	rows  map[key]*T
	order []*T
	spare []*T             // the slice that order was before, to be filled at the next settling
	dirty map[key]struct{} // keys whose place in order is out of date
	// changed is told of each record that goes (old) and comes (new), either may be nil; it keeps the indexes.
	changed func(old, new *T)
}

// All gives the records, by namespace and name. The slice is good until the view is closed, and must not be changed.
func (t *Table[T]) All() []*T { return t.order }

// Len gives the number of records.
func (t *Table[T]) Len() int { return len(t.rows) }

// Get gives a record, or nil. The namespace of a cluster-wide object is "".
func (t *Table[T]) Get(namespace, name string) *T { return t.rows[key{namespace, name}] }

// In gives the records of a namespace, by name, as part of All.
func (t *Table[T]) In(namespace string) []*T {
	from := sort.Search(len(t.order), func(i int) bool { return metaOf(t.order[i]).Namespace >= namespace })
	to := from + sort.Search(len(t.order)-from, func(i int) bool { return metaOf(t.order[from+i]).Namespace > namespace })
	return t.order[from:to]
}

func (t *Table[T]) put(row *T) {
	k := metaOf(row).key()
	old := t.rows[k]
	if t.rows == nil {
		t.rows, t.dirty = map[key]*T{}, map[key]struct{}{}
	}
	t.rows[k] = row
	t.dirty[k] = struct{}{}
	if t.changed != nil {
		t.changed(old, row)
	}
}

func (t *Table[T]) remove(k key) {
	old, ok := t.rows[k]
	if !ok {
		return
	}
	delete(t.rows, k)
	t.dirty[k] = struct{}{}
	if t.changed != nil {
		t.changed(old, nil)
	}
}

// settle brings order up to date: the keys that changed are merged into it, the rest is copied in long runs.
func (t *Table[T]) settle() {
	if len(t.dirty) == 0 {
		return
	}
	keys := make([]key, 0, len(t.dirty))
	for k := range t.dirty {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, key.compare)
	next, from := t.spare[:0], 0
	for _, k := range keys {
		i, found := slices.BinarySearchFunc(t.order[from:], k, func(row *T, k key) int { return metaOf(row).key().compare(k) })
		next = append(next, t.order[from:from+i]...)
		from += i
		if found {
			from++
		}
		if row, ok := t.rows[k]; ok {
			next = append(next, row)
		}
	}
	next = append(next, t.order[from:]...)
	clear(t.order)
	t.order, t.spare = next, t.order[:0]
	clear(t.dirty)
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
