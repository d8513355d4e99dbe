package collectors

import (
	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
	"tocsin/collectors/placement"
)

// What ties Pods to their nodes, which Pods no node can take, and who would be left without a node if one were drained.

const countsWhat = "Counted are nodes that are ready, not cordoned, without a taint that the Pod does not tolerate (taints that pass by " +
	"themselves left out), and that its volumes and its node selection allow; free CPU and memory, affinity between Pods, topology " +
	"spread and attach limits are not looked at, so the number is an upper bound and 0 is certain."

var (
	pinnedPodAlternatives = &exposition.Family{
		Name:   "tocsin_pinned_pod_alternative_nodes",
		Help:   "For a Pod that something ties to its node, the number of other nodes that could run it now; 0: it lives and dies with its node. " + countsWhat,
		Labels: []string{"namespace", "pod", "node", "pin", "workload_kind", "workload"},
	}
	podStranded = &exposition.Family{
		Name:   "tocsin_pod_stranded",
		Help:   "1 for a Pod that is Pending because, as things stand, no node can ever take it.",
		Labels: []string{"namespace", "pod", "cause", "pin"},
	}
	podStrandedSince = &exposition.Family{
		Name:   "tocsin_pod_stranded_since_timestamp_seconds",
		Help:   "When the scheduler found no node for the stranded Pod, in Unix time.",
		Labels: []string{"namespace", "pod"},
	}
	nodePinnedPods = &exposition.Family{
		Name:   "tocsin_node_pinned_pods",
		Help:   "Pods on the node that something ties to it, by what does.",
		Labels: []string{"node", "pin"},
	}
	nodeDrainStranded = &exposition.Family{
		Name: "tocsin_node_drain_stranded_pods",
		Help: "Pods with a controller that would stay Pending for ever if the node were drained, because their volumes and their node " +
			"selection leave no other node that could run them, by what a PodDisruptionBudget does about their eviction.",
		Labels: []string{"node", "protection"},
	}
	nodeLocalVolumes = &exposition.Family{
		Name:   "tocsin_node_local_persistentvolumes",
		Help:   "PersistentVolumes whose data is on this node alone, whether or not a Pod uses them.",
		Labels: []string{"node", "phase"},
	}
	workloadPinnedPods = &exposition.Family{
		Name:   "tocsin_workload_pinned_pods",
		Help:   "Pods of the workload that something ties to their nodes, by what does.",
		Labels: []string{"namespace", "workload_kind", "workload", "pin"},
	}
	workloadMinAlternatives = &exposition.Family{
		Name:   "tocsin_workload_min_alternative_nodes",
		Help:   "The smallest tocsin_pinned_pod_alternative_nodes among the workload's Pods: an upper bound, of which 0 is certain.",
		Labels: []string{"namespace", "workload_kind", "workload"},
	}
)

// placementCollector judges the whole cluster, and remembers what it found.
type placementCollector struct {
	cluster   placement.Cluster
	fixed     map[cluster.UID]string
	pods      prepared[*cluster.Pod, *pinnedPod]
	nodes     prepared[string, exposition.Labels]
	workloads prepared[workloadKey, exposition.Labels]
	pairs     map[string]exposition.Labels // of bounded labels
	counts    placementCounts
}

func newPlacementCollector(Options) Collector {
	return &placementCollector{fixed: map[cluster.UID]string{}, pairs: map[string]exposition.Labels{}}
}

func (c *placementCollector) Families() []*exposition.Family {
	return []*exposition.Family{pinnedPodAlternatives, podStranded, podStrandedSince, nodePinnedPods, nodeDrainStranded, nodeLocalVolumes,
		workloadPinnedPods, workloadMinAlternatives}
}

// pinnedPod is what is prepared for a pinned Pod: its pairs, and those of its verdict, which may change while the Pod does not.
type pinnedPod struct {
	object   exposition.Labels
	workload workload
	pin      placement.Pin
	node     string
	rest     exposition.Labels
}

