// Package loadtest has the tests that every [load.Sender] passes: what counts as sent,
// answered, failed and late, how often a request is sent, what happens at a limit, and how
// requests end.
//
// A driver's test runs it against a real server:
//
//	func TestSender(t *testing.T) { loadtest.Run(t, service{...}) }
//
// No test depends on how fast anything is. What never ends fails after minutes.
package loadtest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/load"
)

// A Service is a real server, and the driver that sends to it.
type Service interface {
	// Open returns a sender of requests that the service answers or, with Refuses, refuses.
	// The suite closes it, maybe twice.
	Open(t *testing.T, s Settings) load.Sender
	// Hold makes the service answer nothing until release is called. release returns when
	// the service answers again; it then also answers what arrived in the meantime.
	Hold(t *testing.T) (release func())
	// Seen returns how many requests have arrived at the service in this test. A request
	// that arrives twice counts twice. Refused ones need not be counted.
	Seen(t *testing.T) int64
}

// Settings of a sender.
type Settings struct {
	Refuses  bool          // the service answers every request with a failure
	Parallel int           // requests under way at once at most; 0: more than the suite sends
	Timeout  time.Duration // that an answer may take; 0: minutes
}

// ShortTimeout is the Timeout that the suite sets. Drivers need not support a shorter one.
const ShortTimeout = time.Second

// patience is when the suite takes a request for one that never ends.
const patience = 3 * time.Minute

// many is how many requests a case sends; some of those fit into a limit of few.
const many, few = 40, 3

// Run tests senders. open returns a service for one test, at which no request has arrived.
func Run(t *testing.T, open func(t *testing.T) Service) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, s Service)
	}{
		{"Answered", testAnswered},
		{"Refused", testRefused},
		{"SendDoesNotWait", testSendDoesNotWait},
		{"Limit", testLimit},
		{"Timeout", testTimeout},
		{"Cancel", testCancel},
		{"CanceledBefore", testCanceledBefore},
		{"Close", testClose},
		{"Late", testLate},
		{"WholeRun", testWholeRun},
		{"InterruptedRun", testInterruptedRun},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// A caller sends requests and notes their outcomes.
type caller struct {
	t      *testing.T
	sender load.Sender
	clock  load.Clock
	sent   int64 // the number of the next request

	mu    sync.Mutex
	ended map[int64][]load.Outcome // by request
	under sync.WaitGroup
}

func newCaller(t *testing.T, s Service, settings Settings) *caller {
	c := &caller{t: t, sender: s.Open(t, settings), clock: load.NewClock(), ended: map[int64][]load.Outcome{}}
	t.Cleanup(func() { c.sender.Close() })
	return c
}

// send sends n requests that are due now.
func (c *caller) send(ctx context.Context, n int) {
	for range n {
		r := load.Request{N: c.sent, Due: c.clock.Now()}
		c.sent++
		c.under.Add(1)
		c.sender.Send(ctx, c.clock, r, func(of load.Request, o load.Outcome) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if of != r {
				c.t.Errorf("done tells the outcome of %+v, and %+v was sent", of, r)
			}
			if c.ended[r.N] = append(c.ended[r.N], o); len(c.ended[r.N]) == 1 {
				c.under.Done()
			} else {
				c.t.Errorf("done was called %d times for request %d", len(c.ended[r.N]), r.N)
			}
			if o.Sent < r.Due || o.Done < o.Sent {
				c.t.Errorf("request %d was due at %v, sent at %v and done at %v", r.N, r.Due, o.Sent, o.Done)
			}
		})
	}
}

// wait waits until all that was sent has ended, and returns the outcomes, in the order of the
// requests.
func (c *caller) wait() []load.Outcome {
	c.t.Helper()
	finish(c.t, "requests to end", c.under.Wait)
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]load.Outcome, 0, c.sent)
	for n := range c.sent {
		out = append(out, c.ended[n]...)
	}
	return out
}

// finish fails the test if f does not return.
func finish(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		f()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("waited %v for %s", patience, what)
	}
}

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v until %s", patience, what)
		}
	}
}

// succeeded fails unless all outcomes are answers.
func succeeded(t *testing.T, all []load.Outcome, n int) {
	t.Helper()
	if len(all) != n {
		t.Fatalf("%d requests have ended, want %d", len(all), n)
	}
	for i, o := range all {
		if o.Failure != nil {
			t.Fatalf("request %d failed: %v", i, o.Failure)
		}
	}
}

// classed fails unless all outcomes are failures of some classes.
func classed(t *testing.T, all []load.Outcome, classes ...string) {
	t.Helper()
	for i, o := range all {
		if o.Failure == nil {
			t.Errorf("request %d succeeded, want a failure of class %q", i, classes)
		} else if !slices.Contains(classes, o.Failure.Class) || o.Failure.Text == "" {
			t.Errorf("request %d failed with class %q (%s), want one of %q", i, o.Failure.Class, o.Failure.Text, classes)
		}
	}
}

