package regress

import (
	"context"
	"math"
	"slices"
)

// resolvedHours is the time that has to be as before.
const resolvedHours = 2 * day / 24

// gone reports whether a regression is over: whether the last hours show clearly less than
// half of it, compared with the same hours of the last day before it.
func gone(ctx context.Context, src Source, r *Regression, now int64) (bool, error) {
	if now-r.To < resolvedHours {
		return false, nil
	}
	back := (now - r.Since + day - 1) / day * day
	frames := NewFrames()
	read := func(at span) (total, float64, error) {
		sums, err := src.Sums(ctx, Selection{Service: r.Service, Kind: r.Kind, From: at.from, To: at.to}, frames)
		if len(sums) == 0 || err != nil {
			return total{}, 0, err
		}
		// Not with requests: the median of functions is enough to see that it is gone.
		event := eventOf(sums)
		return sideOf(sums, event, false).total(), event, nil
	}
	last := span{now - resolvedHours, now}
	after, _, err := read(last)
	if err != nil {
		return false, err
	}
	before, _, err := read(last.shift(-back, 0))
	f := slices.Index(frames.Names, r.Function)
	if err != nil || after.work < leastWork || before.work < leastWork {
		return false, err
	}
	a, b := 0.0, 0.0
	if f >= 0 {
		a, b = at(after.column(r.Callees), f), at(before.column(r.Callees), f)
	}
	shift := shiftOf(&after, &before)
	grown := a/after.work - b/before.work*math.Exp(shift)
	const usual = 0.02 // what a function varies from day to day
	chance := math.Sqrt(a/after.work/after.work + b/before.work/before.work + usual*usual*b/before.work*b/before.work)
	const oneSided95 = 1.64
	return grown+oneSided95*chance < r.Share/2, nil
}

// leastWork is how many events the hours need.
const leastWork = 1000
