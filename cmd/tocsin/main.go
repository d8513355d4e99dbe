// Command tocsin exports verdicts on the scheduled and stateful workloads of a Kubernetes cluster as Prometheus metrics.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // a scratch image knows no time zone

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

func main() {
	silence()
	os.Exit(run(os.Args[1:]))
}

// silence has client-go keep to itself what it repeats at each retry; the sources tell it once. It is for the whole process.
func silence() { klog.SetLogger(logr.Discard()) }

// run does what the arguments say until SIGINT or SIGTERM, and gives the exit status.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return execute(ctx, args, os.Stdout, os.Stderr)
}

// errStopped ends a command that is told to stop before it serves.
var errStopped = errors.New("stopped")

// execute is run with everything of the process passed in. What cannot be used, in the arguments or in what they name, is told in one
// line.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := unlessStopped(ctx, func() (*config, error) { return parse(args, stdout) })
	if err == nil {
		err = serve(ctx, c, stderr)
	}
	switch {
	case err == nil, errors.Is(err, errAnswered):
		return 0
	case errors.Is(err, errStopped):
		fmt.Fprintln(stderr, "tocsin: stopped before all files were read")
		return 0
	}
	fmt.Fprintln(stderr, "tocsin: error: "+oneLine(err.Error()))
	return 1
}

// unlessStopped gives what read gives, and errStopped when the context ends first: a file may be a pipe that nobody writes to, or its
// disk slow, and reading it cannot be broken off.
func unlessStopped[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, errStopped
	}
}
