package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/hone-go/hone/internal/experiment"
	"golang.org/x/perf/benchunit"
)

// A verdictRow is one comparison as tables print it.
type verdictRow struct {
	c                          *experiment.Comparison
	name                       string // with its package where there are several
	unit                       string // tidied, as in benchstat's table
	base, head                 string
	change, interval, verdict  string
	changed, worse, unmeasured bool
}

// verdictRows returns the comparisons in their order.
func (s *sides) verdictRows() []verdictRow {
	packages := make(map[string]bool)
	for i := range s.Comparisons {
		packages[s.Comparisons[i].Package] = true
	}
	var rows []verdictRow
	for i := range s.Comparisons {
		c := &s.Comparisons[i]
		r := verdictRow{
			c: c, name: c.Benchmark, verdict: c.Words(), changed: c.Verdict.Changed(),
			worse: c.Verdict == experiment.Worse, unmeasured: c.Verdict == experiment.OneSided,
			base: "-", head: "-", change: "-", interval: "-",
		}
		if len(packages) > 1 {
			r.name = c.Package + "." + c.Benchmark
		}
		if r.changed && c.Confirmation == experiment.Agreed {
			r.verdict += ", confirmed"
		}
		_, r.unit = benchunit.Tidy(1, c.Unit)
		if len(c.Values(experiment.Base)) > 0 {
			r.base = tidied(c.Base.Center, c.Unit)
		}
		if len(c.Values(experiment.Head)) > 0 {
			r.head = tidied(c.Head.Center, c.Unit)
		}
		if r.unmeasured {
			only := s.head
			if len(c.Values(experiment.Base)) > 0 {
				only = s.base
			}
			r.verdict = "only in " + only.Label
			r.base, r.head = orDash(r.base), orDash(r.head)
			rows = append(rows, r)
			continue
		}
		r.change, r.interval = changeText(c, c.Change), intervalText(c)
		rows = append(rows, r)
	}
	return rows
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// tidied prints a value as benchstat does: 501.2n for 501.2 ns/op.
func tidied(v float64, unit string) string {
	v, unit = benchunit.Tidy(v, unit)
	return benchunit.Scale(v, benchunit.ClassOf(unit))
}

// changeText prints a change: -32.10%, or in the unit where there is no ratio.
func changeText(c *experiment.Comparison, v float64) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case c.Scale == experiment.Ratio && math.IsInf(v, 1):
		return "∞"
	case c.Scale == experiment.Ratio && v > 10:
		return fmt.Sprintf("×%.4g", v)
	case c.Scale == experiment.Ratio:
		return fmt.Sprintf("%+.2f%%", 100*(v-1))
	case math.IsInf(v, 0):
		return map[bool]string{true: "∞", false: "-∞"}[v > 0]
	}
	text := tidied(math.Abs(v), c.Unit)
	if v == 0 {
		return "0"
	}
	if v < 0 {
		return "-" + text
	}
	return "+" + text
}

func intervalText(c *experiment.Comparison) string {
	i := c.Interval
	unbounded := math.IsInf(i.Hi, 1) && (i.Lo == 0 || math.IsInf(i.Lo, -1))
	switch {
	case unbounded, math.IsNaN(c.Change):
		return "-"
	case c.Exact && i.Lo == i.Hi:
		return "exact"
	}
	return "[" + changeText(c, i.Lo) + ", " + changeText(c, i.Hi) + "]"
}

// writeVerdicts prints what hone says beyond benchstat's table, where at least
// one side is a run: files alone get that table and nothing else.
func (s *sides) writeVerdicts(b *bytes.Buffer) {
	if s.base.run == nil && s.head.run == nil {
		return
	}
	fmt.Fprintf(b, "\n%s against %s, %s\n", oneWord(s.head.Label), oneWord(s.base.Label), s.method())
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, r := range s.verdictRows() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", oneWord(r.name), oneWord(r.unit), r.change, r.interval, oneWord(r.verdict))
	}
	w.Flush()
	writeTrimmed(b, text.String())
}

// method says how two sides were compared.
func (s *sides) method() string {
	how := "measured interleaved and compared pair by pair"
	if s.Apart {
		how = "measured apart"
	}
	tests := "one test"
	if s.Tested != 1 {
		tests = fmt.Sprintf("%d tests", s.Tested)
	}
	return fmt.Sprintf("%s; %.0f %% intervals, verdicts corrected for %s", how, 100*(1-s.Alpha), tests)
}

// summary is the verdict in one line: "1 slower, 2 faster, 14 without change".
func (s *sides) summary() string {
	var order []string
	count := make(map[string]int)
	add := func(what string) {
		if count[what] == 0 {
			order = append(order, what)
		}
		count[what]++
	}
	// What matters first, whatever the order of the file.
	for _, want := range []experiment.Verdict{
		experiment.Worse, experiment.Better, experiment.Differs, experiment.Inconclusive, experiment.WithinBudget, experiment.NoChange, experiment.OneSided,
	} {
		for i := range s.Comparisons {
			c := &s.Comparisons[i]
			if c.Verdict != want {
				continue
			}
			switch {
			case c.Verdict == experiment.Inconclusive:
				add("inconclusive")
			case c.Verdict == experiment.NoChange:
				add("without change")
			case c.Verdict == experiment.OneSided:
				add("on one side only")
			case c.Verdict == experiment.Better && c.Words() == "better", c.Verdict == experiment.Worse && c.Words() == "worse":
				add(c.Words() + " in " + tidyUnit(c.Unit))
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

func tidyUnit(unit string) string {
	_, unit = benchunit.Tidy(1, unit)
	return unit
}
