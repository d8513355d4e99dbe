package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	const in = " in rulestests/allocations/allocations.txt"
	for _, test := range []struct {
		name            string
		known, measured figures
		faults          []string
		fewer           int
	}{
		{name: "the same", known: figures{"p.BenchmarkA": 3, "p.BenchmarkB": 0}, measured: figures{"p.BenchmarkA": 3, "p.BenchmarkB": 0}},
		{name: "the first allocation", known: figures{"p.BenchmarkA": 0}, measured: figures{"p.BenchmarkA": 1},
			faults: []string{"p.BenchmarkA: 1 allocations per operation, 0 before"}},
		{name: "one more of few", known: figures{"p.BenchmarkA": 9}, measured: figures{"p.BenchmarkA": 10},
			faults: []string{"p.BenchmarkA: 10 allocations per operation, 9 before"}},
		{name: "one more of some", known: figures{"p.BenchmarkA": 10}, measured: figures{"p.BenchmarkA": 11}},
		{name: "two more of some", known: figures{"p.BenchmarkA": 10}, measured: figures{"p.BenchmarkA": 12},
			faults: []string{"p.BenchmarkA: 12 allocations per operation, 10 before"}},
		{name: "two per cent more", known: figures{"p.BenchmarkA": 1000}, measured: figures{"p.BenchmarkA": 1020}},
		{name: "over two per cent more", known: figures{"p.BenchmarkA": 1000}, measured: figures{"p.BenchmarkA": 1021},
			faults: []string{"p.BenchmarkA: 1021 allocations per operation, 1000 before"}},
		{name: "less", known: figures{"p.BenchmarkA": 1000, "p.BenchmarkB": 1, "p.BenchmarkC": 100}, fewer: 2,
			measured: figures{"p.BenchmarkA": 900, "p.BenchmarkB": 0, "p.BenchmarkC": 99}},
		{name: "new", known: figures{}, measured: figures{"p.BenchmarkA": 7}, faults: []string{"p.BenchmarkA: 7 allocations per operation, and not" + in}},
		{name: "gone", known: figures{"p.BenchmarkA": 7}, measured: figures{}, faults: []string{"p.BenchmarkA:" + in + ", and no such benchmark ran"}},
		{name: "several, by name", known: figures{"p.BenchmarkC": 0, "p.BenchmarkB": 1, "p.BenchmarkD": 5},
			measured: figures{"p.BenchmarkC": 2, "p.BenchmarkA": 3, "p.BenchmarkD": 5},
			faults: []string{"p.BenchmarkA: 3 allocations per operation, and not" + in, "p.BenchmarkB:" + in + ", and no such benchmark ran",
				"p.BenchmarkC: 2 allocations per operation, 0 before"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := compare(test.known, test.measured)
			if diff := cmp.Diff(test.faults, got.faults); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if got.fewer != test.fewer {
				t.Errorf("%d allocate less often, want %d", got.fewer, test.fewer)
			}
		})
	}
}

func TestParse(t *testing.T) {
	got, err := parse(`goos: linux
pkg: tocsin/collectors
cpu: one
BenchmarkGather/cronjobs=2000         	      20	  18346042 ns/op	         0.007226 allocs/series	     46055 series	  305580 B/op	     332 allocs/op
BenchmarkRecordBytes/kind=Pod-2 	      20	       576.3 bytes/object	177125271 B/op	 1192544 allocs/op
PASS
ok  	tocsin/collectors	11.791s
PASS
ok  	tocsin/collectors/nothing	0.042s
pkg: tocsin/collectors/jobs
BenchmarkGather/cronjobs=2000 	      20	      2307 ns/op	       0 B/op	       0 allocs/op
PASS
`)
	if err != nil {
		t.Fatal(err)
	}
	want := figures{"tocsin/collectors.BenchmarkGather/cronjobs=2000": 332, "tocsin/collectors.BenchmarkRecordBytes/kind=Pod-2": 1192544,
		"tocsin/collectors/jobs.BenchmarkGather/cronjobs=2000": 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const summary = "3 benchmarks (collectors 2, jobs 1)"
	if s := got.summary(); s != summary {
		t.Errorf("the summary is %q, want %q", s, summary)
	}
}

func TestParseRefuses(t *testing.T) {
	for out, want := range map[string]string{
		"pkg: p\nBenchmarkA \tlook at me\n":        "p.BenchmarkA: no allocs/op in",
		"pkg: p\nBenchmarkA \t20 \tmany allocs/op": "p.BenchmarkA: allocs/op: ",
	} {
		if _, err := parse(out); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q gives the error %v, want %q", out, err, want)
		}
	}
}

func TestFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "allocations.txt")
	if _, err := read(file); err == nil || !strings.Contains(err.Error(), "--update writes it") {
		t.Errorf("a missing file gives the error %v", err)
	}
	want := figures{"p.BenchmarkB/key=b": 1, "p.BenchmarkA": 20}
	if err := want.write(file); err != nil {
		t.Fatal(err)
	}
	got, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(text), "\np.BenchmarkA 20\np.BenchmarkB/key=b 1\n") {
		t.Errorf("not by name:\n%s", text)
	}
	for _, line := range []string{"p.BenchmarkA", "p.BenchmarkA 1 2", "p.BenchmarkA many"} {
		if err := os.WriteFile(file, []byte("# a comment\n\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := read(file); err == nil || !strings.Contains(err.Error(), "allocations.txt:3: ") {
			t.Errorf("%q gives the error %v", line, err)
		}
	}
}
