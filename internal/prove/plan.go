package prove

import (
	"context"
)

// A plan is what to measure of a candidate.
type plan struct {
	*examined
	tree       string // the candidate's, perhaps with benchmarks that were written for it
	benchmarks selection
	written    []Written
	refused    []string // why more weren't written
}

// planAll chooses what to measure of each candidate, and the commit to compare with. Benchmarks are only written where a candidate has none.
func (p *Prover) planAll(ctx context.Context, c *checker, all []*examined) (plans []*plan, base string, err error) {
	base = "HEAD"
	var lacking []*plan
	for _, e := range all {
		one := &plan{examined: e, tree: e.tree}
		plans = append(plans, one)
		if e.check.State == Wrong || len(e.changed) == 0 {
			continue
		}
		if err := c.checkOut(ctx, e.tree); err != nil {
			return nil, "", err
		}
		if one.benchmarks, err = c.choose(ctx, e, p.Bench.Pattern != "", benchmarksIn(ctx, e.dependents)); err != nil {
			return nil, "", err
		}
		if len(one.benchmarks) == 0 {
			lacking = append(lacking, one)
		}
	}
	if !p.Generate || len(lacking) == 0 {
		return plans, base, nil
	}
	made, err := c.generate(ctx, lacking)
	if err != nil {
		return nil, "", err
	}
	for _, one := range plans {
		if one.benchmarks == nil {
			continue // it isn't measured
		}
		if err := c.extend(ctx, one, made); err != nil {
			return nil, "", err
		}
	}
	if len(made.files) > 0 {
		tree, err := c.with(ctx, c.Base, made.files)
		if err != nil {
			return nil, "", err
		}
		if base, err = c.commit(ctx, tree, "base"); err != nil {
			return nil, "", err
		}
	}
	return plans, base, nil
}
