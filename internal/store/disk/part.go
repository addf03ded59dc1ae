package disk

import (
	"slices"

	"github.com/hone-go/hone/internal/store"
)

// A mergeGroup is a group to be merged.
type mergeGroup struct {
	store.GroupKey
	total store.Tally
	parts []*part
}

// A part is the profiles of a group that are in one partition and have the same measures. Their
// sums can be added up directly.
type part struct {
	v        *view
	measures uint32
	wanted   int // column, -1 for all
	group    int32
	moving   bool // the question is likely to be asked again, of a range that has moved on
	sources
	schemas map[uint32]int64 // earliest time of the profiles with a schema
}

// sees notes that profiles have a schema. first is the earliest time of one.
func (p *part) sees(schema uint32, first int64) {
	if t, ok := p.schemas[schema]; !ok || first < t {
		p.schemas[schema] = first
	}
}

// part returns the group's part for a partition and measures. It adds the part if there is
// none.
func (g *mergeGroup) part(v *view, measures uint32, m seriesMatch, q *store.Query) *part {
	for _, p := range g.parts {
		if p.v == v && p.measures == measures {
			return p
		}
	}
	p := &part{v: v, measures: measures, wanted: -1, group: g.Labels, moving: q.Step == 0 && !q.OneByOne(), schemas: map[uint32]int64{}}
	if q.SampleType != "" {
		p.wanted = int(m.column)
	}
	g.parts = append(g.parts, p)
	return p
}

// addEntry adds a profile to the group.
func (g *mergeGroup) addEntry(q *store.Query, e *entry) {
	tallyEntry(&g.total, e)
	p := g.part(e.v, e.v.dict.Schemas[e.Schema].Measures, e.seriesMatch, q)
	p.sees(e.Schema, e.Time)
	if e.Block == 0 {
		p.fresh = append(p.fresh, freshSource{e.h.hour, e.Seq})
		return
	}
	p.addRow(e)
}

// addRollup adds a roll-up to the group.
func (g *mergeGroup) addRollup(q *store.Query, r *rolledUp) {
	tallyRollup(&g.total, q, r)
	p := g.part(r.v, r.measures, r.seriesMatch, q)
	for _, u := range r.head.Schemas {
		p.sees(u.Schema, u.First)
	}
	p.rollups = append(p.rollups, cacheKey{string(r.sums), r.version})
}

// addRow adds a packed profile.
func (p *part) addRow(e *entry) {
	// The heads of a block stand together.
	id := blockID{e.h.hour, e.h.born, e.Block - 1}
	n := len(p.blocks) - 1
	if n < 0 || p.blocks[n].blockID != id {
		n = slices.IndexFunc(p.blocks, func(b blockSource) bool { return b.blockID == id })
		if n < 0 {
			p.blocks = append(p.blocks, blockSource{blockID: id})
			n = len(p.blocks) - 1
		}
	}
	b := &p.blocks[n]
	for int(e.Row/64) >= len(b.rows) {
		b.rows = append(b.rows, 0)
	}
	b.rows[e.Row/64] |= 1 << (e.Row % 64)
}
