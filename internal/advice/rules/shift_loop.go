package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var shiftLoop = &advice.Rule{
	ID:    "shift-loop",
	Title: "elements are shifted one by one",
	Doc: `To remove or insert an element, a loop moves all later ones with s[i] = s[i+1] or s[i] = s[i-1]. copy moves many bytes
per instruction and also works within a slice, because it handles parts that overlap.

The rewrite keeps the condition of the loop. Without it, copy would panic for an index past the end, where the loop does
nothing.`,
	Class: advice.Safe,
	Gain:  2.5,
	Match: matchShiftLoop,
	Conditions: advice.Conditions{
		Offered: "the loop only moves elements of a slice by a constant distance, away from where it starts reading",
		Review:  "the first index isn't negative; the loop ends at the end of the slice, or before it",
	},
}

func matchShiftLoop(s *advice.Site) []advice.Match {
	if s.Flat() < 0.01 { // moving elements calls no function
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok {
			continue
		}
		outer, ok := facts.LoopAround(c)
		if !ok {
			continue
		}
		loop, ok := outer.Node().(*ast.ForStmt)
		if !ok || len(loop.Body.List) != 1 || loop.Body.List[0] != assign || facts.Commented(s.Place, loop.Pos(), assign.End()) {
			continue
		}
		if _, labeled := outer.Parent().Node().(*ast.LabeledStmt); labeled {
			continue
		}
		if m, ok := shifts(s, loop, assign); ok {
			matches = append(matches, m)
		}
	}
	return matches
}

// A distance is an expression plus a constant.
type distance struct {
	from ast.Expr // nil for a constant alone
	plus int64
}

// splitSum splits x+1 or x-1 into x and the constant.
func splitSum(s *advice.Site, e ast.Expr) distance {
	e = ast.Unparen(e)
	if n, ok := facts.ConstantInt(s.Place, e); ok {
		return distance{nil, n}
	}
	sum, ok := e.(*ast.BinaryExpr)
	if !ok || sum.Op != token.ADD && sum.Op != token.SUB {
		return distance{e, 0}
	}
	if n, ok := facts.ConstantInt(s.Place, sum.Y); ok {
		if sum.Op == token.SUB {
			n = -n
		}
		d := splitSum(s, sum.X)
		return distance{d.from, d.plus + n}
	}
	if n, ok := facts.ConstantInt(s.Place, sum.X); ok && sum.Op == token.ADD {
		d := splitSum(s, sum.Y)
		return distance{d.from, d.plus + n}
	}
	return distance{e, 0}
}

// text is a distance as source; "" for 0.
func (d distance) text(s *advice.Site, more int64) string {
	n := d.plus + more
	switch {
	case d.from == nil && n == 0:
		return ""
	case d.from == nil:
		return strconv.FormatInt(n, 10)
	case n == 0:
		return s.Source(d.from)
	}
	return fmt.Sprintf("%s%+d", s.Source(d.from), n)
}

// fromLength reports whether a distance is the length of a slice plus some number.
func (d distance) fromLength(s *advice.Site, slice ast.Expr) bool {
	call, ok := d.from.(*ast.CallExpr)
	return ok && s.Callee(call) == "len" && facts.SameCode(s.Place, call.Args[0], slice)
}

// movable reports whether moving elements of a slice can't change where its elements are.
func movable(s *advice.Site, slice ast.Expr) bool {
	t, ok := s.Info.TypeOf(slice).Underlying().(*types.Slice)
	if !ok || !facts.Plain(s.Place, slice) {
		return false
	}
	if facts.Object(s.Place, slice) != nil {
		return true
	}
	switch t.Elem().Underlying().(type) {
	case *types.Struct, *types.Array:
		return false // the field with the slice may be in an element
	}
	_, param := types.Unalias(t.Elem()).(*types.TypeParam)
	return !param
}

// fixed reports whether a distance is the same in all iterations.
func (d distance) fixed(s *advice.Site, loop *ast.ForStmt, i types.Object, slice ast.Expr) bool {
	if d.from == nil || d.fromLength(s, slice) {
		return true
	}
	return facts.Pure(s.Place, d.from) && !facts.Mentions(s.Place, d.from, i) && facts.UnchangedBy(s.Place, d.from, false, facts.Change{Code: []ast.Node{loop.Body}})
}

