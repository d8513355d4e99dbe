package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SnapshotOptions say how to read a snapshot's files.
type SnapshotOptions struct {
	// Lenient goes on after a document that is no YAML or JSON: it is logged, and counted as an invalid object where its kind can be
	// told. Else such a document fails the reading.
	Lenient bool
	// MaxFileBytes bounds what is read of one file, after decompression; 0 is 1 GiB.
	MaxFileBytes int64
	// Rules gives the claims that an object of a kind which has no record of its own names, and false when no rule knows the kind. It
	// may be nil; it is called from several goroutines.
	Rules func(schema.GroupVersionKind, map[string]any) (claims []string, ok bool)
	// Shard is whose invalid objects are counted. All objects are read all the same: every shard has to judge them at the same Latest.
	Shard  Shard
	Logger *slog.Logger // nil: nothing is logged
	// Now is the wall clock, which tells the moments that cannot have been yet; zero is the machine's.
	Now time.Time
}

// Loaded is what a snapshot's files hold.
type Loaded struct {
	// Latest is the newest moment that the objects tell of: their creation, changes, conditions, container states, runs and events, but
	// neither a deletion's deadline, which lies ahead, nor what annotations say, nor what is more than a day ahead of the wall clock. Zero
	// when they tell of none.
	Latest time.Time
	// Unknown counts the objects that were left out because Tocsin does not read their kind or its version, by kind and group.
	Unknown map[string]int

	rows    [resourceCount]map[key]placed
	present [resourceCount]bool // an object of it, or a list that says that there is none
	invalid [resourceCount]int
}

// placed is a record and where it was read.
type placed struct {
	record any
	path   string
	line   int
}

func (p placed) where() string { return fmt.Sprintf("%s:%d", p.path, p.line) }

// LoadSnapshot reads objects from files as kubectl writes them: a List, a list of one kind, many documents, YAML or JSON, gzip or not,
// and directories of them, such as kubectl cluster-info dump writes. Of an object that comes twice the last one read counts. An object
// that is well-formed but does not fit its kind is logged and counted, and its record is Broken. The error names the file and what to do.
func LoadSnapshot(paths []string, options SnapshotOptions) (*Loaded, error) {
	l := newLoader(options)
	for _, path := range paths {
		switch path {
		case "":
			return nil, errors.New("--snapshot is empty: give a file or directory")
		case "-":
			return nil, errors.New("--snapshot -: the standard input is not read, give a file or directory")
		}
		if err := l.path(path); err != nil {
			return nil, fmt.Errorf("snapshot %w", err)
		}
	}
	l.report()
	return l.out, nil
}

func newLoader(options SnapshotOptions) *loader {
	l := &loader{options: options, decoder: newDecoder(), out: &Loaded{Unknown: map[string]int{}}, left: map[string]int{}}
	if options.Logger == nil {
		l.options.Logger = slog.New(slog.DiscardHandler)
	}
	if options.Now.IsZero() {
		options.Now = time.Now()
	}
	l.limit = seconds(options.Now.AddDate(0, 0, 1))
	if options.MaxFileBytes <= 0 {
		l.options.MaxFileBytes = 1 << 30
	}
	for r := range l.out.rows {
		l.out.rows[r] = map[key]placed{}
	}
	return l
}

// Fill hands the records of the resources to the store and marks each resource as far as the files can be trusted about it.
//
// A kind that is not in the files is empty, but for Pods, Nodes and Namespaces: every cluster has them, so that their absence only tells
// that nobody asked for them. Claims without any workload in the files are in the same case: nothing shows who uses them, so that one
// of the workload kinds is marked absent, which leaves every claim's verdict open.
func (l *Loaded) Fill(store *Store, resources []Resource) {
	for _, r := range resources {
		state, reason := l.state(r)
		records := make([]any, 0, len(l.rows[r]))
		for _, k := range slices.SortedFunc(maps.Keys(l.rows[r]), key.compare) {
			records = append(records, l.rows[r][k].record)
		}
		store.Replace(r, "", records, l.invalid[r])
		if state != Synced {
			store.SetState(r, "", state, reason)
		}
	}
}