// gaveUp are the classes of requests that had no answer when their context ended.
var gaveUp = []string{load.ClassNone}

// tookTooLong are the classes of requests that had no answer in time.
var tookTooLong = []string{load.ClassTimeout, "grpc DeadlineExceeded"}

// worksAgain fails unless the sender still sends. A service that comes back may refuse a few
// requests before.
func (c *caller) worksAgain() {
	c.t.Helper()
	until(c.t, "a request is answered again", func() bool {
		c.send(c.t.Context(), 1)
		all := c.wait()
		return all[len(all)-1].Failure == nil
	})
}

// Each request is sent once and answered once.
func testAnswered(t *testing.T, s Service) {
	c := newCaller(t, s, Settings{})
	c.send(t.Context(), many)
	all := c.wait()
	succeeded(t, all, many)
	for i, o := range all {
		if o.Waited {
			t.Errorf("request %d waited for its turn, and there is no limit", i)
		}
		if o.Bytes <= 0 {
			t.Errorf("request %d has an answer of %d bytes", i, o.Bytes)
		}
		if o.Messages > 1 {
			t.Errorf("request %d stands for %d messages", i, o.Messages)
		}
	}
	if n := s.Seen(t); n != many {
		t.Errorf("the service has seen %d requests, want %d", n, many)
	}
}

// A service that says no has answered: the request failed, in a class that says how, is not
// sent again, and the sender goes on.
func testRefused(t *testing.T, s Service) {
	c := newCaller(t, s, Settings{Refuses: true})
	c.send(t.Context(), many)
	all := c.wait()
	if len(all) != many {
		t.Fatalf("%d requests have ended, want %d", len(all), many)
	}
	for i, o := range all {
		switch {
		case o.Failure == nil:
			t.Errorf("request %d succeeded", i)
		case slices.Contains(slices.Concat(gaveUp, tookTooLong, []string{load.ClassBacklog, "other"}), o.Failure.Class) || o.Failure.Text == "":
			t.Errorf("request %d was refused, and its failure is %+v", i, *o.Failure)
		}
	}
	if n := s.Seen(t); n > many {
		t.Errorf("the service has seen %d requests, and %d were sent", n, many)
	}
}

// Send returns while nothing is answered; nothing is lost by that.
func testSendDoesNotWait(t *testing.T, s Service) {
	c := newCaller(t, s, Settings{})
	c.send(t.Context(), 1) // connections are open
	succeeded(t, c.wait(), 1)
	release := s.Hold(t)
	finish(t, "Send", func() { c.send(t.Context(), many) })
	release()
	succeeded(t, c.wait(), many+1)
	if n := s.Seen(t); n != many+1 {
		t.Errorf("the service has seen %d requests, want %d", n, many+1)
	}
}

// Beyond a limit a request waits for its turn, and says so, or fails at once.
func testLimit(t *testing.T, s Service) {
	c := newCaller(t, s, Settings{Parallel: few})
	release := s.Hold(t)
	finish(t, "Send", func() { c.send(t.Context(), many) })
	release()
	within, waited, failed := 0, 0, 0
	for i, o := range c.wait() {
		switch {
		case o.Failure != nil && o.Failure.Class == load.ClassBacklog:
			failed++
		case o.Failure != nil:
			t.Errorf("request %d failed: %v", i, o.Failure)
		case o.Waited:
			waited++
		default:
			within++
		}
	}
	if within != few || waited != many-few && failed != many-few {
		t.Errorf("%d requests were sent at once, %d waited and %d failed, want %d, and all others one or the other", within, waited, failed, few)
	}
	if n := s.Seen(t); n != int64(many-failed) {
		t.Errorf("the service has seen %d requests, want %d", n, many-failed)
	}
}

// A request that is not answered in time fails then, and not before; the sender goes on.
func testTimeout(t *testing.T, s Service) {
	c := newCaller(t, s, Settings{Timeout: ShortTimeout})
	c.send(t.Context(), 1)
	c.wait() // connections are open
	release := s.Hold(t)
	c.send(t.Context(), few)
	all := c.wait()[1:]
	classed(t, all, tookTooLong...)
	for i, o := range all {
		if took := o.Done - o.Sent; took < ShortTimeout*9/10 { // clocks of others are coarse
			t.Errorf("request %d failed after %v, want %v", i, took, ShortTimeout)
		}
	}
	release()
	c.worksAgain()
}

// When the context ends, what is under way and what waits fails. The sender can be used with
// another context.
func testCancel(t *testing.T, s Service) {
	for _, settings := range []Settings{{}, {Parallel: few}} {
		c := newCaller(t, s, settings)
		release := s.Hold(t)
		ctx, cancel := context.WithCancel(t.Context())
		c.send(ctx, many)
		cancel()
		all := c.wait()
		if len(all) != many {
			t.Fatalf("%d requests have ended, want %d", len(all), many)
		}
		classed(t, all, append(gaveUp, load.ClassBacklog)...)
		release()
		c.worksAgain()
	}
}

