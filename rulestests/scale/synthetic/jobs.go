package synthetic

import (
	"fmt"
	"maps"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// run is what a CronJob's Job is made of.
type run struct {
	cronJob  *cronJob
	tick     time.Time
	lasted   time.Duration
	outcome  phase
	deadline *int64
}

// addRun makes a Job of a CronJob, with its Pod, and gives the reference that status.active has while it runs.
func (g *generator) addRun(r run) corev1.ObjectReference {
	c := r.cronJob
	j := job{namespace: c.namespace, name: fmt.Sprintf("%s-%d", c.name, r.tick.Unix()/60), created: r.tick, lasted: r.lasted, outcome: r.outcome, template: c.template,
		labels: maps.Clone(c.labels), cronJob: c.name, deadline: r.deadline}
	j.owners = owner("batch/v1", "CronJob", c.name, c.object.UID)
	j.annotations = map[string]string{"batch.kubernetes.io/cronjob-scheduled-timestamp": r.tick.Format(time.RFC3339)}
	uid := g.addJob(j)
	if r.outcome == exited || r.outcome == oomKilled {
		f := failureLabels(r.outcome)
		g.truth.add("tocsin_cronjob_last_failure_info", 1, append([]string{c.namespace, c.name}, f...)...)
	}
	return corev1.ObjectReference{APIVersion: "batch/v1", Kind: "Job", Namespace: c.namespace, Name: j.name, UID: uid}
}

// failureLabels gives reason, cause, container and exit_code.
func failureLabels(p phase) []string {
	if p == oomKilled {
		return []string{"BackoffLimitExceeded", "oom_killed", "main", "137"}
	}
	return []string{"BackoffLimitExceeded", "error", "main", "1"}
}

// job is what a Job is made of.
type job struct {
	namespace, name, cronJob string
	created                  time.Time
	lasted                   time.Duration
	outcome                  phase
	overtime                 bool // it has exceeded its deadline, and its Pod is gone
	paused                   bool
	template                 corev1.PodSpec
	labels, annotations      map[string]string
	owners                   []metav1.OwnerReference
	ttl, deadline            *int64
}

func (g *generator) addJob(j job) types.UID {
	g.jobsUsed++
	o := &batchv1.Job{ObjectMeta: g.meta(j.namespace, j.name, j.created, j.labels)}
	o.Annotations, o.OwnerReferences = j.annotations, j.owners
	podLabels := map[string]string{batchv1.ControllerUidLabel: string(o.UID), batchv1.JobNameLabel: j.name, "controller-uid": string(o.UID), "job-name": j.name}
	maps.Copy(podLabels, j.labels)
	o.Labels = podLabels
	o.Spec = batchv1.JobSpec{Parallelism: new(int32(1)), Completions: new(int32(1)), BackoffLimit: new(int32(0)), CompletionMode: new(batchv1.NonIndexedCompletion),
		Suspend: new(j.paused), ActiveDeadlineSeconds: j.deadline, PodReplacementPolicy: new(batchv1.TerminatingOrFailed),
		Selector: selector(map[string]string{batchv1.ControllerUidLabel: string(o.UID)}),
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: podLabels}, Spec: j.template}}
	if j.ttl != nil {
		o.Spec.TTLSecondsAfterFinished = new(int32(*j.ttl))
	}
	g.jobStatus(o, j)
	g.manage(o, fmt.Sprint("job", j.outcome, j.paused, j.overtime, len(j.labels), j.cronJob != "", len(j.template.Volumes)), manager{name: "kube-controller-manager", at: j.created},
		manager{name: "kube-controller-manager", subresource: "status", at: j.created.Add(j.lasted)})
	role := NoRole
	if j.outcome == running && j.cronJob == "" && !j.paused && !j.overtime {
		role = RunningJob
	}
	g.put("jobs", Object{o, role})
	if !j.paused && !j.overtime {
		g.addPod(pod{namespace: j.namespace, name: j.name + "-" + g.suffix(), labels: podLabels, owners: owner("batch/v1", "Job", j.name, o.UID), created: j.created.Add(time.Second),
			phase: j.outcome, node: g.next(), template: j.template, lasted: j.lasted, shape: fmt.Sprint("job", len(j.template.Volumes))})
	}
	if f := failureOf(j); f != nil {
		g.truth.add("tocsin_job_failed", 1, append(append([]string{j.namespace, j.name}, f...), j.cronJob)...)
	}
	return o.UID
}

