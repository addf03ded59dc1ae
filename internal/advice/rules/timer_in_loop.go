package rules

import (
	"fmt"
	"go/ast"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var timerInLoop = &advice.Rule{
	ID:    "timer-in-loop",
	Title: "a timer is created in each iteration",
	Doc: `time.After creates a timer and a channel, about 250 bytes, for each message that a select in a loop receives. Create one
timer before the loop and call Reset. With go 1.23 or later in go.mod, timers without references are collected before
they fire, and Reset and Stop don't require draining the channel. Before that, timers stay until they fire. Tickers are
reported, too: before go 1.23, those of time.Tick run forever. The right place for Reset depends on the loop, so this
rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^time\.(After|NewTimer|newTimer|Tick|NewTicker)$`),
	// What time.After allocates is allocated in package time.
	Gain:  1.5,
	Match: matchTimerInLoop,
}

func matchTimerInLoop(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("time.After", "time.NewTimer", "time.Tick", "time.NewTicker") {
		if !facts.InLoop(c.Cursor) {
			continue
		}
		what, reset, rest := "timer", ", and Reset it", "what isn't waited for is left to the garbage collector"
		ticks := c.Name == "time.Tick" || c.Name == "time.NewTicker"
		switch old := !s.AtLeast("1.23"); {
		case ticks && old && c.Name == "time.Tick":
			what, reset, rest = "ticker", "", "none of them ever stops"
		case ticks && old:
			what, reset, rest = "ticker", "", "it runs until Stop is called"
		case ticks:
			what, reset, rest = "ticker", "", "it runs until nothing refers to it"
		case old:
			rest = "what isn't waited for stays until its time has come"
		}
		matches = append(matches, advice.Match{Node: c.CallExpr, Why: fmt.Sprintf(
			"%s makes a %s and a channel in each step, and %s. Make one %s before the loop%s.", c.Name, what, rest, what, reset)})
	}
	return matches
}

var deferInLoop = &advice.Rule{
	ID:    "defer-in-loop",
	Title: "a loop defers calls until the function ends",
	Doc: `A deferred call in a loop is put on a list, with an allocation per call, and all of them run when the function returns.
Until then, the resources they close or unlock stay open. Move the loop body to a function, so that each call runs at
the end of its iteration; such defers cost almost nothing. Defers outside of loops are not reported. A deferred call
that runs earlier may change what the function does, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^runtime\.(deferproc\w*|newdefer|deferreturn|freedefer)$`),
	Gain:   1.5,
	Match: func(s *advice.Site) []advice.Match {
		var matches []advice.Match
		for _, c := range s.Nodes() {
			n, ok := c.Node().(*ast.DeferStmt)
			if !ok {
				continue
			}
			// A call that the last iteration defers runs once, and only after the loop.
			if loop, ok := facts.LoopAround(c); ok && !facts.LastIteration(s.Place, c, loop) {
				matches = append(matches, advice.Match{Node: n,
					Why: "Each iteration adds a deferred call to a list, and none runs before the function returns. Move the loop body to a function, or make the call at the end of the iteration."})
			}
		}
		return matches
	},
}

var timeNowLoop = &advice.Rule{
	ID:    "time-now-loop",
	Title: "the clock is read in each iteration",
	Doc: `time.Now takes about 40 ns because it reads two clocks, and time.Since about half of that. If an iteration takes no
longer than that, read the clock once before the loop, or every hundred iterations. How exact the time must be is a
design decision, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^time\.(Now|now|Since|Until|runtimeNow|runtimeNano)$`),
	Gain:   5,
	Match: func(s *advice.Site) []advice.Match {
		var matches []advice.Match
		for _, c := range s.Calls("time.Now", "time.Since", "time.Until") {
			loop, ok := facts.LoopAround(c.Cursor)
			if !ok || forever(loop) {
				continue
			}
			matches = append(matches, advice.Match{Node: c.CallExpr, Why: fmt.Sprintf(
				"%s reads the clock in each iteration, which takes a noticeable share of the time. Read it once before the loop if that is precise enough, or every few iterations.", c.Name)})
		}
		return matches
	},
}

var goroutinePerItem = &advice.Rule{
	ID:    "goroutine-per-item",
	Title: "a goroutine is started per item",
	Doc: `Starting a goroutine and waiting for it takes about a third of a microsecond, and its stack grows each time. If an item
takes no more than a few microseconds, start one goroutine per CPU, and give each a range of the items, or batches from
a channel.

Loops without a condition, as in servers that accept connections, are not reported. How many items may be processed at
the same time is a design decision, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^runtime\.newproc1?$|^sync\.\(\*WaitGroup\)\.Go$|^golang\.org/x/sync/errgroup\.\(\*Group\)\.Go$`),
	Gain:   2,
	Match: func(s *advice.Site) []advice.Match {
		var matches []advice.Match
		for _, c := range s.Nodes() {
			switch n := c.Node().(type) {
			case *ast.GoStmt:
			case *ast.CallExpr:
				if name := s.Callee(n); name != "(*sync.WaitGroup).Go" && name != "(*golang.org/x/sync/errgroup.Group).Go" {
					continue
				}
			default:
				continue
			}
			loop, ok := facts.LoopAround(c)
			if !ok || forever(loop) {
				continue
			}
			m := advice.Match{Node: c.Node(), Why: "Starting a goroutine per iteration takes a noticeable share of the time. Start one per CPU, and give each a range or batches of the items."}
			if b, ok := facts.TripsOf(s.Place, loop.Node()); ok && b.Counts {
				m.Why = "Starting these goroutines each time takes a noticeable share of the time. Give each more work, or start them once and send them work."
			}
			matches = append(matches, m)
		}
		return matches
	},
}

// forever reports whether a loop has no condition: it waits for events.
func forever(loop inspector.Cursor) bool {
	f, ok := loop.Node().(*ast.ForStmt)
	return ok && f.Cond == nil
}
