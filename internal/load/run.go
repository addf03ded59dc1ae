package load

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Options of a run. A zero value means the default, in parentheses.
type Options struct {
	Warmup  time.Duration // requests that are due before this are sent but don't count (none)
	Grace   time.Duration // how long to wait for answers after the last request was due (30s)
	Late    time.Duration // a request that is sent this long after it was due is late (5ms)
	MaxLate float64       // the run is void if a larger share of requests is late (0.01)

	// Window is called about once a second with what ended since the last call; it may
	// be nil. If it returns a reason, the run stops: see Result.Stopped.
	Window func(Window) (stop string)
}

func (o Options) withDefaults() Options {
	if o.Grace == 0 {
		o.Grace = 30 * time.Second
	}
	if o.Late == 0 {
		o.Late = 5 * time.Millisecond
	}
	if o.MaxLate == 0 {
		o.MaxLate = .01
	}
	return o
}

// afterInterrupt is how long an interrupted run waits for answers.
const afterInterrupt = time.Second

// Run sends requests at the times of the pacer. It is an open loop: no request waits
// for the answer to another. Run returns after the last of these times, when all
// requests have ended or the grace period is over. When ctx ends, it stops and returns
// the result so far. The caller closes the Sender.
func Run(ctx context.Context, p Pacer, s Sender, opts Options) (*Result, error) {
	opts = opts.withDefaults()
	sleep, err := newSleeper()
	if err != nil {
		return nil, err
	}
	defer sleep.close()
	r := beginRun(ctx, p, opts)
	defer r.end()
	if r.send(p, s, sleep) {
		r.wait(sleep, p.End()-r.clock.Now()) // a period lasts its whole time, however few its requests
	}
	if r.sending.Err() != nil {
		r.period.cut(r.clock.Now())
	}
	r.flight.end()
	r.await(opts.Grace)
	r.giveUp()
	<-r.flight.none
	r.end()
	if p.End() == 0 {
		r.period.cut(r.listener.end())
	}
	res := r.finish(ctx, p)
	res.Stopped = cmp.Or(res.Stopped, r.behind)
	res.judge(opts.Late, opts.MaxLate)
	return res, nil
}

// await waits until nothing is under way, at most for a grace, and not much longer
// than sending lasts.
func (r *run) await(grace time.Duration) {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	interrupted := r.sending.Done()
	for {
		select {
		case <-r.flight.none:
			return
		case <-timer.C:
			return
		case <-interrupted:
			interrupted = nil
			timer.Reset(min(grace, afterInterrupt))
		}
	}
}

// A run is what the goroutines of Run, or RunUsers, share.
type run struct {
	opts     Options
	clock    Clock
	period   *period
	recorder *recorder
	listener *listener
	flight   *flight
	windows  []Window
	due      atomic.Int64 // requests that were due and count
	stopped  string
	behind   string // why not all that was due was sent; of the sending goroutine

	// Requests are sent in the one context. They outlive the interrupt that ends it,
	// and are under way in the other.
	sending, waiting context.Context
	stop, giveUp     context.CancelFunc

	end func() // no more windows; it may be called again
}

// beginRun starts the clock of a run, and has its windows collected. The pacer, which
// knows how many requests a window ought to have, is nil in a closed loop.
func beginRun(ctx context.Context, p Pacer, opts Options) *run {
	end := time.Duration(math.MaxInt64)
	if p != nil && p.End() > 0 {
		end = p.End()
	}
	period := newPeriod(opts.Warmup, end)
	// No request is to wait for these: megabytes, and a runtime that stops to be changed.
	recorder := newRecorder(period, opts.Late)
	release := keepAwake()
	r := &run{opts: opts, clock: NewClock(), period: period, recorder: recorder, listener: newListener(period.from), flight: newFlight()}
	r.sending, r.stop = context.WithCancel(ctx)
	r.waiting, r.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		r.watch(p, ended)
	}()
	r.end = sync.OnceFunc(func() {
		close(ended)
		<-watched
		r.stop()
		r.giveUp()
		release()
	})
	return r
}

// quantum is the least time that is slept. Requests due within it are sent
// together, none before its time: at high rates that saves more than it delays.
const quantum = 50 * time.Microsecond

// send sends until there is nothing more to send: then it returns true. Or sending
// ends before.
func (r *run) send(p Pacer, s Sender, sleep *sleeper) bool {
	now := r.clock.Now()
	latest := time.Duration(math.MaxInt64)
	if end := p.End(); end > 0 {
		latest = end + r.opts.Grace
	}
	done := r.done // a value once, not for each request
	for n := int64(0); ; n++ {
		due, ok := p.Next()
		if !ok {
			return true
		}
		if due > now {
			now = r.clock.Now()
		}
		for due > now {
			if !r.wait(sleep, max(due-now, quantum)) {
				return false
			}
			now = r.clock.Now()
		}
		if n&63 == 0 && (r.sending.Err() != nil || r.late(latest)) {
			return false
		}
		if due >= r.opts.Warmup {
			r.due.Add(1)
		}
		r.flight.begin()
		s.Send(r.waiting, r.clock, Request{n, due}, done)
	}
}

