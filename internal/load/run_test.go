package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A service is a Driver whose clients do what a function says.
type service struct {
	do      func(ctx context.Context, n int64) (int, error)
	connect error
	open    atomic.Int64
	opened  atomic.Int64
	most    atomic.Int64
}

func (s *service) Connect(context.Context) (Client, error) {
	if s.connect != nil {
		return nil, s.connect
	}
	s.opened.Add(1)
	now := s.open.Add(1)
	for most := s.most.Load(); now > most && !s.most.CompareAndSwap(most, now); most = s.most.Load() {
	}
	return &serviceClient{s}, nil
}

type serviceClient struct{ *service }

func (c *serviceClient) Do(ctx context.Context, n int64) (Answer, error) {
	bytes, err := c.do(ctx, n)
	return Answer{Bytes: bytes}, err
}

func (c *serviceClient) Close() error { c.open.Add(-1); return nil }

// lenient accepts that the machine is busy: only what is counted is looked at.
var lenient = Options{Late: time.Hour, Grace: time.Minute}

func runAt(t *testing.T, s *service, rate string, d time.Duration, connections int, opts Options) *Result {
	t.Helper()
	pool := NewPool(s, connections)
	r, err := Run(t.Context(), pacer(t, rate, false, opts.Warmup, d), pool, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	r.Connections = pool.Parallel()
	if n := s.open.Load(); n != 0 {
		t.Errorf("%d connections are open after the run", n)
	}
	return r
}

// TestStandstill: a service that stands still for half a second is slow for all who
// come meanwhile, not for one.
func TestStandstill(t *testing.T) {
	const rate, pause = 1000, 500 * time.Millisecond
	var once sync.Once
	var gate sync.RWMutex
	s := &service{do: func(context.Context, int64) (int, error) {
		once.Do(func() {
			gate.Lock()
			time.AfterFunc(pause, gate.Unlock)
		})
		gate.RLock()
		defer gate.RUnlock()
		return 2, nil
	}}
	for name, connections := range map[string]int{"connections": 2000, "few connections": 4} {
		t.Run(name, func(t *testing.T) {
			once = sync.Once{}
			r := runAt(t, s, fmt.Sprint(rate), 2*time.Second, connections, lenient)
			if r.Succeeded != 2*rate || r.Failed != 0 || r.Bytes != 4*rate {
				t.Fatalf("%d succeeded, %d failed, %d bytes", r.Succeeded, r.Failed, r.Bytes)
			}
			slow := 0
			for _, p := range r.Curve() {
				if p.Time >= pause/2 {
					slow = int((1 - p.Q) * 2 * rate)
					break
				}
			}
			if least := int(rate * (pause / 2).Seconds() * .8); slow < least {
				t.Errorf("%d requests took half the pause, want %d at least", slow, least)
			}
			if few := connections < 10; few != (r.Waited > 0) || int64(r.Connections) > int64(connections) {
				t.Errorf("%d requests waited, with %d connections", r.Waited, r.Connections)
			}
		})
	}
	if most := s.most.Load(); most > 2000 {
		t.Errorf("%d connections", most)
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	s := &service{do: func(context.Context, int64) (int, error) { return 0, nil }}
	r := runAt(t, s, "500", time.Second, 100, lenient)
	if n := s.opened.Load(); n > int64(r.Connections) {
		t.Errorf("%d connections were opened, of which %d were in use at a time", n, r.Connections)
	}
}

// TestBrokenConnection: after an error a connection is opened anew, after a Failure
// it goes on.
func TestBrokenConnection(t *testing.T) {
	for _, test := range []struct {
		err    error
		opened int64
		class  string
	}{
		{errors.New("the connection broke"), 100, "other"},
		{&Failure{"status 503", "503"}, 1, "status 503"},
		{fmt.Errorf("wrapped: %w", &Failure{"status 500", "500"}), 1, "status 500"},
	} {
		s := &service{do: func(context.Context, int64) (int, error) { return 0, test.err }}
		r := runAt(t, s, "100", time.Second, 1, lenient)
		if n := s.opened.Load(); n != test.opened {
			t.Errorf("%v: %d connections, want %d", test.err, n, test.opened)
		}
		if r.Failed != 100 || len(r.Failures) != 1 || r.Failures[0].Name != test.class || len(r.Failures[0].Samples) != 1 {
			t.Errorf("%v: %+v", test.err, r.Failures)
		}
	}
}

func TestNoAnswer(t *testing.T) {
	s := &service{do: func(ctx context.Context, n int64) (int, error) {
		if n%2 == 0 {
			return 1, nil
		}
		<-ctx.Done()
		return 0, ctx.Err()
	}}
	opts := lenient
	opts.Grace = 2 * time.Second
	r := runAt(t, s, "100", time.Second, 1000, opts)
	if r.Succeeded != 50 || r.Failed != 50 || r.Failures[0].Name != "no answer by the end" {
		t.Errorf("%d succeeded, %d failed: %+v", r.Succeeded, r.Failed, r.Failures)
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &service{do: func(_ context.Context, n int64) (int, error) {
		if n == 50 {
			cancel()
		}
		return 0, nil
	}}
	pool := NewPool(s, 10)
	defer pool.Close()
	r, err := Run(ctx, pacer(t, "100", false, 0, time.Hour), pool, lenient)
	if err != nil || !r.Interrupted || r.Succeeded <= 50 || r.Succeeded > 10_000 {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestStop(t *testing.T) {
	s := &service{do: func(context.Context, int64) (int, error) { return 0, nil }}
	opts := lenient
	opts.Window = func(w Window) string {
		if w.Succeeded == 0 {
			return "" // nothing was sent yet, on a busy machine
		}
		return "enough"
	}
	pool := NewPool(s, 10)
	defer pool.Close()
	r, err := Run(t.Context(), pacer(t, "100", false, 0, time.Hour), pool, opts)
	if err != nil || r.Stopped != "enough" || r.Interrupted || r.Succeeded == 0 || r.Elapsed > time.Hour {
		t.Errorf("%v, %+v", err, r)
	}
}

// A slowSender takes a while for each request.
type slowSender struct{ Sender }

func (slowSender) Send(_ context.Context, clock Clock, r Request, done func(Request, Outcome)) {
	time.Sleep(time.Millisecond)
	done(r, Outcome{Sent: clock.Now(), Done: clock.Now()})
}

// TestBehind: a rate that can't be sent comes to an end all the same.
func TestBehind(t *testing.T) {
	opts := lenient
	opts.Grace = 100 * time.Millisecond
	r, err := Run(t.Context(), pacer(t, "10000000", false, 0, 100*time.Millisecond), slowSender{}, opts)
	if err != nil || r.Requests() == 0 || r.Requests() > 100_000 || r.Stopped != "some requests were still unsent 100ms after the end" {
		t.Errorf("%v, %d requests, stopped: %q", err, r.Requests(), r.Stopped)
	}
}

func TestWarmup(t *testing.T) {
	var all atomic.Int64
	s := &service{do: func(_ context.Context, n int64) (int, error) {
		all.Add(1)
		if n < 100 {
			return 0, errors.New("cold")
		}
		return 0, nil
	}}
	opts := lenient
	opts.Warmup = time.Second
	r := runAt(t, s, "100", time.Second, 10, opts)
	if all.Load() != 200 || r.Succeeded != 100 || r.Failed != 0 || len(r.Failures) != 0 {
		t.Errorf("%d were sent, %d succeeded, %d failed", all.Load(), r.Succeeded, r.Failed)
	}
}

// TestVoid: a generator that lags says so.
func TestVoid(t *testing.T) {
	s := &service{do: func(context.Context, int64) (int, error) { return 0, nil }}
	opts := lenient
	opts.Late = time.Nanosecond // it always is, unless it waits for a connection, of which there are enough
	if r := runAt(t, s, "100", time.Second, 100, opts); r.Void == "" || r.Late != 100 {
		t.Errorf("%d of 100 late requests, void: %q", r.Late, r.Void)
	}
	if r := runAt(t, s, "100", time.Second, 100, lenient); r.Void != "" {
		t.Errorf("void: %s", r.Void)
	}
}

func TestRounds(t *testing.T) {
	var mu sync.Mutex
	var order []int64
	s := &service{do: func(_ context.Context, n int64) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, n)
		return 1, nil
	}}
	told := 0
	r, err := RunUsers(t.Context(), s, Users{Users: 1, Requests: 4, Rounds: 3}, Options{}, func(Round) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(order) != "[0 1 2 3 0 1 2 3 0 1 2 3]" || told != 3 || len(r.Rounds) != 3 || r.Succeeded != 12 || s.opened.Load() != 1 {
		t.Errorf("sent %v, %d rounds told, %+v", order, told, r)
	}
	order = nil
	r, err = RunUsers(t.Context(), s, Users{Users: 3, Requests: 5, Rounds: 2}, Options{}, nil)
	if err != nil || len(order) != 30 || r.Rounds[1].Succeeded != 15 || r.Requests() != 30 {
		t.Errorf("%v, sent %v, %+v", err, order, r)
	}
	order = nil
	if r, err = RunUsers(t.Context(), s, Users{Users: 2, For: 50 * time.Millisecond}, Options{}, nil); err != nil || r.Succeeded != int64(len(order)) || len(r.Rounds) != 0 {
		t.Errorf("%v, sent %d, %+v", err, len(order), r)
	}
	for _, u := range []Users{{}, {Users: 1}, {Users: 1, Rounds: 2}, {Users: 1, Requests: 2}, {Users: -1, For: 1}} {
		if _, err := RunUsers(t.Context(), s, u, Options{}, nil); err == nil {
			t.Errorf("%+v is no error", u)
		}
	}
}

func TestRoundsOfADeadService(t *testing.T) {
	s := &service{connect: errors.New("nobody there")}
	r, err := RunUsers(t.Context(), s, Users{Users: 2, Requests: 2, Rounds: 2}, Options{}, nil)
	if err != nil || r.Failed != 8 || r.Succeeded != 0 || len(r.Rounds) != 2 {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestWindowsAskForWhatWasDue: at random times, more or less is due within a window than
// on average; in no window was more answered than had been due until then.
func TestWindowsAskForWhatWasDue(t *testing.T) {
	s := &service{do: func(context.Context, int64) (int, error) { return 0, nil }}
	var windows []Window
	for {
		pool := NewPool(s, 100)
		r, err := Run(t.Context(), pacer(t, "300", true, 0, 2200*time.Millisecond), pool, lenient)
		if err := errors.Join(err, pool.Close()); err != nil {
			t.Fatal(err)
		}
		// Those that end after the period lack what was sent late. On a machine that stood
		// still for a second there may be no other.
		windows = slices.DeleteFunc(r.Windows, func(w Window) bool { return w.End > r.Period })
		if slices.ContainsFunc(windows, func(w Window) bool { return w.Succeeded > 0 }) {
			break
		}
	}
	due, succeeded, average := 0.0, int64(0), true
	for _, w := range windows {
		due += w.Asked * (w.End - w.Start).Seconds()
		succeeded += w.Succeeded
		average = average && w.Asked == 300
		if float64(succeeded) > due+1e-6 {
			t.Errorf("%d were answered until %v, and %v were due", succeeded, w.End, due)
		}
	}
	if average {
		t.Errorf("each window asked for the average: %+v", windows)
	}
}
