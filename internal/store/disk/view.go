package disk

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
	"github.com/hone-go/hone/profile"
)

// A querier answers queries. An answer is made in these stages:
//
//	selects   which partitions and series the query is about, as they are now
//	plan      from where their profiles are read: roll-ups, blocks, or one by one
//	sums      what they add up to
//	merge     profiles of that
type querier struct {
	*kv
	catalogue *catalogue
	dicts     *dictionaries
	cache     *cache
	sums      *cache         // of earlier questions; see sums.go
	heals     *atomic.Uint64 // how often damage was healed
	counts    *counts
}

// A view is a snapshot of a partition.
type view struct {
	s     *querier
	p     *partition
	dict  format.Dictionary // its index alone, unless samples are asked for
	hours []hourView        // all of the partition's
	// dropped is the hour before which something was dropped: the roll-ups of
	// the day that it is in may be too large, or missing.
	dropped format.Hour
	snap    *pebble.Snapshot
	// What the query makes of each series.
	matches []seriesMatch
}

// An hourView is an hour of a view.
type hourView struct {
	hour    format.Hour
	born    uint64 // see hourData
	packed  format.Summary
	fresh   format.Heads
	version uint64 // of what is packed
}

// A seriesMatch says what a query does with a series.
type seriesMatch struct {
	group  int32 // index of its labels among those of all groups; -1 if it isn't selected
	column int32 // the value column that the query names, or the default one
}

// match returns what q does with a series; group is 0 if the series isn't selected.
func (v *view) match(q *store.Query, s *format.Series) seriesMatch {
	column := columnOf(&v.dict.Schemas[s.Measures], q.SampleType)
	if column < 0 || !q.Selector.Matches(s.Labels) {
		return seriesMatch{group: -1}
	}
	return seriesMatch{column: int32(column)}
}

// columnOf returns the index of the column that Query.SampleType names, -1 if there is none.
func columnOf(s *format.Schema, sampleType string) int {
	p := profile.Profile{SampleTypes: s.Types, DefaultSampleType: s.DefaultType}
	column, err := p.SampleIndex(sampleType)
	if err != nil {
		return -1
	}
	return column
}

// view returns a snapshot of p, nil if q can't select anything in it.
func (s *querier) view(p *partition, q *store.Query, samples bool) (*view, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return nil, nil
	}
	v := &view{s: s, p: p, dropped: p.Dropped}
	overlaps := false
	for _, h := range p.hours {
		v.hours = append(v.hours, hourView{h.hour, h.born, h.packed, h.fresh, h.version()})
		overlaps = overlaps || v.hours[len(v.hours)-1].overlaps(q)
	}
	if !overlaps {
		return nil, nil
	}
	if p.dict == nil && p.index != nil && !samples {
		v.dict = *p.index
	} else {
		if err := s.dicts.load(p); err != nil {
			return nil, err
		}
		p.lastUsed = time.Now()
		v.dict = *p.dict
	}
	v.snap = s.db.NewSnapshot()
	return v, nil
}

// An entry is a profile that a query selects.
type entry struct {
	*format.Head
	v      *view
	h      *hourView
	totals []int64
	seriesMatch
}

func (e *entry) value() int64 { return e.totals[e.column] }

// valueType returns the type of the value.
func (e *entry) valueType() profile.ValueType {
	return e.v.dict.Schemas[e.Schema].Types[e.column]
}

func earlier(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), slices.Compare(a.ID[:], b.ID[:]))
}

// entries calls f for the profiles of an hour that q selects: the fresh ones and, if all is
// set, the packed ones.
func (v *view) entries(q *store.Query, h *hourView, all bool, f func(e *entry)) (err error) {
	defer func() { err = damagedIn(v.p, err) }()
	each := func(hs *format.Heads) error {
		for i := range hs.List {
			d := &hs.List[i]
			if int(d.Series) >= len(v.matches) || int(d.Schema) >= len(v.dict.Schemas) || len(v.dict.Schemas[d.Schema].Types) != int(d.Types) {
				return format.Damaged(format.SeqKey(format.KindHead, v.p.id, h.hour, d.Seq), "it refers to a series or schema that is not in the dictionary")
			}
			m := v.matches[d.Series]
			if m.group < 0 || !q.Contains(d.Time) || q.ID != (store.ID{}) && q.ID != d.ID || q.Lasting && d.Duration <= 0 {
				continue
			}
			if sc := &v.dict.Schemas[d.Schema]; q.SampleType == "" && sc.DefaultType != v.dict.Schemas[sc.Measures].DefaultType {
				m.column = int32(columnOf(sc, ""))
			}
			f(&entry{d, v, h, hs.TotalsOf(d), m})
		}
		return nil
	}
	if all && h.packed.Profiles > 0 {
		hs, err := v.s.cache.packedHeads(v.snap, v.p.id, h.hour, h.version)
		if err != nil {
			return err
		}
		if err := each(hs); err != nil {
			return err
		}
	}
	return each(&h.fresh)
}

func (e *entry) key(q *store.Query) store.GroupKey {
	return store.GroupKey{Labels: e.group, Window: q.WindowOf(e.Time)}
}

// tallyEntry adds a profile to a total.
func tallyEntry(t *store.Tally, e *entry) {
	one := store.Total{Value: e.value(), Profiles: 1, Duration: e.Duration, Last: e.Time + e.Duration, Version: e.Version()}
	t.Add(one, e.valueType(), e.Time)
}

// A rolledUp is a roll-up that a query reads.
type rolledUp struct {
	store.GroupKey
	seriesMatch
	v        *view
	measures uint32
	head     *format.Rollup
	sums     []byte // key of its samples
	version  uint64 // changes with it
}

// overlaps reports whether the query's time range overlaps the hour.
func (h *hourView) overlaps(q *store.Query) bool {
	return !(q.To != 0 && h.hour.Start() >= q.To || q.From != 0 && h.hour.End() <= q.From)
}

// tallyRollup adds a roll-up to a total.
func tallyRollup(t *store.Tally, q *store.Query, r *rolledUp) {
	h := r.head
	schemas := r.v.dict.Schemas
	column := columnOf(&schemas[h.Schemas[0].Schema], q.SampleType)
	one := store.Total{Value: h.Totals[column], Profiles: h.Profiles, Duration: h.Duration, Last: h.Last, Version: h.Version}
	for _, u := range h.Schemas[1:] {
		if columnOf(&schemas[u.Schema], q.SampleType) != column {
			t.AddMixed(one, h.First)
			return
		}
	}
	t.Add(one, schemas[r.measures].Types[column], h.First)
}

func (v *view) blockKey(b blockID) []byte { return format.BlockKey(v.p.id, b.hour, b.block) }

// block reads and decodes a block.
func (v *view) block(b blockID, types, wanted int) (*format.Block, error) {
	key := v.blockKey(b)
	ck := cacheKey{fmt.Sprint(string(key), wanted), b.born}
	return loadStored(v.s.cache, ck, v.snap, key, "it is missing", func(value []byte) (*format.Block, error) {
		return format.ReadBlock(value, types, wanted, v.dict.Sites())
	})
}

// unpacked reads a block and returns its profiles one by one.
func (v *view) unpacked(b blockID, types, wanted int) (*format.Unpacked, error) {
	key := cacheKey{fmt.Sprint("unpacked ", string(v.blockKey(b)), wanted), b.born}
	return load(v.s.cache, key, func() (*format.Unpacked, int64, error) {
		m, err := v.block(b, types, wanted)
		if err != nil {
			return nil, 0, err
		}
		p := m.Unpack()
		return p, p.Memory(), nil
	})
}
