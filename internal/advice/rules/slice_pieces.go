package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// perAppend returns how many elements a call of append appends. ok is false if that varies.
func perAppend(s *advice.Site, call *ast.CallExpr) (n int, ok bool) {
	if !call.Ellipsis.IsValid() {
		return len(call.Args) - 1, true
	}
	piece := ast.Unparen(call.Args[1])
	if v := s.Info.Types[piece].Value; v != nil && v.Kind() == constant.String {
		return len(constant.StringVal(v)), true
	}
	part, ok := piece.(*ast.SliceExpr)
	if !ok {
		return 0, false
	}
	t := s.Info.TypeOf(part.X).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	array, ok := t.(*types.Array)
	if !ok {
		return 0, false
	}
	from, ok1 := constantOr(s, part.Low, 0)
	to, ok2 := constantOr(s, part.High, array.Len())
	return int(to - from), ok1 && ok2
}

// constantOr returns the value of a constant number, or other if e is nil. ok is false if e isn't constant.
func constantOr(s *advice.Site, e ast.Expr, other int64) (int64, bool) {
	if e == nil {
		return other, true
	}
	v := s.Info.Types[e].Value
	if v == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(v))
}

// growByPieces gives a slice room for all pieces that a loop over them appends.
func (g *growth) growByPieces(c inspector.Cursor, m *advice.Match) {
	s, dst, at := g.s, g.call.Args[0], g.loop.Node().Pos()
	more, ok := g.piece(c)
	stmt, inBlock := facts.Statement(g.loop)
	pkg, hasPackage := facts.PackageName(s.Place, "slices", at)
	if !ok || !inBlock || stmt != g.loop || !hasPackage || g.again() || noSize(s, dst) || !facts.Plain(s.Place, dst) || facts.Jumps(s.Place) || !facts.Builtins(s.Place, at, "len") {
		return
	}
	r := g.loop.Node().(*ast.RangeStmt)
	size, piece, pieces := facts.Fresh(s.Place, "size", at, s.Func.Node()), s.Source(r.Value), s.Source(r.X)
	if !edit.OneLine(pieces) {
		return
	}
	m.Edits = []advice.Edit{edit.Insert(at, fmt.Sprintf("%[1]s := 0\nfor _, %[2]s := range %[3]s {\n%[1]s += len(%[2]s)%[4]s\n}\n%[5]s = %[6]s.Grow(%[5]s, %[1]s)\n", size, piece, pieces, more, g.target, pkg))}
	m.Imports, m.Since, m.Class = []string{"slices"}, "1.21", advice.Review
	var check []string
	if g.obj != nil && facts.IsLocal(s.Place, g.obj) {
		m.Class = advice.Safe
		check = movesSeen(s, g.obj, g.target, g.lastAppend())
	}
	if m.Class == advice.Review || check != nil {
		check = append(check, facts.SharedRoom(s.Place, dst, g.loop.Node())...)
	}
	if exits := facts.ExitsOf(s.Place, g.loop); exits.Panics || len(exits.Returns) > 0 {
		check = append(check, fmt.Sprintf("that the loop rarely returns early, and that no code distinguishes nil from an empty %s then", g.target))
	}
	if facts.PanicsBeside(s.Place, dst) != 0 {
		check = append(check, fmt.Sprintf("that %s doesn't panic: it is now evaluated before the loop, even without iterations", g.target))
	}
	edit.MustCheck(m, check)
}

// piece reports whether each iteration appends the value of a loop over a slice or an array, once, and
// nothing else of unknown length. more is what it appends besides: "", or as in "+1".
func (g *growth) piece(c inspector.Cursor) (more string, ok bool) {
	s := g.s
	r, ok := g.loop.Node().(*ast.RangeStmt)
	if !ok || r.Tok != token.DEFINE || r.Value == nil || c.Parent().Node() != r.Body {
		return "", false
	}
	v := facts.Object(s.Place, r.Value)
	if v == nil || facts.Object(s.Place, g.call.Args[1]) != v || facts.Assigned(s.Place, v, r.Body) || facts.AddressTaken(s.Place, v) {
		return "", false
	}
	b, ok := facts.TripsOf(s.Place, r)
	if !ok || b.Call || b.Counts || !ranged(s, r.X) || g.obj != nil && facts.Mentions(s.Place, r.X, g.obj) {
		return "", false
	}
	if e := facts.ExitsOf(s.Place, g.loop); e.Skips || e.Stops {
		return "", false
	}
	n, known := 0, make(map[*ast.Ident]bool)
	for c := range g.loop.Preorder((*ast.AssignStmt)(nil)) {
		assign := c.Node().(*ast.AssignStmt)
		call, ok := facts.AppendTo(s.Place, assign)
		if !ok || types.ExprString(assign.Lhs[0]) != g.target {
			continue
		}
		k, fixed := perAppend(s, call)
		if c.Parent().Node() != r.Body || !fixed && call != g.call {
			return "", false
		}
		n += k
		for _, e := range []ast.Expr{assign.Lhs[0], call.Args[0]} {
			if id, ok := ast.Unparen(e).(*ast.Ident); ok {
				known[id] = true
			}
		}
	}
	g.seen = false
	g.see(known)
	if n > 0 {
		more = fmt.Sprintf("+%d", n)
	}
	return more, !g.seen
}

// ranged reports whether a loop over an expression iterates over the elements of a slice or an array.
func ranged(s *advice.Site, e ast.Expr) bool {
	t := facts.Under(s.Info.TypeOf(e))
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	switch t.(type) {
	case *types.Slice, *types.Array:
		_, _, converts := facts.Conversion(s.Place, e)
		return !converts
	}
	return false
}

// again reports whether an outer loop comes back to the same slice.
func (g *growth) again() bool {
	outer, ok := facts.LoopAround(g.loop)
	return ok && (g.obj == nil || !facts.Within(outer.Node(), g.obj.Pos()))
}

// lastAppend returns the last code that appends to the slice.
func (g *growth) lastAppend() ast.Node {
	var last ast.Node = g.loop.Node()
	for c := range g.s.Func.Preorder((*ast.CallExpr)(nil)) {
		if call := c.Node().(*ast.CallExpr); g.appends(call) && call.Pos() > last.End() {
			last = call
		}
	}
	return last
}
