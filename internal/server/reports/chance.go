package reports

import (
	"context"
	"fmt"
	"slices"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/profile"
)

// chance says how much the values of a comparison vary: by the events that were counted,
// and by the instances of both sides if there are several.
func (m *maker) chance(ctx context.Context, q *query) (*report.Chance, error) {
	key := fmt.Sprintf("chance%s ?%s", q.profilesKey(), q.optionsKey())
	return server.Cached(ctx, m.cache, key, func(ctx context.Context) (*report.Chance, int64, error) {
		p, err := q.head[0].Load(ctx)
		if err != nil {
			return nil, 0, err
		}
		index, err := q.sampleIndex(p)
		if err != nil || index < 0 {
			return &report.Chance{}, 0, err
		}
		st := p.SampleTypes[index]
		c := &report.Chance{}
		if c.Event, err = eventOf(ctx, q.head, st); err != nil {
			return nil, 0, err
		}
		if c.BaseEvent, err = eventOf(ctx, q.base, st); err != nil {
			return nil, 0, err
		}
		base, err := m.instances(ctx, q, q.base, st)
		if err != nil {
			return nil, 0, err
		}
		head, err := m.instances(ctx, q, q.head, st)
		if err != nil {
			return nil, 0, err
		}
		c.NewSpreads(base, head)
		return c, c.Bytes(), nil
	})
}

// eventOf returns the value of one event in the sum of profiles, the largest one if they
// differ.
func eventOf(ctx context.Context, ps []Opened, st profile.ValueType) (event float64, err error) {
	for i := range ps {
		p, err := ps[i].Load(ctx)
		if err != nil {
			return 0, err
		}
		event = max(event, report.EventOf(p, st)/max(ps[i].divided(), 1e-9))
	}
	return event, nil
}

// instances returns the functions of the instances of one side, of none if the side isn't
// one selection.
func (m *maker) instances(ctx context.Context, q *query, ps []Opened, st profile.ValueType) (*report.Instances, error) {
	in := &report.Instances{}
	if len(ps) != 1 || ps[0].Instances == nil {
		return in, nil
	}
	named := ps[0].Selection != nil && ps[0].Selection().Per != api.PerSum // a sum isn't what one instance costs
	n, err := ps[0].Instances(ctx, func(name string, p *profile.Profile, weight float64) error {
		selected, err := report.Select(p, q.config.Options, NewWarnings().Env(ctx, m.env, p))
		if err != nil {
			return err
		}
		column := slices.Index(selected.SampleTypes, st)
		if column < 0 {
			return nil
		}
		if q.config.Normalize && q.baseTotal == 0 { // shares; a given scale compares operations
			weight = float64(report.Magnitude(selected, st))
		}
		if err := in.AddProfile(ctx, selected, column, weight, q.config.Options); err != nil {
			return err
		}
		if named {
			in.Name(name)
		}
		return nil
	})
	in.Count = n
	return in, err
}

// sampling says how the values of a query's summary came about.
func (m *maker) sampling(ctx context.Context, q *query) (by report.Sampling, err error) {
	if len(q.base) == 0 {
		if len(q.head) == 1 {
			by.Divided = q.head[0].divided()
		}
		return by, nil
	}
	if by.Chance, err = m.chance(ctx, q); err != nil || !q.config.Normalize {
		by.BaseScale = 1
		return by, err
	}
	head, err := m.sum(ctx, q.head)
	if err != nil {
		return by, err
	}
	base, err := m.sum(ctx, q.base)
	if err != nil {
		return by, err
	}
	index, err := q.sampleIndex(head)
	if err == nil {
		st := head.SampleTypes[index]
		by.BaseScale = float64(report.Magnitude(head, st)) / max(1, float64(report.Magnitude(base, st)))
	}
	return by, err
}
