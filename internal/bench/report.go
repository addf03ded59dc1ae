package bench

import (
	"slices"

	"github.com/hone-go/hone/internal/experiment"
)

// A Report is the result of a measurement, besides the run on disk.
type Report struct {
	ID, Dir  string // of the run; "" with some errors
	Failures []Failure
	Skipped  []Skip
	// Unchanged lists packages with the same test binary on both sides. New and Gone list
	// benchmarks of only one side. All have the form PACKAGE or PACKAGE.NAME.
	Unchanged, New, Gone []string
	Missing              []experiment.Gap // Gone, and what only the head skips
	SameCode             []ID             // that run no changed code
	// MeasuredOnly are benchmarks with the same code that were measured for another reason.
	MeasuredOnly []experiment.Doubt
	// Tests tells for packages whose tests differ which side's were run. Base is the revision
	// that the head was compared with.
	Tests []experiment.TestOrigin
	Base  *experiment.Revision
	// NotBenchmarked are changed functions that none of the benchmarks runs.
	NotBenchmarked []string
	Family         *experiment.Family // nil without Against
	Changed        []ID               // benchmarks with a change in any unit
	Timing         *experiment.Timing // nil if it ended before that was known
	Warnings       []string           // told as events, and kept in the run

	code experiment.Info // what was found by comparing code
}

// report returns what came out: of the plan, and of its measurement, nil if there was none.
func (p *planned) report(r *record) *Report {
	out := &Report{
		Failures: p.failures, Skipped: p.skips, Unchanged: p.unchanged, New: p.new, Gone: p.gone, Missing: p.missing,
		SameCode: p.sameCode, MeasuredOnly: p.measuredOnly, Tests: p.tests, Base: p.base, NotBenchmarked: p.notBenchmarked, code: experiment.Info{Base: p.base},
	}
	p.tellCode(&out.code)
	if r != nil {
		out.ID, out.Dir, out.Missing = r.run.ID(), r.run.Dir(), p.missingNow()
		out.Failures = slices.Concat(p.failures, r.failures)
		out.Family, out.Changed, out.Timing, out.Warnings = r.family, r.changed, r.timing, r.warnings
	}
	return out
}

// CodeNotes returns the notes of the run about tests and unchanged code; see
// experiment.Info.
func (r *Report) CodeNotes(all bool) []string { return r.code.CodeNotes(all) }

// Unmeasured returns what should have been measured but was not: failures, and what only the base
// has.
func (r *Report) Unmeasured() []experiment.Gap {
	var gaps []experiment.Gap
	for i := range r.Failures {
		gaps = append(gaps, r.Failures[i].kept().Gap)
	}
	missing := r.Missing
	if r.Family != nil {
		missing = r.Family.Missing // those too
	}
	for _, g := range missing {
		if !r.Failed(g) {
			gaps = append(gaps, g)
		}
	}
	return gaps
}

// Failed reports whether a gap is due to a failure.
func (r *Report) Failed(g experiment.Gap) bool {
	return slices.ContainsFunc(r.Failures, func(f Failure) bool {
		return f.Package == g.Package && (f.Benchmark == "" || f.Benchmark == g.Benchmark || topLevel(g.Benchmark) == f.Benchmark)
	})
}
