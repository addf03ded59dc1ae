package stored

import (
	"cmp"
	"context"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/store"
)

func (s *Service) labels(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, []string{"q", "from", "to", "name", "find", "limit"})
	if err != nil {
		return err
	}
	sel, err := p.selection(false)
	if err != nil {
		return err
	}
	limit, err := p.number("limit", 1000, 0, 1_000_000)
	if err != nil {
		return err
	}
	name := p.Get("name")
	if name != "" {
		if err := store.CheckName(name); err != nil {
			return server.BadParam("name", "name: %w", err)
		}
	}
	all, err := working(r.Context(), s, func(ctx context.Context) ([]store.LabelValues, error) {
		return s.selections.store.Labels(ctx, sel.Query())
	})
	if err != nil {
		return err
	}
	find := strings.ToLower(p.Get("find"))
	labels := []api.Label{}
	for _, l := range all {
		if name != "" && l.Name != name {
			continue
		}
		if find != "" {
			l.Values = slices.DeleteFunc(slices.Clone(l.Values), func(v string) bool { return !strings.Contains(strings.ToLower(v), find) })
		}
		shown := api.Label{Name: l.Name, Values: l.Values}
		if limit > 0 && len(l.Values) > limit {
			shown.Values, shown.More = l.Values[:limit], len(l.Values)-limit
		}
		labels = append(labels, shown)
	}
	return server.WriteJSON(w, r, map[string][]api.Label{"labels": labels})
}

func (s *Service) services(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, []string{"q", "from", "to", "limit"})
	if err != nil {
		return err
	}
	sel, err := p.selection(false)
	if err != nil {
		return err
	}
	limit, err := p.number("limit", 1000, 1, 100_000)
	if err != nil {
		return err
	}
	q := sel.Query()
	q.By, q.Step = []string{store.LabelService, store.LabelKind, store.LabelVersion}, wholeStep
	groups, err := working(r.Context(), s, func(ctx context.Context) ([]store.Series, error) { return s.selections.store.Series(ctx, q) })
	if err != nil {
		return err
	}
	all := servicesOf(groups)
	left := max(0, len(all)-limit)
	return server.WriteJSON(w, r, map[string]any{"services": all[:len(all)-left], "left": left})
}

