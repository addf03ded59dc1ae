package experiment

import (
	"fmt"
	"math"

	"golang.org/x/perf/benchunit"
)

// leastDetectable is MinDetectable of a ratio, but no less than half the interval: a change
// within that can't be told from none.
func (c *Comparison) leastDetectable() float64 {
	least := 0.0
	if lo, hi := c.Interval.Lo, c.Interval.Hi; lo > 0 && !math.IsInf(hi, 1) {
		least = math.Sqrt(hi/lo) - 1
	}
	return max(c.MinDetectable, least)
}

// ratioText prints a change in percent, large ones as factors, and none as 0.
func ratioText(change float64) string {
	switch {
	case change >= 10:
		return fmt.Sprintf("×%.0f", 1+change)
	case change >= 0.1:
		return fmt.Sprintf("%.0f %%", 100*change)
	case change >= 0.0005:
		return fmt.Sprintf("%.1f %%", 100*change)
	}
	return fmt.Sprintf("%.1g %%", 100*change)
}

// Words returns the verdict in words that fit the unit.
func (c *Comparison) Words() string {
	if c.recorded != nil {
		return c.recorded.words
	}
	text := c.Verdict.String()
	runTime := hasUnitSuffix(c.Unit, "ns/op") || c.Unit == "ns/op" || c.Unit == "sec/op"
	switch {
	case c.Verdict == SameCode:
		return SameCodeWords
	case c.Confirmation == Disagreed, c.Confirmation == NotRepeated:
		return text + ", " + c.Confirmation.String()
	case c.JudgedBy != "":
		_, unit := benchunit.Tidy(1, c.JudgedBy) // as tables have it
		return "judged by " + unit
	case c.Busy:
		return text + ": the machine was busy"
	case c.OtherBenchmark && c.Verdict == Inconclusive:
		return text + ": the benchmark itself changed"
	case c.Verdict == Inconclusive && math.IsInf(c.MinDetectable, 1):
		return text + " (too few samples)"
	case c.Verdict == Inconclusive && c.Scale == Ratio:
		return fmt.Sprintf("%s (min detectable %s)", text, ratioText(c.leastDetectable()))
	case c.Verdict == Inconclusive:
		return fmt.Sprintf("%s (min detectable %.3g %s)", text, c.MinDetectable, c.Unit)
	case c.Verdict == Better && runTime:
		return "faster"
	case c.Verdict == Worse:
		if runTime {
			text = "slower"
		}
		if !c.Beyond {
			text += fmt.Sprintf(" (perhaps within the budget of %.3g %%)", 100*c.Budget)
		}
	}
	return text
}
