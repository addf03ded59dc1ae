package runs

import (
	"context"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/benchstat"
	"github.com/hone-go/hone/internal/experiment/objective"
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

// Trend returns medians over runs. For a run measured with -against, it uses the
// head.
func (k *Kept) Trend(ctx context.Context, of TrendQuery) (*api.Trend, error) {
	entries, err := k.entries(ctx)
	if err != nil {
		return nil, err
	}
	k.medians.forget(entries)
	entries = entries[:min(len(entries), of.Limit)]
	slices.Reverse(entries)
	objectives := k.objectives(ctx)
	t := &api.Trend{Runs: []api.TrendRun{}, Series: []api.TrendSeries{}, Warnings: []string{}}
	index := make(map[experiment.Key]int)
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := k.mediansAt(ctx, e)
		if err != nil {
			t.Warnings = append(t.Warnings, compare.OneLine(err))
			continue
		}
		at := len(t.Runs)
		for _, key := range m.order {
			if of.Package != "" && of.Package != key.Package || of.Benchmark != "" && of.Benchmark != key.Benchmark || of.Unit != "" && of.Unit != key.Unit {
				continue
			}
			i, ok := index[key]
			if !ok {
				i = len(t.Series)
				index[key] = i
				t.Series = append(t.Series, api.TrendSeries{
					Package: key.Package, Benchmark: key.Benchmark, Unit: key.Unit, Points: []api.TrendPoint{}, Bounds: boundsOf(objectives, key),
				})
			}
			v := m.values[key]
			t.Series[i].Better = m.better[key]
			t.Series[i].Points = append(t.Series[i].Points, api.TrendPoint{Run: at, Median: v.median, Lo: v.lo, Hi: v.hi, N: v.n})
		}
		t.Runs = append(t.Runs, m.run)
	}
	slices.SortStableFunc(t.Series, func(a, b api.TrendSeries) int {
		return strings.Compare(a.Package+"."+a.Benchmark, b.Package+"."+b.Benchmark)
	})
	return t, nil
}

// boundsOf returns the limits that objectives set for a series.
func boundsOf(objectives []objective.Objective, key experiment.Key) []api.TrendBound {
	bounds := []api.TrendBound{}
	for i := range objectives {
		o := &objectives[i]
		if !o.Applies(key) {
			continue
		}
		if o.Max != nil {
			bounds = append(bounds, api.TrendBound{Kind: "max", Value: o.Max.Value, Text: o.Max.Text, Name: o.Name})
		}
		if o.Min != nil {
			bounds = append(bounds, api.TrendBound{Kind: "min", Value: o.Min.Value, Text: o.Min.Text, Name: o.Name})
		}
	}
	return bounds
}

// mediansAt returns the medians of a run.
func (k *Kept) mediansAt(ctx context.Context, e experiment.Entry) (*runMedians, error) {
	if e.Info == nil {
		return nil, e.Err
	}
	return k.medians.of(e, "", func() (*runMedians, error) {
		run, err := openRun(ctx, e.Dir)
		if err != nil {
			return nil, err
		}
		return mediansOf(run)
	})
}

// mediansOf returns the medians that hone compare prints for a run.
func mediansOf(run *experiment.Run) (*runMedians, error) {
	env := run.Environment
	m := &runMedians{
		run: api.TrendRun{
			ID: run.ID, Created: run.Created, State: run.State, Revision: compare.RevisionText(run.Head), Go: env.Go,
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
