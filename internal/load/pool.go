package load

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Backlog is the largest number of requests that may wait for a connection. Further
// ones fail: a service that is so far behind can't be measured.
const Backlog = 1 << 20

// A Pool is the [Sender] of a [Driver]. It opens a connection when a request is due
// and all others are busy, up to a maximum; then requests wait. It prefers the
// connection that became free last, so that no more are open than the service needs.
type Pool struct {
	driver Driver
	max    int

	mu      sync.Mutex
	idle    []*worker
	workers int
	waiting Queue[job]
	peak    int
	closed  bool
	running sync.WaitGroup

	given context.Context      // of the last request, as Send was given it
	ctx   context.Context      // made of it: it ends with Close, too
	end   []context.CancelFunc // of all contexts that were made
}

// NewPool returns a pool of at most max clients.
func NewPool(d Driver, max int) *Pool { return &Pool{driver: d, max: max} }

// Parallel returns the largest number of requests that were under way at once.
func (p *Pool) Parallel() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.peak
}

// A job is a request with what it needs on its way.
type job struct {
	ctx    context.Context
	clock  Clock
	r      Request
	done   func(Request, Outcome)
	waited bool
}

// A worker has a connection, which is opened again when it broke. It is in use by
// whoever took it from idle.
type worker struct {
	jobs     chan job // for its goroutine
	client   Client   // nil: not connected
	starter  Starter  // the client, if it is one
	started  job
	sent     time.Duration
	answered func(Answer, error) // what takes the answer to started
}

var errBacklog = &Failure{ClassBacklog, "more than a million requests were waiting to be sent"}

// Send implements [Sender].
func (p *Pool) Send(ctx context.Context, clock Clock, r Request, done func(Request, Outcome)) {
	p.mu.Lock()
	if p.given != ctx {
		p.given = ctx
		var end context.CancelFunc
		p.ctx, end = context.WithCancel(ctx)
		p.end = append(p.end, end)
	}
	j := job{p.ctx, clock, r, done, false}
	switch n := len(p.idle); {
	case p.closed || ctx.Err() != nil:
		p.mu.Unlock()
		now := clock.Now()
		done(r, Outcome{Sent: now, Done: now, Failure: FailureOf(context.Canceled)})
	case n > 0:
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		p.give(w, j)
	case p.workers < p.max:
		p.workers++
		p.peak = max(p.peak, p.workers)
		p.running.Add(1)
		p.mu.Unlock()
		w := &worker{jobs: make(chan job, 1)}
		w.answered = func(a Answer, err error) { p.answered(w, a, err) }
		w.jobs <- j
		go p.work(w)
	case p.waiting.Len() >= Backlog:
		p.mu.Unlock()
		now := clock.Now()
		done(r, Outcome{Sent: now, Done: now, Waited: true, Failure: errBacklog})
	default:
		j.waited = true
		p.waiting.Push(j)
		p.mu.Unlock()
	}
}

// give has an idle worker serve a request: without its goroutine, if that is possible.
func (p *Pool) give(w *worker, j job) {
	if w.starter != nil {
		w.started, w.sent = j, j.clock.Now()
		if w.starter.Start(j.ctx, j.r.N, w.answered) {
			return
		}
	}
	w.jobs <- j
}

// answered takes the answer to a request that was started.
func (p *Pool) answered(w *worker, a Answer, err error) {
	j := w.started
	w.settle(j, w.sent, a, err)
	if j, more := p.next(w); more {
		p.give(w, j)
	}
}

// work serves the requests that can't be started without waiting.
func (p *Pool) work(w *worker) {
	defer p.running.Done()
	for j := range w.jobs {
		for more := true; more; j, more = p.next(w) {
			w.serve(p.driver, j)
		}
	}
	w.close()
}

func (w *worker) close() {
	if w.client != nil {
		_ = w.client.Close()
	}
}

// serve sends one request and waits for its answer.
func (w *worker) serve(d Driver, j job) {
	sent := j.clock.Now()
	err := j.ctx.Err()
	if err == nil && w.client == nil {
		if w.client, err = d.Connect(j.ctx); err != nil {
			w.client = nil
		}
		w.starter, _ = w.client.(Starter)
	}
	var a Answer
	if err == nil {
		a, err = w.client.Do(j.ctx, j.r.N)
	}
	w.settle(j, sent, a, err)
}

// settle tells what came of a request, and closes the connection if it broke.
func (w *worker) settle(j job, sent time.Duration, a Answer, err error) {
	o := Outcome{Sent: sent, Waited: j.waited, Bytes: a.Bytes, Status: a.Status, Before: a.Before, Failure: FailureOf(err)}
	if err != nil && w.client != nil && !errors.As(err, new(*Failure)) {
		_ = w.client.Close()
		w.client, w.starter = nil, nil
	}
	o.Done = j.clock.Now()
	j.done(j.r, o)
}

// next returns the request that waits longest; if none does, the worker is idle.
func (p *Pool) next(w *worker) (job, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting.Len() > 0 {
		return p.waiting.Pop(), true
	}
	if p.closed {
		close(w.jobs)
	} else {
		p.idle = append(p.idle, w)
	}
	return job{}, false
}

// Close implements [Sender].
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	for _, w := range p.idle {
		close(w.jobs)
	}
	p.idle = nil
	ends := p.end
	p.mu.Unlock()
	for _, end := range ends {
		end()
	}
	p.running.Wait()
	return nil
}

// flight counts requests that are under way, and tells when none is left.
type flight struct {
	n    atomic.Int64
	none chan struct{} // closed when the generator ended and none is under way
}

func newFlight() *flight {
	f := &flight{none: make(chan struct{})}
	f.n.Store(1) // of the generator itself
	return f
}

func (f *flight) begin() { f.n.Add(1) }

func (f *flight) end() {
	if f.n.Add(-1) == 0 {
		close(f.none)
	}
}
