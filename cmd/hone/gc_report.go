package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/gctrace"
	"github.com/hone-go/hone/internal/spawn"
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
	// With PeakRSSAtMost it is no more than that: see package spawn.
	PeakRSS       *int64 `json:"peakRSS"`
	PeakRSSAtMost bool   `json:"peakRSSAtMost,omitempty"`

	gctrace.Summary
}

// finish completes the report with the traces and what the system says.
// Its peak memory counts floor bytes at least, whether it had them or not.
func (r *gcReport) finish(state *os.ProcessState, floor int64, traces *gctrace.Filter) {
	r.ExitCode, r.User, r.System = state.ExitCode(), state.UserTime(), state.SystemTime()
	if peak, ok := spawn.PeakRSS(state); ok {
		r.PeakRSS, r.PeakRSSAtMost = &peak, peak <= floor
	}
	r.Summary = traces.Summary(r.User + r.System)
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
	what := compare.CommandLine(r.Command)
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
	fmt.Fprintf(b, "\n%s: %s%s\n", compare.Printable(what), shortTime(r.Wall), end)
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
		line("peak RSS", "unknown on this system")
	case r.PeakRSSAtMost:
		line("peak RSS", "at most %sB", benchunit.Scale(float64(*r.PeakRSS), benchunit.Binary))
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
