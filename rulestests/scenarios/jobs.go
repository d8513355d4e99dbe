package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tocsin/rulestests/stack"
)

// job is a Job's YAML: fields of its spec and of its pods' annotations are given as YAML in flow style.
func job(name, spec, podAnnotations, restartPolicy string) string {
	return fmt.Sprintf(`apiVersion: batch/v1
kind: Job
metadata: {name: %[1]s}
spec:
  %[2]s
  template:
    metadata: {annotations: {%[3]s}}
    spec:
      restartPolicy: %[4]s
      containers: [{name: main, image: registry.example/%[1]s:1}]
---
`, name, spec, podAnnotations, restartPolicy)
}

// exits ends the container of a Job's running pod, as its kubelet would say it: one whose annotation tells the kubelet to let it run.
func exits(job string, code int) Action {
	return Action{fmt.Sprintf("%s exits with code %d", job, code), func(ctx context.Context, s *stack.Stack, namespace string) error {
		ctx, cancel := context.WithTimeout(ctx, 2*minute)
		defer cancel()
		return until(ctx, func() error {
			pod, err := s.Kubectl(ctx, "", "-n", namespace, "get", "pods", "-l", "batch.kubernetes.io/job-name="+job,
				"--field-selector", "status.phase=Running", "-o", "name")
			if err != nil {
				return err
			}
			if pod = strings.TrimSpace(pod); pod == "" {
				return fmt.Errorf("no pod of Job %s runs", job)
			}
			phase, ready, reason := "Succeeded", "PodCompleted", "Completed"
			if code != 0 {
				phase, ready, reason = "Failed", "PodFailed", "Error"
			}
			now := time.Now().UTC().Format(time.RFC3339)
			_, err = s.Kubectl(ctx, "", "-n", namespace, "patch", pod, "--subresource=status", "-p", fmt.Sprintf(
				`{"status":{"phase":%[1]q,"conditions":[{"type":"Ready","status":"False","reason":%[2]q,"lastTransitionTime":%[5]q}],"containerStatuses":[`+
					`{"name":"main","ready":false,"started":false,"state":{"running":null,"terminated":{"exitCode":%[3]d,"reason":%[4]q,"finishedAt":%[5]q}}}]}}`,
				phase, ready, code, reason, now))
			return err
		})
	}}
}

// jobPage is the page of a Job that has failed, with the reason of its condition.
func jobPage(story, job, reason string) Page {
	return Page{"JobFailed", "warning", fmt.Sprintf("Job %s/%s has failed", story, job), "namespace=" + story + " job_name=" + job + " reason=" + reason}
}

// jobs are the stories of Jobs that no CronJob owns.
func jobs() []Scenario {
	return slices.Concat([]Scenario{migration(), stalledJob()}, endedJobs())
}

func migration() Scenario {
	const name = "migration"
	failed := jobPage(name, "migrate", "PodFailurePolicy")
	return Scenario{
		Name: name,
		Story: "A migration exits with code 2, which its podFailurePolicy takes for final: it is paged at once with that code, and a Job that fails and " +
			"then succeeds is not.",
		Objects: job("migrate", "backoffLimit: 6\n  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {containerName: main, operator: In, values: [2]}}]}",
			`kubelet.tocsin/does: exit, kubelet.tocsin/exit-code: "2"`, "Never") +
			job("seed", "backoffLimit: 6", "kubelet.tocsin/does: run", "Never"),
		Steps: []Step{{
			Say: "the migration exits with code 2, and a seed of test data with code 1, which will be tried again",
			Do:  []Action{exits("seed", 1)},
			See: []string{
				`tocsin_job_failed{namespace="migration", job_name="migrate", reason="PodFailurePolicy", cause="error", container="main", exit_code="2", cronjob=""} == 1`,
				`tocsin_job_state{namespace="migration", job_name="migrate", state="failed"} == 1`,
				`tocsin_job_state{namespace="migration", job_name="seed", state="retrying"} == 1`,
			},
			Page: []Page{failed},
		}, {
			Say:   "the second try of the seed succeeds",
			Do:    []Action{exits("seed", 0)},
			See:   []string{`tocsin_job_state{namespace="migration", job_name="seed", state="succeeded"} == 1`},
			Still: []Page{failed},
		}, {
			Say: "the migration's pods are cleaned up: the Job still tells the code",
			Do:  []Action{kubectl("delete", "pods", "-l", "batch.kubernetes.io/job-name=migrate"), prints("", "get", "pods", "-o", "name", "-l", "batch.kubernetes.io/job-name=migrate")},
			See: []string{
				`tocsin_job_failed{namespace="migration", job_name="migrate", container="main", exit_code="2"} == 1`,
				`tocsin_job_without_ttl{namespace="migration", job_name="migrate"} == 1`,
			},
			Still: []Page{failed},
		}, {
			Say:     "the Job is deleted",
			Do:      []Action{kubectl("delete", "job", "migrate")},
			Gone:    []string{`tocsin_job_failed{namespace="migration"}`},
			Resolve: []Page{failed},
		}},
		Silent: []string{`tocsin_job_failed{namespace="migration", job_name="seed"}`},
	}
}

func stalledJob() Scenario {
	const name = "stalled-job"
	stalled := Page{"JobStalled", "warning", "Job stalled-job/reindex is stalled", "namespace=stalled-job job_name=reindex"}
	return Scenario{
		Name:  name,
		Story: "A Job waits for an image that nobody has pushed: it counts as running, and will for ever.",
		Objects: job("reindex", "", "kubelet.tocsin/does: image-pull, kubelet.tocsin/for: 15m", "OnFailure") +
			// An image that has been missing for a minute may yet come.
			job("resize", "", "kubelet.tocsin/does: image-pull, kubelet.tocsin/for: 1m", "OnFailure") +
			job("held", "suspend: true", "", "OnFailure"),
		Steps: []Step{{
			Say: "the Job's image has been missing for a quarter of an hour, another one's for a minute",
			See: []string{
				`tocsin_job_stalled{namespace="stalled-job", job_name="reindex", reason="image_pull"} == 1`,
				`count(tocsin_job_state{namespace="stalled-job", state="pending"} == 1) == 2`,
				`tocsin_job_state{namespace="stalled-job", job_name="held", state="suspended"} == 1`,
			},
			Page: []Page{stalled},
		}, {
			Say: "the image is pushed, and the next pull succeeds",
			Do:  []Action{kubectl("annotate", "pods", "-l", "batch.kubernetes.io/job-name=reindex", "kubelet.tocsin/does-")},
			See: []string{
				`tocsin_job_state{namespace="stalled-job", job_name="reindex", state="succeeded"} == 1`,
				`tocsin_job_finished_timestamp_seconds{namespace="stalled-job", job_name="reindex"} >= tocsin_job_start_timestamp_seconds`,
			},
			Gone:    []string{`tocsin_job_stalled{namespace="stalled-job"}`},
			Resolve: []Page{stalled},
		}},
		Silent: []string{`tocsin_job_stalled{namespace="stalled-job", job_name=~"resize|held"}`},
	}
}
