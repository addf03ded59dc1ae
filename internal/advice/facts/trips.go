package facts

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/hone-go/hone/internal/advice/code"
)

func countBound(s *code.Place, f *ast.ForStmt) (Trips, bool) {
	init, ok := f.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 {
		return Trips{}, false
	}
	post, ok := f.Post.(*ast.IncDecStmt)
	if !ok {
		return Trips{}, false
	}
	cond, ok := f.Cond.(*ast.BinaryExpr)
	i := Object(s, init.Lhs[0])
	if !ok || i == nil || Object(s, cond.X) != i || Object(s, post.X) != i || Assigned(s, i, f.Body) {
		return Trips{}, false
	}
	var n ast.Expr
	switch {
	case post.Tok == token.INC && cond.Op == token.LSS && IsInt(s, init.Rhs[0], 0):
		n = cond.Y
	case post.Tok == token.INC && cond.Op == token.LEQ && IsInt(s, init.Rhs[0], 1):
		n = cond.Y
	case post.Tok == token.DEC && cond.Op == token.GEQ && IsInt(s, cond.Y, 0):
		if minus, ok := ast.Unparen(init.Rhs[0]).(*ast.BinaryExpr); ok && minus.Op == token.SUB && IsInt(s, minus.Y, 1) {
			n = minus.X
		}
	}
	if n == nil || !Repeatable(s, n) || Mentions(s, n, i) {
		return Trips{}, false
	}
	if b, ok := s.Info.TypeOf(n).Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return Trips{}, false
	}
	if of := lengthOf(s, n, "len"); of != nil && !AssignedAny(s, of, f.Body) {
		return Trips{Expr: of}, true
	}
	return Trips{Expr: n, Counts: true, Negative: MayBeNegative(s, n)}, !AssignedAny(s, n, f.Body)
}

// TripsOf returns how often a loop runs. The loop must range over something with a length, or count
// up from 0 or 1, or down to 0.
func TripsOf(s *code.Place, loop ast.Node) (Trips, bool) {
	switch n := loop.(type) {
	case *ast.RangeStmt:
		return rangeBound(s, n)
	case *ast.ForStmt:
		return countBound(s, n)
	}
	return Trips{}, false
}

func rangeBound(s *code.Place, r *ast.RangeStmt) (Trips, bool) {
	if operand, to, ok := Conversion(s, r.X); ok {
		if slice, ok := to.Underlying().(*types.Slice); ok && IsString(s, operand) && IsByte(slice.Elem()) && Repeatable(s, operand) {
			return Trips{Expr: operand}, true // one per byte
		}
		return Trips{}, false
	}
	t := Under(s.Info.TypeOf(r.X))
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	switch t := t.(type) {
	case *types.Slice, *types.Array, *types.Map:
		if Repeatable(s, r.X) {
			return Trips{Expr: r.X}, true
		}
		_, call := ast.Unparen(r.X).(*ast.CallExpr)
		return Trips{Expr: r.X, Call: true}, call
	case *types.Basic:
		if t.Info()&types.IsInteger != 0 && Repeatable(s, r.X) {
			return Trips{Expr: r.X, Counts: true, Negative: MayBeNegative(s, r.X)}, true
		}
	}
	return Trips{}, false
}

func MayBeNegative(s *code.Place, n ast.Expr) bool {
	if v := s.Info.Types[n].Value; v != nil {
		return constant.Sign(v) < 0
	}
	switch n := ast.Unparen(n).(type) {
	case *ast.CallExpr:
		if lengthOf(s, n, "len", "cap") != nil {
			return false
		}
	case *ast.BinaryExpr:
		if n.Op == token.ADD || n.Op == token.MUL || n.Op == token.QUO || n.Op == token.SHR { // a sum of a few lengths can't overflow
			return !IsLength(s, n)
		}
	case *ast.Ident:
		if askedBefore(s, n) {
			return false
		}
	}
	b, ok := s.Info.TypeOf(n).Underlying().(*types.Basic)
	return !ok || b.Info()&types.IsUnsigned == 0
}

