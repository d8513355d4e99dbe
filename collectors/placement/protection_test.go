package placement

import (
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"tocsin/collectors/cluster"
)

func TestProtection(t *testing.T) {
	pod := &cluster.Pod{Labels: "app\x00pg\x00"}
	selecting := func(app string, allowed int32) *cluster.Budget {
		return &cluster.Budget{Selector: labels.SelectorFromSet(labels.Set{"app": app}), Allowed: allowed}
	}
	for _, test := range []struct {
		name    string
		budgets []*cluster.Budget
		want    Protection
	}{
		{"no budget", nil, Unprotected},
		{"selects nothing", []*cluster.Budget{{Selector: nil}}, Unprotected},
		{"selects others", []*cluster.Budget{selecting("web", 0)}, Unprotected},
		{"selects everything", []*cluster.Budget{{Selector: labels.Everything(), Allowed: 1}}, Budgeted},
		{"allows", []*cluster.Budget{selecting("pg", 1)}, Budgeted},
		// A drain tries again for ever: the budget's only Pod is the stranded one.
		{"kubernetes/kubernetes#91141, #138555", []*cluster.Budget{selecting("pg", 0)}, BudgetBlocking},
		{"one of two blocks", []*cluster.Budget{selecting("pg", 1), {Selector: labels.Everything()}}, BudgetBlocking},
	} {
		if got := ProtectionOf(pod, test.budgets); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
