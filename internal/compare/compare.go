// Package compare interprets measurements: what changed between runs or files of
// benchmark results, which functions caused it, and whether objectives are met.
//
//	Read     runs and files, by the names of a command line
//	Compare  the first with each of the others: benchstat's table and verdicts
//	Explain  finds in the runs' profiles which functions caused the changes
//	Write    all of it as text, CSV, JSON, Markdown, or a page
//	Check    evaluates objectives
//
// read.go finds what names mean, warnings.go says what can't be compared, verdict.go prints
// figures, explain.go attributes changes to functions, and facts.go decides what reports contain.
// review.go sums up for reviewers, and markdown.go and html.go write. document.go reads what
// json.go wrote. The statistics are in package experiment.
package compare

import (
	"context"
	"slices"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchstat"
	"github.com/hone-go/hone/internal/experiment/objective"
	"golang.org/x/perf/benchfmt"
)

// Compare compares the first input with each of the others. Budgets come from the objectives, if
// there are any.
func (in *Inputs) Compare(objectives []objective.Objective) (*Comparison, error) {
	c := &Comparison{inputs: in.all}
	var columns []benchstat.Column
	results := 0
	for _, one := range in.all {
		columns = append(columns, one.Column)
		results += len(one.Results)
		c.Warnings = append(c.Warnings, one.warnings...)
		if one.run != nil {
			c.notes = append(append(c.notes, one.run.Notes...), one.run.CodeNotes(false)...)
		}
	}
	c.notes = eachOnce(c.notes)
	if results == 0 {
		// A run with -against measures nothing where nothing changed, which its
		// notes say.
		c.Warnings = eachOnce(c.Warnings)
		return c, nil
	}
	var err error
	if c.tables, err = benchstat.Tabulate(columns, in.units); err != nil {
		return nil, err
	}
	base := in.all[0]
	for _, head := range in.all[1:] {
		s := &Sides{base: base, head: head, Unmeasured: unmeasured(base, head)}
		if s.Family, err = judge(base, head, in.units, objectives); err != nil {
			return nil, err
		}
		if s.Layout != nil {
			c.notes = append(c.notes, s.Layout.String())
		}
		c.Sides = append(c.Sides, s)
		c.Warnings = append(c.Warnings, s.warnings()...)
	}
	c.Warnings = eachOnce(c.Warnings)
	return c, nil
}

// judge compares two inputs: pair by pair what was measured so.
func judge(base, head *input, units benchfmt.UnitMetadataMap, objectives []objective.Objective) (*experiment.Family, error) {
	opts := experiment.DefaultOptions()
	opts.Units = units
	if len(objectives) > 0 {
		opts.Budget, opts.Gated = objective.BudgetOf(objectives), objective.GatedBy(objectives)
	}
	var f *experiment.Family
	var err error
	if base.run != nil && base.run == head.run {
		opts = opts.Among(base.run.Comparisons)
		opts.Looks = base.run.Looks()
		f, err = base.run.Compare(opts)
	} else {
		f, err = experiment.CompareApart(base.Results, head.Results, opts)
	}
	if err == nil {
		head.ExplainMissing(f.Missing)
	}
	return f, err
}

// unmeasured returns what two sides, of which base may be nil, were to measure and did
// not, as far as they say so themselves: failures, and output that is cut short.
func unmeasured(base, head *input) []Unmeasured {
	var all []Unmeasured
	var other *benchstat.Column
	if base != nil {
		other = &base.Column
		for _, g := range base.Gaps(nil) {
			all = append(all, Unmeasured{base.Label, g})
		}
	}
	for _, g := range head.Gaps(other) {
		if base == nil || base.run == nil || base.run != head.run || !slices.Contains(all, Unmeasured{base.Label, g}) {
			all = append(all, Unmeasured{head.Label, g})
		}
	}
	return all
}

// Explain finds which functions caused the changes, if both sides are runs with profiles. With
// keepProfiles, the profiles stay in memory for the flame graphs of HTML. A profile that can't be
// read becomes a caveat in the output. The only error is that of ctx.
func (c *Comparison) Explain(ctx context.Context, keepProfiles bool) error {
	for _, s := range c.Sides {
		s.explained = nil
		if s.base.run == nil || s.head.run == nil {
			continue
		}
		for i := range s.Comparisons {
			if err := ctx.Err(); err != nil {
				return err
			}
			if e := s.explainOne(&s.Comparisons[i], keepProfiles); e != nil {
				s.explained = append(s.explained, e)
			}
		}
	}
	return nil
}
