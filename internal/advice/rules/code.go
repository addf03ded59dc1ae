package rules

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
)

// valuesOf are what the package sets a variable or field to, by all that it shows: nil
// where that is no expression of its own, but one of several results, what range yields, the
// sum of x += y, or written through a pointer. What callers give a parameter is not among
// them, nor the zero value of what is declared without one, nor what a type switch binds.
func valuesOf(s *advice.Site, v *types.Var) iter.Seq[ast.Expr] {
	v = v.Origin()
	is := func(e ast.Expr) bool {
		if e == nil {
			return false
		}
		other, ok := variable(s, e).(*types.Var)
		return ok && other.Origin() == v
	}
	// one of several expressions, if each is set to one of as many values
	at := func(values []ast.Expr, i, n int) ast.Expr {
		if len(values) == n {
			return values[i]
		}
		return nil
	}
	in := s.Root()
	if !v.IsField() && v.Parent() != nil && v.Parent() != s.Types.Scope() && v.Pkg() == s.Types { // of a function
		if at, ok := in.FindByPos(v.Pos(), v.Pos()); ok {
			for decl := range at.Enclosing((*ast.FuncDecl)(nil)) {
				in = decl
			}
		}
	}
	return func(yield func(ast.Expr) bool) {
		for c := range in.Preorder((*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil), (*ast.CompositeLit)(nil), (*ast.UnaryExpr)(nil), (*ast.RangeStmt)(nil)) {
			switch n := c.Node().(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					value := at(n.Rhs, i, len(n.Lhs))
					if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
						value = nil
					}
					if is(l) && !yield(value) {
						return
					}
				}
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if len(n.Values) > 0 && s.Info.Defs[name] == v && !yield(at(n.Values, i, len(n.Names))) {
						return
					}
				}
			case *ast.CompositeLit:
				t, ok := structOf(s.Info.TypeOf(n))
				for i, e := range n.Elts {
					pair, keyed := e.(*ast.KeyValueExpr)
					switch {
					case !ok:
					case keyed && is(pair.Key):
						e = pair.Value
						fallthrough
					case !keyed && i < t.NumFields() && t.Field(i).Origin() == v:
						if !yield(e) {
							return
						}
					}
				}
			case *ast.UnaryExpr:
				if n.Op == token.AND && is(n.X) && !yield(nil) {
					return
				}
			case *ast.RangeStmt:
				if (is(n.Key) || is(n.Value)) && !yield(nil) {
					return
				}
			}
		}
	}
}

// oneLine reports whether source fits a sentence.
func oneLine(text string) bool { return !strings.Contains(text, "\n") && len(text) < 60 }

// definition returns the value that a local variable is declared with, if it is its
// own one: x := value.
func definition(s *advice.Site, obj types.Object) (inspector.Cursor, bool) {
	for c := range s.Func.Preorder((*ast.AssignStmt)(nil)) {
		assign := c.Node().(*ast.AssignStmt)
		if assign.Tok != token.DEFINE || len(assign.Lhs) != len(assign.Rhs) {
			continue
		}
		for i, lhs := range assign.Lhs {
			if id, ok := lhs.(*ast.Ident); ok && s.Info.Defs[id] == obj {
				return c.FindNode(assign.Rhs[i])
			}
		}
	}
	return inspector.Cursor{}, false
}

// packageValue returns what a variable of the package is declared with; nil if that is
// nothing, or one of several results of a call.
func packageValue(s *advice.Site, obj types.Object) ast.Expr {
	for c := range s.Root().Preorder((*ast.ValueSpec)(nil)) {
		spec := c.Node().(*ast.ValueSpec)
		for i, name := range spec.Names {
			if s.Info.Defs[name] == obj && len(spec.Values) == len(spec.Names) {
				return ast.Unparen(spec.Values[i])
			}
		}
	}
	return nil
}

// isParameter reports whether an object is a parameter of the site's function.
func isParameter(s *advice.Site, obj types.Object) bool {
	var params *ast.FieldList
	switch f := s.Func.Node().(type) {
	case *ast.FuncDecl:
		params = f.Type.Params
	case *ast.FuncLit:
		params = f.Type.Params
	}
	_, isVar := obj.(*types.Var)
	return isVar && params != nil && within(params, obj.Pos())
}

// addressTaken reports whether something may change a variable through a pointer, or
// in a function literal.
func addressTaken(s *advice.Site, obj types.Object) bool {
	taken := false
	s.Func.Inspect([]ast.Node{(*ast.UnaryExpr)(nil), (*ast.FuncLit)(nil)}, func(c inspector.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.UnaryExpr:
			taken = taken || n.Op == token.AND && object(s, n.X) == obj
		case *ast.FuncLit:
			taken = taken || n != s.Func.Node() && mentions(s, n, obj)
		}
		return !taken
	})
	return taken
}
