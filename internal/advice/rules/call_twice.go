package rules

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/advice/flow"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var callTwice = &advice.Rule{
	ID:    "call-twice",
	Title: "a call computes again what is known already",
	Doc: `A function of the standard library that depends only on its arguments is called twice with the same values, and nothing
that it reads changes in between. The first call always runs before the second one. Keep the result of the first.

The rewrite uses the variable that has the result, or makes one. The rule only gives advice if the function has several
results, if the arguments are the same values under other names, or if the first call is in a branch of its statement or may
panic there.`,
	Class:  advice.Safe,
	Frames: computingFrames,
	Match:  matchCallTwice,
	Conditions: advice.Conditions{
		Offered: "both calls are the same code with a result that nothing can change, and a variable that nothing else sets has the first result. " +
			"If no variable has it, the arguments must be constants and local variables, and the first call must be one that can be made " +
			"before its statement",
	},
}

// computingFrames are functions of packages that depend on their arguments, as a rule.
var computingFrames = lazyregexp.New(`^(strings|strconv|fmt|path|path/filepath|net/url|time|encoding/hex|html|net/netip|bytes|math|unicode/utf8)\.`)

func matchCallTwice(s *advice.Site) (matches []advice.Match) {
	for _, c := range s.Calls() {
		if c.Name == "" || !computingFrames.MatchString(symbolOf(c.Name)) || !calledBefore(s, c) {
			continue
		}
		f := flow.In(s.Place)
		if f == nil {
			return nil
		}
		first, ok := earlier(s, f, c)
		if !ok {
			continue
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly, Frames: framesOf(c.Name)}
		where := "on this line"
		if line := s.Package.Line(first.Pos()); line != s.Line {
			where = fmt.Sprintf("on line %d", line)
		}
		m.Why = fmt.Sprintf("%s has been called %s with the same arguments, and nothing that it depends on changes; keep that result.", edit.Short(c.Name), where)
		keepResult(s, first, c, &m)
		matches = append(matches, m)
	}
	return matches
}

// calledBefore reports whether the function at a site has another call of a function, with as many arguments. Only then is
// it worth it to follow values.
func calledBefore(s *advice.Site, c code.Call) bool {
	for other := range s.Func.Preorder((*ast.CallExpr)(nil)) {
		if call := other.Node().(*ast.CallExpr); call != c.CallExpr && len(call.Args) == len(c.Args) && s.Callee(call) == c.Name {
			return true
		}
	}
	return false
}

// earlier returns the first call that computes what a call computes.
func earlier(s *advice.Site, f *flow.Function, c code.Call) (first code.Call, ok bool) {
	for _, p := range f.Twice(c.CallExpr) {
		if p.Second.Node() != ast.Node(c.CallExpr) || ok && p.First.Node().Pos() > first.Pos() {
			continue
		}
		first, ok = code.Call{CallExpr: p.First.Node().(*ast.CallExpr), Cursor: p.First, Name: s.Callee(p.First.Node().(*ast.CallExpr))}, true
	}
	return first, ok
}

// keepResult fills in the rewrite: a variable takes the place of the second call.
func keepResult(s *advice.Site, first, second code.Call, m *advice.Match) {
	if facts.Jumps(s.Place) || !facts.SameCode(s.Place, first.CallExpr, second.CallExpr) || !facts.PointerFree(s.Info.TypeOf(second.CallExpr)) ||
		isStatement(first) || isStatement(second) || facts.Commented(s.Place, second.Pos(), second.End()) {
		return
	}
	if v := variableWith(s, first, second); v != nil {
		m.Class, m.Edits = advice.Safe, []advice.Edit{edit.Replace(second.CallExpr, v.Name())}
		return
	}
	stmt, ok := statementOf(s, first)
	if !ok || !facts.Within(stmt.Parent().Node(), second.Pos()) || facts.Commented(s.Place, first.Pos(), first.End()) {
		return
	}
	name := facts.Fresh(s.Place, cmp.Or(facts.PureCalls[first.Name], "result"), first.Pos(), s.Func.Node())
	if s.Declares(name) || facts.Resolves(s.Place, name, second.Pos()) != nil {
		return
	}
	m.Class = advice.Safe
	m.Edits = []advice.Edit{
		edit.Insert(stmt.Node().Pos(), fmt.Sprintf("%s := %s\n", name, s.Source(first.CallExpr))),
		edit.Replace(first.CallExpr, name),
		edit.Replace(second.CallExpr, name),
	}
}

// isStatement reports whether nothing uses the result of a call.
func isStatement(c code.Call) bool {
	_, is := facts.WithParens(c.Cursor).Parent().Node().(*ast.ExprStmt)
	return is
}

// variableWith returns the variable that is declared with the result of a call and that keeps it, if its name means
// this variable at a second call.
func variableWith(s *advice.Site, first, second code.Call) types.Object {
	var name *ast.Ident
	switch d := facts.WithParens(first.Cursor).Parent().Node().(type) {
	case *ast.AssignStmt:
		if d.Tok == token.DEFINE && len(d.Lhs) == 1 && len(d.Rhs) == 1 {
			name, _ = d.Lhs[0].(*ast.Ident)
		}
	case *ast.ValueSpec:
		if len(d.Names) == 1 && len(d.Values) == 1 {
			name = d.Names[0]
		}
	}
	if name == nil {
		return nil
	}
	v, ok := s.Info.Defs[name].(*types.Var)
	if !ok || !facts.IsLocal(s.Place, v) || !facts.Private(s.Place, v) || set(s, v, name) ||
		!types.Identical(v.Type(), s.Info.TypeOf(second.CallExpr)) || facts.Resolves(s.Place, v.Name(), second.Pos()) != v {
		return nil
	}
	return v
}

// set reports whether anything assigns to a variable after its declaration.
func set(s *advice.Site, v *types.Var, declared *ast.Ident) bool {
	for target := range facts.Targets(s.Func.Node()) {
		if id, ok := ast.Unparen(target).(*ast.Ident); ok && id == declared {
			continue
		}
		if facts.RootOf(s.Place, target) == types.Object(v) {
			return true
		}
	}
	return false
}

// statementOf returns the statement that a call can be made before: nothing in the statement runs ahead of the call
// that it could depend on, and the call runs whenever the statement does.
func statementOf(s *advice.Site, c code.Call) (stmt inspector.Cursor, ok bool) {
	stmt, ok = facts.Statement(c.Cursor)
	if !ok || facts.EffectsOf(s.Place, c.CallExpr) != 0 || !facts.SameAt(s.Place, c.CallExpr, stmt.Node().Pos()) {
		return stmt, false
	}
	if clause, ok := stmt.Parent().Node().(*ast.CommClause); ok && clause.Comm == stmt.Node() {
		return stmt, false // nothing fits between it and the case
	}
	whole := stmt.Node()
	switch n := stmt.Node().(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.ReturnStmt:
	case *ast.IfStmt:
		if n.Init != nil || !facts.Within(n.Cond, c.Pos()) {
			return stmt, false
		}
		whole = n.Cond
	default:
		return stmt, false
	}
	for at := c.Cursor; at.Node() != whole; at = at.Parent() {
		switch outer := at.Parent().Node().(type) {
		case *ast.BinaryExpr:
			if (outer.Op == token.LAND || outer.Op == token.LOR) && at.Node() == ast.Node(outer.Y) {
				return stmt, false
			}
		case *ast.FuncLit:
			return stmt, false
		}
	}
	return stmt, true
}
