package experiment

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/hone-go/hone/internal/experiment/rank"
)

// An estimate is what a series says without the others: how large its change is, and how
// sure that is. The verdict needs the family.
type estimate struct {
	Key
	direction Direction
	budget    float64
	floor     Floor
	gated     bool // as Options.Gated says
	sample    pairedSample

	base, head benchmath.Summary
	crowded    bool // see isCrowded
	exact      bool // counts were compared: see exact.go
	chance     bool // could show a change where there is none

	change       float64
	interval     Interval
	p, adjustedP float64    // adjustedP of counts, if it needs no correction
	detectable   float64    // of counts
	shift        rank.Shift // of anything else that is comparable
	share        float64    // of the level, at the look where the series stopped

	warnings []string
}

// estimateSeries looks at one series.
func estimateSeries(s Series, q *question) estimate {
	opts := &q.opts
	usable, warnings := finiteSamples(s.Samples)
	e := estimate{
		Key: s.Key, direction: DirectionOf(s.Unit, opts.Units),
		budget: opts.budget(s.Key), floor: opts.Floors[s.Key], gated: opts.gated(s.Unit),
		sample: pair(usable), crowded: isCrowded(usable), share: 1,
		change: math.NaN(), p: math.NaN(), adjustedP: math.NaN(), detectable: math.Inf(1),
		warnings: warnings,
	}
	if q.apart {
		e.sample = unpaired(usable)
	}
	e.interval = unbounded(e.sample.scale, 1-opts.Alpha)
	e.base, e.head = summary(e.sample.base, opts), summary(e.sample.head, opts)
	if side, one := e.sample.onlySide(); one {
		e.warn("measured on the side %s only", side)
		return e
	}
	if opts.exact(s.Unit) || e.sample.isConstant() {
		if counts, ok := compareExactly(e.sample, s.Unit); ok {
			e.exact, e.chance = true, counts.chance
			e.change, e.interval = counts.change, counts.interval
			e.p, e.adjustedP, e.detectable = counts.p, counts.adjustedP, counts.detectable
			return e
		}
	}
	if e.sample.lonely > 0 {
		e.warn("%d samples have no partner in their block and are not compared", e.sample.lonely)
	}
	if e.floor.Bias > 0 {
		e.warn("the A/A pre-check found a change of %.1f %% where there was none: the machine is not quiet", 100*e.floor.Bias)
	}
	if !e.sample.comparable() {
		return e
	}
	e.shift = e.sample.estimate()
	e.change = e.sample.change(e.shift.Center())
	e.interval = e.sample.interval(e.shift, opts.Alpha)
	e.p = e.shift.TwoSided(0)
	if q.corrected() {
		e.share = lookAt(opts.Looks, len(e.sample.differences)).Share
	}
	e.chance = true
	return e
}

func (e *estimate) warn(format string, args ...any) {
	e.warnings = append(e.warnings, fmt.Sprintf(format, args...))
}

// finiteSamples leaves out values that no order or median is known of.
func finiteSamples(samples []Sample) (usable []Sample, warnings []string) {
	for _, x := range samples {
		if math.IsNaN(x.Value) || math.IsInf(x.Value, 0) {
			warnings = append(warnings, fmt.Sprintf("left out the value %v of %s in block %d", x.Value, x.Side, x.Block))
			continue
		}
		usable = append(usable, x)
	}
	return usable, warnings
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
