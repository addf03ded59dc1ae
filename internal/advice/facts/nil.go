package facts

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// NeverNil reports whether a pointer is known not to be nil: it is the address of something, or
// a variable that earlier code has dereferenced.
func NeverNil(s *code.Place, e ast.Expr) bool {
	if neverNil(s, e) {
		return true
	}
	c, ok := s.Root().FindNode(e)
	return ok && wentThrough(s, Object(s, e), c)
}

// neverNilAt reports whether a pointer is known not to be nil at another place than its own, where it has the same value.
func neverNilAt(s *code.Place, e ast.Expr, at inspector.Cursor) bool {
	return neverNil(s, e) || wentThrough(s, Object(s, e), at)
}

// neverNil reports whether nothing makes a pointer nil, wherever it is used.
func neverNil(s *code.Place, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.AND
	case *ast.CallExpr:
		return s.Callee(e) == "new"
	}
	v := Object(s, e)
	if v == nil || !Private(s, v) {
		return false
	}
	values, known := 0, true
	if vv, ok := v.(*types.Var); ok && !IsAnyParameter(vv) {
		for value := range ValuesOf(s, vv) {
			values++
			known = known && value != nil && Object(s, value) == nil && NeverNil(s, value)
		}
	}
	return values > 0 && known
}

// wentThrough reports whether a statement on every path to a place has dereferenced a pointer, and
// no code has assigned to the pointer since.
func wentThrough(s *code.Place, v types.Object, at inspector.Cursor) bool {
	if v == nil || !Private(s, v) {
		return false
	}
	uses := func(n ast.Node) bool {
		found := false
		ast.Inspect(n, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && s.Info.Types[e].Value != nil {
				return false // len of an array evaluates nothing
			}
			switch n := n.(type) {
			case *ast.FuncLit, *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
				return false
			case *ast.BinaryExpr:
				if n.Op == token.LAND || n.Op == token.LOR {
					found = found || usesPointer(s, v, n.X)
					return false
				}
			case *ast.SelectorExpr:
				found = found || isFieldThrough(s, v, n)
			case *ast.StarExpr:
				found = found || Object(s, n.X) == v
			}
			return !found
		})
		return found
	}
	for c := at; c.Node() != nil; c = c.Parent() {
		switch c.Node().(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		case ast.Stmt:
		default:
			continue
		}
		if loop := c.Node(); LoopBody(loop) != nil && Assigned(s, v, loop) {
			return false
		}
		switch c.Parent().Node().(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		default:
			continue
		}
		for before, ok := c.PrevSibling(); ok; before, ok = before.PrevSibling() {
			stmt, isStmt := before.Node().(ast.Stmt)
			if !isStmt {
				break
			}
			if Assigned(s, v, stmt) {
				return false
			}
			switch stmt := stmt.(type) {
			case *ast.LabeledStmt:
				return false
			case *ast.IfStmt:
				if stmt.Init == nil && uses(stmt.Cond) || stmt.Init != nil && uses(stmt.Init) {
					return true
				}
			case *ast.RangeStmt:
				if ranges(s, stmt) && uses(stmt.X) {
					return true
				}
			case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.ReturnStmt, *ast.DeclStmt:
				if uses(stmt) {
					return true
				}
			}
		}
	}
	return false
}

func usesPointer(s *code.Place, v types.Object, n ast.Node) bool {
	for n := range ast.Preorder(n) {
		if sel, ok := n.(*ast.SelectorExpr); ok && isFieldThrough(s, v, sel) {
			return true
		}
	}
	return false
}

// isFieldThrough reports whether an expression is p.f, where p is the pointer v.
func isFieldThrough(s *code.Place, v types.Object, sel *ast.SelectorExpr) bool {
	selection := s.Info.Selections[sel]
	if selection == nil || selection.Kind() != types.FieldVal || Object(s, sel.X) != v {
		return false
	}
	_, pointer := v.Type().Underlying().(*types.Pointer)
	return pointer
}
