package collectors

import "tocsin/collectors/exposition"

// AddUp gives the families of which each of several shards exports its part, so that their sum over the shards is the cluster's value.
// Any other series is one shard's, or tells of the exporter itself. The bound of --max-series-per-metric is each shard's own, and so is
// the hint about --default-timezone, for which three CronJobs of one shard have to agree.
func AddUp() []*exposition.Family {
	return []*exposition.Family{nodePinnedPods, nodeDrainStranded, nodeLocalVolumes, timezoneMismatches,
		sourceObjects, sourceInvalid, seriesDropped, ignoredObjects, invalidAnnotations}
}