// What is due after the context has ended fails, and is not sent.
func testCanceledBefore(t *testing.T, s Service) {
	c := newCaller(t, s, Settings{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.send(ctx, few)
	classed(t, c.wait(), gaveUp...)
	c.worksAgain()
	if n, want := s.Seen(t), c.sent-few; n > want {
		t.Errorf("the service has seen %d requests, and %d were sent before the end", n, want)
	}
}

// Close ends what is under way, and returns when all calls of done have. What is sent
// afterwards fails.
func testClose(t *testing.T, s Service) {
	for _, settings := range []Settings{{}, {Parallel: few}} {
		c := newCaller(t, s, settings)
		release := s.Hold(t)
		c.send(t.Context(), many)
		var err error
		finish(t, "Close", func() { err = c.sender.Close() })
		c.mu.Lock()
		n := len(c.ended)
		c.mu.Unlock()
		if err != nil || n != many {
			t.Errorf("after Close, %d of %d requests have ended: %v", n, many, err)
		}
		classed(t, c.wait(), append(gaveUp, load.ClassBacklog)...)
		release()
		c.send(t.Context(), 1)
		classed(t, c.wait()[many:], gaveUp...)
	}
}

// A request that is sent later than it was due is late, unless it waited for its turn.
func testLate(t *testing.T, s Service) {
	for _, settings := range []Settings{{}, {Parallel: 1}} {
		sender := s.Open(t, settings)
		// All are sent later than that.
		r := run(t, t.Context(), sender, load.Options{Late: time.Nanosecond})
		if r.Late+r.Waited != r.Requests() || r.Late == 0 {
			t.Errorf("%d requests were late and %d waited, of %d", r.Late, r.Waited, r.Requests())
		}
		if r.Void == "" && r.Late > 1 {
			t.Error("a run whose requests are late is not void")
		}
		if err := sender.Close(); err != nil {
			t.Error(err)
		}
	}
}

// rate and period are those of a whole run.
const rate, period = 200, 500 * time.Millisecond

func run(t *testing.T, ctx context.Context, sender load.Sender, opts load.Options) *load.Result {
	t.Helper()
	p, err := load.Constant(rate, period)
	if err != nil {
		t.Fatal(err)
	}
	opts.Grace = patience
	r, err := load.Run(ctx, p, sender, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A run counts each request once, and nothing else.
func testWholeRun(t *testing.T, s Service) {
	sender := s.Open(t, Settings{})
	const warmup = period / 2
	r := run(t, t.Context(), sender, load.Options{Warmup: warmup, Late: time.Hour})
	if err := sender.Close(); err != nil {
		t.Error(err)
	}
	const all = rate * int64(period) / int64(time.Second)
	const counted = all - rate*int64(warmup)/int64(time.Second)
	if r.Succeeded != counted || r.Failed != 0 || r.Late != 0 || r.Waited != 0 || r.Void != "" || r.Bytes <= 0 {
		t.Errorf("%d succeeded, want %d; %d failed, %d late, %d waited, %d bytes, %+v, void: %s",
			r.Succeeded, counted, r.Failed, r.Late, r.Waited, r.Bytes, r.Failures, r.Void)
	}
	if n := s.Seen(t); n != all {
		t.Errorf("the service has seen %d requests, want %d", n, all)
	}
}

// A run that is interrupted has the requests that were due, each with its end.
func testInterruptedRun(t *testing.T, s Service) {
	sender := s.Open(t, Settings{})
	release := s.Hold(t)
	ctx, cancel := context.WithCancel(t.Context())
	r := run(t, ctx, &interrupting{Sender: sender, after: few, cancel: cancel}, load.Options{Late: time.Hour})
	release()
	if !r.Interrupted || r.Succeeded != 0 || r.Failed == 0 {
		t.Errorf("%d succeeded and %d failed, interrupted: %v", r.Succeeded, r.Failed, r.Interrupted)
	}
	for _, c := range r.Failures {
		if !slices.Contains(gaveUp, c.Name) {
			t.Errorf("%d requests failed with class %q, want %q", c.Count, c.Name, gaveUp)
		}
	}
	if err := sender.Close(); err != nil {
		t.Error(err)
	}
}

// An interrupting sender calls cancel after some requests.
type interrupting struct {
	load.Sender
	after  int
	cancel func()
}

func (s *interrupting) Send(ctx context.Context, clock load.Clock, r load.Request, done func(load.Request, load.Outcome)) {
	s.Sender.Send(ctx, clock, r, done)
	if s.after--; s.after == 0 {
		s.cancel()
	}
}
