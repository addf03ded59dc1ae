// Package trace turns Go execution traces into wall-clock profiles: where each
// goroutine spent its time, running or not.
//
// A CPU profile shows a program that runs; one that waits for a lock, a channel,
// the network or a timer has none of that in it. An execution trace has every
// change of every goroutine's state, so the profile made of it is exact: no
// sampling, and the time of a goroutine adds up to its life.
//
//	trace      events: goroutine 7 waits (sleep) at main.poll:12; is runnable; runs …
//	intervals  of one goroutine in one state, each with a stack
//	profile    intervals with equal stack and state added up:
//	           intervals/count, wall/nanoseconds, label state
//
// # Stacks
//
// An event that ends running tells where the goroutine is, so waits and system
// calls have the stack that made them, and so has the time between the end of
// a wait and running again (runnable). What a goroutine did while it ran, a trace
// does not tell. It left the stack of one event and arrived at that of the next;
// the frames that both have were there all the time, so running time stands on
// these. If the program was profiled for CPU time during the trace, the trace has
// those samples too, and the running time of each such stack is divided among
// the samples taken there.
package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/profile"
	"golang.org/x/exp/trace"
)

// Options select goroutines, and bound memory.
type Options struct {
	// System keeps goroutines of the runtime, and those that record the trace.
	System bool
	// Agent keeps those of hone's agent, and those that serve its pages.
	Agent bool
	// Idle keeps goroutines that wait all the time: they have no wait that began
	// or ended, only one that covers the trace.
	Idle bool
	// Skip, if set, leaves out goroutines by the function they started with.
	Skip func(entry string) bool
	// MaxStacks bounds the number of different stacks; 0 is DefaultMaxStacks.
	MaxStacks int
	// MaxGeneration bounds a generation of the trace, in bytes, which the reader holds
	// as a whole; 0 is DefaultMaxGeneration. A program begins one each second.
	MaxGeneration int64
	// MaxGoroutines bounds the goroutines alive at once; 0 is DefaultMaxGoroutines.
	MaxGoroutines int
}

// DefaultMaxStacks is far more than programs have, and some 200 MB.
const DefaultMaxStacks = 1 << 20

// The largest programs write some 100 MB of trace a second, and have a million goroutines.
const (
	DefaultMaxGeneration = 512 << 20
	DefaultMaxGoroutines = 4 << 20
)

// maxSamples bounds the CPU samples that are kept of a goroutine until it stops running.
const maxSamples = 16 << 20

// Stats are what a profile made of a trace does not say.
type Stats struct {
	Duration   time.Duration // of the trace
	Goroutines int           // in the profile
	System     int           // left out: of the runtime
	Agent      int           // left out, all of it or in part: of hone's agent
	Idle       int           // left out: waited all the time
	Skipped    int           // left out: asked for
	CPUSamples int           // by which running time was divided
}

// The states of a goroutine besides its waits, which are called what the runtime
// calls them: "sleep", "chan receive", "select", "sync", "network" and so on.
const (
	Running  = "running"
	Runnable = "runnable"  // waiting for a processor
	Syscall  = "syscall"   // in a system call
	Assist   = "GC assist" // made to mark for the garbage collector
	Waiting  = "waiting"   // for what is not known: since before the trace
)

// StateLabel is the key of the label that says what a sample's goroutines did.
const StateLabel = "state"

// oldest is the first version of Go whose traces can be read as they arrive: older
// ones come in another format, in no order.
const oldest = 22

var header = lazyregexp.New(`^go 1\.(\d+) trace\x00\x00\x00`)

// HeaderSize is how much of a file Is wants to see.
const HeaderSize = 16

// Is reports whether data begins an execution trace of whatever version.
func Is(data []byte) bool { return header.Match(data) }

// Wall reads an execution trace to its end and returns the wall-clock profile of
// it. Memory is bounded by one generation of the trace, which is about a second,
// the goroutines alive, and the different stacks: Options has the limits.
func Wall(r io.Reader, o Options) (p *profile.Profile, stats Stats, err error) {
	head := make([]byte, HeaderSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return nil, stats, err
	}
	m := header.FindSubmatch(head[:n])
	if m == nil {
		return nil, stats, errors.New("not an execution trace: it does not begin with \"go 1.N trace\"")
	}
	if version, _ := strconv.Atoi(string(m[1])); version < oldest {
		return nil, stats, fmt.Errorf("the trace is in the format of Go 1.%d; those of Go 1.%d and later can be read", version, oldest)
	}
	in := &counter{r: io.MultiReader(strings.NewReader(string(head[:n])), r)}
	w := &wall{Options: o, in: in, goroutines: make(map[trace.GoID]*goroutine), times: make(map[where]*spent)}
	w.stacks.init()
	if w.MaxStacks <= 0 {
		w.MaxStacks = DefaultMaxStacks
	}
	if w.MaxGoroutines <= 0 {
		w.MaxGoroutines = DefaultMaxGoroutines
	}
	in.most = cmp.Or(o.MaxGeneration, DefaultMaxGeneration)
	defer func() {
		// The reader trusts some of what it reads: a trace whose bytes were changed
		// may make it panic, which must not end hone.
		if bad := recover(); bad != nil {
			p, err = nil, fmt.Errorf("the trace is damaged near byte %d: %v", in.n, bad)
		}
	}()
	if err := w.read(); err != nil {
		return nil, w.stats, err
	}
	return w.profile(), w.stats, nil
}

