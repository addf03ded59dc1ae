package main

import (
	"bufio"
	"bytes"
	"cmp"
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
	maxBytes := flags.Int64("max_bytes", 1<<30, "")
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
		return usage("no trace to look at: a file, host:port, or RUN:Benchmark/trace")
	case len(rest) > 1:
		return usage("one trace at a time: each has a duration of its own")
	case *seconds < 0, *n < 0, *timeout < 0, *maxBytes < 0:
		return usage("-seconds, -n, -timeout and -max_bytes can't be below 0")
	case *asCSV && *asJSON:
		return usage("-csv and -json exclude each other")
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
	p, stats, err := readWall(ctx, fetcher, source, o)
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
	r, err := newWallReport(p, stats)
	if err != nil {
		return fmt.Errorf("%s: %w", rest[0], err)
	}
	switch {
	case *asJSON:
		return writeJSON(a.stdout, r)
	case *asCSV:
		return r.writeCSV(a.stdout)
	}
	return r.writeText(a.stdout, *n)
}

// asksSeconds reports whether a URL says how long to record.
func asksSeconds(source string) bool {
	_, query, ok := strings.Cut(source, "?")
	if !ok {
		return false
	}
	values, err := url.ParseQuery(query)
	return err == nil && values.Has("seconds")
}

// readWall reads a trace, or a profile that was made of one. Of the latter there
// are no stats.
func readWall(ctx context.Context, f *capture.Fetcher, source string, o trace.Options) (*profile.Profile, *trace.Stats, error) {
	src, err := f.Open(ctx, source)
	if err != nil {
		return nil, nil, err
	}
	defer src.Reader.Close()
	in := bufio.NewReaderSize(sourceReader{src.Reader}, 64<<10)
	head, err := in.Peek(trace.HeaderSize)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	name := func(err error) error {
		if errors.As(err, new(sourceError)) {
			return err // which names the source
		}
		return fmt.Errorf("%s: %w", src.Name, err)
	}
	if !trace.Is(head) {
		plain, err := profile.Decompress(in)
		if err != nil {
			return nil, nil, name(err)
		}
		if f.MaxBytes > 0 {
			plain = io.LimitReader(plain, f.MaxBytes)
		}
		in = bufio.NewReaderSize(plain, 64<<10)
		if head, err = in.Peek(trace.HeaderSize); err != nil && err != io.EOF {
			return nil, nil, name(err)
		}
	}
	if trace.Is(head) {
		p, stats, err := trace.Wall(in, o)
		if err != nil {
			return nil, nil, name(err)
		}
		return p, &stats, nil
	}
	p, err := profile.Decode(in, profile.Limits{Bytes: f.MaxBytes, TextBytes: f.MaxBytes, Memory: machineMemory() / 2})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: neither an execution trace nor a profile: %w", src.Name, err)
	}
	return p, nil, nil
}

// A sourceReader tells errors of reading a source from those of what it holds.
type sourceReader struct{ io.Reader }

func (r sourceReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = sourceError{err}
	}
	return n, err
}

type sourceError struct{ error }

func (e sourceError) Unwrap() error { return e.error }

// A wallReport is where goroutines spent their time. Times are in nanoseconds.
type wallReport struct {
	Duration   int64        `json:"duration"`             // of the trace
	Goroutines int          `json:"goroutines,omitempty"` // unknown, like the rest, of profiles
	LeftOut    *leftOut     `json:"leftOut,omitempty"`
	Total      int64        `json:"total"` // of all goroutines
	States     []stateTime  `json:"states"`
	Places     []*placeTime `json:"places"`
}

type leftOut struct {
	Idle   int `json:"idle"`
	System int `json:"system"`
	Agent  int `json:"agent"`
}

type stateTime struct {
	State     string `json:"state"`
	Time      int64  `json:"time"`
	Intervals int64  `json:"intervals"`
}

// A placeTime is a function of the program, or of a module it uses, and the
// function in which it then was.
type placeTime struct {
	stateTime
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	In       string `json:"in,omitempty"` // "" if that is Function
}

var errNoWall = errors.New("not a profile of wall-clock time: it has no sample type wall")

