package experiment

import (
	"slices"
)

// A Family is all series of one comparison: they share the chance of a false
// alarm.
type Family struct {
	Alpha  float64 `json:"alpha"`
	Tested int     `json:"tested"` // series that could give a false alarm by chance
	// Apart says that the sides were not measured interleaved, but each at its
	// time: see CompareApart. What else differed then, the machine's state for
	// one, counts as change, and there is no second run that could confirm one.
	Apart       bool         `json:"apart,omitempty"`
	Comparisons []Comparison `json:"comparisons"`
	// SameCode is Info.SameCode of the run. What is not measured of it has no Comparison.
	SameCode []BenchmarkName `json:"sameCode,omitempty"`
	Layout   *LayoutNoise    `json:"layout,omitempty"` // nil where it can't be told
	// Missing is what the base has and the head does not. What is not measured is not met.
	Missing []Gap `json:"missing,omitempty"`
}

// correct applies Holm's correction and gives verdicts.
func (f *Family) correct(opts *Options) {
	type tested struct {
		c        *Comparison
		p        float64
		estimate shiftEstimate
	}
	var all []tested
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		switch {
		case c.Verdict == SameCode:
		case !c.tested && !c.Exact:
			if c.sample.comparable() {
				c.settle(c.sample.estimate(), opts.Alpha*c.share(), opts)
			}
		case c.tested && c.Exact:
			all = append(all, tested{c, c.P, shiftEstimate{}})
		case c.tested:
			e := c.sample.estimate()
			all = append(all, tested{c, c.gateP(e) / c.look.Share, e})
		default:
			c.settleExact(true)
		}
	}
	slices.SortStableFunc(all, func(a, b tested) int {
		switch {
		case a.p < b.p:
			return -1
		case a.p > b.p:
			return 1
		}
		return 0
	})
	f.Tested = len(all)
	adjusted, stopped, level := 0.0, false, opts.Alpha
	for k, t := range all {
		left := float64(len(all) - k)
		if opts.repeated != nil {
			left, stopped = 1, false
		}
		if !stopped {
			level = opts.Alpha / left
			stopped = t.p > level
		}
		adjusted = min(1, max(adjusted, t.p*left))
		t.c.AdjustedP = adjusted
		if t.c.Exact {
			t.c.settleExact(!stopped)
		} else {
			t.c.settle(t.estimate, level*t.c.look.Share, opts)
		}
	}
	for i := range f.Comparisons {
		switch c := &f.Comparisons[i]; {
		case c.JudgedBy != "":
			c.Verdict, c.Beyond, c.Busy = OtherClock, false, false
		case c.OtherBenchmark && c.Verdict != OneSided:
			c.Verdict, c.Beyond, c.Busy = Inconclusive, false, false
		}
	}
}

func (c *Comparison) share() float64 {
	if c.look.Share == 0 {
		return 1
	}
	return c.look.Share
}

func (f *Family) Of(k Key) *Comparison {
	i := slices.IndexFunc(f.Comparisons, func(c Comparison) bool { return c.Key == k })
	if i < 0 {
		return nil
	}
	return &f.Comparisons[i]
}

// Undecided returns the series that another look could decide, of those that can fail
// a run, and by how many pairs to extend each. Nothing is left to do when it is empty.
func (f *Family) Undecided(looks []Look) map[Key]int {
	more := make(map[Key]int)
	for i := range f.Comparisons {
		c := &f.Comparisons[i]
		if !c.Gated || c.Verdict != Inconclusive || c.Pairs == 0 {
			continue
		}
		for _, l := range looks {
			if l.Pairs > c.Pairs {
				more[c.Key] = l.Pairs - c.Pairs
				break
			}
		}
	}
	return more
}

// Unconfirmed returns the changes that a second run has to repeat. Series that
// cannot fail the run are not among them.
func (f *Family) Unconfirmed() []Key {
	var keys []Key
	for i := range f.Comparisons {
		if c := &f.Comparisons[i]; c.Gated && c.Verdict.Changed() && c.Confirmation == Pending {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// Regressions returns what fails a gate: worse beyond the budget, and confirmed.
func (f *Family) Regressions() []Comparison {
	var failed []Comparison
	for _, c := range f.Comparisons {
		if c.Gated && c.Verdict == Worse && c.Beyond && c.Confirmation == Agreed {
			failed = append(failed, c)
		}
	}
	return failed
}
