package prove

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/bench"
	"github.com/hone-go/hone/internal/compare"
)

// mostMoved is how many functions a benchmark is told with.
const mostMoved = 3

// measure compares what is checked out with a commit of the copy.
func (c *checker) measure(ctx context.Context, b bench.Bench, ref string, benchmarks selection) (*Measurement, error) {
	begin := time.Now()
	b.Dir, b.BuildFlags = c.module, c.buildFlags
	b.Packages = slices.Sorted(maps.Keys(benchmarks))
	if b.Pattern == "" {
		b.Pattern = benchmarks.pattern()
	}
	report, err := b.Against(ctx, ref)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, bench.ErrNoBenchmarks) {
		m := notMeasured(err.Error())
		if report != nil {
			m.Failures = append(m.Failures, report.Failures...)
		}
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	m := judge(report)
	m.Seconds = rounded(time.Since(begin))
	if len(m.Changes) > 0 {
		m.Moved, err = moved(ctx, b.Store, report)
	}
	return m, err
}

// moved finds out from the profiles of a run which functions caused its changes.
func moved(ctx context.Context, store string, report *bench.Report) ([]Moved, error) {
	all := []Moved{}
	inputs, err := compare.Read(ctx, store, nil, []string{report.Dir})
	if err != nil {
		return nil, err
	}
	c, err := inputs.Compare(nil)
	if err != nil {
		return nil, err
	}
	if err := c.Explain(ctx, false); err != nil {
		return nil, err
	}
	for _, s := range c.Document().Comparisons {
		for _, e := range s.Explanations {
			for i, f := range e.Functions {
				if i == mostMoved {
					break
				}
				if f.OwnChange != nil {
					all = append(all, Moved{e.Benchmark, f.Name, f.OwnChange.Value, e.Unit})
				}
			}
		}
	}
	return all, nil
}
