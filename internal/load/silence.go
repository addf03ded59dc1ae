package load

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A Silence is a time in which requests were due and no answer came: neither a
// success nor an error that the service itself gave.
type Silence struct {
	Start time.Duration `json:"start"` // from when the run began to count, as in Window
	End   time.Duration `json:"end"`
	Due   int64         `json:"due"` // requests that were due meanwhile
}

func (s Silence) String() string {
	return fmt.Sprintf("no answer for %v, from %v on, while %d requests were due",
		round(s.End-s.Start), round(s.Start), s.Due)
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }

// A silence has at least minSilent requests that were due, and lasts for a fifth of
// the period, within these limits. Shorter ones are in the response times alone: a
// service that collects garbage for half a second is slow, one that answers nobody
// for seconds has stopped.
const (
	minSilent       = 10
	shortestSilence = time.Second
	longestSilence  = 2 * time.Second
)

// A listener notes when answers come, and the gaps between them.
type listener struct {
	last  atomic.Int64 // the latest answer, a time.Duration
	ended atomic.Int64 // the latest end of any request

	mu   sync.Mutex
	gaps []gap // of shortestSilence at least, in no order
}

type gap struct{ from, to time.Duration }

// newListener returns one that listens from a time on.
func newListener(from time.Duration) *listener {
	l := &listener{}
	l.last.Store(int64(from))
	return l
}

// heard notes the end of a request.
func (l *listener) heard(o Outcome) {
	if o.Failure != nil && o.Failure.silent() {
		advance(&l.ended, o.Done)
		return
	}
	if last, ok := advance(&l.last, o.Done); ok && o.Done-last >= shortestSilence {
		l.mu.Lock()
		l.gaps = append(l.gaps, gap{last, o.Done})
		l.mu.Unlock()
	}
}

// advance moves a time forward, and returns what it was before.
func advance(to *atomic.Int64, t time.Duration) (was time.Duration, moved bool) {
	for {
		was := to.Load()
		if int64(t) <= was {
			return 0, false
		}
		if to.CompareAndSwap(was, int64(t)) {
			return time.Duration(was), true
		}
	}
}

// end returns when the last request ended.
func (l *listener) end() time.Duration { return time.Duration(max(l.last.Load(), l.ended.Load())) }

// silences returns the gaps within a period that are long. Due says how many
// requests were due within a time; first is the shortest response time, before which
// no first answer can be there. The usual one won't do: it is long where a service
// stood still for most of the period.
func (l *listener) silences(p *period, due func(from, to time.Duration) float64, first time.Duration) (all []Silence) {
	end := p.end()
	long := min(max((end-p.from)/5, shortestSilence), longestSilence)
	l.mu.Lock()
	gaps := append(l.gaps, gap{time.Duration(l.last.Load()), end})
	l.mu.Unlock()
	for _, g := range gaps {
		g.to = min(g.to, end)
		least := long
		if g.from == p.from {
			least += first
		}
		if n := due(g.from, g.to); g.to-g.from >= least && n >= minSilent {
			all = append(all, Silence{g.from - p.from, g.to - p.from, int64(n)})
		}
	}
	return all
}
