package experiment

import (
	"errors"
	"fmt"
)

// A Look is a point where the data are looked at, and the share of the level
// that is spent there.
type Look struct {
	Pairs int     `json:"pairs"`
	Share float64 `json:"share"`
}

// DefaultLooks: 10 samples a side; up to 20 where that decides nothing.
//
// Looking twice at the full level would give a false alarm in 8 % instead of
// 5 % of comparisons (P. Armitage, C. K. McPherson, B. C. Rowe, "Repeated
// Significance Tests on Accumulating Data", 1969). So each look spends a share
// of the level, fixed beforehand: a series counts as changed with p₁ ≤ 0.4·α at
// the first or p₂ ≤ 0.6·α at the second look. By Bonferroni's inequality the sum
// is at most α whatever the dependence of the looks and whatever the rule to go
// on, so stopping for any reason is safe; K. K. G. Lan and D. L. DeMets,
// "Discrete Sequential Boundaries for Clinical Trials" (1983), spend a little
// less, but need the joint distribution of the looks.
//
// In terms of p: p divided by the share of the look where the series stopped
// is a valid p value, and that is what Holm's correction sorts. Once counted as
// changed at the first look, a series stays so: Holm's procedure never takes
// a rejection back when other p values change.
//
// 0.4, since ten pairs cannot give less than p = 0.002: with 0.4 a plain change
// is found at the first look in families of up to ten.
var DefaultLooks = []Look{{Pairs: 10, Share: 0.4}, {Pairs: 20, Share: 0.6}}

// BudgetLooks are for a measurement that has a time to spend: what is undecided goes on
// as long as there is time, to 80 samples a side at most, which find half of the change
// that 20 do. The first is as by default.
//
// Where time ends between two looks, the later one comes early, with its own share, and
// is the last. How many pairs that are is decided by the clock and by how many other
// series go on, so that it says nothing of the series' own.
var BudgetLooks = []Look{{Pairs: 10, Share: 0.4}, {Pairs: 20, Share: 0.3}, {Pairs: 40, Share: 0.2}, {Pairs: 80, Share: 0.1}}

// OneLook is for a number of samples fixed beforehand.
func OneLook(pairs int) []Look { return []Look{{Pairs: pairs, Share: 1}} }

func checkLooks(looks []Look) error {
	if len(looks) == 0 {
		return errors.New("no look at the data is planned")
	}
	sum, last := 0.0, 0
	for _, l := range looks {
		if l.Pairs <= last || l.Share <= 0 {
			return fmt.Errorf("look at %d pairs with a share of %v: pairs have to grow and shares to be above 0", l.Pairs, l.Share)
		}
		last = l.Pairs
		sum += l.Share
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("shares of the looks add up to %v, more than 1", sum)
	}
	return nil
}

// lookAt returns the look that n pairs belong to: the first that asks for as
// many. A run that was interrupted stopped for reasons other than its data, so
// fewer pairs may spend the share as well.
func lookAt(looks []Look, n int) Look {
	for _, l := range looks {
		if n <= l.Pairs {
			return l
		}
	}
	return looks[len(looks)-1]
}
