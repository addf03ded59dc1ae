package main

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"

	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/gctrace"
)

func writeGCText(w io.Writer, all []*gctrace.Report) error {
	var b bytes.Buffer
	for _, r := range all {
		writeGCRun(&b, r)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeGCRun(b *bytes.Buffer, r *gctrace.Report) {
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
