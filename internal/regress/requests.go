package regress

import (
	"context"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A counter has the requests in the time that profiles cover, by version and instance.
type counter map[counterKey]store.Total

type counterKey struct{ version, instance string }

func keyOf(ls store.Labels) counterKey {
	return counterKey{ls.Get(store.LabelVersion), ls.Get(store.LabelInstance)}
}

// requests returns the requests in the time that the profiles cover that q selects. They are counted as
// for a comparison that a person makes: see [store.RequestsIn]. It reads totals alone.
func (s storeSource) requests(ctx context.Context, q store.Query) (counter, error) {
	q.Step = store.RateStep(q.From, q.To)
	profiled, err := s.points(ctx, q)
	if err != nil {
		return nil, err
	}
	q.Selector, q.SampleType = q.Selector.Requests(), store.KindRequests
	counted, err := s.points(ctx, q)
	if err != nil {
		return nil, err
	}
	out := counter{}
	for key, points := range profiled {
		out[key] = store.RequestsIn(points, counted[key])
	}
	return out, nil
}

// points returns the totals of windows.
func (s storeSource) points(ctx context.Context, q store.Query) (map[counterKey][]store.Point, error) {
	series, err := s.store.Series(ctx, q)
	out := map[counterKey][]store.Point{}
	for _, one := range series {
		out[keyOf(one.Labels)] = append(out[keyOf(one.Labels)], one.Points...)
	}
	return out, err
}

// during returns how many requests there were in the time that a group's profiles cover; 0
// if that isn't known, or if its values are of a moment.
func (c counter) during(g *store.Group, sampleType string) float64 {
	if profile.OfMoment(sampleType) {
		return 0
	}
	return g.RequestsDuring(c[keyOf(g.Labels)])
}
