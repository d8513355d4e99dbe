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
