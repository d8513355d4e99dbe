package placement

import (
	"cmp"
	"slices"

	"tocsin/collectors/cluster"
)

// record is what a cluster.Table holds.
type record interface {
	cluster.Node | cluster.Claim | cluster.Volume | cluster.Pod
}

// metaOf gives a record's metadata.
func metaOf[T record](r *T) *cluster.Meta {
	switch r := any(r).(type) {
	case *cluster.Node:
		return &r.Meta
	case *cluster.Claim:
		return &r.Meta
	case *cluster.Volume:
		return &r.Meta
	}
	return &any(r).(*cluster.Pod).Meta
}

func order(a, b *cluster.Meta) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// diff calls changed for each record that is not the same in both ordered lists: old is nil for a new one, now for one that is gone.
// Equal stretches cost a comparison of addresses.
func diff[T record](before, now []*T, changed func(old, now *T)) {
	i := 0
	for _, n := range now {
		for i < len(before) && before[i] != n {
			o := order(metaOf(before[i]), metaOf(n))
			if o >= 0 {
				break
			}
			changed(before[i], nil)
			i++
		}
		switch {
		case i < len(before) && before[i] == n:
			i++
		case i < len(before) && order(metaOf(before[i]), metaOf(n)) == 0:
			changed(before[i], n)
			i++
		default:
			changed(nil, n)
		}
	}
	for ; i < len(before); i++ {
		changed(before[i], nil)
	}
}

// find gives the record of a name in an ordered list, or nil.
func find[T record](list []*T, namespace, name string) *T {
	m := cluster.Meta{Namespace: namespace, Name: name}
	i, ok := slices.BinarySearchFunc(list, &m, func(r *T, m *cluster.Meta) int { return order(metaOf(r), m) })
	if !ok {
		return nil
	}
	return list[i]
}

// keep copies now into the memory of before, and lets go what before held beyond it.
func keep[T record](before, now []*T) []*T {
	kept := before[:0]
	kept = append(kept, now...)
	if len(kept) < len(before) {
		clear(before[len(kept):])
	}
	return kept
}
