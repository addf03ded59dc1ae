package stored

import (
	"context"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/store"
)

// requestTotals are the totals of requests, by group and window.
type requestTotals map[requestKey]store.Total

type requestKey struct {
	labels string
	time   int64 // start of the window
}

// of returns the requests of a group in a window.
func (r requestTotals) of(ls store.Labels, time int64) store.Total {
	if len(r) == 0 {
		return store.Total{}
	}
	return r[requestKey{withoutKind(ls).String(), time}]
}

// withoutKind returns labels without the kind: requests have a kind of their own.
func withoutKind(ls store.Labels) store.Labels {
	return slices.DeleteFunc(slices.Clone(ls), func(l store.Label) bool { return l.Name == store.LabelKind || l.Value == "" })
}

// requestsBy returns the requests of the processes whose profiles a selection has, by labels
// and windows.
func (s *selections) requestsBy(ctx context.Context, sel *api.Selection, by []string, step int64) (requestTotals, error) {
	out := requestTotals{}
	for _, q := range sel.Queries() {
		q.Selector = q.Selector.Requests()
		q.By = slices.DeleteFunc(slices.Clone(by), func(name string) bool { return name == store.LabelKind })
		q.Step, q.SampleType, q.Lasting = step, store.KindRequests, false
		series, err := s.store.Series(ctx, q)
		if err != nil {
			return nil, s.storeError(err, "profile")
		}
		for i := range series {
			for _, p := range series[i].Points {
				key := requestKey{series[i].Labels.String(), p.Time}
				out[key] = add(out[key], p.Total)
			}
		}
	}
	return out, nil
}

// profiledRequests are the requests in the time that profiles cover, by the profiles' labels.
type profiledRequests map[string]store.Total

func (r profiledRequests) of(ls store.Labels) store.Total { return r[ls.String()] }

// profiledRequests returns the requests in the time that a selection's profiles cover: see
// [store.RequestsIn].
func (s *selections) profiledRequests(ctx context.Context, sel *api.Selection, by []string) (profiledRequests, error) {
	step := int64(wholeStep)
	if sel.From != 0 && sel.To != 0 {
		step = store.RateStep(sel.From, sel.To)
	}
	counted, err := s.requestsBy(ctx, sel, by, step)
	if err != nil {
		return nil, err
	}
	rates := map[string][]store.Point{} // by labels without the kind
	for key, total := range counted {
		rates[key.labels] = append(rates[key.labels], store.Point{Time: key.time, Total: total})
	}
	points := map[string][]store.Point{}
	kindless := map[string]string{}
	for _, q := range sel.Queries() {
		q.By, q.Step = by, step
		series, err := s.store.Series(ctx, q)
		if err != nil {
			return nil, s.storeError(err, "profile")
		}
		for i := range series {
			key := series[i].Labels.String()
			kindless[key] = withoutKind(series[i].Labels).String()
			points[key] = append(points[key], series[i].Points...)
		}
	}
	out := profiledRequests{}
	for key, profiled := range points {
		out[key] = store.RequestsIn(profiled, rates[kindless[key]])
	}
	return out, nil
}

// requestsOf returns the requests of a selection with a total.
func (s *selections) requestsOf(ctx context.Context, sel *api.Selection, total store.Total) (store.Total, error) {
	all, err := s.profiledRequests(ctx, sel, nil)
	if err != nil {
		return store.Total{}, err
	}
	requests := all.of(nil)
	if total.RequestsDuring(requests) == 0 {
		return store.Total{}, server.BadParam("per", "no requests of these processes were counted, so they have no values per request: use agent.CountRequests, or per=second")
	}
	return requests, nil
}

// Agents profile and count once a minute, each at its own moment of it. Windows that are
// shorter than a few of these have profiles without requests.
const requestStep = 5 * time.Minute

// requestStepOf returns the length of windows for values per request, if the request names
// none, for a time range that would get windows of a usual length.
func requestStepOf(length, usual time.Duration) time.Duration {
	const points = 6
	return max(usual, min(requestStep, autoStep(length, points)))
}
