package deploy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"tocsin/collectors"
	"tocsin/collectors/claims"
	"tocsin/collectors/cluster"
)

// values turns on the named collectors and off the others, before further values.
func values(on []collectors.Entry, further string) []byte {
	flags := make([]string, 0, len(collectors.Table()))
	for _, e := range collectors.Table() {
		isOn := slices.ContainsFunc(on, func(o collectors.Entry) bool { return o.Name == e.Name })
		flags = append(flags, fmt.Sprintf("%s: %t", e.Name, isOn))
	}
	return fmt.Appendf(nil, "collectors: {%s}\n%s", strings.Join(flags, ", "), further)
}

// TestPermissionsFollowTheCollectors: the role is what the collectors that are on need, and no more: each alone, all, and all but one.
func TestPermissionsFollowTheCollectors(t *testing.T) {
	table, custom := collectors.Table(), claims.DefaultRules().Resources()
	sets := map[string][]collectors.Entry{"all": table}
	for i, e := range table {
		sets[e.Name] = table[i : i+1]
		sets["all but "+e.Name] = slices.Delete(slices.Clone(table), i, i+1)
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		role := one[rbacv1.ClusterRole](t, chart(t, string(values(sets[name], ""))), "ClusterRole")
		if diff := gocmp.Diff(collectors.Permissions(sets[name], custom), sorted(role.Rules)); diff != "" {
			t.Errorf("%s: the role is not what the collectors need (-want +got):\n%s", name, diff)
		}
	}
}

// TestPermissionsFollowTheOtherValues: claim rules add what they are about, and events are not asked for when they are not read.
func TestPermissionsFollowTheOtherValues(t *testing.T) {
	with := func(further string) []rbacv1.PolicyRule {
		return sorted(one[rbacv1.ClusterRole](t, chart(t, further), "ClusterRole").Rules)
	}
	const rule = `references: [{group: example.com, version: v1, resource: databases, claims: [.spec.claim]}]`
	databases := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "databases"}
	defaults := claims.DefaultRules().Resources()
	for values, custom := range map[string][]schema.GroupVersionResource{
		"claimRules: {" + rule + "}":                  append(slices.Clone(defaults), databases),
		"claimRules: {defaults: false, " + rule + "}": {databases},
		"claimRules: {defaults: false}":               {},
		"claimRules: {spared: [{labels: a=b}]}":       defaults,
	} {
		if diff := gocmp.Diff(collectors.Permissions(collectors.Table(), custom), with(values)); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", values, diff)
		}
	}
	want := collectors.Permissions(collectors.Table(), defaults)
	want[0].Resources = slices.DeleteFunc(want[0].Resources, func(r string) bool { return r == "events" })
	if diff := gocmp.Diff(want, with("events: false")); diff != "" {
		t.Errorf("without events: (-want +got):\n%s", diff)
	}
}

// TestPermissionsPerNamespace: a Role in each namespace with what lies in namespaces, and of the cluster what is asked for.
func TestPermissionsPerNamespace(t *testing.T) {
	everything := collectors.Permissions(collectors.Table(), claims.DefaultRules().Resources())
	for further, wantCluster := range map[string]bool{"": false, ", clusterResources: true": true} {
		all := chart(t, "namespaces: [shop, data]\nrbac: {scope: namespaces"+further+"}\n")
		roles, bindings := of[rbacv1.Role](t, all, "Role"), of[rbacv1.RoleBinding](t, all, "RoleBinding")
		if len(roles) != 2 || len(bindings) != 2 {
			t.Fatalf("%d Roles and %d RoleBindings for two namespaces", len(roles), len(bindings))
		}
		for i, namespace := range []string{"data", "shop"} {
			role, binding := roles[slices.IndexFunc(roles, func(r *rbacv1.Role) bool { return r.Namespace == namespace })], bindings[i]
			if diff := gocmp.Diff(scoped(everything, true), sorted(role.Rules)); diff != "" {
				t.Errorf("%s: (-want +got):\n%s", namespace, diff)
			}
			if binding.RoleRef.Name != role.Name || binding.Subjects[0].Namespace != Namespace || binding.Subjects[0].Name != "tocsin" {
				t.Errorf("%s: the binding gives %v to %v", namespace, binding.RoleRef, binding.Subjects)
			}
		}
		role := one[rbacv1.ClusterRole](t, all, "ClusterRole")
		if (role != nil) != wantCluster {
			t.Fatalf("rbac {%s}: ClusterRole %v", further, role)
		}
		if role == nil {
			continue
		}
		if diff := gocmp.Diff(scoped(everything, false), sorted(role.Rules)); diff != "" {
			t.Errorf("the cluster's resources: (-want +got):\n%s", diff)
		}
	}
}

// TestNoSecretIsRead, in no variant, nor anything written.
func TestNoSecretIsRead(t *testing.T) {
	eachVariant(t, func(t *testing.T, _ string, all []*unstructured.Unstructured) {
		var rules []rbacv1.PolicyRule
		for _, r := range of[rbacv1.ClusterRole](t, all, "ClusterRole") {
			rules = append(rules, r.Rules...)
		}
		for _, r := range of[rbacv1.Role](t, all, "Role") {
			rules = append(rules, r.Rules...)
		}
		for _, r := range rules {
			for _, forbidden := range []string{"secrets", "configmaps", "*"} {
				if slices.Contains(r.Resources, forbidden) {
					t.Errorf("%s are asked for", forbidden)
				}
			}
			if !slices.Equal(r.Verbs, []string{"list", "watch"}) {
				t.Errorf("verbs %v", r.Verbs)
			}
		}
	})
}

// sorted gives rules in the order of collectors.Permissions.
func sorted(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	slices.SortFunc(rules, func(a, b rbacv1.PolicyRule) int { return cmp.Compare(a.APIGroups[0], b.APIGroups[0]) })
	return rules
}

// scoped gives of the rules what is about resources of namespaces, or about those of the cluster.
func scoped(rules []rbacv1.PolicyRule, namespaced bool) (found []rbacv1.PolicyRule) {
	ofCluster := map[string]bool{}
	for _, r := range cluster.Resources() {
		ofCluster[r.String()] = !r.Info().Namespaced
	}
	for _, r := range rules {
		r.Resources = slices.DeleteFunc(slices.Clone(r.Resources), func(name string) bool { return ofCluster[name] == namespaced })
		if len(r.Resources) > 0 {
			found = append(found, r)
		}
	}
	return found
}
