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

Tell where goroutines spent their time, running or not: what they waited for, and
where. SOURCE is an execution trace:

  trace.out                    a file, as go test -trace and runtime/trace write it
  host:port, http://...        a program that serves net/http/pprof; its trace is
                               recorded now
  RUN:Benchmark/trace          of a kept run: hone bench -profile trace
  RUN:Benchmark/wall           the wall-clock profile of one: hone bench -profile wall

Every other verb takes traces too, as profiles of wall-clock time, for example
hone flame trace.out; their samples have the label "state".

  -seconds N      how long a program is to record (5)
  -idle           keep goroutines that wait all the time
  -system         keep those of the runtime
  -agent          keep those of hone's agent
  -n N            how many places to print (15; 0: all)
  -o FILE         write the profile, for hone top, flame, diff, ui and go tool pprof
  -csv            the places as CSV
  -json           everything as JSON
  -timeout T      how long a program may stay silent (60s, or by -seconds)
  -tls_cert FILE, -tls_key FILE, -tls_ca FILE
                  client certificate, its key, and the authority to trust, for
                  https
  -max_bytes N    refuse a trace that is larger (1 GiB)

States are running; runnable: waiting for a processor; syscall; GC assist; and
waits by what for: sleep, chan receive, chan send, select, sync (a mutex, a
WaitGroup), network and so on, in the words of Go's runtime.

Examples:

  hone wall localhost:6060
  hone wall -o wall.pb.gz 'http://localhost:6060/debug/pprof/trace?seconds=10'
  hone flame -tagroot state -o wall.html trace.out
  hone bench -profile cpu,wall && hone ui latest
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
	flags.StringVar(&fetcher.TLSCert, "tls_cert", "", "")
	flags.StringVar(&fetcher.TLSKey, "tls_key", "", "")
	flags.StringVar(&fetcher.TLSCA, "tls_ca", "", "")
	rest, err := parseArgs(flags, args)
	if err != nil {
		return err
	}
	usage := func(text string) error { return &shell.UsageError{Verb: "wall", Err: errors.New(text)} }
	switch {
	case len(rest) == 0:
		return usage("missing trace: give a file, host:port or RUN:Benchmark/trace")
	case len(rest) > 1:
		return usage("one trace at a time: each has a duration of its own")
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
		fmt.Fprintf(&b, " of %s", counted(r.Goroutines, "goroutine"))
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
		fmt.Fprintf(&b, "%s more: -n 0\n", counted(more, "place"))
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
