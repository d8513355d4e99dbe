package scenarios

import "slices"

// All gives every scenario: those that may run side by side first.
func All() []Scenario {
	return slices.Concat(cronJobs(), jobs(), statefulSets(), placed(), volumes(), daemonSets(), itself())
}
