package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a command that runs beside the bench and is measured through /proc.
type process struct {
	name string
	log  string
	cmd  *exec.Cmd
	done chan struct{}
}

// launch starts a command that writes to a log in dir, and dies with the bench.
func launch(dir, name, bin string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	p.cmd = exec.Command(bin, args...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = ofItsOwn()
	err = p.cmd.Start()
	_ = log.Close() // the child has its own
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is in its log
		close(p.done)
	}()
	return p, nil
}

// stop asks the process to end, kills it if it has not after ten seconds, and returns when it is gone.
func (p *process) stop() {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(10 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// until calls check at the pace given until it gives nil. It gives up when the context or the process ends.
func (p *process) until(ctx context.Context, pace time.Duration, check func(context.Context) error) error {
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%s: %w", p.name, err), context.Cause(ctx))
		case <-p.done:
			return fmt.Errorf("%s has ended, its log ends with: %s", p.name, tail(p.log))
		case <-time.After(pace):
		}
	}
}

// tail gives the last lines of a log.
func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], "\n")
}

// ticksPerSecond is USER_HZ, which Linux fixes at 100 for every platform that Go knows.
const ticksPerSecond = 100

// cpu gives how many seconds of processor time the process has used.
func (p *process) cpu() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The name, in parentheses, may hold anything; utime and stime are the 12th and 13th field after it.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("%s: unknown format of /proc/PID/stat", p.name)
	}
	ticks := 0
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return float64(ticks) / ticksPerSecond, nil
}

// memory gives the resident memory now and at its highest, in bytes.
func (p *process) memory() (now, peak float64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		n, _ := strconv.ParseFloat(fields[1], 64)
		switch fields[0] {
		case "VmRSS:":
			now = n * 1024
		case "VmHWM:":
			peak = n * 1024
		}
	}
	return now, peak, nil
}

// busy gives how many seconds the threads of the process have run, and how many they have waited for a processor.
func (p *process) busy() (ran, waited float64, err error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for _, t := range threads {
		text, err := os.ReadFile(t)
		if err != nil {
			continue // the thread has ended
		}
		fields := strings.Fields(string(text))
		if len(fields) < 2 {
			return 0, 0, fmt.Errorf("%s: unknown format of schedstat", p.name)
		}
		for i, to := range []*float64{&ran, &waited} {
			n, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return 0, 0, err
			}
			*to += n / 1e9
		}
	}
	return ran, waited, nil
}

// What a process does in a window of time when it has nothing to do. One that waits for a processor has something to do: on a busy machine
// it may seem idle.
const (
	window     = 3 * time.Second
	idleRun    = 0.06
	idleWait   = 0.5
	calmAtMost = 3 * time.Minute
)

// calm waits until the process has nothing to do, for some minutes at most.
func (p *process) calm(ctx context.Context, idleRun float64) error {
	for end := time.Now().Add(calmAtMost); time.Now().Before(end); {
		ran, waited, err := p.busy()
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(window):
		}
		ranNow, waitedNow, err := p.busy()
		if err != nil || ranNow-ran < idleRun && waitedNow-waited < idleWait {
			return err
		}
	}
	return nil
}
