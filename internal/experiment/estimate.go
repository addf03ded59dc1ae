package experiment

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// estimateSeries fills in all that does not depend on the rest of the family.
func estimateSeries(s Series, opts *Options) Comparison {
	c := Comparison{
		Key: s.Key, Direction: DirectionOf(s.Unit, opts.Units),
		Budget: opts.budget(s.Key), Floor: opts.Floors[s.Key],
		Gated: opts.gated(s.Unit),
		P:     math.NaN(), AdjustedP: math.NaN(), Change: math.NaN(), MinDetectable: math.Inf(1),
	}
	usable := make([]Sample, 0, len(s.Samples))
	for _, x := range s.Samples {
		if math.IsNaN(x.Value) || math.IsInf(x.Value, 0) {
			c.warn("left out the value %v of %s in block %d", x.Value, x.Side, x.Block)
			continue
		}
		usable = append(usable, x)
	}
	c.crowded = isCrowded(usable)
	c.sample = pair(usable)
	if opts.apart {
		c.sample = unpaired(usable)
	}
	c.Scale, c.Pairs = c.sample.scale, len(c.sample.differences)
	c.Interval, c.Gate = unbounded(c.Scale, 1-opts.Alpha), unbounded(c.Scale, 1-opts.Alpha)
	c.Base, c.Head = summary(c.sample.base, opts), summary(c.sample.head, opts)
	if len(c.sample.base) == 0 || len(c.sample.head) == 0 {
		c.Verdict = OneSided
		only := Base
		if len(c.sample.base) == 0 {
			only = Head
		}
		c.warn("measured on the side %s only", only)
		return c
	}
	if (opts.exact(s.Unit) || c.sample.isConstant()) && c.compareExactly() {
		return c
	}
	if c.sample.lonely > 0 {
		c.warn("%d samples have no partner in their block and are not compared", c.sample.lonely)
	}
	if c.Floor.Bias > 0 {
		c.warn("the A/A pre-check found a change of %.1f %% where there was none: the machine is not quiet", 100*c.Floor.Bias)
	}
	if !c.sample.comparable() {
		return c
	}
	e := c.sample.estimate()
	c.Change = c.sample.change(e.Center())
	c.Interval = c.sample.interval(e, opts.Alpha)
	c.P = e.TwoSided(0)
	if c.look = lookAt(opts.Looks, c.Pairs); opts.repeated != nil {
		c.look.Share = 1
	}
	c.tested = c.Gated
	return c
}

func (c *Comparison) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

// isCrowded reports whether more than half of the samples were taken on a crowded
// machine.
func isCrowded(samples []Sample) bool {
	n := 0
	for _, s := range samples {
		if s.Beside.Crowded() {
			n++
		}
	}
	return 2*n > len(samples)
}

// summary is zero of a side without samples.
func summary(values []float64, opts *Options) benchmath.Summary {
	if len(values) == 0 {
		return benchmath.Summary{}
	}
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds), 1-opts.Alpha)
}
