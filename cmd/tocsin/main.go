// Command tocsin exports verdicts on the scheduled and stateful workloads of a Kubernetes cluster as Prometheus metrics.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // a scratch image knows no time zone
)

func main() { os.Exit(run(os.Args[1:])) }

// run does what the arguments say until SIGINT or SIGTERM, and gives the exit status.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return execute(ctx, args, os.Stdout, os.Stderr)
}

// execute is run with everything of the process passed in. What cannot be used, in the arguments or in what they name, is told in one
// line.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stdout)
	if err == nil {
		err = serve(ctx, c, stderr)
	}
	switch {
	case err == nil, errors.Is(err, errAnswered):
		return 0
	}
	fmt.Fprintln(stderr, "tocsin: error: "+oneLine(err.Error()))
	return 1
}

// oneLine folds the lines of an error's text into one.
func oneLine(text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), ":\n", ": ")
	text = strings.ReplaceAll(text, "\n", "; ")
	return strings.Join(strings.Fields(text), " ")
}
