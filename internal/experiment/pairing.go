package experiment

import (
	"cmp"
	"math"
	"slices"

	"github.com/hone-go/hone/internal/experiment/rank"
)

// A Scale says how two values are compared.
type Scale uint8

const (
	// Ratio compares by head/base: noise of run time is multiplicative.
	Ratio Scale = iota
	// Difference compares by head−base, for series with values ≤ 0.
	Difference
)

// An Interval bounds the change: as a ratio head/base on the scale Ratio, as
// head−base in the unit on the scale Difference. Bounds are 0 and +Inf, or ∓Inf,
// when there are too few samples to bound it.
type Interval struct {
	Lo, Hi     float64
	Confidence float64
}

func unbounded(scale Scale, confidence float64) Interval {
	if scale == Ratio {
		return Interval{0, math.Inf(1), confidence}
	}
	return Interval{math.Inf(-1), math.Inf(1), confidence}
}

// neutral is the value of Change when nothing changed.
func (s Scale) neutral() float64 {
	if s == Ratio {
		return 1
	}
	return 0
}

// A pairedSample is a series after pairing.
type pairedSample struct {
	base, head  []float64 // all values, in the order measured
	differences []float64 // by pair: log ratios, or head−base
	scale       Scale
	lonely      int  // samples without a partner
	apart       bool // not interleaved: nobody has a partner
}

// unpaired is pair for sides that were measured apart.
func unpaired(samples []Sample) pairedSample {
	p := pair(samples)
	p.differences, p.lonely, p.apart = nil, 0, true
	return p
}

// comparable reports whether there is anything to compare.
func (p pairedSample) comparable() bool {
	return len(p.differences) > 0 || p.apart && len(p.base) > 0 && len(p.head) > 0
}

func (p pairedSample) estimate() rank.Shift {
	if !p.apart {
		return rank.Paired(p.differences)
	}
	base, head := p.base, p.head
	if p.scale == Ratio {
		base, head = logs(base), logs(head)
	}
	return rank.Unpaired(base, head)
}

func logs(values []float64) []float64 {
	l := make([]float64, len(values))
	for i, v := range values {
		l[i] = math.Log(v)
	}
	return l
}

// pair joins neighbours of opposite sides within a block: an ABBA block gives
// two pairs. Halves of blocks, rather than whole ones, since five whole blocks
// (ten samples a side) cannot reach p < 0.05: 2/2⁵ = 0.06.
//
// The price: the coin of Schedule turns both pairs of a block together, so with
// autocorrelated noise they are not quite independent. For AR(1) with ρ their
// correlation is ρ(1−ρ)/2 ≤ 1/8, and at ρ = ½ a nominal 5 % is 6.5 %; with a
// drift it is negative and the test conservative. The truth test holds the
// rate over families, where the confirming run halves it, below 5 %.
func pair(samples []Sample) pairedSample {
	sorted := slices.Clone(samples)
	slices.SortStableFunc(sorted, func(a, b Sample) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Order, b.Order))
	})
	var p pairedSample
	positive := true
	for _, s := range sorted {
		if s.Side == Base {
			p.base = append(p.base, s.Value)
		} else {
			p.head = append(p.head, s.Value)
		}
		positive = positive && s.Value > 0
	}
	if !positive {
		p.scale = Difference
	}
	for i := 0; i < len(sorted); {
		if i+1 == len(sorted) || sorted[i].Block != sorted[i+1].Block || sorted[i].Side == sorted[i+1].Side {
			p.lonely++
			i++
			continue
		}
		b, h := sorted[i].Value, sorted[i+1].Value
		if sorted[i].Side == Head {
			b, h = h, b
		}
		if p.scale == Ratio {
			p.differences = append(p.differences, math.Log(h/b))
		} else {
			p.differences = append(p.differences, h-b)
		}
		i += 2
	}
	return p
}

// shift turns a fraction (0.03: three percent more) into the scale of the
// differences.
func (p pairedSample) shift(fraction float64) float64 {
	if p.scale == Ratio {
		return math.Log1p(fraction)
	}
	return fraction * math.Abs(rank.Median(p.base))
}

// change is the way back, to what Comparison reports.
func (p pairedSample) change(shift float64) float64 {
	if p.scale == Ratio {
		return math.Exp(shift)
	}
	return shift
}

func (p pairedSample) interval(e rank.Shift, a float64) Interval {
	lo, hi := e.Interval(a)
	return Interval{p.change(lo), p.change(hi), 1 - a}
}

// within are the shifts of a change by less than a fraction.
func (p pairedSample) within(fraction float64) (lo, hi float64) {
	return p.shift(-fraction), p.shift(fraction)
}

// onlySide returns the side that has samples, if the other has none.
func (p pairedSample) onlySide() (only Side, one bool) {
	switch {
	case len(p.base) == 0:
		return Head, true
	case len(p.head) == 0:
		return Base, true
	}
	return Base, false
}

// isConstant reports whether two values a side or more are all the same.
func (p pairedSample) isConstant() bool {
	if len(p.base) < 2 || len(p.head) < 2 {
		return false
	}
	first := p.base[0]
	other := func(v float64) bool { return v != first }
	return !slices.ContainsFunc(p.base, other) && !slices.ContainsFunc(p.head, other)
}
