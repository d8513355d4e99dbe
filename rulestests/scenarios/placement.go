package scenarios

import "fmt"

// localClass is the StorageClass of a story's local disks, with the story's name: a claim waits until its pod has a node.
func localClass(story string) string {
	return fmt.Sprintf(`apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: %s}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
---
`, story)
}

// machine is a node of the story's own, and the PersistentVolume that is its disk.
func machine(story, name string) string {
	return node(story, name) + fmt.Sprintf(`apiVersion: v1
kind: PersistentVolume
metadata: {name: %[2]s-disk}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: %[1]s
  local: {path: /disk}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%[2]s]}]}]}}
---
`, story, name)
}

// joins makes a machine join once the set has as many members as there are machines already, so that each member gets a machine of its own, in order.
func joins(story, machineName, set string, before int) []Action {
	return []Action{
		{"", wait(fmt.Sprintf("jsonpath={.status.availableReplicas}=%d", before), "statefulset/"+set).do},
		{machineName + " joins, with a disk", apply(machine(story, machineName)).do},
	}
}

// localSet is a StatefulSet with a volume on the local disks of its story.
func localSet(story, name string, replicas int) string {
	return statefulSet(name, replicas, claimTemplate(story), onOwnNodes(story))
}

// claimTemplate is what gives each member of a set a volume of the class.
func claimTemplate(class string) string {
	return fmt.Sprintf(`volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], storageClassName: %s, resources: {requests: {storage: 1Gi}}}}]`, class)
}

// drainWouldStrand, standbyStranded and nodeMissing are pages about a node, a pod and a volume.
func drainWouldStrand(node string) Page {
	return Page{"NodeDrainWouldStrandPods", "info", "Draining node " + node + " would strand pods, and no disruption budget would stop it", "node=" + node}
}

func standbyStranded(namespace string) Page {
	return Page{"PodStranded", "critical", "Pod " + namespace + "/db-1 has no node it could run on", "namespace=" + namespace + " pod=db-1"}
}

func nodeMissing(volume, namespace, claim string) Page {
	return Page{"PersistentVolumeNodeMissing", "warning", "PersistentVolume " + volume + " is tied to a node that does not exist",
		"persistentvolume=" + volume + " claim_namespace=" + namespace + " claim_name=" + claim}
}

// placed are the stories of pods that live and die with their nodes.
func placed() []Scenario { return []Scenario{drainedNode(), nodeGone()} }

func drainedNode() Scenario {
	const name = "drained-node"
	budget := `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: ledger}
spec: {minAvailable: 1, selector: {matchLabels: {app: ledger}}}
---
`
	return Scenario{
		Name:    name,
		Story:   "A database keeps its data on local disks; a node is drained for a reboot, and its member has nowhere to go.",
		Objects: localClass(name) + machine(name, "drained-node-1") + localSet(name, "db", 2),
		Steps: []Step{{
			Say: "the database's primary and standby run, each on a disk of its own node; a ledger does, too, behind a disruption budget",
			Do: append(joins(name, "drained-node-2", "db", 1),
				wait("jsonpath={.status.availableReplicas}=2", "statefulset/db"),
				Action{"drained-node-3 joins, for the ledger", apply(machine(name, "drained-node-3") + budget + localSet(name, "ledger", 1)).do},
				rolledOut("statefulset/ledger")),
			See: []string{
				`tocsin_pinned_pod_alternative_nodes{namespace="drained-node", pod="db-1", node="drained-node-2", pin="local_volume"} == 0`,
				`tocsin_node_drain_stranded_pods{node="drained-node-2", protection="none"} == 1`,
				`tocsin_node_drain_stranded_pods{node="drained-node-3", protection="pdb_blocking"} == 1`,
				`tocsin_node_local_persistentvolumes{node="drained-node-2", phase="Bound"} == 1`,
			},
			// The forecast is for days when nobody is in a hurry: the ledger's node is none of it, because a drain of it would not get through.
			Page:     []Page{drainWouldStrand("drained-node-1"), drainWouldStrand("drained-node-2")},
			Patience: 4 * minute,
		}, {
			Say: "drained-node-2 is drained for a reboot, without a look at the forecast",
			Do:  []Action{kubectl("drain", "drained-node-2", "--ignore-daemonsets", "--timeout=60s")},
			See: []string{
				`tocsin_pod_stranded{namespace="drained-node", pod="db-1", cause="node_cordoned", pin="local_volume"} == 1`,
				`tocsin_statefulset_rollout_blocked{namespace="drained-node", statefulset="db", reason="unschedulable_volume_affinity", action="free_node"} == 1`,
			},
			Page:    []Page{standbyStranded(name), blocked(name, "db")},
			Resolve: []Page{drainWouldStrand("drained-node-2")},
		}, {
			Say:     "it is back from its reboot, and uncordoned",
			Do:      []Action{kubectl("uncordon", "drained-node-2")},
			See:     []string{`tocsin_statefulset_rollout_state{namespace="drained-node", statefulset="db", state="complete"} == 1`},
			Gone:    []string{`tocsin_pod_stranded{namespace="drained-node"}`},
			Resolve: []Page{standbyStranded(name), blocked(name, "db")},
		}},
		Silent: []string{`tocsin_node_drain_stranded_pods{node="drained-node-3", protection="none"}`},
	}
}

