package scenarios

import (
	"context"
	"strings"

	"tocsin/rulestests/stack"
)

// failedJob is a Job that fails at once.
func failedJob(name string) string {
	return `apiVersion: batch/v1
kind: Job
metadata: {name: ` + name + `}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {kubelet.tocsin/does: exit, kubelet.tocsin/exit-code: "2"}}
    spec: {restartPolicy: Never, containers: [{name: main, image: registry.example/migrate:1}]}
---
`
}

// ofItsOwn are the flags of an exporter that sees nothing but the story's namespace, so that the other stories are not told twice.
func ofItsOwn(namespace string) []string {
	return []string{"--namespace", namespace, "--no-collector.volume", "--no-collector.placement", "--no-collector.daemonset"}
}

// itself are the stories in which Tocsin, or what it lives on, is the one that fails.
func itself() []Scenario {
	return []Scenario{restarted(), stripped(), replicas(), outage()}
}

func restarted() Scenario {
	const name = "restarted"
	failed := Page{"JobFailed", "warning", "Job restarted/migrate has failed", "namespace=restarted job_name=migrate reason=BackoffLimitExceeded"}
	mine := Page{"JobFailed", "warning", "Job restarted/migrate has failed in cluster restarted", "cluster=restarted namespace=restarted job_name=migrate reason=BackoffLimitExceeded"}
	down := Page{"TocsinDown", "critical", "Tocsin is not being scraped in cluster restarted", "cluster=restarted"}
	var e *stack.Exporter
	return Scenario{
		Name: name, Clusters: []string{name},
		Story:   "Tocsin is killed while an alert fires: a restart fires nothing and forgets nothing, and if it stays away someone is told.",
		Objects: failedJob("migrate"),
		Steps: []Step{{
			Say: "a Tocsin of the cluster restarted sees a Job that failed",
			Do: []Action{act("tocsin --namespace restarted", func(ctx context.Context, s *stack.Stack) (err error) {
				e, err = s.StartExporter(ctx, stack.ExporterOptions{Name: name, Account: "tocsin", Labels: map[string]string{"cluster": name}, Flags: ofItsOwn(name)})
				return err
			})},
			Page: []Page{failed, mine},
		}, {
			Say: "it is killed and started again",
			Do: []Action{act("kill -9 tocsin; tocsin", func(ctx context.Context, _ *stack.Stack) error {
				e.Kill()
				return e.Start(ctx)
			})},
			See:   []string{`tocsin_job_failed{cluster="restarted"} and on (cluster) changes(process_start_time_seconds{cluster="restarted"}[5m]) > 0`},
			Still: []Page{mine, failed},
		}, {
			Say: "it is killed and stays away",
			Do: []Action{act("kill -9 tocsin", func(context.Context, *stack.Stack) error {
				e.Kill()
				return nil
			})},
			Page:  []Page{down},
			Still: []Page{mine, failed},
		}, {
			Say:     "it is back",
			Do:      []Action{act("tocsin", func(ctx context.Context, _ *stack.Stack) error { return e.Start(ctx) })},
			Resolve: []Page{down},
			Still:   []Page{mine, failed},
		}},
	}
}

func stripped() Scenario {
	const name = "stripped"
	blind := Page{"TocsinSourceDown", "warning", "Tocsin cannot see pods in cluster stripped", "cluster=stripped resource=pods"}
	var e *stack.Exporter
	var role string
	return Scenario{
		Name: name, Clusters: []string{name},
		Story:   "Somebody tidies up the ClusterRole: Tocsin says that it cannot see Pods, and nothing that it could not know.",
		Objects: statefulSet("db", 1, "", ""),
		Steps: []Step{{
			Say: "a Tocsin of the cluster stripped sees a set",
			Do: []Action{act("tocsin --namespace stripped", func(ctx context.Context, s *stack.Stack) (err error) {
				if role, err = s.GrantAccount(ctx, name); err != nil {
					return err
				}
				e, err = s.StartExporter(ctx, stack.ExporterOptions{Name: name, Account: name, Labels: map[string]string{"cluster": name}, Flags: ofItsOwn(name)})
				return err
			})},
			See: []string{`tocsin_statefulset_rollout_state{cluster="stripped", state="complete"} == 1`},
		}, {
			Say: "the ClusterRole loses its pods, and Tocsin is started again",
			Do: []Action{act("kubectl edit clusterrole stripped", func(ctx context.Context, s *stack.Stack) error {
				if _, err := s.Kubectl(ctx, strings.Replace(role, `"pods",`, "", 1), "replace", "-f", "-"); err != nil {
					return err
				}
				e.Stop()
				return e.Start(ctx)
			})},
			See:  []string{`tocsin_source_up{cluster="stripped", resource="pods"} == 0`, `tocsin_source_up{cluster="stripped", resource="statefulsets"} == 1`},
			Gone: []string{`tocsin_statefulset_rollout_blocked{cluster="stripped"}`},
			Page: []Page{blind},
		}, {
			Say: "the rule is given back",
			Do: []Action{act("kubectl replace clusterrole stripped", func(ctx context.Context, s *stack.Stack) error {
				_, err := s.Kubectl(ctx, role, "replace", "-f", "-")
				return err
			})},
			See:     []string{`tocsin_source_up{cluster="stripped", resource="pods"} == 1`, `tocsin_statefulset_rollout_state{cluster="stripped", state="complete"} == 1`},
			Resolve: []Page{blind},
		}},
	}
}

