package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tocsin/rulestests/loopback"
)

// process is a command that runs beside the bench and is measured through /proc.
type process struct{ *loopback.Process }

// launch starts a command that writes to a log in dir.
func launch(dir, name, bin string, args ...string) (*process, error) {
	p, err := loopback.Command{Name: name, Dir: dir, Path: bin, Args: args}.Start()
	if err != nil {
		return nil, err
	}
	return &process{p}, nil
}

// stop ends the process, which has ten seconds to do so by itself. There may be none.
func (p *process) stop() {
	if p != nil {
		p.Stop(10 * time.Second)
	}
}

// ticksPerSecond is USER_HZ, which Linux fixes at 100 for every platform that Go knows.
const ticksPerSecond = 100

// cpu gives how many seconds of processor time the process has used.
func (p *process) cpu() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return 0, err
	}
	// The name, in parentheses, may hold anything; utime and stime are the 12th and 13th field after it.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("%s: unknown format of /proc/PID/stat", p.Name)
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
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID))
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
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.PID))
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
			return 0, 0, fmt.Errorf("%s: unknown format of schedstat", p.Name)
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
