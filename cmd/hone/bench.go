package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/shell"
)

const benchHelp = `usage: hone bench [flags] [packages] [-args ...]
       hone bench -against REF [flags] [packages] [-args ...]
       hone bench -new FUNC [package]

Measure benchmarks, one process per sample; then profile each of them in
processes of its own, one kind at a time. Numbers and profiles are kept as
a run, which other verbs know by its name: see hone help runs.

With -against, compare with another revision of the repository: a branch, a tag,
a commit, HEAD~; or HEAD, for what is not committed yet. Both sides are built
with the same Go and run the same number of iterations, in turn and in random
order. What changed is measured a second time, and profiled on both sides to
tell which functions moved it. The exit code is 3 if something got worse beyond
its budget in hone.toml (where that has none: 2 % of a time, 0 of the rest), and the second
measurement agreed. The repository is only read: it needs no clean-up.

As in go test:

  -bench RE       benchmarks to measure (all)
  -run RE         tests that have to pass first (none)
  -count N        samples of each benchmark, and side (10; with -against 20
                  where 10 decide nothing)
  -benchtime T    time of a sample, 1s, or iterations, 100x (500ms);
                  with -against in processes of 100ms
  -cpu LIST       values of GOMAXPROCS to measure with
  -timeout T      for one process (10m)
  -vet LIST       checks that what is built has to pass: those of go test by
                  default; off or all
  -tags LIST, -race, -msan, -asan, -gcflags, -ldflags, -asmflags, -mod, -modfile,
  -overlay, -pgo, -p, -short, -args
  -benchmem       nothing: allocations are always measured

Of hone:

  -against REF    compare with this revision
  -new FUNC       write the skeleton of a benchmark of this function or method, Type.Method,
                  into a new test file of its package; measure nothing
  -for TIME       with -against, in place of -count: measure so long, once all is
                  built. What is decided soon gets few samples, the rest up to 80
                  a side. Where the time is short, samples are shorter, down to
                  50ms; then some benchmarks are not measured, and named
  -profile LIST   kinds of profiles: cpu, mem, mutex, block, goroutineleak, wall,
                  trace (cpu,mem), or none; wall is time spent, running or
                  waiting; goroutineleak, goroutines left behind that can never
                  go on, takes Go 1.27. With -against profiles are of what
                  changed, or of all benchmarks if this flag is given
  -profiletime T  time of a profile (2s)
  -precheck N     pairs of the base with itself, to know the noise (6; 0: none)
  -tests head|base|each
                  with -against, whose benchmarks both sides run where test files or
                  testdata differ: those of the working tree (head), of REF (base),
                  each its own; what doesn't build so is tried the other way (head)
  -measure-unchanged
                  with -against, also measure, as they are now, benchmarks that run
                  nothing that changed; done where hone.toml has bounds
  -layouts auto|all|none
                  with -against, link both sides anew for each pair of samples, with the
                  functions in another order, since where they lie moves times by a
                  percent or two: where it takes no longer than measuring, always, never
  -wait TIME      wait so long in all while others leave no core to measure on (1m, but
                  a fifth of the time expected at most; 0: don't; Linux)
  -pin LIST       run benchmarks on these CPUs: 1 or 0,2-3 (Linux)
  -o DIR          keep the run below DIR (.hone/runs of this module)
  -v              print everything, also what did not change, and benchstat's tables
  -json           print everything as JSON

Examples:

  hone bench
  hone bench -bench Parse -count 6 ./...
  hone bench -new Parse ./json
  hone bench -against HEAD ./json
  hone bench -against main -benchtime 1s -pin 1 ./...
  hone bench -against main -for 3m ./...
  hone bench -against main -tests base ./json
  hone bench -profile cpu,wall -bench Queue
`

// testNames are what -tests takes, by bench.TestFiles.
var testNames = []string{"head", "base", "each"}

// layoutNames are what -layouts takes, by bench.Layouts.
var layoutNames = []string{"auto", "all", "none"}

// benchFlags are the flags of hone bench.
type benchFlags struct {
	bench.Bench
	against  string
	function string // to write a benchmark of
	profile  string
	cpu, pin string
	layouts  string
	tests    string
	json     bool
	verbose  bool
	fs       *flag.FlagSet
}

