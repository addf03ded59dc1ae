package stored

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// perOf returns how to combine values of a sample type. By default, instantaneous values
// are averaged.
func perOf(per, sampleType string) string {
	switch {
	case per != api.PerDefault:
		return per
	case profile.OfMoment(sampleType):
		return api.PerProfile
	}
	return api.PerSum
}

// value returns a total's value combined as per says, with the requests of the same processes.
func value(t, requests store.Total, per string) any {
	switch {
	case per == api.PerRequest:
		if n := t.RequestsDuring(requests); n > 0 {
			return float64(t.Value) / n
		}
	case per == api.PerProfile && t.Profiles > 0:
		return float64(t.Value) / float64(t.Profiles)
	case per == api.PerSecond && t.Duration > 0:
		return float64(t.Value) / (float64(t.Duration) / float64(time.Second))
	case per == api.PerSum:
		return t.Value
	}
	return nil
}

func figures(t, requests store.Total, per string) api.Figures {
	return api.Figures{Value: value(t, requests, per), Profiles: t.Profiles, Duration: t.Duration, Last: api.Milliseconds(t.Last)}
}

// add adds totals. It mixes their versions, so that the version of the sum changes if
// either of them does.
func add(a, b store.Total) store.Total {
	return store.Total{
		Value: a.Value + b.Value, Profiles: a.Profiles + b.Profiles, Duration: a.Duration + b.Duration,
		Last: max(a.Last, b.Last), Version: a.Version*31 + b.Version,
	}
}

func labelMap(ls store.Labels) map[string]string {
	m := make(map[string]string, len(ls))
	for _, l := range ls {
		m[l.Name] = l.Value
	}
	return m
}

var seriesParams = []string{"q", "from", "to", "sample_type", "top", "per", "by", "step", "points", "limit"}

func (s *Service) series(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, seriesParams)
	if err != nil {
		return err
	}
	sel, err := p.selection(true)
	if err != nil {
		return err
	}
	by, err := p.by()
	if err != nil {
		return err
	}
	limit, err := p.number("limit", 50, 1, 1000)
	if err != nil {
		return err
	}
	q := sel.Query()
	q.By = by
	if q.Step, err = p.step(sel, 300, 10_000); err != nil {
		return err
	}
	var counted requestTotals
	var profiled profiledRequests
	if sel.Per == api.PerRequest {
		if p.Get("step") == "" {
			q.Step = int64(requestStepOf(time.Duration(sel.To-sel.From), time.Duration(q.Step)))
		}
		if counted, err = working(r.Context(), s, func(ctx context.Context) (requestTotals, error) {
			return s.selections.requestsBy(ctx, sel, by, q.Step)
		}); err != nil {
			return err
		}
		if profiled, err = working(r.Context(), s, func(ctx context.Context) (profiledRequests, error) {
			return s.selections.profiledRequests(ctx, sel, by)
		}); err != nil {
			return err
		}
	}
	left := map[string]int64{} // number of profiles without a duration, by group
	all, err := working(r.Context(), s, func(ctx context.Context) ([]store.Series, error) {
		if q.Lasting {
			return rates(ctx, s.selections.store, q, left)
		}
		return s.selections.store.Series(ctx, q)
	})
	if err != nil {
		return err
	}
	out := &api.OverTime{From: api.Milliseconds(sel.From), To: api.Milliseconds(sel.To), Step: api.Milliseconds(q.Step), Series: []api.GroupSeries{}, Warnings: []string{}}
	if len(all) > limit {
		// Keep the largest groups, in their order. Groups are compared by value, or by
		// number of profiles if their values have different types.
		totals := make([]store.Total, len(all))
		order := make([]int, len(all))
		for i := range all {
			order[i] = i
			for _, pt := range all[i].Points {
				totals[i] = add(totals[i], pt.Total)
			}
		}
		same := !slices.ContainsFunc(all, func(one store.Series) bool { return one.Type != all[0].Type })
		slices.SortStableFunc(order, func(a, b int) int {
			if same {
				return cmp.Compare(totals[b].Value, totals[a].Value)
			}
			return cmp.Compare(totals[b].Profiles, totals[a].Profiles)
		})
		kept := order[:limit]
		slices.Sort(kept)
		largest := make([]store.Series, limit)
		for i, k := range kept {
			largest[i] = all[k]
		}
		out.Left, all = len(all)-limit, largest
	}
	for i := range all {
		one, err := groupSeries(&all[i], sel, by, counted, profiled)
		if err != nil {
			return err
		}
		if one.Type == "" {
			out.Warnings = append(out.Warnings, groupWords(all[i].Labels)+" measure different things, whose values can't be added up: select a kind, or group by kind.")
		} else if sel.Rate() && one.Total.Duration == 0 {
			out.Warnings = append(out.Warnings, groupWords(all[i].Labels)+" have no duration, so they have no rate.")
		} else if sel.Per == api.PerRequest && one.Total.Value == nil {
			out.Warnings = append(out.Warnings, groupWords(all[i].Labels)+": no requests were counted, so they have no values per request.")
		} else if sel.Per == api.PerDefault && one.Total.Profiles > 1 && profile.OfMoment(one.Type) {
			out.Warnings = append(out.Warnings, groupWords(all[i].Labels)+": "+averaged([]string{one.Type}, one.Total.Profiles)+".")
		} else if n := left[all[i].Labels.String()]; n > 0 {
			out.Warnings = append(out.Warnings, groupWords(all[i].Labels)+": "+leftOut(n, n+one.Total.Profiles)+".")
		}
		out.Series = append(out.Series, *one)
	}
	return server.WriteJSON(w, r, out)
}