// askedBefore reports whether code is in a branch that only runs if a variable is above 0.
func askedBefore(s *code.Place, n *ast.Ident) bool {
	v := Object(s, n)
	c, ok := s.Root().FindNode(n)
	if !ok || v == nil || !Private(s, v) {
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
			limit, ok := ConstantInt(s, b.Y)
			return ok && limit >= 0 && Object(s, b.X) == v
		case token.LSS, token.LEQ:
			limit, ok := ConstantInt(s, b.X)
			return ok && limit >= 0 && Object(s, b.Y) == v
		}
		return false
	}
	for outer := range c.Enclosing((*ast.IfStmt)(nil), (*ast.FuncLit)(nil)) {
		branch, isIf := outer.Node().(*ast.IfStmt)
		if !isIf {
			return false
		}
		if Within(branch.Body, n.Pos()) && positive(branch.Cond) {
			return !Assigned(s, v, branch.Body)
		}
	}
	return false
}

// IsLength reports whether a number is computed from lengths and small constants by sums,
// fractions and small multiples.
func IsLength(s *code.Place, n ast.Expr) bool {
	if v := s.Info.Types[n].Value; v != nil {
		const small = 1 << 40
		c, ok := constant.Int64Val(v)
		return ok && 0 <= c && c < small
	}
	switch n := ast.Unparen(n).(type) {
	case *ast.CallExpr:
		return lengthOf(s, n, "len", "cap") != nil
	case *ast.BinaryExpr:
		switch n.Op {
		case token.ADD:
			return IsLength(s, n.X) && IsLength(s, n.Y)
		case token.MUL:
			few := func(factor ast.Expr) bool {
				c, ok := ConstantInt(s, factor)
				return ok && 0 <= c && c <= 1<<10
			}
			return few(n.X) && IsLength(s, n.Y) || few(n.Y) && IsLength(s, n.X)
		case token.QUO, token.SHR:
			return IsLength(s, n.X) && s.Info.Types[n.Y].Value != nil && IsLength(s, n.Y)
		}
	}
	return false
}

// A Trips is a bound for the iterations of a loop that is known before the loop runs.
type Trips struct {
	Expr ast.Expr // the limit of a counting loop, or the operand of range
	// Counts says that Expr is the number itself, and not something with a length.
	Counts bool
	// Negative says that the number may be below 0, which means no iterations.
	Negative bool
	// Call says that Expr has a call: evaluate it only once, into a variable, before the loop.
	Call bool
}

// Size returns the bound as source text, and a declaration that has to come first, if any.
func (b *Trips) Size(s *code.Place, at token.Pos) (size, declaration string) {
	switch {
	case b.Counts:
		return s.Source(ast.Unparen(b.Expr)), ""
	case b.Call:
		name := Fresh(s, "items", at, s.Func.Node())
		return "len(" + name + ")", name + " := " + s.Source(b.Expr) + "\n"
	}
	return "len(" + s.Source(ast.Unparen(b.Expr)) + ")", ""
}

// KnownAt reports whether the bound already has its value at a declaration: it is a variable
// that isn't used between there and the loop.
func (b *Trips) KnownAt(s *code.Place, d *Declaration, loop token.Pos) bool {
	obj := Object(s, b.Expr)
	return obj != nil && IsLocal(s, obj) && obj.Pos() < d.Node().Pos() && Resolves(s, obj.Name(), d.Node().Pos()) == obj &&
		len(UsesIn(s, obj, d.Node().Pos(), loop)) == 0 && Private(s, obj)
}

// AtLeastOne reports whether the loop surely has an iteration.
func (b *Trips) AtLeastOne(s *code.Place) bool {
	if v := s.Info.Types[b.Expr].Value; b.Counts && v != nil {
		return constant.Sign(v) > 0
	}
	t := s.Info.TypeOf(b.Expr).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	a, ok := t.(*types.Array)
	return ok && a.Len() > 0
}

// Text describes the bound to people.
func (b *Trips) Text(s *code.Place) string {
	if b.Counts {
		return s.Source(ast.Unparen(b.Expr))
	}
	return "len(" + s.Source(ast.Unparen(b.Expr)) + ")"
}
