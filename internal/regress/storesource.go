package regress

import (
	"cmp"
	"context"
	"hash/fnv"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// FromStore returns a source that reads profiles from a store. If a comparison doesn't need
// single instances, it reads sums over all of them, so that the store can use its roll-ups.
// It tells log where a limit cuts; log may be nil.
func FromStore(st store.Store, limits Limits, log func(string)) Source {
	return storeSource{st, limits, &notes{log: log}}
}

type storeSource struct {
	store  store.Store
	limits Limits
	notes  *notes
}

// Sums implements Source.
func (s storeSource) Sums(ctx context.Context, sel Selection, frames *Frames) ([]Sum, error) {
	m, ok := measureOf(sel.Kind)
	if !ok {
		return nil, nil
	}
	q := query(sel.Service, sel.Kind, m.column, sel.From, sel.To)
	q.By = []string{store.LabelVersion}
	if sel.ByInstance {
		some, err := s.someInstances(ctx, sel, q)
		if err != nil {
			return nil, err
		}
		q.Selector = append(q.Selector, some...)
		q.By = append(q.By, store.LabelInstance)
	}
	frames.limit = s.limits.Functions
	groups, err := s.store.Merge(ctx, q)
	if err != nil {
		return nil, err
	}
	counted, err := s.requests(ctx, q)
	if err != nil {
		return nil, err
	}
	var out []Sum
	for _, g := range groups {
		one, err := sumOf(ctx, &g, sel.Edges, frames)
		if err != nil {
			return nil, err
		}
		one.Requests = counted.during(&g, one.Type)
		out = append(out, one)
	}
	if frames.Rest {
		s.notes.tell("functions", s.limits.Functions, sel.Service, sel.Kind)
	}
	if m.events != "" && sel.ByInstance && len(out) > 0 {
		err = s.addEvents(ctx, m, sel, out)
	}
	return out, err
}

// someInstances returns a condition for as many instances as the limit allows, nil if all
// are. They are the same ones as long as these exist.
func (s storeSource) someInstances(ctx context.Context, sel Selection, q store.Query) (store.Selector, error) {
	if s.limits.Instances == 0 {
		return nil, nil
	}
	q.By, q.Step = []string{store.LabelInstance}, math.MaxInt64/2
	all, err := s.store.Series(ctx, q)
	if len(all) <= s.limits.Instances || err != nil {
		return nil, err
	}
	s.notes.tell("instances", s.limits.Instances, sel.Service, sel.Kind)
	type instance struct {
		name string
		hash uint64
	}
	var some []instance
	for _, one := range all {
		name := one.Labels.Get(store.LabelInstance)
		h := fnv.New64a()
		h.Write([]byte(name))
		some = append(some, instance{name, h.Sum64()})
	}
	slices.SortFunc(some, func(a, b instance) int { return cmp.Compare(a.hash, b.hash) })
	chosen := map[string]bool{}
	var pattern []string
	for _, one := range some[:s.limits.Instances] {
		chosen[one.name] = true
		pattern = append(pattern, regexp.QuoteMeta(one.name))
	}
	m, err := store.NewMatchFunc(store.LabelInstance, strings.Join(pattern, "|"), func(name string) bool { return chosen[name] })
	return store.Selector{m}, err
}

// query returns a query of one sample type of a service's profiles of a kind.
func query(service, kind, column string, from, to int64) store.Query {
	labels := store.Labels{{Name: store.LabelKind, Value: kind}, {Name: store.LabelService, Value: service}}
	return store.Query{
		Selector: store.SelectorOf(labels, store.LabelKind, store.LabelService), From: max(from, 1), To: max(to, 2), SampleType: column,
	}
}

// Load implements Source.
func (s storeSource) Load(ctx context.Context, service string, from, to int64) (float64, error) {
	value, duration, err := s.total(ctx, query(service, "cpu", "cpu", from, to))
	if duration == 0 {
		return 0, err
	}
	return value / duration, err
}

// total returns the sum of what a query selects, and its duration in ns.
func (s storeSource) total(ctx context.Context, q store.Query) (value, duration float64, err error) {
	q.Step = math.MaxInt64 / 2
	all, err := s.store.Series(ctx, q)
	for _, one := range all {
		for _, p := range one.Points {
			value, duration = value+float64(p.Value), duration+float64(p.Duration)
		}
	}
	return value, duration, err
}

// addEvents sets the value of an event where another sample type counts the events.
// Durations vary: if they are exponential, they are as uncertain as half as many events
// of the same duration.
func (s storeSource) addEvents(ctx context.Context, m measure, sel Selection, sums []Sum) error {
	n, _, err := s.total(ctx, query(sel.Service, sel.Kind, m.events, sel.From, sel.To))
	if n == 0 || err != nil {
		return err
	}
	value := 0.0
	for i := range sums {
		for _, v := range sums[i].Own {
			value += v
		}
	}
	for i := range sums {
		sums[i].Event = 2 * value / n
	}
	return nil
}

// sumOf returns the sum of a merged profile.
func sumOf(ctx context.Context, g *store.Group, edges bool, frames *Frames) (Sum, error) {
	p := g.Profile
	column, err := p.SampleIndex("")
	if err != nil || column < 0 {
		return Sum{}, err
	}
	st := p.SampleTypes[column]
	sum := Sum{
		Instance: g.Labels.Get(store.LabelInstance), Version: g.Labels.Get(store.LabelVersion), Type: st.Type, Unit: st.Unit,
		Seconds: float64(g.Duration) / float64(time.Second),
	}
	if profile.OfMoment(st.Type) || g.Duration == 0 {
		sum.Seconds = float64(g.Profiles)
	}
	sum.Event = report.EventOf(p, st)
	if p.PeriodType.Unit == st.Unit && st.Unit == "bytes" {
		sum.Event = float64(p.Period) // profiles of memory count an event every so many bytes
	}
	tree, err := profile.NewTree(p, profile.TreeOptions{Types: []int{column}, Context: ctx})
	if err != nil {
		return Sum{}, err
	}
	sum.add(tree, edges, frames)
	return sum, nil
}

// add adds the nodes of a tree. A recursive function or call counts once, at its outermost
// node.
func (sum *Sum) add(t *profile.Tree, edges bool, frames *Frames) {
	number := frames.numbers(t)
	sum.Own, sum.Cum = make([]float64, len(frames.Names)), make([]float64, len(frames.Names))
	if edges {
		sum.Edges = map[Edge]float64{}
	}
	values := &t.Values[0]
	for n := uint32(1); int(n) < t.NumNodes(); n++ {
		f := t.Frame[n]
		sum.Own[number[f]] += float64(values.Self[n])
		total := float64(values.Total[n])
		if above(t, n, f) {
			continue
		}
		sum.Cum[number[f]] += total
		if parent := t.Parent[n]; edges && parent != 0 && !frames.rest(number[f]) && !frames.rest(number[t.Frame[parent]]) {
			sum.Edges[Edge{number[t.Frame[parent]], number[f]}] += total
		}
	}
}

// above reports whether a frame is also above a node.
func above(t *profile.Tree, n, frame uint32) bool {
	for n = t.Parent[n]; n != 0; n = t.Parent[n] {
		if t.Frame[n] == frame {
			return true
		}
	}
	return false
}

// numbers returns the numbers of a tree's frames. If not all functions can have one, the
// most expensive ones get them.
func (f *Frames) numbers(t *profile.Tree) []int32 {
	order := make([]int, len(t.Frames))
	for i := range order {
		order[i] = i
	}
	if f.limit > 0 && len(f.Names)+len(order) > f.limit {
		cost := make([]int64, len(t.Frames))
		for n := uint32(1); int(n) < t.NumNodes(); n++ {
			cost[t.Frame[n]] = max(cost[t.Frame[n]], t.Values[0].Total[n])
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cost[b], cost[a]) })
	}
	number := make([]int32, len(t.Frames))
	for _, i := range order {
		number[i] = f.Number(t.Frames[i].Name)
		f.define(number[i], &t.Frames[i])
	}
	return number
}
