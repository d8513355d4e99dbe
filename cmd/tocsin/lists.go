package main

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/kube-state-metrics/v2/pkg/allowdenylist"

	"tocsin/collectors/exposition"
)

// excluder makes of --metric-allowlist and --metric-denylist, which work as kube-state-metrics' do, what tells of a metric whether it
// is left out. Each family is matched once, here.
func excluder(allow, deny []string, families []*exposition.Family) (func(metric string) bool, error) {
	allowed, denied := patterns(allow), patterns(deny)
	if len(allowed) > 0 && len(denied) > 0 {
		return nil, errors.New("--metric-allowlist and --metric-denylist exclude each other: give one of them")
	}
	flag := "--metric-allowlist"
	if len(denied) > 0 {
		flag = "--metric-denylist"
	}
	list, err := allowdenylist.New(allowed, denied)
	if err == nil {
		err = list.Parse()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	excluded := map[string]bool{}
	for _, f := range families {
		if excluded[f.Name], err = list.IsExcluded(f.Name); err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
	}
	return func(metric string) bool { return excluded[metric] }, nil
}

// patterns takes a flag's comma-separated expressions apart.
func patterns(flags []string) map[string]struct{} {
	set := map[string]struct{}{}
	for _, f := range flags {
		for p := range strings.SplitSeq(f, ",") {
			if p = strings.TrimSpace(p); p != "" {
				set[p] = struct{}{}
			}
		}
	}
	return set
}
