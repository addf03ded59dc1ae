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
	return makeProfile(w.times, &w.stacks, w.wallClock, w.stats.Duration), w.stats, nil
}

func (w *wall) read() error {
	r, err := trace.NewReader(w.in)
	switch {
	case w.in.err != nil:
		return w.in.err // of the source
	case err != nil: // it has read the header alone, which Wall knows to be one
		return fmt.Errorf("the trace comes from a newer Go than this hone can read: %w", err)
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
	// Of a batch that is cut off the reader gives a text alone.
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), strings.Contains(text, "failed to read full batch"):
		return fmt.Errorf("the trace is cut off at byte %d, after %v: did the program end before trace.Stop?", w.in.n, read.Round(time.Millisecond))
	}
	return fmt.Errorf("the trace is damaged near byte %d, after %v: %s", w.in.n, read.Round(time.Millisecond), text)
}