// late reports whether it is so late that requests which are due still are given up: a
// rate of which only a part can be sent would never come to its end.
func (r *run) late(latest time.Duration) bool {
	if r.clock.Now() < latest {
		return false
	}
	r.behind = fmt.Sprintf("some requests were still unsent %v after the end", r.opts.Grace)
	return true
}

// nap is how long is slept at most before it is asked whether the run goes on.
const nap = 100 * time.Millisecond

func (r *run) wait(sleep *sleeper, d time.Duration) bool {
	for ; d > nap; d -= nap {
		sleep.sleep(nap)
		if r.sending.Err() != nil {
			return false
		}
	}
	if d > 0 {
		sleep.sleep(d)
	}
	return r.sending.Err() == nil
}

// done takes an outcome; many goroutines call it.
func (r *run) done(req Request, o Outcome) {
	if req.Due >= r.opts.Warmup {
		r.recorder.add(req, o)
		r.listener.heard(o)
	}
	r.flight.end()
}

// shortWindow is how close to the end of the period no window ends: it would leave a
// rest that says nothing.
const shortWindow = 100 * time.Millisecond

// watch collects a window every second, and at the end of the period, until ended.
func (r *run) watch(p Pacer, ended <-chan struct{}) {
	start, sent := r.opts.Warmup, int64(0)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	// What is answered after the period is in a window of its own.
	periodEnd := time.Duration(math.MaxInt64)
	var atEnd <-chan time.Time
	if p != nil && p.End() > 0 {
		periodEnd = p.End()
		timer := time.NewTimer(periodEnd - r.clock.Now())
		defer timer.Stop()
		atEnd = timer.C
	}
	for over := false; !over; {
		now := time.Duration(0)
		select {
		case <-tick.C:
			if now = r.clock.Now(); now < periodEnd && periodEnd-now < shortWindow {
				continue
			}
		case <-atEnd:
			if now = r.clock.Now(); start >= periodEnd {
				continue
			}
		case <-ended:
			now, over = r.clock.Now(), true
		}
		if now <= start {
			continue
		}
		w := r.recorder.collect(start-r.opts.Warmup, now-r.opts.Warmup)
		if over && w.Succeeded+w.Failed == 0 {
			return
		}
		// After the period nothing is due: a window that ends a little later asked for no less.
		if end := min(now, periodEnd); p != nil && end > start {
			due := p.Due(end) - p.Due(start)
			if _, random := p.(*poisson); random {
				due = float64(r.due.Load() - sent) // more or less than on average
			}
			w.Asked = due / (end - start).Seconds()
		}
		sent = r.due.Load()
		start = now
		r.windows = append(r.windows, w)
		if r.opts.Window != nil {
			if why := r.opts.Window(w); why != "" && r.stopped == "" {
				r.stopped = why
				r.stop()
			}
		}
	}
}

// finish makes the result of what was recorded. The pacer is nil in a closed loop.
func (r *run) finish(ctx context.Context, p Pacer) *Result {
	from, end := r.period.from, r.period.end()
	res := &Result{
		Started: r.clock.Start().Add(from), Elapsed: max(0, max(end, r.listener.end())-from), Period: max(0, end-from),
		Windows: r.windows, Stopped: r.stopped, Interrupted: ctx.Err() != nil,
	}
	res.take(r.recorder.total)
	// Where nothing but the service says when requests are due, as many are as it answered.
	pace := float64(res.Requests()) / max(res.Elapsed.Seconds(), 1e-9)
	due := func(from, to time.Duration) float64 { return pace * (to - from).Seconds() }
	if p != nil && p.End() > 0 {
		due = func(from, to time.Duration) float64 { return p.Due(to) - p.Due(from) }
		if res.Period > 0 {
			n := float64(r.due.Load())
			if asked := due(from, end); math.Abs(n-asked) < 1 {
				n = asked // requests are whole: the first is due at once, before the rate has made one
			}
			res.Asked = n / res.Period.Seconds()
		}
		res.dueInHalf = due(from+(end-from)/2, end)
	}
	first := time.Duration(0)
	if res.Response.Min != nil {
		first = *res.Response.Min
	}
	res.Silences = r.listener.silences(r.period, due, first)
	res.rate()
	return res
}
