package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hone-go/hone/profile"
)

// Diff is a comparison of two sides, function by function. Values are per run:
// means over the runs of a side.
type Diff struct {
	Type        string    `json:"type"`
	Unit        string    `json:"unit"` // of all values here
	Granularity string    `json:"granularity"`
	Sort        string    `json:"sort"` // "flat" or "cum": which change the rows are ordered by
	Normalized  bool      `json:"normalized"`
	Compared    int64     `json:"compared"` // the base's total as it compares to the head's: BaseTotal, or what it is scaled to
	BaseRuns    int       `json:"baseRuns"`
	HeadRuns    int       `json:"headRuns"`
	BaseTotal   int64     `json:"baseTotal"` // before normalizing
	HeadTotal   int64     `json:"headTotal"`
	BaseText    string    `json:"baseTotalText"` // BaseTotal and HeadTotal as printed
	HeadText    string    `json:"headTotalText"`
	CompareText string    `json:"comparedText"`
	Rows        []DiffRow `json:"rows"`
	Functions   int       `json:"functions"` // how many there are, with those that have no row
	// Tested is how many functions were tested for significance, 0 for none; see
	// DiffRow.Test.
	Tested   int      `json:"tested"`
	Warnings []string `json:"warnings"`

	printUnit string // as Options.Unit
	perSecond bool
}

// DiffRow compares one function, or whatever the granularity says.
type DiffRow struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	// OtherFiles is how many more files have the function: see [profile.Frame].
	OtherFiles int   `json:"otherFiles,omitempty"`
	Line       int64 `json:"line,omitempty"`
	New        bool  `json:"new,omitempty"`  // the base hasn't got it
	Gone       bool  `json:"gone,omitempty"` // the head hasn't got it

	Flat DiffValue `json:"flat"`
	Cum  DiffValue `json:"cum"`
	// Test tells whether the change in the value that rows are ordered by can be
	// told from noise; nil if it wasn't tested.
	Test *DiffTest `json:"test,omitempty"`
}

// DiffValue is a value and its change.
type DiffValue struct {
	Base     int64    `json:"base"`
	Head     int64    `json:"head"`
	Delta    int64    `json:"delta"`
	Relative *float64 `json:"relative,omitempty"` // change as a share of the base; nil if that is 0

	// The values as printed: all rows in one unit, Delta with its sign.
	BaseText  string `json:"baseText"`
	HeadText  string `json:"headText"`
	DeltaText string `json:"deltaText"`
}

// DiffTest is the outcome of a Mann–Whitney U test.
type DiffTest struct {
	P           float64 `json:"p"`           // two-sided
	Holm        float64 `json:"holm"`        // P, adjusted for the number of functions tested
	Significant bool    `json:"significant"` // Holm is below diffAlpha
}

const (
	// diffAlpha is the accepted chance of calling any function changed when none is.
	diffAlpha = 0.05
	// diffRuns is how many runs a side needs for a test: below, no outcome of the
	// U test reaches diffAlpha, or only the most extreme one of three against many.
	diffRuns = 4
)

// NewDiff compares the profiles of two sides. Several profiles per side are
// taken for runs of the same thing. Of o it heeds SampleIndex, Granularity,
// NoInlines, Sort, Unit, PerSecond, and for the rows kept NodeCount, NodeFraction and Trim:
// rows whose change is below NodeFraction of the larger total are left out.
// Filters are the caller's. With a scaling, every run is scaled first. It
// ends early with the error of ctx.
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
	if err := d.compare(ctx, baseRuns, headRuns, table, &o); err != nil {
		return nil, err
	}
	return d, nil
}

// scale sets the scales of runs so that all heads compare, and all bases to them,
// and returns the mean of the bases' totals then.
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
	scale     float64 // what values are to be multiplied by
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

// key is the value that rows are ordered by.
func (d *Diff) key(r *DiffRow) *DiffValue {
	if d.Sort == "cum" {
		return &r.Cum
	}
	return &r.Flat
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
		row := DiffRow{Flat: newDiffValue(bf, hf), Cum: newDiffValue(bc, hc)}
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
	holm(tests)
	slices.SortFunc(d.Rows, func(a, b DiffRow) int {
		x, y := d.key(&a).Delta, d.key(&b).Delta
		return cmp.Or(cmp.Compare(max(y, -y), max(x, -x)), cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	if o.Trim && o.NodeCount > 0 && len(d.Rows) > o.NodeCount {
		d.Rows = d.Rows[:o.NodeCount]
	}
	d.print()
	d.warn()
	return nil
}

// print sets the texts of values.
func (d *Diff) print() {
	unit := d.textUnit()
	format := func(v int64) string { return formatRate(v, d.Unit, unit, d.perSecond) }
	total := func(v int64) string { return formatRate(v, d.Unit, "auto", d.perSecond) }
	d.BaseText, d.HeadText, d.CompareText = total(d.BaseTotal), total(d.HeadTotal), total(d.Compared)
	for i := range d.Rows {
		for _, v := range []*DiffValue{&d.Rows[i].Flat, &d.Rows[i].Cum} {
			v.BaseText, v.HeadText, v.DeltaText = format(v.Base), format(v.Head), signedText(v.Delta, format)
		}
	}
}

func nonzero(v float64) bool { return v != 0 }

// textUnit picks one unit for the table, in which its smallest change has digits.
func (d *Diff) textUnit() string {
	if d.printUnit != "" && d.printUnit != "minimum" && d.printUnit != "auto" {
		return d.printUnit
	}
	least := int64(math.MaxInt64)
	for i := range d.Rows {
		if v := d.key(&d.Rows[i]).Delta; v != 0 {
			least = min(least, max(v, -v))
		}
	}
	if least <= max(d.BaseTotal, d.HeadTotal)/100 {
		least *= 100
	}
	_, unit := profile.Convert(least, d.Unit, "auto")
	if unit == "" {
		return d.Unit
	}
	return unit
}

// signedText prints v with its sign, also if that is a plus.
func signedText(v int64, format func(int64) string) string {
	if v > 0 {
		return "+" + format(v)
	}
	return format(v)
}

// warn tells what the numbers can't.
func (d *Diff) warn() {
	add := func(format string, args ...any) { d.Warnings = append(d.Warnings, fmt.Sprintf(format, args...)) }
	n, m := d.BaseRuns, d.HeadRuns
	switch {
	case n == 1 && m == 1:
		add("one run per side: whether a change is significant can't be told; compare at least %d runs per side", diffRuns)
	case n < diffRuns || m < diffRuns:
		add("%d and %d runs: too few to tell whether a change is significant; compare at least %d runs per side", n, m, diffRuns)
	case d.Tested > 0 && smallestP(n, m)*float64(d.Tested) >= diffAlpha:
		need := max(n, m)
		for smallestP(need, need)*float64(d.Tested) >= diffAlpha {
			need++
		}
		add("with %d and %d runs p is at least %.2g, and of %d functions tested none can be significant after Holm's correction; compare at least %d runs per side",
			n, m, smallestP(n, m), d.Tested, need)
	}
	if !d.Normalized && d.BaseTotal > 0 && d.HeadTotal > 0 {
		if ratio := float64(d.HeadTotal) / float64(d.BaseTotal); ratio > 1.5 || ratio < 1/1.5 {
			add("the totals differ by a factor of %.2g; normalize to compare shares", max(ratio, 1/ratio))
		}
	}
}