func newBenchFlags() *benchFlags {
	f := &benchFlags{fs: newFlags("bench")}
	fs := f.fs
	fs.StringVar(&f.Pattern, "bench", ".", "")
	fs.StringVar(&f.Tests, "run", "", "")
	fs.IntVar(&f.Count, "count", 0, "")
	fs.Func("benchtime", "", func(s string) (err error) { f.Benchtime, err = parseBenchTime(s); return err })
	fs.StringVar(&f.cpu, "cpu", "", "")
	fs.DurationVar(&f.Timeout, "timeout", 0, "")
	fs.Bool("benchmem", true, "")
	fs.BoolFunc("short", "", func(string) error { f.Args = append(f.Args, "-test.short"); return nil })
	buildFlags(fs, &f.BuildFlags, "vet", "tags", "gcflags", "ldflags", "asmflags", "mod", "modfile", "overlay", "pgo", "p")
	for _, name := range []string{"race", "msan", "asan"} {
		fs.BoolFunc(name, "", func(v string) error { f.BuildFlags = append(f.BuildFlags, "-"+name+"="+v); return nil })
	}
	fs.StringVar(&f.against, "against", "", "")
	fs.StringVar(&f.function, "new", "", "")
	fs.DurationVar(&f.For, "for", 0, "")
	fs.DurationVar(&f.Wait, "wait", 0, "")
	fs.StringVar(&f.profile, "profile", "cpu,mem", "")
	fs.DurationVar(&f.ProfileTime, "profiletime", 0, "")
	fs.IntVar(&f.PreCheck, "precheck", bench.DefaultPreCheck, "")
	fs.StringVar(&f.tests, "tests", "head", "")
	fs.StringVar(&f.layouts, "layouts", "auto", "")
	fs.StringVar(&f.pin, "pin", "", "")
	fs.BoolVar(&f.MeasureUnchanged, "measure-unchanged", false, "")
	fs.StringVar(&f.Store, "o", "", "")
	fs.BoolVar(&f.json, "json", false, "")
	fs.BoolVar(&f.verbose, "v", false, "")
	return f
}

func (f *benchFlags) parse(args []string) (err error) {
	f.Command = append([]string{"hone", "bench"}, args...)
	var last []string
	if i := slices.IndexFunc(args, func(a string) bool { return a == "-args" || a == "--args" }); i >= 0 {
		args, last = args[:i], args[i+1:]
	}
	if f.Packages, err = parseArgs(f.fs, args); err != nil {
		return err
	}
	f.Args = append(f.Args, last...)
	given := make(map[string]bool)
	f.fs.Visit(func(g *flag.Flag) { given[g.Name] = true })
	usage := func(format string, args ...any) error {
		return &shell.UsageError{Verb: f.fs.Name(), Err: fmt.Errorf(format, args...)}
	}
	switch {
	case given["count"] && f.Count < 1:
		return usage("-count %d: want at least 1", f.Count)
	case given["timeout"] && f.Timeout <= 0, given["profiletime"] && f.ProfileTime <= 0:
		return usage("-timeout and -profiletime have to be above 0")
	case given["for"] && f.For <= 0:
		return usage("-for %v: want a time above 0, like 3m", f.For)
	case f.Wait < 0:
		return usage("-wait %v is below 0", f.Wait)
	case given["for"] && given["count"]:
		return usage("-for and -count exclude each other: either the time is given, or the number of samples")
	case given["for"] && f.against == "":
		return usage("-for is of use with -against only")
	case !slices.Contains(layoutNames, f.layouts):
		return usage("-layouts %s: want %s", f.layouts, strings.Join(layoutNames, ", "))
	case !slices.Contains(testNames, f.tests):
		return usage("-tests %s: want %s", f.tests, strings.Join(testNames, ", "))
	case given["tests"] && f.against == "":
		return usage("-tests is of use with -against only")
	case given["layouts"] && f.against == "":
		return usage("-layouts is of use with -against only")
	case f.PreCheck < 0:
		return usage("-precheck %d is below 0", f.PreCheck)
	case given["against"] && f.against == "":
		return usage("-against needs a branch, tag or commit")
	case given["precheck"] && f.against == "":
		return usage("-precheck is of use with -against only")
	case given["measure-unchanged"] && f.against == "":
		return usage("-measure-unchanged is of use with -against only")
	}
	if f.PreCheck == 0 {
		f.PreCheck = -1
	}
	if given["wait"] && f.Wait == 0 {
		f.Wait = -1
	}
	if f.CPU, err = parseNumbers(f.cpu, 1); err != nil {
		return usage("-cpu: %w", err)
	}
	f.Layouts = bench.Layouts(slices.Index(layoutNames, f.layouts))
	f.TestFiles = bench.TestFiles(slices.Index(testNames, f.tests))
	if f.Pin, err = parseNumbers(f.pin, 0); err != nil {
		return usage("-pin: %w", err)
	}
	if f.profile != "none" && f.profile != "" {
		for _, kind := range strings.Split(f.profile, ",") {
			if !slices.Contains(bench.ProfileKinds(), kind) {
				return usage("-profile %s: want %s, with commas between, or none", f.profile, strings.Join(bench.ProfileKinds(), ", "))
			}
			if !slices.Contains(f.Profiles, kind) {
				f.Profiles = append(f.Profiles, kind)
			}
		}
	}
	f.ProfileAll = given["profile"]
	f.Store = cmp.Or(f.Store, runsRoot())
	return nil
}

// parseBenchTime reads what go test takes for -benchtime.
func parseBenchTime(s string) (bench.BenchTime, error) {
	if n, ok := strings.CutSuffix(s, "x"); ok {
		i, err := strconv.Atoi(n)
		if err != nil || i < 1 {
			return bench.BenchTime{}, fmt.Errorf("want iterations above 0, like 100x")
		}
		return bench.BenchTime{Iterations: i}, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return bench.BenchTime{}, fmt.Errorf("want a time above 0, like 1s, or iterations, like 100x")
	}
	return bench.BenchTime{Duration: d}, nil
}

