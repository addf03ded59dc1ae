package trace

import (
	"strings"

	"golang.org/x/exp/trace"
)

// wall is the state of reading a trace.
type wall struct {
	Options
	in    *counter
	stats Stats

	stacks     stacks
	goroutines map[trace.GoID]*goroutine
	times      map[where]*spent

	begun      bool
	start, now trace.Time
	generation trace.Time // when the present one began
	wallClock  int64      // at start, ns since 1970; 0 if the trace does not tell
}

// A goroutine is one that lives.
type goroutine struct {
	since  trace.Time // when it came into its state
	state  string
	stack  uint32 // the last known
	assist bool   // within a GC assist, whatever its state
	back   bool   // it came back from a wait or system call, so from the innermost function of stack

	moved   bool     // its state changed at least once
	samples []uint32 // stacks of CPU samples since it runs
	kind    kind
	served  bool       // time of it was left out that it served a page of hone's agent
	early   []interval // before anything of its stack is known
}

type interval struct {
	state string
	nanos int64
}

// leavesOut reports whether goroutines of a kind don't count.
func (w *wall) leavesOut(k kind) bool {
	return k == skipped || k == system && !w.System || k == agent && !w.Agent
}

// leftOut counts a goroutine that does not count for its kind.
func (w *wall) leftOut(k kind) {
	switch k {
	case system:
		w.stats.System++
	case agent:
		w.stats.Agent++
	case skipped:
		w.stats.Skipped++
	}
}

// sync begins a generation. Stacks of the one before are not compared with, and
// would keep it in memory.
func (w *wall) sync(e trace.Event) {
	if !w.begun {
		w.begun, w.start = true, e.Time()
	}
	w.generation = e.Time()
	if c := e.Sync().ClockSnapshot; c != nil && w.wallClock == 0 {
		w.wallClock = c.Wall.UnixNano() - int64(c.Trace-w.start)
	}
	w.stacks.forget()
}

// transition moves a goroutine from one state to the next.
func (w *wall) transition(t trace.StateTransition) {
	id := t.Resource.Goroutine()
	from, to := t.Goroutine()
	at := w.stacks.of(t.Stack)
	g := w.goroutines[id]
	if g == nil {
		// One that was there before. What it is in it has been in since the
		// generation began: an earlier change would have told of it earlier.
		g = &goroutine{since: w.generation, stack: at}
		if from == trace.GoNotExist {
			g.since = w.now
			g.moved = true
		}
		w.goroutines[id] = g
		g.state = w.stateOf(g, to, t.Reason)
		return
	}
	if from == to { // told again, in a later generation
		if g.stack == 0 {
			g.stack = at
		}
		return
	}
	w.spend(g, at)
	g.moved = true
	switch from {
	case trace.GoWaiting, trace.GoSyscall:
		g.back = true
	case trace.GoRunning:
		g.back = false
	}
	if at != 0 {
		g.stack = at
	}
	if to == trace.GoNotExist {
		w.end(g)
		delete(w.goroutines, id)
		return
	}
	g.state = w.stateOf(g, to, t.Reason)
}

func (w *wall) stateOf(g *goroutine, s trace.GoState, reason string) string {
	switch s {
	case trace.GoRunnable:
		return Runnable
	case trace.GoRunning:
		if g.assist {
			return Assist
		}
		return Running
	case trace.GoSyscall:
		return Syscall
	}
	if reason == "" || reason == "unspecified" {
		return w.stacks.reason(g.stack)
	}
	return reason
}

// assist tells marking for the garbage collector from running.
func (w *wall) assist(e trace.Event) {
	r := e.Range()
	if r.Name != "GC mark assist" || r.Scope.Kind != trace.ResourceGoroutine {
		return
	}
	g := w.goroutines[r.Scope.Goroutine()]
	if g == nil {
		return
	}
	begins := e.Kind() != trace.EventRangeEnd
	if g.assist == begins {
		return
	}
	g.assist = begins
	if g.state != Running && g.state != Assist {
		return
	}
	at := uint32(0)
	if e.Kind() == trace.EventRangeBegin {
		at = w.stacks.of(e.Stack())
	}
	w.spend(g, at)
	if at != 0 {
		g.stack = at
	}
	g.state = Running
	if begins {
		g.state = Assist
	}
}

// spend adds the time since a goroutine came into its state, which ends at the
// stack at, 0 if that is not known.
func (w *wall) spend(g *goroutine, at uint32) {
	i := interval{g.state, int64(w.now - g.since)}
	g.since = w.now
	stack := g.stack
	if stack == 0 && at != 0 {
		stack = w.stacks.root(at)
	}
	if stack == 0 {
		g.early = append(g.early, i)
		if len(g.early) > 1 && g.early[len(g.early)-2].state == i.state { // as a rule there is but one
			g.early[len(g.early)-2].nanos += i.nanos
			g.early = g.early[:len(g.early)-1]
		}
		return
	}
	w.classify(g, stack)
	for _, e := range g.early {
		w.add(g, w.stacks.root(stack), e, nil)
	}
	g.early = nil
	samples := g.samples
	g.samples = g.samples[:0]
	if i.state == Running {
		if g.back {
			stack = w.stacks.caller(stack)
		}
		if at == 0 {
			stack = w.stacks.root(stack)
		} else {
			stack = w.stacks.common(stack, at)
		}
	}
	w.add(g, stack, i, samples)
}

func (w *wall) add(g *goroutine, stack uint32, i interval, samples []uint32) {
	if w.leavesOut(g.kind) {
		return
	}
	if by := w.stacks.recorder[stack]; w.leavesOut(by) {
		g.served = g.served || by == agent
		return
	}
	k := where{stack, i.state}
	s := w.times[k]
	if s == nil {
		s = new(spent)
		w.times[k] = s
	}
	s.intervals++
	s.nanos += i.nanos
	for _, sample := range samples {
		if s.samples == nil {
			s.samples = make(map[uint32]int64)
		}
		s.samples[sample]++
		w.stats.CPUSamples++
	}
}

// classify decides, once, what a goroutine is by a stack of it.
func (w *wall) classify(g *goroutine, stack uint32) {
	if g.kind != unknown {
		return
	}
	entry := w.stacks.entry(stack)
	switch {
	case w.Skip != nil && w.Skip(entry):
		g.kind = skipped
	case strings.HasPrefix(entry, agentPackage):
		g.kind = agent
	case isSystem(entry):
		g.kind = system
	default:
		g.kind = counts
	}
}

// end counts a goroutine of which there is no more to come.
func (w *wall) end(g *goroutine) {
	for _, e := range g.early {
		w.add(g, 0, e, nil) // it never told a stack
	}
	if w.leavesOut(g.kind) {
		w.leftOut(g.kind)
		return
	}
	if g.served {
		w.stats.Agent++
	}
	w.stats.Goroutines++
}
