package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
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
)

// A roller rolls up in the background, one hour after the other.
type roller struct {
	mu    sync.Mutex
	asked []store.Query // by who found hours that are not rolled up
	tried map[string]time.Time
	wake  chan struct{} // has room for one
}

func newRoller() *roller {
	return &roller{tried: map[string]time.Time{}, wake: make(chan struct{}, 1)}
}

// settled returns the end of the hours that are settled.
func (s *Store) settled() int64 { return store.Window(s.cfg.Now().Add(-settle).UnixNano(), hour) }

// want asks that the hours of q be rolled up, if there are such that may be.
func (s *Store) want(q *store.Query) {
	if s.cfg.NoRollUps {
		return
	}
	to := s.settled()
	if q.To != 0 {
		to = min(to, q.To)
	}
	of := store.Query{Selector: fleetSelector(q.Selector), From: q.From, To: to}
	if first, end := wholeHours(&of); first >= end {
		return
	}
	// A question whose ends move with the time is the same one for a while.
	name := fmt.Sprint(of.Selector, store.Window(of.From, hour))
	r := s.roller
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

// maxAsked bounds the questions that wait to have their hours rolled up.
const maxAsked = 64

// rollUp rolls up until ctx is done. Every node does, at times of its own: what is
// there already is not written again, and if it is, it counts once.
func (s *Store) rollUp(ctx context.Context) {
	wait := time.NewTimer(time.Duration(rand.Int64N(int64(rollEvery))))
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
			to := s.settled()
			s.rollUpNow(ctx, store.Query{From: to - rollBack*hour, To: to})
			wait.Reset(rollEvery)
		case <-s.roller.wake:
			for {
				s.roller.mu.Lock()
				var q store.Query
				some := len(s.roller.asked) > 0
				if some {
					q = s.roller.asked[0]
					s.roller.asked = slices.Delete(s.roller.asked, 0, 1)
				}
				s.roller.mu.Unlock()
				if !some || ctx.Err() != nil {
					break
				}
				s.rollUpNow(ctx, q)
			}
		}
	}
}

func (s *Store) rollUpNow(ctx context.Context, q store.Query) {
	n, err := s.RollUp(ctx, q)
	s.counts.rolledUp.Add(int64(n))
	if err != nil && ctx.Err() == nil {
		s.cfg.Log.Warn("hours could not be rolled up; questions over many hours stay slow until it works", "error", err)
	}
}
