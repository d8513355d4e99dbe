package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// feed is one list and watch: client-go's reflector calls it with API objects, and it hands records to the store. It also watches the
// requests themselves, because the reflector retries most failures without telling anybody.
type feed struct {
	watcher   *Watcher
	resource  Resource
	gvr       schema.GroupVersionResource
	namespace string // "" for the cluster
	scope     string // in the store

	mu      sync.Mutex
	failing time.Time // since when requests have failed, zero while they succeed
	refused time.Time // since when it has been refused and nothing else, zero otherwise: a server that was away is not one that refused
	told    []string  // the failures that have been logged since a watch last opened
}

// carrier is a record in the reflector's hands: while a list is streamed the reflector keeps the objects by name until the last has
// come, and so keeps records rather than API objects.
type carrier struct {
	metav1.Object   // what else the reflector may ask for, all of it empty
	namespace, name string
	record          any // nil when the object could not be decoded
}

var noMeta metav1.ObjectMeta

func (c *carrier) GetNamespace() string { return c.namespace }
func (c *carrier) GetName() string      { return c.name }

// Transformer makes carriers of API objects as they arrive in a streamed list.
func (f *feed) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		if c, ok := obj.(*carrier); ok {
			return c, nil
		}
		return f.carry(obj), nil
	}
}

// foreign stands for every object of another shard: no record is made of it, and nothing of it is kept.
var foreign = &carrier{Object: &noMeta}

func (f *feed) carry(obj any) *carrier {
	if c, ok := obj.(*carrier); ok {
		return c
	}
	m, named := obj.(metav1.Object)
	if named && !f.watcher.store.shard.reads(homeOfObject(m)) {
		f.meet(m.GetName(), false)
		return foreign
	}
	c := &carrier{Object: &noMeta}
	if named {
		c.namespace, c.name = m.GetNamespace(), m.GetName()
	}
	record, err := f.record(obj)
	if err != nil {
		f.watcher.options.Logger.Warn("object left out", "resource", f.resource, "err", err)
		return c
	}
	c.record = record
	return c
}

func (f *feed) record(obj any) (any, error) {
	u, ok := obj.(*unstructured.Unstructured)
	if f.resource != References || !ok {
		return f.watcher.decoder.record(f.resource, obj.(runtime.Object))
	}
	claims, _ := f.watcher.options.Rules(u.GroupVersionKind(), u.Object)
	record, err := f.watcher.decoder.reference(u, claims)
	if r, ok := record.(*Reference); ok {
		r.Name = f.scope + "/" + r.Name // by which Store.Replace knows what is in the scope
	}
	return record, err
}

// Add takes an object that the watch shows for the first time.
func (f *feed) Add(obj any) error { return f.put(obj) }

// Update takes an object that has changed.
func (f *feed) Update(obj any) error { return f.put(obj) }

func (f *feed) put(obj any) error {
	c := f.carry(obj)
	if c == foreign {
		return f.another(obj)
	}
	if c.record == nil {
		f.watcher.store.Invalid(f.resource, f.scope, c.namespace, c.name)
		return nil
	}
	f.watcher.store.Put(f.resource, f.scope, c.record)
	return nil
}

// another takes an object of another shard: a volume may have been this one's until now, others never were.
func (f *feed) another(obj any) error {
	if v, ok := obj.(*corev1.PersistentVolume); ok {
		f.watcher.store.Delete(f.resource, f.scope, &Meta{Name: v.Name})
		return nil
	}
	f.watcher.store.Heard(f.resource, f.scope)
	return nil
}

// Delete takes the last state of an object that is gone.
func (f *feed) Delete(obj any) error {
	c := f.carry(obj)
	if c == foreign {
		f.meet(obj.(metav1.Object).GetName(), true)
		return f.another(obj)
	}
	if c.record != nil {
		f.watcher.store.Delete(f.resource, f.scope, c.record)
	}
	return nil
}

// Replace takes a whole list.
func (f *feed) Replace(objects []any, _ string) error {
	records, invalid := make([]any, 0, len(objects)), 0
	for i, obj := range objects {
		switch c := f.carry(obj); {
		case c == foreign:
		case c.record != nil:
			records = append(records, c.record)
		default:
			invalid++
		}
		objects[i] = nil // the API object can go as soon as its record stands
	}
	f.watcher.store.Replace(f.resource, f.scope, records, invalid)
	f.namespacesKnown()
	return nil
}

// Resync is not used: nothing here is ever played again.
func (f *feed) Resync() error { return nil }

// Bookmark notes a sign of life.
func (f *feed) Bookmark(string) error {
	f.watcher.store.Heard(f.resource, f.scope)
	return nil
}

