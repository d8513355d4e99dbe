package main

import "fmt"

// comparison is what differs between two sets of figures.
type comparison struct {
	faults []string // by benchmark
	fewer  int      // benchmarks that allocate less often, beyond what is let pass
}

// compare holds what was measured to what is known.
func compare(known, measured figures) comparison {
	all := figures{}
	for _, f := range []figures{known, measured} {
		for name := range f {
			all[name] = 0
		}
	}
	var c comparison
	for _, name := range all.names() {
		before, isKnown := known[name]
		now, isMeasured := measured[name]
		switch {
		case !isKnown:
			c.faults = append(c.faults, fmt.Sprintf("%s: %d allocations per operation, and not in %s", name, now, file))
		case !isMeasured:
			c.faults = append(c.faults, fmt.Sprintf("%s: in %s, and no such benchmark ran", name, file))
		case now > before+slack(before):
			c.faults = append(c.faults, fmt.Sprintf("%s: %d allocations per operation, %d before", name, now, before))
		case before > now+slack(now):
			c.fewer++
		}
	}
	return c
}

// slack is how many more allocations are let pass: where they are few, none, since each is one that somebody wrote; where they are many,
// the growth of maps, whose hashes are other ones in each process, and pools that the garbage collector empties sooner or later.
func slack(allocations int64) int64 {
	if allocations < 10 {
		return 0
	}
	return max(1, allocations/50)
}
