package rules

import (
	"go/ast"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var busySelect = &advice.Rule{
	ID:    "busy-select",
	Title: "a loop polls channels instead of waiting",
	Doc: `A select with a default case never waits. In a loop that does nothing else, it keeps a CPU busy and takes CPU time from
the goroutine that would send. Without the default case, the select blocks and costs nothing until a channel is ready.
If the loop must also act periodically, add a case that receives from a time.Ticker.

The rule doesn't report a default case, or a loop, that does any work. What the goroutine should wait for depends on its
purpose, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^runtime\.select(nbrecv|nbsend|go)$`),
	Gain:   4,
	Match:  matchBusySelect,
}

func matchBusySelect(s *advice.Site) []advice.Match {
	var matches []advice.Match
	seen := make(map[*ast.SelectStmt]bool)
	for _, c := range s.Nodes() {
		cursor, ok := enclosingSelect(s, c)
		if !ok {
			continue
		}
		sel := cursor.Node().(*ast.SelectStmt)
		if seen[sel] {
			continue
		}
		seen[sel] = true
		if spins(s, cursor, sel) {
			matches = append(matches, advice.Match{Node: sel, Why: "The default case does nothing, and neither does the rest of the loop, so this keeps a CPU busy until a channel is ready. Remove the default case to wait instead."})
		}
	}
	return matches
}

// enclosingSelect returns the select statement that a node is a communication of.
func enclosingSelect(s *advice.Site, c inspector.Cursor) (inspector.Cursor, bool) {
	for up := range c.Enclosing((*ast.SelectStmt)(nil), (*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		sel, ok := up.Node().(*ast.SelectStmt)
		if !ok {
			break
		}
		for _, clause := range sel.Body.List {
			// The body of a case isn't part of the select.
			if comm := clause.(*ast.CommClause); len(comm.Body) > 0 && c.Node().Pos() >= comm.Body[0].Pos() && c.Node().Pos() < comm.End() {
				return up, false
			}
		}
		return up, true
	}
	return c, false
}

// spins reports whether a loop consists of a select with an empty default case.
func spins(s *advice.Site, cursor inspector.Cursor, sel *ast.SelectStmt) bool {
	idle := false
	for _, clause := range sel.Body.List {
		if comm := clause.(*ast.CommClause); comm.Comm == nil {
			idle = true
			for _, stmt := range comm.Body {
				idle = idle && nothing(s, stmt)
			}
		}
	}
	up := cursor.Parent()
	if _, labeled := up.Node().(*ast.LabeledStmt); labeled {
		up = up.Parent()
	}
	block, ok := up.Node().(*ast.BlockStmt)
	if !idle || !ok {
		return false
	}
	loop, ok := up.Parent().Node().(*ast.ForStmt)
	if !ok || loop.Init != nil || loop.Post != nil || loop.Cond != nil && !facts.Plain(s.Place, loop.Cond) {
		return false // a loop that counts ends
	}
	for _, stmt := range block.List {
		if stmt != ast.Stmt(sel) && !nothing(s, stmt) {
			if l, ok := stmt.(*ast.LabeledStmt); !ok || l.Stmt != ast.Stmt(sel) {
				return false
			}
		}
	}
	return true
}

// nothing reports whether a statement does no work.
func nothing(s *advice.Site, stmt ast.Stmt) bool {
	switch stmt := stmt.(type) {
	case *ast.EmptyStmt:
		return true
	case *ast.BranchStmt:
		return stmt.Tok.String() == "continue"
	case *ast.ExprStmt:
		call, ok := stmt.X.(*ast.CallExpr)
		return ok && s.Callee(call) == "runtime.Gosched"
	}
	return false
}
