// Package collectors turns verdicts into samples: one file per subject, and the one table of them.
package collectors

import (
	"log/slog"
	"time"

	"tocsin/collectors/claims"
	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

// Collector answers one subject's questions at a scrape.
type Collector interface {
	// Families lists every family that the collector may write to.
	Families() []*exposition.Family
	// Collect judges what the view holds at view.Now and writes the samples, object by object in the view's order. An error costs this
	// collector's success, not the samples already written, and no other collector's.
	Collect(view *cluster.View, sink exposition.Sink) error
}

// Options are the flags that change verdicts.
type Options struct {
	StartGrace      time.Duration  // how late a CronJob's run may start
	RolloutDeadline time.Duration  // how long a Pod may take to become ready
	DefaultTimezone string         // zone of the kube-controller-manager
	Spare           []claims.Spare // claims that are kept on purpose though nothing names them
	Log             *slog.Logger   // for what no series can say
}

// Entry is a collector's row in the table: from it come its flag, its help, and the permissions that it needs.
type Entry struct {
	Name string // as in --collector.NAME
	Help string
	// Needs are the resources without which the collector gives no verdict.
	Needs []cluster.Resource
	// Uses are the resources that improve verdicts, or that only some of them need.
	Uses []cluster.Resource
	// Judges are the resources whose objects get verdicts: those that tocsin/ignore takes out are counted.
	Judges []cluster.Resource
	New    func(Options) Collector
}
