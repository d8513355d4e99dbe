package cluster

import (
	"strings"
	"testing"
	"time"
)

// FuzzSnapshot reads whatever bytes as a file: no panic, and records or an error of one line that names the file. A lenient reading
// never fails over what is in a document.
func FuzzSnapshot(f *testing.F) {
	pods := list("PodList", "metadata:\n  name: x\n")
	for _, seed := range []string{
		cronJobDoc, podDoc, list("List", cronJobDoc, podDoc, secretDoc), pods, "---\n" + podDoc + "...\n--- {}\n", zipped(podDoc),
		"\xff\xfek\x00", "\xef\xbb\xbf" + podDoc, "==== START logs for container ", "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{},1,null]}",
		"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"a\\nb\"},\"status\":tru}]}[[[", "{a: b}", "items:\n- - a\n-\n  -\n",
		"apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  x: [\n", "apiVersion: v1\nkind: List\nitems:\n-\n  apiVersion: v1\n  kind: Pod\n  metadata:\n    name: x\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, lenient := range []bool{false, true} {
			text, err := plain(data, 1<<20)
			if err != nil {
				return
			}
			l := newLoader(SnapshotOptions{Lenient: lenient})
			err = l.documents("file", text)
			if err != nil && (lenient || !strings.HasPrefix(err.Error(), "file:") || strings.Contains(err.Error(), "\n")) {
				t.Fatalf("lenient %v: %q", lenient, err)
			}
			l.report()
			store := NewStore(time.Now, nil, nil)
			l.out.Fill(store, Resources())
			for _, r := range Resources() {
				if h := store.Health(r); h.Objects != len(l.out.rows[r]) {
					t.Fatalf("%s: %d of %d records in the store", r, h.Objects, len(l.out.rows[r]))
				}
			}
		}
	})
}
