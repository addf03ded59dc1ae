package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
)

// benchJSON is the output of hone bench -json.
type benchJSON struct {
	Run        string   `json:"run,omitempty"`
	Dir        string   `json:"dir,omitempty"`
	Regression bool     `json:"regression"` // the reason for exit code 3
	Unchanged  []string `json:"unchanged"`  // packages with the same test binary
	New        []string `json:"new"`
	Gone       []string `json:"gone"`
	// What could not be measured, which counts as not met: Failures, Gone, and what only the
	// head skips or has no value for.
	Unmeasured []experiment.Gap `json:"unmeasured"`
	// Whose benchmarks were run, for packages whose test files or testdata differ.
	Tests []experiment.TestOrigin `json:"tests"`
	// Benchmarks that can't execute changed code, those that were measured although their own
	// code is the same, and changed functions that none of the selected benchmarks can execute.
	SameCode       []experiment.BenchmarkName `json:"sameCode"`
	MeasuredOnly   []experiment.Doubt         `json:"measuredOnly"`
	NotBenchmarked []string                   `json:"notBenchmarked"`
	Failures       []bench.Failure            `json:"failures"`
	Skipped        []bench.Skip               `json:"skipped"`
	Timing         *experiment.Timing         `json:"timing,omitempty"`
	Comparison     json.RawMessage            `json:"comparison,omitempty"` // the output of hone compare -json
}

// tellBench prints the outcome of a run: the report of hone compare, and what to do
// next.
func tellBench(ctx context.Context, a *app, f *benchFlags, r *bench.Report) error {
	var c *compare.Comparison
	if r.Dir != "" {
		var err error
		if c, err = compared(ctx, f.Store, r.Dir, r.Family); err != nil {
			return err
		}
	}
	if f.json {
		out := benchJSON{Run: r.ID, Dir: r.Dir, Unchanged: orEmpty(r.Unchanged), New: orEmpty(r.New), Gone: orEmpty(r.Gone), Failures: r.Failures, Skipped: r.Skipped,
			Regression: r.Family != nil && len(r.Family.Regressions()) > 0}
		out.Tests = append([]experiment.TestOrigin{}, r.Tests...)
		out.SameCode, out.NotBenchmarked = []experiment.BenchmarkName{}, orEmpty(r.NotBenchmarked)
		out.MeasuredOnly = append([]experiment.Doubt{}, r.MeasuredOnly...)
		for _, id := range r.SameCode {
			out.SameCode = append(out.SameCode, experiment.BenchmarkName(id))
		}
		if out.Failures == nil {
			out.Failures = []bench.Failure{}
		}
		if out.Skipped == nil {
			out.Skipped = []bench.Skip{}
		}
		out.Timing, out.Unmeasured = r.Timing, append([]experiment.Gap{}, r.Unmeasured()...)
		if c != nil {
			var err error
			if out.Comparison, err = comparisonJSON(c); err != nil {
				return err
			}
		}
		return writeJSON(a.stdout, out)
	}
	var b bytes.Buffer
	measured := r.Family != nil && len(r.Family.Comparisons) > 0 || f.against == ""
	if c != nil && measured {
		if err := c.Write(&b, textFormat(f.verbose)); err != nil {
			return err
		}
	}
	tellOneSided(&b, f, r)
	if !measured {
		for _, n := range r.CodeNotes(f.verbose) {
			fmt.Fprintf(&b, "%s\n", compare.Printable(n))
		}
	}
	if r.Family != nil {
		tellRegressions(&b, r.Family.Regressions())
		for _, g := range r.Family.Missing {
			if !slices.Contains(r.Missing, g) && !r.Failed(g) { // those were printed
				g.Unit = compare.TidyUnit(g.Unit)
				fmt.Fprintf(&b, "MISSING  %s\n", compare.Printable(g.String()))
			}
		}
	}
	if measured {
		if err := tellNext(&b, f.Store, r.Dir); err != nil {
			return err
		}
	}
	_, err := a.stdout.Write(bytes.TrimPrefix(b.Bytes(), []byte("\n")))
	return err
}

// comparisonJSON returns what hone compare -json prints.
func comparisonJSON(c *compare.Comparison) (json.RawMessage, error) {
	var b bytes.Buffer
	err := c.Write(&b, compare.JSON)
	return b.Bytes(), err
}

