package facts

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"iter"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/advice/code"
)

// A Declaration is a statement that declares one variable, with its type and first value.
type Declaration struct {
	inspector.Cursor          // the statement
	Type             ast.Expr // the type, as written; of &T{} and new(T) it is T
	Value            ast.Expr // nil for var x T
}

// DeclarationOf returns the statement of the place's function that declares only this variable,
// with a known type.
func DeclarationOf(s *code.Place, obj types.Object) (Declaration, bool) {
	return declarationIn(s, s.Func, obj)
}

// DeclarationAround is DeclarationOf for a function literal whose variable may be declared in an
// enclosing function.
func DeclarationAround(s *code.Place, obj types.Object) (Declaration, bool) {
	if decl, ok := s.Root().FindNode(s.Decl); ok {
		return declarationIn(s, decl, obj)
	}
	return DeclarationOf(s, obj)
}

func declarationIn(s *code.Place, function inspector.Cursor, obj types.Object) (Declaration, bool) {
	var d Declaration
	function.Inspect([]ast.Node{(*ast.AssignStmt)(nil), (*ast.DeclStmt)(nil)}, func(c inspector.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == 1 && Object(s, n.Lhs[0]) == obj && n.Lhs[0].Pos() == obj.Pos() {
				d = Declaration{Cursor: c, Value: ast.Unparen(n.Rhs[0])}
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
			d = Declaration{Cursor: c, Type: spec.Type}
			if len(spec.Values) == 1 {
				d.Value = ast.Unparen(spec.Values[0])
			}
		}
		return true
	})
	if !d.Valid() {
		return d, false
	}
	switch v := d.Value.(type) {
	case *ast.CompositeLit:
		d.Type = v.Type
	case *ast.UnaryExpr:
		if lit, ok := v.X.(*ast.CompositeLit); ok && v.Op == token.AND {
			d.Type = lit.Type
		}
	case *ast.CallExpr:
		if len(v.Args) > 0 && (s.Callee(v) == "make" || s.Callee(v) == "new") {
			d.Type = v.Args[0]
		} else if s.Info.Types[v.Fun].IsType() {
			d.Type = ast.Unparen(v.Fun)
		}
	}
	return d, d.Type != nil
}

// IsZero reports whether a variable is the zero value of its type at first, or points to it.
func (d *Declaration) IsZero(s *code.Place) bool {
	value := d.Value
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

// TypedTwice reports whether the declaration repeats the type of its value: var x T = T{}.
func (d *Declaration) TypedTwice() bool {
	stmt, ok := d.Node().(*ast.DeclStmt)
	if !ok {
		return false
	}
	spec := stmt.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
	return spec.Type != nil && len(spec.Values) > 0
}

// Lines returns the end of a declaration's last line, and the comment on that line. ok is false if
// its lines have other code or comments, or a comment is directly above: moving the declaration
// would separate it from them.
func (d *Declaration) Lines(s *code.Place) (comment string, end token.Pos, ok bool) {
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

// VariableOf returns the variable, parameter or field that an expression is.
func VariableOf(s *code.Place, e ast.Expr) types.Object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if sel, isSel := ast.Unparen(e).(*ast.SelectorExpr); isSel {
		id, ok = sel.Sel, true
	}
	if !ok {
		return nil
	}
	if v, ok := s.Info.ObjectOf(id).(*types.Var); ok {
		return v
	}
	return nil
}

// IsAnyParameter reports whether a variable is a parameter, receiver or result of some function.
func IsAnyParameter(v *types.Var) bool {
	switch v.Kind() {
	case types.ParamVar, types.RecvVar, types.ResultVar:
		return true
	}
	return false
}

// IsParameter reports whether an object is a parameter of the place's function.
func IsParameter(s *code.Place, obj types.Object) bool {
	var params *ast.FieldList
	switch f := s.Func.Node().(type) {
	case *ast.FuncDecl:
		params = f.Type.Params
	case *ast.FuncLit:
		params = f.Type.Params
	}
	_, isVar := obj.(*types.Var)
	return isVar && params != nil && Within(params, obj.Pos())
}

// ValuesOf yields every value that the package visibly assigns to a variable or field. It yields
// nil for values without an expression of their own: one of several results, a range variable,
// the result of x += y, or a write through a pointer. Arguments of callers, the zero value of a
// declaration, and variables of a type switch are not included.
func ValuesOf(s *code.Place, v *types.Var) iter.Seq[ast.Expr] {
	v = v.Origin()
	is := func(e ast.Expr) bool {
		if e == nil {
			return false
		}
		other, ok := VariableOf(s, e).(*types.Var)
		return ok && other.Origin() == v
	}
	// the i-th of n values, or nil if one call gives them all
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

// Definition returns the value in a local variable's declaration x := value. It returns false if the
// value is one of several results of a call.
func Definition(s *code.Place, obj types.Object) (inspector.Cursor, bool) {
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

// PackageValue returns the value in the declaration of a package variable. It returns nil if there
// is none, or if it is one of several results of a call.
func PackageValue(s *code.Place, obj types.Object) ast.Expr {
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

// DeclarationOfFunc returns the declaration of a function of the package; nil for other functions.
func DeclarationOfFunc(s *code.Place, f *types.Func) *ast.FuncDecl {
	type declarations struct{}
	return code.Memo(s.Package, declarations{}, func() map[types.Object]*ast.FuncDecl {
		all := make(map[types.Object]*ast.FuncDecl)
		for _, file := range s.Files {
			for _, d := range file.Decls {
				if decl, ok := d.(*ast.FuncDecl); ok {
					all[s.Info.Defs[decl.Name]] = decl
				}
			}
		}
		return all
	})[f.Origin()]
}

// CalleeDecl returns the declaration of the called function, if it belongs to the package.
func CalleeDecl(s *code.Place, call *ast.CallExpr) *ast.FuncDecl {
	f, ok := typeutil.Callee(s.Info, call).(*types.Func)
	if !ok || f.Pkg() != s.Types {
		return nil
	}
	return DeclarationOfFunc(s, f)
}

// StartsAsNewMap reports whether a variable begins as a new map.
func StartsAsNewMap(s *code.Place, obj types.Object) bool {
	d, ok := DeclarationOf(s, obj)
	return ok && (d.Value == nil || EmptyMap(s, &d) || isMake(s, d.Value) || isLiteral(d.Value))
}

func isLiteral(e ast.Expr) bool {
	_, ok := e.(*ast.CompositeLit)
	return ok
}

func isMake(s *code.Place, e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && s.Callee(call) == "make"
}

// EmptyMap reports whether a declaration creates an empty map without a size.
func EmptyMap(s *code.Place, d *Declaration) bool {
	switch v := d.Value.(type) {
	case *ast.CompositeLit:
		return len(v.Elts) == 0
	case *ast.CallExpr:
		return s.Callee(v) == "make" && (len(v.Args) == 1 || IsInt(s, v.Args[1], 0))
	}
	return false
}

func IsZero(s *code.Place, e ast.Expr) bool {
	v := s.Info.Types[e].Value
	return v != nil && constant.Sign(v) == 0
}
