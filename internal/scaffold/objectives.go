package scaffold

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchtext"
	"github.com/hone-go/hone/internal/experiment/objective"
)

const (
	// mostObjectives is how many benchmarks get limits of their own: a file with more is not read.
	mostObjectives = 20
	// fewest samples that a limit is derived from: fewer have no 95 % interval.
	fewestSamples = 6
	// otherMachine is how much slower a machine may be that checks a limit of a time. Machines of
	// CI services differ by about as much.
	otherMachine = 2
	// leastBudget is the default budget of times.
	leastBudget = 0.02
)

// A measured is what is known of a metric of a benchmark.
type measured struct {
	pkg, benchmark string
	median         float64
	spread         float64 // half of the 95 % interval, or of all samples if that is wider, as a part of the median
	samples        int
	constant       bool
}

// Objectives returns the text of hone.toml for measured benchmarks: a budget for changes, and limits
// for allocations and times.
func Objectives(series []experiment.Series) string {
	return "# Objectives of this module: hone check tests them, and hone help check says how.\n" +
		"# hone init has measured the numbers. Change them to what your users need.\n" + budget(series) + limits(series)
}

// Missing returns what objectives lack of those that Objectives would write; "" for nothing.
func Missing(series []experiment.Series, have []objective.Objective) string {
	uncovered := slices.DeleteFunc(slices.Clone(series), func(s experiment.Series) bool {
		return slices.ContainsFunc(have, func(o objective.Objective) bool { return (o.Max != nil || o.Min != nil) && o.Applies(s.Key) })
	})
	text := limits(uncovered)
	if !slices.ContainsFunc(have, func(o objective.Objective) bool { return o.Budget != nil }) {
		text = budget(series) + text
	}
	return strings.TrimPrefix(text, "\n")
}

func budget(series []experiment.Series) string {
	noise := noiseOf(metric(series, "ns/op"))
	var b strings.Builder
	fmt.Fprintf(&b, "\n# How much slower a change may be, measured interleaved with its base (hone check -against REF).\n")
	fmt.Fprintf(&b, "# A small percentage is enough, whatever the machine: both sides run on it. Samples of one\n# benchmark differed by %s here.\n", percent(noise))
	fmt.Fprintf(&b, "[[objective]]\nname = \"no change makes it slower\"\nbenchmark = \".\"\nmetric = \"ns/op\"\nbudget = \"%s\"\n", percent(budgetOf(noise)))
	return b.String()
}

func limits(series []experiment.Series) string {
	times, allocs := metric(series, "ns/op"), metric(series, "allocs/op")
	var b strings.Builder
	several := slices.ContainsFunc(append(slices.Clone(times), allocs...), func(m measured) bool { return m.pkg != packageOf(times, allocs) })
	left := 0
	for i, m := range allocs {
		if i >= mostObjectives {
			left = len(allocs) - i
			break
		}
		limit := m.median
		what := "allocations"
		if m.median == 1 {
			what = "allocation"
		}
		fmt.Fprintf(&b, "\n# %s %s per call", number(m.median), what)
		if m.constant {
			b.WriteString(": the same in all samples, and on every machine.\n")
		} else {
			limit = math.Ceil(m.median*(1+max(2*m.spread, 0.1)) - 1e-9)
			fmt.Fprintf(&b, " ± %s: the limit leaves room for that.\n", percent(m.spread))
		}
		m.objective(&b, several, "allocs/op", number(math.Ceil(limit)))
	}
	for i, m := range times {
		if i >= mostObjectives {
			left = max(left, len(times)-i)
			break
		}
		limit := m.median * max(otherMachine, 1+4*m.spread)
		fmt.Fprintf(&b, "\n# %s ± %s here. The limit is %s: times depend on the machine, and those of CI\n# services are shared. It finds what got much slower; the budget finds the rest.\n",
			duration(m.median), percent(m.spread), duration(rounded(limit)))
		m.objective(&b, several, "ns/op", strconv.Quote(duration(rounded(limit))))
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n# %d more benchmarks have no limit of their own: the budget covers them.\n", left)
	}
	return b.String()
}

func packageOf(all ...[]measured) string {
	for _, some := range all {
		if len(some) > 0 {
			return some[0].pkg
		}
	}
	return ""
}

func (m *measured) objective(b *strings.Builder, several bool, unit, limit string) {
	b.WriteString("[[objective]]\n")
	if several {
		fmt.Fprintf(b, "package = %s\n", pattern(m.pkg))
	}
	fmt.Fprintf(b, "benchmark = %s\nmetric = %q\nmax = %s\n", pattern(m.benchmark), unit, limit)
}

// pattern matches a name and nothing else, as a string of TOML.
func pattern(name string) string {
	re := "^" + regexp.QuoteMeta(name) + "$"
	if !strings.ContainsAny(re, "'") && strings.IndexFunc(re, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0 {
		return "'" + re + "'"
	}
	var b strings.Builder
	for _, r := range re {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// metric returns what was measured of a unit, without benchmarks that have too few samples.
func metric(series []experiment.Series, unit string) (all []measured) {
	for _, s := range series {
		var values []float64
		for _, x := range s.Samples {
			if x.Side == experiment.Head {
				values = append(values, x.Value)
			}
		}
		if s.Unit != unit || len(values) < fewestSamples {
			continue
		}
		m := measured{pkg: s.Package, benchmark: benchtext.WithoutProcs(s.Benchmark), samples: len(values), constant: slices.Min(values) == slices.Max(values)}
		sum := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), 0.95)
		if m.median = sum.Center; m.median > 0 {
			m.spread = max(sum.Hi-m.median, m.median-sum.Lo) / m.median
		}
		if math.IsInf(m.spread, 0) || math.IsNaN(m.spread) {
			continue
		}
		all = append(all, m)
	}
	return all
}

// noiseOf is the median of the benchmarks' spreads.
func noiseOf(all []measured) float64 {
	var spreads []float64
	for _, m := range all {
		spreads = append(spreads, m.spread)
	}
	if len(spreads) == 0 {
		return 0
	}
	slices.Sort(spreads)
	return spreads[len(spreads)/2]
}

// budgetOf is what a comparison can tell from noise of so much: its ten pairs average it out, by about
// a third.
func budgetOf(noise float64) float64 {
	return min(max(leastBudget, math.Ceil(100*noise/3)/100), 0.1)
}

func percent(v float64) string {
	if v < 0.1 {
		return strconv.FormatFloat(math.Round(1000*v)/10, 'f', -1, 64) + "%"
	}
	return strconv.FormatFloat(math.Round(100*v), 'f', -1, 64) + "%"
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// rounded rounds up to two digits.
func rounded(ns float64) float64 {
	if ns <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(ns))-1)
	return math.Ceil(ns/unit-1e-9) * unit
}

// duration prints nanoseconds as hone.toml has them: 1.5ms.
func duration(ns float64) string {
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= u.ns {
			return strconv.FormatFloat(ns/u.ns, 'g', 3, 64) + u.name
		}
	}
	return strconv.FormatFloat(ns, 'g', 3, 64) + "ns"
}
