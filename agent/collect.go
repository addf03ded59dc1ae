package agent

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// sendCost is what it costs to send a profile, most of it in goroutines of
// net/http.
const sendCost = 500 * time.Microsecond

// A collector takes profiles by a schedule, within a budget, and when triggers ask for them.
// It is for one goroutine.
type collector struct {
	*taker
	cost      func(source string) time.Duration // in tests, instead of the measured one
	captured  int                               // of the profiles taken, those for triggers
	profiling bool                              // a CPU profile is under way
	pending   bool                              // and a trigger asks for another one

	triggered <-chan triggerReason
	ready     chan struct{} // closed once counters have their first values
	stopping  <-chan struct{}
}

// collect records profiles until the agent stops, then the last deltas.
func (a *collector) collect() {
	a.setCounters()
	close(a.ready)
	sources := a.wanted()
	for round := time.Now(); ; {
		for _, step := range a.plan(sources) {
			if !a.sleep(round.Add(step.at)) {
				a.flush()
				return
			}
			a.use(step.source, "")
			if a.pending {
				a.pending = false
				a.capture(triggerCPU)
			}
		}
		round = round.Add(a.cfg.Period)
		if now := time.Now(); now.After(round) {
			round = now // the machine was asleep, or recording took longer
		}
		if !a.sleep(round) {
			a.flush()
			return
		}
	}
}

// A step is a source to use at a time after the beginning of a round.
type step struct {
	source profileSource
	at     time.Duration
}

// plan returns what to do in a round, one after the other, in an order and with
// pauses that are random: profiles of many processes are spread over time, and
// nothing that the program does every minute is always or never seen.
func (a *collector) plan(sources []profileSource) []step {
	var steps []step
	free := a.cfg.Period
	for _, s := range sources {
		if s.perGoroutine > 0 {
			a.budget.foresee(s.name, runtime.NumGoroutine(), s.perGoroutine)
		}
		if !a.budget.due(s.name, s.rounds) {
			a.leftOut(s)
			continue
		}
		steps = append(steps, step{source: s})
		free -= s.lasts
	}
	rand.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	pauses := make([]time.Duration, len(steps))
	for i := range pauses {
		pauses[i] = rand.N(free + 1)
	}
	slices.Sort(pauses)
	var busy time.Duration
	for i := range steps {
		steps[i].at = pauses[i] + busy
		busy += steps[i].source.lasts
	}
	return steps
}

// leftOut counts what the budget does not allow.
func (a *collector) leftOut(s profileSource) {
	if !a.budget.stretched(s.name) {
		return
	}
	for _, k := range s.kinds {
		if a.cfg.wants(k) {
			a.stats.stretched(k)
		}
	}
}

// use takes profiles from a source and accounts for them.
func (a *collector) use(s profileSource, t triggerReason) {
	taken, captured := a.taken, a.captured
	defer func() {
		if r := recover(); r != nil { // the program is not to die of its profiler
			a.stats.fail("%s: panic: %v", s.name, r)
		}
	}()
	if s.name == "cpu" {
		a.profiling = true
		defer func() { a.profiling = false }()
	}
	d := s.take(t, a.sleep)
	// Without those of captures meanwhile.
	own := (a.taken - taken) - (a.captured - captured)
	if own > 0 {
		d += time.Duration(own)*sendCost + collectionCPU(s.garbage)
	}
	if t != "" {
		a.captured += own
		a.stats.add(&a.stats.Triggered, int64(own))
	}
	if a.cost != nil {
		d = a.cost(s.name)
	}
	a.stats.spent(d)
	a.budget.spent(s.name, d)
}

// sleep returns true at the given time, false when the agent stops before.
// Captures that are triggered meanwhile are taken while it waits.
func (a *collector) sleep(until time.Time) bool {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	for {
		select {
		case <-a.stopping:
			return false
		default:
		}
		select {
		case <-a.stopping:
			return false
		case <-timer.C:
			return true
		case t := <-a.triggered:
			a.capture(t)
		}
	}
}

// flush takes what has been counted since the last profiles.
func (a *collector) flush() {
	for _, s := range a.wanted() {
		if s.name == "memory" && a.cfg.wants(KindAllocs) || s.name == "mutex" || s.name == "block" || s.name == "requests" {
			a.use(s, "")
		}
	}
}

// capture takes the profile that a trigger asks for, on top of the schedule. A
// CPU profile that is under way is not disturbed: it sees what there is to see,
// and the one that was asked for follows it.
func (a *collector) capture(t triggerReason) {
	if t == triggerCPU && a.profiling {
		a.pending = true
		return
	}
	name := map[triggerReason]string{triggerCPU: "cpu", triggerHeap: "memory", triggerGoroutines: "goroutine"}[t]
	for _, s := range a.sources() {
		if s.name == name {
			a.use(s, t)
		}
	}
}
