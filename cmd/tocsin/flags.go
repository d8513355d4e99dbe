package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	logflag "github.com/prometheus/common/promslog/flag"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"
	webflag "github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"tocsin/collectors"
	"tocsin/collectors/claims"
	"tocsin/collectors/schedule"
)

// errAnswered ends a command that was only asked for its help or version.
var errAnswered = errors.New("answered")

// config is what the command line says.
type config struct {
	web           *web.FlagConfig
	telemetryPath string
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

	collectors []collectors.Entry
	options    collectors.Options
	claimRules claims.Rules
	maxSeries  int
	allow      []string
	deny       []string
}

// parse reads the command line. What it asks to be told, the help or the version, goes to stdout, and the error is errAnswered.
func parse(args []string, stdout io.Writer) (*config, error) {
	c := &config{options: collectors.DefaultOptions(), maxRequests: 40, maxSeries: 10_000}
	answered := false
	app := kingpin.New("tocsin", "Verdicts on the scheduled and stateful workloads of a Kubernetes cluster, for Prometheus.")
	app.UsageWriter(stdout).ErrorWriter(io.Discard).Terminate(func(int) { answered = true })
	app.Version(version.Print("tocsin"))
	app.HelpFlag.Short('h')
	logflag.AddFlags(app, &c.log)
	c.web = webflag.AddFlags(app, ":10227")
	c.addFlags(app)
	enabled := addCollectorFlags(app)

	_, err := app.Parse(args)
	switch {
	case answered:
		return nil, errAnswered
	case err != nil:
		return nil, fmt.Errorf("%w; see --help", err)
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
	setting(app, "web.max-requests", "Scrapes that are served at a time; 0 is no limit. Those that overlap share one gathering.", &c.maxRequests, count)

	app.Flag("kubeconfig", "Kubeconfig file that names the API server; without it, that of the cluster that tocsin runs in.").PlaceHolder("FILE").StringVar(&c.kubeconfig)
	app.Flag("snapshot", "File or directory with objects in YAML or JSON, to be judged instead of an API server's. Repeatable.").PlaceHolder("PATH").StringsVar(&c.snapshot)
	setting(app, "snapshot-time", "Instant at which a snapshot is judged: RFC 3339, `now`, or `latest`, the newest timestamp in it. The clock runs on from there.", &c.snapshotTime, parseInstant)
	app.Flag("snapshot-lenient", "Leave out documents of a snapshot that cannot be read, instead of failing.").BoolVar(&c.snapshotLenient)
	app.Flag("namespace", "Namespace to look at. Repeatable; all without it.").PlaceHolder("NAME").StringsVar(&c.namespaces)
	app.Flag("namespace-exclude", "Namespace to leave out. Repeatable.").PlaceHolder("NAME").StringsVar(&c.namespacesExclude)
	app.Flag("source.events", "Read FailedCreate events, which tell why a Job's Pods are refused.").Default("true").BoolVar(&c.events)

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

// check refuses what no single flag can see is wrong.
func (c *config) check() error {
	switch {
	case c.kubeconfig != "" && len(c.snapshot) > 0:
		return errors.New("--kubeconfig and --snapshot exclude each other: judge an API server's objects or a snapshot's")
	case len(c.snapshot) == 0 && c.snapshotTime != snapshotTime{}:
		return errors.New("--snapshot-time needs --snapshot: an API server's objects are judged by the clock")
	case len(c.snapshot) == 0 && c.snapshotLenient:
		return errors.New("--snapshot-lenient needs --snapshot")
	case len(c.collectors) == 0:
		return errors.New("every collector is turned off: leave out one --no-collector flag")
	}
	for _, n := range c.namespaces {
		if slices.Contains(c.namespacesExclude, n) {
			return fmt.Errorf("namespace %q is both in --namespace and in --namespace-exclude", n)
		}
	}
	if slices.Contains(c.namespaces, "") || slices.Contains(c.namespacesExclude, "") {
		return errors.New("--namespace and --namespace-exclude need a name")
	}
	return checkPath(c.telemetryPath)
}

// checkPath refuses a path for the metrics that the server could not tell from its own.
func checkPath(path string) error {
	switch {
	case !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "{} ") || strings.Contains(path, "//"):
		return fmt.Errorf("--web.telemetry-path %q: not a path such as /metrics", path)
	case slices.Contains(ownPaths, path) || path != "/" && strings.HasSuffix(path, "/"):
		return fmt.Errorf("--web.telemetry-path %q: taken, or with a slash at its end", path)
	}
	return nil
}

// flagValue is a flag's value that names its flag when it cannot be used, which kingpin's own do not.
type flagValue[T any] struct {
	name  string
	to    *T
	parse func(string) (T, error)
}

// Set takes the value as typed.
func (v flagValue[T]) Set(s string) error {
	got, err := v.parse(s)
	if err != nil {
		return fmt.Errorf("--%s %q: %w", v.name, s, err)
	}
	*v.to = got
	return nil
}

// String gives the value for the help.
func (v flagValue[T]) String() string { return fmt.Sprint(*v.to) }

// setting adds a flag whose default is what to holds.
func setting[T any](app *kingpin.Application, name, help string, to *T, parse func(string) (T, error)) {
	app.Flag(name, help).Default(fmt.Sprint(*to)).SetValue(flagValue[T]{name, to, parse})
}

// snapshotTime is when a snapshot is judged: a moment, now, or, when it is zero, the newest moment in the snapshot.
type snapshotTime struct {
	at  time.Time
	now bool
}

// String gives what parseInstant reads.
func (t snapshotTime) String() string {
	switch {
	case t.now:
		return "now"
	case t.at.IsZero():
		return "latest"
	}
	return t.at.Format(time.RFC3339Nano)
}

func parseInstant(s string) (snapshotTime, error) {
	switch s {
	case "latest":
		return snapshotTime{}, nil
	case "now":
		return snapshotTime{now: true}, nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil || at.IsZero() {
		return snapshotTime{}, errors.New("not an instant such as 2026-05-05T12:00:00Z, nor now or latest")
	}
	return snapshotTime{at: at}, nil
}

func count(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, errors.New("not a whole number of 0 or more")
	}
	return n, nil
}

// duration takes a duration as Go and as Prometheus write it.
func duration(s string) (time.Duration, error) {
	if d, err := model.ParseDuration(s); err == nil {
		return time.Duration(d), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, errors.New("not a duration such as 2m or 1h30m")
	}
	return d, nil
}

func zone(s string) (string, error) {
	_, err := schedule.LoadZone(s)
	return s, err
}
