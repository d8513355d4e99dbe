package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/common/version"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"tocsin/collectors/cluster"
)

// staleAfter is how long a source may fail before its verdicts are off. API servers are replaced in a minute or two; what is judged
// meanwhile is not much older than that.
const staleAfter = 5 * time.Minute

// forbiddenAfter is how long a source that was permitted may be refused before it is called forbidden: an API server that has just
// started refuses everybody until it has read its roles, which takes seconds.
const forbiddenAfter = time.Minute

// source is where the objects come from.
type source struct {
	store *cluster.Store
	// run keeps the store up to date until the context ends.
	run func(context.Context)
}

// open gives the source that the flags name.
func (c *config) open(resources []cluster.Resource, log *slog.Logger) (*source, error) {
	resources = c.wanted(resources)
	if len(c.snapshot) > 0 {
		return c.read(resources, log)
	}
	return c.watch(resources, log)
}

// read gives the source that a snapshot's files are: it never changes, only the clock goes on.
func (c *config) read(resources []cluster.Resource, log *slog.Logger) (*source, error) {
	loaded, err := cluster.LoadSnapshot(c.snapshot, cluster.SnapshotOptions{
		Lenient: c.snapshotLenient, Rules: c.claimRules.Claims, Shard: c.shard, Logger: log,
	})
	if err != nil {
		return nil, err
	}
	start, read := c.instant(loaded.Latest), time.Now()
	store := cluster.NewStoreOfShard(func() time.Time { return start.Add(time.Since(read)) }, c.namespaces, c.namespacesExclude, c.shard)
	loaded.Fill(store, resources)
	for _, n := range c.namespaces {
		if c.shard.Has(n) && !holds(store, n) {
			log.Warn("the snapshot holds nothing of a namespace: check --namespace", "namespace", n)
		}
	}
	return &source{store, func(context.Context) {}}, nil
}

// holds tells whether the store knows a namespace or anything in it.
func holds(store *cluster.Store, namespace string) bool {
	v := store.View()
	defer v.Close()
	return v.Namespaces.Get("", namespace) != nil || some(namespace, &v.CronJobs) || some(namespace, &v.Jobs) || some(namespace, &v.Pods) ||
		some(namespace, &v.Events) || some(namespace, &v.Claims) || some(namespace, &v.StatefulSets) || some(namespace, &v.DaemonSets) ||
		some(namespace, &v.Deployments, &v.ReplicaSets, &v.ReplicationControllers) || some(namespace, &v.Services) ||
		some(namespace, &v.Budgets) || some(namespace, &v.Autoscalers) || some(namespace, &v.Snapshots) || some(namespace, &v.References)
}

func some[T any](namespace string, tables ...*cluster.Table[T]) bool {
	return slices.ContainsFunc(tables, func(t *cluster.Table[T]) bool { return len(t.In(namespace)) > 0 })
}

// instant is when a snapshot is judged. Files that tell of no moment at all are judged now.
func (c *config) instant(latest time.Time) time.Time {
	switch {
	case !c.snapshotTime.at.IsZero():
		return c.snapshotTime.at
	case c.snapshotTime.now || latest.IsZero():
		return time.Now()
	}
	return latest
}

// watch gives the source that an API server is.
func (c *config) watch(resources []cluster.Resource, log *slog.Logger) (*source, error) {
	kube, err := c.restConfig()
	if err != nil {
		return nil, err
	}
	kube.UserAgent = version.ComponentUserAgent("tocsin")
	store := cluster.NewStoreOfShard(time.Now, c.namespaces, c.namespacesExclude, c.shard)
	watcher, err := cluster.NewWatcher(kube, store, cluster.WatchOptions{
		Resources: resources, Namespaces: c.namespaces, Exclude: c.namespacesExclude,
		Custom: c.claimRules.Resources(), Rules: c.claimRules.Claims, StaleAfter: staleAfter, ForbiddenAfter: forbiddenAfter, Logger: log,
	})
	if err != nil && c.kubeconfig != "" {
		return nil, fmt.Errorf("--kubeconfig %s: %w", c.kubeconfig, err)
	}
	if err != nil {
		return nil, err
	}
	return &source{store, watcher.Run}, nil
}

// wanted leaves out what flags turn off.
func (c *config) wanted(resources []cluster.Resource) []cluster.Resource {
	return slices.DeleteFunc(slices.Clone(resources), func(r cluster.Resource) bool { return r == cluster.Events && !c.events })
}

func (c *config) restConfig() (*rest.Config, error) {
	if c.kubeconfig == "" {
		kube, err := rest.InClusterConfig()
		if errors.Is(err, rest.ErrNotInCluster) {
			return nil, errors.New("not in a cluster: give --kubeconfig or --snapshot")
		}
		return kube, err
	}
	kube, err := loadKubeconfig(c.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig %s: %w", c.kubeconfig, err)
	}
	return kube, nil
}

// loadKubeconfig reads one kubeconfig file. clientcmd's answer to one that says too little is to set an environment variable, which
// would change nothing here.
func loadKubeconfig(path string) (*rest.Config, error) {
	file, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return nil, err
	}
	switch {
	case len(file.Clusters) == 0:
		return nil, errors.New("names no cluster: not a kubeconfig, or an empty one")
	case file.CurrentContext == "":
		return nil, errors.New("has no current-context: choose one with kubectl config use-context")
	}
	if err := clientcmd.ResolveLocalPaths(file); err != nil {
		return nil, err
	}
	return clientcmd.NewDefaultClientConfig(*file, nil).ClientConfig()
}
