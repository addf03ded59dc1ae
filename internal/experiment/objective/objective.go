// Package objective reads hone.toml and compares what was measured with it.
//
//	objective.go  an objective, and what it applies to
//	read.go       finds the file
//	parse.go      its text, whose manual is doc/objectives.md
//	quantity.go   numbers with units
//	evaluate.go   objectives applied to samples, comparisons (budget.go) and
//	              profiles (profile.go); outcome.go is what comes of it
package objective

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchtext"
)

// FileName is the name of the file with a module's objectives.
const FileName = "hone.toml"

// MaxFile is how many bytes of it are read at most.
const MaxFile = 1 << 20

// An Objective is a bound on a metric, or a budget for its regressions.
// doc/objectives.md describes the file they come from.
type Objective struct {
	Name      string         // what to call it; "" if the file gives none
	Package   *regexp.Regexp // nil: any
	Benchmark *regexp.Regexp
	Metric    string // "ns/op", "share", "total/op"
	Max, Min  *Quantity
	Budget    *float64 // accepted worsening against a base, as a fraction

	Profile *ProfileMetric // nil for metrics of benchmark files

	Pos Position
}

// A ProfileMetric says which number of a benchmark's profile is meant.
type ProfileMetric struct {
	Kind       string         // "cpu", "mem": which file of the run
	SampleType string         // "alloc_space"; "": the profile's default
	Function   *regexp.Regexp // nil: all of the profile
	Flat       bool           // count only samples with the function as the leaf
	PerOp      bool           // total/op instead of share
}

// Applies reports whether an objective bounds a series of a benchmark file: its
// Max and Min, where given, are limits for the values of k. An objective on a
// profile applies to none.
func (o *Objective) Applies(k experiment.Key) bool {
	return o.Profile == nil && o.matches(k) && sameUnit(o.Metric, k.Unit)
}

// matches leaves out the CPU count, so that an objective holds on any machine;
// a pattern that names it matches as well.
func (o *Objective) matches(k experiment.Key) bool {
	if o.Package != nil && !o.Package.MatchString(k.Package) {
		return false
	}
	return o.Benchmark.MatchString(benchtext.WithoutProcs(k.Benchmark)) || o.Benchmark.MatchString(k.Benchmark)
}

func sameUnit(a, b string) bool {
	_, a = benchunit.Tidy(1, a)
	_, b = benchunit.Tidy(1, b)
	return a == b
}

func (o *Objective) label(k experiment.Key) string {
	var parts []string
	for _, p := range []string{o.Name, k.Package, k.Benchmark} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return o.Pos.String()
	}
	return strings.Join(parts, " ")
}

// A Position is a place in a file.
type Position struct {
	File         string
	Line, Column int // from 1; columns count bytes
}

func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// An Error is something wrong in an objectives file.
type Error struct {
	Pos   Position
	Cause error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Pos, e.Cause) }
func (e *Error) Unwrap() error { return e.Cause }
