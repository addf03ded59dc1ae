package reports

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/profile"
)

// subject returns the profile that a report is made from: the sum of the query's
// profiles minus the sum of its base.
func (m *maker) subject(ctx context.Context, q *query) (*profile.Profile, error) {
	head, err := m.sum(ctx, q.head)
	if err != nil || len(q.base) == 0 {
		return head, err
	}
	base, err := m.sum(ctx, q.base)
	if err != nil {
		return nil, err
	}
	scaling := q.scaling()
	key := fmt.Sprintf("difference%s %+v", q.profilesKey(), scaling)
	if scaling.Normalize {
		key += " ?" + q.optionsKey()
	}
	return server.Cached(ctx, m.cache, key, func(ctx context.Context) (*profile.Profile, int64, error) {
		if scaling.Normalize && scaling.BaseTotal != 0 && q.baseTotal == 0 { // shares refer to the filtered profiles
			for _, side := range []struct {
				whole   *profile.Profile
				counted *[]*profile.Profile
			}{{base, &scaling.Base}, {head, &scaling.Head}} {
				p, err := report.Select(side.whole, q.config.Options, report.Env{Context: ctx})
				if err != nil {
					return nil, 0, err
				}
				*side.counted = []*profile.Profile{p}
			}
		}
		if err := takeFor(ctx, head, base); err != nil {
			return nil, 0, err
		}
		bases, heads := profile.AlignLiterals([]*profile.Profile{base}, []*profile.Profile{head})
		p, err := report.Subtract(ctx, heads[0], bases[0], true, scaling)
		if err != nil {
			return nil, 0, err
		}
		return p, ProfileBytes(p), nil
	})
}

// settleMine sets the option for your code only, if a side has code of yours and other code.
func (m *maker) settleMine(ctx context.Context, q *query) error {
	any, err := server.Cached(ctx, m.cache, "foldable"+q.profilesKey(), func(ctx context.Context) (bool, int64, error) {
		for _, side := range [][]Opened{q.head, q.base} {
			all, err := profilesOf(ctx, side[:min(1, len(side))])
			if err != nil {
				return false, 0, err
			}
			if len(all) > 0 && report.Foldable(all[0]) {
				return true, 0, nil
			}
		}
		return false, 0, nil
	})
	if any {
		q.config.Mine = report.MineModule
	}
	return err
}

// scaling says how the sides of a comparison are made comparable. All views scale the
// base. Only formats that have to match those of go tool pprof are scaled as it does.
func (q *query) scaling() report.Scaling {
	s := report.Scaling{Normalize: q.config.Normalize, BaseTotal: q.baseTotal}
	if s.Normalize && !q.formatted().parity {
		s.BaseTotal = cmp.Or(s.BaseTotal, 1)
	}
	return s
}

// sum adds profiles up.
func (m *maker) sum(ctx context.Context, ps []Opened) (*profile.Profile, error) {
	if len(ps) == 1 {
		return ps[0].Load(ctx)
	}
	key := "sum"
	for _, p := range ps {
		key += " " + p.key()
	}
	return server.Cached(ctx, m.cache, key, func(ctx context.Context) (*profile.Profile, int64, error) {
		all, err := profilesOf(ctx, ps)
		if err != nil {
			return nil, 0, err
		}
		if err := takeFor(ctx, all...); err != nil {
			return nil, 0, err
		}
		p, err := profile.Sum(ctx, all...)
		if err != nil {
			return nil, 0, err
		}
		return p, ProfileBytes(p), nil
	})
}

// A side is one side of a comparison.
type side struct {
	whole    *profile.Profile // nil for the base if nothing is compared
	selected *profile.Profile // what the options' filters leave of it
}

// total returns the total that percentages refer to.
func (s *side) total(st profile.ValueType, relative bool) int64 {
	if relative {
		return report.Magnitude(s.selected, st)
	}
	return report.Magnitude(s.whole, st)
}

// sides are the profiles of a query, added up and filtered.
type sides struct {
	head, base side
	scaling    report.Scaling
	index      int // of the query's sample type in head.selected
	warnings   *Warnings
}

// sides adds up and filters the profiles of a query.
func (m *maker) sides(ctx context.Context, q *query) (*sides, error) {
	otherSide := m.meanwhile(ctx, q.base)
	s := &sides{scaling: q.scaling(), warnings: NewWarnings()}
	whole, err := m.sum(ctx, q.head)
	if err != nil {
		return nil, err
	}
	if s.head, err = m.filtered(ctx, q, whole, s.warnings); err != nil {
		return nil, err
	}
	if len(q.base) > 0 {
		if whole, err = otherSide(); err != nil {
			return nil, err
		}
		if s.base, err = m.filtered(ctx, q, whole, s.warnings); err != nil {
			return nil, err
		}
	}
	if s.index, err = q.sampleIndex(s.head.selected); err != nil {
		return nil, err
	}
	if s.index < 0 {
		return nil, errors.New("the profile has no sample types")
	}
	return s, nil
}

// filtered applies the filters of a query to one side.
func (m *maker) filtered(ctx context.Context, q *query, whole *profile.Profile, w *Warnings) (side, error) {
	selected, err := report.Select(whole, q.config.Options, w.Env(ctx, m.env, whole))
	return side{whole, selected}, err
}

// meanwhile starts sum concurrently if a processor is free. Call the result to get the
// sum.
func (m *maker) meanwhile(ctx context.Context, ps []Opened) func() (*profile.Profile, error) {
	if len(ps) == 0 || !m.cache.Spare() {
		return func() (*profile.Profile, error) { return m.sum(ctx, ps) }
	}
	type result struct {
		p   *profile.Profile
		err error
	}
	done := make(chan result, 1)
	go func() {
		p, err := m.sum(ctx, ps)
		m.cache.Release()
		done <- result{p, err}
	}()
	return func() (*profile.Profile, error) {
		r := <-done
		return r.p, r.err
	}
}

func profilesOf(ctx context.Context, ps []Opened) ([]*profile.Profile, error) {
	out := make([]*profile.Profile, len(ps))
	for i := range ps {
		var err error
		if out[i], err = ps[i].Load(ctx); err != nil {
			return nil, err
		}
	}
	return out, nil
}