// servicesOf sums groups by service, kind and version.
func servicesOf(groups []store.Series) []api.Service {
	type part struct{ service, name string }
	kinds, versions := map[part]*api.ServiceKind{}, map[part]*api.ServiceVersion{}
	kindTotals := map[part]store.Total{}
	services := map[string]*api.Service{}
	for _, g := range groups {
		var t store.Total
		for _, pt := range g.Points {
			t = add(t, pt.Total)
		}
		name := g.Labels.Get(store.LabelService)
		if services[name] == nil {
			services[name] = &api.Service{Name: name}
		}
		one := services[name]
		one.Profiles += t.Profiles
		one.Last = max(one.Last, api.Milliseconds(t.Last))

		k := part{name, g.Labels.Get(store.LabelKind)}
		switch known := kinds[k]; {
		case known == nil:
			kinds[k] = &api.ServiceKind{Kind: k.name, Type: g.Type.Type, Unit: g.Type.Unit}
		case known.Type != g.Type.Type || known.Unit != g.Type.Unit:
			known.Type, known.Unit = "", ""
		}
		kindTotals[k] = add(kindTotals[k], t)

		v := part{name, g.Labels.Get(store.LabelVersion)}
		if versions[v] == nil {
			versions[v] = &api.ServiceVersion{Version: v.name}
		}
		versions[v].Profiles += t.Profiles
		versions[v].Last = max(versions[v].Last, api.Milliseconds(t.Last))
	}
	for k, kind := range kinds {
		kind.Figures = figures(kindTotals[k], store.Total{}, perOf(api.PerDefault, kind.Type))
		if kind.Type == "" {
			kind.Value = nil // values of different types have no sum
		}
		services[k.service].Kinds = append(services[k.service].Kinds, *kind)
	}
	for v, version := range versions {
		services[v.service].Versions = append(services[v.service].Versions, *version)
	}
	all := make([]api.Service, 0, len(services))
	for _, one := range services {
		slices.SortFunc(one.Kinds, func(a, b api.ServiceKind) int { return cmp.Compare(a.Kind, b.Kind) })
		slices.SortFunc(one.Versions, func(a, b api.ServiceVersion) int {
			return cmp.Or(cmp.Compare(b.Last, a.Last), cmp.Compare(a.Version, b.Version))
		})
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b api.Service) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

const (
	usualRecords = 1000
	maxRecords   = 100_000
)

func (s *Service) records(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, []string{"q", "from", "to", "sample_type", "top", "id", "limit"})
	if err != nil {
		return err
	}
	sel, err := p.selection(false)
	if err != nil {
		return err
	}
	limit, err := p.number("limit", usualRecords, 1, maxRecords)
	if err != nil {
		return err
	}
	q := sel.Query()
	out, err := working(r.Context(), s, func(ctx context.Context) (*api.Records, error) {
		names, err := s.selections.store.Labels(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, l := range names {
			q.By = append(q.By, l.Name)
		}
		if q.Top != 0 {
			// The most expensive profiles overall, not per series.
			return topRecords(ctx, s.selections.store, q, limit, sel)
		}
		q.Limit = limit + 1
		series, err := s.selections.store.Series(ctx, q)
		if err != nil {
			return nil, err
		}
		return recordsOf(series, limit, sel), nil
	})
	if err != nil {
		return err
	}
	return server.WriteJSON(w, r, out)
}

// topRecords returns the most expensive profiles of a selection, with their
// labels.
func topRecords(ctx context.Context, st store.Store, q store.Query, limit int, sel *api.Selection) (*api.Records, error) {
	by := q.By
	q.By = nil
	ranked, err := st.Series(ctx, q)
	if err != nil || len(ranked) == 0 {
		return recordsOf(nil, limit, sel), err
	}
	kept := map[store.ID]int64{}
	for _, pt := range ranked[0].Points {
		kept[pt.ID] = pt.Time
	}
	q.By, q.Top = by, 0
	series, err := st.Series(ctx, q)
	if err != nil {
		return nil, err
	}
	for i := range series {
		series[i].Points = slices.DeleteFunc(series[i].Points, func(pt store.Point) bool {
			t, ok := kept[pt.ID]
			return !ok || t != pt.Time
		})
	}
	return recordsOf(series, limit, sel), nil
}

// recordsOf returns the latest points of all series, latest first.
func recordsOf(series []store.Series, limit int, sel *api.Selection) *api.Records {
	type place struct{ series, point int }
	var places []place
	for i := range series {
		for j := range series[i].Points {
			places = append(places, place{i, j})
		}
	}
	point := func(at place) *store.Point { return &series[at.series].Points[at.point] }
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(point(b).Time, point(a).Time), slices.Compare(point(a).ID[:], point(b).ID[:]))
	})
	out := &api.Records{Labels: []api.RecordLabels{}, More: len(places) > limit}
	places = places[:min(limit, len(places))]
	n := len(places)
	out.ID, out.Time, out.Duration = make([]string, n), make([]int64, n), make([]int64, n)
	out.Value, out.Series, out.Profile = make([]int64, n), make([]int, n), make([]string, n)
	index := map[int]int{}
	for i, at := range places {
		k, ok := index[at.series]
		if !ok {
			k = len(out.Labels)
			index[at.series] = k
			of := &series[at.series]
			out.Labels = append(out.Labels, api.RecordLabels{Labels: labelMap(of.Labels), Type: of.Type.Type, Unit: of.Type.Unit})
		}
		pt := point(at)
		out.ID[i], out.Time[i], out.Duration[i] = hex.EncodeToString(pt.ID[:]), api.Milliseconds(pt.Time), pt.Duration
		out.Value[i], out.Series[i] = pt.Value, k
		start := api.Milliseconds(pt.Time) * int64(time.Millisecond)
		single := api.Selection{From: start, To: start + int64(time.Millisecond), SampleType: sel.SampleType, ID: pt.ID}
		single.Selector = store.SelectorOf(series[at.series].Labels, store.LabelKind, store.LabelService)
		out.Profile[i] = single.String()
	}
	return out
}
