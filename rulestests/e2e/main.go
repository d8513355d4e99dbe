// Command e2e runs the stories of rulestests/scenarios against the real stack: as a test (make e2e), or for somebody who wants to watch them
// (make demo).
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"

	"github.com/alecthomas/kingpin/v2"

	"tocsin/rulestests/scenarios"
	"tocsin/rulestests/stack"
)

func main() {
	app := kingpin.New("e2e", "The stories that Tocsin exists for, on a real control plane with real alerts.")
	options := options{}
	app.Flag("demo", "Leave the stack running, tell what happens and show the pages, until Ctrl-C.").BoolVar(&options.demo)
	app.Flag("run", "Only the scenarios whose name matches.").Default(".").RegexpVar(&options.only)
	app.Flag("snapshots", "Directory for what the API server held after each step, as --snapshot reads it.").StringVar(&options.snapshots)
	app.Flag("keep", "Directory for the logs of every component when something fails.").Default("e2e-logs").StringVar(&options.keep)
	app.Flag("jobs", "Scenarios that run at a time.").Default("40").IntVar(&options.jobs)
	kingpin.MustParse(app.Parse(os.Args[1:]))

	// Ctrl-C takes the stack down in order; a second one is not waited for.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	if err := run(ctx, options); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type options struct {
	demo            bool
	only            *regexp.Regexp
	snapshots, keep string
	jobs            int
}

// run starts the stack, runs the scenarios and takes everything down again, whatever happened.
func run(ctx context.Context, o options) (err error) {
	told := newTeller(os.Stdout)
	s, err := stack.Start(ctx, told)
	defer func() {
		keep := ""
		if err != nil && ctx.Err() == nil {
			keep = o.keep
			fmt.Fprintf(os.Stderr, "the logs of every component are in %s\n", keep)
		}
		if s != nil {
			err = errors.Join(err, s.Stop(keep))
		}
	}()
	if err != nil {
		return interrupted(ctx, err)
	}
	s.Pages.Watch(told.page)
	all := slices.DeleteFunc(scenarios.All(), func(sc scenarios.Scenario) bool { return !o.only.MatchString(sc.Name) })
	if len(all) == 0 {
		return fmt.Errorf("no scenario matches --run=%s", o.only)
	}
	if o.demo {
		return demo(ctx, s, all, told)
	}
	return interrupted(ctx, test(ctx, s, all, o, told))
}

// interrupted is err, unless somebody pressed Ctrl-C: what failed then failed for that.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}
