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
	Title: "a timer is made in each step of a loop",
	Doc: `time.After makes a timer and a channel, some 250 bytes, which a select in a loop does for each message it takes. One timer
made before the loop can be set again with Reset. With a go line of 1.23 or later in go.mod, timers that nobody refers to
are collected before they fire, and Reset and Stop need no draining of the channel; before that they stay until they
fire.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^time\.(After|NewTimer|newTimer)$`),
	// What time.After allocates is allocated in package time.
	Gain:  1.5,
	Match: matchTimerInLoop,
}

func matchTimerInLoop(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("time.After", "time.NewTimer") {
		if !facts.InLoop(c.Cursor) {
			continue
		}
		rest := "what isn't waited for is left to the garbage collector"
		if !s.AtLeast("1.23") {
			rest = "what isn't waited for stays until its time has come"
		}
		matches = append(matches, advice.Match{Node: c.CallExpr, Why: fmt.Sprintf(
			"%s makes a timer and a channel in each step, and %s. Make one timer before the loop, and Reset it.", c.Name, rest)})
	}
	return matches
}

var deferInLoop = &advice.Rule{
	ID:    "defer-in-loop",
	Title: "a loop defers calls until its function ends",
	Doc: `A deferred call in a loop is put on a list, an object each, and all of them run when the function ends, which keeps what
they close or unlock until then. A function for the body of the loop runs each at the end of its step, and such defers
cost next to nothing. Defers outside of loops are not reported.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^runtime\.(deferproc\w*|newdefer|deferreturn|freedefer)$`),
	Gain:   1.5,
	Match: func(s *advice.Site) []advice.Match {
		var matches []advice.Match
		for _, c := range s.Nodes() {
			if n, ok := c.Node().(*ast.DeferStmt); ok && facts.InLoop(c) {
				matches = append(matches, advice.Match{Node: n,
					Why: "Each step puts a deferred call on a list, and none runs before the function ends. Give the body of the loop a function of its own, or call it at the end of the step."})
			}
		}
		return matches
	},
}

var timeNowLoop = &advice.Rule{
	ID:    "time-now-loop",
	Title: "the clock is read in each step of a loop",
	Doc: `time.Now takes some 40 ns, as it reads two clocks, time.Since about half of that. In a loop whose steps take no longer
than that, read the clock once before it, or every hundredth step.`,
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
				"%s reads the clock in each step, which takes a part of the time that shows. Read it once before the loop if that is exact enough, or every so many steps.", c.Name)})
		}
		return matches
	},
}

var goroutinePerItem = &advice.Rule{
	ID:    "goroutine-per-item",
	Title: "a goroutine is started for each step of a loop",
	Doc: `Starting a goroutine and waiting for it takes about a third of a microsecond, and its stack grows again each time. Where an
item takes no longer than a few microseconds, start as many goroutines as there are processors, and let each take a range
of the items, or items from a channel in batches.

Loops without a condition, which servers accept connections in, are not reported.`,
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
			m := advice.Match{Node: c.Node(), Why: "Starting a goroutine for each step takes a part of the time that shows. Start as many as there are processors, and give each a range of the items, or batches of them."}
			if b, ok := facts.TripsOf(s, loop.Node()); ok && b.Counts {
				m.Why = "These goroutines are started anew each time, which takes a part of the time that shows. Give each more to do, or start them once and send them work."
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
