package synthetic

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cronJobStory is what is special about a CronJob.
type cronJobStory uint8

const (
	healthyCronJob cronJobStory = iota
	late                        // nothing has started its last run
	missed                      // nor will, since its deadline has passed
	blocked                     // the run before goes on, and Forbid waits for it
	suspended
	neverFires
	unknownZone
	failing        // its last run failed
	neverSucceeded // each run failed
	stalled        // the image of its last run cannot be had
	atWork         // its last run goes on, within its deadline
)

func (g *generator) cronJobStories() []cronJobStory {
	var all []cronJobStory
	for _, s := range [...]struct {
		story    cronJobStory
		perMille int
	}{{late, 15}, {missed, 5}, {blocked, 5}, {suspended, 20}, {neverFires, 1}, {unknownZone, 1}, {failing, 30}, {neverSucceeded, 5}, {stalled, 5}, {atWork, 10}} {
		for range shareOf(g.CronJobs, s.perMille) {
			all = append(all, s.story)
		}
	}
	return all
}

// cronJob is what a CronJob and its Jobs are made of.
type cronJob struct {
	namespace, name string
	story           cronJobStory
	tick            time.Time     // the last that has passed
	period          time.Duration // a day or a week
	kept            int           // successful runs
	object          *batchv1.CronJob
	template        corev1.PodSpec
	labels          map[string]string
}

// cronJobs makes the CronJobs with the Jobs that their history limits keep. Each has its last tick between two and seventeen hours ago,
// once a day or once a week, so that none has one within the next seven hours.
func (g *generator) cronJobs() {
	stories := g.cronJobStories()
	g.cronJobClaim = min(shareOf(g.Claims, 10), g.CronJobs/2)
	for i := range g.CronJobs {
		c := &cronJob{namespace: g.namespaceOf(i), name: fmt.Sprintf("report-%d", i), period: 24 * time.Hour, kept: 3}
		if i < len(stories) {
			c.story = stories[i]
		}
		c.tick = g.ago(g.between(2*time.Hour, 17*time.Hour)).Truncate(time.Minute)
		if i%5 == 4 {
			c.period = 7 * 24 * time.Hour
		}
		if i%5 < 2 {
			c.kept = 10 // people raise the limit to look at old runs
		}
		c.labels = map[string]string{"app.kubernetes.io/name": "report", "app.kubernetes.io/instance": c.name}
		var claims []string
		if back := g.CronJobs - 1 - i; back < g.cronJobClaim {
			// looseClaims makes them, in the namespaces of the first; the last ones have no story.
			c.namespace = g.namespaceOf(back)
			claims = []string{fmt.Sprintf("cache-%d-tmp", back)}
		}
		c.template = podSpec(c.name, corev1.RestartPolicyNever, claims...)
		g.addCronJob(c, len(claims) > 0)
	}
}

func (g *generator) addCronJob(c *cronJob, withoutRuns bool) {
	created := g.ago(g.between(100*24*time.Hour, age))
	o := &batchv1.CronJob{
		ObjectMeta: g.meta(c.namespace, c.name, created, c.labels),
		Spec: batchv1.CronJobSpec{
			Schedule: fmt.Sprintf("%d %d * * *", c.tick.Minute(), c.tick.Hour()), ConcurrencyPolicy: batchv1.AllowConcurrent, Suspend: new(false),
			SuccessfulJobsHistoryLimit: new(int32(c.kept)), FailedJobsHistoryLimit: new(int32(1)),
			JobTemplate: batchv1.JobTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: c.labels}, Spec: batchv1.JobSpec{
				BackoffLimit: new(int32(0)), Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: c.labels}, Spec: c.template}}},
		},
	}
	if c.period > 24*time.Hour {
		o.Spec.Schedule = fmt.Sprintf("%d %d * * %d", c.tick.Minute(), c.tick.Hour(), c.tick.Weekday())
	}
	managers := []manager{{name: "helm", at: created}}
	switch c.story {
	case missed:
		o.Spec.StartingDeadlineSeconds = new(int64(600))
	case blocked:
		o.Spec.ConcurrencyPolicy = batchv1.ForbidConcurrent
	case suspended:
		o.Generation, o.Spec.Suspend = 2, new(true)
		managers = append(managers, manager{name: "kubectl-patch", at: g.ago(30 * time.Hour), fields: []byte(`{"f:spec":{"f:suspend":{}}}`)})
	case neverFires:
		o.Spec.Schedule = "0 0 30 2 *"
	case unknownZone:
		o.Spec.TimeZone = new("Mars/Olympus_Mons")
	}
	c.object = o
	if c.story != neverFires && c.story != unknownZone && !withoutRuns {
		g.runs(c)
	} else if withoutRuns {
		o.Status.LastScheduleTime, o.Status.LastSuccessfulTime = ref(c.tick), ref(c.tick.Add(time.Minute)) // its history limits are 0
		o.Spec.SuccessfulJobsHistoryLimit, o.Spec.FailedJobsHistoryLimit = new(int32(0)), new(int32(0))
	}
	shape := fmt.Sprint("cronjob", withoutRuns, c.story)
	g.manage(o, shape, append(managers, manager{name: "kube-controller-manager", subresource: "status", at: c.tick.Add(time.Minute)})...)
	g.put("cronjobs", Object{Object: o})
	g.cronJobTruth(c)
}

