package fnmetrics

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Options are what a watch gets from outside.
type Options struct {
	Store store.Store
	// Memory returns a budget for the profiles of one measurement, and a function to call
	// when they aren't used any more; nil is unlimited.
	Memory func(context.Context) (profile.Budget, func())
	Log    func(string)
}

// A Watch measures each interval of its rules once, after its end, so that a scrape only
// writes down what is known.
type Watch struct {
	o       Options
	applied chan struct{} // has an element after Apply

	mu     sync.Mutex
	plan   *Plan // nil before Apply
	states map[*Rule]*state
	counts Counts
}

// A state is what the watch knows of a rule.
type state struct {
	done   int64 // end of the last interval that was measured, ns since 1970; 0: none
	failed bool  // the last one
	kept   map[string]keptSeries
	latest *result // nil before the first
}

// A result is what an interval of a rule exports.
type result struct {
	bounded
	unit     unit
	from, to int64
	left     int64 // profiles without a duration
}

// Counts are counts of what a watch did.
type Counts struct {
	Skipped int64 // intervals that the budget left out
	Failed  int64 // measurements
	// Seconds is how long measuring took: an upper limit of its CPU time on one CPU.
	Seconds float64
}

// NewWatch returns a watch without rules.
func NewWatch(o Options) *Watch {
	return &Watch{o: o, applied: make(chan struct{}, 1), states: map[*Rule]*state{}}
}

// Apply replaces the rules. Rules that were there before go on.
func (w *Watch) Apply(p *Plan) {
	w.mu.Lock()
	defer w.mu.Unlock()
	states := map[*Rule]*state{}
	for _, r := range p.Rules {
		states[r] = &state{}
		for old, s := range w.states {
			if old.Same(r) {
				states[r] = s
			}
		}
	}
	w.plan, w.states = p, states
	select {
	case w.applied <- struct{}{}:
	default:
	}
}

// Rules returns the rules, in the order of the configuration.
func (w *Watch) Rules() []*Rule {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.plan == nil {
		return nil
	}
	return w.plan.Rules
}

// Run measures until ctx is done.
func (w *Watch) Run(ctx context.Context) {
	for {
		next := w.Tick(ctx, time.Now())
		var due <-chan time.Time
		if !next.IsZero() {
			due = time.After(time.Until(next))
		}
		select {
		case <-ctx.Done():
			return
		case <-w.applied:
		case <-due:
		}
	}
}

// Tick measures the intervals that are complete at a time, and returns when the next one
// will be; the zero time if there are no rules. After each measurement it pauses for as long
// as the budget asks.
func (w *Watch) Tick(ctx context.Context, now time.Time) (next time.Time) {
	for _, b := range w.batches() {
		due := w.due(b, now.UnixNano())
		if due.to != 0 {
			took := w.measure(ctx, b, due)
			w.pause(ctx, took)
		}
		at := store.Window(now.UnixNano()-int64(b[0].Delay), int64(b[0].Interval)) + int64(b[0].Interval+b[0].Delay)
		if t := time.Unix(0, at); next.IsZero() || t.Before(next) {
			next = t
		}
		if ctx.Err() != nil {
			break
		}
	}
	return next
}

// pause waits for as long as the budget asks after work that took so long.
func (w *Watch) pause(ctx context.Context, took time.Duration) {
	w.mu.Lock()
	budget := w.plan.Budget
	w.mu.Unlock()
	select {
	case <-time.After(time.Duration(float64(took) * (1/budget - 1))):
	case <-ctx.Done():
	}
}

// A batch is rules that are measured together.
type batch []*Rule

// batches returns the rules, grouped by source and interval.
func (w *Watch) batches() []batch {
	var all []batch
	for _, r := range w.Rules() {
		i := slices.IndexFunc(all, func(b batch) bool {
			return b[0].Interval == r.Interval && b[0].source.key() == r.source.key()
		})
		if i < 0 {
			all = append(all, batch{r})
			continue
		}
		all[i] = append(all[i], r)
	}
	return all
}

// An interval is a time from from to to, in ns since 1970.
type interval struct{ from, to int64 }

