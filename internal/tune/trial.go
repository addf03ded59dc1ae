package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/differ"
	"github.com/hone-go/hone/internal/gocmd"
	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/temporary"
)

// Try proves the rewrite of a finding by benchmarks, or all of its package if none are
// named, and keeps it if it is confirmed.
// A rewrite that fails is a result; an error is for what has nothing to do with it. Beside
// a result it says why what was confirmed is not kept.
func (t *Tuner) Try(ctx context.Context, f *advice.Finding, benchmarks []bench.ID) (*Result, error) {
	if f.Class == advice.Look {
		return nil, fmt.Errorf("%s: %w: %s", f.ID, errOnlyLook, f.Why)
	}
	if f.Fix == nil {
		return nil, fmt.Errorf("%s: %w: %s", f.ID, errNoFix, f.Advice())
	}
	r := &Result{Finding: f.ID, Rule: f.Rule, File: f.Fix.Files[0].File, Time: time.Now().UTC().Truncate(time.Second)}
	if err := t.unchanged(ctx, f.Fix); err != nil {
		return nil, err
	}
	scratch, err := temporary.Make()
	if err != nil {
		return nil, err
	}
	defer scratch.Remove()
	overlay, err := gocmd.OverlayTexts(scratch.Path, f.Fix.Rewritten())
	if err != nil {
		return nil, err
	}
	found, err := t.check(ctx, f, overlay)
	if err != nil {
		return nil, err
	}
	r.Caveat, r.Coverage, r.NoCoverage = found.caveat, found.coverage, found.unknown
	r.Tests = r.tested()
	if found.ends != nil {
		r.State, r.Why, r.Output = found.ends.state, found.ends.why, found.ends.output
		return r, nil
	}
	r.State = advice.Patched
	if why := t.needsTests(r, f); why != "" {
		r.Why = why
		return r, nil
	}
	if t.CheckOnly {
		r.Why = "it builds and passes the tests; nothing was measured"
		return r, nil
	}
	if len(benchmarks) == 0 { // the profile was of no benchmark: those of the package
		benchmarks = []bench.ID{{Package: f.Package}}
	}
	j, err := twice(t.Bench.Count, func(stage string, atMost time.Duration) (judgement, error) {
		return t.prove(ctx, stage, atMost, f, benchmarks, overlay)
	})
	if err != nil {
		return nil, err
	}
	r.State, r.Why, r.Changes, r.Run = j.state, j.why, j.changes, j.run
	if r.State != advice.Confirmed {
		return r, nil
	}
	compared, err := t.compareResults(ctx, f)
	if err != nil {
		return nil, err
	}
	r.Compared = compared.First(differ.MostTold)
	if seen := r.Compared.Seen(); seen != nil {
		r.State, r.Why = advice.Refuted, r.Why+", but it answers otherwise than before: "+seen.String()
		return r, nil
	}
	if err := t.unchanged(ctx, f.Fix); err != nil {
		return r, err // edited while it was measured
	}
	if err := t.keep(f.Fix); err != nil {
		return r, err
	}
	r.Kept = true
	return r, nil
}

// needsTests says why a rewrite of class A is not measured, nor kept: it goes into the source
// without anybody's review, so tests have to execute it. It is "" where they do.
func (t *Tuner) needsTests(r *Result, f *advice.Finding) string {
	if t.Untested || f.Class != advice.Safe {
		return ""
	}
	names, why := r.untested()
	switch {
	case len(names) > 0:
		return "it builds and passes the tests, but no test executes " + strings.Join(names, " and ") + ": write one, or keep it with -untested"
	case why != "":
		return "it builds and passes the tests, but " + why + ": keep it with -untested if tests execute it"
	}
	return ""
}

// check builds and tests a rewrite.
func (t *Tuner) check(ctx context.Context, f *advice.Finding, overlay string) (checked, error) {
	if ends, err := t.builds(ctx, f, overlay); err != nil || ends != nil {
		return checked{ends: ends}, err
	}
	return t.passes(ctx, f, overlay)
}

// builds vets the package, which type-checks it and its tests.
func (t *Tuner) builds(ctx context.Context, f *advice.Finding, overlay string) (*ruling, error) {
	if slices.Contains(t.Bench.BuildFlags, "-vet=off") {
		return nil, nil
	}
	t.stage("vet", f.Package)
	flags := slices.DeleteFunc(slices.Clone(t.Bench.BuildFlags), func(f string) bool { return strings.HasPrefix(f, "-vet=") })
	out, err := t.runGo(ctx, append([]string{"vet", "-overlay=" + overlay}, append(flags, f.Package)...)...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil {
		return nil, nil
	}
	if before, err := t.runGo(ctx, append([]string{"vet"}, append(flags, f.Package)...)...); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if bytes.Equal(complaints(before), complaints(out)) {
			return nil, nil // as it was before; go test says whether it builds
		}
		return &ruling{advice.Inconclusive, "the package does not pass go vet, with or without the rewrite", tail(before)}, nil
	}
	return &ruling{advice.Refuted, "the rewrite does not pass go vet", tail(out)}, nil
}

