package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

// ProfileValues gives numbers of profiles to Evaluate, which reads none itself.
type ProfileValues interface {
	// ProfileValue returns the metric of one benchmark's profile of the side
	// Head: a fraction for a share, else an amount per operation in seconds,
	// bytes or plain. It returns ErrNoProfile (wrapped or not) if the run has
	// no such profile. It is called from one goroutine.
	ProfileValue(pkg, benchmark string, m ProfileMetric) (Quantity, error)
}

// ErrNoProfile: the run has no profile of the kind an objective asks for.
var ErrNoProfile = errors.New("the run has no such profile")

// A Status says how an objective fares.
type Status uint8

const (
	Met Status = iota
	Missed
	// Uncertain: the median misses the bound, but its interval reaches the
	// other side; or the comparison with the base is inconclusive.
	Uncertain
	// NoData: nothing matches, or the run has no such profile or no base. An
	// objective that is not measured is not met.
	NoData
)

func (s Status) String() string {
	return [...]string{"met", "missed", "uncertain", "no data"}[s]
}

// Fails reports whether a gate stops at the status.
func (s Status) Fails() bool { return s == Missed || s == NoData }

// An Outcome is an objective applied to one series.
type Outcome struct {
	Objective *Objective
	Key       Key // empty for NoData without a match
	Bound     string
	Status    Status
	// Value and its interval in the unit of the metric; for a budget, the
	// change as a fraction. NaN without data.
	Value, Lo, Hi float64
	Text          string // one line for people
}

// Evaluate applies objectives to the samples of the side Head. family is the
// confirmed comparison with a base, nil without one: budgets then are left out,
// as there is nothing to compare. profiles may be nil.
//
// A bound is missed when the median is beyond it and so is all of the median's
// 95 % interval. With fewer than six samples there is no such interval, and
// the median decides alone.
func Evaluate(objectives []Objective, series []Series, family *Family, profiles ProfileValues) []Outcome {
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
			some = []Outcome{o.noData(Key{}, fmt.Sprintf("no benchmark matches %q with the metric %s", o.Benchmark, o.Metric))}
		}
		outcomes = append(outcomes, some...)
	}
	return outcomes
}

// BudgetOf returns the budget for a series: the smallest of the objectives that
// match, DefaultBudget if none does. It is Options.Budget.
func BudgetOf(objectives []Objective) func(Key) float64 {
	return func(k Key) float64 {
		budget, found := 0.0, false
		for i := range objectives {
			o := &objectives[i]
			if o.Budget != nil && o.matches(k) && sameUnit(o.Metric, k.Unit) && (!found || *o.Budget < budget) {
				budget, found = *o.Budget, true
			}
		}
		if !found {
			return DefaultBudget(k)
		}
		return budget
	}
}

// GatedBy is Options.Gated: the default, and every unit with a budget.
func GatedBy(objectives []Objective) func(unit string) bool {
	return func(unit string) bool {
		return GatedByDefault(unit) || slices.ContainsFunc(objectives, func(o Objective) bool {
			return o.Budget != nil && sameUnit(o.Metric, unit)
		})
	}
}

// matches leaves out the CPU count, so that an objective holds on any machine;
// a pattern that names it matches as well.
func (o *Objective) matches(k Key) bool {
	if o.Package != nil && !o.Package.MatchString(k.Package) {
		return false
	}
	return o.Benchmark.MatchString(withoutProcs(k.Benchmark)) || o.Benchmark.MatchString(k.Benchmark)
}

func sameUnit(a, b string) bool {
	_, a = benchunit.Tidy(1, a)
	_, b = benchunit.Tidy(1, b)
	return a == b
}

func (o *Objective) label(k Key) string {
	var parts []string
	for _, p := range []string{o.Name, k.Package, k.Benchmark} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return o.Pos.String()
	}
	return strings.Join(parts, " ")
}

