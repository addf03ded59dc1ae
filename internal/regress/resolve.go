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
	m, ok := measureOf(r.Kind)
	if !ok || now-r.To < resolvedHours {
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
	return subsided(m, r, frames, before, after), nil
}

// subsided reports whether a function's cost shows clearly less than half of a regression.
//
// If requests aren't counted any more, costs are compared as others of their kind are.
func subsided(m measure, r *Regression, frames *Frames, before, after []Sum) bool {
	s := &sample{measure: m, perRequest: r.PerRequest && counted(before) && counted(after)}
	side := func(sums []Sum) (t total, events float64) {
		t = s.sideOf(sums, eventOf(sums), max(1, r.Instances)).total()
		for _, v := range t.own {
			events += v
		}
		return t, events
	}
	a, eventsAfter := side(after)
	b, eventsBefore := side(before)
	if a.work <= 0 || b.work <= 0 || !m.amount && min(eventsAfter, eventsBefore) < leastEvents {
		return false
	}
	shift, size := 0.0, r.After-r.Before
	switch {
	case s.perRequest && !m.amount:
		shift = common(shiftOf(&a, &b), nil)
	case s.perRequest:
	case !m.amount:
		shift, size = shiftOf(&a, &b), r.Share
	case r.PerRequest:
		size = r.Share * eventsAfter / a.work
	}
	usual := 0.02 // what a function varies from day to day
	if m.amount {
		usual = 0.1
	}
	now, then := 0.0, 0.0
	if f := slices.Index(frames.Names, r.Function); f >= 0 {
		now, then = at(a.column(r.Callees), f), at(b.column(r.Callees), f)
	}
	grown := now/a.work - then/b.work*math.Exp(shift)
	chance := math.Sqrt(now/a.work/a.work + then/b.work/b.work + usual*usual*then/b.work*then/b.work)
	const oneSided95 = 1.64
	return grown+oneSided95*chance < size/2
}

// leastEvents is how many events the hours need, where shares are compared.
const leastEvents = 1000
