package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/tune"
)

const tuneHelp = `usage: hone tune [flags] [packages]

Tune packages: profile their benchmarks, try the rewrite of the finding that promises
most, keep it if it is confirmed, and profile again, until no rewrite is left. Then
measure what stood before against what stands now. Each rewrite is proved as hone fix
does: tests have to pass, benchmarks have to get better, twice.

  -bench RE       benchmarks to tune (all)
  -class C        A: only rewrites that do the same whatever they are given; AB (AB)
  -most N         try at most N rewrites (50)
  -settings       behind the rewrites, try settings of the collector where it takes much of
                  the time, as hone fix does; each takes as long as a rewrite (off)
  -min SHARE      lines with less of the time or memory are not looked at (0.01)
  -profiletime T  time of a profile (2s)
  -count N        samples of each benchmark, and side (10; 20 where 10 decide nothing)
  -benchtime T    time of a sample, 1s, or iterations, 100x (500ms)
  -short          run tests with -short
  -tags LIST      build tags
  -vet LIST       checks that have to pass: those of go vet and go test by default; off
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

func runTune(ctx context.Context, a *app, args []string) error {
	f := newTunerFlags("tune")
	class := f.fs.String("class", "AB", "")
	most := f.fs.Int("most", 50, "")
	settings := f.fs.Bool("settings", false, "")
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
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	t, progress, err := f.tuner(a, args)
	if err != nil {
		return err
	}
	if len(packages) == 0 {
		packages = []string{"."}
	}
	out := new(tuned)
	var kept []*tune.Result
	seen := make(map[string]bool)
	var p *toAdvise
	var report *advice.Report
	for len(out.Tried) < *most {
		if report == nil {
			b := f.bench
			b.Packages = packages
			if p, err = a.measureForAdvice(ctx, b); err != nil {
				return err
			}
			if report, err = a.advise(ctx, p, *least, true); err != nil {
				return err
			}
		}
		i := slices.IndexFunc(report.Findings, func(g advice.Finding) bool {
			return g.Fix != nil && !seen[g.ID] && strings.Contains(*class, g.Class.String())
		})
		if i < 0 {
			break
		}
		found := &report.Findings[i]
		seen[found.ID] = true
		r, err := a.try(ctx, t, progress, found, p.benchmarks, nil)
		if errors.Is(err, tune.ErrUncommitted) {
			a.warn("hone: " + err.Error())
			continue
		} else if err != nil {
			return err
		}
		out.Tried = append(out.Tried, r)
		if !f.json {
			a.tellResult(r, found)
		}
		if r.Kept {
			kept = append(kept, r)
			report = nil // profiles are of what was
		}
	}
	if report == nil {
		b := f.bench
		b.Packages = packages
		if p, err = a.measureForAdvice(ctx, b); err != nil {
			return err
		}
		if report, err = a.advise(ctx, p, *least, true); err != nil {
			return err
		}
	}
	for i := range report.Findings {
		g := &report.Findings[i]
		switch {
		case seen[g.ID]:
		case *settings && g.Try == advice.BySetting:
			r, err := a.try(ctx, t, progress, g, p.benchmarks, nil)
			if err != nil {
				return err
			}
			out.Settings = append(out.Settings, r)
			if !f.json {
				a.tellResult(r, g)
			}
		default:
			out.Left = append(out.Left, *g)
		}
	}
	if len(kept) > 0 {
		if err := a.beforeAndAfter(ctx, t, progress, kept, out); err != nil {
			return err
		}
	}
	if f.json {
		return writeJSON(a.stdout, out)
	}
	return a.tellTuned(out, len(kept))
}

// beforeAndAfter measures all that was changed at once.
func (a *app) beforeAndAfter(ctx context.Context, t *tune.Tuner, progress *progress, kept []*tune.Result, out *tuned) error {
	var of []capture.BenchID
	for _, r := range kept {
		for _, c := range r.Changes {
			id := capture.BenchID{Package: c.Package, Benchmark: c.Benchmark}
			if !slices.Contains(of, id) {
				of = append(of, id)
			}
		}
	}
	report, err := t.Before(ctx, of)
	progress.end()
	if err != nil {
		return err
	}
	out.Run = report.ID
	if report.Family != nil {
		out.Changes = tune.Changes(report.Family)
	}
	return nil
}

func (a *app) tellTuned(out *tuned, kept int) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\nRewrites: %d tried, %d kept.\n", len(out.Tried), kept)
	if len(out.Changes) > 0 {
		fmt.Fprintln(&b)
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "BENCHMARK\tUNIT\tBEFORE\tAFTER\t")
		for _, c := range out.Changes {
			if c.Unit != "ns/op" && c.Unit != "B/op" && c.Unit != "allocs/op" {
				continue
			}
			times := ""
			if c.Unit == "ns/op" && c.Ratio > 0 {
				times = fmt.Sprintf("%.3g times as fast [%.3g, %.3g]", 1/c.Ratio, 1/c.High, 1/c.Low)
			}
			fmt.Fprintf(w, "%s\t%s\t%.4g\t%.4g\t%s\n", c.Benchmark, c.Unit, c.Before, c.After, times)
		}
		w.Flush()
		fmt.Fprintf(&b, "\nThe measurement is hone compare %s; git diff shows the changes.\n", out.Run)
	}
	if len(out.Left) > 0 {
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, "\nWhat stays advice; hone advise says more of each:")
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, g := range out.Left {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", g.ID, g.Place(dir), ceiling(&g.Bound), g.Title)
		}
		w.Flush()
	}
	_, err := a.stdout.Write(b.Bytes())
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
