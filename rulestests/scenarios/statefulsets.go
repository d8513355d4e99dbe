package scenarios

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tocsin/rulestests/stack"
)

const minute = time.Minute

// service is a headless Service's YAML, as a StatefulSet's serviceName wants it.
func service(name string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Service
metadata: {name: %[1]s}
spec: {clusterIP: None, selector: {app: %[1]s}, ports: [{port: 80}]}
---
`, name)
}

// statefulSet is a StatefulSet's YAML with its headless Service: fields of its spec and of its pods' spec are given as YAML.
func statefulSet(name string, replicas int, spec, pod string) string {
	return service(name) + namelessSet(name, replicas, spec, pod)
}

// namelessSet is a StatefulSet's YAML without the Service that it names.
func namelessSet(name string, replicas int, spec, pod string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: StatefulSet
metadata: {name: %[1]s}
spec:
  serviceName: %[1]s
  replicas: %[2]d
  selector: {matchLabels: {app: %[1]s}}
  %[3]s
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      containers: [{name: main, image: registry.example/%[1]s:1}]
      %[4]s
---
`, name, replicas, spec, pod)
}

// rolledOut waits until the rollout of a set, or of a DaemonSet, is over.
func rolledOut(object string) Action {
	return Action{"", kubectl("rollout", "status", object, "--timeout=100s").do}
}

// release gives a set its next image; what its pods then do is one of kwok.yaml's ways to fail, or "null": they run.
func release(set, does string) Action {
	return kubectl("patch", "statefulset", set, "-p", fmt.Sprintf(
		`{"spec":{"template":{"metadata":{"annotations":{"kubelet.tocsin/does":%s}},"spec":{"containers":[{"name":"main","image":"registry.example/%s:2"}]}}}}`, does, set))
}

// revert gives a set its first image again.
func revert(set string) Action {
	return kubectl("rollout", "undo", "statefulset/"+set, "--to-revision=1")
}

// sixMinutesOn lets the kubelet say that a pod has not been ready for six minutes: a controller that would replace it has had its five minutes by
// then (they are in the verdict, not in a flag), and nobody has to wait for them.
func sixMinutesOn(pod string) Action {
	return Action{pod + " has not been ready for six minutes", func(ctx context.Context, s *stack.Stack, namespace string) error {
		at := time.Now().Add(-6 * time.Minute).UTC().Format(time.RFC3339)
		_, err := s.Kubectl(ctx, "", "-n", namespace, "patch", "pod", pod, "--subresource=status", "-p", fmt.Sprintf(
			`{"status":{"startTime":%[1]q,"conditions":[{"type":"Ready","lastTransitionTime":%[1]q},{"type":"ContainersReady","lastTransitionTime":%[1]q}]}}`, at))
		return err
	}}
}

// blocked and needsDelete are the two pages of a rollout that does not go on; namesInvalid is that of a set without a proper Service.
func blocked(namespace, set string) Page {
	return Page{"StatefulSetRolloutBlocked", "warning", "The rollout of StatefulSet " + namespace + "/" + set + " is blocked", "namespace=" + namespace + " statefulset=" + set}
}

func needsDelete(namespace, set string) Page {
	return Page{"StatefulSetNeedsPodDelete", "warning", "StatefulSet " + namespace + "/" + set + " needs a pod deleted by hand", "namespace=" + namespace + " statefulset=" + set}
}

func namesInvalid(set, reason string) Page {
	return Page{"StatefulSetServiceInvalid", "warning", "The pods of StatefulSet nameless/" + set + " have no DNS names of their own (" + reason + ")",
		"namespace=nameless statefulset=" + set + " reason=" + reason}
}

// statefulSets are the stories of rollouts.
func statefulSets() []Scenario {
	return []Scenario{rollbackTrap(), rollbackFaults(), rollbackParallel(), nameless()}
}

