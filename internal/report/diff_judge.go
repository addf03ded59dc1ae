package report

import (
	"math"
	"slices"
)

// Judge sets which rows changed more than chance explains, where that is known and they
// weren't tested by runs.
func (d *Diff) Judge(c *Chance) {
	if !c.known() || d.Tested > 0 {
		return
	}
	scale := 1.0
	if d.Normalized && d.BaseTotal != 0 {
		scale = float64(d.Compared) / float64(d.BaseTotal)
	}
	mean := *c // rows have means of runs
	mean.Event /= float64(d.HeadRuns)
	mean.BaseEvent /= float64(d.BaseRuns)
	least := leastChange * float64(max(d.Compared, d.HeadTotal))
	noise := func(name string, cum bool, v *DiffValue) bool {
		return math.Abs(float64(v.Delta)) < least || mean.sure(name, cum, float64(v.Base), float64(v.Head), scale) == 0
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		r.Noise = &DiffNoise{Flat: noise(r.Name, false, &r.Flat), Cum: noise(r.Name, true, &r.Cum)}
	}
	if c.spreads != nil {
		d.Instances = &[2]int{c.BaseInstances, c.Instances}
	}
	d.Warnings = slices.DeleteFunc(d.Warnings, isFewRuns)
}
