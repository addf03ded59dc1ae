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
	// settle is how long after its end an hour is rolled up: most of its profiles have
	// come by then.
	settle = 10 * time.Minute
	// rollEvery is how often the hours before are looked at, rollBack how many of them.
	// Others are when somebody asks for more than a few of them.
	rollEvery, rollBack = time.Hour, 3
	// rollAgain is how long hours that were asked for are not looked at again.
	rollAgain = 10 * time.Minute
	// maxAsked bounds the questions that wait to have their hours rolled up.
	maxAsked = 64
)

// A roller rolls up in the background, one hour after the other.
type roller struct {
	rollUp  func(context.Context, store.Query) (int, error)
	now     func() time.Time
	log     *slog.Logger
	written atomic.Int64 // roll-ups

	mu    sync.Mutex
	asked []store.Query // by who found hours that are not rolled up
	tried map[string]time.Time
	wake  chan struct{} // has room for one
}

func newRoller(cfg *Config, rollUp func(context.Context, store.Query) (int, error)) *roller {
	return &roller{rollUp: rollUp, now: cfg.Now, log: cfg.Log, tried: map[string]time.Time{}, wake: make(chan struct{}, 1)}
}

// settled returns the end of the hours that are settled.
func (r *roller) settled() int64 { return store.Window(r.now().Add(-settle).UnixNano(), hour) }

// want asks that the hours of q be rolled up, if there are such that may be.
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

// next returns a question that waits to have its hours rolled up.
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

// run rolls up until ctx is done. Every node does, at times of its own: what is
// there already is not written again, and if it is, it counts once.
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
		r.log.Warn("hours could not be rolled up; questions over many hours stay slow until it works", "error", err)
	}
}
