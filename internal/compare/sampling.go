package compare

import (
	"math"

	"github.com/hone-go/hone/profile"
)

// A weighed is a value of a profile with the variance that sampling gives it.
// Values of disjoint sets of samples add up, and so do their variances.
type weighed struct{ value, variance float64 }

func (w *weighed) add(o weighed) { w.value += o.value; w.variance += o.variance }

// weights returns the values of a profile's records of a sample type, weighed by
// the samples behind them.
//
// A CPU profile counts ticks of P nanoseconds. A record of k ticks, and it may be
// of many, has the value kP and, k being a Poisson variable, the variance kP².
//
// A heap profile takes each allocation of s bytes with the chance
//
//	q = 1 − exp(−s/rate)
//
// and counts it 1/q times (runtime/pprof, scaleHeapSample). The variance of such
// a sum over m allocations taken is estimated without bias by m w² (1−q), where
// w is what one of them counts for, 1/q objects or s/q bytes: D. G. Horvitz and
// D. J. Thompson, "A Generalization of Sampling Without Replacement from
// a Finite Universe" (1952). At a rate of 1 every allocation is taken: q = 1, and
// nothing is left to chance.
func weights(p *profile.Profile, index int) []weighed {
	values := p.Values[index]
	out := make([]weighed, len(values))
	objects, space := columnOf(p, "alloc_objects"), columnOf(p, "alloc_space")
	if kind := p.SampleTypes[index].Type; objects == nil || space == nil || kind != "alloc_objects" && kind != "alloc_space" {
		tick := tickOf(p, values)
		for s, v := range values {
			out[s] = weighed{float64(v), math.Abs(float64(v)) * tick}
		}
		return out
	}
	rate := float64(p.Period)
	if p.PeriodType.Type != "space" || rate <= 0 {
		rate = defaultMemRate
	}
	for s, v := range values {
		out[s].value = float64(v)
		n, bytes := math.Abs(float64(objects[s])), math.Abs(float64(space[s]))
		if rate <= 1 || n == 0 {
			continue
		}
		size := bytes / n
		q := -math.Expm1(-size / rate)
		if q == 0 {
			continue
		}
		// m w is the value, and w is its part for each of the objects, over q.
		out[s].variance = math.Abs(float64(v)) * math.Abs(float64(v)) / n * (1 - q) / q
	}
	return out
}

const (
	defaultMemRate = 512 << 10 // of the runtime, where a profile does not tell
	defaultTick    = 10e6      // ns: of the runtime, too
)

// tickOf is what one sample of a CPU profile stands for.
func tickOf(p *profile.Profile, values []int64) float64 {
	total, samples := 0.0, 0.0
	for _, v := range values {
		total += float64(v)
	}
	for _, v := range columnOf(p, "samples") {
		samples += float64(v)
	}
	switch {
	case samples > 0 && total > 0:
		return total / samples
	case p.Period > 0:
		return float64(p.Period)
	}
	return defaultTick
}

// columnOf returns the values of a sample type, nil if there is none.
func columnOf(p *profile.Profile, sampleType string) []int64 {
	for i, t := range p.SampleTypes {
		if t.Type == sampleType {
			return p.Values[i]
		}
	}
	return nil
}

// A share is a part of a profile.
type share struct {
	p float64
	n float64 // what number of equal samples would tell p as well; +Inf: it is exact
}

// of returns w's share of a total that it is a part of. The variance of a share,
// being a ratio, is that of its linear part (W. G. Cochran, "Sampling
// Techniques", 3rd edition, 1977, section 6.3),
//
//	Var p = ((1−p)² Var w + p² Var(rest)) / total²
//
// and n makes it that of a share in n samples, p(1−p)/n: the effective sample
// size of L. Kish, "Survey Sampling" (1965), section 8.2. For ticks that is their
// number. Where p is 0 or 1, it is that of the profile as a whole.
func (w weighed) of(total weighed) share {
	if total.value == 0 {
		return share{0, math.Inf(1)}
	}
	p := min(1, max(0, w.value/total.value))
	s := share{p, total.value * total.value / total.variance} // +Inf if all is exact
	v := ((1-p)*(1-p)*w.variance + p*p*max(0, total.variance-w.variance)) / (total.value * total.value)
	if v > 0 && p > 0 && p < 1 { // a sum of differences may be 0, and its variance not
		s.n = p * (1 - p) / v
	}
	return s
}

// samples is how many samples are behind a share.
func (s share) samples() float64 {
	if s.p == 0 {
		return 0
	}
	return s.p * s.n
}

// interval returns the interval of a share that excludes what is more than z
// standard deviations away: E. B. Wilson, "Probable Inference, the Law of
// Succession, and Statistical Inference" (1927). Unlike p ± z√(p(1−p)/n) it has
// a width where p is 0, as of a function that is new: it may have been there, and
// not been seen.
func (s share) interval(z float64) (lo, hi float64) {
	if math.IsInf(s.n, 1) || z == 0 {
		return s.p, s.p
	}
	zz := z * z / s.n
	center, half := (s.p+zz/2)/(1+zz), math.Sqrt(s.p*(1-s.p)*zz+zz*zz/4)/(1+zz)
	return min(s.p, max(0, center-half)), max(s.p, min(1, center+half))
}