func rollbackTrap() Scenario {
	const name = "rollback-trap"
	return Scenario{
		Name:  name,
		Story: "A rollout gets a bad image; someone reverts it; nothing moves, because the broken pod must be deleted by hand.",
		Objects: statefulSet("db", 3, "", "") +
			statefulSet("canary", 2, "updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}", "") +
			statefulSet("manual", 2, "updateStrategy: {type: OnDelete}", ""),
		Steps: []Step{{
			Say: "three members run; beside them a set whose releases stop at a canary, and one whose pods are replaced when somebody deletes them",
			Do:  []Action{rolledOut("statefulset/db"), rolledOut("statefulset/canary"), wait("jsonpath={.status.availableReplicas}=2", "statefulset/manual")},
			See: []string{`count(tocsin_statefulset_rollout_state{namespace="rollback-trap", state="complete"} == 1) == 3`},
		}, {
			Say: "those two get a good release, and wait on purpose; the three members get one with a bad image",
			Do:  []Action{release("canary", "null"), release("manual", "null"), release("db", `"image-pull"`)},
			See: []string{
				`tocsin_statefulset_rollout_state{namespace="rollback-trap", statefulset="canary", state="partitioned"} == 1`,
				`tocsin_statefulset_rollout_state{namespace="rollback-trap", statefulset="manual", state="ondelete_pending"} == 1`,
				`tocsin_statefulset_outdated_pods{namespace="rollback-trap", statefulset="manual"} == 2`,
				`tocsin_statefulset_rollout_blocked{namespace="rollback-trap", statefulset="db", reason="image_pull", action="fix_template"} == 1`,
			},
			Page: []Page{blocked(name, "db")},
		}, {
			Say: "it is reverted, and nothing moves",
			Do:  []Action{revert("db"), sixMinutesOn("db-2")},
			See: []string{
				`tocsin_statefulset_rollout_blocked{namespace="rollback-trap", action="delete_pod"} == 1`,
				`tocsin_statefulset_blocking_pod_info{namespace="rollback-trap", pod="db-2"} == 1`,
				`tocsin_statefulset_manual_delete_pods{namespace="rollback-trap", statefulset="db"} == 1`,
			},
			Page: []Page{needsDelete(name, "db")},
		}, {
			Say:     "the pod that Tocsin names is deleted",
			Do:      []Action{kubectl("delete", "pod", "db-2")},
			See:     []string{`tocsin_statefulset_rollout_state{namespace="rollback-trap", statefulset="db", state="complete"} == 1`},
			Gone:    []string{`tocsin_statefulset_rollout_blocked{namespace="rollback-trap"}`},
			Resolve: []Page{needsDelete(name, "db")},
		}},
		Silent: []string{
			`tocsin_statefulset_rollout_blocked{namespace="rollback-trap", statefulset!="db"}`,
			`tocsin_statefulset_manual_delete_pods{namespace="rollback-trap", statefulset!="db"} > 0`,
		},
	}
}

func rollbackFaults() Scenario {
	const name = "rollback-faults"
	faults := []struct{ set, does, reason string }{
		{"crashes", "crash-loop", "crash_loop"}, {"lacks", "config-error", "config_error"}, {"waits", "never-ready", "not_ready"},
	}
	running := Step{Say: "three sets run"}
	bad := Step{Say: "each gets a bad release: one crashes, one lacks its settings, one is never ready"}
	back := Step{Say: "all three are reverted, and none moves"}
	cured := Step{Say: "the pods that Tocsin names are deleted"}
	var objects strings.Builder
	for _, f := range faults {
		objects.WriteString(statefulSet(f.set, 2, "", ""))
		running.Do = append(running.Do, rolledOut("statefulset/"+f.set))
		running.See = append(running.See, fmt.Sprintf(`tocsin_statefulset_rollout_state{namespace=%q, statefulset=%q, state="complete"} == 1`, name, f.set))
		bad.Do = append(bad.Do, release(f.set, `"`+f.does+`"`))
		bad.See = append(bad.See, fmt.Sprintf(`tocsin_statefulset_rollout_blocked{namespace=%q, statefulset=%q, reason=%q, action="fix_template"} == 1`, name, f.set, f.reason))
		bad.Page = append(bad.Page, blocked(name, f.set))
		back.Do = append(back.Do, revert(f.set), sixMinutesOn(f.set+"-1"))
		back.See = append(back.See, fmt.Sprintf(`tocsin_statefulset_blocking_pod_info{namespace=%q, statefulset=%q, pod="%s-1"} == 1`, name, f.set, f.set))
		back.Page = append(back.Page, needsDelete(name, f.set))
		cured.Do = append(cured.Do, kubectl("delete", "pod", f.set+"-1"))
		cured.See = append(cured.See, running.See[len(running.See)-1])
		cured.Resolve = append(cured.Resolve, needsDelete(name, f.set))
	}
	return Scenario{
		Name:    name,
		Story:   "The same trap with a release that crashes, one that lacks its settings and one that is never ready.",
		Objects: objects.String(),
		Steps:   []Step{running, bad, back, cured},
	}
}

