package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tocsin/rulestests/stack"
)

// cronJob is a CronJob's YAML: fields of its spec and of its pods' annotations are given as YAML in flow style.
func cronJob(name, annotations, spec, podAnnotations, pod string) string {
	return fmt.Sprintf(`apiVersion: batch/v1
kind: CronJob
metadata: {name: %s, annotations: {%s}}
spec:
  %s
  jobTemplate:
    spec:
      backoffLimit: 0
      template:
        metadata: {annotations: {%s}}
        spec:
          restartPolicy: Never
          containers: [{name: main, image: registry.example/%s:1}]
          %s
---
`, name, annotations, spec, podAnnotations, name, pod)
}

// everyMinute is the schedule of most stories' CronJobs: none has the time to wait for an hour.
const everyMinute = `schedule: "* * * * *"`

// nightly applies a CronJob that runs once while the story is told, within about a minute, and then not before tomorrow.
func nightly(name, spec, podAnnotations, pod string) Action {
	return Action{"kubectl apply", func(ctx context.Context, s *stack.Stack, namespace string) error {
		at := time.Now().UTC().Add(70 * time.Second) // the API server must have it by then
		spec := fmt.Sprintf("schedule: \"%d %d * * *\"\n  timeZone: Etc/UTC\n  %s", at.Minute(), at.Hour(), spec)
		return apply(cronJob(name, "", spec, podAnnotations, pod)).do(ctx, s, namespace)
	}}
}

// templated changes what a CronJob's next runs do: null, or a word of the kubelets.
func templated(cronJob, does string) Action {
	return kubectl("patch", "cronjob", cronJob, "-p",
		`{"spec":{"jobTemplate":{"spec":{"template":{"metadata":{"annotations":{"kubelet.tocsin/does":`+does+`}}}}}}}`)
}

// activeDeleted deletes the run that a CronJob's status names, as the page says how to find it.
func activeDeleted(cronJob string) Action {
	return Action{"kubectl delete job, the one that is active", func(ctx context.Context, s *stack.Stack, namespace string) error {
		job, err := s.Kubectl(ctx, "", "-n", namespace, "get", "cronjob", cronJob, "-o", "jsonpath={.status.active[*].name}")
		if err != nil {
			return err
		}
		_, err = s.Kubectl(ctx, "", append([]string{"-n", namespace, "delete", "job"}, strings.Fields(job)...)...)
		return err
	}}
}

// cronJobPage is a page about a CronJob: its summary begins with the CronJob and goes on with what is wrong.
func cronJobPage(alert, story, cronJob, wrong string) Page {
	return Page{alert, "warning", fmt.Sprintf("CronJob %s/%s %s", story, cronJob, wrong), "namespace=" + story + " cronjob=" + cronJob}
}

func runMissed(story, cronJob string) Page {
	return cronJobPage("CronJobRunMissed", story, cronJob, "has not started a run that was due")
}

func failing(story, cronJob string) Page {
	return cronJobPage("CronJobFailing", story, cronJob, "is failing")
}

func noSuccess(story, cronJob string) Page {
	return cronJobPage("CronJobNoSuccess", story, cronJob, "has not succeeded for too long")
}

func neverSucceeded(story, cronJob string) Page {
	return cronJobPage("CronJobNeverSucceeded", story, cronJob, "has never succeeded")
}

// cronJobs are the stories of what is to run by the clock.
func cronJobs() []Scenario {
	return slices.Concat(suspendedCronJobs(), refusedCronJobs(), failingCronJobs(), stuckCronJobs())
}
