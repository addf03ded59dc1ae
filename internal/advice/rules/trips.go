package rules

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
)

func countBound(s *advice.Site, f *ast.ForStmt) (bound, bool) {
	init, ok := f.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
		return bound{}, false
	}
	post, ok := f.Post.(*ast.IncDecStmt)
	if !ok {
		return bound{}, false
	}
	cond, ok := f.Cond.(*ast.BinaryExpr)
	i := object(s, init.Lhs[0])
	if !ok || i == nil || object(s, cond.X) != i || object(s, post.X) != i || assigned(s, i, f.Body) {
		return bound{}, false
	}
	var n ast.Expr
	switch {
	case post.Tok == token.INC && cond.Op == token.LSS && isInt(s, init.Rhs[0], 0):
		n = cond.Y
	case post.Tok == token.INC && cond.Op == token.LEQ && isInt(s, init.Rhs[0], 1):
		n = cond.Y
	case post.Tok == token.DEC && cond.Op == token.GEQ && isInt(s, cond.Y, 0):
		if minus, ok := ast.Unparen(init.Rhs[0]).(*ast.BinaryExpr); ok && minus.Op == token.SUB && isInt(s, minus.Y, 1) {
			n = minus.X
		}
	}
	if n == nil || !repeatable(s, n) || mentions(s, n, i) {
		return bound{}, false
	}
	if b, ok := s.Info.TypeOf(n).Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return bound{}, false
	}
	if length, ok := ast.Unparen(n).(*ast.CallExpr); ok && s.Callee(length) == "len" && !assignedAny(s, length, f.Body) {
		return bound{expr: length.Args[0]}, true
	}
	return bound{expr: n, counts: true, negative: mayBeNegative(s, n)}, !assignedAny(s, n, f.Body)
}

// loopBound returns how often a loop runs: one over something with a length, or that
// counts from 0, or from 1, or down to 0.
func loopBound(s *advice.Site, loop ast.Node) (bound, bool) {
	switch n := loop.(type) {
	case *ast.RangeStmt:
		return rangeBound(s, n)
	case *ast.ForStmt:
		return countBound(s, n)
	}
	return bound{}, false
}

func rangeBound(s *advice.Site, r *ast.RangeStmt) (bound, bool) {
	if operand, to, ok := conversion(s, r.X); ok {
		if slice, ok := to.Underlying().(*types.Slice); ok && isString(s, operand) && isByte(slice.Elem()) && repeatable(s, operand) {
			return bound{expr: operand}, true // of as many bytes
		}
		return bound{}, false
	}
	t := under(s.Info.TypeOf(r.X))
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	switch t := t.(type) {
	case *types.Slice, *types.Array, *types.Map:
		if repeatable(s, r.X) {
			return bound{expr: r.X}, true
		}
		_, call := ast.Unparen(r.X).(*ast.CallExpr)
		return bound{expr: r.X, call: true}, call
	case *types.Basic:
		if t.Info()&types.IsInteger != 0 && repeatable(s, r.X) {
			return bound{expr: r.X, counts: true, negative: mayBeNegative(s, r.X)}, true
		}
	}
	return bound{}, false
}

func mayBeNegative(s *advice.Site, n ast.Expr) bool {
	if v := s.Info.Types[n].Value; v != nil {
		return constant.Sign(v) < 0
	}
	switch n := ast.Unparen(n).(type) {
	case *ast.CallExpr:
		switch s.Callee(n) {
		case "len", "cap":
			return false
		}
	case *ast.BinaryExpr:
		if n.Op == token.ADD || n.Op == token.MUL || n.Op == token.QUO || n.Op == token.SHR { // of lengths, which no sum of a few makes too large
			return !isLength(s, n)
		}
	case *ast.Ident:
		if askedBefore(s, n) {
			return false
		}
	}
	b, ok := s.Info.TypeOf(n).Underlying().(*types.Basic)
	return !ok || b.Info()&types.IsUnsigned == 0
}

