package regress

import (
	"context"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// kindRequests are profiles of requests that agents counted. They cover all of the time.
const kindRequests = "requests"

// A counter has the requests of profiles, by version and instance.
type counter map[counterKey]store.Total

type counterKey struct{ version, instance string }

func keyOf(ls store.Labels) counterKey {
	return counterKey{ls.Get(store.LabelVersion), ls.Get(store.LabelInstance)}
}

// requests returns the requests of a service in the time and groups of q. It reads totals alone.
func (s storeSource) requests(ctx context.Context, service string, q store.Query) (counter, error) {
	of := store.Labels{{Name: store.LabelKind, Value: kindRequests}, {Name: store.LabelService, Value: service}}
	q.Selector = store.SelectorOf(of, store.LabelKind, store.LabelService)
	const whole = 1 << 62 // a window that contains all times since 1970
	q.Step, q.SampleType = whole, kindRequests
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
// if less than half of it was counted, or if its values are of a moment.
func (c counter) during(g *store.Group, sampleType string) float64 {
	t := c[keyOf(g.Labels)]
	if profile.OfMoment(sampleType) || t.Duration == 0 || t.Duration < g.Duration/2 {
		return 0
	}
	return float64(t.Value) / time.Duration(t.Duration).Seconds() * time.Duration(g.Duration).Seconds()
}
