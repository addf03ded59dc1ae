package objective

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/experiment"
)

// BudgetOf returns the budget for a series: the smallest of the objectives that
// match, DefaultBudget if none does. It is experiment.Options.Budget.
func BudgetOf(objectives []Objective) func(experiment.Key) float64 {
	return func(k experiment.Key) float64 {
		budget, found := 0.0, false
		for i := range objectives {
			o := &objectives[i]
			if o.Budget != nil && o.matches(k) && sameUnit(o.Metric, k.Unit) && (!found || *o.Budget < budget) {
				budget, found = *o.Budget, true
			}
		}
		if !found {
			return experiment.DefaultBudget(k)
		}
		return budget
	}
}

// GatedBy is Options.Gated: the default, and every unit with a budget.
func GatedBy(objectives []Objective) func(unit string) bool {
	return func(unit string) bool {
		return experiment.GatedByDefault(unit) || slices.ContainsFunc(objectives, func(o Objective) bool {
			return o.Budget != nil && sameUnit(o.Metric, unit)
		})
	}
}

func (o *Objective) evaluateBudget(f *experiment.Family) []Outcome {
	var outcomes []Outcome
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		if !o.matches(c.Key) || !sameUnit(o.Metric, c.Unit) || len(c.Values(experiment.Head)) == 0 {
			continue
		}
		if c.JudgedBy != "" {
			c = f.Of(experiment.Key{Package: c.Package, Benchmark: c.Benchmark, Unit: c.JudgedBy})
		}
		out := Outcome{Objective: o, Key: c.Key, Bound: o.budgetText()}
		if c.Verdict == experiment.SameCode {
			continue // below
		}
		if c.Verdict == experiment.OneSided { // a new benchmark, or one whose program is the same
			out.Value, out.Lo, out.Hi = math.NaN(), math.NaN(), math.NaN()
			out.Text = fmt.Sprintf("%s: %s was not measured on the side %s, %s: %s", o.label(c.Key), c.Unit, experiment.Base, out.Bound, out.Status)
			outcomes = append(outcomes, out)
			continue
		}
		if c.Unknown() {
			base, head := len(c.Values(experiment.Base)), len(c.Values(experiment.Head))
			outcomes = append(outcomes, o.noData(c.Key, fmt.Sprintf("too few samples to find any change of %s, %d and %d: measure with -count 10", c.Unit, base, head)))
			continue
		}
		out.Value, out.Lo, out.Hi = c.Change, c.Gate.Lo, c.Gate.Hi
		if c.Scale == experiment.Ratio {
			out.Value, out.Lo, out.Hi = c.Change-1, c.Gate.Lo-1, c.Gate.Hi-1
		}
		switch {
		case c.Verdict == experiment.Worse && !c.Exceeds(*o.Budget) && *o.Budget > c.Budget:
			// The family was judged by a smaller budget, of another objective.
		case f.Regressed(c), f.Apart && c.Verdict == experiment.Worse && c.Beyond:
			out.Status = Missed // kept runs are taken as they are: nothing can confirm them
		case c.Verdict == experiment.Worse, c.Verdict == experiment.Inconclusive:
			out.Status = Uncertain
		}
		v, unit := benchunit.Tidy(out.Value, c.Unit)
		change := benchunit.Scale(v, benchunit.ClassOf(unit)) + " " + unit
		if v > 0 {
			change = "+" + change
		}
		if c.Scale == experiment.Ratio {
			change = fmt.Sprintf("%+.2f%% %s", 100*out.Value, c.Unit)
		}
		out.Text = fmt.Sprintf("%s: %s, %s, %s: %s", o.label(c.Key), change, c.Words(), out.Bound, out.Status)
		outcomes = append(outcomes, out)
	}
	for _, b := range f.SameCode {
		k := experiment.Key{Package: b.Package, Benchmark: b.Benchmark, Unit: o.Metric}
		if o.matches(k) {
			out := Outcome{Objective: o, Key: k, Bound: o.budgetText(), Status: Met, Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
			out.Text = fmt.Sprintf("%s: %s, %s, %s: %s", o.label(k), o.Metric, experiment.SameCodeWords, out.Bound, out.Status)
			outcomes = append(outcomes, out)
		}
	}
	return outcomes
}

func (o *Objective) budgetText() string { return fmt.Sprintf("budget %.3g%%", 100**o.Budget) }

// evaluateMissing gives an outcome for each series, or benchmark or package, of the
// base that the head lacks.
func (o *Objective) evaluateMissing(f *experiment.Family) []Outcome {
	var outcomes []Outcome
	for _, g := range f.Missing {
		k := experiment.Key{Package: g.Package, Benchmark: g.Benchmark, Unit: o.Metric}
		if g.Unit != "" && !sameUnit(o.Metric, g.Unit) || g.Benchmark != "" && !o.matches(k) || o.Package != nil && !o.Package.MatchString(g.Package) {
			continue
		}
		if g.Unit == "" && o.Profile == nil && hadOtherUnits(f, k) {
			continue
		}
		outcomes = append(outcomes, o.noData(k, o.Metric+" is missing: "+g.Why))
	}
	return outcomes
}

// hadOtherUnits reports whether the base measured a benchmark, but not in the unit.
func hadOtherUnits(f *experiment.Family, k experiment.Key) bool {
	measured := false
	for i := range f.Comparisons {
		if c := &f.Comparisons[i]; c.Name() == k.Name() {
			if sameUnit(c.Unit, k.Unit) {
				return false
			}
			measured = true
		}
	}
	return measured
}
