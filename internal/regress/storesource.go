package regress

import (
	"context"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// FromStore returns a source that reads profiles from a store. If a comparison doesn't need
// single instances, it reads sums over all of them, so that the store can use its roll-ups.
func FromStore(st store.Store) Source { return storeSource{st} }

type storeSource struct{ store store.Store }

// columnOf returns the sample type by which costs of a kind are compared. Other kinds
// have none.
func columnOf(kind string) (sampleType string, ok bool) {
	switch kind {
	case "cpu":
		return "cpu", true
	case "allocs":
		return "alloc_space", true
	case "heap":
		return "inuse_space", true
	case "mutex", "block":
		return "delay", true
	case "goroutine":
		return "goroutine", true
	}
	return "", false
}

// Sums implements Source.
func (s storeSource) Sums(ctx context.Context, sel Selection, frames *Frames) ([]Sum, error) {
	column, ok := columnOf(sel.Kind)
	if !ok {
		return nil, nil
	}
	labels := store.Labels{{Name: store.LabelKind, Value: sel.Kind}, {Name: store.LabelService, Value: sel.Service}}
	q := store.Query{
		Selector: store.SelectorOf(labels, store.LabelKind, store.LabelService), From: max(sel.From, 1), To: max(sel.To, 2),
		By: []string{store.LabelVersion}, SampleType: column,
	}
	if sel.ByInstance {
		q.By = append(q.By, store.LabelInstance)
	}
	groups, err := s.store.Merge(ctx, q)
	if err != nil {
		return nil, err
	}
	counted, err := s.requests(ctx, sel.Service, q)
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
	return out, nil
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
	if profile.OfMoment(st.Type) {
		// What exists at a moment is in every profile, so its values aren't events, and its cost
		// is per profile.
		sum.Seconds = float64(g.Profiles)
	} else {
		sum.Event = report.EventOf(p, st)
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
	number := make([]int32, len(t.Frames))
	for i, f := range t.Frames {
		number[i] = frames.Number(f.Name)
	}
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
		if parent := t.Parent[n]; edges && parent != 0 {
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
