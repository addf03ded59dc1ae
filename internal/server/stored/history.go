package stored

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// maxHistoryVersions limits the versions that a history merges in addition to its windows.
const maxHistoryVersions = 20

func (s *Service) history(w http.ResponseWriter, r *http.Request) error {
	h, err := readHistory(r)
	if err != nil {
		return err
	}
	out := &api.History{
		From: api.Milliseconds(h.sel.From), To: api.Milliseconds(h.sel.To), Step: api.Milliseconds(h.step),
		Time: []int64{}, Total: []int64{}, Profiles: []int64{}, Duration: []int64{}, Versions: []api.HistoryVersion{},
		Functions: []api.FunctionHistory{}, Warnings: []string{},
	}
	windows, of, err := h.windows(r.Context(), s)
	if err != nil {
		return err
	}
	counted, err := h.counted(r.Context(), s, of)
	if err != nil {
		return err
	}
	if h.perRequest {
		if err := h.countWindows(r.Context(), s, windows); err != nil {
			return err
		}
	}
	// Growth is told by windows alone.
	var versions, steps []part
	left := 0
	if h.rank != rankGrowth {
		if versions, left, err = h.versions(r.Context(), s, counted); err != nil {
			return err
		}
		if steps, err = h.steps(r.Context(), s, windows, versions); err != nil {
			return err
		}
	}
	out.Type, out.Unit, out.Left = of.Type, of.Unit, left
	for _, t := range windows {
		out.Time = append(out.Time, api.Milliseconds(t.time))
		out.Total = append(out.Total, t.total)
		out.Profiles = append(out.Profiles, t.Profiles)
		out.Duration = append(out.Duration, t.Duration)
		if h.perRequest {
			out.Requests = append(out.Requests, t.RequestsDuring(t.requests))
		}
	}
	for _, t := range versions {
		out.Versions = append(out.Versions, api.HistoryVersion{
			Version: t.version, First: api.Milliseconds(t.time), Total: t.total, Profiles: t.Profiles, Duration: t.Duration, Profile: t.sel.String(),
			Requests: t.RequestsDuring(t.requests),
			Counted:  t.RequestsDuring(counted.of(store.Labels{{Name: store.LabelVersion, Value: t.version}})) > 0,
		})
	}
	for _, t := range slices.Concat(windows, versions) {
		for _, text := range t.warnings {
			if !slices.Contains(out.Warnings, text) {
				out.Warnings = append(out.Warnings, text)
			}
		}
	}
	for _, f := range h.ranked(windows, versions, steps, h.came(r.Context(), s.cfg.Markers)) {
		f.Flat, f.Cum = columns(windows, f.Name)
		f.Versions.Flat, f.Versions.Cum = columns(versions, f.Name)
		out.Functions = append(out.Functions, f)
	}
	return server.WriteJSON(w, r, out)
}

// counted returns the requests of versions, none if there are no values per request.
func (h *historyQuery) counted(ctx context.Context, s *Service, of profile.ValueType) (profiledRequests, error) {
	if profile.OfMoment(of.Type) || h.sel.Top != 0 || h.rank == rankGrowth {
		return nil, nil
	}
	return working(ctx, s, func(ctx context.Context) (profiledRequests, error) {
		return s.selections.profiledRequests(ctx, h.sel, []string{store.LabelVersion})
	})
}

// countWindows adds the requests in the time of their profiles to windows.
func (h *historyQuery) countWindows(ctx context.Context, s *Service, windows []part) error {
	all, err := working(ctx, s, func(ctx context.Context) (requestTotals, error) {
		return s.selections.requestsBy(ctx, h.sel, nil, h.step)
	})
	for i := range windows {
		t := &windows[i]
		if n := t.RequestsDuring(all.of(nil, t.time)); n > 0 {
			t.requests = store.Total{Value: int64(math.Round(n)), Duration: t.Duration}
		}
	}
	return err
}

