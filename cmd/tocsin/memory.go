package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// What the heap may have beside what is in use. While the first lists are read nearly all that is allocated is waste, and Go's default,
// as much again as is in use, is right. Afterwards what is in use hardly changes: less room costs a few collections more in an hour of
// changes, and is what a node has to hold ready for good.
const (
	restingGC = 40 // percent, as GOGC
	tendEvery = time.Minute
	spareGoal = 0.25 // of what is in use, above which memory is given back
)

// tendMemory keeps the process near what it needs: it waits until all has been listed, then lowers what the heap may have beside what is in use, and
// gives back what a start or a burst of changes leaves behind, which Go does slowly and not all. It ends with the context. Where GOGC is set
// somebody has decided otherwise, and nothing is done.
func tendMemory(ctx context.Context, waiting func() string) {
	if os.Getenv("GOGC") != "" {
		return
	}
	settled := false
	for pace := time.Second; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pace):
		}
		switch {
		case settled:
			if spare() > spareGoal {
				debug.FreeOSMemory()
			}
		case waiting() == "":
			debug.SetGCPercent(restingGC)
			debug.FreeOSMemory()
			settled, pace = true, tendEvery
		}
	}
}

// spare gives what the heap holds and does not use, by what it uses: what the last collection left, and what has been allocated since.
func spare() float64 {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
	}
	metrics.Read(samples)
	live := float64(samples[0].Value.Uint64())
	if live == 0 {
		return 0
	}
	held := 0.0
	for _, s := range samples[1:] {
		held += float64(s.Value.Uint64())
	}
	return held/live - 1
}
