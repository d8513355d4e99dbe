package collectors

import (
	"slices"
	"time"

	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
	"tocsin/collectors/rollout"
)

// The question of this file: how far has each StatefulSet's rollout come, what holds it up, and does the set have the Service and the
// claims that it was meant to have?

var (
	statefulSetRolloutState = &exposition.Family{Name: "tocsin_statefulset_rollout_state", Labels: []string{"namespace", "statefulset", "state"},
		Help: "State of the StatefulSet's rollout, 1: complete, progressing, scaling (Pods are missing or surplus), partitioned (as far as its partition lets it), ondelete_pending (outdated Pods wait to be deleted by somebody), blocked, unobserved (the controller has not seen the present spec), deleting."}
	statefulSetRolloutBlocked = &exposition.Family{Name: "tocsin_statefulset_rollout_blocked", Labels: []string{"namespace", "statefulset", "severity", "reason", "action"},
		Help: "1 when a Pod of the StatefulSet has been unavailable for longer than --rollout-deadline and its own probes let it: what is wrong with it, and what ends that (delete_pod, fix_template, free_node, fix_storage, wait)."}
	statefulSetBlockedSince = &exposition.Family{Name: "tocsin_statefulset_rollout_blocked_since_timestamp_seconds", Labels: []string{"namespace", "statefulset"},
		Help: "When the trouble of the Pod that blocks the rollout began."}
	statefulSetBlockingPod = &exposition.Family{Name: "tocsin_statefulset_blocking_pod_info", Labels: []string{"namespace", "statefulset", "pod", "node", "revision"},
		Help: "The Pod that blocks the rollout, 1: its name or that of the missing one, its node if it has one, and whether it is at the StatefulSet's current, update or an other revision."}
	statefulSetManualDelete = &exposition.Family{Name: "tocsin_statefulset_manual_delete_pods", Labels: []string{"namespace", "statefulset"},
		Help: "Pods that the controller will never replace by itself and whose deletion by hand unblocks the StatefulSet now."}
	statefulSetOutdated = &exposition.Family{Name: "tocsin_statefulset_outdated_pods", Labels: []string{"namespace", "statefulset"},
		Help: "Pods that are not at the StatefulSet's update revision, whether it is their turn yet or not; absent when there are none."}
	statefulSetService = &exposition.Family{Name: "tocsin_statefulset_governing_service_invalid", Labels: []string{"namespace", "statefulset", "reason"},
		Help: "1 when the StatefulSet's Pods have no DNS names of their own because its serviceName is empty (unnamed), or the Service is missing or not_headless."}
	statefulSetDrift = &exposition.Family{Name: "tocsin_statefulset_volume_template_drift", Labels: []string{"namespace", "statefulset", "field"},
		Help: "PersistentVolumeClaims of the StatefulSet that are smaller than its volumeClaimTemplates ask for (size) or of another class (storageclass); absent when there are none."}
)

// statefulSetCollector gives the verdicts on StatefulSets.
type statefulSetCollector struct {
	deadline time.Duration
	prepared prepared[*cluster.StatefulSet, preparedStatefulSet]
	stranded strandedPods

	states                        [rollout.States]exposition.Labels
	missing, notHeadless, unnamed exposition.Labels
	driftOfSize, driftOfClass     exposition.Labels
}

// preparedStatefulSet is what is made once per record of a set.
type preparedStatefulSet struct {
	labels   exposition.Labels
	prefixes []string // of its claims' names, by template
}

func newStatefulSetCollector(options Options) Collector {
	c := &statefulSetCollector{
		deadline:     options.RolloutDeadline,
		missing:      exposition.Pairs("reason", "missing"),
		notHeadless:  exposition.Pairs("reason", "not_headless"),
		unnamed:      exposition.Pairs("reason", "unnamed"),
		driftOfSize:  exposition.Pairs("field", "size"),
		driftOfClass: exposition.Pairs("field", "storageclass"),
	}
	for s := range c.states {
		c.states[s] = exposition.Pairs("state", rollout.State(s).String())
	}
	return c
}

func (c *statefulSetCollector) Families() []*exposition.Family {
	return []*exposition.Family{statefulSetRolloutState, statefulSetRolloutBlocked, statefulSetBlockedSince, statefulSetBlockingPod,
		statefulSetManualDelete, statefulSetOutdated, statefulSetService, statefulSetDrift}
}

