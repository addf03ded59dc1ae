package stored

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// mostInstances limits the instances that tell how much all of them differ: more cost
// time, and tell little more. A history has many versions, so it looks at fewer.
const (
	mostInstances        = 24
	mostHistoryInstances = 8
)

// An instance is the part of a selection that one instance sent.
type instance struct {
	*api.Selection
	name string
	store.Total
	requests store.Total // with values per request
}

// instances returns the instances of a selection, evenly chosen ones if there are too
// many, and how many there are. Profiles that were chosen by their cost, or one by one,
// have none: how they differ says how they were chosen.
func (s *selections) instances(ctx context.Context, sel *api.Selection, most int) ([]instance, int, error) {
	if sel.Top != 0 || sel.ID != (store.ID{}) {
		return nil, 0, nil
	}
	found := map[string]*instance{}
	var all []*instance // by label
	for _, q := range sel.Queries() {
		q.By, q.Step = []string{store.LabelInstance}, wholeStep
		series, err := s.store.Series(ctx, q)
		if err != nil {
			return nil, 0, s.storeError(err, "profile")
		}
		for _, of := range series {
			name := of.Labels.Get(store.LabelInstance)
			if found[name] == nil {
				one, err := sel.Within(q.By, of.Labels, sel.From, sel.To)
				if err != nil {
					return nil, 0, err
				}
				found[name] = &instance{Selection: one, name: name}
				all = append(all, found[name])
			}
			for _, p := range of.Points {
				found[name].Total = add(found[name].Total, p.Total)
			}
		}
	}
	if len(all) < 2 {
		return nil, len(all), nil
	}
	if sel.Per == api.PerRequest {
		counted, err := s.profiledRequests(ctx, sel, []string{store.LabelInstance})
		if err != nil {
			return nil, 0, err
		}
		for _, of := range all {
			of.requests = counted.of(store.Labels{{Name: store.LabelInstance, Value: of.name}})
		}
	}
	slices.SortFunc(all, func(a, b *instance) int { return cmp.Compare(a.name, b.name) })
	var chosen []instance
	n := min(len(all), most)
	for i := range n {
		chosen = append(chosen, *all[i*len(all)/n])
	}
	return chosen, len(all), nil
}

// instancesOf returns reports.Opened.Instances of a selection.
func (s *selections) instancesOf(sel *api.Selection) func(context.Context, func(string, *profile.Profile, float64) error) (int, error) {
	return func(ctx context.Context, visit func(string, *profile.Profile, float64) error) (int, error) {
		all, n, err := s.instances(ctx, sel, mostInstances)
		if err != nil {
			return 0, err
		}
		for _, in := range all {
			g, err := s.mergeQueries(ctx, in.Queries(), in.Rate())
			if err != nil {
				return 0, s.storeError(err, "profile")
			}
			if g == nil {
				continue // its profiles expired meanwhile
			}
			weight := in.weight(g.Total)
			if weight == 0 {
				continue // it counts no requests
			}
			if err := visit(in.name, g.Profile, weight); err != nil {
				return 0, err
			}
		}
		return n, nil
	}
}

// weight is what an instance's values are divided by to compare it with others.
func (in *instance) weight(t store.Total) float64 {
	if in.Rate() {
		return divisor(in.Per, t, in.requests)
	}
	return divisor(api.PerProfile, t, in.requests)
}

// instanceFunctions are the functions of the instances of a part, as shares and as costs.
type instanceFunctions struct{ shares, costs *report.Instances }

// functionsOf returns the functions of the instances of a part.
func (h *historyQuery) functionsOf(ctx context.Context, s *Service, of *part) (*instanceFunctions, error) {
	sel := *of.sel
	if of.requests.Value > 0 {
		sel.Per = api.PerRequest
	}
	key := "instances " + sel.String() + fmt.Sprintf("@%x", of.Version) + " ?" + reports.Unusual(&h.options).Encode()
	return server.Cached(ctx, s.srv.Cache, key, func(ctx context.Context) (*instanceFunctions, int64, error) {
		in := &report.Instances{}
		var divisors []float64
		all, n, err := s.selections.instances(ctx, &sel, mostHistoryInstances)
		if err != nil {
			return nil, 0, err
		}
		in.Count = n
		for _, one := range all {
			q := one.Query()
			q.Budget = server.Budget(ctx)
			groups, err := s.selections.store.Merge(ctx, q)
			if err != nil {
				return nil, 0, s.selections.storeError(err, "q")
			}
			for _, g := range groups {
				by := instanceDivisor(of.moment, g.Total)
				if sel.Per == api.PerRequest {
					by = one.weight(g.Total)
				}
				if by == 0 {
					continue // it counts no requests
				}
				p, err := report.Select(g.Profile, h.options.Options, reports.NewWarnings().Env(ctx, s.cfg.Env, g.Profile))
				if err != nil {
					return nil, 0, err
				}
				index, err := p.SampleIndex("") // a merge has only the one that was asked for
				if err != nil || index < 0 {
					return &instanceFunctions{in, in.Weighed(divisors)}, 0, err
				}
				whole := float64(report.Magnitude(p, p.SampleTypes[index]))
				if err := in.AddProfile(ctx, p, index, whole, h.options.Options); err != nil {
					return nil, 0, err
				}
				divisors = append(divisors, by)
			}
		}
		return &instanceFunctions{in, in.Weighed(divisors)}, in.Bytes(), nil
	})
}
