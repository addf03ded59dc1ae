package compare

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// confidence is that of the intervals of rows; see attribution.shown.
const confidence = 0.95

// A bounded is a change and the interval that holds it.
type bounded struct{ value, lo, hi float64 }

// noise reports whether there may be no change at all.
func (b bounded) noise() bool { return b.lo <= 0 && 0 <= b.hi }

// A cost is what an operation costs, and how far off that may be to either
// side, one standard error each.
type cost struct{ value, below, above float64 }

// An attribution splits the change of a cost up by shares in the profiles of both
// sides: a part with the shares pb and ph of them changed by
//
//	d = ph·Ch − pb·Cb
//
// so that the changes of all parts add up to Ch − Cb. C are the costs of an
// operation; all is in terms of the base's as it was measured, so the error of
// the change is the head's alone. Of a side that is unseen shares are taken for 0:
// there they add up to what the other side costs.
type attribution struct {
	costs [2]cost
	total [2]weighed
}

// change returns the change of a part, which has these values in the profiles.
//
// The shares are of two profiles and the costs of other runs: four independent
// errors, whose squares add up,
//
//	lo = d − √( (Ch(ph−lh))² + (Cb(ub−pb))² + (z·ph·below(Ch))² + (z·pb·above(Cb))² )
//
// with the intervals [l, u] of the shares; hi is d plus the same with the other
// ends. For two shares that is method 10 of R. G. Newcombe, "Interval Estimation
// for the Difference Between Independent Proportions" (1998), and in general
// G. Y. Zou and A. Donner, "Construction of Confidence Limits About Effect
// Measures: A General Approach" (2008), which take an interval's ends for
// estimates of the variance there: next to no samples are behind many functions,
// where errors are not alike to both sides.
//
// What an unseen side is made of is no error, which another could make up for: the
// part may be all of it, so all of it counts.
func (a *attribution) change(part [2]weighed, z float64) bounded {
	var p, lo, hi [2]float64
	for i := range part {
		s := part[i].of(a.total[i])
		p[i] = s.p
		lo[i], hi[i] = s.interval(z)
	}
	base, head := a.costs[0], a.costs[1]
	d := p[1]*head.value - p[0]*base.value
	off := func(parts ...float64) float64 {
		sum := 0.0
		for _, v := range parts {
			sum += v * v
		}
		return math.Sqrt(sum)
	}
	b := bounded{
		d,
		d - off(head.value*(p[1]-lo[1]), base.value*(hi[0]-p[0]), z*partOf(p[1], head.below), z*partOf(p[0], base.above)),
		d + off(head.value*(hi[1]-p[1]), base.value*(p[0]-lo[0]), z*partOf(p[1], head.above), z*partOf(p[0], base.below)),
	}
	if a.unseen(0) {
		b.lo -= base.value + z*base.above
	}
	if a.unseen(1) {
		b.hi += head.value + z*head.above
	}
	return b
}

// unseen reports whether nothing is known of what a side's cost is made of: its
// profile is empty.
func (a *attribution) unseen(side int) bool {
	return a.total[side].value == 0 && a.costs[side].value > 0
}

// cost is what a part costs on a side, per operation; NaN if that is unseen.
func (a *attribution) cost(side int, w weighed) float64 {
	if a.unseen(side) {
		return math.NaN()
	}
	return w.of(a.total[side]).p * a.costs[side].value
}

// partOf is p of an error that may be unbounded.
func partOf(p, of float64) float64 {
	if p == 0 {
		return 0
	}
	return p * of
}

// leastSamples is how many samples a part needs on both sides together to be able
// to show a change: five on one and none on the other are just beyond the 95 %
// interval. Parts with fewer are noise whatever they are, and not tested.
const leastSamples = 5

// shown returns which of the parts changed beyond their noise, and at how many
// standard deviations their intervals are to be taken.
//
// Of a hundred functions that did not change, the 95 % intervals of five leave
// out zero, and those five would be the table. Intervals of what was chosen for
// its change have to be wider. With R of m parts shown, those at the level
// 1 − 0.05·R/m hold the true change of 95 % of the rows shown, on average, and
// where nothing changed there is a row in 5 % of all tables: Y. Benjamini and
// D. Yekutieli, "False Discovery Rate–Adjusted Multiple Confidence Intervals for
// Selected Parameters" (2005). R is the largest number of parts whose intervals
// at that level leave out zero.
func (a *attribution) shown(parts [][2]weighed) (some []int, z float64) {
	type tested struct {
		part     int
		critical float64 // at how many standard deviations the interval begins to hold zero
	}
	var all []tested
	for i, part := range parts {
		if part[0].of(a.total[0]).samples()+part[1].of(a.total[1]).samples() >= leastSamples {
			all = append(all, tested{i, a.critical(part)})
		}
	}
	slices.SortStableFunc(all, func(x, y tested) int { return -cmp.Compare(x.critical, y.critical) })
	level := func(rows int) float64 { return deviations(1 - (1-confidence)*float64(rows)/float64(max(1, len(all)))) }
	for rows := len(all); rows > 0; rows-- {
		if all[rows-1].critical > level(rows) {
			for _, t := range all[:rows] {
				some = append(some, t.part)
			}
			return some, level(rows)
		}
	}
	return nil, level(1)
}

// manyDeviations is beyond any level.
const manyDeviations = 40

// critical returns the number of standard deviations up to which the interval of
// a part's change leaves out zero.
func (a *attribution) critical(part [2]weighed) float64 {
	low, high := 0.0, float64(manyDeviations)
	if !a.change(part, high).noise() {
		return high
	}
	for range 40 {
		if middle := (low + high) / 2; a.change(part, middle).noise() {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// deviations returns how many standard deviations to either side of the mean
// a normal variable has a chance of level to be within: 1.96 of 0.95.
func deviations(level float64) float64 {
	if level >= 1 {
		return manyDeviations
	}
	return math.Sqrt2 * math.Erfinv(level)
}

// times returns how many times as many samples it takes to show that a part
// changed by as much as change, whichever of the parts it is: errors of shares
// shrink with the root of their number.
func (a *attribution) times(parts [][2]weighed, change float64) float64 {
	tested, widest := 0, 0.0
	for _, part := range parts {
		b, h := part[0].of(a.total[0]), part[1].of(a.total[1])
		if b.samples()+h.samples() < leastSamples {
			continue
		}
		tested++
		sum := 0.0
		for i, s := range []share{b, h} {
			sum += a.costs[i].value * a.costs[i].value * s.p * (1 - s.p) / s.n
		}
		widest = max(widest, math.Sqrt(sum))
	}
	z := deviations(1 - (1-confidence)/float64(max(1, tested)))
	return max(2, math.Pow(z*widest/change, 2))
}

// longEnough is a time that people give, of at least so many times as long.
func longEnough(profiled time.Duration, times float64) time.Duration {
	seconds := profiled.Seconds() * times
	for _, s := range []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600} {
		if seconds <= s {
			return time.Duration(s) * time.Second
		}
	}
	return time.Duration(math.Ceil(min(seconds, 1e8)/3600)) * time.Hour
}
