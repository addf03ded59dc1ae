package facts

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
)

// NameOrField reports whether an expression is a name, a field or a constant.
func NameOrField(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return NameOrField(e.X)
	}
	return false
}

// TwoResults reports whether both results of a call are assigned to something.
func TwoResults(c advice.Call) bool {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	return ok && len(assign.Lhs) == 2 && len(assign.Rhs) == 1 && (assign.Tok == token.DEFINE || assign.Tok == token.ASSIGN)
}

func Parenthesized(e ast.Expr, text string) string {
	if _, ok := ast.Unparen(e).(*ast.BinaryExpr); ok && text[len(text)-1] != ')' {
		return "(" + text + ")"
	}
	return text
}

// WithParens returns the outermost of the parentheses around an expression.
func WithParens(c inspector.Cursor) inspector.Cursor {
	for {
		if _, ok := c.Parent().Node().(*ast.ParenExpr); !ok {
			return c
		}
		c = c.Parent()
	}
}

func CalledAtOnce(c inspector.Cursor, method *ast.SelectorExpr) bool {
	call, ok := c.Parent().Node().(*ast.CallExpr)
	return ok && call.Fun == method
}

func Deferred(c inspector.Cursor) bool {
	switch c.Parent().Node().(type) {
	case *ast.DeferStmt, *ast.GoStmt:
		return true
	}
	return false
}

// makings are what an expression is made of, apart from names, fields, what pointers lead to, and
// constants.
type makings uint8

const (
	sums     makings = 1 << iota // lengths, parts, sums and conversions of numbers
	copies                       // conversions that may copy
	elements                     // elements, and operators that may panic
	work                         // it calls something, waits, or makes something
)

// Plain reports whether evaluating an expression again gives the same as long as
// nothing is assigned: names, fields and constants.
func Plain(s *advice.Site, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		if s.Info.Selections[e] == nil { // of a package
			return true
		}
		return Plain(s, e.X)
	case *ast.StarExpr:
		return Plain(s, e.X)
	}
	return false
}

// Pure reports whether an expression may be evaluated twice, or at another time
// within its statement: it is made of variables, fields and constants only.
func Pure(s *advice.Site, e ast.Expr) bool {
	if s.Info.Types[e].Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.ParenExpr:
		return Pure(s, e.X)
	case *ast.SelectorExpr:
		return Pure(s, e.X)
	case *ast.StarExpr:
		return Pure(s, e.X)
	case *ast.SliceExpr:
		return Pure(s, e.X) && (e.Low == nil || Pure(s, e.Low)) && (e.High == nil || Pure(s, e.High)) && e.Max == nil
	case *ast.CallExpr: // len(x), string(x)
		if len(e.Args) != 1 || !s.Info.Types[e.Fun].IsType() && s.Callee(e) != "len" {
			return false
		}
		return Pure(s, e.Args[0])
	case *ast.BinaryExpr:
		return (e.Op == token.ADD || e.Op == token.SUB) && Pure(s, e.X) && Pure(s, e.Y)
	}
	return false
}

// Repeatable reports whether an expression can be evaluated once more in the same
// place, with the same result and no other effect.
func Repeatable(s *advice.Site, e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if callee := s.Callee(n); callee != "len" && callee != "cap" {
				ok = ok && s.Info.Types[n.Fun].IsType() && IsNumber(s, n)
			}
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW && n.Op != token.AND
		case *ast.CompositeLit, *ast.FuncLit, *ast.TypeAssertExpr:
			ok = false
		}
		return ok
	})
	return ok
}

// SameCode reports whether two expressions are the same names in the same order.
func SameCode(s *advice.Site, a, b ast.Expr) bool {
	if types.ExprString(a) != types.ExprString(b) {
		return false
	}
	list := func(e ast.Expr) (objs []types.Object) {
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				objs = append(objs, s.Info.ObjectOf(id))
			}
			return true
		})
		return objs
	}
	x, y := list(a), list(b)
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

// InBranch reports whether a place is in a branch, of an if or a switch, that another
// one before it is not in.
func InBranch(c inspector.Cursor, from token.Pos) bool {
	for child := c; child.Node() != nil; child = child.Parent() {
		parent := child.Parent().Node()
		if parent == nil || Within(child.Node(), from) {
			return false
		}
		switch p := parent.(type) {
		case *ast.IfStmt:
			if child.Node() == p.Body || child.Node() == p.Else {
				return true
			}
		case *ast.CaseClause, *ast.CommClause:
			return true
		case *ast.FuncDecl:
			return false
		}
	}
	return false
}

// AppendTo returns the call of x = append(x, …).
func AppendTo(s *advice.Site, assign *ast.AssignStmt) (*ast.CallExpr, bool) {
	if len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || assign.Tok != token.ASSIGN {
		return nil, false
	}
	call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	if !ok || s.Callee(call) != "append" || len(call.Args) < 2 || types.ExprString(call.Args[0]) != types.ExprString(assign.Lhs[0]) {
		return nil, false
	}
	return call, true
}

// Receiver returns the expression that methods of a pointer argument such as &b are
// called on: b. It has to be a variable or a field.
func Receiver(s *advice.Site, e ast.Expr) (string, bool) {
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = ast.Unparen(u.X)
	}
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return s.Source(e), Pure(s, e)
	}
	return "", false
}