func failureOf(j job) []string {
	switch {
	case j.overtime:
		return []string{batchv1.JobReasonDeadlineExceeded, "deadline", "", ""}
	case j.outcome == exited, j.outcome == oomKilled:
		return failureLabels(j.outcome)
	}
	return nil
}

// jobStatus fills in what the Job controller says.
func (g *generator) jobStatus(o *batchv1.Job, j job) {
	s, end := &o.Status, j.created.Add(j.lasted)
	s.UncountedTerminatedPods, s.Ready, s.Terminating = &batchv1.UncountedTerminatedPods{}, new(int32(0)), new(int32(0))
	condition := func(t batchv1.JobConditionType, reason string, since time.Time) {
		s.Conditions = append(s.Conditions, batchv1.JobCondition{Type: t, Status: corev1.ConditionTrue, LastProbeTime: at(since), LastTransitionTime: at(since), Reason: reason})
	}
	if j.paused {
		condition(batchv1.JobSuspended, "JobSuspended", j.created)
		return
	}
	s.StartTime = ref(j.created)
	switch {
	case j.overtime, j.outcome == exited, j.outcome == oomKilled:
		reason := batchv1.JobReasonBackoffLimitExceeded
		if j.overtime {
			reason = batchv1.JobReasonDeadlineExceeded
		}
		s.Failed = 1
		condition(batchv1.JobFailureTarget, reason, end)
		condition(batchv1.JobFailed, reason, end)
	case j.outcome == succeeded:
		s.Succeeded, s.CompletionTime = 1, ref(end)
		condition(batchv1.JobSuccessCriteriaMet, batchv1.JobReasonCompletionsReached, end)
		condition(batchv1.JobComplete, batchv1.JobReasonCompletionsReached, end)
	default:
		s.Active = 1
		if j.outcome == running {
			s.Ready = new(int32(1))
		}
	}
}

// freeJobs makes the Jobs that no CronJob owns: a tenth of all Jobs run, some have failed or cannot begin, the rest are done.
func (g *generator) freeJobs() {
	left := g.Jobs - g.jobsUsed
	work, failed, stuck := g.Jobs/10, shareOf(g.Jobs, 7), shareOf(g.Jobs, 1)
	g.scratchJobs = shareOf(g.Claims, 2)
	if need := work + failed + 2*stuck + g.scratchJobs; left < need {
		g.fail("too few jobs: %d, need at least %d at so many cronjobs", g.Jobs, g.jobsUsed+need)
		return
	}
	for i := range left {
		j := job{namespace: g.namespaceOf(i), name: fmt.Sprintf("import-%d", i), lasted: g.between(30*time.Second, time.Hour), outcome: succeeded,
			labels: map[string]string{"app.kubernetes.io/name": "import"}}
		j.created = g.ago(g.between(2*time.Hour, 20*time.Hour))
		var claims []string
		state := "succeeded"
		switch n := i; {
		case n < g.scratchJobs:
			claims = []string{fmt.Sprintf("scratch-%d-tmp", i)}
		case n < g.scratchJobs+work:
			j.outcome, state = running, "running"
		case n < g.scratchJobs+work+failed:
			state = "failed"
			switch i % 3 {
			case 0:
				j.outcome = exited
			case 1:
				j.outcome = oomKilled
			case 2:
				j.overtime, j.deadline = true, new(int64(j.lasted/time.Second))
			}
		case n < g.scratchJobs+work+failed+stuck:
			j.outcome, state = pulling, "pending"
			g.truth.add("tocsin_job_stalled", 1, j.namespace, j.name, "image_pull")
		case n < g.scratchJobs+work+failed+2*stuck:
			j.paused, state = true, "suspended"
		}
		if i%2 == 0 {
			j.ttl = new(int64(7 * 86400))
		}
		if j.ttl == nil && (state == "succeeded" || state == "failed") {
			g.truth.add("tocsin_job_without_ttl", 1, j.namespace, j.name)
		}
		j.template = podSpec("import", corev1.RestartPolicyNever, claims...)
		g.truth.add("tocsin_job_state", 1, j.namespace, j.name, state)
		g.addJob(j)
	}
}
