package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/promslog"
	logflag "github.com/prometheus/common/promslog/flag"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"
	webflag "github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"tocsin/collectors"
	"tocsin/collectors/claims"
	"tocsin/collectors/cluster"
)

// errAnswered ends a command that was only asked for its help or version.
var errAnswered = errors.New("answered")

// config is what the command line says.
type config struct {
	web           *web.FlagConfig
	telemetryPath string
	probeAddress  string
	maxRequests   int
	log           promslog.Config

	kubeconfig        string
	snapshot          []string
	snapshotTime      snapshotTime
	snapshotLenient   bool
	namespaces        []string
	namespacesExclude []string
	events            bool
	claimRulesFile    string
	shard             cluster.Shard

	collectors []collectors.Entry
	options    collectors.Options
	claimRules claims.Rules
	maxSeries  int
	allow      []string
	deny       []string
}

// parse reads the command line and the files that it names, but for the objects. What it asks to be told, the help or the version, goes to stdout, and the error is errAnswered.
func parse(args []string, stdout io.Writer) (*config, error) {
	c := &config{options: collectors.DefaultOptions(), maxRequests: 40, maxSeries: 10_000, shard: cluster.Shard{Total: 1}}
	answered := false
	app := kingpin.New("tocsin", "Verdicts on the scheduled and stateful workloads of a Kubernetes cluster, for Prometheus.")
	app.UsageWriter(stdout).ErrorWriter(io.Discard).Terminate(func(int) { answered = true })
	app.Version(version.Print("tocsin"))
	app.HelpFlag.Short('h')
	logflag.AddFlags(app, &c.log)
	app.GetFlag(logflag.LevelFlagName).SetValue(choice{logflag.LevelFlagName, c.log.Level, promslog.LevelFlagOptions})
	app.GetFlag(logflag.FormatFlagName).SetValue(choice{logflag.FormatFlagName, c.log.Format, promslog.FormatFlagOptions})
	c.web = webflag.AddFlags(app, ":10227")
	c.addFlags(app)
	enabled := addCollectorFlags(app)

	_, err := app.Parse(args)
	switch {
	case answered:
		return nil, errAnswered
	case err != nil:
		return nil, fmt.Errorf("%s; see --help", cut(err.Error(), 2*maxShown))
	}
	for _, e := range collectors.Table() {
		if *enabled[e.Name] {
			c.collectors = append(c.collectors, e)
		}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.claimRules, err = loadClaimRules(c.claimRulesFile); err != nil {
		return nil, err
	}
	c.options.Spare = c.claimRules.Spare
	if err := web.Validate(*c.web.WebConfigFile); err != nil {
		return nil, fmt.Errorf("--web.config.file %s: %w", *c.web.WebConfigFile, err)
	}
	return c, nil
}

// loadClaimRules reads a file's rules, which come with those that hold everywhere.
func loadClaimRules(path string) (claims.Rules, error) {
	if path == "" {
		return claims.DefaultRules(), nil
	}
	rules, err := claims.LoadRules(path)
	if err != nil {
		return claims.Rules{}, fmt.Errorf("--claims.rules-file: %w", err)
	}
	return rules, nil
}

func (c *config) addFlags(app *kingpin.Application) {
	app.Flag("web.telemetry-path", "Path under which metrics are exposed.").Default("/metrics").StringVar(&c.telemetryPath)
	app.Flag("web.probe-address", "Further address that answers /livez, /readyz and their aliases only, without the TLS and authentication of --web.config.file. None without it.").PlaceHolder("ADDRESS").StringVar(&c.probeAddress)
	setting(app, "web.max-requests", "Scrapes that are served at a time; 0 is no limit. Those that overlap share one gathering.", &c.maxRequests, count)

	app.Flag("kubeconfig", "Kubeconfig file that names the API server; without it, that of the cluster that tocsin runs in.").PlaceHolder("FILE").StringVar(&c.kubeconfig)
	app.Flag("snapshot", "File or directory with objects in YAML or JSON, to be judged instead of an API server's. Repeatable.").PlaceHolder("PATH").StringsVar(&c.snapshot)
	setting(app, "snapshot-time", "Instant at which a snapshot is judged: RFC 3339, `now`, or `latest`, the newest timestamp in it. The clock runs on from there.", &c.snapshotTime, parseInstant)
	app.Flag("snapshot-lenient", "Leave out documents of a snapshot that cannot be read, instead of failing.").BoolVar(&c.snapshotLenient)
	app.Flag("namespace", "Namespace to look at. Repeatable; all without it.").PlaceHolder("NAME").StringsVar(&c.namespaces)
	app.Flag("namespace-exclude", "Namespace to leave out. Repeatable.").PlaceHolder("NAME").StringsVar(&c.namespacesExclude)
	app.Flag("source.events", "Read FailedCreate events, which tell why a Job's Pods are refused.").Default("true").BoolVar(&c.events)

	setting(app, "shard", "Which of the shards this one is, from 0: it judges its share of the namespaces.", &c.shard.Index, count)
	setting(app, "total-shards", "Into how many shards the namespaces are divided.", &c.shard.Total, count)

	setting(app, "default-timezone", "Time zone of CronJobs without one: that of the kube-controller-manager.", &c.options.DefaultTimezone, zone)
	setting(app, "start-grace", "How late a CronJob's run may start.", &c.options.StartGrace, duration)
	setting(app, "rollout-deadline", "How long a Pod may take to become ready, where its own probes do not say more.", &c.options.RolloutDeadline, duration)
	app.Flag("claims.rules-file", "File with further rules of which custom resources name PersistentVolumeClaims, and which claims are kept on purpose.").PlaceHolder("FILE").StringVar(&c.claimRulesFile)
	setting(app, "max-series-per-metric", "Series that are exported of each metric; what is left out is counted in tocsin_series_dropped. 0 is no limit.", &c.maxSeries, count)
	app.Flag("metric-allowlist", "Comma-separated regular expressions: only metrics that match one are exported. Excludes --metric-denylist.").PlaceHolder("REGEX,...").StringsVar(&c.allow)
	app.Flag("metric-denylist", "Comma-separated regular expressions: metrics that match one are not exported. Excludes --metric-allowlist.").PlaceHolder("REGEX,...").StringsVar(&c.deny)
}

// addCollectorFlags gives each collector of the table its flag.
func addCollectorFlags(app *kingpin.Application) map[string]*bool {
	enabled := map[string]*bool{}
	for _, e := range collectors.Table() {
		enabled[e.Name] = app.Flag("collector."+e.Name, e.Help).Default("true").Bool()
	}
	return enabled
}