// A counter counts what was read, for errors.
type counter struct {
	r   io.Reader
	n   int64
	err error // other than io.EOF

	generation int64 // bytes of the one that is read, and perhaps of the one before
	most       int64 // of them
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.generation += int64(n); c.generation > c.most {
		err = &profile.LimitError{What: "bytes in a generation of the trace", Limit: c.most}
	}
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

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

// A kind says whether a goroutine counts.
type kind uint8

const (
	unknown kind = iota
	counts
	system
	agent
	skipped
)

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

// where is what intervals are added up by.
type where struct {
	stack uint32
	state string
}

// spent is what was spent there.
type spent struct {
	intervals, nanos int64
	samples          map[uint32]int64 // CPU samples by stack, of running time
}

func (w *wall) read() error {
	r, err := trace.NewReader(w.in)
	if err != nil {
		return w.explain(err)
	}
	for {
		e, err := r.ReadEvent()
		if err == io.EOF {
			break
		}
		if err != nil {
			return w.explain(err)
		}
		w.now = e.Time()
		switch e.Kind() {
		case trace.EventSync:
			w.in.generation = 0
			w.sync(e)
		case trace.EventStateTransition:
			if t := e.StateTransition(); t.Resource.Kind == trace.ResourceGoroutine {
				w.transition(t)
			}
		case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
			w.assist(e)
		case trace.EventStackSample:
			if g := w.goroutines[e.Goroutine()]; g != nil && g.state == Running && len(g.samples) < maxSamples {
				g.samples = append(g.samples, w.stacks.of(e.Stack()))
			}
		}
		if n := len(w.stacks.frames); n > w.MaxStacks {
			return &profile.LimitError{What: "stacks", Limit: int64(w.MaxStacks)}
		}
		if len(w.goroutines) > w.MaxGoroutines {
			return &profile.LimitError{What: "goroutines", Limit: int64(w.MaxGoroutines)}
		}
	}
	if !w.begun || w.now <= w.start {
		return errors.New("the trace is empty")
	}
	w.stats.Duration = time.Duration(w.now - w.start)
	for _, g := range w.goroutines {
		idle := !g.moved && g.state != Running && g.state != Runnable && g.state != Assist
		if idle && !w.Idle {
			if g.stack != 0 {
				w.classify(g, g.stack)
			}
			if w.leavesOut(g.kind) {
				w.leftOut(g.kind)
			} else {
				w.stats.Idle++
			}
			continue
		}
		w.spend(g, 0)
		w.end(g)
	}
	return nil
}

// explain says what an error of the reader means.
func (w *wall) explain(err error) error {
	if w.in.err != nil {
		return w.in.err // of the source
	}
	read := time.Duration(0)
	if w.begun {
		read = time.Duration(w.now - w.start)
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	switch {
	case strings.Contains(text, "unknown or unsupported"):
		return fmt.Errorf("the trace is of a newer Go than this hone knows: %s", text)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), strings.HasSuffix(text, "EOF"), strings.Contains(text, "failed to read full batch"):
		return fmt.Errorf("the trace is cut off at byte %d, after %v: did the program end before trace.Stop?", w.in.n, read.Round(time.Millisecond))
	}
	return fmt.Errorf("the trace is damaged near byte %d, after %v: %s", w.in.n, read.Round(time.Millisecond), text)
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

// isSystem reports whether goroutines that start with a function are the
// runtime's, or there because of the trace or a CPU profile.
func isSystem(entry string) bool {
	return strings.HasPrefix(entry, "runtime.") && entry != "runtime.main" ||
		strings.HasPrefix(entry, "runtime/trace.") || strings.HasPrefix(entry, "runtime/pprof.") || entry == "os/signal.loop"
}

// agentPackage begins the functions that goroutines of hone's agent start with, and
// agentPages those that serve its pages, on goroutines of package net/http.
const (
	agentPackage = "github.com/hone-go/hone/agent."
	agentPages   = agentPackage + "pages."
)

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
