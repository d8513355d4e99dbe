// Package synthetic makes up clusters whose verdicts are known beforehand: objects as controllers and kubelets leave them, with managed
// fields, statuses and owners, most of them healthy, and beside them a known number of overdue CronJobs, failed Jobs, orphaned claims,
// unclaimed volumes, StatefulSets that no rollout will mend, and Pods that no node can take.
//
// The same sizes, seed and instant give the same objects. The truth holds for six hours after the instant, since no schedule of the
// cluster has a tick in that time: nobody is there to meet one.
package synthetic

import (
	"fmt"
	"math"
)

// Sizes are how many objects of each kind a cluster has. Others follow from them: a Deployment for twenty Pods that nothing else
// accounts for, with two ReplicaSets; a Service for each StatefulSet; two DaemonSets.
type Sizes struct {
	Nodes, Namespaces, CronJobs, Jobs, Pods, StatefulSets, Claims, Volumes int
}

// DefaultSizes give a cluster of 96,000 objects, beside those that follow.
func DefaultSizes() Sizes {
	return Sizes{Nodes: 1000, Namespaces: 200, CronJobs: 2000, Jobs: 20_000, Pods: 51_000, StatefulSets: 2000, Claims: 10_000, Volumes: 10_000}
}

// Times gives the sizes multiplied, rounded, and never 0.
func (s Sizes) Times(factor float64) Sizes {
	for _, n := range s.all() {
		*n.count = max(1, int(math.Round(float64(*n.count)*factor)))
	}
	return s
}

// Total is the number of objects that the sizes name.
func (s Sizes) Total() int {
	total := 0
	for _, n := range s.all() {
		total += *n.count
	}
	return total
}

type size struct {
	name  string
	count *int
	least int
}

func (s *Sizes) all() []size {
	return []size{
		{"nodes", &s.Nodes, 30}, {"namespaces", &s.Namespaces, 1}, {"cronjobs", &s.CronJobs, 40}, {"jobs", &s.Jobs, 0}, {"pods", &s.Pods, 0},
		{"statefulsets", &s.StatefulSets, 40}, {"claims", &s.Claims, 0}, {"volumes", &s.Volumes, 0},
	}
}

// validate refuses sizes at which some of the stories would have no room.
func (s Sizes) validate() error {
	for _, n := range s.all() {
		if *n.count < n.least {
			return fmt.Errorf("too few %s: %d, need at least %d", n.name, *n.count, n.least)
		}
	}
	return nil
}

// shareOf gives a share in per mille, at least one.
func shareOf(n, perMille int) int { return max(1, n*perMille/1000) }
