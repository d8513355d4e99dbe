package cluster

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
)

// maxSelector bounds the field selector by which a shard asks for less, in bytes. API servers take a request line of a megabyte, what
// stands before them often less, and they compare each object with each term.
const maxSelector = 16 << 10

// others are the namespaces of other shards, which the API server is asked to leave out. No field selector can hash, but it can name
// them: one that is not known yet is only sent in vain, and the shard's own are never named, so that the list may change from one
// request to the next.
type others struct {
	known func() // has those wait no longer that want to know them
	wait  <-chan struct{}

	mu      sync.Mutex
	names   map[string]struct{}
	refused bool // a request that named them was too long for somebody on the way
}

func newOthers() *others {
	known := make(chan struct{})
	return &others{known: sync.OnceFunc(func() { close(known) }), wait: known, names: map[string]struct{}{}}
}

func (o *others) add(namespace string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.names[namespace] = struct{}{}
}

func (o *others) drop(namespace string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.names, namespace)
}

// terms gives a term for each namespace, as far as they are not too long together.
func (o *others) terms() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refused {
		return nil
	}
	var terms []string
	length := 0
	for _, n := range slices.Sorted(maps.Keys(o.names)) {
		term := withoutNamespace(n)
		if length += len(term) + 1; length > maxSelector {
			break
		}
		terms = append(terms, term)
	}
	return terms
}

func withoutNamespace(name string) string {
	return fields.OneTermNotEqualSelector("metadata.namespace", name).String()
}

// heed looks at a failure: after one that tells of too long a request none names the namespaces.
func (o *others) heed(err error) {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		switch status.Status().Code {
		case http.StatusRequestURITooLong, http.StatusRequestHeaderFieldsTooLarge, http.StatusBadRequest:
			o.mu.Lock()
			defer o.mu.Unlock()
			o.refused = true
		}
	}
}

// sifted tells whether a feed's requests name the namespaces of other shards.
func (f *feed) sifted() bool {
	return f.watcher.others != nil && f.namespace == "" && f.resource.Info().Namespaced
}

// start follows the feed, once the namespaces of other shards are known if its requests are to name them.
func (f *feed) start(ctx context.Context) {
	if f.sifted() {
		select {
		case <-f.watcher.others.wait:
		case <-ctx.Done():
		}
	}
	f.follow(ctx)
}

// namespacesKnown ends the wait for the namespaces: they have been listed, or cannot be for now.
func (f *feed) namespacesKnown() {
	if f.resource == Namespaces && f.watcher.others != nil {
		f.watcher.others.known()
	}
}

// meet notes a namespace of another shard, and forgets it when it is gone.
func (f *feed) meet(name string, gone bool) {
	switch {
	case f.resource != Namespaces || f.watcher.others == nil:
	case gone:
		f.watcher.others.drop(name)
	default:
		f.watcher.others.add(name)
	}
}

// confined tells whether the resource is listed namespace by namespace.
func (w *Watcher) confined(r Resource) bool {
	return r.Info().Namespaced && len(w.options.Namespaces) > 0
}

// namespaces gives those that are listed one by one, less those of other shards.
func (w *Watcher) namespaces() []string {
	return slices.DeleteFunc(slices.Clone(w.options.Namespaces), func(n string) bool { return !w.store.shard.Has(n) })
}

// settleEmpty lets a shard that none of the namespaces falls to know that it has nothing, since nobody will tell it.
func (w *Watcher) settleEmpty() {
	for _, r := range w.options.Resources {
		switch {
		case !w.confined(r) || len(w.namespaces()) > 0:
		case r.Info().Optional:
			w.store.SetState(r, "", Absent, "none of the namespaces is this shard's")
		default:
			w.store.Replace(r, "", nil, 0)
		}
	}
}
