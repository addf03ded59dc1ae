package store

import (
	"cmp"
	"slices"

	"github.com/hone-go/hone/profile"
)

// Every engine groups profiles the same way, with the code in this file: by the labels in
// Query.By and by windows of Query.Step. The model in package storetest has its own code
// for it, to check this against.

// A GroupKey identifies a group of a query.
type GroupKey struct {
	Labels int32 // index in the labels of all groups, which are sorted; see Query.Groups
	Window int64 // start of the window; 0 without Query.Step
}

// Compare orders keys by labels, then window.
func (k GroupKey) Compare(o GroupKey) int {
	return cmp.Or(cmp.Compare(k.Labels, o.Labels), cmp.Compare(k.Window, o.Window))
}

// WindowOf returns the start of the query's window that t is in, 0 without Query.Step.
func (q *Query) WindowOf(t int64) int64 {
	if q.Step == 0 {
		return 0
	}
	return Window(t, q.Step)
}

// Groups returns the labels of the query's groups, sorted, and the index of the group
// that each of all belongs to.
func (q *Query) Groups(all []Labels) (groups []Labels, of []int32) {
	found := map[string]int32{} // index in groups, which is not sorted yet
	of = make([]int32, len(all))
	for i, labels := range all {
		selected := labels.Select(q.By)
		key := selected.String()
		g, ok := found[key]
		if !ok {
			g = int32(len(groups))
			found[key] = g
			groups = append(groups, selected)
		}
		of[i] = g
	}
	order := make([]int32, len(groups))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return groups[a].Compare(groups[b]) })
	sorted, to := make([]Labels, len(groups)), make([]int32, len(groups))
	for i, old := range order {
		sorted[i], to[old] = groups[old], int32(i)
	}
	for i, g := range of {
		of[i] = to[g]
	}
	return sorted, of
}

// KeepTop returns those items of a group that Query.Top keeps, in any order. It may
// reorder items.
func KeepTop[T any](q *Query, items []T, value func(T) int64, earlier func(a, b T) int) []T {
	if q.Top == 0 {
		return items
	}
	slices.SortFunc(items, func(a, b T) int { return cmp.Or(cmp.Compare(value(b), value(a)), earlier(a, b)) })
	return items[:q.Kept(len(items))]
}

// A Tally adds up totals. The zero value has added nothing.
type Tally struct {
	sum    Total
	first  int64
	typ    profile.ValueType
	differ bool
}

// Add adds a total whose value is of type typ and whose earliest profile is of time first.
func (t *Tally) Add(one Total, typ profile.ValueType, first int64) {
	if t.sum.Profiles == 0 {
		t.first, t.sum.Last, t.typ = first, one.Last, typ
	}
	t.sum.Value += one.Value
	t.sum.Profiles += one.Profiles
	t.sum.Duration += one.Duration
	t.first, t.sum.Last = min(t.first, first), max(t.sum.Last, one.Last)
	t.sum.Version += one.Version
	t.differ = t.differ || typ != t.typ
}

// AddMixed adds a total whose profiles differ in the type of their values.
func (t *Tally) AddMixed(one Total, first int64) {
	t.Add(one, profile.ValueType{}, first)
	t.differ = true
}

// First returns the earliest time of what was added.
func (t *Tally) First() int64 { return t.first }

// Total returns the sum, and the type of its value. What differs in types has neither a
// value nor a type.
func (t *Tally) Total() (Total, profile.ValueType) {
	if t.differ {
		sum := t.sum
		sum.Value = 0
		return sum, profile.ValueType{}
	}
	return t.sum, t.typ
}

// A GroupPoint is a point of the series with the labels of its group.
type GroupPoint struct {
	Labels int32 // index in the labels of all groups
	Type   profile.ValueType
	Point
}

// SeriesOf puts points, which are sorted by labels, together to series.
func SeriesOf(labels []Labels, points []GroupPoint) []Series {
	var out []Series
	for i := range points {
		p := &points[i]
		if i == 0 || points[i-1].Labels != p.Labels {
			out = append(out, Series{Labels: labels[p.Labels], Type: p.Type})
		}
		sr := &out[len(out)-1]
		if p.Type != sr.Type {
			sr.Type = profile.ValueType{}
		}
		sr.Points = append(sr.Points, p.Point)
	}
	return out
}

// NewGroup returns the group of key, whose profile it gives the group's times.
func (q *Query) NewGroup(labels Labels, key GroupKey, tally *Tally, p *profile.Profile) Group {
	total, _ := tally.Total()
	g := Group{Labels: labels, Time: key.Window, Profile: p, Total: total}
	if q.Step == 0 {
		g.Time = tally.First()
	}
	p.TimeNanos, p.DurationNanos = g.Time, g.Duration
	return g
}

// SortGroups sorts groups as Merge returns them.
func SortGroups(groups []Group) {
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), a.Labels.Compare(b.Labels))
	})
}
