package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"tocsin/rulestests/loopback"
	"tocsin/rulestests/scale/synthetic"
)

// The exporters that are compared.
const (
	tocsin      = "tocsin"
	ksmFamilies = "kube-state-metrics, families"
	ksmAll      = "kube-state-metrics, all"
)

// exporter is one that runs.
type exporter struct {
	*process
	*scraper
	began time.Time
	// ready is from its start to the end of its first scrape that had everything.
	ready time.Duration
}

// startExporter starts an exporter and waits for its first scrape that has everything.
func (b *bench) startExporter(ctx context.Context, name string) (*exporter, error) {
	addresses, err := loopback.Addresses(2)
	if err != nil {
		return nil, err
	}
	bin, args := b.binaries["kube-state-metrics"], []string{"--kubeconfig", b.server.kubeconfig, "--resources", resources, "--enable-gzip-encoding", "--server-write-timeout", "10m",
		"--host", "127.0.0.1", "--port", loopback.Port(addresses[0]), "--telemetry-host", "127.0.0.1", "--telemetry-port", loopback.Port(addresses[1])}
	// A scrape that cannot have everything costs kube-state-metrics up to seconds, so that it is asked less often.
	pace, full := 250*time.Millisecond, b.everything
	switch name {
	case tocsin:
		bin, args = b.binaries["tocsin"], []string{"--kubeconfig", b.server.kubeconfig, "--web.listen-address", addresses[0], "--max-series-per-metric", "0"}
		pace, full = 50*time.Millisecond, func(map[string]int) error { return nil } // it answers 503 until it knows all
	case ksmFamilies:
		args = append(args, "--metric-allowlist", allowlist())
	}
	e := &exporter{scraper: newScraper("http://" + addresses[0] + "/metrics"), began: time.Now()}
	if e.process, err = launch(b.dir, "exporter", bin, args...); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	err = e.Until(ctx, pace, func(ctx context.Context) error {
		series, err := e.series(ctx)
		if err != nil {
			return err
		}
		e.ready = time.Since(e.began)
		return full(series)
	})
	if err != nil {
		e.stop()
		return nil, err
	}
	return e, nil
}

// everything tells whether an exposition of kube-state-metrics has all objects: it begins to answer before it has listed them.
func (b *bench) everything(series map[string]int) error {
	s := b.options.Sizes
	want := map[string]int{
		"kube_cronjob_info": s.CronJobs, "kube_job_owner": s.Jobs + b.options.Crowd.Jobs, "kube_node_spec_unschedulable": s.Nodes, "kube_pod_info": b.pods,
		"kube_persistentvolumeclaim_info": s.Claims, "kube_persistentvolume_status_phase": 5 * s.Volumes, "kube_statefulset_replicas": s.StatefulSets,
	}
	for _, metric := range slices.Sorted(maps.Keys(want)) {
		if series[metric] != want[metric] {
			return fmt.Errorf("%s has %d series, not yet %d", metric, series[metric], want[metric])
		}
	}
	return nil
}

// sum adds up series.
func sum(series map[string]int) int {
	n := 0
	for _, v := range series {
		n += v
	}
	return n
}

// cluster is what the bench keeps of the cluster's objects.
type cluster struct {
	truth *synthetic.Truth
	kept  map[synthetic.Role][]synthetic.Object
	pods  int
	total int
}
