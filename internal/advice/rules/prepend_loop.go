package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var prependLoop = &advice.Rule{
	ID:    "prepend-loop",
	Title: "all elements are copied to prepend one",
	Doc: `s = append([]T{x}, s...) allocates a new slice and copies all elements. A loop that does so takes quadratic time. Append
to the end, and reverse the slice after the loop; or, if the number of elements is known, make the slice and fill it from
its end.

The rewrite appends and reverses, for a slice that the loop fills from empty. A loop that returns the slice reverses it
first. Other loops are not reported.`,
	Class:     advice.Safe,
	Frames:    lazyregexp.New(`^runtime\.(growslice|memmove|makeslice)|^slices\.Insert\b`),
	Allocates: true,
	Since:     "1.21",
	Gain:      10,
	Match:     matchPrependLoop,
	Conditions: advice.Conditions{
		Offered: "a local slice starts empty; the loop prepends single elements, with append or slices.Insert, and otherwise only uses the slice's " +
			"length, or returns; no function literal uses the slice, and its address isn't taken; the loop isn't left by goto or a label",
		Review: "the function doesn't use the spare capacity of the slice",
	},
}

func matchPrependLoop(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok {
			continue
		}
		if m, ok := prependsInLoop(s, c, assign); ok {
			matches = append(matches, m)
		}
	}
	return matches
}

// prepended returns the x of s = append([]T{x}, s...) and of s = slices.Insert(s, 0, x).
func prepended(s *advice.Site, assign *ast.AssignStmt) (v types.Object, x ast.Expr) {
	if assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return nil, nil
	}
	v = facts.Object(s.Place, assign.Lhs[0])
	call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	if !ok || v == nil {
		return nil, nil
	}
	switch s.Callee(call) {
	case "append":
		if len(call.Args) != 2 || !call.Ellipsis.IsValid() || facts.Object(s.Place, call.Args[1]) != v {
			return nil, nil
		}
		lit, ok := ast.Unparen(call.Args[0]).(*ast.CompositeLit)
		if !ok || len(lit.Elts) != 1 {
			return nil, nil
		}
		x = lit.Elts[0]
	case "slices.Insert":
		if len(call.Args) != 3 || call.Ellipsis.IsValid() || facts.Object(s.Place, call.Args[0]) != v || !facts.IsInt(s.Place, call.Args[1], 0) {
			return nil, nil
		}
		x = call.Args[2]
	default:
		return nil, nil
	}
	switch x := x.(type) {
	case *ast.KeyValueExpr:
		return nil, nil
	case *ast.CompositeLit:
		if x.Type == nil {
			return nil, nil
		}
	}
	return v, x
}

func prependsInLoop(s *advice.Site, c inspector.Cursor, assign *ast.AssignStmt) (m advice.Match, ok bool) {
	v, x := prepended(s, assign)
	if v == nil || !facts.IsLocal(s.Place, v) || facts.AddressTaken(s.Place, v) || facts.Jumps(s.Place) || facts.Commented(s.Place, assign.Pos(), assign.End()) {
		return m, false
	}
	loop, ok := facts.LoopAround(c)
	if !ok || facts.Within(loop.Node(), v.Pos()) {
		return m, false
	}
	// The slice is empty when the loop starts, and nothing in the loop looks at it.
	d, ok := facts.DeclarationOf(s.Place, v)
	if _, empty := startsEmpty(s, &d); !ok || !empty || len(facts.UsesIn(s.Place, v, d.Node().End(), loop.Node().Pos())) > 0 {
		return m, false
	}
	if outer, ok := facts.LoopAround(loop); ok && !facts.Within(outer.Node(), v.Pos()) {
		return m, false
	}
	var returns []ast.Node
	for _, id := range facts.UsesIn(s.Place, v, loop.Node().Pos(), loop.Node().End()) {
		if (facts.Within(assign, id.Pos()) && !facts.Within(x, id.Pos())) || lengthAsked(s, id) {
			continue
		}
		r := returning(s, id, loop)
		if r == nil {
			return m, false
		}
		if !slices.Contains(returns, r) {
			returns = append(returns, r)
		}
	}
	for c := range loop.Preorder((*ast.BranchStmt)(nil)) {
		if c.Node().(*ast.BranchStmt).Label != nil {
			return m, false // it may lead past the reversal
		}
	}
	pkg, ok := facts.PackageName(s.Place, "slices", loop.Node().Pos())
	stmt, inBlock := facts.Statement(loop)
	if !ok || !inBlock || !facts.Builtins(s.Place, assign.Pos(), "append") {
		return m, false
	}
	name := v.Name()
	m = advice.Match{Node: assign, Class: advice.Safe}
	m.Edits = []advice.Edit{edit.Replace(assign, fmt.Sprintf("%s = append(%[1]s, %s)", name, s.Source(x)))}
	var where []string
	for _, r := range returns {
		m.Edits = append(m.Edits, edit.Insert(r.Pos(), fmt.Sprintf("%s.Reverse(%s)\n", pkg, name)))
		where = []string{"before each return"}
	}
	if !leftByReturns(s, loop) {
		m.Edits = append(m.Edits, edit.Insert(stmt.Node().End(), fmt.Sprintf("\n%s.Reverse(%s)", pkg, name)))
		where = append(where, "after the loop")
	}
	m.Why = fmt.Sprintf("Each iteration allocates a slice and copies all of %s to it. Append, and reverse %[1]s %s.", name, strings.Join(where, " and "))
	m.Imports = []string{"slices"}
	if facts.CapacityObserved(s.Place, v) {
		edit.MustCheck(&m, []string{fmt.Sprintf("that no code uses the spare capacity of %s", name)})
	}
	return m, true
}

// returning returns the return statement in a loop that contains a use, nil if none does.
func returning(s *advice.Site, id *ast.Ident, loop inspector.Cursor) ast.Node {
	c, ok := s.Root().FindNode(id)
	if !ok {
		return nil
	}
	for c := range c.Enclosing((*ast.FuncLit)(nil), (*ast.ReturnStmt)(nil)) {
		if r, ok := c.Node().(*ast.ReturnStmt); ok && facts.Within(loop.Node(), r.Pos()) && facts.InBlock(c) {
			return r
		}
		break
	}
	return nil
}

// leftByReturns reports whether the code after a loop never runs.
func leftByReturns(s *advice.Site, loop inspector.Cursor) bool {
	f, ok := loop.Node().(*ast.ForStmt)
	return ok && f.Cond == nil && !facts.ExitsOf(s.Place, loop).Stops
}

// lengthAsked reports whether a use of a slice only asks for its length.
func lengthAsked(s *advice.Site, id *ast.Ident) bool {
	c, ok := s.Root().FindNode(id)
	if !ok {
		return false
	}
	call, ok := c.Parent().Node().(*ast.CallExpr)
	return ok && s.Callee(call) == "len"
}
