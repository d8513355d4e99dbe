// Package loopback runs servers on this machine's loopback, for the stack of the stories and for the bench alike: a command that ends with
// whoever started it, a free port for it to listen on, and what etcd and an API server need to trust each other and their clients.
//
// How a server is supervised, and how it is measured, is the business of those who start it.
package loopback

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Command says what to run.
type Command struct {
	// Name is what the command takes for its own name, and the name of its log.
	Name string
	// Dir is where the log is: Name.log. A command that is started again appends to it.
	Dir string
	// Path is the file to run.
	Path string
	Args []string
	// Env is added to the environment of whoever starts it.
	Env []string
}

// Process is a command that has been started.
type Process struct {
	// Name is the command's.
	Name string
	// PID is its number, also after its end.
	PID int

	log  string
	done chan struct{}
}

// Start runs the command, which dies with whoever called, and does not wait until it serves.
func (c Command) Start() (*Process, error) {
	p := &Process{Name: c.Name, log: filepath.Join(c.Dir, c.Name+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(c.Path, c.Args...)
	// Not the name of the file, which has a checksum in it: the controllers' name is written into managedFields, where Tocsin reads it.
	cmd.Args[0] = c.Name
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = ofItsOwn()
	err = cmd.Start()
	_ = log.Close() // the child has its own
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	p.PID = cmd.Process.Pid
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(p.done)
	}()
	return p, nil
}

// Stop asks the process to end, kills it when its patience is over, and returns when it is gone. There may be none.
func (p *Process) Stop(patience time.Duration) {
	if p.signal(syscall.SIGTERM) {
		select {
		case <-p.done:
		case <-time.After(patience):
			p.Kill()
		}
	}
}

// Kill ends the process as a crash would, and returns when it is gone. There may be none.
func (p *Process) Kill() {
	if p.signal(syscall.SIGKILL) {
		<-p.done
	}
}

// signal reaches the whole group of the process, for it may have children. It says whether there was anyone to reach: of a process that is
// gone, the number may be another's by now.
func (p *Process) signal(s syscall.Signal) bool {
	if p == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		_ = syscall.Kill(-p.PID, s)
		return true
	}
}

// Until calls check at the pace given until it gives nil. It gives up when the context or the process ends; the error then has what the
// process said last.
func (p *Process) Until(ctx context.Context, pace time.Duration, check func(context.Context) error) error {
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w; its log ends with: %s", p.Name, errors.Join(err, context.Cause(ctx)), p.tail())
		case <-p.done:
			return fmt.Errorf("%s has ended, its log ends with: %s", p.Name, p.tail())
		case <-time.After(pace):
		}
	}
}

// tail gives the last lines of the log.
func (p *Process) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
