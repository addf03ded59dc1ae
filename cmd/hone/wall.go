package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/trace"
	"github.com/hone-go/hone/profile"
)

const wallHelp = `usage: hone wall [flags] SOURCE

Show what goroutines spent their time on, and what they waited for, from a trace.

Examples:

  hone wall localhost:6060
  hone wall trace.out
  hone bench -profile cpu,wall && hone ui latest

Sources:

  trace.out                    a file written by go test -trace or runtime/trace
  host:port, http://...        a program with net/http/pprof; hone records a trace
  RUN:Benchmark/trace          the trace of a run: hone bench -profile trace
  RUN:Benchmark/wall           the wall-clock profile of a run: hone bench -profile wall

Flags:

  -seconds N      how long to record (5)
  -timeout T      how long to wait for the program to answer (60s, or longer with
                  -seconds)
  -idle           include goroutines that only wait
  -system         include goroutines of the runtime
  -agent          include goroutines of hone's agent
  -n N            number of places to print (15; 0: all)
  -o FILE         write the profile, for hone top, flame, diff, ui and go tool pprof
  -csv            print the places as CSV
  -json           print everything as JSON
  -max-bytes N    refuse larger traces (1 GiB)
  -tls_cert FILE, -tls_key FILE, -tls_ca FILE
                  client certificate, its key, and the authority to trust, for https

Exit codes: 0 success, 1 failure, 2 wrong usage.

The states are: running, runnable (waiting for a processor), syscall, GC assist, and
waiting, named by its cause in the runtime's words: sleep, chan receive, chan send,
select, sync (a mutex or WaitGroup), network and so on.

Other verbs read traces as wall-clock profiles too, such as hone flame trace.out. Their
samples have the label "state": hone flame -tagroot state -o wall.html trace.out
`

func runWall(ctx context.Context, a *app, args []string) error {
	flags := newFlags("wall")
	seconds := flags.Int("seconds", 0, "")
	var o trace.Options
	flags.BoolVar(&o.Idle, "idle", false, "")
	flags.BoolVar(&o.System, "system", false, "")
	flags.BoolVar(&o.Agent, "agent", false, "")
	n := flags.Int("n", 15, "")
	output := flags.String("o", "", "")
	asCSV := flags.Bool("csv", false, "")
	asJSON := flags.Bool("json", false, "")
	timeout := flags.Duration("timeout", 0, "")
	maxBytes := flags.Int64("max-bytes", 1<<30, "")
	fetcher := &capture.Fetcher{DefaultPath: "/debug/pprof/trace", Progress: a.stderr, Stdin: a.stdin}
	tlsFlags(flags, fetcher)
	rest, err := parseArgs(flags, args)
	if err != nil {
		return err
	}
	usage := func(text string) error { return &shell.UsageError{Verb: "wall", Err: errors.New(text)} }
	switch {
	case len(rest) == 0:
		return usage("missing trace: give a file, host:port or RUN:Benchmark/trace")
	case len(rest) > 1:
		return usage(fmt.Sprintf("want one trace, found %d: traces can't be merged", len(rest)))
	case *seconds < 0, *n < 0, *timeout < 0, *maxBytes < 0:
		return usage("-seconds, -n, -timeout and -max-bytes must be at least 0")
	case *asCSV && *asJSON:
		return usage("-csv and -json can't be combined: use one of them")
	}
	files, err := runFiles(ctx, a, rest)
	if err != nil {
		return err
	}
	source := files[0]
	fetcher.Seconds, fetcher.Timeout, fetcher.MaxBytes = *seconds, *timeout, *maxBytes
	if *seconds == 0 && !asksSeconds(source) {
		fetcher.Seconds = 5
	}
	p, stats, err := fetcher.Wall(ctx, source, o, profile.Limits{Bytes: *maxBytes, TextBytes: *maxBytes, Memory: machineMemory() / 2})
	if err != nil {
		return err
	}
	if *output != "" {
		out := &shell.Outlet{Out: a.stdout, Err: a.stderr, Getenv: a.getenv}
		defer out.Close()
		if err := out.Deliver(ctx, "", *output, func(_ context.Context, w io.Writer) error { return p.Encode(w) }); err != nil {
			return err
		}
	}
	r, err := trace.Spend(p, stats)
	if err != nil {
		return fmt.Errorf("%s: %w", rest[0], err)
	}
	switch {
	case *asJSON:
		return writeJSON(a.stdout, r)
	case *asCSV:
		return writeSpentCSV(a.stdout, r)
	}
	return writeSpent(a.stdout, r, *n)
}

