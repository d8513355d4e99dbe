package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"tocsin/rulestests/stack"
)

// teller writes lines with the time of day, from several goroutines.
type teller struct {
	mu  sync.Mutex
	out io.Writer
}

func newTeller(out io.Writer) *teller { return &teller{out: out} }

// tell writes one line about a scenario.
func (t *teller) tell(scenario, line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = fmt.Fprintf(t.out, "%s  %-22s %s\n", time.Now().Format(time.TimeOnly), scenario, line)
}

// page shows one page as it arrives: what a pager would show, and the next command to type.
func (t *teller) page(p stack.Page) {
	about := cmp.Or(p.Labels["namespace"], p.Labels["claim_namespace"], p.Labels["cluster"], p.Labels["node"], p.Labels["persistentvolume"])
	if p.Status == "resolved" {
		t.tell(about, "resolved: "+p.Labels["alertname"]+": "+p.Annotations["summary"])
		return
	}
	t.tell(about, fmt.Sprintf("PAGED, %s, to the %s: %s: %s", p.Labels["severity"], p.Receiver, p.Labels["alertname"], p.Annotations["summary"]))
	if _, next, ok := strings.Cut(p.Annotations["description"], "Next: "); ok {
		t.tell(about, "  next: "+next)
	}
}

// Write makes it the progress of a stack that starts.
func (t *teller) Write(text []byte) (int, error) {
	t.tell("stack", strings.TrimSpace(string(text)))
	return len(text), nil
}
