package jobs

import (
	"testing"

	"tocsin/collectors/cluster"
)

func TestJobStates(t *testing.T) {
	external := func(j *cluster.Job) { noPods(j); j.Started, j.ManagedBy = 0, "kueue.x-k8s.io/multikueue" }
	hook := func(j *cluster.Job) { j.HookDelete = true }
	ttl := func(j *cluster.Job) { j.HasTTL = true }
	owned := func(j *cluster.Job) { j.Owners = []cluster.Owner{{Kind: "Workflow", Name: "w"}} }
	runJobCases(t, []jobCase{
		{"pending", job("j", "11:59", func(j *cluster.Job) { j.Ready = 0 }), with(pod("11:59", waiting("ContainerCreating"))), "12:00", "state=pending stays=false"},
		{"ready", job("j", "11:59"), world{}, "12:00", "state=running"},
		{"its readiness probe fails", job("j", "11:59", func(j *cluster.Job) { j.Ready = 0 }), with(pod("11:59", func(p *cluster.Pod) { p.Phase = cluster.PhaseRunning })), "12:00", "state=running"},
		{"some have succeeded", job("j", "11:59", noPods, func(j *cluster.Job) { j.Succeeded = 1 }), world{}, "12:00", "state=running"},
		{"retrying", job("j", "11:59", noPods, func(j *cluster.Job) { j.Failed = 1 }), with(), "12:00", "state=retrying"},
		{"retrying, the next Pod is on its way", job("j", "11:59", func(j *cluster.Job) { j.Ready, j.Failed = 0, 1 }), with(pod("11:59")), "12:00", "state=retrying"},
		{"the next Pod runs", job("j", "11:59", func(j *cluster.Job) { j.Failed = 1 }), with(pod("11:59", running)), "12:00", "state=running"},
		// kwok's stages, and others who write a Pod's phase without its conditions.
		{"an ended Pod that is still called ready", job("j", "11:59", noPods, func(j *cluster.Job) { j.Failed = 1 }),
			with(pod("11:59", running, func(p *cluster.Pod) { p.Phase = cluster.PhaseFailed })), "12:00", "state=retrying"},
		{"failed is decided", job("j", "11:00", failing("11:59", backoff)), with(), "12:00", "state=failed stays=false"},
		{"success is decided", job("j", "11:00", func(j *cluster.Job) { j.SuccessCriteriaMet = at("11:59") }), with(), "12:00", "state=succeeded stays=false"},
		{"suspended", job("j", "11:00", noPods, func(j *cluster.Job) { j.Suspend = true }), with(), "12:00", "state=suspended stall="},
		{"being resumed", job("j", "11:00", noPods, func(j *cluster.Job) { j.Suspended = at("11:00") }), with(), "12:00", "state=suspended"},
		{"suspended after it had failed", job("j", "11:00", failed("11:30", backoff), func(j *cluster.Job) { j.Suspend = true }), with(), "12:00", "state=failed"},
		{"somebody else's", job("j", "09:00", external), with(), "12:00", "state=external stall="},
		{"somebody else's, suspended", job("j", "09:00", external, func(j *cluster.Job) { j.Suspend = true }), with(), "12:00", "state=external"},
		{"somebody else's, failed", job("j", "09:00", external, failed("11:00", "other")), with(), "12:00", "state=failed reason=other cause=unknown"},

		{"finished", job("j", "09:00", complete("10:00")), with(), "12:00", "state=succeeded stays=true"},
		{"failed", job("j", "09:00", failed("10:00", backoff)), with(), "12:00", "state=failed stays=true"},
		{"finished, with a TTL", job("j", "09:00", complete("10:00"), ttl), with(), "12:00", "stays=false"},
		{"finished, owned", job("j", "09:00", complete("10:00"), owned), with(), "12:00", "stays=false"},
		{"finished, Helm's", job("j", "09:00", complete("10:00"), hook), with(), "12:00", "stays=false"},
		{"finished, being deleted", job("j", "09:00", complete("10:00"), func(j *cluster.Job) { j.Deleted = at("11:59") }), with(), "12:00", "stays=false"},
		{"a Job without anything", &cluster.Job{}, world{}, "12:00", "state=pending"},
	})
}

// Every value has a word, and no two the same.
func TestWords(t *testing.T) {
	var all [][]string
	words := func(n int, word func(int) string) {
		list := make([]string, n)
		for i := range list {
			list[i] = word(i)
		}
		all = append(all, list)
	}
	words(int(States), func(i int) string { return State(i).String() })
	words(int(Problems), func(i int) string { return Problem(i).String() })
	words(int(JobStates), func(i int) string { return JobState(i).String() })
	words(int(Stalls), func(i int) string { return Stall(i).String() })
	words(int(Causes), func(i int) string { return Cause(i).String() })
	for _, list := range all {
		seen := map[string]bool{}
		for i, w := range list {
			if seen[w] || w == "" && i > 0 {
				t.Errorf("%q in %q", w, list)
			}
			seen[w] = true
		}
	}
}
