package stored

import (
	"cmp"
	"context"
	"encoding/hex"
	"net/http"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Limits of exemplars: each takes a merge of one profile, and a profile that is looked at
// about 100 bytes of memory.
const (
	usualExemplars       = 30
	maxExemplars         = 200
	maxExemplarsProfiles = 50_000 // the latest
)

var exemplarParams = []string{"q", "from", "to", "sample_type", "step", "points"}

// exemplars answers the most expensive profile of each window, and its most expensive span.
func (s *Service) exemplars(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, exemplarParams)
	if err != nil {
		return err
	}
	sel, err := p.selection(true)
	if err != nil {
		return err
	}
	step, err := p.step(sel, usualExemplars, maxExemplars)
	if err != nil {
		return err
	}
	q := sel.Query()
	q.By, q.Limit = []string{store.LabelService, store.LabelVersion, store.LabelZone, store.LabelInstance}, maxExemplarsProfiles
	all, err := working(r.Context(), s, func(ctx context.Context) ([]store.Series, error) { return s.selections.store.Series(ctx, q) })
	if err != nil {
		return err
	}
	out := &api.Exemplars{From: api.Milliseconds(sel.From), To: api.Milliseconds(sel.To), Step: api.Milliseconds(step), Exemplars: []api.Exemplar{}}
	for _, most := range costliest(all, step) {
		one, err := s.exemplar(r.Context(), sel, &most)
		if err != nil {
			return err
		}
		out.Exemplars = append(out.Exemplars, *one)
	}
	return server.WriteJSON(w, r, out)
}

// A singleProfile is a point of a series that is one profile.
type singleProfile struct {
	store.Point
	of *store.Series
}

// weight is what profiles are compared by.
func (p *singleProfile) weight() float64 {
	if p.Duration == 0 {
		return float64(p.Value)
	}
	return float64(p.Value) / time.Duration(p.Duration).Seconds()
}

// costliest returns the profile with the most weight in each window, by time.
func costliest(all []store.Series, step int64) []singleProfile {
	most := map[int64]singleProfile{}
	for i := range all {
		for _, pt := range all[i].Points {
			one := singleProfile{pt, &all[i]}
			at := store.Window(pt.Time, step)
			if known, ok := most[at]; !ok || one.weight() > known.weight() {
				most[at] = one
			}
		}
	}
	out := make([]singleProfile, 0, len(most))
	for _, one := range most {
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b singleProfile) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), slices.Compare(a.ID[:], b.ID[:]))
	})
	return out
}

// exemplar describes a profile of a selection, and its most expensive span.
func (s *Service) exemplar(ctx context.Context, sel *api.Selection, p *singleProfile) (*api.Exemplar, error) {
	one := *sel
	one.ID, one.From, one.To = p.ID, 0, 0
	out := &api.Exemplar{
		Time: api.Milliseconds(p.Time), Duration: p.Duration, Value: p.Value, Type: p.of.Type.Type, Unit: p.of.Type.Unit,
		Labels: labelMap(p.of.Labels), Profile: one.String(),
	}
	// A profile never changes, so its spans are kept under its ID.
	span, err := server.Cached(ctx, s.srv.Cache, "costliest span "+hex.EncodeToString(p.ID[:])+" "+sel.SampleType, func(ctx context.Context) (*api.ExemplarSpan, int64, error) {
		q := one.Query()
		q.From, q.To, q.Budget = p.Time, p.Time+1, server.Budget(ctx)
		groups, err := s.selections.store.Merge(ctx, q)
		if err != nil {
			return nil, 0, s.selections.storeError(err, "q")
		}
		if len(groups) == 0 {
			return nil, 0, nil // it has expired meanwhile
		}
		column, err := groups[0].Profile.SampleIndex(sel.SampleType)
		if err != nil || column < 0 {
			return nil, 0, err
		}
		return costliestSpan(groups[0].Profile, column), 256, nil
	})
	if err != nil || span == nil {
		return out, err
	}
	of := *span
	one.SpanID = of.ID
	of.Profile = one.String()
	out.Span = &of
	return out, nil
}

// costliestSpan returns the span with the largest value in a column; nil if there is none.
func costliestSpan(p *profile.Profile, column int) *api.ExemplarSpan {
	bySet := map[uint32]*api.ExemplarSpan{} // nil: in no span
	byID := map[string]*api.ExemplarSpan{}
	for sample, set := range p.SampleLabels {
		span, known := bySet[set]
		if !known {
			span = spanOf(p, p.SampleLabelSet(sample))
			if span != nil && byID[span.ID] != nil {
				span = byID[span.ID]
			} else if span != nil {
				byID[span.ID] = span
			}
			bySet[set] = span
		}
		if span != nil {
			span.Value += p.Values[column][sample]
		}
	}
	var most *api.ExemplarSpan
	for _, span := range byID {
		if most == nil || span.Value > most.Value || span.Value == most.Value && span.ID < most.ID {
			most = span
		}
	}
	return most
}

// spanOf returns the span that labels name; nil for none. Its ID is one that a selection takes.
func spanOf(p *profile.Profile, ls []profile.Label) *api.ExemplarSpan {
	id := spanIDOf(p, ls)
	if b, err := hex.DecodeString(id); err != nil || len(b) != 8 {
		return nil
	}
	span := &api.ExemplarSpan{ID: id}
	for _, l := range ls {
		if l.Numeric {
			continue
		}
		switch p.Strings[l.Key] {
		case labelSpanName:
			span.Name = p.Strings[l.Str]
		case labelTrace:
			span.Trace = p.Strings[l.Str]
		}
	}
	return span
}
