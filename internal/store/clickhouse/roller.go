package clickhouse

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hone-go/hone/internal/store"
)

const (
	// settle is the time from the end of an hour until it is rolled up. Most of its
	// profiles have arrived by then.
	settle = 10 * time.Minute
	// Every rollEvery, the last rollBack hours are checked. Earlier hours are checked when
	// queries need many of them.
	rollEvery, rollBack = time.Hour, 3
	// rollAgain is the minimum time between two checks for the same query.
	rollAgain = 10 * time.Minute
	// maxAsked limits the queries that wait for their hours to be rolled up.
	maxAsked = 64
)

// A roller rolls up hours in the background.
type roller struct {
	rollUp  func(context.Context, store.Query) (int, error)
	now     func() time.Time
	log     *slog.Logger
	written atomic.Int64 // roll-ups

	mu    sync.Mutex
	asked []store.Query // queries that need hours without roll-ups
	tried map[string]time.Time
	wake  chan struct{} // has room for one
}

func newRoller(cfg *Config, rollUp func(context.Context, store.Query) (int, error)) *roller {
	return &roller{rollUp: rollUp, now: cfg.Now, log: cfg.Log, tried: map[string]time.Time{}, wake: make(chan struct{}, 1)}
}

// settled returns the time before which hours may be rolled up, in ns since 1970.
func (r *roller) settled() int64 { return store.Window(r.now().Add(-settle).UnixNano(), hour) }

// want requests that the hours of q be rolled up. It ignores hours that aren't settled.
func (r *roller) want(q *store.Query) {
	to := r.settled()
	if q.To != 0 {
		to = min(to, q.To)
	}
	of := store.Query{Selector: fleetSelector(q.Selector), From: q.From, To: to}
	if first, end := wholeHours(&of); first >= end {
		return
	}
	// A question whose ends move with the time is the same one for a while.
	name := fmt.Sprint(of.Selector, store.Window(of.From, hour))
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(r.tried, func(_ string, t time.Time) bool { return now.Sub(t) >= rollAgain })
	if _, ok := r.tried[name]; ok || len(r.asked) >= maxAsked {
		return
	}
	r.tried[name] = now
	r.asked = append(r.asked, of)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// next returns a query whose hours are to be rolled up.
func (r *roller) next() (q store.Query, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.asked) == 0 {
		return q, false
	}
	q = r.asked[0]
	r.asked = slices.Delete(r.asked, 0, 1)
	return q, true
}

// run rolls up hours until ctx is done. All nodes do that independently: they skip existing
// roll-ups, and one that is written twice counts once.
func (r *roller) run(ctx context.Context) {
	wait := time.NewTimer(time.Duration(rand.Int64N(int64(rollEvery))))
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
			to := r.settled()
			r.roll(ctx, store.Query{From: to - rollBack*hour, To: to})
			wait.Reset(rollEvery)
		case <-r.wake:
			for q, ok := r.next(); ok && ctx.Err() == nil; q, ok = r.next() {
				r.roll(ctx, q)
			}
		}
	}
}

func (r *roller) roll(ctx context.Context, q store.Query) {
	n, err := r.rollUp(ctx, q)
	r.written.Add(int64(n))
	if err != nil && ctx.Err() == nil {
		r.log.Warn("could not roll up hours; queries over many hours stay slow until that works", "error", err)
	}
}