// RootOf returns the variable that x.f[i].g begins with; nil if it begins with
// something else.
func RootOf(s *advice.Site, e ast.Expr) types.Object {
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

// rootOf is RootOf, and reports whether the whole way is in the variable's own memory: no
// pointer, slice or map is in between.
func rootOf(s *code.Place, e ast.Expr) (root types.Object, own bool) {
	own = true
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			return s.Info.ObjectOf(x), own
		case *ast.SelectorExpr:
			selection := s.Info.Selections[x]
			if selection == nil {
				return s.Info.ObjectOf(x.Sel), own
			}
			own = own && selection.Kind() == types.FieldVal && !selection.Indirect()
			e = x.X
		case *ast.IndexExpr:
			_, array := Under(s.Info.TypeOf(x.X)).(*types.Array)
			own = own && array
			e = x.X
		case *ast.SliceExpr:
			own, e = false, x.X
		case *ast.StarExpr:
			own, e = false, x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return nil, false
			}
			own, e = false, x.X
		default:
			return nil, false
		}
	}
}

// Previous reports whether a statement directly precedes another one.
func Previous(c, next inspector.Cursor) bool {
	p, ok := next.PrevSibling()
	return ok && p == c
}

// UsesIn returns the uses of an object between two positions.
func UsesIn(s *advice.Site, obj types.Object, from, to token.Pos) []*ast.Ident {
	var found []*ast.Ident
	for _, id := range s.Uses(obj) {
		if from <= id.Pos() && id.Pos() < to {
			found = append(found, id)
		}
	}
	return found
}

// UsesName reports whether some identifier in code, other than one after a dot, has a
// name.
func UsesName(n ast.Node, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			found = found || UsesName(n.X, name)
			return false
		case *ast.Ident:
			found = found || n.Name == name
		}
		return !found
	})
	return found
}

// AtPackageLevel reports whether an expression means the same outside of any
// function: it names nothing that is declared in one.
func AtPackageLevel(s *advice.Site, e ast.Expr) bool {
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

// RunsOnce reports whether code at a place runs once a process: in init or main, in
// a variable's value, or in what sync runs once.
func RunsOnce(s *advice.Site, c inspector.Cursor) bool {
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
	if InLoop(c) {
		return false
	}
	if s.Decl == nil {
		_, literal := s.Func.Node().(*ast.FuncLit)
		return !literal
	}
	return s.Decl.Recv == nil && (s.Decl.Name.Name == "init" || s.Decl.Name.Name == "main" && s.Types.Name() == "main") && s.Func.Node() == s.Decl
}

// LoopAround returns the innermost loop around a place, within its function.
func LoopAround(c inspector.Cursor) (inspector.Cursor, bool) {
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

func InLoop(c inspector.Cursor) bool {
	_, ok := LoopAround(c)
	return ok
}

// Statement returns the statement that a place is in, of a block or a case.
func Statement(c inspector.Cursor) (inspector.Cursor, bool) {
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

// Object returns what an identifier means; nil if the expression is none.
func Object(s *advice.Site, e ast.Expr) types.Object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	return s.Info.ObjectOf(id)
}

// InBlock reports whether a statement can be replaced by several.
func InBlock(stmt inspector.Cursor) bool {
	switch stmt.Parent().Node().(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// Operands takes a + b + c apart, but for constants, which the compiler joins.
func Operands(s *advice.Site, e ast.Expr) []ast.Expr {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != token.ADD || s.Info.Types[e].Value != nil {
		return []ast.Expr{e}
	}
	return append(Operands(s, b.X), Operands(s, b.Y)...)
}

func Within(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// Mentions reports whether code uses an object.
func Mentions(s *advice.Site, n ast.Node, obj types.Object) bool {
	for _, id := range s.Uses(obj) {
		if Within(n, id.Pos()) {
			return true
		}
	}
	return false
}

// IsLocal reports whether an object is a variable of the function at a site.
func IsLocal(s *advice.Site, obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && !v.IsField() && s.Func.Node().Pos() <= v.Pos() && v.Pos() < s.Func.Node().End()
}

// IsConstructor reports whether a function's name says that it makes something.
func IsConstructor(name string) bool {
	lower := strings.ToLower(name)
	for _, prefix := range []string{"new", "open", "connect", "dial", "init", "setup", "make", "must", "create", "start", "build"} {
		if strings.HasPrefix(lower, prefix) {
			return true
		}
	}
	return false
}

// isCall reports whether code is a call that runs something, and not a conversion, len or cap; or
// a receive.
func isCall(s *advice.Site, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := s.Callee(n)
		return !s.Info.Types[n.Fun].IsType() && name != "len" && name != "cap"
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	}
	return false
}

// Calls reports whether evaluating an expression calls something, or waits.
func Calls(s *advice.Site, e ast.Expr) bool { return len(CallsIn(s, e)) > 0 }

// CallsIn returns the calls and receives that evaluating code makes.
func CallsIn(s *advice.Site, code ast.Node) (calls []ast.Node) {
	ast.Inspect(code, func(n ast.Node) bool {
		if isCall(s, n) {
			calls = append(calls, n)
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return calls
}

// lengthOf returns what an expression asks for the length of, by one of some functions: len, cap.
// It is nil if the expression is another one.
func lengthOf(s *code.Place, e ast.Expr, by ...string) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || !slices.Contains(by, s.Callee(call)) {
		return nil
	}
	return call.Args[0]
}

// isLengthOf reports whether an index is the length of something.
func isLengthOf(s *advice.Site, index, of ast.Expr) bool {
	call, ok := ast.Unparen(index).(*ast.CallExpr)
	return ok && s.Callee(call) == "len" && SameCode(s, call.Args[0], of) && Plain(s, of)
}
