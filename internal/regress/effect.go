package regress

import (
	"math"
	"slices"
)

// counts are a function's events after the change, and those expected without it.
type counts struct {
	after, before float64
	expected      float64 // after, by the costs before
	paired        bool    // most instances existed before
	each          []instanceCount
}

// instanceCount are the counts of one instance.
type instanceCount struct {
	after, expected float64
	scale           float64 // of one event before, in expected
	same            bool    // it was there before
}

// counts compares each instance with itself before the change. If most instances are new,
// it compares them with all instances before.
func (s *sample) counts(f int, callees bool) counts {
	after, before := s.after.columns(callees), s.before.columns(callees)
	c := counts{}
	work, paired := 0.0, 0.0
	for i := range before {
		c.before += at(before[i], f)
		work += s.before.work[i]
	}
	all := 0.0
	for i, name := range s.after.instances {
		w := s.after.work[i]
		if w <= 0 {
			continue
		}
		one := instanceCount{after: at(after[i], f), expected: c.before * w / work, scale: w / work}
		// Half an hour tells what an instance's costs are; less varies too much by chance.
		if j := slices.Index(s.before.instances, name); j >= 0 && s.before.work[j] > w/4 {
			one.expected, one.scale, one.same = at(before[j], f)*w/s.before.work[j], w/s.before.work[j], true
			paired += w
		}
		c.after += one.after
		c.expected += one.expected
		all += w
		c.each = append(c.each, one)
	}
	if c.paired = paired > all/2; c.paired {
		c.each = slices.DeleteFunc(c.each, func(one instanceCount) bool { return !one.same })
		c.after, c.expected = 0, 0
		for _, one := range c.each {
			c.after += one.after
			c.expected += one.expected
		}
	}
	return c
}

// An effect is how much a function's cost changed.
type effect struct {
	f        int
	callees  bool
	log      float64 // logarithm of the ratio
	variance float64 // of log
	deviance float64 // log, but exact for few events
	doubt    float64 // squares of the parts of variance, each divided by its degrees of freedom
	z        float64 // as a normal deviate
	p        float64 // probability of as much growth by chance
	growth   float64 // as a share of all cost
	share    float64 // the function's share of all cost after the change
	amount   float64 // growth in the unit of the kind, per second of an instance or request
	new      bool    // hardly any cost before
	counts
}

// buildVariance is the variance between two builds of the same code, 0.3 % each: the linker
// lays functions out differently. doc/design/0022-regress.md has the source.
const buildVariance = 2 * 0.003 * 0.003

// effects returns the effects on functions that cost enough to look at.
func (s *sample) effects(o Options) []effect {
	after, before := s.after.total(), s.before.total()
	shift := s.shift(&after, &before)
	all := 0.0
	for _, v := range after.own {
		all += v
	}
	var out []effect
	for _, callees := range []bool{false, true} {
		spreads := s.spreads(callees)
		for f := range s.frames.Names {
			if s.frames.rest(int32(f)) {
				continue
			}
			c := s.counts(f, callees)
			const leastEvents = 20
			if c.after+c.expected < 2*max(o.MinShare*all, leastEvents) {
				continue
			}
			if callees && at(after.own, f) > 0.9*c.after {
				continue // it calls hardly anything, so this equals its own cost
			}
			e := effectOf(f, callees, c, spreads[f], shift, all)
			e.amount = e.growth * all * s.after.event / s.per()
			out = append(out, e)
		}
	}
	beyond := unexplained(out)
	for i := range out {
		out[i].judge(beyond)
	}
	return out
}

// effectOf returns the effect on one function, without its probability.
func effectOf(f int, callees bool, c counts, sp spread, shift, all float64) effect {
	rho := c.expected / max(c.before, 1e-9)
	if c.before == 0 {
		for _, one := range c.each {
			rho += one.scale
		}
	}
	usual := rho * math.Exp(shift+sp.season) // ratio without a cause
	e := effect{f: f, callees: callees, counts: c}
	e.log = math.Log((c.after + 0.5) / (c.before + 0.5) / usual)
	chance := 1/(c.after+0.5) + 1/(c.before+0.5)
	e.deviance = deviance(c.after, c.before, usual) * math.Sqrt(chance)
	k := float64(len(c.each))
	instances := sp.instances / k
	if !c.paired {
		instances *= 2 // other instances before differ as much
	}
	// Days differ because instances do, too.
	e.variance = chance + max(instances, sp.days) + sp.seasonVar + buildVariance + sp.load
	e.doubt = instances*instances/sp.instDf + (sp.days+sp.seasonVar)*(sp.days+sp.seasonVar)/sp.daysDf + 1e-18
	e.share = c.after / all
	e.growth = e.share - (c.before*usual)/all
	e.new = c.before*usual < c.after/20
	return e
}

// unexplained returns the variance that the effects on all functions have beyond what
// explains each: there are causes that earlier days and instances don't show, such as
// instances that came or went shortly before. It takes many functions to tell.
func unexplained(all []effect) float64 {
	var own []deviation
	for _, e := range all {
		if !e.callees {
			own = append(own, deviation{e.log, e.variance})
		}
	}
	n := float64(len(own))
	return scatter(own) * n / (n + priorDegrees)
}

// judge sets the probability of an effect, given variance that nothing explains.
func (e *effect) judge(unexplained float64) {
	e.variance += unexplained
	e.z = normal(e.deviance/math.Sqrt(e.variance), e.variance*e.variance/e.doubt)
	e.p = upperTail(e.z)
}

// deviance returns the signed root of the likelihood ratio of two Poisson counts, whose
// expected ratio is a/b = ratio. It is about a normal deviate, even for few events.
func deviance(a, b, ratio float64) float64 {
	p := ratio / (1 + ratio)
	term := func(n, expected float64) float64 {
		if n == 0 {
			return 0
		}
		return 2 * n * math.Log(n/expected)
	}
	d := math.Sqrt(max(0, term(a, (a+b)*p)+term(b, (a+b)*(1-p))))
	if a < (a+b)*p {
		return -d
	}
	return d
}

// normal returns the normal deviate with the probability of a value of Student's
// distribution (D. L. Wallace, "Bounds on normal approximations to Student's and the
// chi-square distributions", 1959).
func normal(t, degrees float64) float64 {
	d := min(degrees, 1e6)
	return math.Copysign((8*d+1)/(8*d+3)*math.Sqrt(d*math.Log1p(t*t/d)), t)
}

// upperTail returns the probability of a larger normal deviate.
func upperTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// interval returns the relative growth and its 95 % confidence interval.
func (e *effect) interval() (growth, low, high float64) {
	const normal95 = 1.96
	by := normal95 * math.Sqrt(e.variance)
	return math.Expm1(e.log), math.Expm1(e.log - by), math.Expm1(e.log + by)
}
