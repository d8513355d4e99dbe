package cluster

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeCronJob(t *testing.T) {
	got := decoded[CronJob](t, CronJobs, `
metadata: {name: purge, namespace: shop, uid: u, generation: 3, creationTimestamp: "2026-01-01T00:00:00Z", annotations: {tocsin/success-within: 26h}}
spec:
  schedule: "30 3 * * *"
  timeZone: Europe/Paris
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 0
  jobTemplate:
    spec:
      template:
        spec:
          nodeName: node-1
          volumes:
          - {name: data, persistentVolumeClaim: {claimName: archive}}
          - {name: scratch, emptyDir: {}}
status:
  lastScheduleTime: "2026-05-05T01:30:00Z"
  lastSuccessfulTime: "2026-05-05T01:31:07Z"
  active: [{name: purge-29632410, uid: j}]
`)
	want := &CronJob{
		Meta:       Meta{UID: parseUID("u"), Namespace: "shop", Name: "purge", Created: at(t, "2026-01-01T00:00:00Z")},
		Generation: 3, Schedule: "30 3 * * *", TimeZone: "Europe/Paris", Policy: "Forbid",
		HasStartingDeadline: true, // of zero seconds, which never lets a run start
		LastSchedule:        at(t, "2026-05-05T01:30:00Z"),
		LastSuccess:         at(t, "2026-05-05T01:31:07Z"),
		Active:              []JobRef{{"purge-29632410", parseUID("j")}},
		SuccessWithin:       26 * time.Hour,
		Claims:              []string{"archive"},
		NodeName:            "node-1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// managedFields tell when a schedule was edited and a CronJob suspended; nothing else in the API does.
func TestDecodeCronJobDates(t *testing.T) {
	const (
		created = "2026-01-01T00:00:00Z"
		applied = "2026-02-01T00:00:00Z"
		patched = "2026-03-01T00:00:00Z"
	)
	entry := func(at, subresource, fields string) string {
		return "{manager: m, operation: Update, apiVersion: batch/v1, fieldsType: FieldsV1, time: '" + at + "', subresource: '" + subresource +
			"', fieldsV1: " + fields + "}"
	}
	spec := entry(applied, "", `{"f:spec": {"f:schedule": {}, "f:timeZone": {}, "f:suspend": {}}}`)
	for _, test := range []struct {
		name, generation, suspend, managed string
		changed, suspended                 string
	}{
		{"as created", "1", "false", spec, "", ""},
		{"created suspended", "1", "true", spec, "", created},
		{"schedule patched", "2", "false", spec + "," + entry(patched, "", `{"f:spec": {"f:schedule": {}}}`), patched, ""},
		{"zone patched", "2", "false", spec + "," + entry(patched, "", `{"f:spec": {"f:timeZone": {}}}`), patched, ""},
		{"resumed", "3", "false", spec + "," + entry(patched, "", `{"f:spec": {"f:suspend": {}}}`), patched, ""},
		{"suspended", "2", "true", spec + "," + entry(patched, "", `{"f:spec": {"f:suspend": {}}}`), patched, patched},
		{"suspended, then the schedule patched", "3", "true", spec + "," + entry(patched, "", `{"f:spec": {"f:schedule": {}}}`), patched, applied},
		{"another field", "2", "false", spec + "," + entry(patched, "", `{"f:spec": {"f:jobTemplate": {}}}`), applied, ""},
		{"the field's name elsewhere", "2", "false", entry(patched, "", `{"f:metadata": {"f:annotations": {"f:schedule": {}}}}`), "", ""},
		{"the controller's status", "2", "false", spec + "," + entry(patched, "status", `{"f:spec": {"f:schedule": {}}}`), applied, ""},
		{"no managedFields", "2", "true", "", "", ""},
		{"fields that are none", "2", "true", entry(patched, "", `["f:schedule", "f:suspend"]`), "", ""},
		{"no generation", "0", "true", spec, "", applied},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := decoded[CronJob](t, CronJobs, "metadata: {name: x, creationTimestamp: '"+created+"', generation: "+test.generation+
				", managedFields: ["+test.managed+"]}\nspec: {suspend: "+test.suspend+"}")
			var changed, suspended Time
			if test.changed != "" {
				changed = at(t, test.changed)
			}
			if test.suspended != "" {
				suspended = at(t, test.suspended)
			}
			if c.ChangedAt != changed || c.SuspendedAt != suspended {
				t.Errorf("changed %v, suspended %v; want %v, %v", c.ChangedAt.Std(), c.SuspendedAt.Std(), test.changed, test.suspended)
			}
		})
	}
}

