package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
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
	// StaleAfter is how long a source may fail before it is Stale.
	StaleAfter time.Duration
	Logger     *slog.Logger
}

// Watcher keeps a Store up to date from an API server.
type Watcher struct {
	store   *Store
	decoder *decoder
	clients map[schema.GroupVersion]rest.Interface
	dynamic dynamic.Interface // for resources whose types are not compiled in
	options WatchOptions
	contact contact
}

// NewWatcher prepares the clients. It fails for a configuration that cannot be used, such as an unreadable certificate; that the API
// server does not answer is no failure.
func NewWatcher(config *rest.Config, store *Store, options WatchOptions) (*Watcher, error) {
	w := &Watcher{store: store, decoder: newDecoder(), clients: map[schema.GroupVersion]rest.Interface{}, options: options}
	w.contact.log = options.Logger
	for _, r := range options.Resources {
		gv := r.Info().GroupVersion()
		if w.clients[gv] != nil || !scheme.Scheme.IsVersionRegistered(gv) {
			continue
		}
		client, err := newClient(config, gv)
		if err != nil {
			return nil, fmt.Errorf("kubernetes client for %s: %w", gv, err)
		}
		w.clients[gv] = client
	}
	var err error
	if w.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("kubernetes client: %w", err)
	}
	for _, r := range options.Resources {
		for _, namespace := range w.scopes(r) {
			store.Expect(r, namespace)
		}
	}
	return w, nil
}

// newClient gives a client that speaks protobuf where the API server does: it is several times cheaper to decode than JSON.
func newClient(config *rest.Config, gv schema.GroupVersion) (rest.Interface, error) {
	c := rest.CopyConfig(config)
	c.GroupVersion = &gv
	c.APIPath = "/apis"
	if gv.Group == "" {
		c.APIPath = "/api"
	}
	c.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	c.ContentType = runtime.ContentTypeProtobuf
	c.QPS, c.Burst = 50, 100 // one list and watch per resource and namespace, at the start all at once
	return rest.RESTClientFor(c)
}

// requests gives a resource's list and watch: of compiled types in protobuf, of others through the dynamic client.
func (w *Watcher) requests(r Resource, namespace string) *cache.ListWatch {
	info := r.Info()
	sift := func(o *metav1.ListOptions) { o.FieldSelector = w.selector(r) }
	if client := w.clients[info.GroupVersion()]; client != nil {
		return cache.NewFilteredListWatchFromClient(client, info.Resource, namespace, sift)
	}
	client := w.dynamic.Resource(info.GroupVersionResource).Namespace(namespace)
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

// scopes gives the namespaces that a resource is listed in, each by itself; "" is the whole cluster.
func (w *Watcher) scopes(r Resource) []string {
	if r.Info().Namespaced && len(w.options.Namespaces) > 0 {
		return w.options.Namespaces
	}
	return []string{""}
}

// Run lists and watches until the context ends. It retries whatever fails, with backoff.
func (w *Watcher) Run(ctx context.Context) {
	// client-go's own messages repeat with each retry; ours come once per state.
	ctx = klog.NewContext(ctx, logr.Discard())
	var running sync.WaitGroup
	for _, r := range w.options.Resources {
		for _, namespace := range w.scopes(r) {
			running.Go(func() { w.follow(ctx, r, namespace) })
		}
	}
	running.Wait()
}

// retry is the pace of client-go's reflectors: 22 requests in a bad hour.
var retry = wait.Backoff{Duration: 800 * time.Millisecond, Factor: 2, Jitter: 1, Cap: 30 * time.Second, Steps: 38}

// follow runs one list and watch.
func (w *Watcher) follow(ctx context.Context, r Resource, namespace string) {
	f := &feed{watcher: w, resource: r, scope: namespace}
	logger := logr.Discard()
	reflector := cache.NewReflectorWithOptions(f.listWatch(), nil, f, cache.ReflectorOptions{
		Logger: &logger, Name: r.String(), TypeDescription: r.String(),
	})
	backoff := retry
	_ = backoff.DelayWithReset(clock.RealClock{}, 2*time.Minute).Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		if err := reflector.ListAndWatchWithContext(ctx); err != nil && ctx.Err() == nil {
			f.failed(err)
		}
		return false, nil
	})
}

// selector has the API server sift: Events by their reason, and the namespaces that are excluded.
func (w *Watcher) selector(r Resource) string {
	var parts []string
	if s := r.Info().Selector; s != "" {
		parts = append(parts, s)
	}
	if r.Info().Namespaced {
		for _, n := range w.options.Exclude {
			parts = append(parts, fields.OneTermNotEqualSelector("metadata.namespace", n).String())
		}
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
