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
	// Expected is how long all that follows will take. It comes once, as soon as that is
	// known, with nothing else.
	Expected time.Duration
	// IfChanged is the same if everything that is compared has changed, which then is
	// confirmed and profiled.
	IfChanged time.Duration
	Warning   string   // if set, the rest is empty, but for
	Failure   *Failure // what the warning is about
}

// A Failure is a package or benchmark that could not be measured. It does
// not end the measurement of others.
type Failure struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark,omitempty"` // "" if all of the package is concerned
	Side      string `json:"side,omitempty"`      // "base" or "head", with Against
	What      string `json:"what"`                // one line
	Output    string `json:"output,omitempty"`    // of the compiler or benchmark, its end
}

// A Skip is a benchmark, or sub-benchmark, that skips itself.
type Skip struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"`
	Side      string `json:"side,omitempty"` // "base" or "head", with Against, where not both do
	Why       string `json:"why,omitempty"`  // what it says, its first line
}

// A Report is what came out, beside the run.
type Report struct {
	ID, Dir  string // of the run; "" with some errors
	Failures []Failure
	Skipped  []Skip
	// Unchanged are packages with the same test binary on both sides, New and
	// Gone benchmarks that only one side has, all as PACKAGE or PACKAGE.NAME.
	Unchanged, New, Gone []string
	Missing              []experiment.Gap // Gone, and what only the head skips
	SameCode             []ID             // that run nothing that changed
	// Tests says of packages whose tests differ whose were run, Base against what.
	Tests []experiment.TestOrigin
	Base  *experiment.Revision
	// NotBenchmarked are changed functions that none of the benchmarks runs.
	NotBenchmarked []string
	Family         *experiment.Family // nil without Against
	Changed        []ID               // benchmarks with a change in any unit
	Timing         *experiment.Timing // nil if it ended before that was known
	Warnings       []string           // told as events, and kept in the run

	otherChanges bool // beside NotBenchmarked
}

// CodeNotes are those of the run.
func (r *Report) CodeNotes() []string {
	i := experiment.Info{Base: r.Base}
	r.tellCode(&i)
	return i.CodeNotes()
}

// An ID names a benchmark as experiment.Key does.
type ID = schedule.ID

// ErrNoBenchmarks: nothing matched, or nothing of it could be measured.
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

// Unmeasured returns what was to be measured and was not: failures, and what the base
// has and the head does not, each once.
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