func TestDecodeJob(t *testing.T) {
	got := decoded[Job](t, Jobs, `
metadata:
  name: purge-29632410
  namespace: shop
  creationTimestamp: "2026-05-05T01:30:00Z"
  annotations: {batch.kubernetes.io/cronjob-scheduled-timestamp: "2026-05-05T03:30:00+02:00", helm.sh/hook-delete-policy: hook-succeeded}
spec:
  activeDeadlineSeconds: 600
  ttlSecondsAfterFinished: 0
  backoffLimitPerIndex: 1
  managedBy: kubernetes.io/job-controller
  parallelism: 0
  suspend: true
  template: {spec: {nodeName: node-1, volumes: [{name: d, persistentVolumeClaim: {claimName: archive}}]}}
status:
  startTime: "2026-05-05T01:30:01Z"
  completionTime: "2026-05-05T01:31:07Z"
  active: 1
  ready: 2
  succeeded: 3
  failed: 4
  terminating: 5
  uncountedTerminatedPods: {failed: [u]}
  failedIndexes: "1,3-5,7"
  conditions:
  - {type: SuccessCriteriaMet, status: "True", lastTransitionTime: "2026-05-05T01:31:06Z"}
  - {type: Complete, status: "True"}
  - {type: Suspended, status: "False", lastTransitionTime: "2026-05-05T01:31:06Z"}
`)
	want := &Job{
		Meta:    Meta{Namespace: "shop", Name: "purge-29632410", Created: at(t, "2026-05-05T01:30:00Z")},
		Tick:    at(t, "2026-05-05T01:30:00Z"),
		Started: at(t, "2026-05-05T01:30:01Z"), Completed: at(t, "2026-05-05T01:31:07Z"),
		Active: 1, Ready: 2, Succeeded: 3, Failed: 4, Terminating: 5, Uncounted: true, Suspend: true, NoParallelism: true,
		SuccessCriteriaMet: at(t, "2026-05-05T01:31:06Z"),
		Complete:           at(t, "2026-05-05T01:30:00Z"), // a True condition without a time is not one that is absent
		ActiveDeadline:     600, HasTTL: true, HookDelete: true, PerIndex: true, FailedIndexes: 5,
		Claims: []string{"archive"}, NodeName: "node-1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if foreign := decoded[Job](t, Jobs, "metadata: {name: x}\nspec: {managedBy: kueue.x-k8s.io/multikueue}"); foreign.ManagedBy != "kueue.x-k8s.io/multikueue" || foreign.NoParallelism {
		t.Errorf("managed by %q, no parallelism %v", foreign.ManagedBy, foreign.NoParallelism)
	}
}

