package disk

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
	"github.com/hone-go/hone/profile"
)

// A view is a partition at one moment. It stays as it is while the partition
// changes.
type view struct {
	s     *Store
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

// hourView is an hour of a view.
type hourView struct {
	hour    format.Hour
	born    uint64 // see hourData
	packed  format.Summary
	fresh   format.Heads
	version uint64 // of what is packed
}

// seriesMatch is what a query makes of a series.
type seriesMatch struct {
	group  int32 // index of its labels among those of all groups; -1 if it isn't selected
	column int32 // the value column that the query names, or the default one
}

// A selection is what a query selects, to be closed.
type selection struct {
	q      *store.Query
	views  []*view
	labels []store.Labels // of the groups, in their order
}

func (sel *selection) close() {
	for _, v := range sel.views {
		v.snap.Close()
	}
}

// selects returns the partitions and series that q selects. samples tells
// whether their samples are asked for, too.
func (s *Store) selects(ctx context.Context, q *store.Query, samples bool) (_ *selection, err error) {
	sel := &selection{q: q}
	defer func() {
		if err != nil {
			sel.close()
		}
	}()
	var selected []store.Labels // of the series, in the order of the views
	for _, p := range s.partitions() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if q.To != 0 && p.Epoch >= q.To || q.From != 0 && p.Epoch+s.epoch <= q.From || !selectsService(q.Selector, p.Service) {
			continue
		}
		v, err := s.view(p, q, samples)
		if err != nil {
			return nil, damagedIn(p, err)
		}
		if v == nil {
			continue
		}
		before := len(selected)
		for i := range v.dict.Series {
			m := v.match(q, &v.dict.Series[i])
			if m.group >= 0 {
				selected = append(selected, v.dict.Series[i].Labels)
			}
			v.matches = append(v.matches, m)
		}
		if len(selected) == before {
			v.snap.Close()
			continue
		}
		sel.views = append(sel.views, v)
	}
	labels, groups := q.Groups(selected)
	sel.labels = labels
	for _, v := range sel.views {
		for i := range v.matches {
			if m := &v.matches[i]; m.group >= 0 {
				m.group, groups = groups[0], groups[1:]
			}
		}
	}
	return sel, nil
}

// selectsService reports whether profiles of a service may be selected.
func selectsService(sel store.Selector, service string) bool {
	for i := range sel {
		if sel[i].Name == store.LabelService && !sel[i].Matches(service) {
			return false
		}
	}
	return true
}

// match tells what q makes of a series, with group 0 if it is selected.
func (v *view) match(q *store.Query, s *format.Series) seriesMatch {
	column := columnOf(&v.dict.Schemas[s.Measures], q.SampleType)
	if column < 0 || !q.Selector.Matches(s.Labels) {
		return seriesMatch{group: -1}
	}
	return seriesMatch{column: int32(column)}
}

// columnOf returns the column that a query's SampleType names, -1 for none.
func columnOf(s *format.Schema, sampleType string) int {
	p := profile.Profile{SampleTypes: s.Types, DefaultSampleType: s.DefaultType}
	column, err := p.SampleIndex(sampleType)
	if err != nil {
		return -1
	}
	return column
}

// view returns p as it is, nil if nothing in it can be selected.
func (s *Store) view(p *partition, q *store.Query, samples bool) (*view, error) {
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
		if err := s.load(p); err != nil {
			return nil, err
		}
		p.lastUsed = time.Now()
		v.dict = *p.dict
	}
	v.snap = s.db.NewSnapshot()
	return v, nil
}

// entry is a profile that a query selects.
type entry struct {
	*format.Head
	v      *view
	h      *hourView
	totals []int64
	seriesMatch
}

func (e *entry) value() int64 { return e.totals[e.column] }

// valueType is the type of the value.
func (e *entry) valueType() profile.ValueType {
	return e.v.dict.Schemas[e.Schema].Types[e.column]
}

func earlier(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), slices.Compare(a.ID[:], b.ID[:]))
}

// entries calls f for the profiles of an hour that q selects: the fresh ones,
// and with all set the packed ones, too.
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
		hs, err := v.s.packedHeads(v.snap, v.p, h.hour, h.version)
		if err != nil {
			return err
		}
		if err := each(hs); err != nil {
			return err
		}
	}
	return each(&h.fresh)
}

func (s *Store) labels(ctx context.Context, q store.Query) ([]store.LabelValues, error) {
	q.SampleType, q.By, q.Step, q.Top = "", nil, 0, 0
	sel, err := s.selects(ctx, &q, false)
	if err != nil {
		return nil, err
	}
	defer sel.close()
	values := store.LabelSet{}
	for _, v := range sel.views {
		used := make([]bool, len(v.matches))
		for i := range v.hours {
			h := &v.hours[i]
			if !h.overlaps(&q) {
				continue
			}
			err := v.entries(&q, h, true, func(e *entry) { used[e.Series] = true })
			if err != nil {
				return nil, err
			}
		}
		for i, u := range used {
			if !u {
				continue
			}
			values.Add(v.dict.Series[i].Labels)
		}
	}
	return values.List(), nil
}

func (e *entry) key(q *store.Query) store.GroupKey {
	return store.GroupKey{Labels: e.group, Window: q.WindowOf(e.Time)}
}

// tallyEntry adds a profile to a total.
func tallyEntry(t *store.Tally, e *entry) {
	one := store.Total{Value: e.value(), Profiles: 1, Duration: e.Duration, Last: e.Time + e.Duration, Version: e.Version()}
	t.Add(one, e.valueType(), e.Time)
}

// entryGroup are the profiles of a group, by time.
type entryGroup struct {
	store.GroupKey
	entries []*entry
}

// groupEntries returns the profiles that the query selects, by labels, then
// window.
func (sel *selection) groupEntries(ctx context.Context) ([]entryGroup, error) {
	byKey := map[store.GroupKey][]*entry{}
	for _, v := range sel.views {
		for i := range v.hours {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if !v.hours[i].overlaps(sel.q) {
				continue
			}
			err := v.entries(sel.q, &v.hours[i], true, func(e *entry) {
				k := e.key(sel.q)
				byKey[k] = append(byKey[k], e)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	out := make([]entryGroup, 0, len(byKey))
	for k, es := range byKey {
		es = store.KeepTop(sel.q, es, (*entry).value, earlier)
		slices.SortFunc(es, earlier)
		out = append(out, entryGroup{k, es})
	}
	slices.SortFunc(out, func(a, b entryGroup) int { return a.Compare(b.GroupKey) })
	return out, nil
}
