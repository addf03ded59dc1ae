package stored

import (
	"cmp"
	"context"
	"slices"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/store"
)

// parts are the parts of a selection by the labels of its profiles. It implements
// reports.Parts.
type parts struct {
	*selections
	sel *api.Selection
}

// preferred are the labels that are asked for most, in this order before all others.
var preferred = []string{store.LabelVersion, store.LabelInstance, store.LabelService}

func (p parts) Labels(ctx context.Context) ([]report.GridLabel, error) {
	all, err := p.store.Labels(ctx, p.sel.Query())
	if err != nil {
		return nil, p.storeError(err, "profile")
	}
	labels := []report.GridLabel{}
	for _, l := range all {
		if l.Name != store.LabelKind && len(l.Values) > 1 {
			labels = append(labels, report.GridLabel{Key: l.Name, Values: len(l.Values)})
		}
	}
	rank := func(l report.GridLabel) int {
		if i := slices.Index(preferred, l.Key); i >= 0 {
			return i
		}
		return len(preferred)
	}
	slices.SortStableFunc(labels, func(a, b report.GridLabel) int { return cmp.Compare(rank(a), rank(b)) })
	return labels, nil
}

// By takes the costs from the store's totals. It reads no profile.
func (p parts) By(ctx context.Context, label, sampleType string) ([]reports.Part, error) {
	q := p.sel.Query()
	q.By, q.Step, q.SampleType = []string{label}, wholeStep, cmp.Or(sampleType, q.SampleType)
	series, err := p.store.Series(ctx, q)
	if err != nil {
		return nil, p.storeError(err, "profile")
	}
	var counted profiledRequests
	if p.sel.Per == api.PerRequest {
		if counted, err = p.profiledRequests(ctx, p.sel, q.By); err != nil {
			return nil, err
		}
	}
	var all []reports.Part
	for i := range series {
		one := &series[i]
		part, err := p.sel.Within(q.By, one.Labels, p.sel.From, p.sel.To)
		if err != nil {
			return nil, err
		}
		var total store.Total
		for _, pt := range one.Points {
			total = add(total, pt.Total)
		}
		cost := float64(total.Value) / max(divisor(perOf(p.sel.Per, one.Type.Type), total, counted.of(one.Labels)), 1e-9)
		all = append(all, reports.Part{
			Value: one.Labels.Get(label), ID: part.String(), Profiles: total.Profiles, Cost: cost,
			Opened: func(ctx context.Context) (reports.Opened, error) { return p.open(ctx, part) },
		})
	}
	slices.SortStableFunc(all, func(a, b reports.Part) int { return cmp.Compare(b.Cost, a.Cost) })
	return all, nil
}

var _ reports.Parts = parts{}
