package cluster

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A download that broke off must not cost the other files of a lenient reading, and nothing of it counts.
func TestSnapshotCorruptGzip(t *testing.T) {
	whole := zipped(strings.Repeat(podDoc+"---\n", 10))
	sum := []byte(zipped(strings.Replace(podDoc, "purge-1-x", "other", 1)))
	sum[len(sum)-8] ^= 1
	dir := write(t, map[string]string{
		"a.yaml": cronJobDoc, "cut.yaml.gz": whole[:60], "head.yaml.gz": whole[:5], "sum.yaml.gz": string(sum), "z.yaml.gz": zipped(podDoc),
	})
	var log bytes.Buffer
	options := SnapshotOptions{Logger: slog.New(slog.NewTextHandler(&log, nil)), Lenient: true}
	l, err := LoadSnapshot([]string{dir}, options)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"CronJob shop/purge", "Pod shop/purge-1-x"}, l.names()); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"cut.yaml.gz", "head.yaml.gz", "sum.yaml.gz"} {
		if n := strings.Count(log.String(), `msg="file left out of the snapshot" file=`+filepath.Join(dir, name)+" "); n != 1 {
			t.Errorf("%s: %d warnings\n%s", name, n, &log)
		}
		if _, err := LoadSnapshot([]string{filepath.Join(dir, name)}, options); err == nil || !strings.HasSuffix(err.Error(), "nothing in it can be read") {
			t.Errorf("%s by itself: %v", name, err)
		}
	}
	if !strings.Contains(log.String(), `err="gzip: invalid checksum"`) {
		t.Errorf("logged %s", &log)
	}
	options.Lenient = false
	if _, err := LoadSnapshot([]string{dir}, options); err == nil || !strings.Contains(err.Error(), "cut.yaml.gz: gzip: unexpected EOF (") {
		t.Errorf("without leniency: %v", err)
	}
}

func TestSnapshotPathsThatAreNone(t *testing.T) {
	for path, want := range map[string]string{
		"":  "--snapshot is empty: give a file or directory",
		"-": "--snapshot -: the standard input is not read, give a file or directory",
	} {
		if _, err := LoadSnapshot([]string{path}, SnapshotOptions{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v", path, err)
		}
	}
}
