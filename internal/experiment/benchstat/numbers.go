package benchstat

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/experiment"
)

// A notNumber is a series of which some values are NaN or infinite.
type notNumber struct {
	text  string // the first of them
	count int
	of    int // values
}

// isNumber reports whether a value can be compared: b.ReportMetric takes any.
func isNumber(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// notNumbers has the series with such values, by tidied unit.
type notNumbers map[experiment.Key]*notNumber

// keepNumbers gives all values of results the tidied unit, and leaves out those that are not
// numbers, since they have no order, median or change. It returns the series that had some.
func keepNumbers(results []*benchfmt.Result) notNumbers {
	count := make(map[experiment.Key]int)
	found := make(notNumbers)
	for _, r := range results {
		for i, v := range r.Values {
			// Benchfmt leaves the unit of a value as it is that is the same in the tidied
			// unit: 0 ns/op would be of another series than 5 ns/op.
			if value, unit := benchunit.Tidy(v.Value, v.Unit); unit != v.Unit {
				r.Values[i] = benchfmt.Value{Value: value, Unit: unit, OrigValue: v.Value, OrigUnit: v.Unit}
			}
		}
		r.Values = slices.DeleteFunc(r.Values, func(v benchfmt.Value) bool {
			k := experiment.Key{Package: r.GetConfig("pkg"), Benchmark: r.Name.String(), Unit: v.Unit}
			count[k]++
			if isNumber(v.Value) {
				return false
			}
			if found[k] == nil {
				found[k] = &notNumber{text: fmt.Sprint(v.Value)}
			}
			found[k].count++
			return true
		})
	}
	for k, n := range found {
		n.of = count[k]
	}
	return found
}

// warnings returns one for each series, in the order of their names, about the file label.
func (n notNumbers) warnings(label string) []string {
	var all []string
	for _, k := range slices.SortedFunc(maps.Keys(n), func(a, b experiment.Key) int { return strings.Compare(a.String(), b.String()) }) {
		all = append(all, fmt.Sprintf("%s: %s %s", label, k, n[k]))
	}
	return all
}

// all reports whether none of the values was a number.
func (n *notNumber) all() bool { return n.count == n.of }

func (n *notNumber) String() string {
	if n.all() {
		return fmt.Sprintf("is %s, which is not a number, so it is not measured", n.text)
	}
	return fmt.Sprintf("is %s in %d of %d results, which are left out: that is not a number", n.text, n.count, n.of)
}

// ofBenchmark returns one of the series of a benchmark, or nil.
func (n notNumbers) ofBenchmark(b experiment.BenchmarkName) *notNumber {
	for k, one := range n {
		if k.Name() == b {
			return one
		}
	}
	return nil
}

// of returns the series with a key in any unit that is tidied to the same, or nil.
func (n notNumbers) of(k experiment.Key) *notNumber {
	_, k.Unit = benchunit.Tidy(1, k.Unit)
	return n[k]
}