func (c *placementCollector) Collect(view *cluster.View, sink exposition.Sink) error {
	templateNodes(view, c.fixed)
	c.cluster.Update(placement.Input{
		Nodes: view.Nodes.All(), Pods: view.Pods.All(), Claims: view.Claims.All(), Volumes: view.Volumes.All(), FixedNodes: c.fixed,
	})
	c.counts.reset()
	budgets := budgetsOf(view)
	for p, v := range c.cluster.Pods {
		if view.Ignored(&p.Meta) {
			continue
		}
		pod := c.prepare(view, p, v)
		sink.Write(pinnedPodAlternatives, float64(v.Alternatives), pod.object, pod.rest)
		if v.Stranded != placement.NotStranded {
			sink.Write(podStranded, 1, pod.object, c.pair("cause", v.Stranded.String()).And(c.pair("pin", v.Pin.String())))
			if p.ScheduleChange != 0 {
				sink.Write(podStrandedSince, float64(p.ScheduleChange), pod.object, exposition.Labels{})
			}
		}
		c.counts.add(pod.workload, p.Namespace, v)
		if v.LostByDrain {
			c.counts.addLost(v.Node, placement.ProtectionOf(p, budgets(p.Namespace)))
		}
	}
	c.pods.sweep()
	c.writeNodes(view, sink)
	c.writeWorkloads(sink)
	return nil
}

func (c *placementCollector) prepare(view *cluster.View, p *cluster.Pod, v placement.Verdict) *pinnedPod {
	pod := c.pods.get(p, func() *pinnedPod {
		return &pinnedPod{object: exposition.Pairs("namespace", p.Namespace, "pod", p.Name)}
	})
	w := workloadOf(view, p)
	if pod.workload != w || pod.pin != v.Pin || pod.node != v.Node {
		pod.workload, pod.pin, pod.node = w, v.Pin, v.Node
		pod.rest = exposition.Pairs("node", v.Node, "pin", v.Pin.String(), "workload_kind", w.kind, "workload", w.name)
	}
	return pod
}

// pair gives a pair of few values.
func (c *placementCollector) pair(name, value string) exposition.Labels {
	l, ok := c.pairs[name+value]
	if !ok {
		l = exposition.Pairs(name, value)
		c.pairs[name+value] = l
	}
	return l
}

// workload is what a person calls the thing that a Pod is part of.
type workload struct{ kind, name string }

func workloadOf(view *cluster.View, p *cluster.Pod) workload {
	top, ok := view.TopOwner(&p.Meta)
	if !ok {
		return workload{"Pod", p.Name}
	}
	return workload{placement.WorkloadKind(top.Kind), top.Name}
}

// templateNodes finds the controllers whose template sends each Pod to one node, past the scheduler. The Pods cannot tell: once it is
// scheduled, every Pod names its node.
func templateNodes(view *cluster.View, found map[cluster.UID]string) {
	clear(found)
	note := func(m *cluster.Meta, node string) {
		if node != "" {
			found[m.UID] = node
		}
	}
	for _, s := range view.StatefulSets.All() {
		note(&s.Meta, s.Template.NodeName)
	}
	for _, w := range view.ReplicaSets.All() {
		note(&w.Meta, w.Template.NodeName)
	}
	for _, w := range view.ReplicationControllers.All() {
		note(&w.Meta, w.Template.NodeName)
	}
	for _, j := range view.Jobs.All() {
		note(&j.Meta, j.NodeName)
	}
}

// budgetsOf gives the PodDisruptionBudgets of a namespace, remembering the last one asked for: Pods come namespace by namespace.
func budgetsOf(view *cluster.View) func(namespace string) []*cluster.Budget {
	last, budgets := "", view.Budgets.In("")
	return func(namespace string) []*cluster.Budget {
		if namespace != last {
			last, budgets = namespace, view.Budgets.In(namespace)
		}
		return budgets
	}
}
