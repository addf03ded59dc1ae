package kafkaload

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/hone-go/hone/internal/load"
)

// Flood sends n messages as fast as the brokers accept them, with at most Options.Buffer
// of them under way. It is a closed loop, which measures the highest throughput. It ends
// early after limit, unless that is 0, or if no message is acknowledged within
// Options.Timeout.
func (s *Sender) Flood(ctx context.Context, n int64, limit time.Duration, opts load.Options) (*load.Result, error) {
	stopped, stop := context.WithCancel(ctx)
	defer stop()
	if window := opts.Window; window != nil {
		opts.Window = func(w load.Window) string {
			why := window(w)
			if why != "" {
				stop()
			}
			return why
		}
	}
	s.flood = true
	defer func() { s.flood = false }()
	p := &pump{sender: s, ctx: stopped, n: n, acked: s.acked.Load(), at: time.Now()}
	if limit > 0 {
		p.end = p.at.Add(limit)
	}
	res, err := load.Run(ctx, p, s, opts)
	if err == nil {
		res.Stopped = cmp.Or(res.Stopped, p.why)
	}
	return res, err
}

// A pump is a pacer whose messages are due when there is room for them: Next waits
// for it, and Send notes when that was.
type pump struct {
	sender *Sender
	ctx    context.Context
	n      int64     // messages left
	end    time.Time // zero: none
	acked  int64     // messages that were acknowledged at the last look,
	at     time.Time // and when their number last changed
	why    string    // it ended early
}

func (p *pump) Next() (time.Duration, bool) {
	// Whether it is over is asked now and then, as that takes longer than the rest.
	if p.n--; p.n < 0 || p.n&63 == 0 && p.over() {
		return 0, false
	}
	return 0, p.waitForRoom()
}

// over reports whether the flood ends before all messages are sent.
func (p *pump) over() bool {
	now := time.Now()
	if acked := p.sender.acked.Load(); acked != p.acked {
		p.acked, p.at = acked, now
	}
	if patience := p.sender.opts.Timeout; now.Sub(p.at) > patience {
		p.why = fmt.Sprintf("no message was acknowledged for %v", patience)
		return true
	}
	return !p.end.IsZero() && now.After(p.end)
}

func (p *pump) waitForRoom() bool {
	s := p.sender
	if !s.over(1, 1) {
		return true
	}
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		s.waiting.Store(true)
		if !s.over(refill, 4) && s.waiting.CompareAndSwap(true, false) {
			return true
		}
		select {
		case <-s.room:
		case <-tick.C:
		case <-p.ctx.Done():
			return false
		}
		if p.over() {
			return false
		}
	}
}

func (*pump) Rate(time.Duration) float64 { return 0 }

func (*pump) Due(time.Duration) float64 { return 0 }

func (*pump) End() time.Duration { return 0 }
