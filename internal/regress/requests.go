package regress

import (
	"context"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A counter has the requests of profiles, by version and instance.
type counter map[counterKey]store.Total

type counterKey struct{ version, instance string }

func keyOf(ls store.Labels) counterKey {
	return counterKey{ls.Get(store.LabelVersion), ls.Get(store.LabelInstance)}
}

// requests returns the requests of the processes whose profiles q selects. It reads totals alone.
func (s storeSource) requests(ctx context.Context, q store.Query) (counter, error) {
	const whole = 1 << 62 // a window that contains all times since 1970
	q.Selector, q.Step, q.SampleType = q.Selector.Requests(), whole, store.KindRequests
	series, err := s.store.Series(ctx, q)
	if err != nil {
		return nil, err
	}
	out := counter{}
	for _, one := range series {
		for _, p := range one.Points {
			t := out[keyOf(one.Labels)]
			t.Value, t.Duration = t.Value+p.Value, t.Duration+p.Duration
			out[keyOf(one.Labels)] = t
		}
	}
	return out, nil
}

// during returns how many requests there were in the time that a group's profiles cover; 0
// if that isn't known, or if its values are of a moment.
func (c counter) during(g *store.Group, sampleType string) float64 {
	if profile.OfMoment(sampleType) {
		return 0
	}
	return g.RequestsDuring(c[keyOf(g.Labels)])
}