// complaints are the lines of go vet without positions, which a rewrite moves.
func complaints(out []byte) []byte {
	return position.Get().ReplaceAll(out, nil)
}

var position = lazyregexp.New(`(?m)^\S*?:\d+(:\d+)?: `)

// twice has something proved, and once more where that is to be, for some time where more samples
// may tell: to refute takes two runs, as to confirm does. The second counts.
func twice(count int, prove func(stage string, atMost time.Duration) (judgement, error)) (judgement, error) {
	const patience = 3 // times as long as what told nothing
	start := time.Now()
	j, err := prove("measure", 0)
	switch {
	case err != nil:
		return j, err
	case j.more == again:
		return prove("measure again", 0)
	case j.more == longer && count == 0: // else somebody said how many are enough
		j, err = prove("measure for longer", patience*time.Since(start))
	}
	return j.settled(), err
}

// prove compares the code without and with the overlay, and says what that made of the
// finding. It takes what a comparison takes, or goes on for so long at most.
func (t *Tuner) prove(ctx context.Context, stage string, atMost time.Duration, f *advice.Finding, benchmarks []bench.ID, overlay string) (judgement, error) {
	b := t.Bench
	b.Dir = t.Dir
	b.Packages, b.Pattern = selection(benchmarks)
	b.For = atMost
	t.stage(stage, strings.Join(b.Packages, " "))
	report, err := b.AgainstFlags(ctx, "the same without the rewrite", nil, []string{"-overlay=" + overlay})
	run := ""
	if report != nil && report.Dir != "" {
		run = report.ID
	}
	switch {
	case ctx.Err() != nil:
		return judgement{}, ctx.Err()
	case errors.Is(err, bench.ErrNoBenchmarks) && report != nil && len(report.Failures) > 0:
		return judgement{state: advice.Inconclusive, why: err.Error(), run: run}, nil
	case errors.Is(err, bench.ErrNoBenchmarks):
		return judgement{state: advice.Patched, why: "it builds and passes the tests; nothing was measured, because no benchmark runs it", run: run}, nil
	case err != nil:
		return judgement{}, err
	}
	j := judge(report, f.Bound.Expected)
	j.run = run
	return j, nil
}

// Before compares the code as it was before this tuner changed anything with the code
// as it is.
func (t *Tuner) Before(ctx context.Context, benchmarks []bench.ID) (*bench.Report, error) {
	scratch, err := temporary.Make()
	if err != nil {
		return nil, err
	}
	defer scratch.Remove()
	overlay, err := gocmd.OverlayTexts(scratch.Path, t.first)
	if err != nil {
		return nil, err
	}
	b := t.Bench
	b.Dir = t.Dir
	b.Packages, b.Pattern = selection(benchmarks)
	t.stage("measure", "before and after")
	return b.AgainstFlags(ctx, "before", []string{"-overlay=" + overlay}, nil)
}

// selection returns the packages and the -bench pattern of benchmarks; one without a
// name is all of its package. A pattern is of names level by level, so that it may match
// more than these where they differ in more than the last.
func selection(benchmarks []bench.ID) (packages []string, pattern string) {
	var levels [][]string
	depth := -1
	for _, b := range benchmarks {
		if !slices.Contains(packages, b.Package) {
			packages = append(packages, b.Package)
		}
		if b.Benchmark == "" {
			depth = 0
			continue
		}
		names := strings.Split("Benchmark"+b.Benchmark, "/")
		if depth < 0 || len(names) < depth {
			depth = len(names)
		}
		for i, name := range names {
			if len(levels) <= i {
				levels = append(levels, nil)
			}
			// Without its suffix, and with it: it may be of the name itself, as there is
			// none where GOMAXPROCS is 1.
			for _, name := range []string{cpuSuffix.ReplaceAllString(name, ""), name} {
				if (i == len(names)-1 || name == names[i]) && !slices.Contains(levels[i], name) {
					levels[i] = append(levels[i], name)
				}
			}
		}
	}
	var parts []string
	for i := range depth {
		var quoted []string
		for _, name := range levels[i] {
			quoted = append(quoted, regexp.QuoteMeta(name))
		}
		parts = append(parts, "^("+strings.Join(quoted, "|")+")$")
	}
	if len(parts) == 0 {
		return packages, "."
	}
	return packages, strings.Join(parts, "/")
}

// cpuSuffix is what package testing puts behind names: the value of GOMAXPROCS.
var cpuSuffix = lazyregexp.New(`-\d+$`)
