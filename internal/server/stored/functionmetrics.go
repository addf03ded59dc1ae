package stored

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/fnmetrics"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/store"
)

var errNoMetrics = errors.New("no function metrics are configured: add function_metrics.rule to the configuration (see doc/reference/configuration.md)")

// exposeMetrics answers scrapes. They read no profile.
func (s *Service) exposeMetrics(w http.ResponseWriter, r *http.Request) error {
	if _, err := server.Params(r, nil); err != nil {
		return err
	}
	// Labels name services.
	if err := server.SeesAll(r.Context()); err != nil {
		return err
	}
	if len(s.rules()) == 0 {
		return &server.Error{Status: http.StatusNotFound, Err: errNoMetrics}
	}
	kind, body, err := s.cfg.Functions.Expose(r.Header, time.Now())
	if err != nil {
		return err
	}
	return server.NewAnswer(kind, body).Write(w, r, http.StatusOK, "no-store")
}

// rules returns the rules of function metrics.
func (s *Service) rules() []*fnmetrics.Rule {
	if s.cfg.Functions == nil {
		return nil
	}
	return s.cfg.Functions.Rules()
}

func (s *Service) listMetrics(w http.ResponseWriter, r *http.Request) error {
	if _, err := server.Params(r, nil); err != nil {
		return err
	}
	out := api.FunctionMetrics{Metrics: []api.FunctionMetric{}}
	for _, rule := range s.rules() {
		m := api.FunctionMetric{
			Name: rule.Name, Unit: s.cfg.Functions.UnitOf(rule), Help: rule.Help, Value: rule.Value, Callees: rule.Callees,
			By: append([]string{}, rule.By...), Limit: rule.Limit, Interval: rule.Interval.Milliseconds(),
		}
		if server.SeesAll(r.Context()) == nil {
			m.Select, m.Functions, m.Packages = rule.Select, rule.Functions, rule.Packages
		}
		out.Metrics = append(out.Metrics, m)
	}
	return server.WriteJSON(w, r, out)
}

var metricHistoryParams = []string{"from", "to", "step", "points", "limit"}

func (s *Service) metricHistory(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, metricHistoryParams)
	if err != nil {
		return err
	}
	sel, err := p.selection(true)
	if err != nil {
		return err
	}
	step, err := p.step(sel, 60, 500)
	if err != nil {
		return err
	}
	limit, err := p.number("limit", 50, 1, 1000)
	if err != nil {
		return err
	}
	rules, name := s.rules(), r.PathValue("name")
	i := slices.IndexFunc(rules, func(rule *fnmetrics.Rule) bool { return rule.Name == name })
	if i < 0 {
		return server.NotFound("unknown function metric %q", name)
	}
	h := metricHistoryQuery{rule: rules[i], sel: sel, step: step, limit: limit}
	out, err := h.answer(r.Context(), s)
	if err != nil {
		return err
	}
	return server.WriteJSON(w, r, out)
}

// metricHistoryQuery is a checked request for a function metric over time.
type metricHistoryQuery struct {
	rule  *fnmetrics.Rule
	sel   *api.Selection // only its time
	step  int64          // ns
	limit int
}

func (h *metricHistoryQuery) answer(ctx context.Context, s *Service) (*api.FunctionMetricHistory, error) {
	windows, err := working(ctx, s, func(ctx context.Context) ([]fnmetrics.Window, error) {
		return h.rule.Windows(ctx, s.selections.store, h.sel.From, h.sel.To, h.step)
	})
	if err != nil {
		return nil, err
	}
	out := &api.FunctionMetricHistory{
		Name: h.rule.Name, From: api.Milliseconds(h.sel.From), To: api.Milliseconds(h.sel.To), Step: api.Milliseconds(h.step),
		Time: []int64{}, Series: []api.FunctionMetricSeries{}, Warnings: []string{},
	}
	var past []*fnmetrics.Past
	left := int64(0)
	for i := range windows {
		one, err := h.window(ctx, s, &windows[i])
		if err != nil {
			return nil, err
		}
		past = append(past, one)
		out.Time = append(out.Time, api.Milliseconds(store.Window(windows[i].From, h.step)))
		left += windows[i].Left
	}
	if left > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d profiles have no duration, so they have no rate and don't count.", left))
	}
	lines, unit, n := h.rule.Lines(past, h.limit)
	out.Unit, out.Left = unit, n
	for _, l := range lines {
		out.Series = append(out.Series, api.FunctionMetricSeries{Labels: labelMap(l.Labels), Values: l.Values})
	}
	return out, nil
}

// window measures the rule in a window. Cached values stay valid as long as the profiles of the
// window do.
func (h *metricHistoryQuery) window(ctx context.Context, s *Service, w *fnmetrics.Window) (*fnmetrics.Past, error) {
	key := fmt.Sprintf("function metric %s %d-%d@%x %d", h.rule.ID(), w.From, w.To, w.Version, w.Left)
	return server.Cached(ctx, s.srv.Cache, key, func(ctx context.Context) (*fnmetrics.Past, int64, error) {
		past, err := h.rule.Read(ctx, s.selections.store, w, server.Budget(ctx))
		if err != nil {
			return nil, 0, s.selections.storeError(err, "name")
		}
		return past, past.Bytes(), nil
	})
}
