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

// pure reports whether an expression may be evaluated twice, or at another time
// within its statement: it is made of variables, fields and constants only.
func pure(s *advice.Site, e ast.Expr) bool {
	if s.Info.Types[e].Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.ParenExpr:
		return pure(s, e.X)
	case *ast.SelectorExpr:
		return pure(s, e.X)
	case *ast.StarExpr:
		return pure(s, e.X)
	case *ast.SliceExpr:
		return pure(s, e.X) && (e.Low == nil || pure(s, e.Low)) && (e.High == nil || pure(s, e.High)) && e.Max == nil
	case *ast.CallExpr: // len(x), string(x)
		if len(e.Args) != 1 || !s.Info.Types[e.Fun].IsType() && s.Callee(e) != "len" {
			return false
		}
		return pure(s, e.Args[0])
	case *ast.BinaryExpr:
		return (e.Op == token.ADD || e.Op == token.SUB) && pure(s, e.X) && pure(s, e.Y)
	}
	return false
}

// calls reports whether evaluating an expression calls a function, other than a
// conversion or len, or waits.
func calls(s *advice.Site, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := s.Callee(n)
			found = found || !s.Info.Types[n.Fun].IsType() && name != "len" && name != "cap"
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// inPlace is an edit that puts a string expression in the place of another one.
// constant says that the new one is a constant, which may mean something else to
// what is around it; ok is false where it can't stand.
func inPlace(c inspector.Cursor, text string, constant bool) (edit advice.Edit, ok bool) {
	old := c.Node().(ast.Expr)
	switch p := c.Parent().Node().(type) {
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return advice.Edit{}, false
	case *ast.CallExpr, *ast.ReturnStmt, *ast.AssignStmt, *ast.ValueSpec, *ast.KeyValueExpr:
		return replace(old, text), true
	case *ast.IndexExpr:
		if p.X == old && strings.Contains(text, " + ") {
			text = "(" + text + ")"
		}
	case *ast.SliceExpr:
		if p.X == old && strings.Contains(text, " + ") {
			text = "(" + text + ")"
		}
	}
	return replace(old, text), !constant
}

// receiver returns the expression that methods of a pointer argument such as &b are
// called on: b. It has to be a variable or a field.
func receiver(s *advice.Site, e ast.Expr) (string, bool) {
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = ast.Unparen(u.X)
	}
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return s.Source(e), pure(s, e)
	}
	return "", false
}

// typeName returns a type as go/types writes it, with whole import paths, without
// aliases.
func typeName(t types.Type) string {
	if t == nil {
		return ""
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		return "*" + typeName(p.Elem())
	}
	return types.TypeString(t, nil)
}

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
	return func(yield func(ast.Expr) bool) {
		for c := range s.Root().Preorder((*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil), (*ast.CompositeLit)(nil), (*ast.UnaryExpr)(nil), (*ast.RangeStmt)(nil)) {
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

// structOf returns the struct that a type is, or points to.
func structOf(t types.Type) (*types.Struct, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}
