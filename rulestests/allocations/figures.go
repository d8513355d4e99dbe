package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// figures are allocations per operation by benchmark, which is named by its package and itself: tocsin/collectors/jobs.BenchmarkX/key=value.
type figures map[string]int64

const header = `# Allocations per operation of each benchmark. The command in this folder fails when there are more, and writes this file anew with
#
#	go run ./rulestests/allocations --update
#
# These are of %s.
`

// read gives the figures of a file.
func read(file string) (figures, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: go run ./rulestests/allocations --update writes it", err)
	}
	f, n := figures{}, 0
	for line := range strings.Lines(string(text)) {
		n++
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("%s:%d: want a benchmark and its allocations, got %q", file, n, strings.TrimSpace(line))
		}
		if f[fields[0]], err = strconv.ParseInt(fields[1], 10, 64); err != nil {
			return nil, fmt.Errorf("%s:%d: allocations of %s: %w", file, n, fields[0], err)
		}
	}
	return f, nil
}

// write makes a file of the figures, by name.
func (f figures) write(file string) error {
	var text strings.Builder
	fmt.Fprintf(&text, header, runtime.Version())
	for _, name := range f.names() {
		fmt.Fprintln(&text, name, f[name])
	}
	return os.WriteFile(file, []byte(text.String()), 0o644)
}

func (f figures) names() []string { return slices.Sorted(maps.Keys(f)) }

// summary says in one line how many benchmarks of which packages there are.
func (f figures) summary() string {
	counts := map[string]int{}
	for name := range f {
		pkg, _, _ := strings.Cut(name, ".")
		counts[path.Base(pkg)]++
	}
	var of []string
	for _, pkg := range slices.Sorted(maps.Keys(counts)) {
		of = append(of, fmt.Sprintf("%s %d", pkg, counts[pkg]))
	}
	return fmt.Sprintf("%d benchmarks (%s)", len(f), strings.Join(of, ", "))
}
