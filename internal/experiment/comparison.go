package experiment

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Power is the chance of finding a change of MinDetectable: the usual
// convention since J. Cohen, "Statistical Power Analysis" (1977).
const Power = 0.8

// A Comparison is what is known about one series.
type Comparison struct {
	Key
	Direction Direction

	Base, Head benchmath.Summary // medians with their own intervals, unpaired
	Pairs      int               // 0 if measured apart
	Scale      Scale
	// Exact says that counts were compared instead of samples: see exact.go.
	Exact bool

	// Change is the Hodges–Lehmann estimate over pairs, or over all differences
	// if measured apart: head/base or head−base.
	Change float64
	// Interval holds Change at the confidence 1−Alpha, for this series alone.
	Interval Interval
	// Gate is the interval that decides: wider, for the size of the family and
	// for having looked before. It leaves out Floor's bias exactly when the
	// correction lets the series count as changed.
	Gate Interval
	// P is the two-sided signed-rank p of "no change", for this series alone (of
	// sides measured apart that of the U test);
	// AdjustedP is that of "no change beyond the floor" after the correction.
	P, AdjustedP float64
	Budget       float64 // accepted worsening, as a fraction: 0.03
	Floor        Floor   // from the A/A pre-check; zero if there was none
	// MinDetectable is the smallest true change, as a fraction (0.03) or in
	// the unit on the scale Difference, that this measurement would have found
	// with a chance of Power. +Inf: no change is large enough with so few pairs.
	MinDetectable float64

	Verdict      Verdict
	Confirmation Confirmation
	// Beyond says that a change, as it is in the gate's interval, is one beyond the
	// budget. A worsening that may be within it doesn't fail a run.
	Beyond bool
	// Busy says that the machine was too busy to tell a change of the time from one of
	// its own: see clock.go.
	Busy bool
	// OtherBenchmark says that each side ran a benchmark of its own, whose difference
	// nobody can tell from the code's: see TestOrigin.
	OtherBenchmark bool
	// JudgedBy is the unit of the clock that decides, "" if it is this one.
	JudgedBy string
	Warnings []string

	// Gated says whether the series can fail a run: Options.Gated.
	Gated bool

	significant bool // the gate's interval lies beyond the floor
	sample      pairedSample
	recorded    *recorded // of one that was read from JSON: it has no samples
}

// Samples returns the number of samples of a side, also of a comparison that was read from JSON.
func (c *Comparison) Samples(side Side) int {
	if c.recorded != nil {
		return c.recorded.samples[side]
	}
	return len(c.Values(side))
}

// Values returns the samples of a side in the order measured. The caller does
// not change them.
func (c *Comparison) Values(side Side) []float64 {
	if side == Base {
		return c.sample.base
	}
	return c.sample.head
}

// UTest returns benchstat's test of the same values, which knows no pairs. It is
// computed when asked for: with ties the exact test takes milliseconds.
func (c *Comparison) UTest() benchmath.Comparison {
	base := benchmath.NewSample(slices.Clone(c.sample.base), &benchmath.DefaultThresholds)
	head := benchmath.NewSample(slices.Clone(c.sample.head), &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Compare(base, head)
}

// KeepsBudget reports whether the interval rules out a worsening beyond the budget, or
// beyond what the pre-check found between equal sides if that is more. It may be true of
// what is Inconclusive: [−6 %, +1 %] says nothing of a gain, but that it is no slower.
func (c *Comparison) KeepsBudget() bool {
	low, high := c.sample.within(max(c.Budget, c.Floor.Bias))
	lo, hi := c.sample.change(low), c.sample.change(high)
	return c.Direction == LowerIsBetter && c.Interval.Hi < hi || c.Direction == HigherIsBetter && c.Interval.Lo > lo
}

// Unknown reports whether nothing is known of the change: there were too few samples
// for any to be found, however large.
func (c *Comparison) Unknown() bool {
	return c.Verdict == Inconclusive && !c.Busy && !c.OtherBenchmark && math.IsInf(c.Interval.Hi, 1) && (c.Interval.Lo == 0 || math.IsInf(c.Interval.Lo, -1))
}

// Exceeds reports whether the gate's interval lies beyond a budget.
func (c *Comparison) Exceeds(budget float64) bool {
	if c.Direction == HigherIsBetter {
		return c.Gate.Hi < c.sample.change(c.sample.shift(-budget))
	}
	return c.Gate.Lo > c.sample.change(c.sample.shift(budget))
}
