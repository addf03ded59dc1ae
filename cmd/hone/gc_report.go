package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"golang.org/x/perf/benchunit"
)

// A gcReport is what the collector did in one run of a program. Times are
// nanoseconds in JSON, sizes bytes.
type gcReport struct {
	Package     string        `json:"package,omitempty"` // of benchmarks
	Command     []string      `json:"command"`
	ExitCode    int           `json:"exitCode"` // -1 if a signal ended it
	Interrupted bool          `json:"interrupted,omitempty"`
	Wall        time.Duration `json:"wall"`
	User        time.Duration `json:"userCPU"`
	System      time.Duration `json:"systemCPU"`
	// PeakRSS is of the program and the processes it waited for; null if unknown.
	// With PeakRSSAtMost it is no more than that: see peakRSS.
	PeakRSS       *int64 `json:"peakRSS"`
	PeakRSSAtMost bool   `json:"peakRSSAtMost,omitempty"`

	Collections int       `json:"collections"`
	Forced      int       `json:"forced"` // by runtime.GC
	Pauses      gcPauses  `json:"pauses"`
	CPU         gcCPU     `json:"gcCPU"`
	Heap        gcHeap    `json:"heap"`
	Allocation  *gcAlloc  `json:"allocation"` // null without collections
	Warnings    []string  `json:"warnings"`
	traces      []gcTrace // as found
	torn        int
}

type gcPauses struct {
	Count int           `json:"count"`
	P50   time.Duration `json:"p50"`
	P99   time.Duration `json:"p99"`
	Max   time.Duration `json:"max"`
	Total time.Duration `json:"total"`
}

type gcCPU struct {
	Total      time.Duration `json:"total"` // without Idle
	Assist     time.Duration `json:"assist"`
	Background time.Duration `json:"background"`
	Stopped    time.Duration `json:"stopped"` // processors that a stop kept waiting
	Idle       time.Duration `json:"idle"`    // of processors with nothing else to do
	Share      float64       `json:"share"`   // Total as a fraction of the CPU time used
}

type gcHeap struct {
	GoalLast int64 `json:"goalLast"`
	GoalMax  int64 `json:"goalMax"`
	LiveLast int64 `json:"liveLast"`
	LiveMax  int64 `json:"liveMax"`
	Peak     int64 `json:"peak"` // at the end of a collection
}

type gcAlloc struct {
	Bytes   int64   `json:"bytes"`   // up to the last collection
	PerSec  float64 `json:"perSec"`  // on average until then
	Seconds float64 `json:"seconds"` // how long that was
}

// finish computes the report from the traces and what the system says.
func (r *gcReport) finish(state *os.ProcessState) {
	r.ExitCode, r.User, r.System = state.ExitCode(), state.UserTime(), state.SystemTime()
	if peak, atMost, ok := peakRSS(state); ok {
		r.PeakRSS, r.PeakRSSAtMost = &peak, atMost
	}
	r.summarize()
}

func (r *gcReport) summarize() {
	r.Warnings = []string{}
	r.Collections = len(r.traces)
	var stops []time.Duration
	var allocated, live int64
	restarts, last, missed := 0, 0, 0
	for _, t := range r.traces {
		if t.Forced {
			r.Forced++
		}
		stops = append(stops, t.SweepTermination, t.MarkTermination)
		r.CPU.Total += t.CPU()
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
		// HeapEnd is HeapStart and what was allocated while marking; the next one
		// begins with HeapLive, in which that counts as live.
		allocated += max(0, t.HeapEnd-live)
		live = t.HeapLive
	}
	r.Pauses = pausesOf(stops)
	if used := r.User + r.System; used > 0 {
		r.CPU.Share = float64(r.CPU.Total) / float64(used)
	}
	if n := len(r.traces); n > 0 && restarts == 0 {
		if at := r.traces[n-1].At.Seconds(); at > 0 {
			r.Allocation = &gcAlloc{allocated, float64(allocated) / at, at}
		}
	}
	if restarts > 0 {
		r.Warnings = append(r.Warnings, "several processes reported collections, as the program starts other Go programs: counts and times are of all, and the allocation rate is not known")
	} else if missed = max(missed, r.torn); missed > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d of the reports could not be read, as the program wrote in between, and are missing here", missed))
	}
	if len(r.traces) == 0 {
		r.Warnings = append(r.Warnings, "no collection was reported: the program's heap stayed below the first goal (4 MiB, or as GOGC says), it turns GODEBUG off, or it is no Go program")
	}
}

