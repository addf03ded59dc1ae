package regress

import (
	"cmp"
	"math"
	"slices"
)

// spread says how much a function's cost varies without a cause. Variances are of the
// logarithm of a ratio: 0.0001 is a standard deviation of about 1 %.
type spread struct {
	season    float64 // usual logarithm of the ratio at this time of day
	seasonVar float64 // of season
	days      float64 // from day to day, beyond chance
	instances float64 // among instances, beyond chance, of one instance's ratio
	load      float64 // of the load
	daysDf    float64 // degrees of freedom of days
	instDf    float64 // and of instances
}

// priorDegrees are the degrees of freedom of what all functions together say about the
// variance of one: the prior of G. K. Smyth, "Linear models and empirical Bayes methods
// for assessing differential expression in microarray experiments" (2004), fixed instead
// of estimated.
const priorDegrees = 20

// spreads returns the spread of each function, own or with callees.
func (s *sample) spreads(callees bool) []spread {
	out := make([]spread, len(s.frames.Names))
	s.addDays(out, callees)
	s.addInstances(out, callees)
	for f := range out {
		out[f].load = s.load.variance
	}
	return out
}

// logRatio returns the logarithm of (a/wa)/(b/wb), and its variance for a and b events.
// Half an event more on both sides keeps it finite (F. J. Anscombe, 1956).
func logRatio(a, wa, b, wb float64) (log, variance float64) {
	return math.Log((a + 0.5) / (b + 0.5) * wb / wa), 1/(a+0.5) + 1/(b+0.5)
}

// shift returns by what all costs of the sample moved without a cause, as a logarithm.
// Amounts are comparable as they are, except for the load.
func (s *sample) shift(after, before *total) float64 {
	switch {
	case s.amount && s.perRequest:
		return 0
	case s.amount:
		return s.explained(s.load.log)
	}
	moved := shiftOf(after, before)
	if !s.perRequest {
		return moved
	}
	past := make([]float64, len(s.past))
	for i := range s.past {
		past[i] = shiftOf(&s.past[i].after, &s.past[i].before)
	}
	return common(moved, past)
}

// leastCommon is how much all costs per request move without a cause, at least.
const leastCommon = 0.05

// common returns the part of a move of all costs per request that has no cause, given the
// moves on earlier days. The mix of requests and the sample of the time that is profiled
// make a small move; it would hide small changes of functions. A large one is a change of
// the whole service, so only what is usual at this time of day has no cause.
func common(moved float64, past []float64) float64 {
	mean, variance := 0.0, 0.0
	for _, m := range past {
		mean += m / float64(len(past))
	}
	for _, m := range past {
		variance += (m - mean) * (m - mean) / float64(max(1, len(past)-1))
	}
	const deviations = 3
	if math.Abs(moved-mean) <= max(leastCommon, deviations*math.Sqrt(variance)) {
		return moved
	}
	return mean
}

// shiftOf returns the logarithm of the ratio that most of the cost has: the median of the
// functions' ratios, weighted by cost. If one function becomes cheaper, the shares of all
// others rise; the median tells that they cost what they did. The idea is from S. Anders
// and W. Huber, "Differential expression analysis for sequence count data" (2010).
func shiftOf(after, before *total) float64 {
	type ratio struct{ log, weight float64 }
	var all []ratio
	sum := 0.0
	for f := range max(len(after.own), len(before.own)) {
		a, b := at(after.own, f), at(before.own, f)
		if min(a, b) < 10 {
			continue
		}
		log, v := logRatio(a, after.work, b, before.work)
		all = append(all, ratio{log, 1 / (v + 1e-4)})
		sum += 1 / (v + 1e-4)
	}
	slices.SortFunc(all, func(x, y ratio) int { return cmp.Compare(x.log, y.log) })
	half := 0.0
	for _, r := range all {
		if half += r.weight; half >= sum/2 {
			return r.log
		}
	}
	return 0
}

// excess is how much a function's variance exceeds chance, and the variance by chance.
type excess struct {
	f              int
	beyond, chance float64
}

// addInstances sets how much the change differs among instances.
func (s *sample) addInstances(out []spread, callees bool) {
	var all []excess
	degrees := make([]float64, len(out))
	for f := range out {
		c := s.counts(f, callees)
		residual, chance, ok := residualOf(c)
		if !ok {
			continue
		}
		degrees[f] = float64(len(c.each) - 1)
		all = append(all, excess{f, (residual - 1) * chance, chance})
	}
	usual := prior(all)
	for f := range out {
		out[f].instances, out[f].instDf = usual, priorDegrees
	}
	for _, e := range all {
		out[e.f].instances = shrink(usual, max(e.beyond, 0), degrees[e.f])
		out[e.f].instDf = priorDegrees + degrees[e.f]
	}
}

// dispersion returns how many times as much as by chance an amount typically varies among
// instances, at least 1: the median over functions.
func (s *sample) dispersion() float64 {
	if !s.amount {
		return 1
	}
	var all []float64
	for f := range s.frames.Names {
		if residual, _, ok := residualOf(s.counts(f, false)); ok {
			all = append(all, residual)
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	return max(1, all[len(all)/2])
}

// residualOf returns how many times as much as by chance instances differ in their change,
// and the variance of an instance's change by chance.
func residualOf(c counts) (residual, chance float64, ok bool) {
	if len(c.each) < 2 || c.after < 10 || c.expected < 10 {
		return 0, 0, false
	}
	r, k := c.after/c.expected, float64(len(c.each))
	for _, one := range c.each {
		v := r*one.expected*(1+r*one.scale) + 0.5
		residual += (one.after - r*one.expected) * (one.after - r*one.expected) / v / (k - 1)
		chance += v / max(r*one.expected*r*one.expected, 0.25) / k
	}
	return residual, chance, true
}

// shrink moves a function's variance, with its degrees of freedom, towards that of all
// functions.
func shrink(usual, own, degrees float64) float64 {
	return (priorDegrees*usual + degrees*own) / (priorDegrees + degrees)
}

// prior returns the mean excess of functions. Those that vary little by chance have more
// weight. The largest twentieth is left out, so that a few unusual functions don't decide.
func prior(all []excess) float64 {
	if len(all) == 0 {
		return 1e-4
	}
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b excess) int { return cmp.Compare(a.beyond/a.chance, b.beyond/b.chance) })
	sum, weights := 0.0, 0.0
	for _, e := range sorted[:len(sorted)-len(sorted)/20] {
		w := 1 / (e.chance + 1e-5) / (e.chance + 1e-5)
		sum += e.beyond * w
		weights += w
	}
	return max(sum/weights, 1e-7)
}
