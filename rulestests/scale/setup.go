package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"tocsin/rulestests/scale/synthetic"
	"tocsin/rulestests/tools"
)

// build makes what is to run.
func (b *bench) build(ctx context.Context) error {
	b.binaries = binaries{}
	for _, name := range []string{"etcd", "kube-apiserver", "kube-state-metrics", "tocsin"} {
		path := b.options.binaries[name]
		var err error
		switch {
		case path != "":
			path, err = filepath.Abs(path)
		case name == "tocsin":
			path = filepath.Join(b.dir, "tocsin")
			err = tools.Build(ctx, path, "./cmd/tocsin")
		default:
			path, err = tools.Path(ctx, name, b.out)
		}
		if err != nil {
			return err
		}
		b.binaries[name] = path
	}
	return nil
}

// fill makes the cluster, writes it to etcd, and starts the API server in front of it.
func (b *bench) fill(ctx context.Context) error {
	began := time.Now()
	var err error
	if b.server, err = startEtcd(ctx, b.dir, b.binaries); err != nil {
		return err
	}
	batch := b.server.store.fill(ctx)
	b.kept = map[synthetic.Role][]synthetic.Object{}
	bytes := 0
	b.truth, err = synthetic.Generate(b.options.Options, func(o synthetic.Object) error {
		operation, err := put(o.Object)
		if err != nil {
			return err
		}
		b.total++
		bytes += len(operation.Put.Value)
		if strings.HasPrefix(string(operation.Put.Key), "/registry/pods/") {
			b.pods++
		}
		if o.Role != synthetic.NoRole && len(b.kept[o.Role]) < max(podUpdates, crowdPods) {
			b.kept[o.Role] = append(b.kept[o.Role], o)
		}
		return batch.add(operation)
	})
	if err := errors.Join(err, batch.end()); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "known of it: %s\n", b.truth.Stories())
	fmt.Fprintf(b.out, "%d objects, of which %d are the sizes', and %.0f MB are in etcd after %.1f s\n", b.total, b.options.Total(), float64(bytes)/1e6, time.Since(began).Seconds())
	if err := b.server.startAPI(ctx); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "the API server is ready after %.1f s\n", time.Since(began).Seconds())
	return nil
}
