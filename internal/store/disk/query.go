package disk

import (
	"context"
	"slices"

	"github.com/hone-go/hone/internal/store"
)

// A selection is the partitions and series that a query selects. The caller must close it.
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

// selects returns what q selects. samples says whether samples will be read, too.
func (s *querier) selects(ctx context.Context, q *store.Query, samples bool) (_ *selection, err error) {
	sel := &selection{q: q}
	defer func() {
		if err != nil {
			sel.close()
		}
	}()
	var selected []store.Labels // of the series, in the order of the views
	for _, p := range s.catalogue.all() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if q.To != 0 && p.Epoch >= q.To || q.From != 0 && p.Epoch+s.catalogue.epoch <= q.From || !selectsService(q.Selector, p.Service) {
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

// selectsService reports whether a selector can match profiles of a service.
func selectsService(sel store.Selector, service string) bool {
	for i := range sel {
		if sel[i].Name == store.LabelService && !sel[i].Matches(service) {
			return false
		}
	}
	return true
}

// labels returns names and values of labels; see [store.Store].
func (s *querier) labels(ctx context.Context, q store.Query) ([]store.LabelValues, error) {
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

// An entryGroup is the profiles of a group, sorted by time.
type entryGroup struct {
	store.GroupKey
	entries []*entry
}

// groupEntries returns the selected profiles by group, sorted by labels, then window.
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
