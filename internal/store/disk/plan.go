package disk

import (
	"context"
	"maps"
	"slices"

	"github.com/hone-go/hone/internal/hashing"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
)

// The time range of a query is divided into days, hours and single profiles: whole days
// and hours are read from roll-ups, packed profiles of other hours from blocks, and fresh
// profiles one by one. An hour counts as whole if the query selects all its packed
// profiles, even if the range starts or ends within the hour.

// visit calls entry for the profiles and rolled for the roll-ups that make up the selection.
func (sel *selection) visit(ctx context.Context, entry func(e *entry), rolled func(r *rolledUp)) error {
	for _, v := range sel.views {
		if err := sel.visitView(ctx, v, entry, rolled); err != nil {
			return err
		}
	}
	return nil
}

func (sel *selection) visitView(ctx context.Context, v *view, entry func(e *entry), rolled func(r *rolledUp)) (err error) {
	defer func() { err = damagedIn(v.p, err) }()
	q := sel.q
	owners, fleets := sel.owners(v)
	for i := 0; i < len(v.hours); {
		if err := ctx.Err(); err != nil {
			return err
		}
		day := format.WindowOf(format.LevelSeriesDay, v.hours[i].hour.Start())
		n := i + 1
		for n < len(v.hours) && format.WindowOf(format.LevelSeriesDay, v.hours[n].hour.Start()) == day {
			n++
		}
		hours := v.hours[i:n]
		i = n
		// The window that all of the day's packed profiles are in.
		window, whole := wholeWindow(q, hours)
		if whole && day*24 >= int32(v.dropped) {
			level := uint8(format.LevelSeriesDay)
			if fleets {
				level = format.LevelFleetDay
			}
			if err := sel.rollups(v, level, window, hours, owners, rolled); err != nil {
				return err
			}
		}
		for k := range hours {
			h := &hours[k]
			hourWindow, hourWhole := window, whole && day*24 >= int32(v.dropped)
			if !hourWhole && fleets {
				if hourWindow, hourWhole = wholeWindow(q, hours[k:k+1]); hourWhole {
					if err := sel.rollups(v, format.LevelFleetHour, hourWindow, hours[k:k+1], owners, rolled); err != nil {
						return err
					}
				}
			}
			if !h.overlaps(q) {
				continue
			}
			if err := v.entries(q, h, !hourWhole, entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// wholeWindow returns the window that all packed profiles of some hours are in. whole is false
// if they are in several windows, or if the query doesn't select all of them.
func wholeWindow(q *store.Query, hours []hourView) (window int64, whole bool) {
	for i := range hours {
		p := &hours[i].packed
		if p.Profiles == 0 {
			continue
		}
		if !q.Contains(p.First) || !q.Contains(p.Last) {
			return 0, false
		}
		w := q.WindowOf(p.First)
		if w != q.WindowOf(p.Last) || whole && w != window {
			return 0, false
		}
		window, whole = w, true
	}
	return window, whole
}

// owners returns the selected owners of roll-ups. They are fleets if the query doesn't
// distinguish instances, or else series.
func (sel *selection) owners(v *view) (owners []uint32, fleets bool) {
	fleets = true
	for _, name := range v.p.Instance {
		if slices.Contains(sel.q.By, name) || slices.ContainsFunc(sel.q.Selector, func(m store.Matcher) bool { return m.Name == name }) {
			fleets = false
		}
	}
	for i, m := range v.matches {
		if m.group >= 0 && (!fleets || v.dict.Series[i].Fleet == uint32(i)) {
			owners = append(owners, uint32(i))
		}
	}
	return owners, fleets
}

// rollups calls rolled for the owners' roll-ups of a window.
func (sel *selection) rollups(v *view, level uint8, window int64, hours []hourView, owners []uint32, rolled func(r *rolledUp)) error {
	version := uint64(level)
	for i := range hours {
		version = hashing.Mix(version^uint64(hours[i].hour), hours[i].version)
	}
	at := format.WindowOf(level, hours[0].hour.Start())
	for _, owner := range owners {
		key := format.RollupKey(format.KindRollup, v.p.id, level, at, owner)
		ck := cacheKey{string(key), version}
		head, err := load(v.s.cache, ck, func() (*format.Rollup, int64, error) {
			head, _, err := get(v.snap, key, format.ReadRollup)
			return head, 200, err // also that there is none
		})
		if err != nil {
			return err
		}
		if head == nil {
			continue
		}
		sr := &v.dict.Series[owner]
		schemas := v.dict.Schemas
		if len(head.Totals) != len(schemas[sr.Measures].Types) || len(head.Schemas) == 0 || int(head.Schemas[len(head.Schemas)-1].Schema) >= len(schemas) {
			return format.Damaged(key, "it doesn't fit the dictionary")
		}
		m := v.matches[owner]
		rolled(&rolledUp{GroupKey: store.GroupKey{Labels: m.group, Window: window}, seriesMatch: m, v: v, measures: sr.Measures, head: head,
			sums: format.RollupKey(format.KindSums, v.p.id, level, at, owner), version: version})
	}
	return nil
}

// plan returns the groups of the query, with the places to read their sums from.
func (sel *selection) plan(ctx context.Context) ([]*mergeGroup, error) {
	if sel.q.OneByOne() {
		groups, err := sel.groupEntries(ctx)
		if err != nil {
			return nil, err
		}
		out := make([]*mergeGroup, len(groups))
		for i, g := range groups {
			out[i] = &mergeGroup{GroupKey: g.GroupKey}
			for _, e := range g.entries {
				out[i].addEntry(sel.q, e)
			}
		}
		return out, nil
	}
	byKey := map[store.GroupKey]*mergeGroup{}
	group := func(k store.GroupKey) *mergeGroup {
		g := byKey[k]
		if g == nil {
			g = &mergeGroup{GroupKey: k}
			byKey[k] = g
		}
		return g
	}
	err := sel.visit(ctx,
		func(e *entry) { group(e.key(sel.q)).addEntry(sel.q, e) },
		func(r *rolledUp) { group(r.GroupKey).addRollup(sel.q, r) })
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(byKey), func(a, b *mergeGroup) int { return a.Compare(b.GroupKey) }), nil
}
