package claims

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/jsonpath"
)

// Rules tell of claims what the workloads of Kubernetes itself do not: which custom resources name them, and which are kept on purpose.
type Rules struct {
	References []Rule
	Spare      []Spare
}

// Rule says where the objects of a custom resource name claims of their namespace.
type Rule struct {
	schema.GroupVersionResource
	// Kind is the kind of the resource's objects; "" when it is the resource's regular singular.
	Kind  string
	paths []string
}

// DefaultRules are the rules that hold everywhere: for the operators whose objects name claims that they do not own.
func DefaultRules() Rules {
	singleUser := labels.SelectorFromSet(labels.Set{"component": "singleuser-storage"})
	return Rules{
		References: []Rule{
			// A DataVolume fills the claim of its own name; a virtual machine that is stopped has no Pod.
			rule("kubevirt.io", "v1", "virtualmachines", "VirtualMachine",
				"{.spec.template.spec.volumes[*].persistentVolumeClaim.claimName}",
				"{.spec.template.spec.volumes[*].ephemeral.persistentVolumeClaim.claimName}",
				"{.spec.template.spec.volumes[*].dataVolume.name}"),
			rule("volsync.backube", "v1alpha1", "replicationsources", "ReplicationSource", "{.spec.sourcePVC}"),
			rule("volsync.backube", "v1alpha1", "replicationdestinations", "ReplicationDestination", "{.spec.*.destinationPVC}"),
		},
		Spare: []Spare{
			{Labels: singleUser},                // JupyterHub makes a claim for each user, and a Pod only while the user is logged in
			{Annotation: "cnpg.io/hibernate*"},  // CloudNativePG's plugin takes the cluster away and leaves the claims,
			{Annotation: "cnpg.io/hibernation"}, // or the cluster stays and has no Pods
		},
	}
}

func rule(group, version, resource, kind string, paths ...string) Rule {
	return Rule{schema.GroupVersionResource{Group: group, Version: version, Resource: resource}, kind, paths}
}

// Resources gives the resources that the rules are about, each once, in the order of the rules.
func (r Rules) Resources() []schema.GroupVersionResource {
	var all []schema.GroupVersionResource
	for _, rule := range r.References {
		if !slices.Contains(all, rule.GroupVersionResource) {
			all = append(all, rule.GroupVersionResource)
		}
	}
	return all
}

// Claims gives the names of the claims that an object names by any of the rules about its kind, each once; false when no rule is about
// it. It may be called from several goroutines.
func (r Rules) Claims(kind schema.GroupVersionKind, object map[string]any) (claims []string, ok bool) {
	for _, rule := range r.References {
		if rule.About(kind) {
			ok = true
			claims = append(claims, rule.Claims(object)...)
		}
	}
	slices.Sort(claims)
	return slices.Compact(claims), ok
}

// About tells whether the rule is about objects of the kind, in any version: a claim that an object names in a version that the rule
// was not written for is named all the same.
func (r Rule) About(kind schema.GroupVersionKind) bool {
	if kind.Group != r.Group {
		return false
	}
	if r.Kind != "" {
		return kind.Kind == r.Kind
	}
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return plural.Resource == r.Resource
}

// Claims gives the names of the claims that an object names, each once, in order. What is not where the rule looks, or is no string,
// names none. It may be called from several goroutines.
func (r Rule) Claims(object map[string]any) []string {
	var claims []string
	for _, path := range r.paths {
		j := jsonpath.New(r.Resource).AllowMissingKeys(true) // it keeps state while it looks, hence one for each time
		if j.Parse(path) != nil {
			continue
		}
		found, err := j.FindResults(object)
		if err != nil {
			continue
		}
		for _, values := range found {
			for _, v := range values {
				if v.IsValid() && v.CanInterface() {
					claims = appendNames(claims, v.Interface())
				}
			}
		}
	}
	slices.Sort(claims)
	return slices.Compact(claims)
}

func appendNames(claims []string, found any) []string {
	switch found := found.(type) {
	case string:
		if found != "" {
			claims = append(claims, found)
		}
	case []any:
		for _, v := range found {
			if name, ok := v.(string); ok && name != "" {
				claims = append(claims, name)
			}
		}
	}
	return claims
}
