package collectors

import (
	"cmp"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"tocsin/collectors/cluster"
)

// Permissions gives the RBAC rules that the collectors need, and no more: list and watch on what they need or use, and on the custom
// resources that the claim rules name when one of them uses those. Rules are sorted by API group, and resources within them.
func Permissions(entries []Entry, custom []schema.GroupVersionResource) []rbacv1.PolicyRule {
	byGroup := map[string][]string{}
	add := func(r schema.GroupVersionResource) {
		if !slices.Contains(byGroup[r.Group], r.Resource) {
			byGroup[r.Group] = append(byGroup[r.Group], r.Resource)
		}
	}
	for _, e := range entries {
		for _, r := range slices.Concat(e.Needs, e.Uses) {
			if r != cluster.References {
				add(r.Info().GroupVersionResource)
				continue
			}
			for _, c := range custom {
				add(c)
			}
		}
	}
	rules := make([]rbacv1.PolicyRule, 0, len(byGroup))
	for group, resources := range byGroup {
		slices.Sort(resources)
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: []string{"list", "watch"}})
	}
	slices.SortFunc(rules, func(a, b rbacv1.PolicyRule) int { return cmp.Compare(a.APIGroups[0], b.APIGroups[0]) })
	return rules
}
