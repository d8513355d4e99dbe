package synthetic

import (
	"fmt"
	"time"
)

// looseClaims makes claims that no Pod uses: orphans of several kinds, each two or three in a thousand, and those that wait for the
// next run of a CronJob.
func (g *generator) looseClaims() {
	n := shareOf(g.Claims, 3)
	old := g.ago(40 * 24 * time.Hour)
	orphan := func(name, reason string, i int, change func(*claim)) {
		c := claim{namespace: g.namespaceOf(i), name: fmt.Sprintf(name, i), class: networkClass, created: old, state: "orphaned", reason: reason}
		if change != nil {
			change(&c)
		}
		g.addClaim(c)
	}
	for i := range n {
		orphan("data-former-%d-0", "statefulset_deleted", i, func(c *claim) { c.manager = "kube-controller-manager" })
		orphan("restore-%d-tmp", "no_reference", i, nil)
		orphan("upload-%d-tmp", "never_bound", i, func(c *claim) { c.unbound = true })
		orphan("kept-%d-tmp", "kept_by_helm", i, func(c *claim) { c.annotations = map[string]string{"helm.sh/resource-policy": "keep"} })
	}
	for i := range g.scratchJobs {
		orphan("scratch-%d-tmp", "finished_job_only", i, nil)
	}
	for i := range g.cronJobClaim {
		g.addClaim(claim{namespace: g.namespaceOf(i), name: fmt.Sprintf("cache-%d-tmp", i), class: networkClass, created: old, state: "reserved", reason: "cronjob_template"})
	}
}