// alike leaves requests out if a part has none: costs per request don't compare with others.
func alike(parts []part) {
	if slices.ContainsFunc(parts, func(t part) bool { return t.RequestsDuring(t.requests) == 0 }) {
		for i := range parts {
			parts[i].requests = store.Total{}
		}
	}
}

// came returns the versions whose first profile is in the time range.
func (h *historyQuery) came(ctx context.Context, markers *Markers) map[string]bool {
	came := map[string]bool{}
	for _, m := range markers.List(auth.From(ctx), "", h.sel.From, h.sel.To) {
		if !m.Posted {
			came[m.Version] = true
		}
	}
	return came
}

// columns returns the values of a function in some parts.
func columns(parts []part, name string) (flat, cum []int64) {
	flat, cum = make([]int64, len(parts)), make([]int64, len(parts))
	for i, t := range parts {
		v := t.functions[name]
		flat[i], cum[i] = v.flat, v.cum
	}
	return flat, cum
}

// windows returns the windows that have profiles, and the type of their values.
func (h *historyQuery) windows(ctx context.Context, s *Service) ([]part, profile.ValueType, error) {
	q := h.sel.Query()
	q.Step = h.step
	series, err := working(ctx, s, func(ctx context.Context) ([]store.Series, error) { return s.selections.store.Series(ctx, q) })
	if err != nil || len(series) == 0 {
		return nil, profile.ValueType{}, err
	}
	var all []part
	for _, pt := range series[0].Points {
		window := *h.sel
		window.From, window.To = max(h.sel.From, pt.Time), min(h.sel.To, pt.Time+h.step)
		t, err := h.functionTable(ctx, s, &window, pt.Total.Version)
		if err != nil {
			return nil, profile.ValueType{}, err
		}
		all = append(all, part{time: pt.Time, sel: &window, functionTable: t})
	}
	return all, series[0].Type, nil
}

// versions returns the latest versions, oldest first, and the number of earlier ones.
// There are none if the profiles have no version.
func (h *historyQuery) versions(ctx context.Context, s *Service, counted profiledRequests) (all []part, left int, err error) {
	q := h.sel.Query()
	q.Step, q.By = h.step, []string{store.LabelVersion}
	series, err := working(ctx, s, func(ctx context.Context) ([]store.Series, error) { return s.selections.store.Series(ctx, q) })
	if err != nil || len(series) == 1 && series[0].Labels.Get(store.LabelVersion) == "" {
		return nil, 0, err
	}
	slices.SortStableFunc(series, func(a, b store.Series) int { return cmp.Compare(a.Points[0].Time, b.Points[0].Time) })
	left = max(0, len(series)-maxHistoryVersions)
	for _, one := range series[left:] {
		// Only the time in which it was there, so that cached results of a version that is
		// gone stay valid as time passes.
		first, last := one.Points[0], one.Points[len(one.Points)-1]
		sel, err := h.sel.Within(q.By, one.Labels, max(h.sel.From, first.Time), min(h.sel.To, last.Time+h.step))
		if err != nil {
			return nil, 0, err
		}
		var total store.Total
		for _, pt := range one.Points {
			total = add(total, pt.Total)
		}
		t, err := h.functionTable(ctx, s, sel, total.Version)
		if err != nil {
			return nil, 0, err
		}
		of := part{version: one.Labels.Get(store.LabelVersion), time: cmp.Or(t.first, first.Time), sel: sel, functionTable: t}
		if h.perRequest {
			of.requests = counted.of(one.Labels)
		}
		all = append(all, of)
	}
	alike(all)
	for i := range all {
		if len(series) == 1 {
			break // nothing to compare with
		}
		if all[i].instances, err = h.functionsOf(ctx, s, &all[i]); err != nil {
			return nil, 0, err
		}
	}
	slices.SortStableFunc(all, func(a, b part) int { return cmp.Compare(a.time, b.time) })
	return all, left, nil
}