func replicas() Scenario {
	const name = "two-replicas"
	failed := Page{"JobFailed", "warning", "Job two-replicas/migrate has failed", "namespace=two-replicas job_name=migrate reason=BackoffLimitExceeded"}
	again := Page{"JobFailed", "warning", "Job two-replicas/again has failed", "namespace=two-replicas job_name=again reason=BackoffLimitExceeded"}
	var e *stack.Exporter
	return Scenario{
		Name:  name,
		Story: "Two replicas see the same: one page; and when one goes, the page stays.",
		Steps: []Step{{
			Say: "a second Tocsin starts beside the first, and a Job fails",
			Do: []Action{act("tocsin", func(ctx context.Context, s *stack.Stack) (err error) {
				e, err = s.StartExporter(ctx, stack.ExporterOptions{Name: name, Account: "tocsin", Flags: ofItsOwn(name)})
				return err
			}), apply(failedJob("migrate"))},
			See:  []string{`count(tocsin_job_failed{namespace="two-replicas"}) == 2`, `count(ALERTS{namespace="two-replicas"}) == 1`},
			Page: []Page{failed},
		}, {
			Say:     "the Job is deleted",
			Do:      []Action{kubectl("delete", "job", "migrate")},
			Resolve: []Page{failed},
		}, {
			Say:  "another Job fails",
			Do:   []Action{apply(failedJob("again"))},
			See:  []string{`count(tocsin_job_failed{namespace="two-replicas"}) == 2`, `count(ALERTS{namespace="two-replicas"}) == 1`},
			Page: []Page{again},
		}, {
			Say: "the second Tocsin dies",
			Do: []Action{act("kill -9 tocsin", func(context.Context, *stack.Stack) error {
				e.Kill()
				return nil
			})},
			See:   []string{`count(tocsin_job_failed{namespace="two-replicas"}) == 1`, `count(up{job="tocsin", cluster=""} == 0) == 1`},
			Still: []Page{again},
		}},
	}
}

func outage() Scenario {
	const name = "api-outage"
	failed := Page{"JobFailed", "warning", "Job api-outage/migrate has failed", "namespace=api-outage job_name=migrate reason=BackoffLimitExceeded"}
	after := Page{"JobFailed", "warning", "Job api-outage/after has failed", "namespace=api-outage job_name=after reason=BackoffLimitExceeded"}
	unscheduled := Page{"CronJobsNotScheduled", "critical", "CronJobs are not being scheduled", ""}
	missed := func(cronJob string) Page {
		return Page{"CronJobRunMissed", "warning", "CronJob api-outage/" + cronJob + " has not started a run that was due", "namespace=api-outage cronjob=" + cronJob}
	}
	everyMinute := func(name string) string { return cronJob(name, "", `schedule: "* * * * *"`, "", "") }
	return Scenario{
		Name: name, Alone: true,
		Story:   "The API server is away for more than a minute: no CronJob is started, one page says so, and what fired before goes on firing.",
		Objects: failedJob("migrate") + everyMinute("one") + everyMinute("two") + everyMinute("three"),
		Steps: []Step{{
			Say:  "a Job has failed, three CronJobs run every minute",
			See:  []string{`count(tocsin_cronjob_last_success_timestamp_seconds{namespace="api-outage"}) == 3`},
			Page: []Page{failed},
		}, {
			Say: "the API server stops",
			Do: []Action{act("kill -9 kube-apiserver", func(_ context.Context, s *stack.Stack) error {
				s.API.Kill()
				return nil
			})},
			See:      []string{`time() - max(tocsin_source_last_event_timestamp_seconds{cluster=""}) > 60`, `min(tocsin_source_up{cluster=""}) == 1`},
			Page:     []Page{unscheduled},
			Still:    []Page{failed},
			Patience: 3 * minute,
		}, {
			Say:      "it is back, and another Job fails",
			Do:       []Action{act("kube-apiserver", func(ctx context.Context, s *stack.Stack) error { return s.Return(ctx) }), apply(failedJob("after"))},
			Page:     []Page{after},
			Resolve:  []Page{unscheduled},
			Still:    []Page{failed},
			Patience: 3 * minute,
		}},
		// What was seen before is good until it has been stale for minutes, and a server that has just started refuses nothing for good.
		Silent: []string{`tocsin_source_up{cluster=""} == 0`},
		// Held back while nothing is scheduled; the last of them may outlive that alert by a moment.
		May: []Page{missed("one"), missed("two"), missed("three")},
	}
}
