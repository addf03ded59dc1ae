package runs

import (
	"context"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
)

// A TrendQuery selects the results of a trend. An empty text selects all.
type TrendQuery struct {
	Package, Benchmark, Unit string
	Limit                    int // maximum number of runs
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
