package bench

import (
	"errors"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/bench/schedule"
	"github.com/hone-go/hone/internal/experiment"
)

// An Event is progress, or a warning.
type Event struct {
	Stage       string // "build", "list", "calibrate", "link", "pre-check", "measure", "wait", "confirm", "profile"
	What        string // package or benchmark being worked on, or what is waited for
	Done, Total int    // processes, as far as planned
	Left        time.Duration
	// Expected is how long the rest of the measurement will take. It is sent once, in an event of
	// its own.
	Expected time.Duration
	// IfChanged is how long it will take if all benchmarks have changed, so that all are
	// confirmed and profiled.
	IfChanged time.Duration
	Warning   string   // if set, all other fields but Failure are empty
	Failure   *Failure // what the warning is about; may be nil
}

// A Failure is a package or benchmark that could not be measured. The others are measured
// anyway.
type Failure struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark,omitempty"` // "" for the whole package
	Side      string `json:"side,omitempty"`      // "base" or "head", with Against
	What      string `json:"what"`                // one line
	Output    string `json:"output,omitempty"`    // the end of the output of the compiler or benchmark
}

// A Skip is a benchmark, or sub-benchmark, that skips itself.
type Skip struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"`
	Side      string `json:"side,omitempty"` // "base" or "head", with Against, where not both do
	Why       string `json:"why,omitempty"`  // the first line of its message
}

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

// CodeNotes returns the notes of the run about tests and unchanged code.
func (r *Report) CodeNotes() []string { return r.code.CodeNotes() }

// An ID names a benchmark as experiment.Key does.
type ID = schedule.ID

// ErrNoBenchmarks means that no benchmark matched, or that none could be measured.
var ErrNoBenchmarks = errors.New("no benchmarks to measure")

func (f *Failure) kept() experiment.Failure {
	return experiment.Failure{Gap: experiment.Gap{Package: f.Package, Benchmark: f.Benchmark, Why: f.What}, Side: f.Side}
}

func (f *Failure) line() string { return benchLine(f.Package, f.Benchmark, f.Side, f.What) }

func (s *Skip) line() string { return benchLine(s.Package, s.Benchmark, s.Side, s.what()) }

func (s *Skip) what() string {
	if s.Why == "" {
		return "is skipped"
	}
	return "is skipped: " + s.Why
}

func benchLine(pkg, benchmark, side, what string) string {
	name := pkg
	if benchmark != "" {
		name += ".Benchmark" + benchmark
	}
	if side != "" {
		name += " (" + side + ")"
	}
	return name + ": " + what
}

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
