package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// OverTime is the answer of totals over time, as doc/api.md describes it. Times
// are ms since 1970.
type OverTime struct {
	From     int64         `json:"from"`
	To       int64         `json:"to"`
	Step     int64         `json:"step"` // ms
	Series   []GroupSeries `json:"series"`
	Left     int           `json:"left"`
	Warnings []string      `json:"warnings"`
}

// GroupSeries is one group over time. Value has whole numbers, fractions, or nil
// where there is nothing to divide by.
type GroupSeries struct {
	Labels  map[string]string `json:"labels"`
	Type    string            `json:"type"`
	Unit    string            `json:"unit"`
	Total   Figures           `json:"total"`
	Profile string            `json:"profile"` // id of the selection

	Time     []int64 `json:"time"` // starts of windows
	Value    []any   `json:"value"`
	Profiles []int64 `json:"profiles"`
	Duration []int64 `json:"duration"` // ns
}

// Figures are those of several profiles.
type Figures struct {
	Value    any   `json:"value"`
	Profiles int64 `json:"profiles"`
	Duration int64 `json:"duration"` // ns
	Last     int64 `json:"last"`     // ms since 1970
}

// value returns a total's value as per asks.
func value(t store.Total, per string) any {
	switch {
	case per == perProfile && t.Profiles > 0:
		return float64(t.Value) / float64(t.Profiles)
	case per == perSecond && t.Duration > 0:
		return float64(t.Value) / (float64(t.Duration) / float64(time.Second))
	case per == perSum:
		return t.Value
	}
	return nil
}

func figures(t store.Total, per string) Figures {
	return Figures{value(t, per), t.Profiles, t.Duration, milliseconds(t.Last)}
}

// add adds totals up. Their versions are mixed, so that the sum's changes with
// any.
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

func (s *Server) series(w http.ResponseWriter, r *http.Request) error {
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
	q := sel.query()
	q.By = by
	if q.Step, err = p.step(sel, 300, 10_000); err != nil {
		return err
	}
	all, err := working(r.Context(), s, func(ctx context.Context) ([]store.Series, error) { return s.store.Series(ctx, q) })
	if err != nil {
		return err
	}
	out := &OverTime{From: milliseconds(sel.from), To: milliseconds(sel.to), Step: milliseconds(q.Step), Series: []GroupSeries{}, Warnings: []string{}}
	if len(all) > limit {
		// The largest ones, in their order. Which those are is told by values, or
		// where values are of different things by the number of profiles.
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
		one, err := groupSeries(&all[i], sel, by)
		if err != nil {
			return err
		}
		if one.Type == "" {
			out.Warnings = append(out.Warnings, "Profiles of "+all[i].Labels.String()+" measure different things, whose values can't be added up: select a kind, or group by kind.")
		} else if sel.per == perSecond && one.Total.Duration == 0 {
			out.Warnings = append(out.Warnings, "Profiles of "+all[i].Labels.String()+" are of a moment and have no duration: there is no rate.")
		}
		out.Series = append(out.Series, *one)
	}
	a, err := jsonAnswer(out)
	if err != nil {
		return err
	}
	return a.write(w, r, http.StatusOK, revalidate)
}

func groupSeries(of *store.Series, sel *selection, by []string) (*GroupSeries, error) {
	part, err := sel.within(by, of.Labels, sel.from, sel.to)
	if err != nil {
		return nil, err
	}
	n := len(of.Points)
	g := &GroupSeries{
		Labels: labelMap(of.Labels), Type: of.Type.Type, Unit: of.Type.Unit, Profile: part.String(),
		Time: make([]int64, n), Value: make([]any, n), Profiles: make([]int64, n), Duration: make([]int64, n),
	}
	var total store.Total
	for i, pt := range of.Points {
		g.Time[i], g.Value[i], g.Profiles[i], g.Duration[i] = milliseconds(pt.Time), value(pt.Total, sel.per), pt.Profiles, pt.Duration
		total = add(total, pt.Total)
	}
	g.Total = figures(total, sel.per)
	return g, nil
}

// working asks the store with a slot for computations, of which there are as
// many as processors.
func working[V any](ctx context.Context, s *Server, ask func(context.Context) (V, error)) (v V, err error) {
	ctx, free, err := s.cache.slot(ctx)
	if err != nil {
		return v, err
	}
	defer free()
	if v, err = ask(ctx); err != nil {
		return v, s.storeError(err, "q")
	}
	return v, nil
}