// rates returns the series of profiles with a duration. It keeps groups and points
// without such profiles, and sets left to the number of profiles without a duration in
// each group.
func rates(ctx context.Context, st store.Store, q store.Query, left map[string]int64) ([]store.Series, error) {
	lasting, err := st.Series(ctx, q)
	if err != nil {
		return nil, err
	}
	q.Lasting = false
	all, err := st.Series(ctx, q)
	if err != nil {
		return nil, err
	}
	type place struct {
		group string
		time  int64
	}
	known := map[place]store.Total{}
	for _, one := range lasting {
		group := one.Labels.String()
		for _, pt := range one.Points {
			known[place{group, pt.Time}] = pt.Total
		}
	}
	for i := range all {
		group := all[i].Labels.String()
		for k := range all[i].Points {
			pt := &all[i].Points[k]
			total := known[place{group, pt.Time}]
			left[group] += pt.Profiles - total.Profiles
			if pt.Total = total; all[i].Type == (profile.ValueType{}) {
				pt.Value = 0 // even if those with a duration have one type
			}
		}
	}
	return all, nil
}

// groupWords describes the profiles of a group. A group without labels has all profiles.
func groupWords(ls store.Labels) string {
	if len(ls) == 0 {
		return "The profiles selected"
	}
	return "Profiles of " + ls.String()
}

func groupSeries(of *store.Series, sel *api.Selection, by []string, counted requestTotals, profiled profiledRequests) (*api.GroupSeries, error) {
	part, err := sel.Within(by, of.Labels, sel.From, sel.To)
	if err != nil {
		return nil, err
	}
	n := len(of.Points)
	g := &api.GroupSeries{
		Labels: labelMap(of.Labels), Type: of.Type.Type, Unit: of.Type.Unit, Profile: part.String(),
		Time: make([]int64, n), Value: make([]any, n), Profiles: make([]int64, n), Duration: make([]int64, n),
	}
	var total store.Total
	per := perOf(sel.Per, of.Type.Type)
	for i, pt := range of.Points {
		g.Time[i], g.Value[i], g.Profiles[i], g.Duration[i] = api.Milliseconds(pt.Time), value(pt.Total, counted.of(of.Labels, pt.Time), per), pt.Profiles, pt.Duration
		total = add(total, pt.Total)
	}
	g.Total = figures(total, profiled.of(of.Labels), per)
	return g, nil
}

// working queries the store in a slot for computations. There is a slot per CPU.
func working[V any](ctx context.Context, s *Service, ask func(context.Context) (V, error)) (v V, err error) {
	ctx, free, err := s.srv.Cache.Slot(ctx)
	if err != nil {
		return v, err
	}
	defer free()
	if v, err = ask(ctx); err != nil {
		return v, s.selections.storeError(err, "q")
	}
	return v, nil
}
