package cluster

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Shard is the part of a cluster that one of several exporters judges: whole namespaces, so that all that a verdict joins is in one
// hand. The zero Shard, as any with a Total below 2, is the whole cluster.
//
// Of what belongs to no namespace, a Namespace goes with itself and a PersistentVolume with its claim's namespace. Nodes and
// StorageClasses are read by every shard, and so are volumes without a claim, since a claim may already name them; each of these is
// still counted and judged by one shard only, which its name decides, so that what the shards count adds up to the cluster's.
//
// kube-state-metrics' pkg/sharding does not fit: it deals out objects by their UID, which parts a CronJob from its Jobs.
type Shard struct {
	Index int // from 0
	Total int
}

// Has tells whether the namespace is the shard's. When Total grows or shrinks by one, only one namespace in Total changes hands.
func (s Shard) Has(namespace string) bool {
	if s.Total < 2 {
		return true
	}
	return jump(hash(namespace), s.Total) == s.Index
}

// hash is FNV-1a, which hash/fnv gives too, but not without allocations.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// jump is the consistent hash of Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm" (2014): a number below buckets.
func jump(key uint64, buckets int) int {
	at, next := int64(-1), int64(0)
	for next < int64(buckets) {
		at = next
		key = key*2862933555777941757 + 1
		next = int64(float64(at+1) * (float64(1<<31) / float64((key>>33)+1)))
	}
	return int(at)
}

// reads tells whether the shard has to know an object, whose home is given.
func (s Shard) reads(home string) bool { return home == "" || s.Has(home) }

// owns tells whether an object is the shard's to count and to judge.
func (s Shard) owns(home, name string) bool { return s.Has(cmp.Or(home, name)) }

// homeOf gives the namespace with which the record's object goes, "" when every shard has to know it.
func homeOf(record Record) string {
	switch r := record.(type) {
	case *Namespace:
		return r.Name
	case *Volume:
		return r.ClaimNamespace
	}
	return record.meta().Namespace
}

// homeOfObject is homeOf before a record is made.
func homeOfObject(obj metav1.Object) string {
	switch o := obj.(type) {
	case *corev1.Namespace:
		return o.Name
	case *corev1.PersistentVolume:
		if o.Spec.ClaimRef == nil {
			return ""
		}
		return o.Spec.ClaimRef.Namespace
	}
	return obj.GetNamespace()
}

// Record is a record of an object, of any kind.
type Record interface{ meta() *Meta }

// Owns tells whether the object is this shard's to count and to judge, and not only to know of.
func (v *View) Owns(record Record) bool {
	return v.shard.Total < 2 || v.shard.owns(homeOf(record), record.meta().Name)
}

// Shard is the part of the cluster that the view shows.
func (v *View) Shard() Shard { return v.shard }
