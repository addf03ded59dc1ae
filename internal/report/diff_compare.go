package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hone-go/hone/profile"
)

// NewDiff compares the profiles of two sides. Several profiles per side count as
// runs of the same code. Of o it uses SampleIndex, Granularity, NoInlines, Sort, Unit
// and PerSecond, and to choose rows NodeCount, NodeFraction and Trim: rows whose
// change is below NodeFraction of the larger total are left out. The caller applies
// filters. With a scaling, every run is scaled first. Function literals have one name on
// both sides: see [profile.AlignLiterals]. It ends early with the error of ctx.
func NewDiff(ctx context.Context, base, head []*profile.Profile, o Options, scaling Scaling) (*Diff, error) {
	if len(base) == 0 || len(head) == 0 {
		return nil, fmt.Errorf("nothing to compare: %d base and %d head profiles", len(base), len(head))
	}
	table, err := profile.NewFrameTable(cmp.Or(o.Granularity, "functions"), o.NoInlines)
	if err != nil {
		return nil, err
	}
	index, err := head[0].SampleIndex(o.SampleIndex)
	if err != nil {
		return nil, err
	}
	if index < 0 {
		return nil, fmt.Errorf("the profile has no sample types")
	}
	base, head = profile.AlignLiterals(base, head)
	st := head[0].SampleTypes[index]
	d := &Diff{
		Type: st.Type, Unit: st.Unit, Granularity: cmp.Or(o.Granularity, "functions"), Sort: cmp.Or(o.Sort, "flat"),
		Normalized: scaling.Normalize, BaseRuns: len(base), HeadRuns: len(head), Rows: []DiffRow{}, Warnings: []string{},
		printUnit: o.Unit, perSecond: o.PerSecond,
	}
	var maps []*profile.FrameMap
	all := slices.Concat(base, head)
	for _, p := range all {
		maps = append(maps, table.Add(p))
	}
	runs, values := make([]diffRun, len(all)), make([][]int64, len(all))
	for i, p := range all {
		column := slices.Index(p.SampleTypes, st)
		if column < 0 {
			return nil, fmt.Errorf("profile %d of %d has no sample type %s in %s", i+1, len(all), st.Type, st.Unit)
		}
		if runs[i], err = newDiffRun(ctx, p, maps[i], column, table.Len()); err != nil {
			return nil, err
		}
		values[i] = p.Values[column]
	}
	table.Settle(maps[len(base):], values[len(base):])
	table.Settle(maps[:len(base)], values[:len(base)])
	baseRuns, headRuns := runs[:len(base)], runs[len(base):]
	d.BaseTotal, d.HeadTotal = meanTotal(baseRuns), meanTotal(headRuns)
	d.Compared = d.BaseTotal
	if scaling.Normalize {
		d.Compared = scaling.scale(baseRuns, headRuns, st)
	}
	d.totals = [2][]float64{scaledTotals(baseRuns), scaledTotals(headRuns)}
	if err := d.compare(ctx, baseRuns, headRuns, table, &o); err != nil {
		return nil, err
	}
	if d.Sort == "cum" {
		if d.nesting, err = d.nest(ctx, all, maps, values, runs, table); err != nil {
			return nil, err
		}
		d.nesting.order(d)
	}
	return d, nil
}

// scale sets the scales of runs so that all heads have one total and all bases
// compare with it. It returns the mean of the bases' scaled totals.
func (s Scaling) scale(base, head []diffRun, st profile.ValueType) int64 {
	counted := func(runs []diffRun, by []*profile.Profile) []diffRun {
		out := slices.Clone(runs)
		for i, p := range by {
			out[i].total = Magnitude(p, st)
		}
		return out
	}
	to := func(total int64, runs, counted []diffRun) {
		for i := range runs {
			if counted[i].total != 0 {
				runs[i].scale = float64(total) / float64(counted[i].total)
			}
		}
	}
	countedBase, countedHead := counted(base, s.Base), counted(head, s.Head)
	headTotal := meanTotal(countedHead)
	compared := int64(math.Round(s.ratio() * float64(headTotal)))
	to(headTotal, head, countedHead)
	to(compared, base, countedBase)
	if s.Base == nil {
		return compared
	}
	sum := 0.0
	for _, r := range base {
		sum += float64(r.total) * r.scale
	}
	return int64(math.Round(sum / float64(len(base))))
}

// diffRun holds one profile's values by frame.
type diffRun struct {
	flat, cum []int64
	total     int64   // sum of absolute values
	scale     float64 // factor for the values
}

