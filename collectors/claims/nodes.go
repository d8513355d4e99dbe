package claims

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"tocsin/collectors/cluster"
)

// Nodes finds the nodes that a volume's affinity allows. It does not change after NewNodes.
type Nodes struct {
	all    []*corev1.Node
	byName map[string]*corev1.Node
	// byLabel has the nodes by the value of each label, so that a local volume's affinity meets one node and not all.
	byLabel map[string]map[string][]*corev1.Node
}

// NewNodes indexes the nodes.
func NewNodes(nodes []*cluster.Node) *Nodes {
	n := &Nodes{byName: make(map[string]*corev1.Node, len(nodes)), byLabel: map[string]map[string][]*corev1.Node{}}
	for _, record := range nodes {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: record.Name, Labels: record.LabelMap}}
		n.all = append(n.all, node)
		n.byName[node.Name] = node
		for k, v := range record.LabelMap {
			if n.byLabel[k] == nil {
				n.byLabel[k] = map[string][]*corev1.Node{}
			}
			n.byLabel[k][v] = append(n.byLabel[k][v], node)
		}
	}
	return n
}

// Match tells whether the affinity allows any node, whatever the node's state: where the data is, not what the scheduler will accept, so
// that matchFields count too. An affinity that cannot be read allows what it may.
func (n *Nodes) Match(affinity *corev1.NodeSelector) bool {
	if affinity == nil {
		return true
	}
	for i := range affinity.NodeSelectorTerms {
		term := &affinity.NodeSelectorTerms[i]
		candidates := n.candidates(term)
		if len(candidates) == 0 {
			continue
		}
		selector, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{*term}})
		if err != nil {
			return true
		}
		if slices.ContainsFunc(candidates, selector.Match) {
			return true
		}
	}
	return false
}

// candidates gives nodes among which are all that the term allows: those with a value that one of its expressions asks for.
func (n *Nodes) candidates(term *corev1.NodeSelectorTerm) []*corev1.Node {
	for i := range term.MatchFields {
		f := &term.MatchFields[i]
		if f.Key == metav1.ObjectNameField && f.Operator == corev1.NodeSelectorOpIn && len(f.Values) == 1 {
			if node := n.byName[f.Values[0]]; node != nil {
				return []*corev1.Node{node}
			}
			return nil
		}
	}
	for i := range term.MatchExpressions {
		e := &term.MatchExpressions[i]
		if e.Operator != corev1.NodeSelectorOpIn {
			continue
		}
		var found []*corev1.Node
		for _, value := range e.Values {
			found = append(found, n.byLabel[e.Key][value]...)
		}
		return found
	}
	return n.all
}
