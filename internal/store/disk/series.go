package disk

import (
	"context"
	"maps"
	"slices"

	"github.com/hone-go/hone/internal/store"
)

// series returns totals over time; see [store.Store].
func (s *querier) series(ctx context.Context, q store.Query) ([]store.Series, error) {
	sel, err := s.selects(ctx, &q, false)
	if err != nil {
		return nil, err
	}
	defer sel.close()
	var out []store.Series
	if q.Step != 0 && !q.OneByOne() {
		out, err = sel.windows(ctx)
	} else {
		out, err = sel.points(ctx)
	}
	if err != nil {
		return nil, err
	}
	return store.Latest(out, q.Limit), nil
}

// points returns the series of a query that needs single profiles.
func (sel *selection) points(ctx context.Context) ([]store.Series, error) {
	groups, err := sel.groupEntries(ctx)
	if err != nil {
		return nil, err
	}
	var points []store.GroupPoint
	for _, g := range groups {
		var sum store.Tally
		for _, e := range g.entries {
			tallyEntry(&sum, e)
			if sel.q.Step == 0 {
				total, typ := sum.Total()
				points = append(points, store.GroupPoint{Labels: g.Labels, Type: typ, Point: store.Point{Time: e.Time, ID: e.ID, Total: total}})
				sum = store.Tally{}
			}
		}
		if sel.q.Step != 0 {
			points = append(points, windowPoint(g.GroupKey, &sum))
		}
	}
	return store.SeriesOf(sel.labels, points), nil
}

// windowPoint returns the point of a group for a window.
func windowPoint(k store.GroupKey, t *store.Tally) store.GroupPoint {
	total, typ := t.Total()
	return store.GroupPoint{Labels: k.Labels, Type: typ, Point: store.Point{Time: k.Window, Total: total}}
}

// windows returns the series of a query that needs only totals of windows.
func (sel *selection) windows(ctx context.Context) ([]store.Series, error) {
	totals := map[store.GroupKey]*store.Tally{}
	of := func(k store.GroupKey) *store.Tally {
		t := totals[k]
		if t == nil {
			t = new(store.Tally)
			totals[k] = t
		}
		return t
	}
	err := sel.visit(ctx,
		func(e *entry) { tallyEntry(of(e.key(sel.q)), e) },
		func(r *rolledUp) { tallyRollup(of(r.GroupKey), sel.q, r) })
	if err != nil {
		return nil, err
	}
	var points []store.GroupPoint
	for _, k := range slices.SortedFunc(maps.Keys(totals), store.GroupKey.Compare) {
		points = append(points, windowPoint(k, totals[k]))
	}
	return store.SeriesOf(sel.labels, points), nil
}