func nodeGone() Scenario {
	const name = "node-gone"
	return Scenario{
		Name:    name,
		Story:   "A machine dies for good and its node is deleted: what was on its disk is tied to a node that does not exist.",
		Objects: localClass(name) + machine(name, "node-gone-1") + localSet(name, "db", 2),
		Steps: []Step{{
			Say: "a primary and a standby run, each on a disk of its own node",
			Do:  append(joins(name, "node-gone-2", "db", 1), rolledOut("statefulset/db")),
			See: []string{
				`tocsin_statefulset_rollout_state{namespace="node-gone", state="complete"} == 1`,
				`tocsin_node_local_persistentvolumes{node="node-gone-2", phase="Bound"} == 1`,
			},
		}, {
			Say: "the standby's machine is given up, and its node deleted",
			Do:  []Action{kubectl("delete", "node", "node-gone-2")},
			See: []string{
				`tocsin_persistentvolume_node_missing{persistentvolume="node-gone-2-disk", claim_namespace="node-gone", claim_name="data-db-1"} == 1`,
				`tocsin_pod_stranded{namespace="node-gone", pod="db-1", cause="node_missing", pin="local_volume"} == 1`,
				`tocsin_statefulset_rollout_blocked{namespace="node-gone", reason="unschedulable_volume_affinity", action="fix_storage"} == 1`,
			},
			Page: []Page{
				nodeMissing("node-gone-2-disk", name, "data-db-1"), standbyStranded(name), blocked(name, "db"), drainWouldStrand("node-gone-1"),
			},
			Patience: 5 * minute, // the garbage collector of pods takes a minute of it
		}, {
			Say: "a new machine joins, and the standby is built anew there: its claim and its volume are given up",
			Do: []Action{
				{"node-gone-3 joins, with an empty disk", apply(machine(name, "node-gone-3")).do},
				kubectl("delete", "pvc", "data-db-1", "--wait=false"), kubectl("delete", "pod", "db-1"), kubectl("delete", "pv", "node-gone-2-disk"),
			},
			See: []string{
				`tocsin_statefulset_rollout_state{namespace="node-gone", state="complete"} == 1`,
				`tocsin_pinned_pod_alternative_nodes{namespace="node-gone", pod="db-1", node="node-gone-3"} == 0`,
			},
			Gone:    []string{`tocsin_persistentvolume_node_missing{claim_namespace="node-gone"}`},
			Resolve: []Page{nodeMissing("node-gone-2-disk", name, "data-db-1"), standbyStranded(name), blocked(name, "db")},
		}},
	}
}
