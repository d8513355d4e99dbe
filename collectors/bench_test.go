package collectors

import (
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"tocsin/collectors/cluster"
	"tocsin/collectors/exposition"
)

// benchNow is the instant of the synthetic cluster: a minute after the newest run of its CronJobs has ended.
var benchNow = time.Date(2026, 5, 5, 2, 10, 0, 0, time.UTC)

func benchUID(kind, n int) types.UID {
	return types.UID(fmt.Sprintf("%08x-0000-4000-8000-%012x", kind, n))
}

func benchTime(t time.Time) *metav1.Time { return &metav1.Time{Time: t} }

// benchCronJob is one of a cluster's daily CronJobs, at 02:00.
func benchCronJob(n int) *batchv1.CronJob {
	tick := time.Date(2026, 5, 5, 2, 0, 0, 0, time.UTC)
	return &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprintf("team-%03d", n%200), Name: fmt.Sprintf("nightly-report-%05d", n), UID: benchUID(1, n),
			Generation: 1, CreationTimestamp: metav1.Time{Time: tick.AddDate(0, -6, 0)}},
		Spec:   batchv1.CronJobSpec{Schedule: "0 2 * * *", TimeZone: new("Etc/UTC"), ConcurrencyPolicy: batchv1.ForbidConcurrent},
		Status: batchv1.CronJobStatus{LastScheduleTime: benchTime(tick), LastSuccessfulTime: benchTime(tick.Add(90 * time.Second))},
	}
}

// benchJob is the run of a CronJob some days ago; every tenth failed.
func benchJob(c *batchv1.CronJob, n, daysAgo int) *batchv1.Job {
	tick := c.Status.LastScheduleTime.AddDate(0, 0, -daysAgo)
	end := tick.Add(90 * time.Second)
	j := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: fmt.Sprintf("%s-%d", c.Name, tick.Unix()/60), UID: benchUID(2, n),
			CreationTimestamp: metav1.Time{Time: tick},
			Annotations:       map[string]string{batchv1.CronJobScheduledTimestampAnnotation: tick.Format(time.RFC3339)},
			OwnerReferences:   []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "CronJob", Name: c.Name, UID: c.UID, Controller: new(true)}}},
		Spec: batchv1.JobSpec{BackoffLimit: ptr.To[int32](6)},
	}
	j.Status.StartTime = benchTime(tick)
	if n%10 == 9 {
		j.Status.Failed = 7
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue,
			Reason: batchv1.JobReasonBackoffLimitExceeded, LastTransitionTime: metav1.Time{Time: end}}}
		return j
	}
	j.Status.Succeeded, j.Status.CompletionTime = 1, benchTime(end)
	j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Time{Time: end}}}
	return j
}

// benchPod is the Pod of a Job, with what a kubelet writes.
func benchPod(j *batchv1.Job, n int) *corev1.Pod {
	start := *j.Status.StartTime
	code, phase := int32(0), corev1.PodSucceeded
	if j.Status.Failed > 0 {
		code, phase = 1, corev1.PodFailed
	}
	condition := func(kind corev1.PodConditionType, status corev1.ConditionStatus) corev1.PodCondition {
		return corev1.PodCondition{Type: kind, Status: status, LastTransitionTime: start}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: j.Namespace, Name: j.Name + "-x7k2p", UID: benchUID(3, n), CreationTimestamp: start,
			Labels: map[string]string{"batch.kubernetes.io/controller-uid": string(j.UID), "batch.kubernetes.io/job-name": j.Name,
				"controller-uid": string(j.UID), "job-name": j.Name, "app.kubernetes.io/name": "report", "app.kubernetes.io/part-of": "billing"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: j.Name, UID: j.UID, Controller: new(true)}}},
		Spec: corev1.PodSpec{NodeName: fmt.Sprintf("node-%04d", n%1000), RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "main", Image: "registry.example.com/report:1.2"}},
			Volumes:    []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "reports"}}}},
			Tolerations: []corev1.Toleration{{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](300)},
				{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](300)}}},
		Status: corev1.PodStatus{Phase: phase, StartTime: &start,
			Conditions: []corev1.PodCondition{condition(corev1.PodScheduled, corev1.ConditionTrue), condition(corev1.PodReady, corev1.ConditionFalse)},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: code, Reason: "Completed", FinishedAt: start}}}}},
	}
}

