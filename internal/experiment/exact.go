package experiment

import (
	"math"
	"slices"
)

// Allocation counts hardly vary: most benchmarks give the same B/op and
// allocs/op each time, and the rest differ by a few bytes that a map's growth
// or a pool's refill leaves over. For such series a test that ranks noise is
// blunt: three equal values a side cannot be "significant", yet one allocation
// more is certain.
//
// The rule, per series of an exact unit with two values a side or more:
//
//   - A side is near-exact when its values span at most one unit, or a
//     thousandth of their median.
//   - Both sides near-exact and their ranges apart: changed. For constant
//     sides that is a fact, p = 0. Otherwise all of one side lie beyond all of
//     the other, p = 2/C(n+m, n), and the correction decides.
//   - Both near-exact, ranges overlap: no change.
//   - B/op that differ by no more than a byte: no change. go test rounds down what
//     was allocated meanwhile, by whomever, divided by the iterations; of few
//     iterations some hundred bytes of the runtime's decide between 7 and 8. An
//     allocation has 8 bytes at least, and allocs/op tells of it.
//   - Else the series is compared as any other.
//
// A series of any unit that has one value throughout, on both sides, is taken as
// not changed without a test.
//
// The interval is the range of quotients (differences if a value is 0), without
// a confidence level: 1.
//
// Constant series are not part of the family for the correction, as they cannot
// give a false alarm by chance; they would only blunt the others.
const (
	exactSpanUnits    = 1
	exactSpanFraction = 0.001
)

// compareExactly reports whether the rule above settles the series.
func (c *Comparison) compareExactly() bool {
	base, head := c.sample.base, c.sample.head
	if len(base) < 2 || len(head) < 2 || !nearExact(base) || !nearExact(head) {
		return false
	}
	bLo, bHi, hLo, hHi := slices.Min(base), slices.Max(base), slices.Min(head), slices.Max(head)
	c.Exact = true
	if c.Scale == Ratio {
		c.Change = median(head) / median(base)
		c.Interval = Interval{hLo / bHi, hHi / bLo, 1}
	} else {
		c.Change = median(head) - median(base)
		c.Interval = Interval{hLo - bHi, hHi - bLo, 1}
	}
	rounded := c.Unit == "B/op" && max(bHi, hHi)-min(bLo, hLo) <= exactSpanUnits
	if none := c.Scale.neutral(); rounded {
		c.Interval.Lo, c.Interval.Hi = min(c.Interval.Lo, none), max(c.Interval.Hi, none)
	}
	c.Gate = c.Interval
	c.MinDetectable = 0
	switch constant := bLo == bHi && hLo == hHi; {
	case rounded, hLo <= bHi && bLo <= hHi:
		c.P, c.AdjustedP = 1, 1
		c.Change = c.Scale.neutral()
		if constant && bLo == hLo {
			return true
		}
		c.MinDetectable = max(bHi, hHi) - min(bLo, hLo)
		if m := math.Abs(median(base)); c.Scale == Ratio && m > 0 {
			c.MinDetectable /= m
		}
	case constant:
		c.P, c.AdjustedP = 0, 0
	default:
		c.P = separationP(len(base), len(head))
		c.tested = c.Gated
	}
	return true
}

func nearExact(values []float64) bool {
	span := slices.Max(values) - slices.Min(values)
	return span <= max(exactSpanUnits, exactSpanFraction*math.Abs(median(values)))
}

// separationP is the two-sided p value of the U test when the sides do not
// overlap: two of C(n+m, n) orders.
func separationP(n, m int) float64 {
	orders := 1.0
	for i := 1; i <= n; i++ {
		orders *= float64(m+i) / float64(i)
	}
	return min(1, 2/orders)
}
