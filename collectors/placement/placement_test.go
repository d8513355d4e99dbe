package placement

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

// TestPlacement holds what people reported, by their reports, and the rules that nobody reported.
func TestPlacement(t *testing.T) {
	zone := func(s *scene, zone string, nodes ...string) {
		for _, n := range nodes {
			s.label(n, corev1.LabelTopologyZone, zone)
		}
	}
	for _, test := range []struct {
		name string
		make func(s *scene)
		want []string
	}{
		// The home of a local volume is cordoned; that eight other nodes are healthy helps nobody.
		{"home of a local volume is cordoned", func(s *scene) {
			s.nodes("n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9")
			s.cordon("n1")
			s.volume("data-0", among(corev1.LabelHostname, "host-n1"), local)
			s.volume("data-1", among(corev1.LabelHostname, "host-n2"), local)
			s.pod("pg-0", "", "data-0")
			s.pod("pg-1", "n2", "data-1")
		}, []string{`pg-0 on "n1": local_volume, 0 others, stranded: node_cordoned`, `pg-1 on "n2": local_volume, 0 others, lost by drain`}},
		// The volume is on node4, the Pod selects another node.
		{"kubernetes/kubernetes#81020", func(s *scene) {
			s.nodes("node4", "node5")
			s.volume("data", among(corev1.LabelHostname, "host-node4"), local)
			s.pod("pg-0", "", "data").Scheduling = &cluster.Scheduling{NodeSelector: map[string]string{corev1.LabelHostname: "host-node5"}}
		}, []string{`pg-0 on "node4": local_volume, 0 others, stranded: affinity_disjoint`}},
		// The affinity is by matchFields, which the scheduler does not check for volumes: the Pod ran on b without its data.
		{"rancher/local-path-provisioner#451", func(s *scene) {
			s.nodes("a", "b", "c")
			s.volume("data", named("a"), hostPath)
			s.pod("pg-0", "b", "data")
			s.pod("pg-1", "", "data")
		}, []string{`pg-0 on "b": unenforced, 2 others`, `pg-1 on "a": unenforced, 2 others`}},
		// The node of a local-path volume is gone for good.
		{"rancher/local-path-provisioner#215", func(s *scene) {
			s.nodes("a")
			s.volume("data", among(corev1.LabelHostname, "host-gone"), hostPath)
			s.pod("pg-0", "", "data")
		}, []string{`pg-0 on "": hostpath_volume, 0 others, stranded: node_missing`}},
		// kubectl drain says nothing of Pods with local volumes: they must be told beforehand.
		{"kubernetes/kubectl#803", func(s *scene) {
			s.nodes("a", "b")
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.pod("pg-0", "a", "data")
		}, []string{`pg-0 on "a": local_volume, 0 others, lost by drain`}},
		// A generic ephemeral volume is made anew with the Pod, even if it is local.
		{"kubernetes/autoscaler#6417, #6710", func(s *scene) {
			s.nodes("a", "b")
			s.volume("pg-0-scratch", among(corev1.LabelHostname, "host-a"), local)
			s.pod("pg-0", "a").Claims = []cluster.ClaimRef{{Name: "pg-0-scratch", Ephemeral: true}}
		}, nil},
		// Evicting a Pod whose volume cannot move helps nobody.
		{"kubernetes-sigs/descheduler#6", func(s *scene) {
			s.nodes("a", "b", "c")
			s.volume("data", among("topology.topolvm.io/node", "a"))
			s.label("a", "topology.topolvm.io/node", "a")
			s.label("b", "topology.topolvm.io/node", "b")
			s.pod("pg-0", "a", "data")
		}, []string{`pg-0 on "a": node_topology_volume, 0 others, lost by drain`}},
		// emptyDir and read-only host paths are no pins; the decoder leaves HostPath unset.
		{"dash0hq/dash0-operator#303, alphagov/gsp#1005, kubernetes/contrib#1162", func(s *scene) {
			s.nodes("a", "b")
			s.pod("pg-0", "a")
		}, nil},
		// A ReadWriteOnce volume without an affinity is attached wherever its Pod goes.
		{"kubernetes/kubernetes#115997", func(s *scene) {
			s.nodes("a", "b")
			s.volume("data", nil)
			s.pod("pg-0", "a", "data")
		}, nil},
		// A node's name and its hostname label may differ: only the label counts.
		{"kubernetes/kubernetes#125336", func(s *scene) {
			s.nodes("a", "host-a")
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.pod("pg-0", "", "data")
		}, []string{`pg-0 on "a": local_volume, 0 others`}},

		{"home is not ready", func(s *scene) {
			s.nodes("a", "b")
			s.down("a")
			s.taint("a", corev1.TaintNodeUnreachable)
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.pod("pg-0", "", "data")
		}, []string{`pg-0 on "a": local_volume, 0 others, stranded: node_not_ready`}},
		{"home is tainted", func(s *scene) {
			s.nodes("a", "b")
			s.taint("a", "dedicated")
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.pod("pg-0", "", "data")
			s.pod("pg-1", "", "data").Scheduling = &cluster.Scheduling{Tolerations: []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}}
		}, []string{`pg-0 on "a": local_volume, 0 others, stranded: node_tainted`, `pg-1 on "a": local_volume, 0 others`}},
		{"home has a taint that passes", func(s *scene) {
			s.nodes("a", "b")
			s.taint("a", "node.cloudprovider.kubernetes.io/uninitialized")
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.pod("pg-0", "", "data")
		}, []string{`pg-0 on "a": local_volume, 0 others`}},
		{"a cordon is tolerated", func(s *scene) {
			s.nodes("a", "b")
			s.cordon("a")
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.pod("pg-0", "", "data").Scheduling = &cluster.Scheduling{Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}}
		}, []string{`pg-0 on "a": local_volume, 0 others`}},
		{"waits for something else", func(s *scene) {
			s.nodes("a", "b")
			s.cordon("a")
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.pod("pg-0", "", "data").Scheduled = cluster.SchedulingGated
		}, []string{`pg-0 on "a": local_volume, 0 others`}},
		{"two volumes on two nodes", func(s *scene) {
			s.nodes("a", "b", "c")
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.volume("wal", among(corev1.LabelHostname, "host-b"), local)
			s.pod("pg-0", "", "data", "wal")
		}, []string{`pg-0 on "": local_volume, 0 others, stranded: affinity_disjoint`}},
		{"the only node of a cluster", func(s *scene) {
			s.nodes("a")
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.pod("pg-0", "a", "data")
			s.pod("web", "a")
		}, []string{`pg-0 on "a": local_volume, 0 others, lost by drain`}},

		{"zone with another usable node", func(s *scene) {
			s.nodes("a1", "a2", "b1")
			zone(s, "a", "a1", "a2")
			zone(s, "b", "b1")
			s.volume("data", among(corev1.LabelTopologyZone, "a"))
			s.pod("pg-0", "a1", "data")
		}, []string{`pg-0 on "a1": zone_volume, 1 others`}},
		{"zone whose other node is cordoned", func(s *scene) {
			s.nodes("a1", "a2", "b1")
			s.cordon("a2")
			zone(s, "a", "a1", "a2")
			zone(s, "b", "b1")
			s.volume("data", among("topology.ebs.csi.aws.com/zone", "a"))
			s.label("a1", "topology.ebs.csi.aws.com/zone", "a")
			s.label("a2", "topology.ebs.csi.aws.com/zone", "a")
			s.pod("pg-0", "a1", "data")
		}, []string{`pg-0 on "a1": zone_volume, 0 others, lost by drain`}},
		{"zone without nodes", func(s *scene) {
			s.nodes("b1")
			zone(s, "b", "b1")
			s.volume("data", among(corev1.LabelTopologyZone, "a"))
			s.pod("pg-0", "", "data")
		}, []string{`pg-0 on "": zone_volume, 0 others, stranded: node_missing`}},
		{"all nodes are in the zone", func(s *scene) {
			s.nodes("a1", "a2")
			zone(s, "a", "a1", "a2")
			s.volume("data", among(corev1.LabelTopologyZone, "a"))
			s.pod("pg-0", "a1", "data")
		}, nil},
		{"zone labels of an in-tree volume", func(s *scene) {
			s.nodes("a1", "b1", "c")
			zone(s, "a", "a1")
			zone(s, "b", "b1")
			s.volume("data", nil, func(v *cluster.Volume) {
				v.Zone = map[string][]string{corev1.LabelFailureDomainBetaZone: {"a"}}
			})
			s.pod("pg-0", "a1", "data")
		}, []string{`pg-0 on "a1": zone_volume, 1 others`}},

		{"hostname in a node selector", func(s *scene) {
			s.nodes("a", "b")
			s.pod("pg-0", "a").Scheduling = &cluster.Scheduling{NodeSelector: map[string]string{corev1.LabelHostname: "host-a"}}
		}, []string{`pg-0 on "a": node_affinity, 0 others, lost by drain`}},
		{"name in a required affinity", func(s *scene) {
			s.nodes("a", "b")
			s.pod("pg-0", "a").Scheduling = &cluster.Scheduling{Required: named("a")}
		}, []string{`pg-0 on "a": node_affinity, 0 others, lost by drain`}},
		{"selects what several nodes have", func(s *scene) {
			s.nodes("a", "b", "c")
			s.label("a", "disk", "ssd")
			s.label("b", "disk", "ssd")
			s.pod("pg-0", "a").Scheduling = &cluster.Scheduling{NodeSelector: map[string]string{"disk": "ssd"}}
		}, nil},
		{"selects what no other node has", func(s *scene) {
			s.nodes("a", "b", "c")
			s.label("a", "disk", "ssd")
			s.pod("pg-0", "a").Scheduling = &cluster.Scheduling{NodeSelector: map[string]string{"disk": "ssd"}}
		}, []string{`pg-0 on "a": node_affinity, 0 others, lost by drain`}},
		{"selects what no node has", func(s *scene) {
			s.nodes("a", "b")
			s.pod("pg-0", "").Scheduling = &cluster.Scheduling{NodeSelector: map[string]string{"disk": "ssd"}}
		}, []string{`pg-0 on "": node_affinity, 0 others, stranded: affinity_disjoint`}},
		{"Unschedulable for want of CPU", func(s *scene) {
			s.nodes("a", "b")
			s.pod("pg-0", "")
		}, nil},
		{"no node is usable and nothing pins", func(s *scene) {
			s.nodes("a", "b")
			s.cordon("a")
			s.cordon("b")
			s.pod("pg-0", "")
			s.pod("pg-1", "a")
		}, nil},
		{"a platform that all nodes have", func(s *scene) {
			s.nodes("a")
			s.pod("pg-0", "a").Scheduling = &cluster.Scheduling{NodeSelector: map[string]string{corev1.LabelOSStable: "linux"}}
		}, nil},

		{"template names the node", func(s *scene) {
			s.nodes("a", "b")
			s.in.FixedNodes = map[cluster.UID]string{{1}: "a"}
			s.pod("pg-0", "a")
		}, []string{`pg-0 on "a": node_name, 0 others`}},
		{"writable host path", func(s *scene) {
			s.nodes("a", "b")
			s.pod("pg-0", "a").HostPath = true
		}, []string{`pg-0 on "a": hostpath_unprotected, 1 others`}},
		{"hostPath volume without an affinity", func(s *scene) {
			s.nodes("a", "b")
			s.volume("data", nil, hostPath)
			s.pod("pg-0", "a", "data")
		}, []string{`pg-0 on "a": hostpath_unprotected, 1 others`}},
		{"hostPath volume with an affinity", func(s *scene) {
			s.nodes("a", "b")
			s.volume("data", among(corev1.LabelHostname, "host-a"), hostPath)
			s.pod("pg-0", "a", "data")
		}, []string{`pg-0 on "a": hostpath_volume, 0 others, lost by drain`}},
		{"the strongest pin", func(s *scene) {
			s.nodes("a", "b")
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.volume("old", named("a"), hostPath)
			s.pod("pg-0", "a", "old", "data").HostPath = true
		}, []string{`pg-0 on "a": local_volume, 0 others, lost by drain`}},

		{"waits for its first consumer", func(s *scene) {
			s.nodes("a", "b")
			s.in.Claims = put(s.in.Claims, &cluster.Claim{Meta: cluster.Meta{Namespace: "db", Name: "data"}, Phase: "Pending"})
			s.pod("pg-0", "", "data", "no-such-claim")
		}, nil},
		{"selected node", func(s *scene) {
			s.nodes("a", "b")
			s.in.Claims = put(s.in.Claims, &cluster.Claim{Meta: cluster.Meta{Namespace: "db", Name: "data"}, Phase: "Pending", SelectedNode: "a"})
			s.pod("pg-0", "", "data")
		}, []string{`pg-0 on "a": node_topology_volume, 0 others`}},
		{"selected node is gone", func(s *scene) {
			s.nodes("b")
			s.in.Claims = put(s.in.Claims, &cluster.Claim{Meta: cluster.Meta{Namespace: "db", Name: "data"}, Phase: "Pending", SelectedNode: "a"})
			s.pod("pg-0", "", "data")
		}, []string{`pg-0 on "": node_topology_volume, 0 others, stranded: selected_node_missing`}},

		{"bare Pod", func(s *scene) {
			s.nodes("a", "b")
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.pod("pg-0", "a", "data").Owners = nil
		}, []string{`pg-0 on "a": local_volume, 0 others`}},
		{"exempt", func(s *scene) {
			s.nodes("a", "b")
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.pod("daemon", "a", "data").Owners[0].Kind = "DaemonSet"
			s.pod("static", "a", "data").Mirror = true
			s.pod("ended", "a", "data").Phase = cluster.PhaseSucceeded
			s.pod("going", "a", "data").Deleted = 1
		}, nil},
		{"Pod on a node that is gone", func(s *scene) {
			s.nodes("b")
			s.volume("data", among(corev1.LabelHostname, "host-a"), local)
			s.pod("pg-0", "a", "data")
		}, []string{`pg-0 on "a": local_volume, 0 others`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s scene
			test.make(&s)
			if diff := cmp.Diff(test.want, s.told()); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLocalVolumes: a node group that holds nothing but unused volumes looks empty to who counts Pods (kubernetes/autoscaler#4369).
func TestLocalVolumes(t *testing.T) {
	var s scene
	s.nodes("a", "b")
	s.label("a", corev1.LabelTopologyZone, "z")
	s.volume("zonal", among(corev1.LabelTopologyZone, "z"))
	s.volume("used", among(corev1.LabelHostname, "host-a"), local)
	s.volume("unused", among(corev1.LabelHostname, "host-b"), hostPath)
	s.volume("lvm", named("b"))
	s.volume("gone", among(corev1.LabelHostname, "host-c"), local)
	s.volume("anywhere", nil)
	got := map[string]string{}
	for v, n := range fresh(s.in).LocalVolumes {
		got[v.Name] = n.Name
	}
	if diff := cmp.Diff(map[string]string{"used": "a", "unused": "b", "lvm": "b"}, got); diff != "" {
		t.Errorf("local volumes (-want +got):\n%s", diff)
	}
}

// TestStranded is what the rollout verdict asks.
func TestStranded(t *testing.T) {
	var s scene
	s.nodes("a", "b")
	s.cordon("a")
	s.volume("data", among(corev1.LabelHostname, "host-a"), local)
	waits, runs := s.pod("pg-0", "", "data"), s.pod("pg-1", "b")
	c := fresh(s.in)
	if cause, pin, ok := c.Stranded(waits); cause != NodeCordoned || pin != LocalVolume || !ok || !pin.Volume() {
		t.Errorf("pg-0: %v, %v, %t", cause, pin, ok)
	}
	for _, p := range []*cluster.Pod{runs, {Meta: cluster.Meta{Namespace: "db", Name: "unknown"}}} {
		if cause, pin, ok := c.Stranded(p); ok {
			t.Errorf("%s: %v, %v", p.Name, cause, pin)
		}
	}
}
