package tune

import (
	"fmt"
	"math"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
)

// A Change is what a rewrite did to a benchmark, in one unit.
type Change struct {
	Package   string  `json:"package"`
	Benchmark string  `json:"benchmark"`
	Unit      string  `json:"unit"`
	Before    float64 `json:"before"` // medians
	After     float64 `json:"after"`
	// Ratio is after over before, estimated over pairs, between Low and High; all 0
	// where differences were compared instead.
	Ratio   float64 `json:"ratio,omitempty"`
	Low     float64 `json:"low,omitempty"`
	High    float64 `json:"high,omitempty"`
	Verdict string  `json:"verdict"`
	// JudgedBy is the unit of the clock that decides about the benchmark's time, "" if it is
	// this one, or no clock.
	JudgedBy  string `json:"judgedBy,omitempty"`
	Confirmed bool   `json:"confirmed"`
}

// IsClock reports whether a comparison is of the clock that decides about a benchmark.
func IsClock(c *experiment.Comparison) bool { return decides(c.Unit, c.JudgedBy) }

// IsClock reports whether a change is of the clock that decides about a benchmark.
func (c *Change) IsClock() bool { return decides(c.Unit, c.JudgedBy) }

func decides(unit, judgedBy string) bool {
	return (isTime(unit) || unit == experiment.CPUTime) && judgedBy == ""
}

func isTime(unit string) bool { return unit == "ns/op" || unit == "sec/op" }

// Changes are the comparisons of a family, as values.
func Changes(f *experiment.Family) []Change {
	changes := []Change{}
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		if c.Verdict == experiment.OneSided {
			continue
		}
		change := Change{
			Package: c.Package, Benchmark: c.Benchmark, Unit: c.Unit, Before: c.Base.Center, After: c.Head.Center,
			Verdict: c.Words(), JudgedBy: c.JudgedBy, Confirmed: c.Confirmation == experiment.Agreed,
		}
		if c.Scale == experiment.Ratio && !math.IsNaN(c.Change) && !math.IsInf(c.Interval.Hi, 1) {
			change.Ratio, change.Low, change.High = c.Change, c.Interval.Lo, c.Interval.Hi
		}
		changes = append(changes, change)
	}
	return changes
}

// Tell is "Greet/compile-2 −87.3 % [−87.5, −87.1]", with the unit where it isn't time.
func Tell(c *experiment.Comparison) string {
	unit := words(c.Unit)
	if c.Scale != experiment.Ratio || math.IsNaN(c.Change) {
		return fmt.Sprintf("%s %.4g → %.4g%s", c.Benchmark, c.Base.Center, c.Head.Center, unit)
	}
	interval := ""
	if c.Interval.Lo < c.Interval.Hi && !math.IsInf(c.Interval.Hi, 1) {
		interval = fmt.Sprintf(" [%s, %s]", percent(c.Interval.Lo), percent(c.Interval.Hi))
	}
	return fmt.Sprintf("%s%s %s %%%s", c.Benchmark, unit, percent(c.Change), interval)
}

// words are how a unit is told behind a benchmark's name: wall-clock time goes without.
func words(unit string) string {
	switch {
	case isTime(unit):
		return ""
	case unit == experiment.CPUTime:
		return " CPU time"
	}
	return " " + unit
}

func percent(ratio float64) string {
	return strings.Replace(fmt.Sprintf("%+.1f", 100*(ratio-1)), "-", "−", 1)
}

// list joins up to three.
func list(all []string) string {
	if len(all) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:3], ", "), len(all)-3)
	}
	return strings.Join(all, ", ")
}
