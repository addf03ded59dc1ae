package bench

import (
	"errors"
	"time"

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

func (f *Failure) kept() experiment.Failure {
	return experiment.Failure{Gap: experiment.Gap{Package: f.Package, Benchmark: f.Benchmark, Why: f.What}, Side: f.Side}
}

func (f *Failure) line() string { return benchLine(f.Package, f.Benchmark, f.Side, f.What) }

// A Skip is a benchmark, or sub-benchmark, that skips itself.
type Skip struct {
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"`
	Side      string `json:"side,omitempty"` // "base" or "head", with Against, where not both do
	Why       string `json:"why,omitempty"`  // the first line of its message
}

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

// ErrNoBenchmarks means that no benchmark matched, or that none could be measured.
var ErrNoBenchmarks = errors.New("no benchmarks to measure")
