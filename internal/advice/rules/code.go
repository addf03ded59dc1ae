package rules

import (
	"go/ast"
	"go/constant"
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

// structOf returns the struct that a type is, or points to.
func structOf(t types.Type) (*types.Struct, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

func deferred(c inspector.Cursor) bool {
	switch c.Parent().Node().(type) {
	case *ast.DeferStmt, *ast.GoStmt:
		return true
	}
	return false
}

// plainBytes reports whether the elements of a slice are of type byte itself.
func plainBytes(t types.Type) bool {
	slice, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(slice.Elem(), types.Typ[types.Byte])
}

// rootOf returns the variable that x.f[i].g begins with; nil if it begins with
// something else.
func rootOf(s *advice.Site, e ast.Expr) types.Object {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			return s.Info.ObjectOf(x)
		case *ast.SelectorExpr:
			if s.Info.Selections[x] == nil {
				return s.Info.ObjectOf(x.Sel)
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}

func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

func isInt(s *advice.Site, e ast.Expr, want int64) bool {
	n, ok := constantInt(s, e)
	return ok && n == want
}

// constantInt returns the value of a constant integer.
func constantInt(s *advice.Site, e ast.Expr) (int64, bool) {
	v := s.Info.Types[e].Value
	if v == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(v))
}

// previous reports whether a statement stands directly before another one.
func previous(c, next inspector.Cursor) bool {
	p, ok := next.PrevSibling()
	return ok && p == c
}

// usesIn returns the uses of an object between two positions.
func usesIn(s *advice.Site, obj types.Object, from, to token.Pos) []*ast.Ident {
	var found []*ast.Ident
	for _, id := range s.Uses(obj) {
		if from <= id.Pos() && id.Pos() < to {
			found = append(found, id)
		}
	}
	return found
}

// oneLine reports whether source fits a sentence.
func oneLine(text string) bool { return !strings.Contains(text, "\n") && len(text) < 60 }

// uses reports whether some identifier in code, other than one after a dot, has a
// name.
func uses(n ast.Node, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			found = found || uses(n.X, name)
			return false
		case *ast.Ident:
			found = found || n.Name == name
		}
		return !found
	})
	return found
}

// isFloat reports whether a value of a type may be a NaN.
func isFloat(t types.Type) bool {
	if p, ok := t.(*types.TypeParam); ok {
		t = p.Constraint()
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) != 0
	case *types.Interface:
		return true
	}
	return false
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// constantText returns the value of a constant string.
func constantText(s *advice.Site, e ast.Expr) (string, bool) {
	v := s.Info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// atPackageLevel reports whether an expression means the same outside of any
// function: it names nothing that is declared in one.
func atPackageLevel(s *advice.Site, e ast.Expr) bool {
	local := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := s.Info.Uses[id]; obj != nil && obj.Parent() != nil && obj.Pkg() == s.Types &&
				obj.Parent() != s.Types.Scope() && !isPackageName(obj) {
				local = true
			}
		}
		_, literal := n.(*ast.FuncLit)
		return !literal && !local
	})
	return !local
}

func isPackageName(obj types.Object) bool {
	_, ok := obj.(*types.PkgName)
	return ok
}

// runsOnce reports whether code at a place runs once a process: in init or main, in
// a variable's value, or in what sync runs once.
func runsOnce(s *advice.Site, c inspector.Cursor) bool {
	for lit := range c.Enclosing((*ast.FuncLit)(nil)) {
		call, ok := lit.Parent().Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		switch s.Callee(call) {
		case "(*sync.Once).Do", "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues":
			return true
		}
	}
	if inLoop(c) {
		return false
	}
	if s.Decl == nil {
		_, literal := s.Func.Node().(*ast.FuncLit)
		return !literal
	}
	return s.Decl.Recv == nil && (s.Decl.Name.Name == "init" || s.Decl.Name.Name == "main" && s.Types.Name() == "main") && s.Func.Node() == s.Decl
}

// isNamed reports whether a type, or what it points to, has a name.
func isNamed(t types.Type, pkg, name string) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg
}

// under is what a type is made of: of a type parameter what all types it may stand for
// are made of, as of M in [M ~map[K]V], or its constraint.
func under(t types.Type) types.Type {
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	constraint := p.Constraint().Underlying().(*types.Interface)
	for i := range constraint.NumEmbeddeds() {
		switch e := constraint.EmbeddedType(i).(type) {
		case *types.Union:
			if e.Len() == 1 {
				return e.Term(0).Type().Underlying()
			}
		default:
			if !types.IsInterface(e) {
				return e.Underlying()
			}
		}
	}
	return constraint
}

// loopAround returns the innermost loop around a place, within its function.
func loopAround(c inspector.Cursor) (inspector.Cursor, bool) {
	for outer := range c.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		if outer == c {
			continue
		}
		switch outer.Node().(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return outer, true
		}
		return inspector.Cursor{}, false
	}
	return inspector.Cursor{}, false
}

func inLoop(c inspector.Cursor) bool {
	_, ok := loopAround(c)
	return ok
}

// statement returns the statement that a place is in, of a block or a case.
func statement(c inspector.Cursor) (inspector.Cursor, bool) {
	for ; c.Node() != nil; c = c.Parent() {
		if _, ok := c.Node().(ast.Stmt); !ok {
			continue
		}
		switch c.Parent().Node().(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			return c, true
		}
	}
	return inspector.Cursor{}, false
}

// object returns what an identifier means; nil if the expression is none.
func object(s *advice.Site, e ast.Expr) types.Object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	return s.Info.ObjectOf(id)
}

// isLocal reports whether an object is a variable of the function at a site.
func isLocal(s *advice.Site, obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && !v.IsField() && s.Func.Node().Pos() <= v.Pos() && v.Pos() < s.Func.Node().End()
}

// hasElements reports whether a type is a slice, an array or a pointer to one.
func hasElements(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Slice, *types.Array:
		return true
	case *types.Pointer:
		_, array := t.Elem().Underlying().(*types.Array)
		return array
	}
	return false
}

// isString reports whether an expression's type is a string.
func isString(s *advice.Site, e ast.Expr) bool {
	t := s.Info.TypeOf(e)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// isBytes reports whether an expression's type is a slice of bytes.
func isBytes(s *advice.Site, e ast.Expr) bool {
	t := s.Info.TypeOf(e)
	if t == nil {
		return false
	}
	slice, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := slice.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// conversion returns the operand of a conversion such as []byte(s), and its type.
func conversion(s *advice.Site, e ast.Expr) (operand ast.Expr, to types.Type, ok bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !s.Info.Types[call.Fun].IsType() {
		return nil, nil, false
	}
	return call.Args[0], s.Info.TypeOf(call.Fun), true
}

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

// inBlock reports whether a statement may become several.
func inBlock(stmt inspector.Cursor) bool {
	switch stmt.Parent().Node().(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// operands takes a + b + c apart, but for constants, which the compiler joins.
func operands(s *advice.Site, e ast.Expr) []ast.Expr {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != token.ADD || s.Info.Types[e].Value != nil {
		return []ast.Expr{e}
	}
	return append(operands(s, b.X), operands(s, b.Y)...)
}

func within(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// mentions reports whether code uses an object.
func mentions(s *advice.Site, n ast.Node, obj types.Object) bool {
	for _, id := range s.Uses(obj) {
		if within(n, id.Pos()) {
			return true
		}
	}
	return false
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
