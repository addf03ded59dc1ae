package experiment

import "math"

// A Confirmation says what a second run made of a change.
type Confirmation uint8

const (
	// Pending: a change that nobody has tried to repeat, or no change.
	Pending Confirmation = iota
	// Agreed: the second run's estimate lies on the same side.
	Agreed
	// Disagreed: it does not; the change does not count.
	Disagreed
	// NotRepeated: the second run has no such series.
	NotRepeated
)

func (c Confirmation) String() string {
	return [...]string{"not confirmed yet", "confirmed", "not confirmed by a second run", "not measured by the second run"}[c]
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

// Confirm returns the family with changes confirmed, or turned inconclusive, by
// a second run: new samples, not the same ones extended. second holds at least
// the series that Unconfirmed names.
//
// The second estimate has to lie on the same side of no change; it need not be
// significant again, which would cost a fifth of the true changes at the limit.
// Without a change the sides are equally likely, so this halves the rate of
// false alarms at almost no price: a change found with a chance of 0.8
// has the right sign in more than 99 % of second runs.
func (f *Family) Confirm(second *Family) *Family {
	repeated := make(map[Key]*Comparison)
	for i := range second.Comparisons {
		c := &second.Comparisons[i]
		repeated[c.Key] = c
	}
	confirmed := &Family{f.Alpha, f.Tested, f.Apart, append([]Comparison(nil), f.Comparisons...), f.SameCode}
	for i := range confirmed.Comparisons {
		c := &confirmed.Comparisons[i]
		if !c.Gated || !c.Verdict.Changed() || c.Confirmation != Pending {
			continue
		}
		switch again, ok := repeated[c.Key]; {
		case !ok || again.Verdict == OneSided || math.IsNaN(again.Change): // no pairs
			c.Confirmation, c.Verdict = NotRepeated, Inconclusive
		case c.sign() == again.sign():
			c.Confirmation = Agreed
		default:
			c.Confirmation, c.Verdict = Disagreed, Inconclusive
		}
	}
	return confirmed
}

func (c *Comparison) sign() int {
	switch n := c.Scale.neutral(); {
	case c.Change > n:
		return 1
	case c.Change < n:
		return -1
	}
	return 0
}

// Regressions returns what fails a gate: worse beyond the budget, and confirmed.
func (f *Family) Regressions() []Comparison {
	var failed []Comparison
	for _, c := range f.Comparisons {
		if c.Gated && c.Verdict == Worse && c.Confirmation == Agreed {
			failed = append(failed, c)
		}
	}
	return failed
}
