package storetest

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// model is a store in memory that is slow and obvious: what it answers is what
// the contract of [store.Store] means.
type model struct {
	mu      sync.Mutex
	records []store.Record
	known   map[identity]bool
	closed  bool
}

// identity is what tells records apart.
type identity struct {
	id   store.ID
	time int64
}

// NewModel returns an empty store that keeps its records in memory.
func NewModel() store.Store { return &model{known: map[identity]bool{}} }

// start locks the model for a call.
func (m *model) start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return store.ErrClosed
	}
	return nil
}

func (m *model) Put(ctx context.Context, records []store.Record) error {
	if err := m.start(ctx); err != nil {
		return err
	}
	defer m.mu.Unlock()
	for i, r := range records {
		if m.known[identity{r.ID, r.Time}] {
			records[i].Known = true
			continue
		}
		m.known[identity{r.ID, r.Time}] = true
		p := profile.Compact(r.Profile) // a copy
		p.TimeNanos, p.DurationNanos = 0, 0
		r.Profile = p
		r.Labels = slices.Clone(r.Labels)
		m.records = append(m.records, r)
	}
	return nil
}

func (m *model) DeleteService(ctx context.Context, service string, dry bool) (int64, error) {
	if err := m.start(ctx); err != nil {
		return 0, err
	}
	defer m.mu.Unlock()
	is := func(r store.Record) bool { return r.Labels.Get(store.LabelService) == service }
	n := int64(0)
	for _, r := range m.records {
		if is(r) {
			n++
			if !dry {
				delete(m.known, identity{r.ID, r.Time})
			}
		}
	}
	if !dry {
		m.records = slices.DeleteFunc(m.records, is)
	}
	return n, nil
}

func (m *model) Close() error {
	if err := m.start(context.Background()); err != nil {
		return err
	}
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// entry is a record with the column that is asked for.
type entry struct {
	store.Record
	column int
}

func (e *entry) sampleType() profile.ValueType {
	if e.column < 0 {
		return profile.ValueType{} // a profile without columns
	}
	return e.Profile.SampleTypes[e.column]
}

func (e *entry) value() int64 {
	var sum int64
	if e.column >= 0 {
		for _, v := range e.Profile.Values[e.column] {
			sum += v
		}
	}
	return sum
}

func (e *entry) total() store.Total {
	return total([]entry{*e})
}

// selected returns the entries that q selects, by time, then ID.
func (m *model) selected(q store.Query) []entry {
	var out []entry
	for _, r := range m.records {
		column, err := r.Profile.SampleIndex(q.SampleType)
		if err == nil && q.Contains(r.Time) && q.Selector.Matches(r.Labels) && (q.ID == store.ID{} || q.ID == r.ID) && (!q.Lasting || r.Duration > 0) {
			out = append(out, entry{r, column})
		}
	}
	slices.SortFunc(out, earlier)
	return out
}

func earlier(a, b entry) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), slices.Compare(a.ID[:], b.ID[:]))
}

// group is what Query.By and Query.Step put together.
type group struct {
	labels  store.Labels
	window  int64
	entries []entry
}

// groups returns the groups of entries, by labels, then window.
func groups(q store.Query, entries []entry) []group {
	type key struct {
		labels string
		window int64
	}
	var out []group
	found := map[key]int{} // index in out
	for _, e := range entries {
		labels, window := e.Labels.Select(q.By), int64(0)
		if q.Step != 0 {
			window = store.Window(e.Time, q.Step)
		}
		k := key{labels.String(), window}
		i, ok := found[k]
		if !ok {
			i = len(out)
			found[k] = i
			out = append(out, group{labels: labels, window: window})
		}
		out[i].entries = append(out[i].entries, e)
	}
	for i := range out {
		out[i].entries = top(q, out[i].entries)
	}
	slices.SortStableFunc(out, func(a, b group) int {
		return cmp.Or(a.labels.Compare(b.labels), cmp.Compare(a.window, b.window))
	})
	return out
}

