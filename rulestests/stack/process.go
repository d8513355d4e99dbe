package stack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Process is one component of the stack: a command that can be killed and started again with the same arguments, on the same port.
type Process struct {
	Name string
	// Log is the file that it writes to; a restart appends.
	Log string

	bin  string
	args []string
	env  []string
	cmd  *exec.Cmd
	done chan struct{}
	// ready says nil once the component serves.
	ready func(context.Context) error
}

// newProcess describes a component and starts nothing.
func newProcess(dir, name, bin string, env, args []string, ready func(context.Context) error) *Process {
	return &Process{Name: name, Log: filepath.Join(dir, name+".log"), bin: bin, args: args, env: env, ready: ready}
}

// Start runs the command and waits until it is ready. The error ends with what the component said last.
func (p *Process) Start(ctx context.Context) error {
	log, err := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	cmd := exec.Command(p.bin, p.args...)
	// Not the name of the file, which has a checksum in it: the controllers' name is written into managedFields, where Tocsin reads it.
	cmd.Args[0] = p.Name
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = ofItsOwn()
	err = cmd.Start()
	_ = log.Close() // the child has its own
	if err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(done)
	}()
	p.cmd, p.done = cmd, done
	return p.Ready(ctx)
}

// Ready waits until the component serves, for a minute at most; it gives up at once when the process has ended.
func (p *Process) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	go func() {
		select {
		case <-p.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	if err := until(ctx, p.ready); err != nil {
		return fmt.Errorf("%s is not ready: %w; it said last: %s", p.Name, err, tail(p.Log))
	}
	return nil
}

// Stop asks the process to end, and kills it if it has not after five seconds. It returns when the process is gone.
func (p *Process) Stop() { p.end(syscall.SIGTERM) }

// Kill ends the process as a crash would.
func (p *Process) Kill() { p.end(syscall.SIGKILL) }

func (p *Process) end(signal syscall.Signal) {
	if p.cmd == nil {
		return
	}
	// Its whole group: a component may have children.
	_ = syscall.Kill(-p.cmd.Process.Pid, signal)
	select {
	case <-p.done:
	case <-time.After(5 * time.Second):
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.done
	}
	p.cmd = nil
}

// until calls check every tenth of a second until it gives nil or ctx ends; the error is then the last one of check.
func until(ctx context.Context, check func(context.Context) error) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// tail is the last lines of a log, for an error.
func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-5):], []byte("\n")))
}
