package stored

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/store"
)

// historyOptions are the report options that a history heeds.
var historyOptions = []string{
	"focus", "ignore", "hide", "show", "show_from", "prune_from", "tagfocus", "tagignore", "granularity", "noinlines", "mine",
}

var historyParams = append([]string{"q", "from", "to", "sample_type", "top", "step", "points", "limit", "order"}, historyOptions...)

const (
	usualFunctions = 10
	maxFunctions   = 100
)

// historyQuery is a request for a history, checked.
type historyQuery struct {
	sel     *api.Selection
	step    int64 // ns
	named   []string
	limit   int
	cum     bool
	options shell.Config
}

func readHistory(r *http.Request) (*historyQuery, error) {
	p, err := newParams(r, historyParams, "function")
	if err != nil {
		return nil, err
	}
	h := &historyQuery{named: p.Values["function"], options: shell.DefaultConfig()}
	if h.sel, err = p.selection(true); err != nil {
		return nil, err
	}
	if h.step, err = p.step(h.sel, 60, 500); err != nil {
		return nil, err
	}
	if h.limit, err = p.number("limit", usualFunctions, 1, maxFunctions); err != nil {
		return nil, err
	}
	if len(h.named) > maxFunctions {
		return nil, server.BadParam("function", "%d functions are more than %d", len(h.named), maxFunctions)
	}
	switch order := p.Get("order"); order {
	case "", "flat":
	case "cum":
		h.cum = true
	default:
		return nil, server.BadParam("order", "order is %q, not flat or cum", order)
	}
	for _, name := range historyOptions {
		if p.Has(name) {
			if err := reports.SetOption(&h.options, name, p.Get(name)); err != nil {
				return nil, err
			}
		}
	}
	h.options.Trim = false // every function, however small
	return h, nil
}

func (s *Service) history(w http.ResponseWriter, r *http.Request) error {
	h, err := readHistory(r)
	if err != nil {
		return err
	}
	q := h.sel.Query()
	q.Step = h.step
	series, err := working(r.Context(), s, func(ctx context.Context) ([]store.Series, error) { return s.store.Series(ctx, q) })
	if err != nil {
		return err
	}
	out := &api.History{
		From: api.Milliseconds(h.sel.From), To: api.Milliseconds(h.sel.To), Step: api.Milliseconds(h.step),
		Time: []int64{}, Total: []int64{}, Profiles: []int64{}, Duration: []int64{}, Functions: []api.FunctionHistory{}, Warnings: []string{},
	}
	var windows []*functionTable
	if len(series) > 0 {
		out.Type, out.Unit = series[0].Type.Type, series[0].Type.Unit
		for _, pt := range series[0].Points {
			t, err := s.functionTable(r.Context(), h, pt)
			if err != nil {
				return err
			}
			windows = append(windows, t)
			out.Time = append(out.Time, api.Milliseconds(pt.Time))
			out.Total = append(out.Total, t.total)
			out.Profiles = append(out.Profiles, pt.Profiles)
			out.Duration = append(out.Duration, pt.Duration)
			for _, text := range t.warnings {
				if !slices.Contains(out.Warnings, text) {
					out.Warnings = append(out.Warnings, text)
				}
			}
		}
	}
	for _, name := range h.functions(windows) {
		f := api.FunctionHistory{Name: name, Flat: make([]int64, len(windows)), Cum: make([]int64, len(windows))}
		for i, t := range windows {
			v := t.functions[name]
			f.Flat[i], f.Cum[i] = v.flat, v.cum
		}
		out.Functions = append(out.Functions, f)
	}
	return server.WriteJSON(w, r, out)
}

// functionTable are the functions of one window.
type functionTable struct {
	total     int64
	functions map[string]functionValue
	warnings  []string
}

type functionValue struct{ flat, cum int64 }

// functionTable returns the functions of a window as of a point of its series.
// It is kept by the point's version: when time goes on, only the last window is
// made anew.
func (s *Service) functionTable(ctx context.Context, h *historyQuery, pt store.Point) (*functionTable, error) {
	window := *h.sel
	window.From, window.To = max(h.sel.From, pt.Time), min(h.sel.To, pt.Time+h.step)
	version := fmt.Sprintf("@%x", pt.Version)
	key := "functions " + window.String() + version + " ?" + reports.Unusual(&h.options).Encode()
	return server.Cached(ctx, s.srv.Cache, key, func(ctx context.Context) (*functionTable, int64, error) {
		// The profile itself is not worth keeping beside its table.
		groups, err := s.store.Merge(ctx, window.Query())
		if err != nil {
			return nil, 0, s.storeError(err, "q")
		}
		t := &functionTable{functions: map[string]functionValue{}}
		if len(groups) == 0 {
			return t, 0, nil // they have expired meanwhile
		}
		warnings := reports.NewWarnings()
		top, err := report.New(groups[0].Profile, "top", "", h.options.Options, warnings.Env(s.cfg.Env, groups[0].Profile))
		if err != nil {
			return nil, 0, err
		}
		var cost int64
		table := top.Top()
		t.total, t.warnings = top.Total(), warnings.List()
		for i := range table.Rows {
			row := &table.Rows[i]
			t.functions[row.Name] = functionValue{row.Flat.Value, row.Cum.Value}
			cost += int64(len(row.Name)) + 64
		}
		return t, cost, nil
	})
}

// functions returns which functions a history is of, the largest first.
func (h *historyQuery) functions(windows []*functionTable) []string {
	sums := map[string]float64{} // shares added up, so that each window counts the same
	for _, name := range h.named {
		sums[name] = 0
	}
	for _, t := range windows {
		if t.total == 0 {
			continue
		}
		for name, v := range t.functions {
			if len(h.named) > 0 && !slices.Contains(h.named, name) {
				continue
			}
			part := v.flat
			if h.cum {
				part = v.cum
			}
			sums[name] += math.Abs(float64(part) / float64(t.total))
		}
	}
	names := slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b))
	})
	if len(h.named) == 0 {
		names = names[:min(h.limit, len(names))]
	}
	return names
}