// top returns the entries that Query.Top keeps, by time, then ID.
func top(q store.Query, entries []entry) []entry {
	ranked := slices.Clone(entries)
	slices.SortStableFunc(ranked, func(a, b entry) int { return cmp.Compare(b.value(), a.value()) })
	ranked = ranked[:q.Kept(len(ranked))]
	slices.SortFunc(ranked, earlier)
	return ranked
}

func total(entries []entry) store.Total {
	t := store.Total{Profiles: int64(len(entries)), Last: entries[0].Time + entries[0].Duration}
	agree := true
	for _, e := range entries {
		t.Value += e.value()
		t.Duration += e.Duration
		t.Last = max(t.Last, e.Time+e.Duration)
		t.Version += version(e.Record)
		agree = agree && e.sampleType() == entries[0].sampleType()
	}
	if !agree {
		t.Value = 0
	}
	return t
}

// version is the part of a record in the version of a total: a sum of hashes
// depends on nothing but which records there are.
func version(r store.Record) uint64 {
	h := fnv.New64a()
	h.Write(binary.BigEndian.AppendUint64(r.ID[:], uint64(r.Time)))
	return h.Sum64()
}

func (m *model) Merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	if err := m.start(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	var out []store.Group
	for _, g := range groups(q, m.selected(q)) {
		var ps []*profile.Profile
		for _, e := range g.entries {
			p := e.Profile
			if q.SampleType != "" {
				p = column(p, e.column)
			}
			ps = append(ps, p)
		}
		sum, err := profile.Sum(ctx, ps...)
		if err != nil {
			return nil, fmt.Errorf("profiles of %v: %w", g.labels, err)
		}
		sum = profile.Compact(sum) // the sum of one profile is the profile itself
		r := store.Group{Labels: g.labels, Time: g.window, Profile: sum, Total: total(g.entries)}
		if q.Step == 0 {
			r.Time = g.entries[0].Time
		}
		sum.TimeNanos, sum.DurationNanos = r.Time, r.Duration
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b store.Group) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), a.Labels.Compare(b.Labels))
	})
	return out, nil
}

// column returns p with one of its columns alone.
func column(p *profile.Profile, t int) *profile.Profile {
	q := *p
	q.SampleTypes, q.Values = q.SampleTypes[t:t+1], q.Values[t:t+1]
	q.DefaultSampleType = q.SampleTypes[0].Type
	return &q
}

func (m *model) Series(ctx context.Context, q store.Query) ([]store.Series, error) {
	if err := m.start(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	var out []store.Series
	for _, g := range groups(q, m.selected(q)) {
		if len(out) == 0 || out[len(out)-1].Labels.Compare(g.labels) != 0 {
			out = append(out, store.Series{Labels: g.labels, Type: g.entries[0].sampleType()})
		}
		s := &out[len(out)-1]
		for _, e := range g.entries {
			if e.sampleType() != s.Type {
				s.Type = profile.ValueType{}
			}
		}
		if q.Step != 0 {
			s.Points = append(s.Points, store.Point{Time: g.window, Total: total(g.entries)})
			continue
		}
		for _, e := range g.entries {
			s.Points = append(s.Points, store.Point{Time: e.Time, ID: e.ID, Total: e.total()})
		}
	}
	return store.Latest(out, q.Limit), nil
}

func (m *model) Labels(ctx context.Context, q store.Query) ([]store.LabelValues, error) {
	if err := m.start(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	values := map[string]map[string]bool{}
	q.SampleType = ""
	for _, e := range m.selected(q) {
		for _, l := range e.Labels {
			if values[l.Name] == nil {
				values[l.Name] = map[string]bool{}
			}
			values[l.Name][l.Value] = true
		}
	}
	var out []store.LabelValues
	for name, set := range values {
		v := store.LabelValues{Name: name}
		for value := range set {
			v.Values = append(v.Values, value)
		}
		slices.Sort(v.Values)
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b store.LabelValues) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}
