package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"golang.org/x/perf/benchunit"
)

// A Row is a line of a table of comparisons. Its figures are formatted, such as 501.2n and +12.30%,
// or "-" if there is none.
type Row struct {
	Unit     string `json:"unit"` // of the printed values: sec/op
	Base     string `json:"base"` // medians
	Head     string `json:"head"`
	Change   string `json:"change"`
	Interval string `json:"interval"` // of the change
	Verdict  string `json:"verdict"`  // in words

	name    string // with its package where there are several
	changed bool
	fails   bool // a gate
	size    float64
	outcome experiment.Verdict
}

// Rows returns the comparisons of benchmarks, in the order of Family's.
func (s *Sides) Rows() []Row {
	packages := make(map[string]bool)
	for i := range s.Comparisons {
		packages[s.Comparisons[i].Package] = true
	}
	var rows []Row
	for i := range s.Comparisons {
		c := &s.Comparisons[i]
		r := Row{
			Unit: TidyUnit(c.Unit), Base: "-", Head: "-", Change: "-", Interval: "-", Verdict: c.Words(),
			name: c.Benchmark, changed: c.Verdict.Changed(), outcome: c.Verdict, size: sizeOf(c),
			// Nothing can confirm what was measured apart, so a gate takes it as it is.
			fails: c.Gated && (s.Regressed(c) || s.Apart && c.Verdict == experiment.Worse && c.Beyond),
		}
		if len(packages) > 1 {
			r.name = c.Package + "." + c.Benchmark
		}
		if r.changed && c.Confirmation == experiment.Agreed {
			r.Verdict += ", confirmed"
		}
		inBase, inHead := c.Samples(experiment.Base) > 0, c.Samples(experiment.Head) > 0
		if inBase {
			r.Base = Tidied(c.Base.Center, c.Unit)
		}
		if inHead {
			r.Head = Tidied(c.Head.Center, c.Unit)
		}
		switch {
		case c.Verdict != experiment.OneSided:
			r.Change, r.Interval = changeText(c), intervalText(c)
			r.reconcile(c)
		case inBase:
			r.Verdict = "only in " + s.base.Label
		default:
			r.Verdict = "only in " + s.head.Label
		}
		rows = append(rows, r)
	}
	return rows
}

// reconcile handles a change that goes the other way than the medians beside it. The change
// is estimated from pairs, which scattered samples can turn around. If nothing is certain,
// no direction is shown; otherwise the verdict says so.
func (r *Row) reconcile(c *experiment.Comparison) {
	none := 0.0
	if c.Scale == experiment.Ratio {
		none = 1
	}
	if r.Base == r.Head || (c.Head.Center-c.Base.Center)*(c.Change-none) >= 0 || math.IsNaN(c.Change) {
		return
	}
	if r.changed {
		r.Verdict += ", by pairs: the medians differ the other way"
	} else {
		r.Change = "~"
	}
}

// Tidied prints a value of a unit as benchstat does: 501.2n for 501.2 ns/op. Its unit is then
// TidyUnit.
func Tidied(v float64, unit string) string {
	v, unit = benchunit.Tidy(v, unit)
	return benchunit.Scale(v, benchunit.ClassOf(unit))
}

// changeText prints a comparison's change: -32.10%, or in the unit where there is no ratio.
func changeText(c *experiment.Comparison) string { return changeScale(c).change(c.Change) }

func intervalText(c *experiment.Comparison) string {
	i := c.Interval
	if unbounded := math.IsInf(i.Hi, 1) && (i.Lo == 0 || math.IsInf(i.Lo, -1)); unbounded || math.IsNaN(c.Change) {
		return "-"
	}
	return changeScale(c).interval(i.Lo, i.Hi)
}

// method says how two sides were compared.
func (s *Sides) method() string {
	how := "measured interleaved and compared pair by pair"
	if s.Apart {
		how = "measured apart"
	}
	how = fmt.Sprintf("%s; %.0f %% intervals", how, 100*(1-s.Alpha))
	switch s.Tested {
	case 0:
		return how + ", and nothing to test"
	case 1:
		return how + ", verdicts corrected for one test"
	}
	return fmt.Sprintf("%s, verdicts corrected for %d tests", how, s.Tested)
}

// Changed says in one line what changed: "1 slower, 2 faster"; "" for nothing.
func (s *Sides) Changed() string {
	return s.count(experiment.Worse, experiment.Better, experiment.Differs)
}

// Summary is the verdict in one line: "1 slower, 2 faster, 14 without change".
func (s *Sides) Summary() string {
	// What matters first, whatever the order of the file.
	failed := ""
	if n := len(s.Unmeasured); n > 0 {
		failed = fmt.Sprintf("%d failed, ", n)
	}
	return failed + s.count(experiment.Worse, experiment.OneSided, experiment.Better, experiment.Differs, experiment.Inconclusive, experiment.WithinBudget, experiment.NoChange, experiment.SameCode)
}

// count says in words how many comparisons have these verdicts.
func (s *Sides) count(verdicts ...experiment.Verdict) string {
	var order []string
	count := make(map[string]int)
	add := func(what string) {
		if count[what] == 0 {
			order = append(order, what)
		}
		count[what]++
	}
	for _, want := range verdicts {
		for i := range s.Comparisons {
			c := &s.Comparisons[i]
			if c.Verdict != want {
				continue
			}
			switch {
			case c.OtherBenchmark && c.Verdict == experiment.Inconclusive:
				add("with a changed benchmark")
			case c.Verdict == experiment.Inconclusive:
				add("inconclusive")
			case c.Verdict == experiment.NoChange:
				add("without change")
			case c.Verdict == experiment.SameCode:
				add("with the same code")
			case c.Verdict == experiment.OneSided && c.Samples(experiment.Head) == 0:
				add("missing")
			case c.Verdict == experiment.OneSided:
				add("new")
			case c.Verdict == experiment.Better && c.Words() == "better", c.Verdict == experiment.Worse && c.Words() == "worse":
				add(c.Words() + " in " + TidyUnit(c.Unit))
			default:
				add(c.Words())
			}
		}
	}
	var parts []string
	for _, what := range order {
		parts = append(parts, fmt.Sprintf("%d %s", count[what], what))
	}
	return strings.Join(parts, ", ")
}

// TidyUnit returns the unit that tables print for values of a unit: sec/op for ns/op.
func TidyUnit(unit string) string {
	_, unit = benchunit.Tidy(1, unit)
	return unit
}
