package collectors

import (
	"tocsin/collectors/cluster"
	"tocsin/collectors/coverage"
	"tocsin/collectors/exposition"
)

// Which nodes a DaemonSet covers, and why not the others.

var (
	daemonSetNodes = &exposition.Family{
		Name: "tocsin_daemonset_nodes",
		Help: "Nodes by how the DaemonSet covers them: its Pod is ready (covered), not ready (not_ready), not started (pending), not there " +
			"(missing), kept away by a taint or by the template's node selection (excluded_taint, excluded_selector), or there despite a " +
			"taint that came later (running_despite_taint). Nodes that start or go are in none.",
		Labels: []string{"namespace", "daemonset", "coverage"},
	}
	daemonSetInfo = &exposition.Family{
		Name:   "tocsin_daemonset_info",
		Help:   `1 for each DaemonSet. coverage is "all" where its owner asks, with the annotation tocsin/coverage, to hear of excluded nodes.`,
		Labels: []string{"namespace", "daemonset", "coverage"},
	}
	daemonSetExcluded = &exposition.Family{
		Name: "tocsin_daemonset_excluded_nodes",
		Help: "Nodes that a taint keeps the DaemonSet from; a node counts for each of its taints. The ten keys with the most nodes, then " +
			`"other".`,
		Labels: []string{"namespace", "daemonset", "taint_key", "taint_effect"},
	}
)

type daemonSetCollector struct {
	nodes      coverage.Nodes
	sets       prepared[*cluster.DaemonSet, exposition.Labels]
	counted    []*cluster.Node
	classes    [coverage.Classes]exposition.Labels
	all, unset exposition.Labels
}

func newDaemonSetCollector(Options) Collector {
	c := &daemonSetCollector{all: exposition.Pairs("coverage", "all"), unset: exposition.Pairs("coverage", "")}
	for i := range c.classes {
		c.classes[i] = exposition.Pairs("coverage", coverage.Class(i).String())
	}
	return c
}

func (c *daemonSetCollector) Families() []*exposition.Family {
	return []*exposition.Family{daemonSetNodes, daemonSetInfo, daemonSetExcluded}
}

func (c *daemonSetCollector) Collect(view *cluster.View, sink exposition.Sink) error {
	covered := view.Known(cluster.Nodes, cluster.Pods)
	c.counted = c.counted[:0]
	for _, n := range view.Nodes.All() {
		if !view.Ignored(&n.Meta) {
			c.counted = append(c.counted, n)
		}
	}
	c.nodes.Update(c.counted)
	now := cluster.Time(view.Now.Unix())
	for _, d := range view.DaemonSets.All() {
		if view.Ignored(&d.Meta) {
			continue
		}
		object := c.sets.get(d, func() exposition.Labels { return exposition.Pairs("namespace", d.Namespace, "daemonset", d.Name) })
		info := c.unset
		if d.CoverAll {
			info = c.all
		}
		sink.Write(daemonSetInfo, 1, object, info)
		pods := view.PodsOf(d.UID)
		if d.Deleted != 0 || !covered || anyBroken(pods) {
			continue // its Pods go, and none will come; or nobody knows where they are
		}
		v := c.nodes.Judge(d, pods, now)
		for class, nodes := range v.Nodes {
			if nodes > 0 && coverage.Class(class) != coverage.NotCounted {
				sink.Write(daemonSetNodes, float64(nodes), object, c.classes[class])
			}
		}
		for _, x := range v.Excluding {
			sink.Write(daemonSetExcluded, float64(x.Nodes), object, exposition.Pairs("taint_key", x.Key, "taint_effect", string(x.Effect)))
		}
	}
	c.sets.sweep()
	return nil
}
