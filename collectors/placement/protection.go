package placement

import "tocsin/collectors/cluster"

// Protection is what a node's drain would meet at a Pod: an eviction that nothing hinders, that a budget allows, or that one refuses.
type Protection uint8

// The protections.
const (
	Unprotected Protection = iota
	Budgeted
	BudgetBlocking

	// Protections is the number of protections.
	Protections
)

// String gives the value of the label protection.
func (p Protection) String() string { return [...]string{"none", "pdb", "pdb_blocking"}[p] }

// ProtectionOf judges a Pod by the PodDisruptionBudgets of its namespace, as their status says. An eviction must be allowed by each
// budget that selects the Pod (k8s.io/kubernetes pkg/registry/core/pod/storage/eviction.go).
func ProtectionOf(p *cluster.Pod, budgets []*cluster.Budget) Protection {
	found := Unprotected
	for _, b := range budgets {
		if b.Selector == nil || !b.Selector.Matches(p.Labels) {
			continue
		}
		if b.Allowed <= 0 {
			return BudgetBlocking
		}
		found = Budgeted
	}
	return found
}
