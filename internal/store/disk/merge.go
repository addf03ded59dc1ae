package disk

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk/format"
	"github.com/hone-go/hone/profile"
)

// merge returns merged profiles; see [store.Store].
func (s *querier) merge(ctx context.Context, q store.Query) ([]store.Group, error) {
	sel, err := s.selects(ctx, &q, true)
	if err != nil {
		return nil, err
	}
	defer sel.close()
	groups, err := sel.plan(ctx)
	if err != nil {
		return nil, err
	}
	var out []store.Group
	for _, g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := g.profile(ctx, &q)
		if labels := sel.labels[g.Labels]; err != nil && len(labels) > 0 {
			err = fmt.Errorf("profiles of %v: %w", labels, err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, q.NewGroup(sel.labels[g.Labels], g.GroupKey, &g.total, p))
	}
	store.SortGroups(out)
	return out, nil
}

// profile returns the merged profile of a group.
func (g *mergeGroup) profile(ctx context.Context, q *store.Query) (*profile.Profile, error) {
	ps := make([]*profile.Profile, len(g.parts))
	first := func(p *part) int64 {
		t := int64(1<<63 - 1)
		for _, at := range p.schemas {
			t = min(t, at)
		}
		return t
	}
	slices.SortStableFunc(g.parts, func(a, b *part) int { return cmp.Compare(first(a), first(b)) })
	if len(g.parts) == 1 {
		p, err := g.parts[0].profile(ctx, q.Budget)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	// Two in parallel: much of the time is spent waiting for reads.
	errs := make([]error, len(g.parts))
	var wg sync.WaitGroup
	running := make(chan struct{}, 2)
	var budget profile.Budget
	if q.Budget != nil {
		budget = &sharedBudget{Budget: q.Budget}
	}
	for i, p := range g.parts {
		wg.Add(1)
		running <- struct{}{}
		go func() {
			defer func() { <-running; wg.Done() }()
			ps[i], errs[i] = p.profile(ctx, budget)
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	if budget == nil {
		return add(ctx, ps)
	}
	// The sum is no larger than its parts, and tables as large find what they share. What
	// the parts took is that of the sum afterwards.
	more := int64(0)
	for _, p := range ps {
		more += 2 * format.Bytes(p)
	}
	if err := budget.Take(more); err != nil {
		return nil, err
	}
	defer budget.Give(more)
	return add(ctx, ps)
}

// A sharedBudget is a budget that several goroutines can use.
type sharedBudget struct {
	profile.Budget
	mu sync.Mutex
}

func (b *sharedBudget) Take(n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Budget.Take(n)
}

func (b *sharedBudget) Give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Budget.Give(n)
}

// profile returns the merged profile of a part.
func (p *part) profile(ctx context.Context, budget profile.Budget) (*profile.Profile, error) {
	d := &p.v.dict
	if budget != nil { // while it is made
		types := len(d.Schemas[p.measures].Types)
		if p.wanted >= 0 {
			types = 1
		}
		adding := int64(8*types)*int64(d.Sites()) + d.Memory()/8
		if err := budget.Take(adding); err != nil {
			return nil, err
		}
		defer budget.Give(adding)
	}
	a, err := p.sums(ctx)
	if err != nil {
		return nil, damagedIn(p.v.p, err)
	}
	return d.Profile(a, p.schemas, budget)
}
