package experiment

import (
	"slices"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// CompareApart compares results that were not interleaved: kept runs of
// different days, files of any origin. The family is marked Apart.
//
// Each series is compared by the rank-sum procedure (ranksum.go); all else, the
// family's correction, budgets, detectable effects, is as of a run with -against.
// What no test of such samples can see is a difference of the days: see
// Family.Apart.
//
// All results count as one look, as nobody goes on measuring.
func CompareApart(base, head []*benchfmt.Result, opts Options) (*Family, error) {
	opts.Looks = OneLook(1)
	return compare(question{series: SeriesApart(base, head), opts: opts, apart: true})
}

// SeriesApart returns the series of two sides that were not interleaved.
// Either may be empty. A unit written in different ways (ns/op here, sec/op there) is
// one series, in benchunit's tidied unit.
func SeriesApart(base, head []*benchfmt.Result) []Series {
	type measured struct {
		Series
		tidy  []float64
		mixed bool
	}
	var all []*measured
	index := make(map[Key]*measured)
	count := make(map[Key]int)
	for side, results := range [][]*benchfmt.Result{base, head} {
		clear(count)
		for _, r := range results {
			for _, v := range r.Values {
				value, unit := v.Value, v.Unit
				if v.OrigUnit != "" {
					value, unit = v.OrigValue, v.OrigUnit
				}
				tidied := Key{r.GetConfig("pkg"), r.Name.String(), v.Unit}
				m := index[tidied]
				if m == nil {
					m = &measured{Series: Series{Key: Key{tidied.Package, tidied.Benchmark, unit}}}
					index[tidied] = m
					all = append(all, m)
				}
				n := count[tidied]
				count[tidied]++
				m.mixed = m.mixed || m.Unit != unit
				m.tidy = append(m.tidy, v.Value)
				m.Samples = append(m.Samples, Sample{Slot{Block: n, Order: 2*n + side, Side: Side(side)}, value})
				if m.mixed {
					m.Unit = v.Unit
				}
			}
		}
	}
	series := make([]Series, len(all))
	for i, m := range all {
		if m.mixed {
			for j, v := range m.tidy {
				m.Samples[j].Value = v
			}
		}
		series[i] = m.Series
	}
	return series
}

// Medians returns the median of each benchmark's unit, of a side that was
// measured on its own.
func Medians(results []*benchfmt.Result) map[Key]float64 {
	medians := make(map[Key]float64)
	for _, s := range SeriesApart(nil, results) {
		var values []float64
		for _, x := range s.Samples {
			values = append(values, x.Value)
		}
		sample := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
		medians[s.Key] = benchmath.AssumeNothing.Summary(sample, 0.95).Center
	}
	return medians
}