// parseNumbers reads a list like 0,2-3.
func parseNumbers(list string, least int) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var numbers []int
	for _, item := range strings.Split(list, ",") {
		from, to, isRange := strings.Cut(item, "-")
		a, err := strconv.Atoi(from)
		b := a
		if err == nil && isRange {
			b, err = strconv.Atoi(to)
		}
		if err != nil || a < least || b < a || b-a > 4096 {
			return nil, fmt.Errorf("%q is no list like 1,2-4", list)
		}
		for n := a; n <= b; n++ {
			if !slices.Contains(numbers, n) {
				numbers = append(numbers, n)
			}
		}
	}
	return numbers, nil
}

func runBench(ctx context.Context, a *app, args []string) error {
	f := newBenchFlags()
	if err := f.parse(args); err != nil {
		return err
	}
	if f.function != "" {
		return newBenchmark(a, f.function, f.Packages)
	}
	if f.against != "" {
		objectives, err := ownObjectives(ctx)
		if err != nil {
			return err
		}
		if len(objectives) > 0 {
			f.useBudgets(objectives)
		}
	}
	report, err := measureBenchmarks(ctx, a, f)
	if err != nil {
		return err
	}
	if err := tellBench(ctx, a, f, report); err != nil {
		return err
	}
	return benchGate(report)
}

// benchGate is how a measurement of benchmarks ends.
func benchGate(r *bench.BenchReport) error {
	return gateError(r.Family != nil && len(r.Family.Regressions()) > 0, len(r.Unmeasured()))
}

// measureBenchmarks runs the measurement that flags ask for.
func measureBenchmarks(ctx context.Context, a *app, f *benchFlags) (*bench.BenchReport, error) {
	sweep()
	if err := hideRuns(a, f.Store); err != nil {
		return nil, err
	}
	progress := newProgress(a)
	f.Events = progress.event
	measure := f.Measure
	if f.against != "" {
		measure = func(ctx context.Context) (*bench.BenchReport, error) { return f.Against(ctx, f.against) }
	}
	report, err := measure(ctx)
	progress.end()
	if err != nil && report != nil && report.Dir != "" {
		a.warn("hone: what was measured is kept as a partial run: " + report.Dir)
	}
	return report, err
}

// useBudgets takes budgets from objectives. Where there are bounds as well, hone
// check will want numbers and profiles, also of what did not change.
func (f *benchFlags) useBudgets(objectives []experiment.Objective) {
	f.Budget, f.Gated = experiment.BudgetOf(objectives), experiment.GatedBy(objectives)
	for _, o := range objectives {
		f.MeasureUnchanged = f.MeasureUnchanged || o.Max != nil || o.Min != nil
		f.ProfileAll = f.ProfileAll || o.Profile != nil
	}
}

// A progress shows one line that is rewritten, on a terminal, and warnings.
type progress struct {
	a     *app
	live  bool
	width int
}

func newProgress(a *app) *progress { return &progress{a: a, live: isTerminal(a.stderr)} }

func (p *progress) event(e bench.BenchEvent) {
	if e.Warning != "" {
		p.show("")
		if e.Failure != nil && e.Failure.Output != "" {
			tellFailure(p.a, e.Failure)
		} else {
			p.a.warn("hone: " + compare.Printable(e.Warning))
		}
		return
	}
	if e.Expected > 0 {
		p.show("")
		if p.live {
			p.a.warn("hone: this will take about " + inWords(e.Expected) + orIfChanged(e.Expected, e.IfChanged))
		}
		return
	}
	p.show(progressLine(e))
}

// orIfChanged is ", or up to 9 min if everything changed", where that is longer.
func orIfChanged(expected, changed time.Duration) string {
	if changed < expected+time.Second {
		return ""
	}
	return ", or up to " + inWords(changed) + " if everything changed"
}

// inWords is "4 min 10 s".
func inWords(d time.Duration) string {
	d = d.Round(time.Second)
	var parts []string
	for _, unit := range []struct {
		d    time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / unit.d; n > 0 || unit.d == time.Second && len(parts) == 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
		}
		d %= unit.d
	}
	return strings.Join(parts, " ")
}

func (p *progress) show(text string) {
	if !p.live || p.width == 0 && text == "" {
		return
	}
	if r := []rune(text); len(r) > 78 {
		text = string(r[:78])
	}
	capture.RewriteLine(p.a.stderr, p.width, text)
	p.width = len([]rune(text))
}

func (p *progress) end() { p.show("") }

// progressLine is "measure  12 of 60  1m20s left  Parse/short-4".
func progressLine(e bench.BenchEvent) string {
	text := e.Stage
	if e.Total > 0 {
		text += fmt.Sprintf("  %d of %d", e.Done+1, e.Total)
	}
	if left := math.Ceil(e.Left.Seconds()); left > 0 {
		text += fmt.Sprintf("  %v left", time.Duration(left)*time.Second)
	}
	if e.What != "" {
		text += "  " + compare.Printable(e.What)
	}
	return text
}