func (c *statefulSetCollector) Collect(view *cluster.View, sink exposition.Sink) error {
	if !view.Known(cluster.StatefulSets) {
		return nil
	}
	defer c.prepared.sweep()
	rollouts, services, claims := view.Known(cluster.Pods), view.Known(cluster.Services), view.Known(cluster.Claims)
	var in rollout.Input
	if rollouts {
		in = c.input(view)
	}
	for _, set := range view.StatefulSets.All() {
		if view.Ignored(&set.Meta) {
			continue
		}
		p := c.prepared.get(set, func() preparedStatefulSet { return prepareStatefulSet(set) })
		if pods := view.PodsOf(set.UID); rollouts && !anyBroken(pods) {
			in.Set, in.Pods = set, pods
			c.writeRollout(sink, p.labels, rollout.Judge(in, view.Now), view.SeverityOf(&set.Meta))
		}
		c.writeService(sink, p.labels, set, view, services)
		if claims {
			c.writeDrift(sink, p, set, view)
		}
	}
	return nil
}

func prepareStatefulSet(set *cluster.StatefulSet) preparedStatefulSet {
	p := preparedStatefulSet{labels: exposition.Pairs("namespace", set.Namespace, "statefulset", set.Name)}
	for i := range set.Templates {
		p.prefixes = append(p.prefixes, rollout.ClaimPrefix(set, i))
	}
	return p
}

// input gives what all verdicts rest on, but for the set and its Pods.
func (c *statefulSetCollector) input(view *cluster.View) rollout.Input {
	in := rollout.Input{Deadline: c.deadline, Stranded: c.stranded.in(view)}
	if view.Known(cluster.Claims) {
		in.Claim = view.Claims.Get
	}
	if view.Known(cluster.Nodes) {
		in.Node = func(name string) *cluster.Node { return view.Nodes.Get("", name) }
	}
	if view.Known(cluster.StorageClasses) && view.StorageClasses.Len() > 0 {
		in.Immediate = func(class string) bool {
			k := view.StorageClasses.Get("", class)
			return k == nil || !k.WaitForFirstConsumer
		}
	}
	return in
}

func (c *statefulSetCollector) writeRollout(sink exposition.Sink, set exposition.Labels, v rollout.Verdict, severity cluster.Severity) {
	none := exposition.Labels{}
	sink.Write(statefulSetRolloutState, 1, set, c.states[v.State])
	sink.Write(statefulSetManualDelete, float64(v.ManualDelete), set, none)
	if v.Outdated > 0 {
		sink.Write(statefulSetOutdated, float64(v.Outdated), set, none)
	}
	if v.State != rollout.Blocked {
		return
	}
	sink.Write(statefulSetRolloutBlocked, 1, set,
		exposition.Pairs("severity", severity.String(), "reason", v.Reason.String(), "action", v.Action.String()))
	sink.Write(statefulSetBlockedSince, float64(v.Since), set, none)
	sink.Write(statefulSetBlockingPod, 1, set, exposition.Pairs("pod", v.Pod, "node", v.Node, "revision", v.Revision.String()))
}

// writeService says what is wrong with the governing Service: the API server checks neither that it exists nor that it is headless.
func (c *statefulSetCollector) writeService(sink exposition.Sink, labels exposition.Labels, set *cluster.StatefulSet, view *cluster.View, known bool) {
	var reason exposition.Labels
	switch {
	case set.ServiceName == "":
		reason = c.unnamed
	case !known:
		return
	default:
		switch service := view.Services.Get(set.Namespace, set.ServiceName); {
		case service == nil:
			reason = c.missing
		case !service.Headless:
			reason = c.notHeadless
		default:
			return
		}
	}
	sink.Write(statefulSetService, 1, labels, reason)
}

func (c *statefulSetCollector) writeDrift(sink exposition.Sink, p preparedStatefulSet, set *cluster.StatefulSet, view *cluster.View) {
	var drift rollout.Drift
	if len(p.prefixes) > 0 {
		claims := view.Claims.In(set.Namespace)
		for i, prefix := range p.prefixes {
			d := rollout.Compare(set, i, prefix, claims)
			drift.Size += d.Size
			drift.Class += d.Class
		}
	}
	if drift.Size > 0 {
		sink.Write(statefulSetDrift, float64(drift.Size), p.labels, c.driftOfSize)
	}
	if drift.Class > 0 {
		sink.Write(statefulSetDrift, float64(drift.Class), p.labels, c.driftOfClass)
	}
}

// anyBroken tells whether nothing but its existence is known of one of the Pods: then nothing is known of what they come to.
func anyBroken(pods []*cluster.Pod) bool {
	return slices.ContainsFunc(pods, func(p *cluster.Pod) bool { return p.Broken })
}
