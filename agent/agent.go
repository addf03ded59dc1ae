package agent

import (
	"context"
	"fmt"
	"maps"
	"math"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// An Agent records short profiles of its process, again and again, and sends
// them to hone serve. Its methods may be called from any goroutine.
type Agent struct {
	cfg       Config
	stats     *statistics
	out       *outbox
	sender    *sender
	collector *collector
	rates     []*recorder // switched on

	triggered chan triggerReason
	stopping  chan struct{} // closed by Stop
	ended     chan struct{} // closed when the agent has left nothing behind
	cancel    context.CancelFunc
	stop      sync.Once
	err       error // of Stop; valid after ended
}

// hooks let tests stand in for what takes long or cannot be made to happen.
type hooks struct {
	backoff    time.Duration                     // minBackoff
	adoptAfter time.Duration                     // of the spool
	cost       func(source string) time.Duration // instead of the measured one
}

// runningAgent is the agent of this process: CPU profiles and rates are of the
// process, and two agents would only take them from each other.
var runningAgent atomic.Pointer[Agent]

// Start begins to record profiles and to send them, until Stop. It does not wait
// for the server, which may start later. It returns an error if the
// configuration is invalid, or if another Agent is running in the process.
func Start(c Config) (*Agent, error) {
	return startWith(c, hooks{backoff: minBackoff, adoptAfter: time.Minute})
}

func startWith(c Config, h hooks) (*Agent, error) {
	c, err := c.withDefaults()
	if c.Server == "off" {
		a := &Agent{cfg: c, stats: newStatistics(c.Logger), ended: make(chan struct{})}
		a.stop.Do(func() { close(a.ended) })
		return a, nil
	}
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	c.Labels = maps.Clone(c.Labels)
	ctx, cancel := context.WithCancel(context.Background())
	a := &Agent{
		cfg:       c,
		stats:     newStatistics(c.Logger),
		triggered: make(chan triggerReason),
		stopping:  make(chan struct{}),
		ended:     make(chan struct{}),
		cancel:    cancel,
	}
	if !runningAgent.CompareAndSwap(nil, a) {
		cancel()
		service := ""
		if other := runningAgent.Load(); other != nil {
			service = other.cfg.Service
		}
		return nil, fmt.Errorf("agent: another agent is already running in this process, for service %q: stop it first", service)
	}
	run := randomText()
	a.out = newOutbox(a.openSpool(run, h.adoptAfter), a.stats)
	a.collector = &collector{taker: newTaker(c, run, a.stats, a.out), cost: h.cost, triggered: a.triggered, ready: make(chan struct{}), stopping: a.stopping}
	a.sender = &sender{
		out:      a.out,
		stats:    a.stats,
		client:   uploadClient(c.Client),
		endpoint: strings.TrimRight(c.Server, "/") + "/api/v1/profiles",
		token:    c.Token,
		backoff:  h.backoff,
		ctx:      ctx,
		closing:  make(chan struct{}),
	}
	if c.MutexFraction > 0 {
		mutexRecorder.on(c.MutexFraction)
		a.rates = append(a.rates, mutexRecorder)
	}
	if c.BlockRate > 0 {
		blockRecorder.on(c.BlockRate)
		a.rates = append(a.rates, blockRecorder)
	}

	go a.goAll()
	return a, nil
}

// goAll starts the goroutines and waits for their end.
//
// The label is inherited by all of them, so that CPU profiles tell what of the
// time is the agent's own. They have go statements here: by the function they
// begin with the wall profile knows them, and leaves them out.
func (a *Agent) goAll() {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("hone", "agent")))
	var work, send sync.WaitGroup
	work.Add(1)
	go func() {
		defer work.Done()
		a.collector.collect()
	}()
	if a.cfg.Triggers.on() {
		work.Add(1)
		go func() {
			defer work.Done()
			a.cfg.Triggers.watch(a.triggered, a.stopping)
		}()
	}
	send.Add(1)
	go func() {
		defer send.Done()
		a.sender.run()
	}()
	work.Wait()
	close(a.sender.closing)
	send.Wait()

	// Nothing is left behind.
	if lost := a.out.empty(); lost > 0 {
		a.err = fmt.Errorf("agent: %d profiles could not be sent and are lost: %s", lost, a.Stats().LastError)
	}
	a.cancel()
	if a.cfg.Client == nil {
		a.sender.client.CloseIdleConnections()
	}
	for _, r := range a.rates {
		r.off()
	}
	runningAgent.CompareAndSwap(a, nil)
	close(a.ended)
}

// openSpool returns the spool of a run of the program, nil without one.
func (a *Agent) openSpool(run string, adoptAfter time.Duration) *spool {
	if a.cfg.SpoolBytes < 0 {
		return nil
	}
	dir := a.cfg.SpoolDir
	if dir == "" {
		var err error
		if dir, err = spoolDir(a.cfg.Service, a.cfg.Server); err != nil {
			a.stats.fail("no spool: %v", err)
			return nil
		}
	}
	return &spool{dir: dir, run: run, maxBytes: a.cfg.SpoolBytes, maxAge: a.cfg.SpoolAge, adoptAfter: adoptAfter}
}

// Stop ends recording, takes the last profiles of what is counted over time
// (allocations, mutex and block events), sends all that waits, and restores the
// rates that Start has set. Profiles that can't be sent stay in the spool; the
// next run of the program sends them.
//
// If ctx ends first, the agent sends nothing more, and Stop returns ctx.Err()
// without waiting until the rest is in the spool. Stop also returns an error if
// profiles are lost. It may be called more than once; each call waits.
func (a *Agent) Stop(ctx context.Context) error {
	a.stop.Do(func() { close(a.stopping) })
	select {
	case <-a.ended:
		return a.err
	case <-ctx.Done():
	}
	if a.cancel != nil {
		a.cancel()
	}
	// Without anything under way the rest is a matter of milliseconds.
	select {
	case <-a.ended:
	case <-time.After(100 * time.Millisecond):
	}
	return ctx.Err()
}

// Stats returns the counts so far. Nothing is counted any more when Stop has
// returned, unless its ctx ended first.
func (a *Agent) Stats() Stats {
	s := a.stats
	s.mu.Lock()
	out := s.Stats
	out.Stretched = maps.Clone(s.Stretched)
	s.mu.Unlock()
	out.Share = out.OwnCPU.Seconds() / math.Max(time.Since(s.start).Seconds(), 1e-9)
	if a.out != nil && a.out.spool != nil {
		out.SpoolFiles, out.SpoolBytes = a.out.spool.waiting()
	}
	return out
}
