package synthetic

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// node is what is remembered of a Node.
type node struct {
	name, zone      string
	cordoned, ready bool
	dedicated       bool // has a taint that no Pod but the agents tolerates
	withoutAgent    bool // a DaemonSet's Pod is missing on it
}

const (
	// csiZone is the label by which volumes ask for a zone.
	csiZone       = "topology.ebs.csi.aws.com/zone"
	dedicatedKey  = "example.com/dedicated"
	imagesOnNode  = 40
	kubeletUpdate = 30 * time.Second
)

var zones = [...]string{"eu-west-1a", "eu-west-1b", "eu-west-1c"}

// nodes makes the nodes: half a percent cordoned, a third of a percent not ready, two percent dedicated to something.
func (g *generator) nodes() {
	g.usableIn = map[string]int{}
	cordoned, lost, dedicated := shareOf(g.Nodes, 5), shareOf(g.Nodes, 3), shareOf(g.Nodes, 20)
	for i := range g.Nodes {
		n := node{name: fmt.Sprintf("node-%05d", i), zone: zones[i%len(zones)], ready: true}
		switch {
		case i < cordoned:
			n.cordoned = true
		case i < cordoned+lost:
			n.ready = false
		case i < cordoned+lost+dedicated:
			n.dedicated = true
		case i < cordoned+lost+dedicated+2:
			n.withoutAgent = true
		}
		role := NoRole
		if n.cordoned {
			g.cordoned = append(g.cordoned, n)
		}
		if !n.cordoned && n.ready && !n.dedicated {
			g.usable = append(g.usable, n)
			g.usableIn[n.zone]++
			role = HealthyNode
		}
		g.allNodes = append(g.allNodes, n)
		g.put("nodes", Object{g.node(n, i), role})
	}
}

// next gives the usable nodes in turn, so that all get their part.
func (g *generator) next() node {
	g.turn++
	return g.usable[g.turn%len(g.usable)]
}

func (g *generator) node(n node, i int) *corev1.Node {
	o := &corev1.Node{
		ObjectMeta: g.meta("", n.name, g.ago(g.between(24*time.Hour, age)), map[string]string{
			corev1.LabelHostname: n.name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64", corev1.LabelTopologyZone: n.zone,
			corev1.LabelTopologyRegion: "eu-west-1", corev1.LabelInstanceTypeStable: "m6i.4xlarge", csiZone: n.zone,
			"node.kubernetes.io/pool": fmt.Sprintf("pool-%d", i%8),
		}),
		Spec: corev1.NodeSpec{PodCIDR: fmt.Sprintf("10.%d.%d.0/24", i/256, i%256), PodCIDRs: []string{fmt.Sprintf("10.%d.%d.0/24", i/256, i%256)},
			ProviderID: fmt.Sprintf("aws:///%s/i-%017x", n.zone, i), Unschedulable: n.cordoned},
		Status: corev1.NodeStatus{
			Capacity: resources("16", "64Gi", "110"), Allocatable: resources("15800m", "61Gi", "110"),
			Conditions: g.nodeConditions(n),
			Addresses:  []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("172.16.%d.%d", i/256%256, i%256)}, {Type: corev1.NodeHostName, Address: n.name}},
			NodeInfo: corev1.NodeSystemInfo{MachineID: fmt.Sprintf("%032x", i), SystemUUID: string(g.uid()), BootID: string(g.uid()), KernelVersion: "6.12.48",
				OSImage: "Bottlerocket OS 1.50.0", ContainerRuntimeVersion: "containerd://2.1.4", KubeletVersion: "v1.37.2", OperatingSystem: "linux", Architecture: "amd64"},
		},
	}
	o.Annotations = map[string]string{"node.alpha.kubernetes.io/ttl": "0", "volumes.kubernetes.io/controller-managed-attach-detach": "true",
		"csi.volume.kubernetes.io/nodeid": fmt.Sprintf(`{"ebs.csi.aws.com":"i-%017x"}`, i)}
	o.Generation = 0
	if n.cordoned {
		o.Spec.Taints = append(o.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule, TimeAdded: ref(g.ago(2 * time.Hour))})
	}
	if n.dedicated {
		o.Spec.Taints = append(o.Spec.Taints, corev1.Taint{Key: dedicatedKey, Value: "search", Effect: corev1.TaintEffectNoSchedule})
	}
	if !n.ready {
		o.Spec.Taints = append(o.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule, TimeAdded: ref(g.ago(3 * time.Hour))},
			corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute, TimeAdded: ref(g.ago(3 * time.Hour))})
	}
	for image := range imagesOnNode {
		of := (i*7 + image*13) % 300
		o.Status.Images = append(o.Status.Images, corev1.ContainerImage{SizeBytes: int64(of+1) << 20, Names: []string{
			fmt.Sprintf("registry.example.com/platform/service-%03d@sha256:%064x", of, of*7919), fmt.Sprintf("registry.example.com/platform/service-%03d:v1.%d.0", of, of%40)}})
	}
	g.manage(o, "node", manager{name: "kubelet", at: o.CreationTimestamp.Time}, manager{name: "kube-controller-manager", at: g.ago(2 * time.Hour)},
		manager{name: "kubelet", subresource: "status", at: g.ago(kubeletUpdate)})
	return o
}

func (g *generator) nodeConditions(n node) []corev1.NodeCondition {
	heartbeat, since := at(g.ago(kubeletUpdate)), at(g.ago(20*24*time.Hour))
	conditions := make([]corev1.NodeCondition, 0, 4)
	for _, t := range [...]corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure} {
		conditions = append(conditions, corev1.NodeCondition{Type: t, Status: corev1.ConditionFalse, LastHeartbeatTime: heartbeat, LastTransitionTime: since,
			Reason: "KubeletHasSufficient" + string(t)[:6], Message: "kubelet has no " + string(t)})
	}
	ready := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: heartbeat, LastTransitionTime: since,
		Reason: "KubeletReady", Message: "kubelet is posting ready status"}
	if !n.ready {
		ready.Status, ready.Reason, ready.Message = corev1.ConditionUnknown, "NodeStatusUnknown", "Kubelet stopped posting node status."
		ready.LastTransitionTime = at(g.ago(3 * time.Hour))
	}
	return append(conditions, ready)
}

func resources(cpu, memory, pods string) corev1.ResourceList {
	l := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	if pods != "" {
		l[corev1.ResourcePods] = resource.MustParse(pods)
	}
	return l
}

func selector(labels map[string]string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: labels}
}
