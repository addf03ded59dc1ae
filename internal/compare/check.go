package compare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
)

// Checked is the result of checking objectives.
type Checked struct {
	Of, Base string // labels: what was checked, and what budgets were compared with
	Outcomes []objective.Outcome
	Warnings []string // like those of a Comparison
	// Unmeasured lists what failed or was cut short, with or without an objective for it.
	Unmeasured []Unmeasured
}

// Gate returns how many objectives were missed, and how many could not be checked because
// something was not measured. Either fails a gate.
func (c *Checked) Gate() (missed, unmeasured int) {
	unmeasured = len(c.Unmeasured)
	for _, o := range c.Outcomes {
		switch o.Status {
		case objective.Missed:
			missed++
		case objective.NoData:
			unmeasured++
		}
	}
	return missed, unmeasured
}

// Unreported returns the regressions that no missed objective reports.
func (c *Checked) Unreported(regressions []experiment.Comparison) []experiment.Comparison {
	return slices.DeleteFunc(regressions, func(r experiment.Comparison) bool {
		return slices.ContainsFunc(c.Outcomes, func(o objective.Outcome) bool { return o.Status == objective.Missed && o.Key == r.Key })
	})
}

// ErrSeveralRuns is the error of Check for runs that were not measured together.
var ErrSeveralRuns = errors.New("only one run can be checked at once; several arguments must be files with results of one measurement")

// Check evaluates objectives against one run, or against files that are combined. Budgets
// compare with base, which is a run or file. If base is "", they compare with the run's own base.
// If the run has none, budgets are skipped with a warning.
func (in *Inputs) Check(ctx context.Context, objectives []objective.Objective, base string) (*Checked, error) {
	c := new(Checked)
	head, against, err := in.measured(c)
	if err != nil {
		return nil, err
	}
	units := in.units
	if base != "" {
		given, err := Read(ctx, in.root, in.stdin, []string{base})
		if err != nil {
			return nil, fmt.Errorf("-base: %w", err)
		}
		units = maps.Clone(in.units)
		against = given.all[len(given.all)-1] // of a run with two sides what it measured
		c.Base = against.Label
		if against.run != nil && len(given.all) > 1 {
			c.Base = against.run.ID
		}
		for unit, metadata := range given.units {
			if units[unit] == nil {
				units[unit] = metadata
			}
		}
		c.Warnings = append(c.Warnings, against.warnings...)
		c.Warnings = append(c.Warnings, differentMachines(against, head)...)
	}
	c.Warnings = append(c.Warnings, head.warnings...)

	c.Unmeasured = unmeasured(against, head)
	var family *experiment.Family
	if against != nil {
		if family, err = judge(against, head, units, objectives); err != nil {
			return nil, err
		}
		if head.run != nil && against.run == head.run {
			c.Warnings = append(c.Warnings, head.run.TestNotes()...)
		}
	} else if n := budgets(objectives); n > 0 {
		what := "1 budget is"
		if n > 1 {
			what = fmt.Sprintf("%d budgets are", n)
		}
		c.Warnings = append(c.Warnings, what+" not checked: there is nothing to compare with; measure with hone bench -against REF, or name a run or file with -base")
	}
	c.Outcomes = objective.Evaluate(objectives, experiment.SeriesApart(nil, head.Results), family, newRunValues(head))
	c.Warnings = eachOnce(append(c.Warnings, head.warnings...)) // with those of profiles that objectives read
	return c, nil
}

// measured returns what is checked, with its own base or nil, and sets their labels in c.
func (in *Inputs) measured(c *Checked) (head, base *input, err error) {
	if in.named == 1 && len(in.all) == 2 {
		base, head = in.all[0], in.all[1]
		c.Of, c.Base = head.run.ID, base.Label
		return head, base, nil
	}
	var labels []string
	together := *in.all[0] // the inputs stay as they are
	for i, one := range in.all {
		labels = append(labels, one.Label)
		if one.run != nil && len(in.all) > 1 {
			return nil, nil, ErrSeveralRuns
		}
		if i > 0 {
			together.Join(&one.Column)
			together.warnings = append(slices.Clip(together.warnings), one.warnings...)
		}
	}
	c.Of = strings.Join(labels, ", ")
	return &together, nil, nil
}

func budgets(objectives []objective.Objective) int {
	n := 0
	for _, o := range objectives {
		if o.Budget != nil {
			n++
		}
	}
	return n
}
