package jobs
import ("testing";"math/rand";"time";"os";"fmt"
	"tocsin/collectors/cluster"
	"tocsin/collectors/schedule"
)
func TestZZ(t *testing.T) {
	seed := time.Now().UnixNano()
	r := rand.New(rand.NewSource(seed))
	states, stalls, causes := map[State]int{}, map[Stall]int{}, map[Cause]int{}
	end := time.Now().Add(25*time.Second)
	n:=0
	for time.Now().Before(end) && !t.Failed() {
		n++
		shape := make([]byte, 20+r.Intn(400)); r.Read(shape)
		unix := int64(1777982400) + r.Int63n(86400*400)
		options := byte(r.Intn(256))
		s := shaper{bytes: shape, now: unix}
		c := s.cronJob()
		in := CronJobInput{CronJob: decoded[cluster.CronJob](t, cluster.CronJobs, &c), Grace: time.Duration(options) * time.Second}
		in.Schedule, in.Problem = schedule.Parse(c.Spec.Schedule, in.CronJob.TimeZone, "")
		var all []*cluster.Pod
		for len(s.bytes) > 0 {
			j := s.job(&c, len(in.Jobs))
			in.Jobs = append(in.Jobs, decoded[cluster.Job](t, cluster.Jobs, &j))
			for range s.pick(3) { p := s.pod(len(all)); all = append(all, decoded[cluster.Pod](t, cluster.Pods, &p)) }
		}
		in.Lookups = fuzzLookups(options, all, cluster.Time(unix))
		if options&8 != 0 && len(in.Jobs) > 0 {
			j := in.Jobs[0]
			in.LastRun = &cluster.FinishedRun{Tick: j.Started, Failed: j.Failure(), Reason: j.FailureReason, Started: j.Started, Finished: j.Completed}
		}
		now := time.Unix(unix,0)
		v := JudgeCronJob(&in, now)
		states[v.State]++; stalls[v.Stall]++
		checkVerdict(t, &in, &v, cluster.Time(unix))
		for _, j := range in.Jobs { jv := JudgeJob(j, &in.Lookups, now); causes[jv.Failure.Cause]++; checkJob(t, j, jv) }
		reverse(in.Jobs); reverse(all)
		if distinct(in.Jobs, all) && JudgeCronJob(&in, now) != v {
			t.Errorf("order %+v\n%+v", v, JudgeCronJob(&in, now))
		}
		if t.Failed() { fmt.Fprintf(os.Stderr, "%+v\n now %d\n%+v\n", c, unix, in.CronJob) }
	}
	fmt.Println(n, states, stalls, causes)
}
