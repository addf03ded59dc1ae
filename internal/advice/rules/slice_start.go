package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// A sliceStart is what a slice is declared with, before statements append to it.
type sliceStart struct {
	facts.Declaration
	isNil bool
	holds bool            // it has elements, or may have some
	sized []string        // lengths of slices that it starts with, as code
	count int             // and of single elements
	fixed ast.Expr        // the length given to make, which is one of sized, or count
	first []*ast.CallExpr // the appends to nothing, the outermost first
	list  []ast.Expr      // the elements of a literal
}

// startOf returns what a local slice starts with. ok is false for anything whose length isn't known there.
func startOf(s *advice.Site, v types.Object) (start sliceStart, ok bool) {
	d, typed := facts.DeclarationOf(s.Place, v)
	if !typed && !d.Valid() {
		return start, false
	}
	start.Declaration = d
	if typed {
		if isNil, empty := startsEmpty(s, &d); empty {
			start.isNil = isNil
			return start, true
		}
	}
	start.holds = true
	switch value := d.Value.(type) {
	case *ast.CompositeLit:
		return start, start.literal(s, value)
	case *ast.CallExpr:
		switch s.Callee(value) {
		case "make":
			return start, start.made(s, value)
		case "append":
			return start, start.appended(s, value)
		}
	}
	return start, false
}

// literal takes the elements of a literal.
func (b *sliceStart) literal(s *advice.Site, lit *ast.CompositeLit) bool {
	if _, ok := s.Info.TypeOf(lit).Underlying().(*types.Slice); !ok || !types.Identical(s.Info.TypeOf(lit), s.Info.TypeOf(lit.Type)) {
		return false
	}
	for _, e := range lit.Elts {
		switch e := e.(type) {
		case *ast.KeyValueExpr:
			return false
		case *ast.CompositeLit:
			if e.Type == nil {
				return false // only in a literal
			}
		case *ast.UnaryExpr:
			if inner, ok := e.X.(*ast.CompositeLit); ok && inner.Type == nil {
				return false
			}
		}
	}
	b.Type, b.list = lit.Type, lit.Elts
	b.count += len(lit.Elts)
	return true
}

// made takes the length of make([]T, n).
func (b *sliceStart) made(s *advice.Site, call *ast.CallExpr) bool {
	if len(call.Args) != 2 {
		return false
	}
	if _, ok := s.Info.TypeOf(call).Underlying().(*types.Slice); !ok {
		return false
	}
	n := call.Args[1]
	b.fixed = n
	if value := s.Info.Types[n].Value; value != nil {
		size, err := strconv.Atoi(value.ExactString())
		b.count = size
		return err == nil
	}
	text := s.Source(n)
	basic, ok := s.Info.TypeOf(n).Underlying().(*types.Basic)
	if !ok || basic.Kind() != types.Int || !facts.Repeatable(s.Place, n) || !edit.OneLine(text) {
		return false
	}
	b.sized = append(b.sized, facts.Parenthesized(n, text))
	return true
}

// appended takes what append(append([]T{}, x...), y...) appends, from the inside out.
func (b *sliceStart) appended(s *advice.Site, call *ast.CallExpr) bool {
	if len(call.Args) < 2 {
		return false
	}
	switch first := ast.Unparen(call.Args[0]).(type) {
	case *ast.CompositeLit:
		if !b.literal(s, first) {
			return false
		}
	case *ast.CallExpr:
		switch {
		case len(first.Args) == 1 && s.Info.Types[first.Fun].IsType() && s.Info.Types[first.Args[0]].IsNil():
			b.isNil, b.Type = true, ast.Unparen(first.Fun)
		case s.Callee(first) != "append" || !b.appended(s, first):
			return false
		}
	default:
		return false
	}
	b.first = append(b.first, call)
	before := []ast.Node{}
	for _, e := range call.Args[1:] {
		before = append(before, e)
	}
	if !call.Ellipsis.IsValid() {
		b.count += len(call.Args) - 1
		return true
	}
	// What comes before the slice in the declaration must not change it either.
	for _, e := range b.list {
		before = append(before, e)
	}
	for _, earlier := range b.first[:len(b.first)-1] {
		for _, e := range earlier.Args[1:] {
			before = append(before, e)
		}
	}
	term, ok := knownLength(s, call.Args[1], before)
	b.sized = append(b.sized, term)
	return ok
}

// code are the statements that have run when the first of the next ones is reached.
func (b *sliceStart) code() []ast.Node {
	if !b.holds {
		return nil
	}
	return []ast.Node{b.Node()}
}

// fills reports whether a statement only sets elements of a slice that is declared: copy(v, x), v[i] = x, and functions that put
// numbers there.
func fills(s *advice.Site, stmt ast.Node, v types.Object) bool {
	switch n := stmt.(type) {
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 || facts.Mentions(s.Place, call.Args[1], v) {
			return false
		}
		if name := s.Callee(call); name != "copy" && !facts.PutsNumber(name) {
			return false
		}
		to := ast.Unparen(call.Args[0])
		if part, ok := to.(*ast.SliceExpr); ok {
			to = ast.Unparen(part.X)
		}
		return facts.Object(s.Place, to) == v
	case *ast.AssignStmt:
		if len(n.Lhs) != 1 || len(n.Rhs) != 1 || facts.Mentions(s.Place, n.Rhs[0], v) {
			return false
		}
		at, ok := ast.Unparen(n.Lhs[0]).(*ast.IndexExpr)
		return ok && facts.Object(s.Place, at.X) == v && !facts.Mentions(s.Place, at.Index, v)
	}
	return false
}

// withRoom is the declared value, with a capacity.
func (b *sliceStart) withRoom(s *advice.Site, room string) string {
	typ := s.Source(b.Type)
	if b.fixed != nil {
		return fmt.Sprintf("make(%s, %s, %s)", typ, s.Source(b.fixed), room)
	}
	text := fmt.Sprintf("make(%s, 0, %s)", typ, room)
	if len(b.list) > 0 {
		text = fmt.Sprintf("append(%s, %s)", text, s.Text(b.list[0].Pos(), b.list[len(b.list)-1].End()))
	}
	for _, call := range b.first {
		text = fmt.Sprintf("append(%s, %s)", text, s.Text(call.Args[1].Pos(), call.Rparen))
	}
	return text
}