// pausesOf returns quantiles by the nearest rank: values that did occur.
func pausesOf(stops []time.Duration) gcPauses {
	p := gcPauses{Count: len(stops)}
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

func writeGCText(w io.Writer, all []*gcReport) error {
	var b bytes.Buffer
	for _, r := range all {
		r.writeText(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (r *gcReport) writeText(b *bytes.Buffer) {
	what := commandLine(r.Command)
	if r.Package != "" {
		what = "benchmarks of " + r.Package
	}
	end := ""
	switch {
	case r.Interrupted:
		end = ", interrupted"
	case r.ExitCode != 0:
		end = fmt.Sprintf(", exit code %d", r.ExitCode)
	}
	fmt.Fprintf(b, "\n%s: %s%s\n", oneWord(what), shortTime(r.Wall), end)
	var text bytes.Buffer
	tw := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(tw, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	forced := ""
	if r.Forced > 0 {
		forced = fmt.Sprintf(", %d of them by runtime.GC", r.Forced)
	}
	rate := 0.0
	if s := r.Wall.Seconds(); s > 0 {
		rate = float64(r.Collections) / s
	}
	if r.Collections > 0 {
		line("collections", "%d, %.3g/s%s", r.Collections, rate, forced)
		line("pauses", "p50 %s  p99 %s  max %s  (%d stops, %s in all)", shortTime(r.Pauses.P50), shortTime(r.Pauses.P99), shortTime(r.Pauses.Max), r.Pauses.Count, shortTime(r.Pauses.Total))
		idle := ""
		if r.CPU.Idle > 0 {
			idle = fmt.Sprintf("; and %s on idle processors", shortTime(r.CPU.Idle))
		}
		line("GC CPU", "%.1f%% of the CPU time used: %s background, %s assists, %s stopped%s", 100*r.CPU.Share,
			shortTime(r.CPU.Background), shortTime(r.CPU.Assist), shortTime(r.CPU.Stopped), idle)
		line("heap goal", "%s at the end, at most %s", mebibytes(r.Heap.GoalLast), mebibytes(r.Heap.GoalMax))
		line("live heap", "%s at the end, at most %s", mebibytes(r.Heap.LiveLast), mebibytes(r.Heap.LiveMax))
		line("heap", "at most %s", mebibytes(r.Heap.Peak))
		if r.Allocation != nil {
			line("allocated", "about %sB, %sB/s until the last collection", benchunit.Scale(float64(r.Allocation.Bytes), benchunit.Binary),
				benchunit.Scale(r.Allocation.PerSec, benchunit.Binary))
		}
	} else {
		line("collections", "0")
	}
	switch {
	case r.PeakRSS == nil:
		line("peak RSS", "not known on this system")
	case r.PeakRSSAtMost:
		line("peak RSS", "at most %sB, which is hone's own", benchunit.Scale(float64(*r.PeakRSS), benchunit.Binary))
	default:
		line("peak RSS", "%sB", benchunit.Scale(float64(*r.PeakRSS), benchunit.Binary))
	}
	line("CPU", "%s user, %s system", shortTime(r.User), shortTime(r.System))
	tw.Flush()
	writeTrimmed(b, text.String())
	for _, warning := range r.Warnings {
		fmt.Fprintf(b, "(%s)\n", warning)
	}
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// shortTime prints three digits: 1.23ms.
func shortTime(d time.Duration) string {
	for unit := time.Duration(1); unit < time.Hour; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
	return d.Round(time.Second).String()
}
