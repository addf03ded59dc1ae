package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/hone-go/hone/internal/store"
)

// errUnasked is the error of calls that nobody is known to have asked for: a
// request that found a way around the check of who asks finds nothing.
var errUnasked = errors.New("internal error: an unauthenticated request reached the store")

// ErrService is the error of profiles of services that who sends them may not
// write.
var ErrService = errors.New("the token may not write this service")

// Scoped returns s as each principal sees it: every query is restricted to the
// services of the principal that the context is of, and without one it fails.
// Whoever reads for requests reads through it.
func Scoped(s store.Store) store.Store { return scoped{s} }

type scoped struct{ store.Store }

// restrict adds the condition on services to a query.
func restrict(ctx context.Context, q store.Query) (store.Query, error) {
	p := From(ctx)
	if p == nil {
		return q, errUnasked
	}
	if p.Services == nil {
		return q, nil
	}
	m, err := p.matcher()
	if err != nil {
		return q, err
	}
	q.Selector = append(q.Selector[:len(q.Selector):len(q.Selector)], m)
	return q, nil
}

func (s scoped) Put(ctx context.Context, records []store.Record) error {
	p := From(ctx)
	if p == nil {
		return errUnasked
	}
	for i := range records {
		if service := records[i].Labels.Get(store.LabelService); !p.Allows(service) {
			return fmt.Errorf("%w: %q", ErrService, service)
		}
	}
	return s.Store.Put(ctx, records)
}

func (s scoped) Merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	q, err := restrict(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.Store.Merge(ctx, q)
}

func (s scoped) Series(ctx context.Context, q store.Query) ([]store.Series, error) {
	q, err := restrict(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.Store.Series(ctx, q)
}

func (s scoped) Labels(ctx context.Context, q store.Query) ([]store.LabelValues, error) {
	q, err := restrict(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.Store.Labels(ctx, q)
}
