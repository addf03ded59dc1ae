package experiment

import (
	"math"

	"github.com/hone-go/hone/internal/experiment/rank"
)

// judge gives a series its verdict, from what it says itself, its role in the family and
// the level that the correction allows it.
func judge(e *estimate, r *role, l level, opts *Options) Comparison {
	c := Comparison{
		Key: e.Key, Direction: e.direction, Budget: r.budget, Floor: e.floor, Gated: r.gated,
		Base: e.base, Head: e.head, Pairs: len(e.sample.differences), Scale: e.sample.scale, Exact: e.exact,
		Change: e.change, Interval: e.interval, P: e.p, AdjustedP: l.adjustedP,
		Gate: unbounded(e.sample.scale, 1-opts.Alpha), MinDetectable: e.detectable,
		OtherBenchmark: r.otherBenchmark, JudgedBy: r.judgedBy, Warnings: e.warnings, sample: e.sample,
	}
	if e.exact {
		c.Gate = e.interval
	}
	var v ruling
	_, oneSided := e.sample.onlySide()
	switch {
	case r.sameCode:
		v.verdict, c.Warnings = SameCode, nil
	case oneSided:
		v.verdict = OneSided
	case e.exact:
		v = judgeCounts(&c, l.rejected)
	case e.sample.comparable():
		c.Gate = e.sample.interval(e.shift, l.alpha)
		c.MinDetectable = minDetectable(e, l.alpha)
		v = judgeShift(&c, e, r, l.alpha, opts)
	}
	switch {
	case r.judgedBy != "":
		v.verdict, v.beyond, v.busy = OtherClock, false, false
	case r.otherBenchmark && v.verdict != OneSided:
		v.verdict, v.beyond, v.busy = Inconclusive, false, false
	}
	c.Verdict, c.Beyond, c.Busy, c.significant = v.verdict, v.beyond, v.busy, v.significant
	return c
}

// A ruling is a verdict and what belongs to it; see Comparison.
type ruling struct {
	verdict                   Verdict
	beyond, busy, significant bool
}

// judgeShift rules on a series at level a of its own.
func judgeShift(c *Comparison, e *estimate, r *role, a float64, opts *Options) ruling {
	lo, hi := e.shift.Interval(a)
	low, high := e.sample.within(c.Floor.Bias)
	sign := LowerIsBetter
	switch {
	case lo > high:
		sign = HigherIsBetter
	case hi < low:
	default:
		return ruling{verdict: judgeSmall(c, opts)}
	}
	if busy(e, r, sign) {
		return ruling{busy: true}
	}
	low, high = e.sample.within(max(c.Budget, c.Floor.Bias))
	v := ruling{verdict: towards(c.Direction, sign), beyond: lo > high || hi < low, significant: true}
	if v.verdict == Worse && c.KeepsBudget() {
		v.verdict = WithinBudget
	}
	return v
}

// judgeSmall tells apart what is not a change: a small one, and not knowing.
func judgeSmall(c *Comparison, opts *Options) Verdict {
	n, i := c.Scale.neutral(), c.Interval
	lo, hi := c.sample.change(c.sample.shift(-opts.Resolution)), c.sample.change(c.sample.shift(opts.Resolution))
	if lo < i.Lo && i.Hi < hi || i.Lo == n && i.Hi == n {
		return NoChange
	}
	low, high := c.sample.within(max(c.Budget, opts.Resolution))
	if c.Budget > 0 && c.KeepsBudget() && i.Lo > c.sample.change(low) && i.Hi < c.sample.change(high) {
		return WithinBudget // and no gain is missed by more
	}
	return Inconclusive
}

// judgeCounts rules on counts; significant is what the correction says of near-exact ones.
func judgeCounts(c *Comparison, significant bool) ruling {
	n, i := c.Scale.neutral(), c.Interval
	low, high := margins(c)
	lo, hi := c.sample.change(low), c.sample.change(high)
	v := ruling{beyond: true} // counts up to the budget are within it
	switch {
	case i.Lo <= n && n <= i.Hi:
		v.verdict = NoChange
	case !significant:
		v.verdict = Inconclusive
	case i.Lo > hi:
		v.verdict = towards(c.Direction, +1)
	case i.Hi < lo:
		v.verdict = towards(c.Direction, -1)
	case i.Lo > n && i.Hi <= hi, i.Hi < n && i.Lo >= lo:
		v.verdict = WithinBudget
	}
	return v
}

// towards is the verdict of a change of the sign, in a unit of a direction.
func towards(better, sign Direction) Verdict {
	switch better {
	case UnknownBetter:
		return Differs
	case sign:
		return Better
	}
	return Worse
}

// margins are the shifts of counts that are accepted, below and above zero.
func margins(c *Comparison) (lo, hi float64) {
	worse, better := max(c.Budget, c.Floor.Bias), c.Floor.Bias
	switch c.Direction {
	case LowerIsBetter:
		return c.sample.shift(-better), c.sample.shift(worse)
	case HigherIsBetter:
		return c.sample.shift(-worse), c.sample.shift(better)
	default:
		return c.sample.shift(-worse), c.sample.shift(worse)
	}
}

// detectableShift returns the smallest shift beyond the margin found with a chance of Power
// at level a.
//
// Half of the width of the gate's interval estimates z(1−a/2)·SE, with SE the
// standard error of the Hodges–Lehmann estimate: E. L. Lehmann, "Nonparametric
// Confidence Intervals for a Shift Parameter" (1963). A shift δ is found when
// the estimate exceeds margin + z(1−a/2)·SE, which has the chance Power at
//
//	δ = margin + (z(1−a/2) + z(Power))·SE = margin + h·(1 + z(Power)/z(1−a/2))
//
// For normal noise of standard deviation σ per pair this is G. E. Noether's
// formula ("Sample Size Determination for Some Common Nonparametric Tests",
// 1987), δ = (z(1−a/2)+z(Power))·σ·√(π/3n), without assuming normality.
func detectableShift(halfWidth, margin, a float64) float64 {
	return margin + halfWidth*(1+rank.NormalQuantile(Power)/rank.NormalQuantile(1-a/2))
}

// minDetectable returns Comparison.MinDetectable of a series at level a.
func minDetectable(e *estimate, a float64) float64 {
	lo, hi := e.shift.Interval(a)
	m := detectableShift((hi-lo)/2, e.sample.shift(e.floor.Bias), a)
	if e.sample.scale == Ratio {
		m = math.Expm1(m)
	}
	return m
}
