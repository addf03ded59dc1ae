package objective

import (
	"fmt"
	"math"

	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/experiment"
)

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
	Key       experiment.Key // empty for NoData without a match
	Bound     string
	Status    Status
	// Value and its interval in the unit of the metric; for a budget, the
	// change as a fraction. NaN without data.
	Value, Lo, Hi float64
	Text          string // one line for people
}

// evaluateBounds takes values in tidied units, as show does, which prints one.
func (o *Objective) evaluateBounds(k experiment.Key, value, lo, hi float64, show func(float64) string) []Outcome {
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
		out.Text = fmt.Sprintf("%s: %s, objective %s: %s", o.label(k), show(value), sign+" "+bound.shown(o.Metric), out.Status)
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

// noData is the outcome of an objective that nothing was measured for.
func (o *Objective) noData(k experiment.Key, why string) Outcome {
	return Outcome{Objective: o, Key: k, Status: NoData, Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), Text: o.label(k) + ": " + why}
}
