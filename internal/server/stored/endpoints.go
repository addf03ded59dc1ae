package stored

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// labelEndpoint is the label that agents give to the work on requests.
const labelEndpoint = "endpoint"

var endpointParams = []string{"q", "from", "to", "sample_type", "step", "points", "limit"}

// endpoints answers what requests cost, by endpoint and over time.
func (s *Service) endpoints(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, endpointParams)
	if err != nil {
		return err
	}
	sel, err := p.selection(true)
	if err != nil {
		return err
	}
	sel.Per = api.PerSum
	limit, err := p.number("limit", 50, 1, 1000)
	if err != nil {
		return err
	}
	step, err := p.step(sel, 60, 500)
	if err != nil {
		return err
	}
	if p.Get("step") == "" {
		step = int64(requestStepOf(time.Duration(sel.To-sel.From), time.Duration(step)))
	}
	costs, of, err := s.labelWindows(r.Context(), sel, step)
	if err != nil {
		return err
	}
	requests, _, err := s.labelWindows(r.Context(), requestsSelection(sel), step)
	if err != nil {
		return err
	}
	times := timesOf(costs, requests)
	out := endpointCosts(times, costs, requests)
	out.From, out.To, out.Step = api.Milliseconds(sel.From), api.Milliseconds(sel.To), api.Milliseconds(step)
	out.Type, out.Unit = of.Type, of.Unit
	if len(costs) > 0 && len(out.Endpoints) == 1 && out.Endpoints[0].Endpoint == "" {
		out.Warnings = append(out.Warnings, "No sample has the label endpoint: CPU and goroutine profiles have it, if the program counts its requests with agent.CountRequests.")
	}
	out.Left = max(0, len(out.Endpoints)-limit)
	out.Endpoints = out.Endpoints[:len(out.Endpoints)-out.Left]
	return server.WriteJSON(w, r, out)
}

// requestsSelection returns the profiles of requests of the processes whose profiles a
// selection has.
func requestsSelection(sel *api.Selection) *api.Selection {
	requests := *sel
	requests.SampleType, requests.Selector = store.KindRequests, sel.Selector.Requests()
	return &requests
}

// A labelTable has values by endpoint.
type labelTable struct {
	store.Total
	values map[string]int64 // without an endpoint: ""
}

// labelWindows returns the windows that have profiles by their start, and the type of the
// values. The cache has each window for as long as its profiles stay the same.
func (s *Service) labelWindows(ctx context.Context, sel *api.Selection, step int64) (map[int64]*labelTable, profile.ValueType, error) {
	q := sel.Query()
	q.Step = step
	series, err := working(ctx, s, func(ctx context.Context) ([]store.Series, error) { return s.selections.store.Series(ctx, q) })
	if err != nil || len(series) == 0 {
		return nil, profile.ValueType{}, err
	}
	out := map[int64]*labelTable{}
	for _, pt := range series[0].Points {
		window := *sel
		window.From, window.To = max(sel.From, pt.Time), min(sel.To, pt.Time+step)
		if out[pt.Time], err = s.labelTable(ctx, &window, pt.Total.Version); err != nil {
			return nil, profile.ValueType{}, err
		}
	}
	return out, series[0].Type, nil
}

// labelTable returns a selection's values by endpoint.
func (s *Service) labelTable(ctx context.Context, sel *api.Selection, version uint64) (*labelTable, error) {
	key := "endpoints " + sel.String() + fmt.Sprintf("@%x", version)
	return server.Cached(ctx, s.srv.Cache, key, func(ctx context.Context) (*labelTable, int64, error) {
		q := sel.Query()
		q.Budget = server.Budget(ctx)
		groups, err := s.selections.store.Merge(ctx, q)
		if err != nil {
			return nil, 0, s.selections.storeError(err, "q")
		}
		t := &labelTable{values: map[string]int64{}}
		if len(groups) == 0 {
			return t, 0, nil // they have expired meanwhile
		}
		column, err := groups[0].Profile.SampleIndex(sel.SampleType)
		if err != nil || column < 0 {
			return nil, 0, cmp.Or(err, profile.ErrNothingCommon)
		}
		t.Total = groups[0].Total
		addByLabel(t.values, groups[0].Profile, column, labelEndpoint)
		cost := int64(0)
		for name := range t.values {
			cost += int64(len(name)) + 64
		}
		return t, cost, nil
	})
}

// addByLabel adds the values of a column by the value of a label.
func addByLabel(to map[string]int64, p *profile.Profile, column int, label string) {
	values := map[uint32]string{} // by set of labels
	for sample, v := range p.Values[column] {
		if p.SampleLabels == nil {
			to[""] += v
			continue
		}
		set := p.SampleLabels[sample]
		value, known := values[set]
		if !known {
			for _, l := range p.SampleLabelSet(sample) {
				if !l.Numeric && p.Strings[l.Key] == label {
					value = p.Strings[l.Str]
				}
			}
			values[set] = value
		}
		to[value] += v
	}
}

// timesOf returns the starts of windows, sorted.
func timesOf(all ...map[int64]*labelTable) []int64 {
	var times []int64
	for _, tables := range all {
		for t := range tables {
			times = append(times, t)
		}
	}
	slices.Sort(times)
	return slices.Compact(times)
}

// endpointCosts returns what endpoints cost per request, the costliest first.
func endpointCosts(times []int64, costs, requests map[int64]*labelTable) *api.Endpoints {
	out := &api.Endpoints{Time: []int64{}, Endpoints: []api.EndpointCost{}, Warnings: []string{}}
	names, whole := map[string]bool{}, int64(0)
	for _, t := range times {
		out.Time = append(out.Time, api.Milliseconds(t))
		for _, table := range []*labelTable{costs[t], requests[t]} {
			if table != nil {
				for name := range table.values {
					names[name] = true
				}
			}
		}
		if costs[t] != nil {
			whole += sumOf(costs[t].values)
		}
	}
	out.Total = costOf(times, costs, requests, sumOf, whole)
	for name := range names {
		one := costOf(times, costs, requests, func(values map[string]int64) int64 { return values[name] }, whole)
		one.Endpoint = name
		out.Endpoints = append(out.Endpoints, one)
	}
	slices.SortFunc(out.Endpoints, func(a, b api.EndpointCost) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Endpoint, b.Endpoint))
	})
	return out
}

func sumOf(values map[string]int64) (sum int64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// costOf returns the cost of what pick takes of each window, of which the whole is 100 %.
func costOf(times []int64, costs, requests map[int64]*labelTable, pick func(map[string]int64) int64, whole int64) api.EndpointCost {
	one := api.EndpointCost{Over: api.EndpointOver{Requests: make([]int64, len(times)), Cost: make([]any, len(times))}}
	var cost, counted store.Total
	for i, t := range times {
		var c, n store.Total // of the window
		if table := costs[t]; table != nil {
			c = table.Total
			c.Value = pick(table.values)
		}
		if table := requests[t]; table != nil {
			n = table.Total
			n.Value = pick(table.values)
		}
		one.Over.Requests[i], one.Over.Cost[i] = n.Value, value(c, n, api.PerRequest)
		cost, counted = add(cost, c), add(counted, n)
	}
	one.Requests, one.Cost = counted.Value, value(cost, counted, api.PerRequest)
	if whole > 0 {
		one.Share = 100 * float64(cost.Value) / float64(whole)
	}
	return one
}
