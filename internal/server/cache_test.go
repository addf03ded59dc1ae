package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hone-go/hone/profile"
)

func testCache(t *testing.T, limit int64, parallel int) *cache {
	return newCache(t.Context(), Limits{CacheBytes: limit, Parallel: parallel, Queue: 100}, func(line string) { t.Log(line) })
}

func TestCacheComputesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testCache(t, 1<<20, 2)
		var runs atomic.Int32
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				v, err := cached(t.Context(), c, "k", func(context.Context) (int, int64, error) {
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
		cached(t.Context(), c, key, func(context.Context) (string, int64, error) { computed = true; return key, cost, nil })
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
		_, err := cached(t.Context(), c, "k", func(context.Context) (int, int64, error) { runs++; return 0, 0, broken })
		if err != broken || runs != 1 || len(c.items) != 0 {
			t.Error(err, runs, c.items)
		}
	}
	_, err := cached(t.Context(), c, "k", func(context.Context) (int, int64, error) { panic("ouch") })
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
			if _, err := cached(first, c, "k", compute); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			if v, err := cached(t.Context(), c, "k", compute); v != 1 || err != nil {
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
		wg.Go(func() { cached(alone, c, "l", compute) })
		synctest.Wait()
		leave()
		wg.Wait()
		synctest.Wait()
		if ended != 1 || len(c.slots) != 0 {
			t.Errorf("%d computations ended, %d slots are taken", ended, len(c.slots))
		}
		if v, err := cached(t.Context(), c, "l", compute); v != 1 || err != nil {
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
				cached(t.Context(), c, fmt.Sprint("outer", i), func(ctx context.Context) (int, int64, error) {
					n := now.Add(1)
					defer now.Add(-1)
					most.Store(max(most.Load(), n))
					time.Sleep(time.Second)
					v, err := cached(ctx, c, fmt.Sprint("inner", i%3), func(context.Context) (int, int64, error) {
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

// TestConcurrentRequests is for the race detector: requests of all kinds at a
// time, over profiles that are loaded by them, with a cache that is too small.
func TestConcurrentRequests(t *testing.T) {
	names := []string{"cpu.generics.pb.gz", "cpu.method-values.pb.gz", "heap.inlining.pb.gz"}
	s := newSite(t, func(c *Config) {
		c.Limits.CacheBytes, c.Limits.Uploads, c.Limits.Parallel = 300_000, 2, 4
		for i := range c.Profiles {
			p := c.Profiles[i].Ready
			c.Profiles[i].Ready, c.Profiles[i].Load = nil, func(context.Context) (*profile.Profile, error) { return p, nil }
		}
	}, names...)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 15 {
				id := s.ids[rnd.IntN(len(s.ids))]
				k := kinds[rnd.IntN(len(kinds))]
				f := k.formats[rnd.IntN(len(k.formats))].name
				if k.name == "graph" && f != "dot" && f != "callgrind" {
					continue // slow
				}
				query := "profile=" + id + "&format=" + f
				if k.needsMatch {
					query += "&match=main"
				}
				if k.needsBase || rnd.IntN(3) == 0 {
					query += "&base=" + id
				}
				if k.name == "flame/search" {
					query += "&query=main"
				}
				if r := s.do("GET", "/api/v1/report/"+k.name+"?"+query, ""); r.StatusCode != 200 && k.name != "disasm" && !k.needsMatch {
					t.Errorf("%s %s: %s", k.name, query, r.Status)
				}
				s.do("GET", "/api/v1/profiles", "")
				s.do("POST", "/api/v1/profiles", raw(t, names[rnd.IntN(len(names))]))
				s.do("GET", "/api/v1/profiles/"+id, "")
			}
		})
	}
	wg.Wait()
}
