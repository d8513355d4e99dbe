package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// WatchOptions say what to watch and how.
type WatchOptions struct {
	Resources []Resource
	// Namespaces restricts the namespaced resources; empty is the whole cluster. Each namespace has a list and watch of its own, so
	// that a Role suffices.
	Namespaces []string
	// Exclude are namespaces that the API server leaves out of what it sends.
	Exclude []string
	// Custom are the custom resources that claim rules are about, when Resources has References; Rules gives the claims that an object of
	// theirs names, and false when no rule knows its kind. It is called from several goroutines.
	Custom []schema.GroupVersionResource
	Rules  func(schema.GroupVersionKind, map[string]any) (claims []string, ok bool)
	// StaleAfter is how long a source may fail before it is Stale.
	StaleAfter time.Duration
	// ForbiddenAfter is how long a source that was permitted has to be refused before it is Forbidden.
	ForbiddenAfter time.Duration
	Logger         *slog.Logger
}

// Watcher keeps a Store up to date from an API server.
type Watcher struct {
	store   *Store
	decoder *decoder
	clients map[schema.GroupVersion]rest.Interface
	dynamic dynamic.Interface // for resources whose types are not compiled in
	// discovery asks which of those there are.
	discovery rest.Interface
	options   WatchOptions
	contact   contact
	others    *others // nil for the whole cluster, and where there is nobody to learn them from
}

// NewWatcher prepares the clients. It fails for a configuration that cannot be used, such as an unreadable certificate; that the API
// server does not answer is no failure.
func NewWatcher(config *rest.Config, store *Store, options WatchOptions) (*Watcher, error) {
	w := &Watcher{store: store, decoder: newDecoder(), clients: map[schema.GroupVersion]rest.Interface{}, options: options}
	w.contact.log = options.Logger
	if store.shard.Total > 1 && slices.Contains(options.Resources, Namespaces) {
		w.others = newOthers()
	}
	for _, r := range options.Resources {
		gv := r.Info().GroupVersion()
		if w.clients[gv] != nil || !kinds.IsVersionRegistered(gv) {
			continue
		}
		client, err := newClient(config, gv, runtime.ContentTypeProtobuf)
		if err != nil {
			return nil, fmt.Errorf("kubernetes client for %s: %w", gv, err)
		}
		w.clients[gv] = client
	}
	var err error
	if w.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("kubernetes client: %w", err)
	}
	if w.discovery, err = newClient(config, schema.GroupVersion{Version: "v1"}, runtime.ContentTypeJSON); err != nil {
		return nil, fmt.Errorf("kubernetes client: %w", err)
	}
	for _, f := range w.feeds() {
		store.Expect(f.resource, f.scope)
	}
	w.settleEmpty()
	if slices.Contains(options.Resources, References) && len(options.Custom) == 0 {
		store.SetState(References, "", Absent, "no claim rule is about a custom resource")
	}
	return w, nil
}

// newClient gives a client of a group that speaks the content type, protobuf wherever it can be: it is several times cheaper to decode
// than JSON, which is what the API server may always answer.
func newClient(config *rest.Config, gv schema.GroupVersion, contentType string) (rest.Interface, error) {
	c := rest.CopyConfig(config)
	c.GroupVersion = &gv
	c.APIPath = "/apis"
	if gv.Group == "" {
		c.APIPath = "/api"
	}
	c.NegotiatedSerializer = newSerializer()
	c.AcceptContentTypes = contentType + "," + runtime.ContentTypeJSON
	c.ContentType = contentType
	// Unpacking was a fifth of the CPU of Tocsin's start, and packing costs the API server as well.
	c.DisableCompression = true
	c.QPS, c.Burst = 50, 100 // one list and watch per resource and namespace, at the start all at once
	return rest.RESTClientFor(c)
}

// requests gives a feed's list and watch: of compiled types in protobuf, of others through the dynamic client.
func (w *Watcher) requests(f *feed) *cache.ListWatch {
	sift := func(o *metav1.ListOptions) { o.FieldSelector = f.selector() }
	if client := w.clients[f.gvr.GroupVersion()]; client != nil {
		return cache.NewFilteredListWatchFromClient(client, f.gvr.Resource, f.namespace, sift)
	}
	client := w.dynamic.Resource(f.gvr).Namespace(f.namespace)
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			sift(&o)
			return client.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			sift(&o)
			return client.Watch(ctx, o)
		},
	}
}

