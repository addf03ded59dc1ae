package grpcload

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/hone-go/hone/internal/load"
)

// A Sender makes calls that share a few connections. Beyond the number of calls
// that Options or the server allow at a time, requests wait.
type Sender struct {
	driver *Driver
	each   int // calls at a time over a connection
	calls  sync.Pool

	mu      sync.Mutex
	slots   []*slot
	next    int // slot to try first
	waiting load.Queue[job]
	under   sync.WaitGroup // jobs that were sent, and not done
	calling int            // calls that slots have counted
	peak    int            // of them
	conns   map[*conn]struct{}
	closed  bool
	quit    context.Context // ends when it is closed
	ctx     context.Context // the one whose end is watched
	unwatch func() bool
	close   context.CancelFunc
}

// A slot is a place for a connection: the present one, which may be replaced while
// calls of the last one are under way. It takes the calls that it began.
type slot struct {
	sender  *Sender
	conn    *conn // nil: none yet, or it broke
	opening bool
	pending []*call // until it is open
	active  int     // calls, pending ones among them
}

// Sender returns one for Options.Connections and Options.Calls.
func (d *Driver) Sender() *Sender {
	s := &Sender{driver: d, conns: make(map[*conn]struct{})}
	s.each = (d.opts.Calls + d.opts.Connections - 1) / d.opts.Connections
	s.calls.New = func() any { return newCall(nil, d.route) }
	s.quit, s.close = context.WithCancel(context.Background())
	for range d.opts.Connections {
		s.slots = append(s.slots, &slot{sender: s})
	}
	return s
}

// count notes n more calls of a slot. The caller has the lock.
func (s *Sender) count(slot *slot, n int) {
	slot.active += n
	s.calling += n
	s.peak = max(s.peak, s.calling)
}

// Parallel returns how many calls were under way at once at most.
func (s *Sender) Parallel() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

// Send implements load.Sender.
func (s *Sender) Send(ctx context.Context, clock load.Clock, r load.Request, done func(load.Request, load.Outcome)) {
	j := job{ctx: ctx, clock: clock, number: r, done: done}
	s.under.Add(1)
	s.mu.Lock()
	if s.ctx != ctx {
		s.watch(ctx)
	}
	slot := s.free()
	switch {
	case s.closed || ctx.Err() != nil:
		s.mu.Unlock()
		s.refuse(j, context.Canceled)
	case slot != nil:
		s.count(slot, 1)
		s.mu.Unlock()
		s.start(slot, j)
	case s.waiting.Len() >= load.Backlog:
		s.mu.Unlock()
		j.waited = true
		s.refuse(j, errBacklog)
	default:
		j.waited = true
		s.waiting.Push(j)
		s.mu.Unlock()
	}
}

var errBacklog = failure(load.ClassBacklog, "more than a million requests were waiting to be sent")

// watch has the end of ctx end its calls. The caller has the lock.
func (s *Sender) watch(ctx context.Context) {
	if s.unwatch != nil {
		s.unwatch()
	}
	s.ctx, s.unwatch = ctx, context.AfterFunc(ctx, func() {
		s.cancel(func(j *job) bool { return j.ctx.Err() != nil }, false)
	})
}

// cancel ends the jobs that which picks. Those that wait for a connection end with
// the attempt to open it, which has the same context.
func (s *Sender) cancel(which func(*job) bool, last bool) {
	s.mu.Lock()
	over := s.waiting.Remove(which)
	conns := slices.Collect(maps.Keys(s.conns))
	s.mu.Unlock()
	for _, j := range over {
		s.refuse(j, context.Canceled)
	}
	for _, c := range conns {
		c.cancel(which, last)
	}
}

// free returns a slot that takes one more call; nil if none does.
func (s *Sender) free() *slot {
	for range s.slots {
		slot := s.slots[s.next]
		if s.next++; s.next == len(s.slots) {
			s.next = 0
		}
		if s.room(slot) {
			return slot
		}
	}
	return nil
}

func (s *Sender) room(slot *slot) bool {
	return slot.active < s.each && (slot.conn == nil || int64(slot.active) < slot.conn.limit.Load())
}

// start begins a call that a slot has counted, and those that may begin if it
// fails at once.
func (s *Sender) start(slot *slot, j job) {
	for {
		k := s.calls.Get().(*call)
		k.job, k.taker = j, slot
		k.renew()
		err := s.driver.fill(k, j.number.N)
		k.sent = j.clock.Now()
		if err == nil {
			if d := s.driver.opts.Timeout; d > 0 {
				k.deadline = j.clock.Start().Add(k.sent + d)
			}
			err = s.begin(slot, k)
		}
		if err == nil {
			return
		}
		next, ok := s.finish(slot, k, err)
		if !ok {
			return
		}
		j = next
	}
}

