package cluster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestDecodePod(t *testing.T) {
	got := decoded[Pod](t, Pods, `
metadata:
  name: db-0
  namespace: shop
  deletionTimestamp: "2026-05-05T00:10:30Z"
  deletionGracePeriodSeconds: 30
  annotations: {kubernetes.io/config.mirror: x}
  labels: {controller-revision-hash: db-6f5}
spec:
  nodeName: node-1
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: data-db-0}}
  - {name: scratch, ephemeral: {volumeClaimTemplate: {spec: {}}}}
  - {name: host, hostPath: {path: /srv/db}}
  containers:
  - {name: db, volumeMounts: [{name: host, mountPath: /var/lib/db}]}
status:
  phase: Running
  reason: NodeLost
  startTime: "2026-05-05T00:00:02Z"
  conditions:
  - {type: Ready, status: "False", lastTransitionTime: "2026-05-05T00:10:01Z"}
  - {type: PodScheduled, status: "True", lastTransitionTime: "2026-05-05T00:00:01Z"}
  - {type: DisruptionTarget, status: "True", reason: EvictionByEvictionAPI}
`)
	want := &Pod{
		Meta: Meta{Namespace: "shop", Name: "db-0", Deleted: at(t, "2026-05-05T00:10:00Z")}, Labels: "controller-revision-hash\x00db-6f5\x00",
		Node: "node-1", Started: at(t, "2026-05-05T00:00:02Z"), Grace: 30, Reason: "NodeLost", Disruption: "EvictionByEvictionAPI",
		Phase: PhaseRunning, Scheduled: IsScheduled, Mirror: true, HostPath: true,
		ReadyChanged: at(t, "2026-05-05T00:10:01Z"), ScheduleChange: at(t, "2026-05-05T00:00:01Z"), Revision: "db-6f5",
		Claims: []ClaimRef{{Name: "data-db-0"}, {Name: "db-0-scratch", Ephemeral: true}}, Scheduling: &Scheduling{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodePodScheduled(t *testing.T) {
	for condition, want := range map[string]Scheduled{
		"":                                     NotScheduled,
		"{type: PodScheduled, status: 'True'}": IsScheduled,
		"{type: PodScheduled, status: 'False', reason: Unschedulable}":     Unschedulable,
		"{type: PodScheduled, status: 'False', reason: SchedulingGated}":   SchedulingGated,
		"{type: PodScheduled, status: 'False', reason: SchedulerError}":    NotScheduled,
		"{type: DisruptionTarget, status: 'False', reason: Unschedulable}": NotScheduled,
	} {
		if p := decoded[Pod](t, Pods, "metadata: {name: x}\nstatus: {conditions: ["+condition+"]}"); p.Scheduled != want || p.Disruption != "" {
			t.Errorf("%s: got %d, disruption %q", condition, p.Scheduled, p.Disruption)
		}
	}
}

func TestDecodeContainers(t *testing.T) {
	const (
		running   = "{name: n, state: {running: {startedAt: '2026-05-05T00:00:10Z'}}}"
		restarted = "{name: r, restartCount: 3, state: {running: {startedAt: '2026-05-05T00:05:00Z'}}, lastState: {terminated: {exitCode: 1, reason: Error, startedAt: '2026-05-05T00:03:00Z', finishedAt: '2026-05-05T00:04:00Z'}}}"
		creating  = "{name: c, state: {waiting: {reason: ContainerCreating}}}"
		initial   = "{name: i, state: {waiting: {reason: PodInitializing}}}"
		pull      = "{name: p, state: {waiting: {reason: ImagePullBackOff}}}"
		crash     = "{name: k, restartCount: 2, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 137, reason: OOMKilled, finishedAt: '2026-05-05T00:06:00Z'}}}"
		failed    = "{name: f, state: {terminated: {exitCode: 2, reason: Error, finishedAt: '2026-05-05T00:07:00Z'}}}"
		recovered = "{name: d, restartCount: 1, state: {terminated: {exitCode: 0}}, lastState: {terminated: {exitCode: 3, reason: Error}}}"
	)
	type result struct {
		Waiting, Container string
		Init               bool
		Restarts           int32
		Restarted          Time
		Failure            *Termination
	}
	oom := &Termination{Container: "k", Reason: "OOMKilled", ExitCode: 137, Finished: at(t, "2026-05-05T00:06:00Z")}
	two := &Termination{Container: "f", Reason: "Error", ExitCode: 2, Finished: at(t, "2026-05-05T00:07:00Z")}
	twoInit := *two
	twoInit.Init = true
	for _, test := range []struct {
		name, inits, containers string
		want                    result
	}{
		{"no status", "", "", result{}},
		{"runs", "", running, result{}},
		{"created", "", creating + "," + running, result{Waiting: "ContainerCreating", Container: "c"}},
		{"the telling reason, wherever it stands", "", creating + "," + pull + "," + crash, result{Waiting: "ImagePullBackOff", Container: "p", Restarts: 2, Failure: oom}},
		{"init containers first", pull, crash, result{Waiting: "ImagePullBackOff", Container: "p", Init: true, Restarts: 2, Failure: oom}},
		{"nothing created yet", initial, initial, result{Waiting: "ContainerCreating", Container: "i", Init: true}},
		{"an init container that runs long", running, initial, result{}},
		{"no reason given", "", "{name: m, state: {waiting: {}}}", result{Waiting: "ContainerCreating", Container: "m"}},
		{"restarted and running", "", restarted, result{Restarts: 3, Restarted: at(t, "2026-05-05T00:05:00Z"),
			Failure: &Termination{Container: "r", Reason: "Error", ExitCode: 1, Started: at(t, "2026-05-05T00:03:00Z"), Finished: at(t, "2026-05-05T00:04:00Z")}}},
		{"what has ended goes before what restarted", "", restarted + "," + failed, result{Restarts: 3, Restarted: at(t, "2026-05-05T00:05:00Z"), Failure: two}},
		{"failed init container", failed, initial, result{Waiting: "ContainerCreating", Container: "i", Failure: &twoInit}},
		{"an init container that failed once and then passed", recovered, crash, result{Waiting: "CrashLoopBackOff", Container: "k", Restarts: 3, Failure: oom}},
		{"an ephemeral container is not one of the Pod's", "", running + "]\n  ephemeralContainerStatuses: [" + failed, result{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := decoded[Pod](t, Pods, "metadata: {name: x}\nstatus:\n  initContainerStatuses: ["+test.inits+"]\n  containerStatuses: ["+test.containers+"]\n")
			got := result{p.Waiting, p.WaitingContainer, p.WaitingInit, p.Restarts, p.Restarted, p.Failure}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStartupBudget(t *testing.T) {
	for spec, want := range map[string]int32{
		"containers: [{}]": 0,
		"containers: [{readinessProbe: {initialDelaySeconds: 5, periodSeconds: 10, failureThreshold: 100}}]":                                            5,
		"containers: [{startupProbe: {initialDelaySeconds: 5, periodSeconds: 20, failureThreshold: 30}, readinessProbe: {initialDelaySeconds: 7}}, {}]": 612,
		"containers: [{startupProbe: {}}]": 30, // as the API server fills it in
		"containers: [{startupProbe: {failureThreshold: 10}}, {startupProbe: {failureThreshold: 20}}]":                                                                                    200,
		"initContainers: [{startupProbe: {failureThreshold: 10}}, {startupProbe: {failureThreshold: 20}}], containers: [{startupProbe: {failureThreshold: 5}}]":                           350,
		"containers: [{startupProbe: {periodSeconds: 2000000000, failureThreshold: 2000000000, initialDelaySeconds: -7}}], initContainers: [{startupProbe: {periodSeconds: 2000000000}}]": 2147483647,
	} {
		if p := decoded[Pod](t, Pods, "metadata: {name: x}\nspec: {"+spec+"}"); p.StartupBudget != want {
			t.Errorf("%s: got %d, want %d", spec, p.StartupBudget, want)
		}
	}
}

func TestHostPath(t *testing.T) {
	pod := func(volume, mounts string) string {
		return "metadata: {name: x}\nspec: {volumes: [{name: v, hostPath: " + volume + "}], " + mounts + "}"
	}
	const mounted = "containers: [{volumeMounts: [{name: v}]}]"
	for text, want := range map[string]bool{
		pod("{path: /srv/data}", mounted): true,
		pod("{path: /srv/data}", "containers: [{volumeMounts: [{name: v, readOnly: true}]}]"):                              false,
		pod("{path: /srv/data}", "containers: [{volumeMounts: [{name: other}]}]"):                                          false,
		pod("{path: /srv/data}", "initContainers: [{volumeMounts: [{name: v}]}]"):                                          true,
		pod("{path: /srv/data}", "containers: [{volumeMounts: [{name: v, readOnly: true}]}, {volumeMounts: [{name: v}]}]"): true,
		pod("{path: /srv/data, type: DirectoryOrCreate}", mounted):                                                         true,
		pod("{path: /srv/agent.sock, type: Socket}", mounted):                                                              false,
		pod("{path: /srv/x, type: CharDevice}", mounted):                                                                   false,
		pod("{path: /srv/x, type: BlockDevice}", mounted):                                                                  false,
		pod("{path: /var/log}", mounted):                                                                                   false,
		pod("{path: /var/log/pods/}", mounted):                                                                             false,
		pod("{path: /var/logs}", mounted):                                                                                  true,
		pod("{path: /srv/../etc/kubernetes}", mounted):                                                                     false,
		pod("{path: /run/containerd}", mounted):                                                                            false,
	} {
		if p := decoded[Pod](t, Pods, text); p.HostPath != want {
			t.Errorf("%s: got %v", text, p.HostPath)
		}
	}
}

// Each Pod of a DaemonSet has an affinity of its own to its node; as scheduling restrictions they would never be shared.
func TestDecodeDaemonSetPod(t *testing.T) {
	const pod = `
metadata: {name: x, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: u, controller: %}]}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [node-7]}]}]
`
	p := decoded[Pod](t, Pods, strings.Replace(pod, "%", "true", 1))
	if p.TargetNode != "node-7" || p.Scheduling != nil {
		t.Errorf("target %q, scheduling %v", p.TargetNode, p.Scheduling)
	}
	p = decoded[Pod](t, Pods, strings.Replace(pod, "%", "false", 1))
	want := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"node-7"}}},
	}}}
	if p.TargetNode != "" || p.Scheduling == nil || !cmp.Equal(p.Scheduling.Required, want) {
		t.Errorf("not its controller: target %q, scheduling %v", p.TargetNode, p.Scheduling)
	}
}