// feeds gives a feed for each resource and namespace to be listed, "" being the whole cluster.
func (w *Watcher) feeds() []*feed {
	var all []*feed
	for _, r := range w.options.Resources {
		resources := []schema.GroupVersionResource{r.Info().GroupVersionResource}
		if r == References {
			resources = w.options.Custom
		}
		namespaces := []string{""}
		if w.confined(r) {
			namespaces = w.namespaces()
		}
		for _, gvr := range resources {
			for _, namespace := range namespaces {
				f := &feed{watcher: w, resource: r, gvr: gvr, namespace: namespace, scope: namespace}
				if r == References { // several resources share the table
					f.scope = gvr.GroupResource().String() + ":" + namespace
				}
				all = append(all, f)
			}
		}
	}
	return all
}

// Run lists and watches until the context ends. It retries whatever fails, with backoff.
func (w *Watcher) Run(ctx context.Context) {
	// client-go's own messages repeat with each retry; ours come once per state.
	ctx = klog.NewContext(ctx, logr.Discard())
	var running sync.WaitGroup
	for _, f := range w.feeds() {
		running.Go(func() { f.start(ctx) })
	}
	running.Wait()
}

// retry is the pace of client-go's reflectors: 22 requests in a bad hour.
var retry = wait.Backoff{Duration: 800 * time.Millisecond, Factor: 2, Jitter: 1, Cap: 30 * time.Second, Steps: 38}

// follow runs one list and watch.
func (f *feed) follow(ctx context.Context) {
	logger := logr.Discard()
	reflector := cache.NewReflectorWithOptions(f.listWatch(), nil, f, cache.ReflectorOptions{
		Logger: &logger, Name: f.gvr.Resource, TypeDescription: f.gvr.Resource,
	})
	backoff := retry
	_ = backoff.DelayWithReset(clock.RealClock{}, 2*time.Minute).Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		err := f.served(ctx)
		if apierrors.IsForbidden(err) && f.watcher.store.known(f.resource, f.scope) {
			return false, nil // an API server that has just started refuses discovery until it has read its roles
		}
		if err == nil {
			err = reflector.ListAndWatchWithContext(ctx)
		}
		if err != nil && ctx.Err() == nil {
			f.failed(err)
		}
		return false, nil
	})
}

// served asks whether the API server has an optional resource at all: about one that it does not have it would say "forbidden" to
// somebody without a rule for it. Discovery is open to every account (the ClusterRole system:discovery).
func (f *feed) served(ctx context.Context) error {
	if !f.resource.Info().Optional {
		return nil
	}
	var list metav1.APIResourceList
	path := "/apis/" + f.gvr.Group + "/" + f.gvr.Version
	raw, err := f.watcher.discovery.Get().AbsPath(path).DoRaw(ctx)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("discovery of %s: %w", path, err)
	}
	for _, r := range list.APIResources {
		if r.Name == f.gvr.Resource {
			return nil
		}
	}
	return apierrors.NewNotFound(f.gvr.GroupResource(), "")
}

// selector has the API server sift: Events by their reason, and the namespaces that are excluded or another shard's.
func (f *feed) selector() string {
	var parts []string
	if s := f.resource.Info().Selector; s != "" {
		parts = append(parts, s)
	}
	if f.resource.Info().Namespaced {
		for _, n := range f.watcher.options.Exclude {
			parts = append(parts, withoutNamespace(n))
		}
	}
	if f.sifted() {
		parts = append(parts, f.watcher.others.terms()...)
	}
	return strings.Join(parts, ",")
}

// contact tells once that the API server cannot be reached, and once that it answers again: not once per source.
type contact struct {
	log  *slog.Logger
	mu   sync.Mutex
	lost bool
}

func (c *contact) fails(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lost {
		c.log.Warn("the API server cannot be reached, trying on", "err", err)
	}
	c.lost = true
}

func (c *contact) answers() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost {
		c.log.Info("the API server answers again")
	}
	c.lost = false
}