// shifts matches for i := a; i < b; i++ { s[i] = s[i+1] }, and the other direction.
func shifts(s *advice.Site, loop *ast.ForStmt, assign *ast.AssignStmt) (m advice.Match, ok bool) {
	init, ok := loop.Init.(*ast.AssignStmt)
	post, ok2 := loop.Post.(*ast.IncDecStmt)
	cond, ok3 := loop.Cond.(*ast.BinaryExpr)
	if !ok || !ok2 || !ok3 || init.Tok != token.DEFINE || len(init.Lhs) != 1 || assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return m, false
	}
	to, ok := ast.Unparen(assign.Lhs[0]).(*ast.IndexExpr)
	from, ok2 := ast.Unparen(assign.Rhs[0]).(*ast.IndexExpr)
	i := facts.Object(s.Place, init.Lhs[0])
	if !ok || !ok2 || i == nil || facts.Object(s.Place, post.X) != i || !types.Identical(i.Type(), types.Typ[types.Int]) || !movable(s, to.X) || !facts.SameCode(s.Place, to.X, from.X) {
		return m, false
	}
	is := func(d distance) bool { return d.from != nil && facts.Object(s.Place, d.from) == i }
	dst, src, asked := splitSum(s, to.Index), splitSum(s, from.Index), splitSum(s, cond.X)
	start, limit := splitSum(s, init.Rhs[0]), splitSum(s, cond.Y)
	if !is(dst) || !is(src) || !is(asked) || !start.fixed(s, loop, i, to.X) || !limit.fixed(s, loop, i, to.X) {
		return m, false
	}
	limit.plus -= asked.plus
	slice := s.Source(to.X)
	m = advice.Match{Node: loop, Class: advice.Safe}
	m.Why = fmt.Sprintf("The loop moves one element of %s per step; copy moves many bytes per instruction.", slice)
	var low, high distance // of what is read
	var check []string
	notBehind := func(d distance) {
		check = append(check, fmt.Sprintf("that %s isn't past the end of %s, where the loop would panic", d.text(s, 0), slice))
	}
	switch {
	case post.Tok == token.INC && (cond.Op == token.LSS || cond.Op == token.LEQ) && src.plus > dst.plus:
		if cond.Op == token.LEQ {
			limit.plus++
		}
		low, high = start, limit
		high.plus += src.plus
		switch {
		case !high.fromLength(s, to.X):
			notBehind(high)
		case high.plus > 0:
			return m, false // it panics
		case high.plus == 0:
			high = distance{}
		}
	case post.Tok == token.DEC && (cond.Op == token.GTR || cond.Op == token.GEQ) && src.plus < dst.plus:
		if cond.Op == token.GTR {
			limit.plus++
		}
		low, high = limit, start
		written := high
		written.plus += dst.plus + 1
		high.plus += src.plus + 1
		switch {
		case !written.fromLength(s, to.X):
			notBehind(written)
		case written.plus > 0:
			return m, false // it panics
		case written.plus == 0:
			high = distance{} // the destination ends where the slice does
		}
	default:
		return m, false
	}
	first := min(src.plus, dst.plus)
	if low.from == nil && low.plus+first < 0 {
		return m, false
	}
	if low.from != nil && (low.plus+first < 0 || facts.MayBeNegative(s.Place, low.from) && !facts.CountsFromZero(s.Place, low.from)) {
		check = append([]string{fmt.Sprintf("that %s is never negative: the loop and copy panic with other messages then, or at another element", low.text(s, first))}, check...)
	}
	if !facts.Builtins(s.Place, loop.Pos(), "copy", "len") {
		return m, false
	}
	part := func(by int64, high distance) string {
		a, b := low.text(s, by), high.text(s, 0)
		if a == "" && b == "" {
			return slice
		}
		return fmt.Sprintf("%s[%s:%s]", slice, a, b)
	}
	begin := s.Source(init.Rhs[0])
	if asked.plus != 0 {
		begin = fmt.Sprintf("%s%+d", begin, asked.plus)
	}
	guard := fmt.Sprintf("%s %s %s", begin, cond.Op, s.Source(cond.Y))
	length := func(n int64) string { return fmt.Sprintf("len(%s) > %d", slice, n) }
	switch {
	case post.Tok == token.INC && start.from == nil && limit.fromLength(s, to.X):
		guard = length(start.plus - limit.plus)
	case post.Tok == token.DEC && limit.from == nil && start.fromLength(s, to.X):
		guard = length(limit.plus - 1 - start.plus)
	}
	m.Edits = []advice.Edit{{Pos: loop.Pos(), End: assign.End(), New: fmt.Sprintf("if %s {\ncopy(%s, %s)", guard, part(dst.plus, distance{}), part(src.plus, high))}}
	edit.MustCheck(&m, check)
	return m, true
}
