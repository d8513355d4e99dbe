package main

import (
	"context"
	"fmt"
	"sync"

	"tocsin/rulestests/scenarios"
	"tocsin/rulestests/stack"
)

// demo runs the scenarios and tells what happens and which pages arrive; the stack stays up until Ctrl-C, which is no error.
func demo(ctx context.Context, s *stack.Stack, all []scenarios.Scenario, told *teller) error {
	told.tell("stack", "Tocsin      "+s.Tocsin.URL()+"/metrics")
	told.tell("stack", "Prometheus  "+s.PrometheusURL()+"/alerts")
	told.tell("stack", "Alertmanager "+s.AlertmanagerURL())
	told.tell("stack", "kubectl --kubeconfig "+s.Kubeconfig("admin")+" get pods -A")
	told.tell("stack", fmt.Sprintf("waiting times are divided by %d; Ctrl-C ends it", stack.Speed))
	runner := &scenarios.Runner{Stack: s, Tell: told.tell}
	var group sync.WaitGroup
	for _, sc := range all {
		told.tell(sc.Name, sc.Story)
		if !sc.Alone {
			group.Go(func() { say(ctx, told, runner.Run(ctx, sc)) })
		}
	}
	group.Wait()
	for _, sc := range all {
		if sc.Alone && ctx.Err() == nil {
			say(ctx, told, runner.Run(ctx, sc))
		}
	}
	if ctx.Err() == nil {
		told.tell("stack", "every story is told; the stack stays up until Ctrl-C")
	}
	<-ctx.Done()
	return nil
}

func say(ctx context.Context, told *teller, r scenarios.Result) {
	switch {
	case ctx.Err() != nil:
	case r.Err != nil:
		told.tell(r.Scenario.Name, "went otherwise than told: "+r.Err.Error())
	default:
		told.tell(r.Scenario.Name, "the end")
	}
}
