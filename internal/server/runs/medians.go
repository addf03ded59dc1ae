package runs

import (
	"strings"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchstat"
)

// runMedians has the medians of a run's head with their intervals.
type runMedians struct {
	run    api.TrendRun
	values map[experiment.Key]trendValue // by tidied unit
	order  []experiment.Key
	better map[experiment.Key]experiment.Direction
}

type trendValue struct {
	median, lo, hi *float64
	n              int
}

// mediansOf returns the medians that hone compare prints for a run.
func mediansOf(run *experiment.Run) (*runMedians, error) {
	env := run.Environment
	m := &runMedians{
		run: api.TrendRun{
			ID: run.ID, Created: run.Created, State: run.State, Revision: compare.RevisionText(run.Head), Go: env.Go,
			Branch: run.Head.Branch, Subject: run.Head.Subject,
			Machine: strings.TrimPrefix(env.CPU+", "+env.GOOS+"/"+env.GOARCH, ", "),
		},
		values: make(map[experiment.Key]trendValue), better: make(map[experiment.Key]experiment.Direction),
	}
	column := benchstat.RunColumn(run, run.ID, experiment.Head)
	if len(column.Results) == 0 {
		return m, nil
	}
	tables, err := benchstat.Tabulate([]benchstat.Column{column}, run.Units())
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		pkg := ""
		for _, c := range t.Config {
			if c.Key == "pkg" {
				pkg = c.Value
			}
		}
		for _, r := range t.Rows {
			key := experiment.Key{Package: pkg, Benchmark: r.Benchmark, Unit: t.Unit}
			cell := r.Cells[0]
			if _, twice := m.values[key]; !twice {
				m.order = append(m.order, key)
			}
			s := cell.Summary
			m.values[key] = trendValue{compare.FiniteOrNil(s.Center), compare.FiniteOrNil(s.Lo), compare.FiniteOrNil(s.Hi), cell.Samples()}
			m.better[key] = experiment.DirectionOf(t.Unit, run.Units())
		}
	}
	return m, nil
}
