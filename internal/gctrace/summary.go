package gctrace

import (
	"fmt"
	"slices"
	"time"
)

// A Summary is what the collector did in one run of a program. Times are
// nanoseconds in JSON, sizes bytes, which the runtime reports in whole MiB.
type Summary struct {
	Collections int         `json:"collections"`
	Forced      int         `json:"forced"` // by runtime.GC
	Pauses      Pauses      `json:"pauses"`
	CPU         CPU         `json:"gcCPU"`
	Heap        Heap        `json:"heap"`
	Allocation  *Allocation `json:"allocation"` // null without collections
	Warnings    []string    `json:"warnings"`
}

// Pauses are the pauses of the program, two per collection. Quantiles use the nearest
// rank, so they are values that occurred.
type Pauses struct {
	Count int           `json:"count"`
	P50   time.Duration `json:"p50"`
	P99   time.Duration `json:"p99"`
	Max   time.Duration `json:"max"`
	Total time.Duration `json:"total"`
}

// CPU is the CPU time of collections.
type CPU struct {
	Total      time.Duration `json:"total"` // without Idle
	Assist     time.Duration `json:"assist"`
	Background time.Duration `json:"background"`
	Stopped    time.Duration `json:"stopped"` // on processors that waited during a pause
	Idle       time.Duration `json:"idle"`    // on processors that were idle otherwise
	Share      float64       `json:"share"`   // Total as a fraction of the CPU time used
}

// Heap has sizes of the heap.
type Heap struct {
	GoalLast int64 `json:"goalLast"`
	GoalMax  int64 `json:"goalMax"`
	LiveLast int64 `json:"liveLast"`
	LiveMax  int64 `json:"liveMax"`
	Peak     int64 `json:"peak"` // at the end of a collection
}

// Allocation is how much was allocated. If the heap is small, the rates are rough.
type Allocation struct {
	Bytes   int64   `json:"bytes"`   // up to the last collection
	PerSec  float64 `json:"perSec"`  // average up to then
	Seconds float64 `json:"seconds"` // time up to then
}

// Summary returns the figures of the traces so far. used is the CPU time of the program,
// user and system.
func (f *Filter) Summary(used time.Duration) Summary {
	r := Summary{Collections: len(f.found), Warnings: []string{}}
	var stops []time.Duration
	var allocated, live int64
	restarts, last, missed := 0, 0, 0
	for _, t := range f.found {
		if t.Forced {
			r.Forced++
		}
		stops = append(stops, t.SweepTermination, t.MarkTermination)
		r.CPU.Total += t.cpuTime()
		r.CPU.Assist += t.Assist
		r.CPU.Background += t.Background
		r.CPU.Stopped += t.SweepTerminationCPU + t.MarkTerminationCPU
		r.CPU.Idle += t.Idle
		r.Heap.GoalLast, r.Heap.LiveLast = t.Goal, t.HeapLive
		r.Heap.GoalMax, r.Heap.LiveMax = max(r.Heap.GoalMax, t.Goal), max(r.Heap.LiveMax, t.HeapLive)
		r.Heap.Peak = max(r.Heap.Peak, t.HeapStart, t.HeapEnd)
		switch {
		case t.Number <= last:
			restarts++
			live = 0
		case t.Number > last+1:
			missed += t.Number - last - 1
			live = t.HeapStart // what was allocated meanwhile is not known
		}
		last = t.Number
		// HeapEnd is HeapStart plus what was allocated while marking. The next
		// collection begins with HeapLive, which includes that.
		allocated += max(0, t.HeapEnd-live)
		live = t.HeapLive
	}
	r.Pauses = pausesOf(stops)
	if used > 0 {
		r.CPU.Share = float64(r.CPU.Total) / float64(used)
	}
	if n := len(f.found); n > 0 && restarts == 0 {
		if at := f.found[n-1].At.Seconds(); at > 0 {
			r.Allocation = &Allocation{allocated, float64(allocated) / at, at}
		}
	}
	if restarts > 0 {
		r.Warnings = append(r.Warnings, "several processes reported collections, because the program starts other Go programs: counts and times are totals, and the allocation rate is unknown")
		missed = 0 // the numbers come from several processes
	}
	if missed = max(missed, f.torn()); missed > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d of the reports could not be read, because output of the program got in between; they are missing here", missed))
	}
	if len(f.found) == 0 {
		r.Warnings = append(r.Warnings, "no collection was reported: the heap stayed below the first goal (4 MiB, scaled by GOGC), the program disables GODEBUG, or it isn't a Go program")
	}
	return r
}

func pausesOf(stops []time.Duration) Pauses {
	p := Pauses{Count: len(stops)}
	if len(stops) == 0 {
		return p
	}
	sorted := slices.Sorted(slices.Values(stops))
	rank := func(percent int) time.Duration { return sorted[(len(sorted)*percent+99)/100-1] }
	p.P50, p.P99, p.Max = rank(50), rank(99), sorted[len(sorted)-1]
	for _, d := range stops {
		p.Total += d
	}
	return p
}
