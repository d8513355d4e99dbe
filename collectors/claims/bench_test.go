package claims

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"tocsin/collectors/cluster"
)

// BenchmarkClaims judges a namespace with 1,000 claims of 200 sets, two fifths of them in use.
func BenchmarkClaims(b *testing.B) {
	in := &Namespace{Spare: DefaultRules().Spare}
	for s := range 200 {
		name := fmt.Sprintf("db-%d", s)
		in.StatefulSets = append(in.StatefulSets, set(name, 3, 0, "data"))
		for i := range 5 {
			claim := fmt.Sprintf("data-%s-%d", name, i)
			in.Claims = append(in.Claims, made(claim))
			if i < 2 {
				in.Pods = append(in.Pods, pod(fmt.Sprintf("%s-%d", name, i), cluster.PhaseRunning, claim))
			}
		}
		in.Deployments = append(in.Deployments, workload("Deployment", name, 1, "shared-"+name))
		in.Jobs = append(in.Jobs, &cluster.Job{Claims: []string{"job-" + name}})
		in.Autoscalers = append(in.Autoscalers, autoscaler("StatefulSet", name, 4))
	}
	b.Run("claims=1000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if got := Judge(in, now); len(got) != 1000 {
				b.Fatal(len(got))
			}
		}
	})
}

func BenchmarkVolume(b *testing.B) {
	claims := Claims{Known: func(string) bool { return true }, Get: func(string, string) *cluster.Claim { return nil }}
	for _, of := range []struct {
		volume cluster.Volume
		reason Reason
	}{
		{cluster.Volume{Phase: "Released", ReclaimPolicy: "Delete", HasClaim: true, PhaseChanged: ago(5 * time.Hour)}, ReleasedDeleteStuck},
		{cluster.Volume{Phase: "Bound", HasClaim: true, ClaimNamespace: "shop", ClaimName: "gone"}, ClaimMissing},
	} {
		b.Run("reason="+string(of.reason), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := JudgeVolume(&of.volume, claims, now); got.Reason != of.reason {
					b.Fatal(got)
				}
			}
		})
	}
}

// BenchmarkNodes is the affinity of one volume among the labels of 1,000 nodes.
func BenchmarkNodes(b *testing.B) {
	var records []*cluster.Node
	for i := range 1000 {
		name := fmt.Sprint("node-", i)
		records = append(records, &cluster.Node{Meta: cluster.Meta{Name: name},
			LabelMap: map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: fmt.Sprint("zone-", i%3)}})
	}
	nodes := NewNodes(records)
	for _, of := range []struct{ name, key, value string }{
		{"node", corev1.LabelHostname, "node-500"},
		{"gone-node", corev1.LabelHostname, "node-1000"},
		{"zone", corev1.LabelTopologyZone, "zone-1"},
	} {
		affinity := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: of.key, Operator: corev1.NodeSelectorOpIn, Values: []string{of.value}}}}}}
		b.Run("nodes=1000/affinity="+of.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				nodes.Match(affinity)
			}
		})
	}
}
