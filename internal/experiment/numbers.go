package experiment

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
)

// A notNumber is a series of which some values are NaN or infinite.
type notNumber struct {
	text  string // the first of them
	count int
	of    int // values
}

// isNumber reports whether a value can be compared: b.ReportMetric takes any.
func isNumber(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// keepNumbers gives all values the tidied unit, and leaves out those that are not
// numbers: no order, median or change is known of them. It returns a warning for each series that had some.
func (c *Column) keepNumbers() (warnings []string) {
	count := make(map[Key]int)
	c.notNumbers = make(map[Key]*notNumber)
	for _, r := range c.Results {
		for i, v := range r.Values {
			// Benchfmt leaves the unit of a value as it is that is the same in the tidied
			// unit: 0 ns/op would be of another series than 5 ns/op.
			if value, unit := benchunit.Tidy(v.Value, v.Unit); unit != v.Unit {
				r.Values[i] = benchfmt.Value{Value: value, Unit: unit, OrigValue: v.Value, OrigUnit: v.Unit}
			}
		}
		r.Values = slices.DeleteFunc(r.Values, func(v benchfmt.Value) bool {
			k := Key{r.GetConfig("pkg"), r.Name.String(), v.Unit}
			count[k]++
			if isNumber(v.Value) {
				return false
			}
			if c.notNumbers[k] == nil {
				c.notNumbers[k] = &notNumber{text: fmt.Sprint(v.Value)}
			}
			c.notNumbers[k].count++
			return true
		})
	}
	for _, k := range slices.SortedFunc(maps.Keys(c.notNumbers), func(a, b Key) int { return strings.Compare(a.String(), b.String()) }) {
		n := c.notNumbers[k]
		n.of = count[k]
		warnings = append(warnings, fmt.Sprintf("%s: %s %s", c.Label, k, n))
	}
	return warnings
}

// all reports whether none of the values was a number.
func (n *notNumber) all() bool { return n.count == n.of }

func (n *notNumber) String() string {
	if n.all() {
		return fmt.Sprintf("is %s, which is not a number, so it is not measured", n.text)
	}
	return fmt.Sprintf("is %s in %d of %d results, which are left out: that is not a number", n.text, n.count, n.of)
}

// notNumberOf returns the same of any unit of a benchmark.
func (c *Column) notNumberOf(b BenchmarkName) *notNumber {
	for k, n := range c.notNumbers {
		if k.Name() == b {
			return n
		}
	}
	return nil
}

// notNumber returns what is known of values of a series that are not numbers.
func (c *Column) notNumber(k Key) *notNumber {
	_, k.Unit = benchunit.Tidy(1, k.Unit)
	return c.notNumbers[k]
}
