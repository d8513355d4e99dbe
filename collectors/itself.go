package collectors

import (
	"strconv"

	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

var (
	sourceUp = &exposition.Family{Name: "tocsin_source_up", Labels: []string{"resource"},
		Help: "Whether the resource is synced, permitted and not stale; verdicts that need it are given only then."}
	sourceObjects = &exposition.Family{Name: "tocsin_source_objects", Labels: []string{"resource"},
		Help: "Objects of the resource that are known."}
	sourceLastEvent = &exposition.Family{Name: "tocsin_source_last_event_timestamp_seconds", Labels: []string{"resource"},
		Help: "When the API server was last heard from about the resource; absent when never."}
	sourceInvalid = &exposition.Family{Name: "tocsin_source_invalid_objects", Labels: []string{"resource"},
		Help: "Objects of the resource that could not be decoded and get no verdict, where there are any."}
	collectorSuccess = &exposition.Family{Name: "tocsin_collector_success", Labels: []string{"collector"},
		Help: "Whether the collector ran without a fault at this scrape."}
	collectorDuration = &exposition.Family{Name: "tocsin_collector_duration_seconds", Labels: []string{"collector"},
		Help: "How long the collector took at this scrape."}
	seriesDropped = &exposition.Family{Name: "tocsin_series_dropped", Labels: []string{"metric"},
		Help: "Series of the metric that this scrape lacks because there are more than --max-series-per-metric."}
	ignoredObjects = &exposition.Family{Name: "tocsin_ignored_objects", Labels: []string{"kind"},
		Help: "Objects that get no verdict because of the annotation tocsin/ignore on them, their Namespace or a workload above them, where there are any."}
	invalidAnnotations = &exposition.Family{Name: "tocsin_invalid_annotations", Labels: []string{"annotation"},
		Help: "Objects on which the annotation has a value that cannot be used, where there are any."}
)

var shards = &exposition.Family{Name: "tocsin_shards", Labels: []string{"shard"},
	Help: "The number of shards that share the cluster, --total-shards, by the number of the one that says it, --shard."}

// aboutItself are the families that the set writes itself.
var aboutItself = []*exposition.Family{sourceUp, sourceObjects, sourceLastEvent, sourceInvalid, collectorSuccess, collectorDuration,
	seriesDropped, ignoredObjects, invalidAnnotations, shards}

// annotations are the annotations of ours.
var annotations = []struct {
	bit  cluster.Annotation
	name string
}{
	{cluster.AnnotationIgnore, "tocsin/ignore"},
	{cluster.AnnotationSeverity, "tocsin/severity"},
	{cluster.AnnotationSuccessWithin, "tocsin/success-within"},
	{cluster.AnnotationCoverage, "tocsin/coverage"},
}

// writeItself says how far the verdicts can be trusted: what they rest on, and what they leave out.
func (s *Set) writeItself(view *cluster.View, g *exposition.Gathering, outcomes []outcome) {
	shard := view.Shard()
	g.Write(shards, float64(max(shard.Total, 1)), exposition.Pairs("shard", strconv.Itoa(shard.Index)), exposition.Labels{})
	for _, r := range s.sources {
		writeSource(g, r, view.Health(r))
	}
	for i, m := range s.members {
		g.Write(collectorSuccess, number(outcomes[i].success), m.result, exposition.Labels{})
		g.Write(collectorDuration, outcomes[i].duration.Seconds(), m.result, exposition.Labels{})
		for _, f := range m.families {
			if !g.Excluded(f) {
				g.Write(seriesDropped, float64(g.Dropped(f)), exposition.Pairs("metric", f.Name), exposition.Labels{})
			}
		}
	}
	for _, r := range s.judged {
		if !view.AnyIgnored() {
			break // as in most clusters; else every object and its owners have to be asked
		}
		if n := countIgnored(view, r); n > 0 {
			g.Write(ignoredObjects, float64(n), exposition.Pairs("kind", r.Info().Kind), exposition.Labels{})
		}
	}
	for _, a := range annotations {
		if n := view.InvalidAnnotations(a.bit); n > 0 {
			g.Write(invalidAnnotations, float64(n), exposition.Pairs("annotation", a.name), exposition.Labels{})
		}
	}
}

// writeSource tells a source's health. One that is off, and one that a cluster need not have and has not, have no series.
func writeSource(g *exposition.Gathering, r cluster.Resource, h cluster.Health) {
	if h.State == cluster.Off || h.State == cluster.Absent && r.Info().Optional {
		return
	}
	labels := exposition.Pairs("resource", r.String())
	g.Write(sourceUp, number(h.Up()), labels, exposition.Labels{})
	g.Write(sourceObjects, float64(h.Objects), labels, exposition.Labels{})
	if !h.LastEvent.IsZero() {
		g.Write(sourceLastEvent, float64(h.LastEvent.UnixMilli())/1000, labels, exposition.Labels{})
	}
	if h.Invalid > 0 {
		g.Write(sourceInvalid, float64(h.Invalid), labels, exposition.Labels{})
	}
}

// countIgnored counts the objects of a resource that their owners want no verdict on.
func countIgnored(view *cluster.View, r cluster.Resource) int {
	switch r {
	case cluster.CronJobs:
		return ignored(view, view.CronJobs.All(), func(o *cluster.CronJob) *cluster.Meta { return &o.Meta })
	case cluster.Jobs:
		return ignored(view, view.Jobs.All(), func(o *cluster.Job) *cluster.Meta { return &o.Meta })
	case cluster.Pods:
		return ignored(view, view.Pods.All(), func(o *cluster.Pod) *cluster.Meta { return &o.Meta })
	case cluster.Nodes:
		return ignored(view, view.Nodes.All(), func(o *cluster.Node) *cluster.Meta { return &o.Meta })
	case cluster.Deployments:
		return ignored(view, view.Deployments.All(), func(o *cluster.Workload) *cluster.Meta { return &o.Meta })
	case cluster.Claims:
		return ignored(view, view.Claims.All(), func(o *cluster.Claim) *cluster.Meta { return &o.Meta })
	case cluster.Volumes:
		return ignored(view, view.Volumes.All(), func(o *cluster.Volume) *cluster.Meta { return &o.Meta })
	case cluster.StatefulSets:
		return ignored(view, view.StatefulSets.All(), func(o *cluster.StatefulSet) *cluster.Meta { return &o.Meta })
	case cluster.DaemonSets:
		return ignored(view, view.DaemonSets.All(), func(o *cluster.DaemonSet) *cluster.Meta { return &o.Meta })
	}
	return 0
}

func ignored[T cluster.Record](view *cluster.View, all []T, meta func(T) *cluster.Meta) int {
	n := 0
	for _, o := range all {
		if m := meta(o); !m.Broken && view.Ignored(m) && view.Owns(o) {
			n++
		}
	}
	return n
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