// listWatch gives the requests, each watched for its outcome.
func (f *feed) listWatch() *cache.ListWatch {
	lw := f.watcher.requests(f)
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			defer f.slow()()
			list, err := lw.ListWithContext(ctx, o)
			f.answered(ctx, err, false)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			defer f.slow()()
			stream, err := lw.WatchWithContext(ctx, o)
			if o.SendInitialEvents != nil && apierrors.IsInvalid(err) {
				return stream, err // the API server does not stream lists; the reflector lists as ever
			}
			f.answered(ctx, err, true)
			return stream, err
		},
	}
}

// slowAfter is how long an API server may take to begin an answer before it is said.
const slowAfter = 30 * time.Second

// slow tells of a request that nobody answers, unless what it returns is called in time.
func (f *feed) slow() (answered func()) {
	timer := time.AfterFunc(slowAfter, func() {
		err := fmt.Errorf("no answer for %s", slowAfter)
		f.watcher.contact.fails(err)
		f.watcher.store.waitsFor(f.resource, f.scope, err.Error())
		f.namespacesKnown()
	})
	return func() { timer.Stop() }
}

// answered notes how a request went. Only a watch that opens makes a source sound: a list alone would be old in a minute.
func (f *feed) answered(ctx context.Context, err error, watches bool) {
	switch {
	case ctx.Err() != nil:
	case err != nil:
		f.failed(err)
	case watches:
		f.watcher.contact.answers()
		f.mu.Lock()
		f.failing, f.refused, f.told = time.Time{}, time.Time{}, nil
		f.mu.Unlock()
		f.watcher.store.Heard(f.resource, f.scope)
	}
}

// failed turns a failure into the source's state, and tells of it when it is news. A server that only does not answer for a while
// leaves the source as it was; one that stays silent makes it Stale. 410 Gone and 429 are part of the protocol.
func (f *feed) failed(err error) {
	f.namespacesKnown()
	if f.sifted() {
		f.watcher.others.heed(err)
	}
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsTooManyRequests(err) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failing.IsZero() {
		f.failing = time.Now()
	}
	switch {
	case !apierrors.IsForbidden(err):
		f.refused = time.Time{}
	case f.refused.IsZero():
		f.refused = time.Now()
	}
	store := f.watcher.store
	switch {
	case apierrors.IsForbidden(err) && store.listed(f.resource, f.scope) && time.Since(f.refused) < f.watcher.options.ForbiddenAfter:
		// An API server that has just started refuses everybody until it has read its roles. What was permitted a moment ago is not
		// called forbidden, and its verdicts not dropped, for that.
	case apierrors.IsForbidden(err):
		reason, state, message := f.missingRule(), Forbidden, "a source is forbidden, its verdicts are off"
		if f.namespace == "" && len(f.watcher.options.Namespaces) > 0 {
			// Who looks at some namespaces only may well have no right to what belongs to none.
			state, message = Off, "a cluster-wide source may not be read and is off, and so are the verdicts that need it"
		}
		store.SetState(f.resource, f.scope, state, reason)
		f.tell(message, "missing", reason)
	case apierrors.IsNotFound(err):
		store.SetState(f.resource, f.scope, Absent, "the API server does not have "+f.gvr.GroupResource().String())
		if !f.resource.Info().Optional {
			f.tell("the API server does not have a resource, its verdicts are off", "err", err)
		}
	default:
		if status := apierrors.APIStatus(nil); errors.As(err, &status) {
			err = fmt.Errorf("%w (%d %s)", err, status.Status().Code, status.Status().Reason) // the message may well be empty
			f.tell("a source fails, trying on", "err", err)
		} else {
			f.watcher.contact.fails(err)
		}
		f.fade(err)
	}
}

// tell logs a failure, once until a watch opens again.
func (f *feed) tell(message, key string, value any) {
	if !slices.Contains(f.told, message) {
		f.told = append(f.told, message)
		f.watcher.options.Logger.Warn(message, "resource", f.gvr.Resource, "namespace", f.namespace, key, value)
	}
}

// fade marks the source as never synced with the reason, or as stale once it has failed for long.
func (f *feed) fade(err error) {
	store := f.watcher.store
	if !store.listed(f.resource, f.scope) {
		store.waitsFor(f.resource, f.scope, err.Error())
		return
	}
	if since := time.Since(f.failing); since >= f.watcher.options.StaleAfter {
		reason := fmt.Sprintf("no answer for %s: %v", f.watcher.options.StaleAfter, err)
		store.SetState(f.resource, f.scope, Stale, reason)
		f.tell("a source is stale, its verdicts are off", "err", err)
	}
}

// missingRule says which RBAC rule would let the source in.
func (f *feed) missingRule() string {
	where := "a ClusterRole"
	if f.namespace != "" {
		where = "a Role in namespace " + f.namespace
	}
	return fmt.Sprintf("%s with apiGroups: [%q], resources: [%q], verbs: [list, watch]", where, f.gvr.Group, f.gvr.Resource)
}