// askedBefore reports whether code is in a branch that is taken if a variable is above 0 only.
func askedBefore(s *advice.Site, n *ast.Ident) bool {
	v := object(s, n)
	c, ok := s.Root().FindNode(n)
	if !ok || v == nil || !private(s, v) {
		return false
	}
	var positive func(cond ast.Expr) bool
	positive = func(cond ast.Expr) bool {
		b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
		if !ok {
			return false
		}
		switch b.Op {
		case token.LAND:
			return positive(b.X) || positive(b.Y)
		case token.GTR, token.GEQ:
			limit, ok := constantInt(s, b.Y)
			return ok && limit >= 0 && object(s, b.X) == v
		case token.LSS, token.LEQ:
			limit, ok := constantInt(s, b.X)
			return ok && limit >= 0 && object(s, b.Y) == v
		}
		return false
	}
	for outer := range c.Enclosing((*ast.IfStmt)(nil), (*ast.FuncLit)(nil)) {
		branch, isIf := outer.Node().(*ast.IfStmt)
		if !isIf {
			return false
		}
		if within(branch.Body, n.Pos()) && positive(branch.Cond) {
			return !assigned(s, v, branch.Body)
		}
	}
	return false
}

// isLength reports whether a number is made of lengths and small constants, by sums, fractions and
// small multiples.
func isLength(s *advice.Site, n ast.Expr) bool {
	if v := s.Info.Types[n].Value; v != nil {
		const small = 1 << 40
		c, ok := constant.Int64Val(v)
		return ok && 0 <= c && c < small
	}
	switch n := ast.Unparen(n).(type) {
	case *ast.CallExpr:
		return s.Callee(n) == "len" || s.Callee(n) == "cap"
	case *ast.BinaryExpr:
		switch n.Op {
		case token.ADD:
			return isLength(s, n.X) && isLength(s, n.Y)
		case token.MUL:
			few := func(factor ast.Expr) bool {
				c, ok := constantInt(s, factor)
				return ok && 0 <= c && c <= 1<<10
			}
			return few(n.X) && isLength(s, n.Y) || few(n.Y) && isLength(s, n.X)
		case token.QUO, token.SHR:
			return isLength(s, n.X) && s.Info.Types[n.Y].Value != nil && isLength(s, n.Y)
		}
	}
	return false
}

// A bound is how often the body of a loop runs, where that is known before.
type bound struct {
	expr ast.Expr // what is counted or ranged over
	// counts is set where expr is the number itself, not something that has a length.
	counts bool
	// negative is set where the number may be below 0, which is none.
	negative bool
	// call is set where expr has to run first, once, into a variable.
	call bool
}

// size is the bound as source, and declares what has to be a variable first.
func (b *bound) size(s *advice.Site, at token.Pos) (size, declaration string) {
	switch {
	case b.counts:
		return s.Source(ast.Unparen(b.expr)), ""
	case b.call:
		name := fresh(s, "items", at, s.Func.Node())
		return "len(" + name + ")", name + " := " + s.Source(b.expr) + "\n"
	}
	return "len(" + s.Source(ast.Unparen(b.expr)) + ")", ""
}

// standsAt reports whether the bound is known at a declaration already, and the same
// as where the loop begins: a variable that nothing in between names.
func (b *bound) standsAt(s *advice.Site, d *declaration, loop token.Pos) bool {
	obj := object(s, b.expr)
	return obj != nil && isLocal(s, obj) && obj.Pos() < d.Node().Pos() && resolves(s, obj.Name(), d.Node().Pos()) == obj &&
		len(usesIn(s, obj, d.Node().Pos(), loop)) == 0 && private(s, obj)
}

// never0 reports whether the loop surely runs.
func (b *bound) never0(s *advice.Site) bool {
	if v := s.Info.Types[b.expr].Value; b.counts && v != nil {
		return constant.Sign(v) > 0
	}
	t := s.Info.TypeOf(b.expr).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	a, ok := t.(*types.Array)
	return ok && a.Len() > 0
}

// text is the bound for people.
func (b *bound) text(s *advice.Site) string {
	if b.counts {
		return s.Source(ast.Unparen(b.expr))
	}
	return "len(" + s.Source(ast.Unparen(b.expr)) + ")"
}