func newDiffRun(ctx context.Context, p *profile.Profile, frames *profile.FrameMap, column, n int) (diffRun, error) {
	r := diffRun{flat: make([]int64, n), cum: make([]int64, n), scale: 1}
	seen := make([]uint32, n) // the last sample a frame was counted for, plus 1
	stop := stopper{ctx: ctx}
	for s, v := range p.Values[column] {
		if stop.at(s) {
			return r, stop.err()
		}
		if v == 0 {
			continue
		}
		r.total += max(v, -v)
		for i, l := range p.Stack(s) {
			for j, ref := range frames.At(l) {
				f := ref.Index()
				if i == 0 && j == 0 {
					r.flat[f] += v
				}
				if seen[f] != uint32(s)+1 {
					seen[f] = uint32(s) + 1
					r.cum[f] += v
				}
			}
		}
	}
	return r, nil
}

func meanTotal(runs []diffRun) int64 {
	sum := 0.0
	for _, r := range runs {
		sum += float64(r.total)
	}
	return int64(math.Round(sum / float64(len(runs))))
}

func scaledTotals(runs []diffRun) []float64 {
	out := make([]float64, len(runs))
	for i, r := range runs {
		out[i] = float64(r.total) * r.scale
	}
	return out
}

// runValues returns frame f's values in each run.
func runValues(runs []diffRun, f int, cum bool) []float64 {
	out := make([]float64, len(runs))
	for i := range runs {
		column := runs[i].flat
		if cum {
			column = runs[i].cum
		}
		out[i] = float64(column[f]) * runs[i].scale
	}
	return out
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func newDiffValue(base, head []float64) DiffValue {
	v := DiffValue{Base: int64(math.Round(average(base))), Head: int64(math.Round(average(head)))}
	v.Delta = v.Head - v.Base
	if v.Base != 0 {
		r := float64(v.Delta) / math.Abs(float64(v.Base))
		v.Relative = &r
	}
	return v
}

func (d *Diff) compare(ctx context.Context, base, head []diffRun, table *profile.FrameTable, o *Options) error {
	fraction := o.NodeFraction
	if !o.Trim {
		fraction = 0
	}
	least := fraction * float64(max(d.Compared, d.HeadTotal))
	testing := len(base) >= diffRuns && len(head) >= diffRuns
	var tests []*DiffTest
	stop := stopper{ctx: ctx}
	for f := range table.Len() {
		if stop.at(f) {
			return stop.err()
		}
		bf, hf := runValues(base, f, false), runValues(head, f, false)
		bc, hc := runValues(base, f, true), runValues(head, f, true)
		row := DiffRow{Flat: newDiffValue(bf, hf), Cum: newDiffValue(bc, hc), frame: f}
		inBase, inHead := slices.ContainsFunc(bc, nonzero), slices.ContainsFunc(hc, nonzero)
		if !inBase && !inHead {
			continue
		}
		d.Functions++
		row.New, row.Gone = !inBase, !inHead
		if d.Sort == "cum" {
			bf, hf = bc, hc
		}
		// Which functions are tested may depend on how large they are, but not on
		// how much they differ: that would make the p-values too small.
		if size := math.Abs(average(slices.Concat(bf, hf))); testing && size > 0 && size >= least {
			row.Test = &DiffTest{P: mannWhitney(bf, hf)}
			tests = append(tests, row.Test)
		}
		if delta := math.Abs(float64(d.key(&row).Delta)); delta == 0 || delta < least {
			continue
		}
		frame := table.Frame(uint32(f))
		row.Name, row.File, row.OtherFiles, row.Line = frame.Name, frame.File, max(frame.Files-1, 0), frame.Line
		d.Rows = append(d.Rows, row)
	}
	d.Tested = len(tests)
	adjust(tests)
	slices.SortFunc(d.Rows, func(a, b DiffRow) int {
		return cmp.Or(cmp.Compare(d.weight(&b), d.weight(&a)), cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	if o.Trim && o.NodeCount > 0 && len(d.Rows) > o.NodeCount {
		d.Rows = d.Rows[:o.NodeCount]
	}
	d.print()
	d.warn()
	return nil
}

// weight is what rows are ordered by: the size of the change. With callees, all callers of a
// function that changed have its change as well. So the change counts by its share of the
// function, and the function that explains it comes before its callers.
func (d *Diff) weight(r *DiffRow) float64 {
	v := d.key(r)
	size := math.Abs(float64(v.Delta))
	if d.Sort != "cum" || size == 0 {
		return size
	}
	return size * size / max(math.Abs(float64(v.Base)), math.Abs(float64(v.Head)))
}

// adjust corrects the p-values for the number of tests, and judges by them.
func adjust(tests []*DiffTest) {
	p := make([]float64, len(tests))
	for i, t := range tests {
		p[i] = t.P
	}
	for i, adjusted := range holm(p) {
		tests[i].Holm, tests[i].Significant = adjusted, adjusted < diffAlpha
	}
}

func nonzero(v float64) bool { return v != 0 }
