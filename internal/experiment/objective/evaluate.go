package objective

import (
	"fmt"
	"math"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/experiment"
)

// Evaluate applies objectives to the samples of the side Head. family is the
// confirmed comparison with a base, nil without one: budgets then are left out,
// as there is nothing to compare. profiles may be nil.
//
// A bound is missed when the median is beyond it and so is all of the median's
// 95 % interval. With fewer than six samples there is no such interval, and
// the median decides alone.
func Evaluate(objectives []Objective, series []experiment.Series, family *experiment.Family, profiles ProfileValues) []Outcome {
	var outcomes []Outcome
	for i := range objectives {
		o := &objectives[i]
		var some []Outcome
		switch {
		case o.Profile != nil:
			some = o.evaluateProfiles(series, profiles)
		default:
			for _, s := range series {
				if o.matches(s.Key) && sameUnit(o.Metric, s.Unit) {
					some = append(some, o.evaluateSeries(s)...)
				}
			}
			if family != nil && o.Budget != nil {
				some = append(some, o.evaluateBudget(family)...)
			}
		}
		if family != nil {
			some = append(some, o.evaluateMissing(family)...)
		}
		if len(some) == 0 && (o.Max != nil || o.Min != nil || family != nil) {
			some = []Outcome{o.noData(experiment.Key{}, fmt.Sprintf("no benchmark matches %q with the metric %s", o.Benchmark, o.Metric))}
		}
		outcomes = append(outcomes, some...)
	}
	return outcomes
}

// evaluateSeries gives an outcome per bound.
func (o *Objective) evaluateSeries(s experiment.Series) []Outcome {
	var values []float64
	for _, x := range s.Samples {
		if x.Side == experiment.Head {
			v, _ := benchunit.Tidy(x.Value, s.Unit)
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil
	}
	sum := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), 0.95)
	lo, hi := sum.Lo, sum.Hi
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		lo, hi = sum.Center, sum.Center
	}
	return o.evaluateBounds(s.Key, sum.Center, lo, hi, func(v float64) string { return quantity(v, o.Metric) })
}
