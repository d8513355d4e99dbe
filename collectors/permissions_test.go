package collectors

import (
	"bytes"
	"os"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"tocsin/collectors/claims"
	"tocsin/collectors/cluster"
)

// deploy/rbac.yaml is made from the table; -update writes it anew.
func TestShippedPermissions(t *testing.T) {
	const path = "../deploy/rbac.yaml"
	name := metav1.ObjectMeta{Name: "tocsin"}
	role := rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole"}, ObjectMeta: name,
		Rules: Permissions(Table(), claims.DefaultRules().Resources())}
	text, err := yaml.Marshal(role)
	if err != nil {
		t.Fatal(err)
	}
	text = append([]byte("# What tocsin may do, made from its table of collectors: list and watch, and neither Secrets nor ConfigMaps.\n"+
		"# Bind it to the ServiceAccount that tocsin runs as.\n"), text...)
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shipped, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(shipped, text) {
		t.Errorf("%s is not what the table of collectors needs; run go test ./collectors -run ShippedPermissions -update", path)
	}
}

func TestPermissionsFollowTheCollectors(t *testing.T) {
	rules := Permissions(entriesNamed("job"), claims.DefaultRules().Resources())
	for _, r := range rules {
		if slices.Contains(r.Resources, "persistentvolumes") || slices.Contains(r.APIGroups, "kubevirt.io") {
			t.Errorf("a collector that is off asks for %v", r)
		}
		for _, forbidden := range []string{"secrets", "configmaps", "*"} {
			if slices.Contains(r.Resources, forbidden) {
				t.Errorf("%s is asked for", forbidden)
			}
		}
		if !slices.Equal(r.Verbs, []string{"list", "watch"}) {
			t.Errorf("verbs %v", r.Verbs)
		}
	}
	if len(rules) != 2 || !slices.Contains(rules[1].Resources, cluster.Jobs.String()) {
		t.Errorf("got %v, want the core group's and batch's", rules)
	}
}
