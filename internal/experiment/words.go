package experiment

import (
	"fmt"
	"math"

	"golang.org/x/perf/benchunit"
)

// Words returns the verdict in words that fit the unit.
func (c *Comparison) Words() string {
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
		digits := 1
		if c.MinDetectable >= 0.1 {
			digits = 0
		}
		return fmt.Sprintf("%s (min detectable %.*f %%)", text, digits, 100*c.MinDetectable)
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