// begin sends a call over the slot's connection, or has it wait for one. If it
// returns an error, nothing was sent, nor will be.
func (s *Sender) begin(slot *slot, k *call) error {
	for {
		s.mu.Lock()
		c := slot.conn
		if c == nil {
			slot.pending = append(slot.pending, k)
			if !slot.opening {
				slot.opening = true
				go s.open(slot, k.ctx)
			}
			s.mu.Unlock()
			return nil
		}
		s.mu.Unlock()
		switch err := c.begin(k); {
		case errors.Is(err, errFull):
			s.putBack(slot, k)
			return nil
		case !errors.Is(err, errUnusable):
			return err
		}
		s.mu.Lock()
		if slot.conn == c {
			slot.conn = nil
		}
		s.mu.Unlock()
	}
}

// putBack has a call wait, as the server takes fewer at a time than it said before.
func (s *Sender) putBack(slot *slot, k *call) {
	j := k.job
	j.waited = true
	s.calls.Put(k)
	s.mu.Lock()
	s.count(slot, -1)
	over := s.closed || j.ctx.Err() != nil
	if !over {
		s.waiting.Push(j)
	}
	s.mu.Unlock()
	if over {
		s.refuse(j, context.Canceled)
		return
	}
	s.fillUp() // the calls before it may have ended in between
}

// open opens a slot's connection and begins what waits for it.
func (s *Sender) open(slot *slot, ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.quit, cancel)()
	r, err := s.driver.dialer.dial(ctx)
	s.mu.Lock()
	if err == nil && s.closed {
		_ = r.close()
		err = context.Canceled
	}
	if err == nil {
		r.wake = make(chan struct{}, 1)
		r.ready = s.fillUp
		slot.conn = r.conn
		s.conns[r.conn] = struct{}{}
	}
	pending := slot.pending
	slot.pending, slot.opening = nil, false
	s.mu.Unlock()
	if err != nil {
		for _, k := range pending {
			slot.take(k, err)
		}
		return
	}
	go func() {
		r.run()
		s.mu.Lock()
		delete(s.conns, r.conn)
		if slot.conn == r.conn {
			slot.conn = nil
		}
		s.mu.Unlock()
	}()
	for _, k := range pending {
		if err := s.begin(slot, k); err != nil {
			slot.take(k, err)
		}
	}
}

// take implements taker.
func (p *slot) take(k *call, err error) {
	if next, ok := p.sender.finish(p, k, err); ok {
		p.sender.start(p, next)
	}
}

// finish ends a call that a slot has counted, and returns a job that waited, which
// the slot has counted then.
func (s *Sender) finish(slot *slot, k *call, err error) (next job, ok bool) {
	s.mu.Lock()
	s.count(slot, -1)
	if s.waiting.Len() > 0 && s.room(slot) {
		next, ok = s.waiting.Pop(), true
		s.count(slot, 1)
	}
	s.mu.Unlock()
	err = s.driver.came(k, err)
	j := k.job
	o := load.Outcome{Sent: k.sent, Done: j.clock.Now(), Waited: j.waited, Bytes: k.bytes, Failure: load.FailureOf(err)}
	k.job, k.taker, k.rest = job{}, nil, nil
	s.calls.Put(k)
	j.done(j.number, o)
	s.under.Done()
	return next, ok
}

// refuse ends a job that no call was made for.
func (s *Sender) refuse(j job, err error) {
	now := j.clock.Now()
	j.done(j.number, load.Outcome{Sent: now, Done: now, Waited: j.waited, Failure: load.FailureOf(err)})
	s.under.Done()
}

// fillUp begins what waits, as the server takes more calls at a time.
func (s *Sender) fillUp() {
	for {
		s.mu.Lock()
		slot := (*slot)(nil)
		if s.waiting.Len() > 0 {
			slot = s.free()
		}
		if slot == nil {
			s.mu.Unlock()
			return
		}
		j := s.waiting.Pop()
		s.count(slot, 1)
		s.mu.Unlock()
		s.start(slot, j)
	}
}

// Close implements load.Sender. Calls that are under way end without an answer.
func (s *Sender) Close() error {
	s.mu.Lock()
	s.closed = true
	if s.unwatch != nil {
		s.unwatch()
	}
	s.mu.Unlock()
	s.close()
	s.cancel(func(*job) bool { return true }, true)
	s.under.Wait()
	s.mu.Lock()
	conns := slices.Collect(maps.Keys(s.conns))
	s.mu.Unlock()
	for _, c := range conns {
		c.fail(nil)
	}
	return nil
}
