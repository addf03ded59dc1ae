package stored

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/store"
)

// Limits of a heat map: at most 100 rows of 500 columns, of which each cell takes about 20
// bytes in the answer. A single profile takes about 100 bytes of memory.
const (
	usualHeatRows   = 40
	maxHeatRows     = 100
	usualHeatPoints = 120
	maxHeatPoints   = 500
	maxHeatProfiles = 50_000
	maxHeatTime     = 20 * time.Second
)

var heatParams = []string{"q", "from", "to", "sample_type", "per", "by", "values", "limit", "step", "points"}

func (s *Service) heat(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, heatParams)
	if err != nil {
		return err
	}
	sel, err := p.selection(true)
	if err != nil {
		return err
	}
	if sel.Per == api.PerRequest {
		return server.BadParam("per", "a heat map can't be per request: use per=second")
	}
	q, err := p.heatQuery(sel)
	if err != nil {
		return err
	}
	left := int64(0) // profiles without a duration
	h, err := working(r.Context(), s, func(ctx context.Context) (*store.HeatMap, error) {
		limited, cancel := context.WithTimeout(ctx, maxHeatTime)
		defer cancel()
		h, err := store.Heat(limited, s.selections.store, *q)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return nil, &server.Error{Status: http.StatusServiceUnavailable, Err: fmt.Errorf("the heat map takes longer than %s: choose a shorter time", maxHeatTime)}
		}
		if err == nil && q.Lasting {
			left, err = s.selections.withoutDuration(limited, sel)
		}
		return h, err
	})
	if err != nil {
		return err
	}
	if p.Get("step") == "" {
		q.Step = widened(h, q.Step)
	}
	out := heatMap(h, sel, q)
	if left > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d profiles have no duration and are left out of the values per second.", left))
	}
	if h.Earlier > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("Only the latest %d profiles are shown; %d are earlier.", maxHeatProfiles, h.Earlier))
	}
	return server.WriteJSON(w, r, out)
}

// heatQuery reads the parameters of a heat map.
func (p *params) heatQuery(sel *api.Selection) (*store.HeatQuery, error) {
	q := &store.HeatQuery{Query: sel.Query(), Profiles: maxHeatProfiles}
	switch values := p.Get("values"); values {
	case "":
		q.Label = cmp.Or(p.Get("by"), store.LabelInstance)
		if err := store.CheckName(q.Label); err != nil {
			return nil, server.BadParam("by", "by: %w", err)
		}
	case "1":
		if p.Get("by") != "" {
			return nil, server.BadParam("by", "use either by or values")
		}
	default:
		return nil, server.BadParam("values", "invalid values %q: use 1", values)
	}
	var err error
	if q.Rows, err = p.number("limit", usualHeatRows, 1, maxHeatRows); err != nil {
		return nil, err
	}
	q.Step, err = p.step(sel, usualHeatPoints, maxHeatPoints)
	return q, err
}

// widened joins columns of a heat map until most columns of a row have profiles, and returns
// their step. Otherwise, a service that is profiled each minute would show stripes.
func widened(h *store.HeatMap, step int64) int64 {
	interval := h.Interval()
	if interval <= step {
		return step
	}
	for _, s := range steps {
		if n := int64(s); n >= interval && n%step == 0 {
			h.Widen(n)
			return n
		}
	}
	return step
}

// withoutDuration returns how many profiles of a selection have no values per second.
func (s *selections) withoutDuration(ctx context.Context, sel *api.Selection) (int64, error) {
	all, err := s.totalOf(ctx, whole(sel))
	if err != nil {
		return 0, err
	}
	lasting, err := s.totalOf(ctx, sel)
	return all.Profiles - lasting.Profiles, err
}

// heatMap returns a heat map as the API has it.
func heatMap(h *store.HeatMap, sel *api.Selection, q *store.HeatQuery) *api.HeatMap {
	per := perOf(sel.Per, h.Type.Type)
	out := &api.HeatMap{
		From: api.Milliseconds(sel.From), To: api.Milliseconds(sel.To), Step: api.Milliseconds(q.Step),
		Label: q.Label, Type: h.Type.Type, Unit: h.Type.Unit, Left: h.Left, Earlier: h.Earlier,
		Time: make([]int64, len(h.Times)), Rows: make([]api.HeatRow, len(h.Rows)),
		Row: make([]int, len(h.Cells)), Column: make([]int, len(h.Cells)),
		Value: make([]any, len(h.Cells)), Profiles: make([]int64, len(h.Cells)), Warnings: []string{},
	}
	for i, t := range h.Times {
		out.Time[i] = api.Milliseconds(t)
	}
	for i, r := range h.Rows {
		out.Rows[i] = api.HeatRow{Label: r.Label, Low: r.Low, High: r.High, Figures: figures(r.Total, store.Total{}, per)}
	}
	for i, c := range h.Cells {
		out.Row[i], out.Column[i], out.Value[i], out.Profiles[i] = c.Row, c.Column, value(c.Total, store.Total{}, per), c.Total.Profiles
	}
	return out
}
