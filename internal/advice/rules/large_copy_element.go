package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// elementCopied matches v := x[i] if v is only read, part by part, while nothing changes the element. A pointer to
// the element does the same.
func elementCopied(s *advice.Site, c inspector.Cursor) (m advice.Match, ok bool) {
	assign, ok := c.Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || !facts.InBlock(c) || facts.Jumps(s.Place) {
		return m, false
	}
	v, isVariable := facts.Object(s.Place, assign.Lhs[0]).(*types.Var)
	element, isElement := ast.Unparen(assign.Rhs[0]).(*ast.IndexExpr)
	if !isVariable || !isElement || !s.Info.Types[element].Addressable() || facts.IsMap(s.Place, element.X) || !worthPointing(v.Type()) {
		return m, false
	}
	last := c
	for _, id := range s.Uses(v) {
		use, ok := s.Func.FindNode(id)
		if !ok || !readInPart(s, use, v) {
			return m, false
		}
		stmt, ok := siblingAround(c, use)
		if !ok {
			return m, false
		}
		if stmt.Node().Pos() > last.Node().Pos() {
			last = stmt
		}
	}
	var code []ast.Node
	for stmt := c; stmt.Node() != last.Node(); {
		next, ok := stmt.NextSibling()
		if !ok {
			return m, false
		}
		code, stmt = append(code, next.Node()), next
	}
	if len(code) == 0 || !facts.UnchangedBy(s.Place, element, true, facts.Change{Code: code}) {
		return m, false
	}
	m = advice.Match{Node: assign, Class: advice.Safe, Edits: []advice.Edit{edit.Insert(assign.Rhs[0].Pos(), "&")}}
	m.Why = fmt.Sprintf("%s is a copy of %d bytes that is only read. Use a pointer to the element.", v.Name(), inMemory(v.Type()))
	return m, true
}

// worthPointing reports whether values of a type are large enough to use a pointer instead of a copy. Arrays are
// never in registers.
func worthPointing(t types.Type) bool {
	if _, isArray := t.Underlying().(*types.Array); isArray {
		return inMemory(t) > 0
	}
	return inMemory(t) >= largeElement
}

// siblingAround returns the statement of the same block as another one that has some code.
func siblingAround(stmt, code inspector.Cursor) (inspector.Cursor, bool) {
	for at := code; at.Node() != nil; at = at.Parent() {
		if at.Parent().Node() == stmt.Parent().Node() {
			return at, true
		}
		if _, top := at.Node().(*ast.File); top {
			break
		}
	}
	return inspector.Cursor{}, false
}

// readInPart reports whether a use of a variable reads a field, an element or the length of it, in the site's function itself: the
// same code does that through a pointer.
func readInPart(s *advice.Site, use inspector.Cursor, v *types.Var) bool {
	if facts.AddressTakenBy(s.Place, use, v) != "" || facts.Changes(s.Place, use) {
		return false
	}
	for outer := range use.Enclosing((*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		if outer.Node() != s.Func.Node() {
			return false
		}
		break
	}
	switch p := use.Parent().Node().(type) {
	case *ast.SelectorExpr:
		selected := s.Info.Selections[p]
		return selected != nil && selected.Kind() == types.FieldVal
	case *ast.IndexExpr:
		return p.X == use.Node()
	case *ast.CallExpr:
		return s.Callee(p) == "len"
	}
	return false
}