func textFormat(verbose bool) compare.Format {
	if verbose {
		return compare.Full
	}
	return compare.Text
}

// compared reads a run back as hone compare does. family, unless it is nil, is the
// verdict from the measurement, with budgets.
func compared(ctx context.Context, store, dir string, family *experiment.Family) (*compare.Comparison, error) {
	inputs, err := compare.Read(ctx, store, nil, []string{dir})
	if err != nil {
		return nil, err
	}
	c, err := inputs.Compare(nil)
	if err != nil {
		return nil, err
	}
	for _, s := range c.Sides {
		if family != nil {
			s.Family = family
		}
	}
	return c, c.Explain(ctx, false)
}

func tellRegressions(b *bytes.Buffer, regressions []experiment.Comparison) {
	for i := range regressions {
		fmt.Fprintf(b, "REGRESSION  %s\n", regressionLine(&regressions[i]))
	}
}

func regressionLine(worse *experiment.Comparison) string {
	key := worse.Key
	key.Unit = compare.TidyUnit(key.Unit) // as in the table of verdicts
	line := compare.Printable(key.String()) + ": " + worse.Words()
	if worse.Budget > 0 {
		line += fmt.Sprintf(" beyond its budget of %g %%", 100*worse.Budget)
	}
	return line
}

// namedUnchanged is how many unchanged packages are named without -v.
const namedUnchanged = 8

func tellOneSided(b *bytes.Buffer, f *benchFlags, r *bench.Report) {
	if len(r.Unchanged)+len(r.New)+len(r.Gone) > 0 {
		b.WriteString("\n")
	}
	ref := compare.Printable(f.against)
	if n := len(r.Unchanged); n > namedUnchanged && !f.verbose {
		fmt.Fprintf(b, "%d packages: no change: the test binaries are the same as in %s; -v lists them\n", n, ref)
	} else {
		for _, name := range r.Unchanged {
			fmt.Fprintf(b, "%s: no change: the test binary is the same as in %s\n", compare.Printable(name), ref)
		}
	}
	for _, name := range r.New {
		fmt.Fprintf(b, "%s: new, not in %s\n", compare.Printable(name), ref)
	}
	for _, name := range r.Gone {
		fmt.Fprintf(b, "%s: gone, only in %s\n", compare.Printable(name), ref)
	}
}

// tellNext prints the name of the run, and the commands that show more of it.
func tellNext(b *bytes.Buffer, store, dir string) error {
	run, err := experiment.Open(context.Background(), dir)
	if err != nil {
		return err
	}
	name := run.ID
	if filepath.Clean(store) != filepath.Clean(runsRoot()) {
		name = dir
	}
	fmt.Fprintf(b, "\nrun %s in %s\n", run.ID, filepath.Dir(dir))
	if t := run.Timing; t != nil && max(t.Expected, t.Took) >= 1 {
		seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
		waited := ""
		if t.Waited >= 1 {
			waited = fmt.Sprintf(", including %s of waiting for a free core", inWords(seconds(t.Waited)))
		}
		fmt.Fprintf(b, "measured for %s%s; expected %s%s\n", inWords(seconds(t.Took)), waited,
			inWords(seconds(t.Expected)), orIfChanged(seconds(t.Expected), seconds(t.IfChanged)))
	}
	profiles := run.Profiles()
	for i, p := range profiles {
		if p.Side != experiment.Head {
			continue
		}
		source := name + ":" + run.ProfileName(p)
		fmt.Fprintf(b, "  hone top %s\n", compare.CommandLine([]string{source}))
		if run.Base != nil {
			for _, q := range profiles[:i] {
				if q.Package == p.Package && q.Benchmark == p.Benchmark && q.Kind == p.Kind {
					fmt.Fprintf(b, "  hone diff %s\n", compare.CommandLine([]string{name + ":" + run.ProfileName(q), source}))
				}
			}
		}
		break
	}
	if len(profiles) > 0 {
		fmt.Fprintf(b, "  hone ui %s\n", compare.CommandLine([]string{name}))
	}
	if run.Base != nil {
		fmt.Fprintf(b, "  hone compare -o report.html %s\n", compare.CommandLine([]string{name}))
	}
	return nil
}
