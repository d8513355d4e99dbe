package synthetic

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
)

// addMember makes a Pod of a set with its claim. Only the last Pod of a set is in trouble.
func (g *generator) addMember(s *set, ordinal int32) {
	name := s.name + "-" + strconv.Itoa(int(ordinal))
	p := pod{namespace: s.namespace, name: name, owners: owner("apps/v1", "StatefulSet", s.name, s.object.UID), created: g.ago(g.between(24*time.Hour, 20*24*time.Hour)),
		node: g.next(), template: s.template, shape: "statefulset", labels: map[string]string{appsv1.StatefulSetRevisionLabel: s.object.Status.UpdateRevision,
			appsv1.StatefulSetPodNameLabel: name, appsv1.PodIndexLabel: strconv.Itoa(int(ordinal))}}
	maps.Copy(p.labels, s.labels)
	home := p.node.name
	if ordinal == s.replicas-1 {
		switch s.story {
		case trapped:
			p.phase, p.labels[appsv1.StatefulSetRevisionLabel] = pulling, s.name+"-7f9c4d8b55"
		case crashLooping:
			p.phase = crashing
		case homeless:
			p.phase, p.node, home = pending, node{}, gone
		case homeCordoned:
			home = g.cordoned[int(s.object.Generation+int64(g.turn))%len(g.cordoned)].name
			p.phase, p.node = pending, node{}
		}
		if s.troubled() {
			p.created = g.ago(20 * time.Hour)
		}
	}
	if s.class != "" {
		g.memberClaim(s, p, "data-"+name, home)
		p.claims = []string{"data-" + name}
	}
	g.addPod(p)
}

func (g *generator) memberClaim(s *set, p pod, name, home string) {
	c := claim{namespace: s.namespace, name: name, class: s.class, created: p.created.Add(-time.Minute), labels: s.labels, manager: "kube-controller-manager", state: "in_use", reason: "pod"}
	switch s.class {
	case zonalClass:
		c.zone = p.node.zone
	case localClass:
		c.node = home
	}
	g.addClaim(c)
	g.pinned(p, c, "StatefulSet", s.protection)
}

// pinned says what is to be found about a Pod with a claim.
func (g *generator) pinned(p pod, c claim, kind, protection string) {
	var pin string
	others := 0
	switch {
	case c.node != "":
		pin = "local_volume"
	case c.zone != "":
		pin, others = "zone_volume", g.usableIn[c.zone]-1
	default:
		return
	}
	g.truth.add("tocsin_pinned_pod_alternative_nodes", float64(others), p.namespace, p.name, pin)
	g.truth.add("tocsin_workload_pinned_pods", 1, kind, pin)
	if p.phase == pending {
		cause := "node_cordoned"
		if c.node == gone {
			cause = "node_missing"
		}
		g.truth.add("tocsin_pod_stranded", 1, p.namespace, p.name, cause, pin)
		return
	}
	g.truth.add("tocsin_node_pinned_pods", 1, pin)
	if others == 0 {
		g.truth.add("tocsin_node_drain_stranded_pods", 1, p.node.name, protection)
	}
}

// spareClaims makes the claims of a set's ordinals that it does not have now.
func (g *generator) spareClaims(s *set) {
	c := claim{namespace: s.namespace, class: s.class, zone: zones[0], created: g.ago(60 * 24 * time.Hour), labels: s.labels, manager: "kube-controller-manager"}
	switch s.story {
	case scaledToZero:
		c.state, c.reason = "reserved", "scaled_to_zero"
		for ordinal := range 2 {
			c.name = fmt.Sprintf("data-%s-%d", s.name, ordinal)
			g.addClaim(c)
		}
	case scaledDown:
		c.state, c.reason, c.name = "orphaned", "statefulset_scaled_down", fmt.Sprintf("data-%s-%d", s.name, s.replicas)
		g.addClaim(c)
	}
}
