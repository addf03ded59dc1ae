package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/tune"
)

const tuneHelp = `usage: hone tune [flags] [packages]

Tune packages: profile their benchmarks, try the rewrite of the finding that promises
most, keep it if it is confirmed, and profile again, until no rewrite is left. Then
measure what stood before against what stands now. Each rewrite is proved as hone fix
does: tests have to pass, benchmarks have to get better, twice. A rewrite that does the
same whatever it is given (class A) is kept only where tests execute the function it is in.

  -bench RE       benchmarks to tune (all)
  -class C        A: only rewrites that do the same whatever they are given; AB (AB)
  -most N         try at most N rewrites (50)
  -again          also try rewrites that were refuted here before
  -settings       behind the rewrites, try settings of the collector where it takes much of
                  the time, as hone fix does; each takes as long as a rewrite (off)
  -min SHARE      lines with less of the time or memory are not looked at (0.01)
  -profiletime T  time of a profile (2s)
  -count N        samples of each benchmark, and side (10; 20 where 10 decide nothing,
                  then once more for three times as long)
  -benchtime T    time of a sample, 1s, or iterations, 100x (500ms)
  -short          run tests with -short
  -tags LIST      build tags
  -vet LIST       checks that have to pass: those of go vet and go test by default; off
  -untested       also keep rewrites of class A in functions that no test executes
  -dirty          also change files that have changes which are not committed
  -json           print everything as JSON

What was kept is left uncommitted, with a patch for each in .hone/advice. Interrupted at
any moment the source is as it was, or has confirmed rewrites only. What stays advice is
listed at the end.

Examples:

  hone tune
  hone tune -bench Parse ./...
  hone tune -class A -most 5 ./internal/codec
  hone tune -settings ./internal/cache
`

// tuned is what hone tune -json prints.
type tuned struct {
	Tried    []*tune.Result   `json:"tried"`
	Settings []*tune.Result   `json:"settings,omitempty"` // of findings that settings are for
	Changes  []tune.Change    `json:"changes"`            // before against after
	Run      string           `json:"run,omitempty"`
	Left     []advice.Finding `json:"left"` // that stay advice
}

// kept is how many rewrites were.
func (t *tuned) kept() int {
	n := 0
	for _, r := range t.Tried {
		if r.Kept {
			n++
		}
	}
	return n
}

