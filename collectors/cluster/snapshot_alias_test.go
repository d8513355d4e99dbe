package cluster

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A few aliases of a long text are hundreds of times the file once they are expanded.
func TestSnapshotAliasBombs(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	item := strings.ReplaceAll("&c\n"+podDoc, "\n", "\n  ")
	for name, test := range map[string]struct {
		content string
		line    int
	}{
		"beside the items": {"apiVersion: v1\nkind: List\ns: &s " + long + "\nitems: [" + strings.Repeat("*s,", 200) + "]\n", 4},
		"items":            {"apiVersion: v1\nkind: List\nitems:\n- " + item + "x: " + long + "\n" + strings.Repeat("- *c\n", 200), 14},
		"an annotation": {"apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n  annotations:\n    a: &a " + long + "\n" +
			strings.Repeat("    b: *a\n", 100), 0},
		"flow style":           {"{apiVersion: v1, kind: Pod, metadata: {name: x}, a: &a " + long + ",\nb: [" + strings.Repeat("*a,", 200) + "]}\n", 2},
		"a kind that is ruled": {"apiVersion: e.com/v1\nkind: Foo\nmetadata: {name: x}\na: &a " + long + "\nb: [" + strings.Repeat("*a,", 200) + "]\n", 5},
		"no kind":              {"a: &a " + long + "\nb: [" + strings.Repeat("*a,", 200) + "]\n", 2},
	} {
		path := filepath.Join(write(t, map[string]string{"f": test.content}), "f")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := LoadSnapshot([]string{path}, SnapshotOptions{Rules: func(schema.GroupVersionKind, map[string]any) ([]string, bool) { return nil, true }})
		runtime.ReadMemStats(&after)
		if !errors.Is(err, errAliases) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %.300v", name, err)
		}
		if want := fmt.Sprintf("%s:%d: ", path, test.line); test.line > 0 && err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %.300v, want %s", name, err, want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
			t.Errorf("%s: took %d MiB", name, used>>20)
		}
	}
}

func TestSnapshotHarmlessAliases(t *testing.T) {
	for _, content := range []string{
		"apiVersion: v1\nkind: Pod\nmetadata: &m {name: x, namespace: shop}\na: [*m, *m, *m]\n",
		"x: &x {kind: Pod}\n<<: *x\napiVersion: v1\nmetadata: {name: x, namespace: shop}\n",
		"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: &m {name: x, namespace: shop}\n- apiVersion: v1\n  kind: Pod\n  metadata: *m\n",
		"apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n  namespace: shop\n  annotations:\n    a: 'true &a && rm *a 2>&1'\n",
	} {
		path := filepath.Join(write(t, map[string]string{"f": content}), "f")
		l, err := LoadSnapshot([]string{path}, SnapshotOptions{})
		if err != nil {
			t.Errorf("%v of\n%s", err, content)
			continue
		}
		if diff := cmp.Diff([]string{"Pod shop/x"}, l.names()); diff != "" {
			t.Error(diff)
		}
	}
	path := filepath.Join(write(t, map[string]string{"f": "apiVersion: v1\nkind: List\nitems: &i [*i]\n"}), "f")
	if _, err := LoadSnapshot([]string{path}, SnapshotOptions{}); err == nil || !strings.Contains(err.Error(), "contains itself") {
		t.Errorf("an alias of itself: %v", err)
	}
}
