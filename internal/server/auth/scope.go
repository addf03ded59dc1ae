package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/hone-go/hone/internal/store"
)

// errUnasked is the error of calls without a principal. A request that bypassed
// authentication gets no data.
var errUnasked = errors.New("internal error: an unauthenticated request reached the store")

// ErrService is the error of sending profiles of a service without permission.
var ErrService = errors.New("the token may not write this service")

// Scoped returns a view of s that restricts every query to the services of the
// context's principal. Without a principal, queries fail. All reads for requests go
// through it.
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