// runs makes the Jobs of a CronJob and its status.
func (g *generator) runs(c *cronJob) {
	status, last := &c.object.Status, c.tick
	switch c.story {
	case late, missed, blocked, suspended:
		last = last.Add(-c.period)
	}
	status.LastScheduleTime = ref(last)
	r := run{cronJob: c, tick: last, lasted: g.between(30*time.Second, 10*time.Minute)}
	older := last.Add(-c.period)
	switch c.story {
	case failing, neverSucceeded:
		r.outcome = [...]phase{exited, oomKilled}[g.jobsUsed%2]
		g.addRun(r)
	case stalled:
		r.outcome = pulling
		status.Active = append(status.Active, g.addRun(r))
	case atWork:
		r.outcome, r.deadline = running, new(int64(86400))
		status.Active = append(status.Active, g.addRun(r))
	case blocked:
		r.outcome = running
		status.Active = append(status.Active, g.addRun(r))
	default:
		older = last
	}
	if c.story == neverSucceeded {
		return
	}
	for i := range c.kept {
		r := run{cronJob: c, tick: older.Add(-time.Duration(i) * c.period), lasted: g.between(30*time.Second, 10*time.Minute), outcome: succeeded}
		if r.tick.Before(c.object.CreationTimestamp.Time) {
			break
		}
		g.addRun(r)
		if i == 0 {
			status.LastSuccessfulTime = ref(r.tick.Add(r.lasted))
		}
	}
}

// cronJobTruth says what is to be found about a CronJob.
func (g *generator) cronJobTruth(c *cronJob) {
	say := func(metric string, value float64, more ...string) {
		g.truth.add(metric, value, append([]string{c.namespace, c.name}, more...)...)
	}
	state, active, long, fails, never := "ok", 0.0, 0.0, 0.0, 0.0
	due := 0.0
	switch c.story {
	case late:
		state, due = "late", 1
	case missed:
		state, due = "missed", 1
	case blocked:
		state, due, active = "blocked", 1, 1
	case suspended:
		state = "suspended"
	case neverFires:
		state = "invalid"
		say("tocsin_cronjob_schedule_problem", 1, "never_fires")
	case unknownZone:
		state = "invalid"
		say("tocsin_cronjob_schedule_problem", 1, "unknown_timezone")
	case failing:
		fails = 1
	case neverSucceeded:
		fails, never = 1, 1
	case stalled:
		active, long = 1, 1
		say("tocsin_cronjob_active_run_stalled", 1, "image_pull")
	case atWork:
		active = 1
	}
	say("tocsin_cronjob_info", 1)
	say("tocsin_cronjob_state", 1, state)
	say("tocsin_cronjob_active_runs", active)
	say("tocsin_cronjob_long_running", long)
	say("tocsin_cronjob_failing", fails)
	say("tocsin_cronjob_never_succeeded", never)
	if state != "suspended" && state != "invalid" {
		if due > 0 {
			say("tocsin_cronjob_missed_runs", due)
		}
	}
}
