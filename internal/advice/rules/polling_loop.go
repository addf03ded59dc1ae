package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var pollingLoop = &advice.Rule{
	ID:    "polling-loop",
	Title: "a loop asks again and again instead of waiting",
	Doc: `A loop that only asks whether something has happened takes CPU time from the goroutine that makes it happen. With
runtime.Gosched, the scheduler runs each time. With time.Sleep, the loop reacts late, on average by half of the time
that it sleeps. Let the other goroutine wake the waiting one: close a channel, send on it, or use sync.WaitGroup or
sync.Cond.

The rule reports a loop that does nothing else than ask, call runtime.Gosched or time.Sleep, and count its attempts. A
CPU profile hardly shows calls of runtime.Gosched, but an execution trace does. Loops that count to a bound aren't
reported. What the goroutine waits for may be outside of the program, so this rule only gives advice.`,
	Class:     advice.AdviceOnly,
	AlsoWaits: true, // a CPU profile shows the scheduler apart from the line
	Match:     matchPollingLoop,
}

var yields = lazyregexp.New(`^(runtime\.Gosched|time\.Sleep)$`)

// busyPolling is the least share of the CPU time of a loop that only asks.
const busyPolling = 0.05

func matchPollingLoop(s *advice.Site) []advice.Match {
	for _, c := range s.Nodes() {
		loop, ok := c.Node().(*ast.ForStmt)
		if !ok {
			var outer inspector.Cursor
			if outer, ok = facts.LoopAround(c); ok {
				loop, ok = outer.Node().(*ast.ForStmt)
			}
		}
		if !ok {
			continue
		}
		by, polls := pollsBy(s, loop)
		if !polls || len(by) == 0 && s.Flat() < busyPolling && s.TimeAt(loop.Pos()) < busyPolling {
			continue
		}
		asked := "The loop"
		if loop.Cond != nil {
			asked = fmt.Sprintf("The loop asks for %s, and", s.Source(loop.Cond))
		}
		why := asked + " does nothing in between, so it keeps a CPU busy."
		switch by {
		case "runtime.Gosched":
			why = asked + " calls runtime.Gosched in between, so that the scheduler runs again and again."
		case "time.Sleep":
			why = asked + " sleeps in between: it wakes up for nothing, and reacts late."
		}
		return []advice.Match{{Node: loop, Why: why + " Let the goroutine that changes this wake the one that waits: with a channel, a sync.WaitGroup or a sync.Cond."}}
	}
	return nil
}

// pollsBy reports whether a loop only waits for a condition, and which function it calls in between.
func pollsBy(s *advice.Site, loop *ast.ForStmt) (by string, polls bool) {
	if loop.Cond == nil && !asksInside(s, loop) || loop.Cond != nil && !asks(s, loop.Cond) {
		return "", false
	}
	if loop.Init != nil || loop.Post != nil {
		if b, ok := facts.TripsOf(s.Place, loop); ok && b.Counts {
			return "", false
		}
	}
	for _, stmt := range loop.Body.List {
		switch stmt := stmt.(type) {
		case *ast.EmptyStmt, *ast.IncDecStmt:
		case *ast.BranchStmt:
			if stmt.Tok != token.CONTINUE {
				return "", false
			}
		case *ast.ExprStmt:
			call, ok := stmt.X.(*ast.CallExpr)
			if !ok || !yields.MatchString(s.Callee(call)) {
				return "", false
			}
			by = s.Callee(call)
		case *ast.IfStmt:
			if !leavesOnly(stmt) || !asks(s, stmt.Cond) {
				return "", false
			}
		default:
			return "", false
		}
	}
	return by, true
}

// asksInside reports whether a loop without a condition has one at the start of its body that leaves it.
func asksInside(s *advice.Site, loop *ast.ForStmt) bool {
	for _, stmt := range loop.Body.List {
		if cond, ok := stmt.(*ast.IfStmt); ok && leavesOnly(cond) && asks(s, cond.Cond) {
			return true
		}
	}
	return false
}

// leavesOnly reports whether a statement only breaks or returns if a condition holds.
func leavesOnly(stmt *ast.IfStmt) bool {
	if stmt.Init != nil || stmt.Else != nil || len(stmt.Body.List) != 1 {
		return false
	}
	switch leave := stmt.Body.List[0].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return leave.Tok == token.BREAK
	}
	return false
}

// asks reports whether a condition reads what other goroutines change: it loads atomically, or reads a field, a
// variable of the package, or the length of a channel.
func asks(s *advice.Site, cond ast.Expr) bool {
	reads := false
	for n := range ast.Preorder(cond) {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := s.Callee(n)
			switch {
			case strings.HasPrefix(name, "(*sync/atomic.") && (strings.HasSuffix(name, ").Load") || strings.HasSuffix(name, ").CompareAndSwap")),
				strings.HasPrefix(name, "sync/atomic.Load"), strings.HasPrefix(name, "sync/atomic.CompareAndSwap"), name == "(*sync.Mutex).TryLock":
				reads = true
			case name == "len" && len(n.Args) == 1:
				reads = reads || isChannel(s, n.Args[0])
			default:
				return false
			}
		case *ast.FuncLit:
			return false
		}
	}
	return reads
}

func isChannel(s *advice.Site, e ast.Expr) bool {
	_, ok := facts.Under(s.Info.TypeOf(e)).(*types.Chan)
	return ok
}