// asksSeconds reports whether a URL sets the duration of the trace.
func asksSeconds(source string) bool {
	_, query, ok := strings.Cut(source, "?")
	if !ok {
		return false
	}
	values, err := url.ParseQuery(query)
	return err == nil && values.Has("seconds")
}

// writeSpent prints states and n places; 0 means all places.
func writeSpent(w io.Writer, r *trace.Spent, n int) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s in %s", formatNanos(r.Total), formatNanos(r.Duration))
	if r.LeftOut != nil {
		fmt.Fprintf(&b, " of %s", compare.Counted(r.Goroutines, "goroutine"))
		var out []string
		if r.LeftOut.Idle > 0 {
			out = append(out, fmt.Sprintf("%d that only waited", r.LeftOut.Idle))
		}
		if r.LeftOut.System > 0 {
			out = append(out, fmt.Sprintf("%d of the runtime", r.LeftOut.System))
		}
		if r.LeftOut.Agent > 0 {
			out = append(out, fmt.Sprintf("%d of hone's agent (-agent)", r.LeftOut.Agent))
		}
		if len(out) > 0 {
			fmt.Fprintf(&b, "; left out: %s", strings.Join(out, ", "))
		}
	}
	b.WriteString("\n\n")
	share := func(t int64) string { return fmt.Sprintf("%.2f%%", 100*float64(t)/float64(max(1, r.Total))) }
	table := func(rows [][]string, last int) {
		var text bytes.Buffer
		t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, cells := range rows {
			fmt.Fprintf(t, "%s\t  %s\n", strings.Join(cells[:last], "\t"), strings.Join(cells[last:], "  "))
		}
		t.Flush()
		writeTrimmed(&b, text.String())
	}
	rows := [][]string{{"time", "share", "times", "mean", "state"}}
	row := func(t trace.StateTime, more ...string) []string {
		mean := "-"
		if t.Intervals > 0 {
			mean = formatNanos(t.Time / t.Intervals)
		}
		return append([]string{formatNanos(t.Time), share(t.Time), strconv.FormatInt(t.Intervals, 10), mean}, more...)
	}
	width := 0
	for _, t := range r.States {
		rows = append(rows, row(t, compare.Printable(t.State)))
		width = max(width, len(compare.Printable(t.State)))
	}
	table(rows, 4)
	b.WriteString("\n")
	rows = [][]string{{"time", "share", "times", "mean", fmt.Sprintf("%-*s", width, "state"), "where"}}
	shown := r.Places
	if n > 0 {
		shown = shown[:min(n, len(shown))]
	}
	for _, p := range shown {
		where := compare.Printable(p.Function)
		if p.In != "" {
			where += " in " + compare.Printable(p.In)
		}
		rows = append(rows, row(p.StateTime, fmt.Sprintf("%-*s", width, compare.Printable(p.State)), where))
	}
	table(rows, 4)
	if more := len(r.Places) - len(shown); more > 0 {
		fmt.Fprintf(&b, "%s more: -n 0\n", compare.Counted(more, "place"))
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeSpentCSV(w io.Writer, r *trace.Spent) error {
	rows := [][]string{{"state", "function", "file", "in", "nanoseconds", "intervals"}}
	for _, p := range r.Places {
		rows = append(rows, []string{p.State, p.Function, p.File, p.In, strconv.FormatInt(p.Time, 10), strconv.FormatInt(p.Intervals, 10)})
	}
	return report.WriteCSV(w, slices.Values(rows))
}