// evaluateSeries gives an outcome per bound.
func (o *Objective) evaluateSeries(s Series) []Outcome {
	var values []float64
	for _, x := range s.Samples {
		if x.Side == Head {
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
	return o.evaluateBounds(s.Key, sum.Center, lo, hi, func(v float64) string { return shortNumber(v) + " " + o.Metric })
}

// shortNumber prints four significant digits, or the integer, without an
// exponent where a person would not write one.
func shortNumber(v float64) string {
	if a := math.Abs(v); a >= 1e4 && a < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return fmt.Sprintf("%.4g", v)
}

// shown prints a value of a profile.
func (d Dimension) shown(v float64, metric string) string {
	switch d {
	case Fraction:
		return fmt.Sprintf("%.3g%% %s", 100*v, metric)
	case Time:
		return benchunit.Scale(v, benchunit.Decimal) + "s " + metric
	case Bytes:
		return benchunit.Scale(v, benchunit.Binary) + "B " + metric
	}
	return shortNumber(v) + " " + metric
}

// evaluateBounds takes values in tidied units; show prints one in the metric's.
func (o *Objective) evaluateBounds(k Key, value, lo, hi float64, show func(float64) string) []Outcome {
	scale, _ := benchunit.Tidy(1, o.Metric)
	if o.Profile != nil {
		scale = 1
	}
	var outcomes []Outcome
	add := func(bound *Quantity, sign string, beyond, surely bool) {
		if bound == nil {
			return
		}
		out := Outcome{Objective: o, Key: k, Bound: sign + " " + bound.Text, Value: value / scale, Lo: lo / scale, Hi: hi / scale}
		switch {
		case surely:
			out.Status = Missed
		case beyond:
			out.Status = Uncertain
		}
		out.Text = fmt.Sprintf("%s: %s, objective %s: %s", o.label(k), show(out.Value), out.Bound, out.Status)
		outcomes = append(outcomes, out)
	}
	if o.Max != nil {
		add(o.Max, "<=", value > o.Max.Value, lo > o.Max.Value)
	}
	if o.Min != nil {
		add(o.Min, ">=", value < o.Min.Value, hi < o.Min.Value)
	}
	return outcomes
}

func (o *Objective) evaluateBudget(f *Family) []Outcome {
	var outcomes []Outcome
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		if !o.matches(c.Key) || !sameUnit(o.Metric, c.Unit) || len(c.sample.head) == 0 {
			continue
		}
		if c.JudgedBy != "" {
			c = f.Of(Key{c.Package, c.Benchmark, c.JudgedBy})
		}
		out := Outcome{Objective: o, Key: c.Key, Bound: o.budgetText()}
		if c.Verdict == SameCode {
			continue // below
		}
		if c.Verdict == OneSided { // a new benchmark, or one whose program is the same
			out.Value, out.Lo, out.Hi = math.NaN(), math.NaN(), math.NaN()
			out.Text = fmt.Sprintf("%s: %s was not measured on the side %s, %s: %s", o.label(c.Key), c.Unit, Base, out.Bound, out.Status)
			outcomes = append(outcomes, out)
			continue
		}
		if c.Unknown() {
			base, head := len(c.sample.base), len(c.sample.head)
			outcomes = append(outcomes, o.noData(c.Key, fmt.Sprintf("too few samples to find any change of %s, %d and %d: measure with -count 10", c.Unit, base, head)))
			continue
		}
		out.Value, out.Lo, out.Hi = c.Change, c.Gate.Lo, c.Gate.Hi
		if c.Scale == Ratio {
			out.Value, out.Lo, out.Hi = c.Change-1, c.Gate.Lo-1, c.Gate.Hi-1
		}
		switch {
		case c.Verdict == Worse && !c.Exceeds(*o.Budget) && *o.Budget > c.Budget:
			// The family was judged by a smaller budget, of another objective.
		case c.Verdict == Worse && c.Beyond && (c.Confirmation == Agreed || f.Apart):
			out.Status = Missed // kept runs are taken as they are: nothing can confirm them
		case c.Verdict == Worse, c.Verdict == Inconclusive:
			out.Status = Uncertain
		}
		v, unit := benchunit.Tidy(out.Value, c.Unit)
		change := benchunit.Scale(v, benchunit.ClassOf(unit)) + " " + unit
		if v > 0 {
			change = "+" + change
		}
		if c.Scale == Ratio {
			change = fmt.Sprintf("%+.2f%% %s", 100*out.Value, c.Unit)
		}
		out.Text = fmt.Sprintf("%s: %s, %s, %s: %s", o.label(c.Key), change, c.Words(), out.Bound, out.Status)
		outcomes = append(outcomes, out)
	}
	for _, b := range f.SameCode {
		k := Key{b.Package, b.Benchmark, o.Metric}
		if o.matches(k) {
			out := Outcome{Objective: o, Key: k, Bound: o.budgetText(), Status: Met, Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
			out.Text = fmt.Sprintf("%s: %s, %s, %s: %s", o.label(k), o.Metric, SameCodeWords, out.Bound, out.Status)
			outcomes = append(outcomes, out)
		}
	}
	return outcomes
}

func (o *Objective) budgetText() string { return fmt.Sprintf("budget %.3g%%", 100**o.Budget) }

// evaluateMissing gives an outcome for each series, or benchmark or package, of the
// base that the head lacks.
func (o *Objective) evaluateMissing(f *Family) []Outcome {
	var outcomes []Outcome
	for _, g := range f.Missing {
		k := Key{g.Package, g.Benchmark, o.Metric}
		if g.Unit != "" && !sameUnit(o.Metric, g.Unit) || g.Benchmark != "" && !o.matches(k) || o.Package != nil && !o.Package.MatchString(g.Package) {
			continue
		}
		if g.Unit == "" && o.Profile == nil && f.hadOtherUnits(k) {
			continue
		}
		outcomes = append(outcomes, o.noData(k, o.Metric+" is missing: "+g.Why))
	}
	return outcomes
}

// hadOtherUnits reports whether the base measured a benchmark, but not in the unit.
func (f *Family) hadOtherUnits(k Key) bool {
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

// noData is the outcome of an objective that nothing was measured for.
func (o *Objective) noData(k Key, why string) Outcome {
	return Outcome{Objective: o, Key: k, Status: NoData, Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), Text: o.label(k) + ": " + why}
}

func (o *Objective) evaluateProfiles(series []Series, profiles ProfileValues) []Outcome {
	type benchmark struct{ pkg, name string }
	var seen []benchmark
	var outcomes []Outcome
	for _, s := range series {
		b := benchmark{s.Package, s.Benchmark}
		if !o.matches(s.Key) || slices.Contains(seen, b) {
			continue
		}
		seen = append(seen, b)
		k := Key{s.Package, s.Benchmark, o.Metric}
		noData := func(why any) {
			outcomes = append(outcomes, o.noData(k, fmt.Sprintf("%s of the %s profile: %v", o.Metric, o.Profile.Kind, why)))
		}
		if profiles == nil {
			noData(ErrNoProfile)
			continue
		}
		q, err := profiles.ProfileValue(s.Package, s.Benchmark, *o.Profile)
		if err != nil {
			noData(err)
			continue
		}
		if bad := o.wrongDimension(q.Dimension); bad != nil {
			noData(fmt.Errorf("%s: %q is %s, but the profile counts %s", o.Pos, bad.Text, bad.Dimension, q.Dimension))
			continue
		}
		outcomes = append(outcomes, o.evaluateBounds(k, q.Value, q.Value, q.Value, func(v float64) string { return q.Dimension.shown(v, o.Metric) })...)
	}
	return outcomes
}

// wrongDimension returns a bound whose dimension is not that of the profile.
// Plain numbers fit all: seconds, bytes or counts.
func (o *Objective) wrongDimension(d Dimension) *Quantity {
	for _, q := range []*Quantity{o.Max, o.Min} {
		if q != nil && q.Dimension != Number && q.Dimension != d {
			return q
		}
	}
	return nil
}
