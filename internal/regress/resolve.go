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
	read := func(at span) ([]Sum, error) {
		return src.Sums(ctx, Selection{Service: r.Service, Kind: r.Kind, From: at.from, To: at.to}, frames)
	}
	last := span{now - resolvedHours, now}
	after, err := read(last)
	if err != nil {
		return false, err
	}
	before, err := read(last.shift(-back, 0))
	if err != nil || len(after) == 0 || len(before) == 0 {
		return false, err
	}
	return subsided(r, frames, before, after), nil
}

// subsided reports whether a function's cost shows clearly less than half of a regression.
//
// A cost per request is compared as it is. If requests aren't counted any more, shares are
// compared, as for other regressions.
func subsided(r *Regression, frames *Frames, before, after []Sum) bool {
	perRequest := r.PerRequest && counted(before) && counted(after)
	event := eventOf(slices.Concat(before, after))
	side := func(sums []Sum) (t total, events float64) {
		t = sideOf(sums, event, perRequest).total()
		for _, v := range t.own {
			events += v
		}
		return t, events
	}
	a, eventsAfter := side(after)
	b, eventsBefore := side(before)
	if min(eventsAfter, eventsBefore) < leastEvents {
		return false
	}
	shift := 0.0
	if !perRequest {
		shift = shiftOf(&a, &b)
	}
	now, then := 0.0, 0.0 // events
	if f := slices.Index(frames.Names, r.Function); f >= 0 {
		now, then = at(a.column(r.Callees), f), at(b.column(r.Callees), f)
	}
	// Both as shares of all cost now, as the regression's size is.
	scale := math.Exp(shift) * a.work / b.work / eventsAfter
	grown := now/eventsAfter - then*scale
	const usual = 0.02 // what a function varies from day to day
	chance := math.Sqrt(now/eventsAfter/eventsAfter + then*scale*scale + usual*usual*then*scale*then*scale)
	const oneSided95 = 1.64
	return grown+oneSided95*chance < r.Share/2
}

// leastEvents is how many events the hours need.
const leastEvents = 1000
