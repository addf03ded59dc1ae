package load

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Backlog is how many requests may wait for their turn at most. Beyond it they
// fail: what a service that is this far behind answers tells nothing more.
const Backlog = 1 << 20

// A Pool sends by the clients of a driver, each taking one request at a time. It
// makes a client when a request is due and all others are busy, up to a maximum;
// then requests wait. The client used last is used first, so that no more are in use
// than the service needs.
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
}

// NewPool returns a pool of at most max clients.
func NewPool(d Driver, max int) *Pool { return &Pool{driver: d, max: max} }

// Parallel returns how many requests were under way at once at most.
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

type worker struct{ jobs chan job }

var errBacklog = &Failure{classBacklog, "more than a million requests waited for their turn"}

func (p *Pool) Send(ctx context.Context, clock Clock, r Request, done func(Request, Outcome)) {
	j := job{ctx, clock, r, done, false}
	p.mu.Lock()
	switch n := len(p.idle); {
	case n > 0:
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		w.jobs <- j
	case p.workers < p.max && !p.closed:
		p.workers++
		p.peak = max(p.peak, p.workers)
		p.running.Add(1)
		p.mu.Unlock()
		w := &worker{make(chan job, 1)}
		w.jobs <- j
		go p.work(w)
	case p.waiting.Len() >= Backlog || p.closed:
		p.mu.Unlock()
		now := clock.Now()
		done(r, Outcome{Sent: now, Done: now, Waited: true, Failure: errBacklog})
	default:
		j.waited = true
		p.waiting.Push(j)
		p.mu.Unlock()
	}
}

// work serves requests over one connection, which it opens again when it broke.
func (p *Pool) work(w *worker) {
	defer p.running.Done()
	var client Client
	defer func() {
		if client != nil {
			_ = client.Close()
		}
	}()
	for {
		j, ok := <-w.jobs
		for more := ok; more; j, more = p.next(w) {
			client = serve(p.driver, client, j)
		}
		if !ok {
			return
		}
	}
}

// serve sends one request and returns the connection, nil if it broke.
func serve(d Driver, client Client, j job) Client {
	o := Outcome{Sent: j.clock.Now(), Waited: j.waited}
	err := j.ctx.Err()
	if err == nil && client == nil {
		client, err = d.Connect(j.ctx)
		if err != nil {
			client = nil
		}
	}
	if err == nil {
		var a Answer
		a, err = client.Do(j.ctx, j.r.N)
		o.Bytes, o.Status, o.Before = a.Bytes, a.Status, a.Before
		if err != nil && !errors.As(err, new(*Failure)) {
			_ = client.Close()
			client = nil
		}
	}
	o.Failure = FailureOf(err)
	o.Done = j.clock.Now()
	j.done(j.r, o)
	return client
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

// Close waits for the requests under way and closes the connections.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	for _, w := range p.idle {
		close(w.jobs)
	}
	p.idle = nil
	p.mu.Unlock()
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
