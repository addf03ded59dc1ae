package server

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/profile"
)

// A Cache computes values once, and keeps the most recently used ones up to a number of
// bytes. Requests for a value that is being computed wait for it together.
type Cache struct {
	ctx   context.Context // ends all computations
	limit int64
	slots chan struct{} // one per computation under way
	queue int           // computations that may wait for a slot
	log   func(string)

	memory *ingest.Memory // of computations; nil is unlimited
	most   int64          // the limit for one computation

	waiting, refused atomic.Int64

	mu    sync.Mutex
	size  int64
	items map[string]*item
	used  list.List // of computed *items, the most recently used first
}

// An item is a value that is kept or being computed.
type item struct {
	key     string
	cancel  context.CancelFunc
	waiters int           // guarded by cache.mu, like what follows
	element *list.Element // in cache.used, nil while computing
	cost    int64

	done  chan struct{} // closed when value or err is set
	value any
	err   error
}

func newCache(ctx context.Context, limits Limits, log func(string)) *Cache {
	return &Cache{
		ctx: ctx, limit: limits.CacheBytes, slots: make(chan struct{}, max(1, limits.Parallel)), queue: max(1, limits.Queue),
		log: log, items: map[string]*item{},
	}
}

// Slot waits for a slot, and returns a function to give it back. A computation that
// another one waits for uses the other one's slot: otherwise both could wait forever.
func (c *Cache) Slot(ctx context.Context) (context.Context, func(), error) {
	if ctx.Value(slotKey{}) != nil {
		return ctx, func() {}, nil
	}
	select {
	case c.slots <- struct{}{}:
	default:
		if c.waiting.Add(1) > int64(c.queue) {
			c.waiting.Add(-1)
			c.refused.Add(1)
			return ctx, nil, errBusy
		}
		defer c.waiting.Add(-1)
		select {
		case c.slots <- struct{}{}:
		case <-ctx.Done():
			return ctx, nil, ctx.Err()
		}
	}
	return context.WithValue(ctx, slotKey{}, true), c.Release, nil
}

// Bytes returns about how much memory the kept values take.
func (c *Cache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

// Spare takes a slot if one is free, for part of a computation that has one.
func (c *Cache) Spare() bool {
	select {
	case c.slots <- struct{}{}:
		return true
	default:
		return false
	}
}

// Release gives a slot back.
func (c *Cache) Release() { <-c.slots }

// Cached returns the value with a key, and computes it if needed. compute also returns
// about how many bytes the value takes. Its context is canceled when no request waits
// for the value any more; compute must pass it on when it asks for other values. Errors
// are not kept.
//
// A principal who may see only some services shares values only with principals who may
// see the same ones.
func Cached[V any](ctx context.Context, c *Cache, key string, compute func(context.Context) (V, int64, error)) (V, error) {
	var none V
	p := auth.From(ctx)
	if p != nil && p.Scope() != "" {
		key = p.Scope() + "\x00" + key
	}
	// The computation outlives the request that started it, but has its slot.
	work := auth.With(context.WithValue(c.ctx, slotKey{}, ctx.Value(slotKey{})), p)
	it := c.join(work, key, func(ctx context.Context) (any, int64, error) { return compute(ctx) })
	select {
	case <-it.done:
	case <-ctx.Done():
		c.leave(it)
		return none, context.Cause(ctx)
	}
	c.leave(it)
	if it.err != nil {
		return none, it.err
	}
	return it.value.(V), nil
}

// join returns the item of a key, and starts to compute it, with the context work, if
// there is none.
func (c *Cache) join(work context.Context, key string, compute func(context.Context) (any, int64, error)) *item {
	c.mu.Lock()
	defer c.mu.Unlock()
	it := c.items[key]
	if it == nil {
		it = &item{key: key, done: make(chan struct{})}
		c.items[key] = it
		work, cancel := context.WithCancel(work)
		it.cancel = cancel
		go c.run(work, it, compute)
	} else if it.element != nil {
		c.used.MoveToFront(it.element)
	}
	it.waiters++
	return it
}

// leave ends one wait for an item. If no one else waits, its computation ends.
func (c *Cache) leave(it *item) {
	c.mu.Lock()
	defer c.mu.Unlock()
	it.waiters--
	if it.waiters == 0 && it.element == nil {
		c.forget(it)
		it.cancel()
	}
}

// forget removes an item from the cache. The next request computes it again.
func (c *Cache) forget(it *item) {
	if c.items[it.key] == it {
		delete(c.items, it.key)
	}
}

// slotKey marks the contexts of computations that have a slot.
type slotKey struct{}

// run computes an item.
func (c *Cache) run(ctx context.Context, it *item, compute func(context.Context) (any, int64, error)) {
	defer it.cancel()
	defer close(it.done)
	ctx, free, err := c.Slot(ctx)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		it.err = err
		c.forget(it)
		return
	}
	defer free()
	if c.memory != nil {
		share := c.memory.Share(ctx, c.most)
		defer share.Close()
		ctx = ingest.WithShare(ctx, share)
	}
	value, cost, err := c.Guarded(ctx, compute)
	c.mu.Lock()
	defer c.mu.Unlock()
	it.value, it.err = value, err
	if err != nil {
		c.forget(it)
		return
	}
	if c.items[it.key] != it {
		return // no request waits for it any more
	}
	it.cost = cost + int64(len(it.key)) + 200
	it.element = c.used.PushFront(it)
	c.size += it.cost
	// The newest value stays, however large: the next request is likely to need it.
	for c.size > c.limit && c.used.Len() > 1 {
		last := c.used.Back()
		old := c.used.Remove(last).(*item)
		c.size -= old.cost
		c.forget(old)
	}
}

// Budget returns the memory budget of the computation with a context, nil if it is
// unlimited.
func Budget(ctx context.Context) profile.Budget { return ingest.BudgetOf(ctx) }

// IsRefused reports whether a computation failed because it needs too much memory. The
// error can be sent to clients as it is.
func IsRefused(err error) bool {
	var refused *ingest.Error
	return errors.As(err, &refused)
}

// Guarded calls compute, and turns a panic into an error.
func (c *Cache) Guarded(ctx context.Context, compute func(context.Context) (any, int64, error)) (value any, cost int64, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = Panicked(v, c.log)
		}
	}()
	return compute(ctx)
}

// queries counts computations.
func (c *Cache) queries() api.Queries {
	return api.Queries{
		Running: int64(len(c.slots)), Limit: int64(cap(c.slots)),
		Waiting: c.waiting.Load(), Refused: c.refused.Load(),
	}
}