func runTune(ctx context.Context, a *app, args []string) error {
	f := newTunerFlags("tune")
	class := f.fs.String("class", "AB", "")
	most := f.fs.Int("most", 50, "")
	again := f.fs.Bool("again", false, "")
	settings := f.fs.Bool("settings", false, "")
	untested := f.fs.Bool("untested", false, "")
	least := f.fs.Float64("min", advice.DefaultMinShare, "")
	f.fs.StringVar(&f.bench.Pattern, "bench", ".", "")
	f.fs.DurationVar(&f.bench.ProfileTime, "profiletime", 0, "")
	packages, err := parseArgs(f.fs, args)
	if err != nil {
		return err
	}
	switch {
	case *class != "A" && *class != "AB":
		return &shell.UsageError{Verb: "tune", Err: fmt.Errorf("-class %s: want A or AB", *class)}
	case *most < 1:
		return &shell.UsageError{Verb: "tune", Err: errors.New("-most has to be at least 1")}
	case !(*least > 0 && *least < 1):
		return &shell.UsageError{Verb: "tune", Err: fmt.Errorf("-min %v: want a share above 0 and below 1", *least)}
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
	g := &tuning{app: a, flags: f, tuner: t, progress: progress, class: *class, most: *most, least: *least, again: *again, trySettings: *settings}
	err = g.run(ctx)
	switch {
	case f.json && (err == nil || len(g.Tried)+len(g.Settings) > 0):
		return errors.Join(err, writeJSON(a.stdout, &g.tuned))
	case err != nil:
		return err // what was tried was told, one after the other
	}
	return g.tell()
}

// A tuning is one hone tune. Ended by an error it has what was done before.
type tuning struct {
	*app
	flags       *tunerFlags
	tuner       *tune.Tuner
	progress    *progress
	class       string
	most        int
	least       float64
	again       bool
	trySettings bool

	tuned
	profiles *toAdvise
	report   *advice.Report // on these
}

func (g *tuning) run(ctx context.Context) error {
	seen := make(map[string]bool)
	for {
		if err := g.look(ctx); err != nil {
			return err
		}
		kept, err := g.pass(ctx, seen)
		if err != nil {
			return err
		}
		if !kept {
			break
		}
	}
	for i := range g.report.Findings {
		f := &g.report.Findings[i]
		switch {
		case seen[f.ID]:
		case g.trySettings && f.Try == advice.BySetting:
			r, err := g.attempt(ctx, f)
			if r != nil {
				g.Settings = append(g.Settings, r)
			}
			if err != nil {
				return err
			}
		default:
			g.Left = append(g.Left, *f)
		}
	}
	if g.kept() > 0 {
		return g.beforeAndAfter(ctx)
	}
	return nil
}

// look measures what there is now, and advises on it.
func (g *tuning) look(ctx context.Context) (err error) {
	if g.profiles, err = measureForAdvice(ctx, g.app, g.flags.bench); err != nil {
		return err
	}
	g.report, err = advise(ctx, g.app, g.profiles, advice.Options{MinShare: g.least, Compiler: true, BuildFlags: bench.ListFlags(g.flags.bench.BuildFlags)})
	return err
}

// pass tries rewrites that were not seen before, in their order, until one is kept:
// profiles are of what was then.
func (g *tuning) pass(ctx context.Context, seen map[string]bool) (kept bool, err error) {
	for i := range g.report.Findings {
		f := &g.report.Findings[i]
		if !g.rewrites(f) || seen[f.ID] || f.State == advice.Refuted && !g.again {
			continue
		}
		if len(g.Tried) == g.most {
			return false, nil
		}
		seen[f.ID] = true
		r, err := g.attempt(ctx, f)
		if r != nil {
			g.Tried = append(g.Tried, r)
		}
		if errors.Is(err, tune.ErrUncommitted) || errors.Is(err, tune.ErrOutside) {
			g.warn("hone: " + err.Error())
			continue
		} else if err != nil {
			return false, err
		}
		if r.Kept {
			delete(seen, f.ID) // the same line may stand there again, and has its ID now
			return true, nil
		}
	}
	return false, nil
}

// rewrites reports whether a finding has a rewrite of a class that is asked for.
func (g *tuning) rewrites(f *advice.Finding) bool {
	return f.Fix != nil && strings.Contains(g.class, f.Class.String())
}

// attempt tries a finding, and tells what came of it.
func (g *tuning) attempt(ctx context.Context, f *advice.Finding) (*tune.Result, error) {
	r, err := tryFinding(ctx, g.app, g.tuner, g.progress, f, g.profiles.benchmarks, nil)
	if r != nil && !g.flags.json {
		tellResult(g.app, r, f)
	}
	return r, err
}

// beforeAndAfter measures all that was changed at once.
func (g *tuning) beforeAndAfter(ctx context.Context) error {
	var of []bench.ID
	for _, r := range g.Tried {
		if !r.Kept {
			continue
		}
		for _, c := range r.Changes {
			id := bench.ID{Package: c.Package, Benchmark: c.Benchmark}
			if !slices.Contains(of, id) {
				of = append(of, id)
			}
		}
	}
	report, err := g.tuner.Before(ctx, of)
	g.progress.end()
	if err != nil {
		return err
	}
	g.Run = report.ID
	if report.Family != nil {
		g.Changes = tune.Changes(report.Family)
	}
	return nil
}

// tell says what came of all.
func (g *tuning) tell() error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\nRewrites: %d tried, %d kept.\n", len(g.Tried), g.kept())
	if len(g.Changes) > 0 {
		fmt.Fprintln(&b)
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "BENCHMARK\tUNIT\tBEFORE\tAFTER\t")
		for _, c := range g.Changes {
			if !c.IsClock() && c.Unit != "B/op" && c.Unit != "allocs/op" {
				continue
			}
			times := ""
			if c.IsClock() && c.Ratio > 0 {
				times = fmt.Sprintf("%.3g times as fast [%.3g, %.3g]", 1/c.Ratio, 1/c.High, 1/c.Low)
			}
			fmt.Fprintf(w, "%s\t%s\t%.4g\t%.4g\t%s\n", c.Benchmark, c.Unit, c.Before, c.After, times)
		}
		w.Flush()
		fmt.Fprintf(&b, "\nThe measurement is hone compare %s; git diff shows the changes.\n", g.Run)
	}
	if len(g.Left) > 0 {
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, "\nWhat stays advice; hone advise says more of each:")
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for i := range g.Left {
			f := &g.Left[i]
			gain := ceiling(&f.Bound)
			if g.rewrites(f) && f.State == advice.Refuted {
				gain = "refuted before: -again tries it"
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", f.ID, f.Place(dir), gain, f.Title)
		}
		w.Flush()
	}
	_, err := g.stdout.Write(b.Bytes())
	return err
}

// ceiling is what a finding could gain, in a few words.
func ceiling(b *advice.Bound) string {
	switch {
	case b.Waiting > 0:
		return fmt.Sprintf("at most %.0f %% of the waiting", 100*b.Waiting)
	case b.Time > 0.99:
		return "nearly all of the time"
	case b.Speedup >= 1.01:
		return fmt.Sprintf("at most %.3g times as fast", b.Speedup)
	case b.Bytes >= 0.01:
		return fmt.Sprintf("at most %.0f %% of the bytes", 100*b.Bytes)
	}
	return ""
}
