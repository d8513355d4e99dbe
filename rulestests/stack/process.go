package stack

import (
	"context"
	"time"

	"tocsin/rulestests/loopback"
)

// Process is one component of the stack: a command that can be killed and started again with the same arguments, on the same port.
type Process struct {
	command loopback.Command
	running *loopback.Process
	// ready says nil once the component serves.
	ready func(context.Context) error
}

// Start runs the command and waits until it serves, for a minute at most. The error ends with what the component said last.
func (p *Process) Start(ctx context.Context) error {
	var err error
	if p.running, err = p.command.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return p.running.Until(ctx, 100*time.Millisecond, p.ready)
}

// Stop asks the process to end, and kills it if it has not after five seconds. It returns when the process is gone.
func (p *Process) Stop() { p.running.Stop(5 * time.Second) }

// Kill ends the process as a crash would.
func (p *Process) Kill() { p.running.Kill() }
