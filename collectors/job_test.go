package collectors

import (
	"bytes"
	"strings"
	"testing"

	"tocsin/collectors/cluster"
)

func TestJobCollector(t *testing.T) {
	store := storeOf(batchNow, batchRecords())
	c := newJobCollector(DefaultOptions())
	first := scraped(t, c, store)
	golden(t, "job", first)
	if second := scraped(t, c, store); !bytes.Equal(first, second) {
		t.Errorf("a second scrape of the same objects differs:\n%s", second)
	}
}

// DataDog/datadog-agent#3812: a CronJob's Jobs have new names each day. Only a failed one, which the history limits bound, has a series.
func TestJobsOfCronJobsHaveNoSeries(t *testing.T) {
	store := storeOf(batchNow, batchRecords())
	for _, line := range series(t, newJobCollector(DefaultOptions()), store, `-run"`) {
		if !strings.HasPrefix(line, `tocsin_job_failed{namespace="shop",job_name="failing-run",cronjob="failing"`) {
			t.Error(line)
		}
	}
}

func TestJobsWithoutSources(t *testing.T) {
	store := storeOf(batchNow, batchRecords())
	c := newJobCollector(DefaultOptions())
	store.SetState(cluster.Pods, "", cluster.Forbidden, "")
	store.SetState(cluster.Events, "", cluster.Forbidden, "")
	if got := series(t, c, store, `^tocsin_job_failed.*"failing-run"`); len(got) != 1 || !strings.Contains(got[0], `cause="unknown"`) {
		t.Errorf("without Pods: %q", got)
	}
	if got := series(t, c, store, `^tocsin_job_stalled`); len(got) != 1 || !strings.Contains(got[0], `reason="no_pods"`) {
		t.Errorf("without Events: %q", got)
	}
	store.SetState(cluster.Jobs, "", cluster.Stale, "")
	if got := series(t, c, store, ""); len(got) > 0 {
		t.Errorf("without Jobs: %d series", len(got))
	}
}

// A Job of a CronJob that could not be decoded, or is not there any more, is not free.
func TestJobOfUnknownCronJob(t *testing.T) {
	records := batchRecords()
	records[cluster.CronJobs] = nil
	if got := series(t, newJobCollector(DefaultOptions()), storeOf(batchNow, records), `^tocsin_job_state.*-run"`); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// kubernetes/kubernetes#74848: what a Pod told must outlive it, since a Job's failure deletes the Pods that have not ended.
func TestVanishedPodsAreRemembered(t *testing.T) {
	for _, tc := range []struct {
		name, reason, want string
		change             func(*cluster.Pod)
	}{
		{"restartPolicy OnFailure", "BackoffLimitExceeded", `cause="oom_killed",container="main",exit_code="137"`, func(p *cluster.Pod) {
			p.Phase, p.Restarts = cluster.PhaseRunning, 3
			p.Failure = &cluster.Termination{Container: "main", Reason: "OOMKilled", ExitCode: 137, Finished: today(11, 20)}
		}},
		{"an image that cannot be pulled", "DeadlineExceeded", `cause="image_pull",container="main",exit_code=""`, func(p *cluster.Pod) {
			p.Phase, p.Waiting, p.WaitingContainer = cluster.PhasePending, "ErrImagePull", "main"
		}},
		{"no node", "DeadlineExceeded", `cause="unschedulable",container="",exit_code=""`, func(p *cluster.Pod) {
			p.Phase, p.Node, p.Scheduled = cluster.PhasePending, "", cluster.Unschedulable
		}},
		{"too much work", "DeadlineExceeded", `cause="deadline",container="",exit_code=""`, func(p *cluster.Pod) { p.Phase, p.Ready = cluster.PhaseRunning, true }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			j := &cluster.Job{Meta: batchMeta("load", 1, today(11, 0)), Started: today(11, 0), Active: 1}
			p := podOf(j, tc.change)
			store := storeOf(batchNow, map[cluster.Resource][]any{cluster.Jobs: {j}, cluster.Pods: {p}})
			going, failed := *p, *j
			going.Deleted, going.Ready = today(11, 30), false
			gaveUp(&failed)
			failed.FailureReason = tc.reason
			store.Put(cluster.Pods, "", &going)
			store.Delete(cluster.Pods, "", &going)
			store.Put(cluster.Jobs, "", &failed)
			got := series(t, newJobCollector(DefaultOptions()), store, `^tocsin_job_failed`)
			if len(got) != 1 || !strings.Contains(got[0], tc.want) {
				t.Errorf("%q, want %s", got, tc.want)
			}
		})
	}
}
