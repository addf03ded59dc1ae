package experiment

import (
	"math"
	"slices"
)

// Confirm returns the family with changes confirmed, or turned inconclusive, by
// a second run: new samples, not the same ones extended. second holds at least
// the series that Unconfirmed names.
//
// The second run has to give the same verdict by its own samples: the interval of
// that series alone, corrected neither for the family nor for looking twice, lies
// beyond no change on the same side. The same sign would be too little: what
// disturbs a machine disturbs it on one side as soon as on the other, so that half
// of all false alarms would pass. What is lost is little, as the question is of one
// series, and more samples are asked where it decides nothing (see Doubtful). A
// change counts as beyond the budget if it is so in both.
//
// If the first run was of one layout and the second of several, what the first shows may be
// the layout's, as often as not. Then the second one is corrected as a first one is, so that
// its false alarms alone are within the level.
//
// A change that is certain stays, unconfirmed, if the second run has too few samples of
// its series or none.
func (f *Family) Confirm(second *Family) *Family {
	repeats := make(map[Key]*Comparison)
	for i := range second.Comparisons {
		c := &second.Comparisons[i]
		repeats[c.Key] = c
	}
	confirmed := *f
	confirmed.Comparisons = slices.Clone(f.Comparisons)
	for i := range confirmed.Comparisons {
		c := &confirmed.Comparisons[i]
		if !c.Gated || !c.Verdict.Changed() || c.Confirmation != Pending {
			continue
		}
		again, repeated := repeats[c.Key]
		repeated = repeated && again.Verdict != OneSided && !math.IsNaN(again.Change) // has pairs
		switch {
		case c.certain() && (!repeated || again.Unknown()):
		case !repeated:
			c.Confirmation, c.Verdict = NotRepeated, Inconclusive
		case again.Verdict == c.Verdict, c.Verdict == Worse && again.Verdict == WithinBudget && again.significant:
			c.Confirmation, c.Beyond = Agreed, c.Beyond && again.Beyond && again.Verdict == c.Verdict
		default:
			c.Confirmation, c.Verdict = Disagreed, Inconclusive
		}
	}
	return &confirmed
}