func rollbackParallel() Scenario {
	const name = "rollback-parallel"
	return Scenario{
		Name:    name,
		Story:   "The same bad image under podManagementPolicy Parallel: once it is reverted, the controller replaces the pod by itself.",
		Objects: statefulSet("db", 3, "podManagementPolicy: Parallel", ""),
		Steps: []Step{{
			Say: "three members run that need not wait for each other",
			Do:  []Action{rolledOut("statefulset/db")},
			See: []string{`tocsin_statefulset_rollout_state{namespace="rollback-parallel", state="complete"} == 1`},
		}, {
			Say:  "a release with a bad image",
			Do:   []Action{release("db", `"image-pull"`)},
			See:  []string{`tocsin_statefulset_rollout_blocked{namespace="rollback-parallel", reason="image_pull", action="fix_template"} == 1`},
			Page: []Page{blocked(name, "db")},
		}, {
			Say:     "it is reverted: nobody has to delete anything",
			Do:      []Action{revert("db")},
			See:     []string{`tocsin_statefulset_rollout_state{namespace="rollback-parallel", state="complete"} == 1`},
			Gone:    []string{`tocsin_statefulset_rollout_blocked{namespace="rollback-parallel"}`},
			Resolve: []Page{blocked(name, "db")},
		}},
		Silent: []string{`tocsin_statefulset_manual_delete_pods{namespace="rollback-parallel"} > 0`},
	}
}

func nameless() Scenario {
	const name = "nameless"
	return Scenario{
		Name:  name,
		Story: "Two sets run and are ready, and their members cannot find each other: the Service that gives pods their names is missing, or is of the wrong kind.",
		Objects: namelessSet("broker", 1, "", "") + namelessSet("search", 1, "", "") + statefulSet("db", 1, "", "") + `apiVersion: v1
kind: Service
metadata: {name: search}
spec: {selector: {app: search}, ports: [{port: 80}]}
`,
		Steps: []Step{{
			Say: "the pods are ready; somebody has forgotten the broker's Service, and the search's has an address of its own",
			Do:  []Action{rolledOut("statefulset/broker"), rolledOut("statefulset/search"), rolledOut("statefulset/db")},
			See: []string{
				`count(tocsin_statefulset_rollout_state{namespace="nameless", state="complete"} == 1) == 3`,
				`tocsin_statefulset_governing_service_invalid{namespace="nameless", statefulset="broker", reason="missing"} == 1`,
				`tocsin_statefulset_governing_service_invalid{namespace="nameless", statefulset="search", reason="not_headless"} == 1`,
			},
			Page: []Page{namesInvalid("broker", "missing"), namesInvalid("search", "not_headless")},
		}, {
			Say:     "both get a headless Service",
			Do:      []Action{kubectl("delete", "service", "search"), apply(service("broker") + service("search"))},
			Gone:    []string{`tocsin_statefulset_governing_service_invalid{namespace="nameless"}`},
			Resolve: []Page{namesInvalid("broker", "missing"), namesInvalid("search", "not_headless")},
		}},
		Silent: []string{`tocsin_statefulset_governing_service_invalid{namespace="nameless", statefulset="db"}`},
	}
}
