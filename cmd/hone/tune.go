package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/tune"
)

const tuneHelp = `usage: hone tune [flags] [packages]

Profile benchmarks, try every known rewrite, and keep those that tests and measurements
confirm.

Examples:

  hone tune ./...
  hone tune -bench Parse ./json
  hone tune -class A -most 5 ./internal/codec
  hone tune -gen -write ./internal/codec

Flags for what to try:

  -bench RE       benchmarks to tune (all)
  -class C        A: only rewrites that behave the same for every input; AB: all (AB)
  -most N         try at most N rewrites (50)
  -min SHARE      skip lines with less of the time or memory (0.01)
  -again          also try rewrites that were refuted before
  -settings       then try settings of the garbage collector if it uses much of the time,
                  as hone fix does; each takes as long as a rewrite
  -untested       also keep class A rewrites in functions that no test executes
  -dirty          also change files with uncommitted changes

Flags for measuring:

  -count N        samples per benchmark and side (10; 20 if 10 don't decide, then again
                  for up to three times as long)
  -benchtime T    time per sample, such as 1s, or iterations, such as 100x (500ms)
  -profiletime T  time per profile (2s)
  -short          run tests with -short
  -tags LIST      build tags
  -vet LIST       vet checks that must pass: a list or off (those of go vet and go test)
  -json           print everything as JSON

` + genHelp + `
Exit codes: 0 success, 1 failure, 2 wrong usage.

hone starts with the most promising finding and proves each rewrite as hone fix does:
tests pass, and benchmarks improve in two measurements. It then profiles again, until no
rewrite is left, and finally measures all changes together. Rewrites stay uncommitted,
with a patch for each in .hone/advice. You can interrupt hone tune at any time: the
source then has only confirmed rewrites. Findings without a rewrite are listed at the
end.
`

func runTune(ctx context.Context, a *app, args []string) error {
	f := newTunerFlags("tune")
	class := f.fs.String("class", "AB", "")
	most := f.fs.Int("most", 50, "")
	again := f.fs.Bool("again", false, "")
	settings := f.fs.Bool("settings", false, "")
	untested := f.fs.Bool("untested", false, "")
	least := f.fs.Float64("min", advice.DefaultMinShare, "")
	var gen genFlags
	gen.define(f.fs)
	f.fs.StringVar(&f.bench.Pattern, "bench", ".", "")
	f.fs.DurationVar(&f.bench.ProfileTime, "profiletime", 0, "")
	packages, err := parseArgs(f.fs, args)
	if err != nil {
		return err
	}
	switch {
	case *class != "A" && *class != "AB":
		return &shell.UsageError{Verb: "tune", Err: fmt.Errorf("invalid -class %q: use A or AB", *class)}
	case *most < 1:
		return &shell.UsageError{Verb: "tune", Err: fmt.Errorf("invalid -most %d: use at least 1", *most)}
	case !(*least > 0 && *least < 1):
		return &shell.UsageError{Verb: "tune", Err: fmt.Errorf("invalid -min %v: use a share between 0 and 1, such as 0.01", *least)}
	}
	if err := gen.check("tune"); err != nil {
		return err
	}
	if gen.gen {
		sweep()
		return gen.run(ctx, a, f.bench.BuildFlags, packages)
	}
	t, progress, err := f.tuner(a, args)
	if err != nil {
		return err
	}
	t.Untested = *untested
	f.bench.Packages = packages
	if len(packages) == 0 {
		f.bench.Packages = []string{"."}
	}
	m, err := thisModule()
	if err != nil {
		return err
	}
	course := tune.Course{Classes: *class, Most: *most, Again: *again, Settings: *settings}
	outcome, err := course.Run(ctx, tuneSteps(a, f, m, t, progress, *least))
	switch {
	case f.json && (err == nil || len(outcome.Tried)+len(outcome.Settings) > 0):
		return errors.Join(err, writeJSON(a.stdout, outcome))
	case err != nil:
		return err // the results were printed one by one
	}
	return tellTuned(a, course, outcome)
}

// tuneSteps are the steps of a course; they show progress and print each result.
func tuneSteps(a *app, f *tunerFlags, m *advisor.Module, t *tune.Tuner, progress *progress, least float64) tune.Steps {
	options := advice.Options{MinShare: least, Compiler: true, BuildFlags: bench.ListFlags(f.bench.BuildFlags)}
	return tune.Steps{
		Look: func(ctx context.Context) (tune.View, error) {
			p, err := measureForAdvice(ctx, a, f.bench)
			if err != nil {
				return tune.View{}, err
			}
			report, err := advise(ctx, a, p, options)
			if err != nil {
				return tune.View{}, err
			}
			return tune.View{Findings: report.Findings, Benchmarks: p.benchmarks}, nil
		},
		Try: func(ctx context.Context, found *advice.Finding, benchmarks map[string]tune.Benchmark) (*tune.Result, error) {
			r, err := m.Try(ctx, t, found, benchmarks, nil)
			progress.end()
			if r != nil && !f.json {
				tellResult(a, r, found)
			}
			return r, err
		},
		PassOver: func(err error) { a.warn("hone: " + err.Error()) },
		Before: func(ctx context.Context, of []bench.ID) (*bench.Report, error) {
			defer progress.end()
			return t.Before(ctx, of)
		},
	}
}

// tellTuned prints the outcome.
func tellTuned(a *app, course tune.Course, o *tune.Outcome) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\nRewrites: %d tried, %d kept.\n", len(o.Tried), o.Kept())
	if len(o.Changes) > 0 {
		fmt.Fprintln(&b)
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "BENCHMARK\tUNIT\tBEFORE\tAFTER\t")
		for _, c := range o.Changes {
			if !c.IsClock() && c.Unit != "B/op" && c.Unit != "allocs/op" {
				continue
			}
			times := ""
			if c.IsClock() && c.Ratio > 0 {
				times = fmt.Sprintf("%.3g times as fast [%.3g, %.3g]", 1/c.Ratio, 1/c.High, 1/c.Low)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", c.Benchmark, compare.TidyUnit(c.Unit), compare.Tidied(c.Before, c.Unit), compare.Tidied(c.After, c.Unit), times)
		}
		w.Flush()
		fmt.Fprintf(&b, "\nMeasurement: hone compare %s. Changes: git diff.\n", o.Run)
	}
	if len(o.Left) > 0 {
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, "\nFindings left; hone advise -explain ID says more:")
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for i := range o.Left {
			f := &o.Left[i]
			gain := f.Bound.Most()
			if course.Rewrites(f) && f.State == advice.Refuted {
				gain = "refuted before; use -again to retry"
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", f.ID, f.Place(dir), gain, f.Title)
		}
		w.Flush()
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}
