package prove

import (
	"context"

	"github.com/hone-go/hone/internal/differ"
)

// An examined candidate was built and tested.
type examined struct {
	*candidate
	*affected
	check     Check
	functions []Function
	elsewhere bool // something besides functions changed
	compared  *differ.Compared
}

// examine checks out a candidate, builds and tests it, and finds out what tests execute of it.
func (c *checker) examine(ctx context.Context, of *candidate) (*examined, error) {
	if err := c.checkOut(ctx, of.tree); err != nil {
		return nil, err
	}
	a, err := c.listAffected(ctx, c.buildFlags, of.files)
	if err != nil {
		return nil, err
	}
	e := &examined{candidate: of, affected: a}
	if len(a.changed) == 0 {
		e.check = Check{State: Untested, Why: "it changes no package of the module", Tested: []string{}, Notes: []string{}}
		return e, nil
	}
	if e.check, err = c.check(ctx, of, a); err != nil || e.check.State == Wrong {
		return e, err
	}
	if e.functions, e.elsewhere, err = c.changedFunctions(ctx, of, a); err != nil {
		return nil, err
	}
	if e.functions, err = c.cover(ctx, of, a, e.functions); err != nil {
		return nil, err
	}
	e.check = judgeTests(e.check, e.functions, e.elsewhere)
	if e.compared, err = c.compareResults(ctx, e); err != nil {
		return nil, err
	}
	e.check = judgeResults(e.check, e.compared)
	e.compared = e.compared.First(differ.MostTold)
	e.check, err = c.judgeHabits(ctx, e)
	return e, err
}
