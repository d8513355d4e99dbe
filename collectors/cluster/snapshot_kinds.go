package cluster

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// older are versions of kinds that have the same form as the version that Tocsin reads, as far as it reads it.
var older = []struct {
	resource Resource
	versions []string
}{
	{CronJobs, []string{"v1beta1"}},
	{Autoscalers, []string{"v1", "v2beta1", "v2beta2"}},
	{StorageClasses, []string{"v1beta1"}},
	{Snapshots, []string{"v1beta1"}},
}

// snapshotKinds are the kinds that a snapshot is read for.
var snapshotKinds = func() map[schema.GroupVersionKind]Resource {
	kinds := map[schema.GroupVersionKind]Resource{}
	for _, r := range Resources() {
		if r != References {
			kinds[r.Info().GroupVersion().WithKind(r.Info().Kind)] = r
		}
	}
	for _, o := range older {
		info := o.resource.Info()
		for _, version := range o.versions {
			kinds[schema.GroupVersionKind{Group: info.Group, Version: version, Kind: info.Kind}] = o.resource
		}
	}
	return kinds
}()

func (i identity) gvk() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(i.apiVersion, i.kind)
}

// unread names a kind in the count of those that are not read: with its group, and with its version when only that is not known.
func (i identity) unread() string {
	gvk := i.gvk()
	for known := range snapshotKinds {
		if known.GroupKind() == gvk.GroupKind() {
			return gvk.Kind + "." + strings.TrimSuffix(gvk.Version+"."+gvk.Group, ".")
		}
	}
	return strings.TrimSuffix(gvk.Kind+"."+gvk.Group, ".")
}

// element gives the identity that a list's items have where they do not say it themselves, and false for a List of mixed kinds.
func (i identity) element() (identity, bool) {
	kind, ok := strings.CutSuffix(i.kind, "List")
	return identity{apiVersion: i.apiVersion, kind: kind}, ok && kind != ""
}

// mayList tells whether a kind's name is one that lists have.
func (i identity) mayList() bool { return strings.HasSuffix(i.kind, "List") }

// listOf tells whether an object is a list, and what its items are when they do not say it themselves.
func (i identity) listOf(hasItems bool) (element identity, isList bool) {
	element, typed := i.element()
	_, known := snapshotKinds[element.gvk()]
	switch {
	case typed && (known || hasItems):
		return element, true
	case i.kind == "List" && i.apiVersion != "":
		return identity{}, true
	}
	return identity{}, false
}

// secret tells whether a kind holds what is none of Tocsin's business, not even for a claim rule.
func (i identity) secret() bool {
	return i.apiVersion == "v1" && (i.kind == "Secret" || i.kind == "ConfigMap")
}
