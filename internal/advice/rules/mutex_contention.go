package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var unlocks = lazyregexp.New(`^sync\.\(\*(RW)?Mutex\)\.R?Unlock$`)

var mutexContention = &advice.Rule{
	ID:    "mutex-contention",
	Title: "goroutines wait for a lock that is held here",
	Doc: `A mutex profile attributes waiting to the line that unlocks, because the holder is what others waited for. Hold the lock
for less time: do I/O, formatting and other calls before or after. For a counter, use sync/atomic instead of a lock.
Replace data that is mostly read as a whole, in an atomic.Pointer. Split a map by key into several, each with its own
lock.

The rule reports lines with at least a tenth of all lock waiting, and at least 10 ms. The code doesn't show what a lock
protects, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: unlocks,
	Waits:  true,
	Match:  matchMutexContention,
}

func matchMutexContention(s *advice.Site) []advice.Match {
	if w := s.LockWait(unlocks); w.Share < muchWaiting || w.Time < longWaiting {
		return nil
	}
	for _, call := range unlocking(s) {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			continue // a method expression
		}
		lock := s.Source(sel.X)
		m := advice.Match{Node: call}
		held := heldBy(s, call, sel)
		if held == nil {
			m.Why = fmt.Sprintf("Goroutines wait for %s, which is unlocked here. Hold it for less time, or split the data into parts with a lock each.", lock)
			return []advice.Match{m}
		}
		since := fmt.Sprintf("Goroutines wait for %s, which is held from line %d. ", lock, s.Package.Line(held.lock.Pos()))
		switch slow := held.slow(s); {
		case len(slow) > 0:
			m.Why = since + fmt.Sprintf("While it is held, %s; do that before or after, if possible.", strings.Join(slow, " and "))
		case held.counts(s):
			m.Why = since + "It only guards a counter; use a type of sync/atomic, such as atomic.Int64."
		case held.usesMap(s):
			m.Why = since + "It guards a map; split the map by key into several, each with its own lock. If it is mostly read, let readers load a map from an atomic.Pointer that writers replace, or try sync.Map."
		default:
			m.Why = since + "Hold it for less time, or split the data into parts with a lock each."
		}
		return []advice.Match{m}
	}
	return nil
}

var unlockNames = []string{"(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock", "(*sync.RWMutex).RUnlock"}

// unlocking returns the calls on a line that unlock, or, where the function returns, the deferred one.
func unlocking(s *advice.Site) []*ast.CallExpr {
	var calls []*ast.CallExpr
	for _, c := range s.Calls(unlockNames...) {
		calls = append(calls, c.CallExpr)
	}
	if len(calls) > 0 {
		return calls
	}
	ast.Inspect(s.Body(), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			if slices.Contains(unlockNames, s.Callee(n.Call)) {
				calls = append(calls, n.Call)
			}
		}
		return true
	})
	if len(calls) > 1 {
		return nil // it isn't known which one
	}
	return calls
}

// A held describes what a function does between locking and unlocking.
type held struct {
	lock  ast.Stmt
	stmts []ast.Stmt
}

// heldBy finds the statements before a call that unlocks, starting at the one in the same block that
// locks; for a deferred call, the ones after it.
func heldBy(s *advice.Site, unlock *ast.CallExpr, sel *ast.SelectorExpr) *held {
	var found *held
	name := strings.TrimSuffix(sel.Sel.Name, "Unlock") + "Lock"
	ast.Inspect(s.Body(), func(n ast.Node) bool {
		list := facts.Statements(n)
		end, deferred := -1, false
		for i, stmt := range list {
			switch stmt := stmt.(type) {
			case *ast.ExprStmt:
				if stmt.X == unlock {
					end = i
				}
			case *ast.DeferStmt:
				if stmt.Call == unlock {
					end, deferred = i, true
				}
			}
		}
		for i := end - 1; i >= 0; i-- {
			x, ok := list[i].(*ast.ExprStmt)
			if !ok {
				continue
			}
			call, ok := x.X.(*ast.CallExpr)
			if !ok {
				continue
			}
			if lock, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && lock.Sel.Name == name && s.Source(lock.X) == s.Source(sel.X) {
				found = &held{x, list[i+1 : end]}
				if deferred {
					found.stmts = slices.Concat(list[i+1:end], list[end+1:])
				}
				break
			}
		}
		return true
	})
	return found
}

// inspect visits what runs while the lock is held, except function literals, which may run later.
func (h *held) inspect(visit func(ast.Node)) {
	for _, stmt := range h.stmts {
		ast.Inspect(stmt, func(n ast.Node) bool {
			if _, literal := n.(*ast.FuncLit); literal || n == nil {
				return false
			}
			visit(n)
			return true
		})
	}
}

// slowPackages have functions that take long compared to locking: input and output, formatting and
// encoding.
var slowPackages = []string{
	"bufio", "compress", "database/sql", "encoding", "fmt", "html/template", "io", "log", "net", "os", "regexp", "text/template",
}

// quickPackages are below slow ones, but aren't slow.
var quickPackages = []string{"encoding/binary", "io/fs", "net/netip", "net/textproto", "net/url", "os/signal"}

// slow names operations that are known to take long; at most two.
func (h *held) slow(s *advice.Site) []string {
	var all []string
	add := func(text string) {
		if !slices.Contains(all, text) && len(all) < 2 {
			all = append(all, text)
		}
	}
	h.inspect(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.SendStmt:
			add("a channel is sent to")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				add("a channel is received from")
			}
		case *ast.CallExpr:
			name := s.Callee(n)
			if name == "time.Sleep" {
				add("the goroutine sleeps")
			}
			sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
			if !ok {
				return
			}
			fn, ok := s.Info.Uses[sel.Sel].(*types.Func)
			if !ok || fn.Pkg() == nil {
				return
			}
			path := fn.Pkg().Path()
			if slices.Contains(quickPackages, path) || name == "fmt.Errorf" {
				return // on error paths
			}
			if slices.ContainsFunc(slowPackages, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") }) {
				add(edit.Short(name) + " is called")
			}
		}
	})
	return all
}

// counts reports whether the code only changes integers and returns.
func (h *held) counts(s *advice.Site) bool {
	counted := false
	for _, stmt := range h.stmts {
		switch stmt := stmt.(type) {
		case *ast.IncDecStmt:
			if !isCounter(s, stmt.X) {
				return false
			}
			counted = true
		case *ast.AssignStmt:
			if stmt.Tok != token.ADD_ASSIGN && stmt.Tok != token.SUB_ASSIGN || !isCounter(s, stmt.Lhs[0]) || !facts.Plain(s.Place, stmt.Rhs[0]) {
				return false
			}
			counted = true
		case *ast.ReturnStmt:
			if len(stmt.Results) > 1 || len(stmt.Results) == 1 && !facts.Plain(s.Place, stmt.Results[0]) {
				return false
			}
		default:
			return false
		}
	}
	return counted && len(h.stmts) <= 2
}

// isCounter reports whether an expression is an integer variable or field.
func isCounter(s *advice.Site, e ast.Expr) bool {
	t, ok := s.Info.TypeOf(e).Underlying().(*types.Basic)
	return ok && t.Info()&types.IsInteger != 0 && facts.Plain(s.Place, e)
}

func (h *held) usesMap(s *advice.Site) bool {
	found := false
	h.inspect(func(n ast.Node) {
		if x, ok := n.(*ast.IndexExpr); ok {
			if t := s.Info.TypeOf(x.X); t != nil {
				_, isMap := t.Underlying().(*types.Map)
				found = found || isMap
			}
		}
	})
	return found
}
