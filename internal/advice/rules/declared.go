package rules

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
)

// A declaration is a statement that declares one variable, and what as.
type declaration struct {
	inspector.Cursor          // the statement
	typ              ast.Expr // the type, as written; of &T{} and new(T) it is T
	value            ast.Expr // nil for var x T
}

// declarationOf returns the statement of the site's function that declares a
// variable alone, with a type that it names.
func declarationOf(s *advice.Site, obj types.Object) (declaration, bool) {
	return declarationIn(s, s.Func, obj)
}

// declarationAround is declarationOf where the site's function may be a literal, and the
// variable one of a function around it.
func declarationAround(s *advice.Site, obj types.Object) (declaration, bool) {
	if decl, ok := s.Root().FindNode(s.Decl); ok {
		return declarationIn(s, decl, obj)
	}
	return declarationOf(s, obj)
}

func declarationIn(s *advice.Site, function inspector.Cursor, obj types.Object) (declaration, bool) {
	var d declaration
	function.Inspect([]ast.Node{(*ast.AssignStmt)(nil), (*ast.DeclStmt)(nil)}, func(c inspector.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == 1 && object(s, n.Lhs[0]) == obj && n.Lhs[0].Pos() == obj.Pos() {
				d = declaration{Cursor: c, value: ast.Unparen(n.Rhs[0])}
			}
		case *ast.DeclStmt:
			g, ok := n.Decl.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR || len(g.Specs) != 1 {
				return true
			}
			spec, ok := g.Specs[0].(*ast.ValueSpec)
			if !ok || len(spec.Names) != 1 || spec.Names[0].Pos() != obj.Pos() {
				return true
			}
			d = declaration{Cursor: c, typ: spec.Type}
			if len(spec.Values) == 1 {
				d.value = ast.Unparen(spec.Values[0])
			}
		}
		return true
	})
	if !d.Valid() {
		return d, false
	}
	switch v := d.value.(type) {
	case *ast.CompositeLit:
		d.typ = v.Type
	case *ast.UnaryExpr:
		if lit, ok := v.X.(*ast.CompositeLit); ok && v.Op == token.AND {
			d.typ = lit.Type
		}
	case *ast.CallExpr:
		if len(v.Args) > 0 && (s.Callee(v) == "make" || s.Callee(v) == "new") {
			d.typ = v.Args[0]
		} else if s.Info.Types[v.Fun].IsType() {
			d.typ = ast.Unparen(v.Fun)
		}
	}
	return d, d.typ != nil
}

// isZero reports whether a variable is the zero value of its type at first, or points to it.
func (d *declaration) isZero(s *advice.Site) bool {
	value := d.value
	if u, ok := value.(*ast.UnaryExpr); ok && u.Op == token.AND {
		value = u.X
	}
	switch v := value.(type) {
	case nil:
		return true
	case *ast.CompositeLit:
		return len(v.Elts) == 0
	case *ast.CallExpr:
		return s.Callee(v) == "new"
	}
	return false
}

// typedTwice reports whether a type stands before the value, too: var x T = T{}.
func (d *declaration) typedTwice() bool {
	stmt, ok := d.Node().(*ast.DeclStmt)
	if !ok {
		return false
	}
	spec := stmt.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
	return spec.Type != nil && len(spec.Values) > 0
}

// lines returns the end of a declaration's last line and the comment at it, if no other
// code or comment is on its lines nor a comment directly above: it can move without
// leaving anything behind.
func (d *declaration) lines(s *advice.Site) (comment string, end token.Pos, ok bool) {
	n, tf := d.Node(), s.Fset.File(d.Node().Pos())
	first, last := tf.Line(n.Pos()), tf.Line(n.End())
	if last == tf.LineCount() || strings.TrimSpace(s.Text(tf.LineStart(first), n.Pos())) != "" {
		return "", token.NoPos, false
	}
	for _, g := range s.File.Comments {
		if g.Pos() < n.End() && tf.Line(g.End()) >= first-1 {
			return "", token.NoPos, false
		}
	}
	end = tf.LineStart(last + 1)
	comment = strings.TrimRight(s.Text(n.End(), end), "\n\r")
	text := strings.TrimSpace(comment)
	return comment, end, text == "" || strings.HasPrefix(text, "//")
}
