package disk

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hone-go/hone/internal/store"
)

// A query's time is covered by days, hours and single profiles: whole days and
// hours are read from roll-ups, the packed profiles of other hours from blocks,
// and fresh profiles one by one. An hour counts as whole when all of its packed
// profiles are asked for, even if the query begins or ends in it.

// rolledUp is a roll-up that a query reads.
type rolledUp struct {
	groupKey
	seriesMatch
	v        *view
	measures uint32
	head     *rollup
	sums     []byte // key of its samples
	version  uint64 // changes with it
}

// visit calls entry for the profiles and rolled for the roll-ups that make up
// what the query selects.
func (sel *selection) visit(ctx context.Context, entry func(e *entry), rolled func(r *rolledUp)) error {
	for _, v := range sel.views {
		if err := sel.visitView(ctx, v, entry, rolled); err != nil {
			return err
		}
	}
	return nil
}

func (sel *selection) visitView(ctx context.Context, v *view, entry func(e *entry), rolled func(r *rolledUp)) error {
	q := sel.q
	owners, crowds := sel.owners(v)
	for i := 0; i < len(v.hours); {
		if err := ctx.Err(); err != nil {
			return err
		}
		day := windowOf(levelDay, v.hours[i].hour.start())
		n := i + 1
		for n < len(v.hours) && windowOf(levelDay, v.hours[n].hour.start()) == day {
			n++
		}
		hours := v.hours[i:n]
		i = n
		// The window that all of the day's packed profiles are in.
		window, whole := wholeWindow(q, hours)
		if whole && day*24 >= int32(v.dropped) {
			level := uint8(levelDay)
			if crowds {
				level = levelCrowdDay
			}
			if err := sel.rollups(v, level, window, hours, owners, rolled); err != nil {
				return err
			}
		}
		for k := range hours {
			h := &hours[k]
			hourWindow, hourWhole := window, whole && day*24 >= int32(v.dropped)
			if !hourWhole && crowds {
				if hourWindow, hourWhole = wholeWindow(q, hours[k:k+1]); hourWhole {
					if err := sel.rollups(v, levelCrowdHour, hourWindow, hours[k:k+1], owners, rolled); err != nil {
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

// overlaps reports whether a query may select something in the hour.
func (h *hourView) overlaps(q *store.Query) bool {
	return !(q.To != 0 && h.hour.start() >= q.To || q.From != 0 && h.hour.end() <= q.From)
}

// wholeWindow returns the window that all packed profiles of some hours are in,
// if the query asks for all of them.
func wholeWindow(q *store.Query, hours []hourView) (window int64, whole bool) {
	for i := range hours {
		p := &hours[i].packed
		if p.profiles == 0 {
			continue
		}
		if !q.Contains(p.first) || !q.Contains(p.last) {
			return 0, false
		}
		w := int64(0)
		if q.Step != 0 {
			if w = store.Window(p.first, q.Step); w != store.Window(p.last, q.Step) {
				return 0, false
			}
		}
		if whole && w != window {
			return 0, false
		}
		window, whole = w, true
	}
	return window, whole
}

// owners returns the roll-ups' owners that the query selects, which are crowds
// if it doesn't tell instances apart.
func (sel *selection) owners(v *view) (owners []uint32, crowds bool) {
	crowds = true
	for _, name := range v.p.instance {
		if slices.Contains(sel.q.By, name) || slices.ContainsFunc(sel.q.Selector, func(m store.Matcher) bool { return m.Name == name }) {
			crowds = false
		}
	}
	for i, m := range v.matches {
		if m.group >= 0 && (!crowds || v.dict.series[i].crowd == uint32(i)) {
			owners = append(owners, uint32(i))
		}
	}
	return owners, crowds
}

// rollups calls rolled for the owners' roll-ups of the window of some hours.
func (sel *selection) rollups(v *view, level uint8, window int64, hours []hourView, owners []uint32, rolled func(r *rolledUp)) error {
	version := uint64(level)
	for i := range hours {
		version = mix(version^uint64(hours[i].hour), hours[i].packed.lastSeq)
	}
	at := windowOf(level, hours[0].hour.start())
	for _, owner := range owners {
		key := rollupKey(keyRollup, v.p.id, level, at, owner)
		ck := cacheKey{string(key), version}
		head, err := load(v.s.cache, ck, func() (*rollup, int64, error) {
			head, _, err := get(v.snap, key, readRollup)
			return head, 200, err // also that there is none
		})
		if err != nil {
			return err
		}
		if head == nil {
			continue
		}
		sr := &v.dict.series[owner]
		schemas := v.dict.schemas
		if len(head.totals) != len(schemas[sr.measures].types) || len(head.schemas) == 0 || int(head.schemas[len(head.schemas)-1].schema) >= len(schemas) {
			return inKey(key, &damage{msg: "it doesn't fit the dictionary"})
		}
		m := v.matches[owner]
		rolled(&rolledUp{groupKey: groupKey{m.group, window}, seriesMatch: m, v: v, measures: sr.measures, head: head,
			sums: rollupKey(keySums, v.p.id, level, at, owner), version: version})
	}
	return nil
}

// addRollup adds a roll-up.
func (t *total) addRollup(q *store.Query, r *rolledUp) {
	h := r.head
	schemas := r.v.dict.schemas
	column := columnOf(&schemas[h.schemas[0].schema], q.SampleType)
	for _, u := range h.schemas[1:] {
		if columnOf(&schemas[u.schema], q.SampleType) != column {
			t.differ = true
		}
	}
	t.add(h.totals[column], schemas[r.measures].types[column], h.profiles, h.duration, h.first, h.last, h.version)
}

// addRollup adds a roll-up to the group.
func (g *mergeGroup) addRollup(q *store.Query, r *rolledUp) {
	g.total.addRollup(q, r)
	p := g.part(r.v, r.measures, r.seriesMatch, q)
	for _, u := range r.head.schemas {
		p.sees(u.schema, u.first)
	}
	p.rollups = append(p.rollups, r)
}

// blockSource are profiles in a block.
type blockSource struct {
	hour  hour
	block uint32
	rows  []uint64 // a bit for each profile
}

// addRow adds a packed profile.
func (p *part) addRow(e *entry) {
	// The heads of a block stand together.
	n := len(p.blocks)
	if n == 0 || p.blocks[n-1].hour != e.hour || p.blocks[n-1].block != e.block-1 {
		n = slices.IndexFunc(p.blocks, func(b blockSource) bool { return b.hour == e.hour && b.block == e.block-1 })
		if n < 0 {
			p.blocks = append(p.blocks, blockSource{hour: e.hour, block: e.block - 1})
			n = len(p.blocks) - 1
		}
	} else {
		n--
	}
	b := &p.blocks[n]
	for int(e.row/64) >= len(b.rows) {
		b.rows = append(b.rows, 0)
	}
	b.rows[e.row/64] |= 1 << (e.row % 64)
}

// addPacked adds what is in roll-ups and blocks to sums.
func (p *part) addPacked(ctx context.Context, a *sums) error {
	v := p.v
	for _, r := range p.rollups {
		if err := ctx.Err(); err != nil {
			return err
		}
		ck := cacheKey{fmt.Sprint(string(r.sums), p.wanted), r.version}
		s, err := loadStored(v.s.cache, ck, v.snap, r.sums, "it has a head but no samples", func(value []byte) (*sparse, error) {
			return readSparse(value, a.types, p.wanted, len(v.dict.siteNodes))
		})
		if err != nil {
			return err
		}
		s.addTo(a)
	}
	for i := range p.blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := &p.blocks[i]
		m, err := v.block(b.hour, b.block, a.types, p.wanted)
		if err != nil {
			return err
		}
		for len(b.rows)*64 < m.profiles {
			b.rows = append(b.rows, 0)
		}
		m.addTo(a, b.rows)
	}
	return nil
}

// block returns a decoded block.
func (v *view) block(h hour, block uint32, types, wanted int) (*matrix, error) {
	key := blockKey(v.p.id, h, block)
	ck := cacheKey{fmt.Sprint(string(key), wanted), 0}
	return loadStored(v.s.cache, ck, v.snap, key, "it is missing", func(value []byte) (*matrix, error) {
		return readBlock(value, types, wanted, len(v.dict.siteNodes))
	})
}

func (m *matrix) bytes() int64 {
	n := int64(4*cap(m.columns) + 8*len(m.sites))
	for _, col := range m.values {
		n += 8 * int64(cap(col))
	}
	return n
}

func (a *sparse) bytes() int64 {
	n := int64(4 * cap(a.sites))
	for _, col := range a.values {
		n += 8 * int64(cap(col))
	}
	return n
}

// plan returns the groups that the query asks for, and where their sums are.
func (sel *selection) plan(ctx context.Context) ([]*mergeGroup, error) {
	if sel.q.Top != 0 || sel.q.ID != (store.ID{}) {
		groups, err := sel.groupEntries(ctx)
		if err != nil {
			return nil, err
		}
		out := make([]*mergeGroup, len(groups))
		for i, g := range groups {
			out[i] = &mergeGroup{groupKey: g.groupKey}
			for _, e := range g.entries {
				out[i].addEntry(sel.q, e)
			}
		}
		return out, nil
	}
	byKey := map[groupKey]*mergeGroup{}
	group := func(k groupKey) *mergeGroup {
		g := byKey[k]
		if g == nil {
			g = &mergeGroup{groupKey: k}
			byKey[k] = g
		}
		return g
	}
	err := sel.visit(ctx,
		func(e *entry) { group(e.key(sel.q)).addEntry(sel.q, e) },
		func(r *rolledUp) { group(r.groupKey).addRollup(sel.q, r) })
	if err != nil {
		return nil, err
	}
	out := make([]*mergeGroup, 0, len(byKey))
	for _, g := range byKey {
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b *mergeGroup) int {
		return cmp.Or(cmp.Compare(a.labels, b.labels), cmp.Compare(a.window, b.window))
	})
	return out, nil
}