func (l *Loaded) state(r Resource) (State, string) {
	switch {
	case l.present[r]:
		return Synced, ""
	case r == Pods || r == Nodes || r == Namespaces:
		return Absent, fmt.Sprintf("the snapshot holds no %s: add them with kubectl get %s", r, r)
	case r == ReplicationControllers && l.present[Claims] && !l.workloads():
		return Absent, "the snapshot holds claims and no workload that could use them: add them with kubectl get statefulsets,deployments,cronjobs"
	case r.Info().Optional:
		return Absent, "the snapshot holds none"
	}
	return Synced, ""
}

func (l *Loaded) workloads() bool {
	return slices.ContainsFunc([]Resource{StatefulSets, Deployments, ReplicaSets, ReplicationControllers, DaemonSets, CronJobs, Jobs},
		func(r Resource) bool { return l.present[r] })
}

// loader is a reading under way.
type loader struct {
	options SnapshotOptions
	decoder *decoder
	limit   Time // moments later than it are left out of Latest
	out     *Loaded

	found      int // objects, and lists that say that there are none, of kinds that Tocsin reads, in the present path
	left       map[string]int
	broken     int
	invalid    int
	twice      int
	firstTwice string
	ahead      int // objects that tell of a moment beyond the limit
	undated    int // CronJobs whose edits cannot be dated
}

// maxComplaints bounds the lines that a bad snapshot writes to the log.
const maxComplaints = 10

// put takes one object's result.
func (l *loader) put(o *outcome, path string) {
	if o.unknown != "" {
		l.left[o.unknown]++
		l.out.Unknown[o.unknown]++
		return
	}
	l.found++
	l.out.present[o.resource] = true
	if o.newest > 0 && o.newest.Std().After(l.out.Latest) {
		l.out.Latest = o.newest.Std()
	}
	if o.ahead > 0 {
		if l.ahead++; l.ahead <= maxComplaints {
			l.options.Logger.Warn("an object of the snapshot tells of a moment in the future, which does not count as its latest",
				"file", placed{path: path, line: o.line}.where(), "object", o.String(), "moment", o.ahead.Std().Format(time.RFC3339))
		}
	}
	if o.undated {
		l.undated++
	}
	if o.invalid != nil {
		l.countInvalid(o.resource, o.identity)
		if l.invalid++; l.invalid <= maxComplaints {
			l.options.Logger.Warn("object left out of the snapshot", "file", placed{path: path, line: o.line}.where(), "err", o.invalid)
		}
	}
	if o.record == nil {
		return
	}
	row := placed{o.record, path, o.line}
	rows, k := l.out.rows[o.resource], o.record.(interface{ key() key }).key()
	if before, ok := rows[k]; ok {
		if l.twice++; l.twice == 1 {
			l.firstTwice = fmt.Sprintf("%s %s in %s and %s", o.resource.Info().Kind, objectName(k.namespace, k.name), before.where(), row.where())
		}
	}
	rows[k] = row
}

func (l *loader) countInvalid(r Resource, id identity) {
	if l.options.Shard.owns(id.namespace, id.name) {
		l.out.invalid[r]++
	}
}

// report logs what is worth knowing, each matter once.
func (l *loader) report() {
	log := l.options.Logger
	if more := l.invalid - maxComplaints; more > 0 {
		log.Warn("more objects left out of the snapshot", "count", more)
	}
	if more := l.broken - maxComplaints; more > 0 {
		log.Warn("more documents left out of the snapshot", "count", more)
	}
	if more := l.ahead - maxComplaints; more > 0 {
		log.Warn("more objects of the snapshot tell of a moment in the future", "count", more)
	}
	if l.twice > 0 {
		log.Warn("objects are twice in the snapshot; the last one read counts", "count", l.twice, "first", l.firstTwice)
	}
	if l.undated > 0 {
		log.Info("CronJobs without managedFields: when they were edited, resumed or suspended cannot be told; "+
			"write the snapshot with kubectl get --show-managed-fields", "count", l.undated)
	}
	if len(l.out.Unknown) > 0 {
		log.Info("kinds in the snapshot that are not read", "kinds", summary(l.out.Unknown))
	}
}

// summary lists counted kinds, the most frequent first.
func summary(kinds map[string]int) string {
	const most = 8
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(kinds[b], kinds[a]), cmp.Compare(a, b))
	})
	var parts []string
	for i, name := range names {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", kinds[name], name))
	}
	return strings.Join(parts, ", ")
}
