package experiment

import (
	"math"
	"slices"

	"github.com/hone-go/hone/internal/experiment/rank"
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
// give a false alarm by chance; they would only blunt the others. Nor do they need a
// second run to confirm them: see Comparison.certain.
const (
	exactSpanUnits    = 1
	exactSpanFraction = 0.001
	// certainSamples is how many samples a side needs before a small change between
	// constant sides is certain: the first number with 2/C(2n, n) below 0.05. A count
	// that go test rounds now up, now down can be constant in fewer by chance.
	certainSamples = 4
)

// counts is what the rule says of a series.
type counts struct {
	change       float64
	interval     Interval
	p, adjustedP float64 // adjustedP is NaN where the correction decides
	detectable   float64
	chance       bool // could be different by chance
}

// compareExactly compares a sample by the rule above; ok is false if it doesn't apply.
func compareExactly(sample pairedSample, unit string) (c counts, ok bool) {
	base, head := sample.base, sample.head
	if len(base) < 2 || len(head) < 2 || !nearExact(base) || !nearExact(head) {
		return c, false
	}
	bLo, bHi, hLo, hHi := slices.Min(base), slices.Max(base), slices.Min(head), slices.Max(head)
	if sample.scale == Ratio {
		c.change = rank.Median(head) / rank.Median(base)
		c.interval = Interval{hLo / bHi, hHi / bLo, 1}
	} else {
		c.change = rank.Median(head) - rank.Median(base)
		c.interval = Interval{hLo - bHi, hHi - bLo, 1}
	}
	none := sample.scale.neutral()
	rounded := unit == "B/op" && max(bHi, hHi)-min(bLo, hLo) <= exactSpanUnits
	if rounded {
		c.interval.Lo, c.interval.Hi = min(c.interval.Lo, none), max(c.interval.Hi, none)
	}
	switch facts := constant(base) && constant(head); {
	case rounded, hLo <= bHi && bLo <= hHi:
		c.p, c.adjustedP = 1, 1
		c.change = none
		if facts && bLo == hLo {
			return c, true
		}
		c.detectable = max(bHi, hHi) - min(bLo, hLo)
		if m := math.Abs(rank.Median(base)); sample.scale == Ratio && m > 0 {
			c.detectable /= m
		}
	case facts: // p is 0
	default:
		c.p, c.adjustedP = rank.SeparationP(len(base), len(head)), math.NaN()
		c.chance = true
	}
	return c, true
}

// certain reports whether a change is a fact that needs no second run: all samples of a
// side are equal, and the sides differ. If they differ by no more than a near-exact side
// varies, each side needs certainSamples.
func (c *Comparison) certain() bool {
	if c.recorded != nil {
		return c.recorded.certain
	}
	base, head := c.sample.base, c.sample.head
	if !c.Exact || len(base) == 0 || len(head) == 0 || !constant(base) || !constant(head) {
		return false
	}
	return certainCounts(base[0], head[0], min(len(base), len(head)))
}

// certainCounts is certain for the only count of each side, and the smaller number of samples.
func certainCounts(base, head float64, samples int) bool {
	return base != head && (samples >= certainSamples || !nearExact([]float64{base, head}))
}

func constant(values []float64) bool { return slices.Min(values) == slices.Max(values) }

func nearExact(values []float64) bool {
	span := slices.Max(values) - slices.Min(values)
	return span <= max(exactSpanUnits, exactSpanFraction*math.Abs(rank.Median(values)))
}
