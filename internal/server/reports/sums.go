package reports

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/profile"
)

// subject returns the profile that a report is made of: the sum of the query's,
// minus the sum of the base.
func (m *Service) subject(ctx context.Context, q *query) (*profile.Profile, error) {
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
	return server.Cached(ctx, m.srv.Cache, key, func(ctx context.Context) (*profile.Profile, int64, error) {
		if scaling.Normalize && scaling.BaseTotal != 0 && q.baseTotal == 0 { // shares are of what filters leave
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
		p, err := report.Subtract(ctx, head, base, true, scaling)
		if err != nil {
			return nil, 0, err
		}
		return p, ProfileBytes(p), nil
	})
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

// sum returns the profiles added up.
func (m *Service) sum(ctx context.Context, ps []Opened) (*profile.Profile, error) {
	if len(ps) == 1 {
		return ps[0].Load(ctx)
	}
	key := "sum"
	for _, p := range ps {
		key += " " + p.key()
	}
	return server.Cached(ctx, m.srv.Cache, key, func(ctx context.Context) (*profile.Profile, int64, error) {
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

// meanwhile is sum beside what the caller does until it calls the result, if a
// processor is free.
func (m *Service) meanwhile(ctx context.Context, ps []Opened) func() (*profile.Profile, error) {
	if len(ps) == 0 || !m.srv.Cache.Spare() {
		return func() (*profile.Profile, error) { return m.sum(ctx, ps) }
	}
	type result struct {
		p   *profile.Profile
		err error
	}
	done := make(chan result, 1)
	go func() {
		p, err := m.sum(ctx, ps)
		m.srv.Cache.Release()
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