// benchStore holds CronJobs with ten Jobs each, and a Pod for each Job, decoded as the watch decodes them.
func benchStore(tb testing.TB, cronJobs int) *cluster.Store {
	tb.Helper()
	store := cluster.NewStore(func() time.Time { return benchNow }, nil, nil)
	decode := cluster.NewDecoder()
	var all [3][]any
	add := func(i int, r cluster.Resource, record any, err error) {
		if err != nil {
			tb.Fatal(r, err)
		}
		all[i] = append(all[i], record)
	}
	for n := range cronJobs {
		c := benchCronJob(n)
		record, err := decode(cluster.CronJobs, c)
		add(0, cluster.CronJobs, record, err)
		for day := range 10 {
			j := benchJob(c, n*10+day, day)
			record, err := decode(cluster.Jobs, j)
			add(1, cluster.Jobs, record, err)
			record, err = decode(cluster.Pods, benchPod(j, n*10+day))
			add(2, cluster.Pods, record, err)
		}
	}
	for _, r := range cluster.Resources() {
		store.Expect(r, "")
	}
	store.Replace(cluster.CronJobs, "", all[0], 0)
	store.Replace(cluster.Jobs, "", all[1], 0)
	store.Replace(cluster.Pods, "", all[2], 0)
	store.Replace(cluster.Namespaces, "", nil, 0)
	store.Replace(cluster.Events, "", nil, 0)
	return store
}

// BenchmarkGather is a full scrape of 2,000 CronJobs with 20,000 Jobs and 20,000 Pods: judged, gathered and laid out as text.
func BenchmarkGather(b *testing.B) {
	b.Run("cronjobs=2000", func(b *testing.B) {
		benchGather(b, benchStore(b, 2000), entriesNamed("cronjob", "job"))
	})
}

// benchGather measures scrapes by the table's entries, and prints beside time and allocations the series and the allocations per series.
func benchGather(b *testing.B, store *cluster.Store, entries []Entry) {
	set := NewSet(entries, DefaultOptions(), slog.New(slog.DiscardHandler))
	g := exposition.NewGathering(0, nil)
	scrape := func() {
		g.Reset()
		view := store.View()
		defer view.Close()
		set.Gather(view, g)
		if err := g.WriteText(io.Discard, false); err != nil {
			b.Fatal(err)
		}
	}
	scrape()
	series := g.Len()
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		scrape()
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(series), "series")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N)/float64(series), "allocs/series")
}

func entriesNamed(names ...string) []Entry {
	var entries []Entry
	for _, e := range Table() {
		for _, n := range names {
			if e.Name == n {
				entries = append(entries, e)
			}
		}
	}
	return entries
}

// BenchmarkRecordBytes prints what an object costs at rest, everything included: the record, its strings, its place in the tables and
// indexes.
func BenchmarkRecordBytes(b *testing.B) {
	const jobs = 20_000
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	for _, r := range []cluster.Resource{cluster.CronJobs, cluster.Jobs, cluster.Pods} {
		b.Run("kind="+r.Info().Kind, func(b *testing.B) {
			var perObject float64
			for b.Loop() {
				before := heap()
				store := cluster.NewStore(func() time.Time { return benchNow }, nil, nil)
				decode := cluster.NewDecoder()
				for n := range jobs {
					c := benchCronJob(n / 10)
					var record any
					var err error
					switch j := benchJob(c, n, n%10); r {
					case cluster.CronJobs:
						record, err = decode(r, benchCronJob(n))
					case cluster.Jobs:
						record, err = decode(r, j)
					default:
						record, err = decode(r, benchPod(j, n))
					}
					if err != nil {
						b.Fatal(err)
					}
					store.Put(r, "", record)
				}
				store.View().Close() // settles the order
				perObject = (heap() - before) / jobs
				runtime.KeepAlive(store)
				runtime.KeepAlive(decode)
			}
			b.ReportMetric(perObject, "bytes/object")
			b.ReportMetric(0, "ns/op")
		})
	}
}
