// Command allocations runs the benchmarks of collectors and cmd for a moment and fails when one of them allocates more often per operation
// than allocations.txt, beside this file, says.
//
//	go run ./rulestests/allocations             compare
//	go run ./rulestests/allocations --update    write the file anew: for a benchmark that is new, gone or renamed, and for more that is meant
//
// Time is not looked at: on a machine that others use it says nothing, while allocations come out the same each time.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/alecthomas/kingpin/v2"

	"tocsin/rulestests/tools"
)

// file is where the figures are kept, from the repository's folder.
const file = "rulestests/allocations/allocations.txt"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "allocations:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	app := kingpin.New("allocations", "Runs the benchmarks and fails when one allocates more often per operation than "+file+" says.")
	update := app.Flag("update", "Write the file anew.").Bool()
	if _, err := app.Parse(args); err != nil {
		return err
	}
	root, err := tools.Root()
	if err != nil {
		return err
	}
	path := filepath.Join(root, file)
	var known figures
	if !*update { // a file that cannot be read is told before the benchmarks have run
		if known, err = read(path); err != nil {
			return err
		}
	}
	measured, err := measure(ctx, root)
	if err != nil {
		return err
	}
	if *update {
		if err := measured.write(path); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s has %s\n", file, measured.summary())
		return nil
	}
	c := compare(known, measured)
	fmt.Fprintf(out, "compared with %s: %s\n", file, measured.summary())
	if c.fewer > 0 {
		fmt.Fprintf(out, "%d allocate less often than the file says: --update holds them to it\n", c.fewer)
	}
	if len(c.faults) > 0 {
		return errors.New(strings.Join(c.faults, "\n") + "\nwhen that is meant: go run ./rulestests/allocations --update")
	}
	return nil
}
