package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// testArgs run each benchmark as often everywhere, so that what is allocated once weighs the same, and on one processor: goroutines then
// take turns as they do each time, and names end without the number of processors.
var testArgs = []string{"test", "-run=^$", "-bench=.", "-benchmem", "-benchtime=20x", "-cpu=1", "./collectors/...", "./cmd/..."}

// measure runs the benchmarks.
func measure(ctx context.Context, root string) (figures, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", testArgs...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(testArgs, " "), err, &out)
	}
	return parse(out.String())
}

// parse reads what go test -bench -benchmem prints.
func parse(out string) (figures, error) {
	found, pkg := figures{}, ""
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = strings.TrimSpace(name)
		}
		if !strings.HasPrefix(line, "Benchmark") {
			continue
		}
		fields := strings.Fields(line)
		name := pkg + "." + fields[0]
		i := slices.Index(fields, "allocs/op")
		if i < 1 {
			return nil, fmt.Errorf("%s: no allocs/op in %q: a benchmark must not print anything itself", name, strings.TrimSpace(line))
		}
		allocs, err := strconv.ParseInt(fields[i-1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: allocs/op: %w", name, err)
		}
		found[name] = allocs
	}
	return found, nil
}
