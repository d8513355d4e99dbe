package cluster

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// kubectl's lists, put together by hand or by jq, become lists of lists.
func TestSnapshotNestedLists(t *testing.T) {
	both := []string{"CronJob shop/purge", "Pod shop/purge-1-x"}
	inner := list("List", podDoc)
	for name, content := range map[string]string{
		"YAML":              list("List", cronJobDoc, inner),
		"YAML, three deep":  list("List", list("List", inner, cronJobDoc)),
		"a list of a kind":  list("List", cronJobDoc, strings.Replace(list("PodList", podDoc), "  kind: Pod\n", "", 1)),
		"JSON":              toJSONText(t, list("List", cronJobDoc, inner), true),
		"JSON on one line":  toJSONText(t, list("List", list("List", cronJobDoc), inner), false),
		"an array of lists": "[" + toJSONText(t, list("List", cronJobDoc), true) + "," + toJSONText(t, inner, true) + "]",
	} {
		path := filepath.Join(write(t, map[string]string{"f": content}), "f")
		l, err := LoadSnapshot([]string{path}, SnapshotOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(both, l.names()); diff != "" || len(l.Unknown) > 0 {
			t.Errorf("%s: %v %s", name, l.Unknown, diff)
		}
	}
	// A list in a list says, as any, that its kind has been asked for.
	path := filepath.Join(write(t, map[string]string{"f": list("List", "apiVersion: v1\nkind: NodeList\nitems: []\n")}), "f")
	if l, err := LoadSnapshot([]string{path}, SnapshotOptions{}); err != nil || !l.present[Nodes] {
		t.Errorf("an empty list of Nodes: %v", err)
	}
	const depth = 1000
	content := strings.Repeat(`{"apiVersion":"v1","kind":"List","items":[`, depth) + strings.Repeat("]}", depth)
	path = filepath.Join(write(t, map[string]string{"f": content}), "f")
	if _, err := LoadSnapshot([]string{path}, SnapshotOptions{}); err == nil || !strings.Contains(err.Error(), path+":1: List: lists lie in lists more than 10 deep") {
		t.Errorf("%d lists in each other: %v", depth, err)
	}
}
