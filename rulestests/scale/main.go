// Command scale measures Tocsin beside kube-state-metrics on a synthetic cluster behind a real API server, and checks that Tocsin's
// verdicts are those that the cluster was made for.
//
//	go run ./rulestests/scale                    the default cluster of 96,000 objects, three rounds
//	go run ./rulestests/scale --scale 0.1        a tenth of it
//	go run ./rulestests/scale --load             scrapes under load instead
//	go run ./rulestests/scale --serve            the cluster alone, for a profile or a look around
//
// Everything runs on loopback. The exporters take turns on the same API server, so that neither has the quieter machine; of each measure
// the table has the median over the rounds. What the exporters use is read from /proc: the bench needs Linux.
//
// Ratios are printed beside the bars that they have to meet. When one is missed, or a verdict is wrong, the exit status is 1.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"tocsin/rulestests/scale/synthetic"
)

// options are the flags.
type options struct {
	synthetic.Options
	scale      float64
	rounds     int
	rest       time.Duration
	load       bool
	serve      bool
	reportOnly bool
	exporters  []string
	binaries   map[string]string
	keep       bool
}

// binaries are the paths of the commands by name.
type binaries map[string]string

// bench is one run.
type bench struct {
	cluster
	options  options
	dir      string
	binaries binaries
	server   *server
	out      io.Writer
	floors   []floor
	results  results
	verdicts []string // the differences from the truth, nil before they have been looked for
	dirty    bool     // objects differ from the cluster's
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o := options{Options: synthetic.Options{Sizes: synthetic.DefaultSizes()}, binaries: map[string]string{}}
	app := kingpin.New("scale", "Measures Tocsin beside kube-state-metrics on a synthetic cluster.")
	bench := app.Command("bench", "Run the bench.").Default()
	o.addFlags(bench)
	floor := app.Command("floor", "Measure how long the lists alone take.").Hidden()
	kubeconfig := floor.Arg("kubeconfig", "Kubeconfig file.").Required().String()
	command, err := app.Parse(args)
	if err != nil {
		return err
	}
	if command == floor.FullCommand() {
		return floorOnly(ctx, *kubeconfig, out)
	}
	return o.run(ctx, out)
}

func (o *options) addFlags(app *kingpin.CmdClause) {
	for _, n := range []struct {
		name  string
		count *int
	}{
		{"nodes", &o.Nodes}, {"namespaces", &o.Namespaces}, {"cronjobs", &o.CronJobs}, {"jobs", &o.Jobs}, {"pods", &o.Pods},
		{"statefulsets", &o.StatefulSets}, {"claims", &o.Claims}, {"volumes", &o.Volumes},
	} {
		app.Flag(n.name, "How many there are.").Default(strconv.Itoa(*n.count)).IntVar(n.count)
	}
	app.Flag("scale", "Multiplies all sizes.").Default("1").Float64Var(&o.scale)
	app.Flag("seed", "Another cluster of the same sizes.").Default("1").Uint64Var(&o.Seed)
	app.Flag("rounds", "How often each exporter is measured.").Default("3").IntVar(&o.rounds)
	app.Flag("rest", "How long an exporter rests while its memory is watched: Go collects garbage every two minutes at the latest.").Default("2m30s").DurationVar(&o.rest)
	app.Flag("load", "Measure scrapes under load instead.").BoolVar(&o.load)
	app.Flag("serve", "Only make the cluster, and keep its API server up until interrupted: to look at, or to profile an exporter.").BoolVar(&o.serve)
	app.Flag("report-only", "Exit with status 0 also when a bar is missed.").BoolVar(&o.reportOnly)
	app.Flag("exporter", "Which to measure: tocsin, families, all. Repeatable.").Default("tocsin", "families", "all").EnumsVar(&o.exporters, "tocsin", "families", "all")
	app.Flag("binary", "NAME=PATH of a command that is not to be built: tocsin, kube-state-metrics, kube-apiserver, etcd. Repeatable.").StringMapVar(&o.binaries)
	app.Flag("keep", "Leave the logs and etcd's data where they are.").BoolVar(&o.keep)
}

func (o *options) run(ctx context.Context, out io.Writer) (err error) {
	o.Sizes = o.Times(o.scale)
	o.Now = time.Now()
	if o.load {
		o.Crowd = synthetic.Crowd{Pods: crowdPods, Jobs: crowdJobs}
	}
	b := &bench{options: *o, out: out, results: results{}}
	if b.dir, err = os.MkdirTemp("", "tocsin-scale-"); err != nil {
		return err
	}
	if o.keep {
		fmt.Fprintln(out, "logs are in", b.dir)
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	}
	if err := b.build(ctx); err != nil {
		return err
	}
	defer func() { b.server.stop() }()
	if err := b.fill(ctx); err != nil {
		return err
	}
	switch {
	case o.serve:
		fmt.Fprintln(out, "KUBECONFIG="+b.server.kubeconfig)
		<-ctx.Done()
		return nil
	case o.load:
		return b.underLoad(ctx)
	}
	return b.compare(ctx)
}
