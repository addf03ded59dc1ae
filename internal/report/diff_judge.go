package report

import (
	"math"
	"slices"
	"strings"
)

// Judge sets which rows changed more than chance explains, where that is known and they
// weren't tested by runs.
func (d *Diff) Judge(c *Chance) {
	if d.Tested > 0 {
		d.Basis = "runs"
		d.judgeTotal(&DiffTotal{Noise: mannWhitney(d.totals[0], d.totals[1]) >= diffAlpha})
		d.Changed = d.countChanged()
		return
	}
	if !c.known() {
		return
	}
	d.Basis = "samples"
	scale := 1.0
	if d.Normalized && d.BaseTotal != 0 {
		scale = float64(d.Compared) / float64(d.BaseTotal)
	}
	mean := *c // rows have means of runs
	mean.Event /= float64(d.HeadRuns)
	mean.BaseEvent /= float64(d.BaseRuns)
	least := leastChange * float64(max(d.Compared, d.HeadTotal))
	format := d.format()
	noise := func(name string, cum bool, v *DiffValue) bool {
		base, head := mean.sides(name, cum, float64(v.Base), float64(v.Head), scale)
		v.Interval = newDiffInterval(base, head, format)
		return math.Abs(float64(v.Delta)) < least || SureChange(base, head) == 0
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		r.Noise = &DiffNoise{Flat: noise(r.Name, false, &r.Flat), Cum: noise(r.Name, true, &r.Cum)}
	}
	d.judgeTotal(mean.total(float64(d.BaseTotal), float64(d.HeadTotal), scale))
	d.Changed = d.countChanged()
	if c.spreads != nil {
		d.Basis = "instances"
		d.Instances = &[2]int{c.BaseInstances, c.Instances}
		if c.outlier != nil && !d.Normalized {
			d.Outlier = c.outlier.tell(d)
		}
	}
	d.Warnings = slices.DeleteFunc(d.Warnings, isFewRuns)
}

// newDiffInterval returns the interval of a row's change.
func newDiffInterval(base, head Measured, format func(int64) string) *DiffInterval {
	low, high := changeInterval(base, head)
	in := &DiffInterval{Low: int64(math.Round(low)), High: int64(math.Round(high))}
	in.Text = "[" + endText(in.Low, format) + ", " + endText(in.High, format) + "]"
	return in
}

// endText prints an end of an interval. One that isn't 0 doesn't look like 0.
func endText(v int64, format func(int64) string) string {
	text := signedText(v, format)
	if v != 0 && strings.Trim(text, "+-") == "0" {
		return map[bool]string{true: ">0", false: "<0"}[v > 0]
	}
	return text
}

// judgeTotal sets the verdict on the totals, unless they were made equal.
func (d *Diff) judgeTotal(t *DiffTotal) {
	if d.Compared != d.HeadTotal || !d.Normalized {
		d.Total = t
	}
}

// total judges the change of the totals; base is scaled.
func (c *Chance) total(base, head, scale float64) *DiffTotal {
	base *= scale
	b, h := c.sides(totalFrame, false, base, head, scale)
	t := &DiffTotal{Noise: math.Abs(head-base) < leastChange*max(base, head) || SureChange(b, h) == 0}
	if base > 0 {
		low, high := changeInterval(b, h)
		t.Margin = &Margin{Low: 100 * low / base, High: 100 * high / base}
		if head >= 0 {
			t.Margin.Low = max(-100, t.Margin.Low) // nothing costs less than nothing
		}
	}
	return t
}

func (d *Diff) countChanged() (n int) {
	for i := range d.Rows {
		if d.Rows[i].changed(d.Sort == "cum") {
			n++
		}
	}
	return n
}

// changed reports whether more than chance explains the change of a row, in its own cost or with callees.
func (r *DiffRow) changed(cum bool) bool {
	switch {
	case r.Test != nil:
		return r.Test.Significant
	case r.Noise == nil:
		return false
	case cum:
		return !r.Noise.Cum
	}
	return !r.Noise.Flat
}

// InShort returns d with at most n rows: those with the largest changes that are more than chance, or the
// largest changes if nothing tells. Functions that only call one of these are its callers, instead of rows.
func (d *Diff) InShort(n int) *Diff {
	short := *d
	short.Rows = []DiffRow{}
	var changed []int
	for i := range d.Rows {
		if d.Basis == "" || d.Rows[i].changed(d.Sort == "cum") {
			changed = append(changed, i)
		}
	}
	for i, c := range d.causes(changed) {
		if i == n {
			break
		}
		row := d.Rows[c.row]
		for _, caller := range c.callers {
			row.Callers = append(row.Callers, d.Rows[caller].Name)
		}
		short.Rows = append(short.Rows, row)
	}
	short.printRows(short.formatTotal) // in a sentence, each value has the unit that fits it, as the totals have
	return &short
}
