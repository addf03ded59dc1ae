package experiment

import (
	"fmt"
	"math"
	"slices"
)

// A Verdict is what a comparison says about a series.
type Verdict uint8

const (
	// Inconclusive: the measurement could not tell. See MinDetectable.
	Inconclusive Verdict = iota
	// NoChange: the interval lies within the resolution (or counts are equal).
	NoChange
	// Better and Worse: the gate's interval lies beyond no change, and what the
	// machine was seen to change by itself. See Beyond.
	Better
	Worse
	// Differs is Better or Worse of a unit of unknown direction.
	Differs
	// WithinBudget: the interval rules out a change beyond the budget, but is too
	// wide to rule out any, or shows a small worsening.
	WithinBudget
	// OneSided: the benchmark or unit is missing on a side.
	OneSided
	// SameCode: the benchmark can run nothing that changed, whatever was measured.
	SameCode
	// OtherClock: JudgedBy decides.
	OtherClock
)

var verdictNames = [...]string{"inconclusive", "no change", "better", "worse", "differs", "within budget", "one side only", "same code", "other clock"}

func (v Verdict) String() string { return verdictNames[v] }

// Changed reports whether the verdict states a change, which a second run has
// to confirm.
func (v Verdict) Changed() bool { return v == Better || v == Worse || v == Differs }

// Words returns the verdict in words that fit the unit.
func (c *Comparison) Words() string {
	text := c.Verdict.String()
	isTime := hasUnitSuffix(c.Unit, "ns/op") || c.Unit == "ns/op" || c.Unit == "sec/op"
	switch {
	case c.Verdict == SameCode:
		return sameCode
	case c.Confirmation == Disagreed, c.Confirmation == NotRepeated:
		return text + ", " + c.Confirmation.String()
	case c.JudgedBy != "":
		return "judged by " + c.JudgedBy
	case c.Busy:
		return text + ": the machine was busy"
	case c.OtherBenchmark && c.Verdict == Inconclusive:
		return text + ": the benchmark itself changed"
	case c.Verdict == Inconclusive && math.IsInf(c.MinDetectable, 1):
		return text + " (too few samples)"
	case c.Verdict == Inconclusive && c.Scale == Ratio:
		digits := 1
		if c.MinDetectable >= 0.1 {
			digits = 0
		}
		return fmt.Sprintf("%s (min detectable %.*f %%)", text, digits, 100*c.MinDetectable)
	case c.Verdict == Inconclusive:
		return fmt.Sprintf("%s (min detectable %.3g %s)", text, c.MinDetectable, c.Unit)
	case c.Verdict == Better && isTime:
		return "faster"
	case c.Verdict == Worse:
		if isTime {
			text = "slower"
		}
		if !c.Beyond {
			text += fmt.Sprintf(" (perhaps within the budget of %.3g %%)", 100*c.Budget)
		}
	}
	return text
}

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

func (f *Family) find(k Key) *Comparison {
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
