package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func testCache(t *testing.T, limit int64, parallel int) *Cache {
	return newCache(t.Context(), Limits{CacheBytes: limit, Parallel: parallel, Queue: 100}, func(line string) { t.Log(line) })
}

func TestCacheComputesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testCache(t, 1<<20, 2)
		var runs atomic.Int32
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				v, err := Cached(t.Context(), c, "k", func(context.Context) (int, int64, error) {
					runs.Add(1)
					time.Sleep(time.Second)
					return 7, 1, nil
				})
				if v != 7 || err != nil {
					t.Error(v, err)
				}
			})
		}
		wg.Wait()
		if runs.Load() != 1 {
			t.Errorf("computed %d times", runs.Load())
		}
	})
}

func TestCacheEviction(t *testing.T) {
	c := testCache(t, 3000, 1)
	get := func(key string, cost int64) (computed bool) {
		Cached(t.Context(), c, key, func(context.Context) (string, int64, error) { computed = true; return key, cost, nil })
		return computed
	}
	get("a", 1000)
	get("b", 1000)
	get("a", 0)
	get("c", 1000) // in place of b, which was not used for longest
	if get("a", 1000) || !get("b", 1000) {
		t.Error("another was dropped than the one not used for longest")
	}
	get("huge", 1<<30)
	if get("huge", 1<<30) {
		t.Error("the newest was dropped")
	}
	if len(c.items) != 1 || c.used.Len() != 1 {
		t.Errorf("%d items are left beside one that is too large", len(c.items))
	}
	get("a", 1000)
	if c.size > 3000 || len(c.items) != 1 {
		t.Errorf("%d items, %d bytes", len(c.items), c.size)
	}
}

func TestCacheErrorsAreNotKept(t *testing.T) {
	c := testCache(t, 3000, 1)
	broken := errors.New("broken")
	for range 2 {
		runs := 0
		_, err := Cached(t.Context(), c, "k", func(context.Context) (int, int64, error) { runs++; return 0, 0, broken })
		if err != broken || runs != 1 || len(c.items) != 0 {
			t.Error(err, runs, c.items)
		}
	}
	_, err := Cached(t.Context(), c, "k", func(context.Context) (int, int64, error) { panic("ouch") })
	var p *panicError
	if !errors.As(err, &p) || len(c.slots) != 0 {
		t.Error(err, len(c.slots))
	}
}

// TestCacheCancellation: one who leaves doesn't take the computation from those
// who stay; when all have left it ends, and whoever comes later gets a new one.
func TestCacheCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testCache(t, 3000, 1)
		ended := 0
		compute := func(ctx context.Context) (int, int64, error) {
			select {
			case <-time.After(time.Minute):
				return 1, 1, nil
			case <-ctx.Done():
				ended++
				return 0, 0, ctx.Err()
			}
		}
		first, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := Cached(first, c, "k", compute); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if v, err := Cached(t.Context(), c, "k", compute); v != 1 || err != nil {
				t.Error(v, err)
			}
		})
		synctest.Wait()
		leave()
		wg.Wait()
		if ended != 0 {
			t.Error("the computation ended with the first who left")
		}
		alone, leave := context.WithCancel(t.Context())
		wg.Go(func() { Cached(alone, c, "l", compute) })
		synctest.Wait()
		leave()
		wg.Wait()
		synctest.Wait()
		if ended != 1 || len(c.slots) != 0 {
			t.Errorf("%d computations ended, %d slots are taken", ended, len(c.slots))
		}
		if v, err := Cached(t.Context(), c, "l", compute); v != 1 || err != nil {
			t.Error(v, err)
		}
	})
}

// TestCacheParallel: there are never more computations than slots, and those
// that others wait for don't need one.
func TestCacheParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testCache(t, 1<<20, 2)
		var now, most atomic.Int32
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				Cached(t.Context(), c, fmt.Sprint("outer", i), func(ctx context.Context) (int, int64, error) {
					n := now.Add(1)
					defer now.Add(-1)
					most.Store(max(most.Load(), n))
					time.Sleep(time.Second)
					v, err := Cached(ctx, c, fmt.Sprint("inner", i%3), func(context.Context) (int, int64, error) {
						time.Sleep(time.Second)
						return 1, 1, nil
					})
					return v, 1, err
				})
			})
		}
		wg.Wait()
		if most.Load() != 2 {
			t.Errorf("%d at a time", most.Load())
		}
	})
}