func TestDecodeJobFailure(t *testing.T) {
	const policy = "Container migrate for pod shop/migrate-x7k2p failed with exit code 2 matching FailJob rule at index 0"
	for _, test := range []struct {
		name, reason, message         string
		want, wantContainer, wantExit string
	}{
		{"backoff", "BackoffLimitExceeded", "Job has reached the specified backoff limit", "BackoffLimitExceeded", "", ""},
		{"deadline", "DeadlineExceeded", "", "DeadlineExceeded", "", ""},
		{"indexes", "FailedIndexes", "", "FailedIndexes", "", ""},
		{"too many indexes", "MaxFailedIndexesExceeded", "", "MaxFailedIndexesExceeded", "", ""},
		{"policy on an exit code", "PodFailurePolicy", policy, "PodFailurePolicy", "migrate", "2"},
		{"policy on a condition", "PodFailurePolicy", "Pod shop/migrate-x7k2p has condition DisruptionTarget matching FailJob rule at index 0", "PodFailurePolicy", "", ""},
		{"policy with a message of another kind", "PodFailurePolicy", "Container Not A Name for pod shop/x failed with exit code 2 matching it", "PodFailurePolicy", "", ""},
		{"policy with an absurd code", "PodFailurePolicy", "Container c for pod shop/x failed with exit code 9999999999 matching FailJob rule at index 0", "PodFailurePolicy", "", ""},
		{"another reason with that message", "BackoffLimitExceeded", policy, "BackoffLimitExceeded", "", ""},
		// A Job's condition never has the reason of a Pod's eviction; a foreign controller may write anything.
		{"foreign", "the node said: 3 of 4", "", "other", "", ""},
		{"none", "", "", "other", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, condition := range []string{"FailureTarget", "Failed"} {
				j := decoded[Job](t, Jobs, "metadata: {name: x}\nstatus: {conditions: [{type: "+condition+", status: 'True', reason: '"+test.reason+
					"', message: '"+test.message+"', lastTransitionTime: '2026-05-05T01:31:06Z'}]}")
				if got := [3]string{j.FailureReason, j.PolicyContainer, j.PolicyExitCode}; got != [3]string{test.want, test.wantContainer, test.wantExit} {
					t.Errorf("%s: got %q", condition, got)
				}
				if !j.Failure() || j.FinishedAt() != at(t, "2026-05-05T01:31:06Z") {
					t.Errorf("%s: failure %v at %v", condition, j.Failure(), j.FinishedAt().Std())
				}
			}
		})
	}
	if j := decoded[Job](t, Jobs, "metadata: {name: x}\nstatus: {failed: 1, conditions: [{type: Failed, status: 'False', reason: DeadlineExceeded}]}"); j.Failure() || j.FailureReason != "" {
		t.Errorf("a condition that is not True: reason %q", j.FailureReason)
	}
}

func TestCountIndexes(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "0": 1, "1,3-5,7": 5, "0-99999": 100000, "5-3": 0, "a,1": 1, "-1": 0, "1-": 0, "1-2-3": 0, ",": 0,
		"0-2147483647,0-2147483647": 2147483647, "99999999999": 0,
	} {
		if got := countIndexes(s); got != want {
			t.Errorf("%q: got %d, want %d", s, got, want)
		}
	}
}

func TestDecodeEvent(t *testing.T) {
	got := decoded[Event](t, Events, `
metadata: {name: purge.17f, namespace: shop, creationTimestamp: "2026-05-05T01:00:00Z"}
reason: FailedCreate
message: 'Error creating: pods "purge-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=10, limited: pods=10'
involvedObject: {kind: Job, name: purge, namespace: shop, uid: u}
firstTimestamp: "2026-05-05T01:00:00Z"
lastTimestamp: "2026-05-05T01:30:00Z"
`)
	want := &Event{
		Meta:         Meta{Namespace: "shop", Name: "purge.17f", Created: at(t, "2026-05-05T01:00:00Z")},
		InvolvedKind: "Job", InvolvedName: "purge", InvolvedUID: parseUID("u"), Quota: true, Last: at(t, "2026-05-05T01:30:00Z"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	series := decoded[Event](t, Events, `
metadata: {name: x, creationTimestamp: "2026-05-05T01:00:00Z"}
message: 'admission webhook "policy.example.com" denied the request: no'
eventTime: "2026-05-05T01:00:00.000001Z"
series: {count: 3, lastObservedTime: "2026-05-05T01:40:00.500000Z"}
`)
	if series.Quota || series.Last != at(t, "2026-05-05T01:40:00Z") {
		t.Errorf("quota %v, last %v", series.Quota, series.Last.Std())
	}
}
