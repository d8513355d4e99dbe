package claims

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

func TestJudgeVolume(t *testing.T) {
	held := bound("held")
	held.Namespace = "a"
	claims := Claims{
		Known: func(namespace string) bool { return namespace == "a" },
		Get: func(namespace, name string) *cluster.Claim {
			if namespace == "a" && name == "held" {
				return held
			}
			return nil
		},
	}
	hours := ago(5 * time.Hour)
	released := func(policy string, since cluster.Time) cluster.Volume {
		return cluster.Volume{Phase: "Released", ReclaimPolicy: policy, PhaseChanged: since, HasClaim: true}
	}
	boundTo := func(namespace, name string, uid cluster.UID) cluster.Volume {
		return cluster.Volume{Phase: "Bound", HasClaim: true, ClaimNamespace: namespace, ClaimName: name, ClaimUID: uid, PhaseChanged: hours}
	}
	for _, test := range []struct {
		report string
		volume cluster.Volume
		want   Unclaimed
	}{
		{"kubernetes-sigs/vsphere-csi-driver#502", released("Delete", hours), Unclaimed{ReleasedDeleteStuck, hours}}, // 46 volumes that were never deleted
		{"tuist/tuist#11791", released("Retain", hours), Unclaimed{ReleasedRetained, hours}},                         // 36 TB kept and paid for
		{"retained just now", released("Retain", ago(time.Second)), Unclaimed{ReleasedRetained, ago(time.Second)}},
		{"retained, on a server that tells no times", released("Retain", 0), Unclaimed{Reason: ReleasedRetained}},
		{"no policy, in a file written by hand", released("", hours), Unclaimed{ReleasedRetained, hours}},
		{"being deleted for 15 minutes", released("Delete", ago(15*time.Minute)), Unclaimed{}},
		{"being deleted for longer", released("Delete", ago(15*time.Minute+time.Second)), Unclaimed{ReleasedDeleteStuck, ago(15*time.Minute + time.Second)}},
		{"being deleted, on a server that tells no times", released("Delete", 0), Unclaimed{}},
		{"failed", cluster.Volume{Phase: "Failed", PhaseChanged: hours}, Unclaimed{Failed, hours}},
		{"available", cluster.Volume{Phase: "Available", PhaseChanged: hours}, Unclaimed{Available, hours}},
		{"waiting for the claim that it names", cluster.Volume{Phase: "Available", HasClaim: true, ClaimNamespace: "a", ClaimName: "later"}, Unclaimed{}},
		{"pending", cluster.Volume{Phase: "Pending"}, Unclaimed{}},
		{"bound", boundTo("a", "held", uid("held")), Unclaimed{}},
		{"bound by name only", boundTo("a", "held", cluster.UID{}), Unclaimed{}},
		{"bound to a claim that is gone", boundTo("a", "gone", uid("gone")), Unclaimed{Reason: ClaimMissing}},
		{"bound to an earlier claim of the name", boundTo("a", "held", uid("earlier")), Unclaimed{Reason: ClaimMissing}},
		{"bound to a claim in a namespace that is not read", boundTo("b", "held", uid("held")), Unclaimed{}},
		{"nothing", cluster.Volume{}, Unclaimed{}},
	} {
		t.Run(test.report, func(t *testing.T) {
			if got := JudgeVolume(&test.volume, claims, now); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestNodes(t *testing.T) {
	nodes := NewNodes([]*cluster.Node{
		{Meta: cluster.Meta{Name: "a"}, LabelMap: map[string]string{"kubernetes.io/hostname": "host-a", "zone": "1", "cores": "8"}, Unschedulable: true},
		{Meta: cluster.Meta{Name: "b"}, LabelMap: map[string]string{"kubernetes.io/hostname": "host-b", "zone": "2"}},
	})
	type terms = []corev1.NodeSelectorTerm
	expr := func(key string, op corev1.NodeSelectorOperator, values ...string) []corev1.NodeSelectorRequirement {
		return []corev1.NodeSelectorRequirement{{Key: key, Operator: op, Values: values}}
	}
	for _, test := range []struct {
		name  string
		terms terms
		want  bool
	}{
		{"a node that is there, cordoned or not", terms{{MatchExpressions: expr("kubernetes.io/hostname", "In", "host-a")}}, true},
		{"rancher/local-path-provisioner#215", terms{{MatchExpressions: expr("kubernetes.io/hostname", "In", "host-c")}}, false}, // the node was removed
		{"one of several values", terms{{MatchExpressions: expr("zone", "In", "9", "2")}}, true},
		{"a zone without nodes", terms{{MatchExpressions: expr("zone", "In", "9")}}, false},
		{"one of several terms", terms{{MatchExpressions: expr("zone", "In", "9")}, {MatchExpressions: expr("zone", "In", "1")}}, true},
		{"both expressions, on no one node", terms{{MatchExpressions: append(expr("zone", "In", "1"), expr("kubernetes.io/hostname", "In", "host-b")...)}}, false},
		{"by name", terms{{MatchFields: expr("metadata.name", "In", "b")}}, true},
		{"rancher/local-path-provisioner#451", terms{{MatchFields: expr("metadata.name", "In", "c")}}, false}, // matchFields tell where the data is
		{"by name and label", terms{{MatchFields: expr("metadata.name", "In", "b"), MatchExpressions: expr("zone", "In", "1")}}, false},
		{"not by name", terms{{MatchFields: expr("metadata.name", "NotIn", "b")}}, true},
		{"exists", terms{{MatchExpressions: expr("cores", "Exists")}}, true},
		{"does not exist", terms{{MatchExpressions: expr("zone", "DoesNotExist")}}, false},
		{"greater than", terms{{MatchExpressions: expr("cores", "Gt", "7")}}, true},
		{"not greater than", terms{{MatchExpressions: expr("cores", "Gt", "8")}}, false},
		{"an empty term allows no node", terms{{}}, false},
		{"no terms allow no node", nil, false},
		{"an operator that is not known", terms{{MatchExpressions: expr("zone", "Near", "1")}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := nodes.Match(&corev1.NodeSelector{NodeSelectorTerms: test.terms}); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
	if !nodes.Match(nil) {
		t.Error("a volume without affinity is everywhere")
	}
	if NewNodes(nil).Match(&corev1.NodeSelector{NodeSelectorTerms: terms{{MatchExpressions: expr("zone", "Exists")}}}) {
		t.Error("a cluster without nodes matched")
	}
}