// due returns the latest complete interval, unless it is measured: then it is zero. Earlier
// ones that were missed are counted.
func (w *Watch) due(b batch, now int64) interval {
	w.mu.Lock()
	defer w.mu.Unlock()
	length := int64(b[0].Interval)
	to := store.Window(now-int64(b[0].Delay), length)
	missed, due := int64(0), false
	for _, r := range b {
		s := w.states[r]
		if s == nil || s.done >= to {
			continue // another Apply was quicker; or it is measured
		}
		if due = true; s.done != 0 {
			missed = max(missed, (to-s.done)/length-1)
		}
	}
	if !due {
		return interval{}
	}
	w.counts.Skipped += missed
	return interval{to - length, to}
}

// measure measures an interval, and returns how long that took.
func (w *Watch) measure(ctx context.Context, b batch, at interval) time.Duration {
	start := time.Now()
	var budget profile.Budget
	if w.o.Memory != nil {
		var free func()
		budget, free = w.o.Memory(ctx)
		defer free()
	}
	readings, left, err := w.read(ctx, b, at, budget)
	for i, r := range b {
		switch {
		case err != nil:
			w.fail(ctx, r, at, err)
		case readings == nil:
			none := newReading(r, nil)
			w.export(&none, at, left)
		default:
			w.export(&readings[i], at, left)
		}
	}
	took := time.Since(start)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts.Seconds += took.Seconds()
	return took
}

// read reads the profiles of an interval. Without any, there are no readings.
func (w *Watch) read(ctx context.Context, b batch, at interval, budget profile.Budget) (out []reading, left int64, err error) {
	windows, err := b[0].source.windows(ctx, w.o.Store, at.from, at.to, at.to-at.from)
	if err != nil || len(windows) == 0 {
		return nil, 0, err
	}
	out, err = read(ctx, w.o.Store, b, &windows[0], budget)
	return out, windows[0].Left, err
}

// export makes a reading the latest result of its rule. Scrapes don't wait while series are
// chosen.
func (w *Watch) export(of *reading, at interval, left int64) {
	r := of.rule
	w.mu.Lock()
	s := w.states[r]
	if s == nil {
		w.mu.Unlock()
		return // Apply removed the rule
	}
	kept, limit := s.kept, min(r.Limit, w.room(r))
	w.mu.Unlock()
	out := of.bound(kept, limit, at.to)
	w.mu.Lock()
	defer w.mu.Unlock()
	s.done, s.failed, s.kept = at.to, false, out.kept
	s.latest = &result{bounded: out, unit: of.unit, from: at.from, to: at.to, left: left}
}

// fail counts and logs that a rule couldn't be measured; once, until it could.
func (w *Watch) fail(ctx context.Context, r *Rule, at interval, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.states[r]
	if s == nil || ctx.Err() != nil {
		return
	}
	s.done = at.to
	w.counts.Failed++
	if !s.failed {
		w.o.Log("Can't measure the function metric " + r.Name + ": " + err.Error())
	}
	s.failed = true
}

// room returns how many series a rule may have, given those of the other rules. The caller
// holds w.mu.
func (w *Watch) room(of *Rule) int {
	n := w.plan.Limit
	for r, s := range w.states {
		if r != of && s.latest != nil {
			n -= len(s.latest.series)
		}
	}
	return max(0, n)
}

// fresh reports whether a result is still exported. One that is too old is not, so that
// Prometheus marks its series as stale.
func (r *result) fresh(of *Rule, now int64) bool {
	return now < r.to+int64(of.Delay+2*of.Interval+time.Minute)
}

// current returns the rules with their latest results, nil for those without one, and the
// counts.
func (w *Watch) current(now int64) (rules []*Rule, results []*result, counts Counts) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.plan == nil {
		return nil, nil, w.counts
	}
	for _, r := range w.plan.Rules {
		of := w.states[r].latest
		if of != nil && !of.fresh(r, now) {
			of = nil
		}
		rules, results = append(rules, r), append(results, of)
	}
	return rules, results, w.counts
}

// UnitOf returns the name of a rule's unit; "" before it is known.
func (w *Watch) UnitOf(r *Rule) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.states[r]; s != nil && s.latest != nil {
		return s.latest.unit.name
	}
	return ""
}