func newWallReport(p *profile.Profile, stats *trace.Stats) (*wallReport, error) {
	if !hasType(p, "wall") {
		return nil, errNoWall
	}
	wall, err := p.SampleIndex("wall")
	if err != nil {
		return nil, err
	}
	count := -1
	if hasType(p, "intervals") {
		if count, err = p.SampleIndex("intervals"); err != nil {
			return nil, err
		}
	}
	r := &wallReport{Duration: p.DurationNanos, States: []stateTime{}, Places: []*placeTime{}}
	if stats != nil {
		r.Goroutines, r.LeftOut = stats.Goroutines, &leftOut{stats.Idle, stats.System, stats.Agent}
	}
	table, err := profile.NewFrameTable("functions", false)
	if err != nil {
		return nil, err
	}
	frames := table.Add(p)
	type key struct {
		state     string
		where, in uint32
	}
	places := make(map[key]*placeTime)
	states := make(map[string]*stateTime)
	for s := range p.NumSamples() {
		state := ""
		for _, l := range p.SampleLabelSet(s) {
			if p.Strings[l.Key] == trace.StateLabel && !l.Numeric {
				state = p.Strings[l.Str]
			}
		}
		value, n := p.Values[wall][s], int64(0)
		if count >= 0 {
			n = p.Values[count][s]
		}
		k := key{state: state}
		k.where, k.in = whereabouts(p, s, table, frames)
		at := places[k]
		if at == nil {
			where := table.Frame(k.where)
			at = &placeTime{stateTime: stateTime{State: state}, Function: where.Name, File: where.File}
			if k.in != k.where {
				at.In = table.Frame(k.in).Name
			}
			places[k] = at
			r.Places = append(r.Places, at)
		}
		if states[state] == nil {
			states[state] = &stateTime{State: state}
		}
		for _, t := range []*stateTime{states[state], &at.stateTime} {
			t.Time += value
			t.Intervals += n
		}
		r.Total += value
	}
	for _, t := range states {
		r.States = append(r.States, *t)
	}
	slices.SortFunc(r.States, func(a, b stateTime) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.State, b.State))
	})
	slices.SortFunc(r.Places, func(a, b *placeTime) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.State, b.State), cmp.Compare(a.Function, b.Function), cmp.Compare(a.In, b.In))
	})
	return r, nil
}

// whereabouts returns the innermost frame that is not of Go's library, if there
// is one, and the innermost frame.
func whereabouts(p *profile.Profile, s int, table *profile.FrameTable, frames *profile.FrameMap) (where, in uint32) {
	first := true
	for _, l := range p.Stack(s) {
		for _, ref := range frames.At(l) {
			i := ref.Index()
			if first {
				where, in, first = i, i, false
			}
			f := table.Frame(i)
			if o := f.Origin(); o != profile.OriginRuntime && o != profile.OriginStandard {
				return i, in
			}
		}
	}
	return where, in
}

func (r *wallReport) writeText(w io.Writer, n int) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s in %s", readable(r.Total), readable(r.Duration))
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
	row := func(t stateTime, more ...string) []string {
		mean := "-"
		if t.Intervals > 0 {
			mean = readable(t.Time / t.Intervals)
		}
		return append([]string{readable(t.Time), share(t.Time), strconv.FormatInt(t.Intervals, 10), mean}, more...)
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
		rows = append(rows, row(p.stateTime, fmt.Sprintf("%-*s", width, compare.Printable(p.State)), where))
	}
	table(rows, 4)
	if more := len(r.Places) - len(shown); more > 0 {
		fmt.Fprintf(&b, "%s more: -n 0\n", counted(more, "place"))
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (r *wallReport) writeCSV(w io.Writer) error {
	rows := [][]string{{"state", "function", "file", "in", "nanoseconds", "intervals"}}
	for _, p := range r.Places {
		rows = append(rows, []string{p.State, p.Function, p.File, p.In, strconv.FormatInt(p.Time, 10), strconv.FormatInt(p.Intervals, 10)})
	}
	return report.WriteCSV(w, slices.Values(rows))
}
