package facts

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// TwoResults reports whether both results of a call are assigned to something.
func TwoResults(c code.Call) bool {
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

// IsComparison reports whether an operator compares its operands.
func IsComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// WithLabel returns the labelled statement that a statement is, or the statement if it has no label.
func WithLabel(c inspector.Cursor) inspector.Cursor {
	if _, labelled := c.Parent().Node().(*ast.LabeledStmt); labelled {
		return c.Parent()
	}
	return c
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

// makings are the kinds of operations in an expression, apart from names, fields, dereferences and
// constants.
type makings uint8

const (
	sums     makings = 1 << iota // lengths, parts, sums and conversions of numbers
	copies                       // conversions that may copy
	elements                     // elements, and operators that may panic
	work                         // calls, receives, and allocations
)

func makingsOf(s *code.Place, e ast.Expr) makings {
	if s.Info.Types[e].Value != nil {
		return 0
	}
	all := func(of makings, parts ...ast.Expr) makings {
		for _, part := range parts {
			if part != nil {
				of |= makingsOf(s, part)
			}
		}
		return of
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.BasicLit:
		return 0
	case *ast.SelectorExpr:
		if s.Info.Selections[e] == nil { // a name of another package
			return 0
		}
		return makingsOf(s, e.X)
	case *ast.StarExpr:
		return makingsOf(s, e.X)
	case *ast.SliceExpr:
		if e.Max != nil {
			return all(elements, e.X, e.Low, e.High, e.Max)
		}
		return all(sums, e.X, e.Low, e.High)
	case *ast.CallExpr:
		switch name := s.Callee(e); {
		case len(e.Args) != 1:
		case name == "len" || s.Info.Types[e.Fun].IsType() && IsNumber(s, e):
			return all(sums, e.Args[0])
		case name == "cap":
			return all(elements, e.Args[0])
		case s.Info.Types[e.Fun].IsType():
			return all(copies, e.Args[0])
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD || e.Op == token.SUB {
			return all(sums, e.X, e.Y)
		}
		return all(elements, e.X, e.Y)
	case *ast.UnaryExpr:
		if e.Op != token.ARROW && e.Op != token.AND {
			return all(elements, e.X)
		}
	case *ast.IndexExpr:
		return all(elements, e.X, e.Index)
	}
	return work
}

// Plain reports whether an expression consists of names, fields and constants, so that it keeps its
// value until something is assigned.
func Plain(s *code.Place, e ast.Expr) bool { return makingsOf(s, e) == 0 }

// Pure reports whether an expression may be evaluated twice, or at another time
// within its statement.
func Pure(s *code.Place, e ast.Expr) bool { return makingsOf(s, e)&(elements|work) == 0 }

// Repeatable reports whether an expression can be evaluated once more in the same
// place, with the same result, no other effect, and without a copy.
func Repeatable(s *code.Place, e ast.Expr) bool { return makingsOf(s, e)&(copies|work) == 0 }

// SameCode reports whether two expressions are the same names in the same order.
func SameCode(s *code.Place, a, b ast.Expr) bool {
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

// InBranch reports whether a place is in a branch of an if or a switch, and the earlier position
// isn't in that branch.
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
func AppendTo(s *code.Place, assign *ast.AssignStmt) (*ast.CallExpr, bool) {
	if len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || assign.Tok != token.ASSIGN {
		return nil, false
	}
	call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	if !ok || s.Callee(call) != "append" || len(call.Args) < 2 || types.ExprString(call.Args[0]) != types.ExprString(assign.Lhs[0]) {
		return nil, false
	}
	return call, true
}

// Receiver returns the expression that methods of a pointer argument such as &b are called on:
// b. It must be a variable or a field.
func Receiver(s *code.Place, e ast.Expr) (string, bool) {
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

// RootOf returns the variable at the start of x.f[i].g; nil if the expression doesn't start with
// a variable.
func RootOf(s *code.Place, e ast.Expr) types.Object {
	root, _ := rootOf(s, e)
	return root
}

// rootOf is RootOf. It also reports whether the expression is in the variable's own memory, without
// a pointer, slice or map in between.
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
func UsesIn(s *code.Place, obj types.Object, from, to token.Pos) []*ast.Ident {
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
func AtPackageLevel(s *code.Place, e ast.Expr) bool {
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

// RunsOnce reports whether code runs once per process: in init or main, in the value of a
// package variable, or through sync.Once and the like.
func RunsOnce(s *code.Place, c inspector.Cursor) bool {
	for lit := range c.Enclosing((*ast.FuncLit)(nil)) {
		switch parent := lit.Parent().Node().(type) {
		case *ast.CallExpr:
			if callsOnce(s, parent) {
				return true
			}
		case *ast.ValueSpec:
			if len(parent.Names) == 1 && calledOnce(s, s.Info.Defs[parent.Names[0]]) {
				return true
			}
		}
	}
	if s.Decl != nil && s.Func.Node() == s.Decl && calledOnce(s, s.Info.Defs[s.Decl.Name]) {
		return true
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

// callsOnce reports whether a call runs the function that it is given at most once.
func callsOnce(s *code.Place, call *ast.CallExpr) bool {
	switch s.Callee(call) {
	case "(*sync.Once).Do", "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues":
		return true
	}
	return false
}

// calledOnce reports whether a function, or a variable with one, is only used as what sync.Once or the like calls. The package must
// have all of its uses.
func calledOnce(s *code.Place, f types.Object) bool {
	if f == nil || f.Exported() {
		return false
	}
	uses := s.Uses(f)
	for _, id := range uses {
		at, ok := s.Root().FindNode(id)
		if !ok {
			return false
		}
		if sel, ok := at.Parent().Node().(*ast.SelectorExpr); ok && sel.Sel == id { // o.once.Do(o.start)
			at = at.Parent()
		}
		call, ok := at.Parent().Node().(*ast.CallExpr)
		if !ok || call.Fun == at.Node() || !callsOnce(s, call) {
			return false
		}
	}
	return len(uses) > 0
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

// Statement returns the statement of a block or a case that a place is in.
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

// Statements returns the statements of a block or a case, and nil for other nodes.
func Statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// Object returns the object that an identifier refers to; nil for other expressions.
func Object(s *code.Place, e ast.Expr) types.Object {
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

// Operands splits a + b + c into its operands, except for constants, which the compiler joins.
func Operands(s *code.Place, e ast.Expr) []ast.Expr {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != token.ADD || s.Info.Types[e].Value != nil {
		return []ast.Expr{e}
	}
	return append(Operands(s, b.X), Operands(s, b.Y)...)
}

func Within(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// Mentions reports whether code uses an object.
func Mentions(s *code.Place, n ast.Node, obj types.Object) bool {
	for _, id := range s.Uses(obj) {
		if Within(n, id.Pos()) {
			return true
		}
	}
	return false
}

// IsLocal reports whether an object is a variable of the place's function.
func IsLocal(s *code.Place, obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && !v.IsField() && s.Func.Node().Pos() <= v.Pos() && v.Pos() < s.Func.Node().End()
}

// IsConstructor reports whether a function's name suggests that it creates or opens something.
func IsConstructor(name string) bool {
	lower := strings.ToLower(name)
	for _, prefix := range []string{"new", "open", "connect", "dial", "init", "setup", "make", "must", "create", "start", "build"} {
		if strings.HasPrefix(lower, prefix) {
			return true
		}
	}
	return false
}

// isCall reports whether code is a receive, or a call other than a conversion, len or cap.
func isCall(s *code.Place, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := s.Callee(n)
		return !s.Info.Types[n.Fun].IsType() && name != "len" && name != "cap"
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	}
	return false
}

// Calls reports whether evaluating an expression calls a function or receives from a channel.
func Calls(s *code.Place, e ast.Expr) bool { return len(CallsIn(s, e)) > 0 }

// CallsIn returns the calls and receives that evaluating code makes.
func CallsIn(s *code.Place, code ast.Node) (calls []ast.Node) {
	ast.Inspect(code, func(n ast.Node) bool {
		if isCall(s, n) {
			calls = append(calls, n)
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return calls
}

// lengthOf returns x if an expression is len(x), or a call of another function that by names, such
// as cap. Otherwise it returns nil.
func lengthOf(s *code.Place, e ast.Expr, by ...string) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || !slices.Contains(by, s.Callee(call)) {
		return nil
	}
	return call.Args[0]
}

// isLengthOf reports whether an index is the length of something.
func isLengthOf(s *code.Place, index, of ast.Expr) bool {
	asked := lengthOf(s, index, "len")
	return asked != nil && SameCode(s, asked, of) && Plain(s, of)
}

// CallsItself reports whether the declaration around a place calls the function that it declares.
func CallsItself(s *code.Place) bool {
	fn := s.Info.Defs[s.Decl.Name]
	found := false
	ast.Inspect(s.Decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && fn != nil && s.Info.Uses[id] == fn
		return !found
	})
	return found
}
