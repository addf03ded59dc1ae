package facts

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// Effects are what code may do when it runs, apart from returning a value.
type Effects uint8

const (
	MayPanic   Effects = 1 << iota // or end the goroutine, or never return
	MayWrite                       // change what code elsewhere reads: memory, files, the state of a package
	MayRead                        // give another value after such a change
	ReadsBytes                     // read the elements of a []byte, or what is in a buffer

	anyEffect = MayPanic | MayWrite | MayRead | ReadsBytes
)

// AnyEffect is what code may do of which nothing is known.
const AnyEffect = anyEffect

// EffectsOf returns the effects of running some expressions or statements of the place's
// function. A function literal has no effects until it is called.
func EffectsOf(s *code.Place, code ...ast.Node) Effects {
	w := effectWalk{Place: s}
	var all Effects
	for _, n := range code {
		all |= w.of(n)
	}
	return all
}

// EffectsOfCallee returns the effects of a call without those of evaluating its receiver and arguments.
func EffectsOfCallee(s *code.Place, c inspector.Cursor) Effects {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return anyEffect
	}
	w := effectWalk{Place: s}
	return w.callee(call)
}

// EffectsOfCalling returns the effects of calling a function value.
func EffectsOfCalling(s *code.Place, f ast.Expr) Effects {
	w := effectWalk{Place: s}
	return w.given(f)
}

// EffectsOfMethod returns the effects of calling a method without arguments.
func EffectsOfMethod(s *code.Place, f *types.Func) Effects {
	w := effectWalk{Place: s}
	return w.function(f.Origin(), &ast.CallExpr{})
}

// An effectWalk goes through code and the functions of the package that it calls.
type effectWalk struct {
	*code.Place
	calls []*types.Func // whose bodies are being looked at
}

func (w *effectWalk) all(list []ast.Expr) (all Effects) {
	for _, e := range list {
		all |= w.of(e)
	}
	return all
}

func (w *effectWalk) block(list []ast.Stmt) (all Effects) {
	for _, stmt := range list {
		if all |= w.of(stmt); all == anyEffect {
			break
		}
	}
	return all
}

func (w *effectWalk) of(n ast.Node) Effects {
	if e, ok := n.(ast.Expr); ok {
		return w.expr(e)
	}
	return w.stmt(n)
}

func (w *effectWalk) expr(e ast.Expr) Effects {
	if e == nil {
		return 0
	}
	if tv, ok := w.Info.Types[e]; ok && (tv.Value != nil || tv.IsType() || tv.IsNil()) {
		return 0
	}
	switch e := e.(type) {
	case *ast.BasicLit, *ast.FuncLit:
		return 0
	case *ast.ParenExpr:
		return w.expr(e.X)
	case *ast.Ident:
		return w.variable(e)
	case *ast.SelectorExpr:
		return w.selector(e)
	case *ast.StarExpr:
		return w.expr(e.X) | MayRead | w.deref(e.X)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.ARROW:
			return anyEffect
		case token.AND:
			return w.expr(e.X) &^ (MayRead | ReadsBytes)
		}
		return w.expr(e.X)
	case *ast.BinaryExpr:
		return w.expr(e.X) | w.expr(e.Y) | w.operator(e.Op, e.X, e.Y)
	case *ast.IndexExpr:
		return w.index(e)
	case *ast.IndexListExpr:
		return 0 // a generic function
	case *ast.SliceExpr:
		all := w.expr(e.X) | w.expr(e.Low) | w.expr(e.High) | w.expr(e.Max)
		if mayMissRange(w.Place, e) {
			all |= MayPanic
		}
		if _, pointer := w.Info.TypeOf(e.X).Underlying().(*types.Pointer); pointer {
			all |= w.deref(e.X)
		}
		return all
	case *ast.TypeAssertExpr:
		return w.expr(e.X) | MayPanic
	case *ast.CompositeLit:
		var all Effects
		_, isStruct := structOf(w.Info.TypeOf(e))
		_, isMap := Under(w.Info.TypeOf(e)).(*types.Map)
		for _, elt := range e.Elts {
			if pair, ok := elt.(*ast.KeyValueExpr); ok {
				if !isStruct {
					all |= w.expr(pair.Key)
				}
				elt = pair.Value
			}
			all |= w.expr(elt)
		}
		if isMap && !comparesQuietly(Under(w.Info.TypeOf(e)).(*types.Map).Key()) {
			all |= MayPanic
		}
		return all
	case *ast.CallExpr:
		return w.call(e)
	}
	return anyEffect
}

// variable returns the effects of reading a name.
func (w *effectWalk) variable(id *ast.Ident) Effects {
	v, ok := w.Info.ObjectOf(id).(*types.Var)
	if !ok || Private(w.Place, v) || IsConstantVariable(w.Place, v) {
		return 0
	}
	return MayRead
}

func (w *effectWalk) selector(e *ast.SelectorExpr) Effects {
	selection := w.Info.Selections[e]
	if selection == nil { // it belongs to another package
		if _, ok := w.Info.ObjectOf(e.Sel).(*types.Var); ok {
			return MayRead
		}
		return 0
	}
	if selection.Kind() == types.MethodExpr {
		return 0
	}
	return w.expr(e.X) | w.through(e.X, selection)
}

// through returns the effects of selecting a field or method, without those of evaluating x.
func (w *effectWalk) through(x ast.Expr, selection *types.Selection) Effects {
	if !selection.Indirect() {
		return 0
	}
	if len(selection.Index()) > 1 {
		return MayRead | MayPanic // through an embedded pointer
	}
	if f, ok := selection.Obj().(*types.Func); ok {
		if _, pointer := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer); pointer {
			return 0 // the method gets the pointer, which may be nil
		}
	}
	return MayRead | w.deref(x)
}

// deref returns MayPanic if a pointer may be nil.
func (w *effectWalk) deref(pointer ast.Expr) Effects {
	if NeverNil(w.Place, pointer) {
		return 0
	}
	return MayPanic
}

// operator returns the effects of x op y, without those of evaluating x and y.
func (w *effectWalk) operator(op token.Token, x, y ast.Expr) Effects {
	switch op {
	case token.QUO, token.REM, token.QUO_ASSIGN, token.REM_ASSIGN:
		b, ok := w.Info.TypeOf(x).Underlying().(*types.Basic)
		if v := w.Info.Types[y].Value; ok && b.Info()&types.IsInteger == 0 || v != nil && constant.Sign(v) != 0 {
			return 0
		}
		return MayPanic
	case token.SHL, token.SHR, token.SHL_ASSIGN, token.SHR_ASSIGN:
		if MayBeNegative(w.Place, y) {
			return MayPanic
		}
	case token.EQL, token.NEQ:
		if !w.Info.Types[x].IsNil() && !w.Info.Types[y].IsNil() && !(comparesQuietly(w.Info.TypeOf(x)) && comparesQuietly(w.Info.TypeOf(y))) {
			return MayPanic
		}
	}
	return 0
}

func (w *effectWalk) index(e *ast.IndexExpr) Effects {
	t := w.Info.TypeOf(e.X)
	if t == nil || w.Info.Types[e.X].IsType() {
		return 0
	}
	all := w.expr(e.X) | w.expr(e.Index)
	switch u := Under(t).(type) {
	case *types.Signature:
		return 0 // a generic function
	case *types.Map:
		all |= MayRead
		if !comparesQuietly(u.Key()) {
			all |= MayPanic
		}
		return all
	case *types.Slice:
		all |= MayRead
		if IsByte(u.Elem()) {
			all |= ReadsBytes
		}
	case *types.Pointer:
		all |= MayRead | ReadsBytes | w.deref(e.X)
	}
	if !inBounds(w.Place, e) {
		all |= MayPanic
	}
	return all
}

// mayMissRange reports whether a slice expression may be out of range.
func mayMissRange(s *code.Place, e *ast.SliceExpr) bool {
	return e.Max != nil || e.Low != nil && !IsInt(s, e.Low, 0) || e.High != nil && !isLengthOf(s, e.High, e.X)
}

// inBounds reports whether an index is known to be in range: it is a constant index of an array, or
// the key of a range over the same operand, and no code in between assigns to either.
func inBounds(s *code.Place, e *ast.IndexExpr) bool {
	t := Under(s.Info.TypeOf(e.X))
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	if n, ok := ConstantInt(s, e.Index); ok {
		a, array := t.(*types.Array)
		return array && 0 <= n && n < a.Len()
	}
	i := Object(s, e.Index)
	if a, array := t.(*types.Array); array && i != nil {
		if b, ok := i.Type().Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 && a.Len() >= 256 {
			return true
		}
	}
	c, ok := s.Root().FindNode(e)
	if !ok || i == nil || !Private(s, i) {
		return false
	}
	for loop := range c.Enclosing((*ast.RangeStmt)(nil), (*ast.FuncLit)(nil)) {
		r, isRange := loop.Node().(*ast.RangeStmt)
		if !isRange {
			return false
		}
		if r.Key != nil && Object(s, r.Key) == i && Within(r.Body, e.Pos()) {
			v := Object(s, e.X)
			return v != nil && Private(s, v) && SameCode(s, r.X, e.X) && !Assigned(s, i, r.Body) && !Assigned(s, v, r.Body)
		}
	}
	return false
}

func (w *effectWalk) stmt(n ast.Node) Effects {
	switch n := n.(type) {
	case nil:
		return 0
	case *ast.BlockStmt:
		if n == nil {
			return 0
		}
		return w.block(n.List)
	case *ast.ExprStmt:
		return w.expr(n.X)
	case *ast.EmptyStmt:
		return 0
	case *ast.LabeledStmt:
		return w.stmt(n.Stmt)
	case *ast.BranchStmt:
		if n.Tok == token.GOTO {
			return MayPanic
		}
		return 0
	case *ast.ReturnStmt:
		return w.all(n.Results)
	case *ast.IncDecStmt:
		return w.expr(n.X) | w.store(n.X)
	case *ast.AssignStmt:
		var all Effects
		for i, e := range n.Rhs {
			got := w.expr(e)
			if assert, ok := ast.Unparen(e).(*ast.TypeAssertExpr); ok && len(n.Lhs) == 2 && len(n.Rhs) == 1 {
				got = w.expr(assert.X)
			}
			if call, ok := AppendTo(w.Place, n); ok && call == ast.Unparen(e) {
				if v := Object(w.Place, n.Lhs[0]); v != nil && OwnArray(w.Place, v, n) {
					got = w.all(call.Args[1:])
				}
			}
			all |= got
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				all |= w.expr(n.Lhs[i]) | w.operator(n.Tok, n.Lhs[i], e)
			}
		}
		for _, e := range n.Lhs {
			all |= w.store(e)
		}
		return all
	case *ast.DeclStmt:
		var all Effects
		if g, ok := n.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, spec := range g.Specs {
				all |= w.all(spec.(*ast.ValueSpec).Values)
			}
		}
		return all
	case *ast.IfStmt:
		all := w.expr(n.Cond) | w.block(n.Body.List)
		if n.Init != nil {
			all |= w.stmt(n.Init)
		}
		if n.Else != nil {
			all |= w.stmt(n.Else)
		}
		return all
	case *ast.ForStmt:
		all := w.expr(n.Cond) | w.block(n.Body.List)
		if n.Init != nil {
			all |= w.stmt(n.Init)
		}
		if n.Post != nil {
			all |= w.stmt(n.Post)
		}
		if _, bounded := countBound(w.Place, n); !bounded {
			all |= MayPanic // it may never end
		}
		return all
	case *ast.RangeStmt:
		all := w.expr(n.X) | w.block(n.Body.List)
		switch t := Under(w.Info.TypeOf(n.X)).(type) {
		case *types.Chan, *types.Signature, *types.Interface:
			return anyEffect
		case *types.Slice:
			all |= MayRead
			if IsByte(t.Elem()) {
				all |= ReadsBytes
			}
		case *types.Map:
			all |= MayRead
		case *types.Pointer:
			all |= MayRead | w.deref(n.X)
		}
		if n.Tok == token.ASSIGN {
			all |= w.store(n.Key)
			all |= w.store(n.Value)
		}
		return all
	case *ast.SwitchStmt:
		all := w.expr(n.Tag) | w.block(n.Body.List)
		if n.Init != nil {
			all |= w.stmt(n.Init)
		}
		if n.Tag != nil && !comparesQuietly(w.Info.TypeOf(n.Tag)) {
			all |= MayPanic
		}
		return all
	case *ast.TypeSwitchStmt:
		all := w.block(n.Body.List)
		if n.Init != nil {
			all |= w.stmt(n.Init)
		}
		for n := range ast.Preorder(n.Assign) {
			if assert, ok := n.(*ast.TypeAssertExpr); ok {
				all |= w.expr(assert.X)
			}
		}
		return all
	case *ast.CaseClause:
		return w.all(n.List) | w.block(n.Body)
	}
	return anyEffect
}

// store returns the effects of assigning to an expression.
func (w *effectWalk) store(to ast.Expr) Effects {
	if to == nil || IsBlank(to) {
		return 0
	}
	if id, ok := ast.Unparen(to).(*ast.Ident); ok && w.Info.Defs[id] != nil {
		return 0
	}
	if v := ownMemory(w.Place, to); v != nil && Private(w.Place, v) {
		if id, ok := ast.Unparen(to).(*ast.Ident); ok && id != nil {
			return 0
		}
		return w.expr(to)
	}
	all := MayWrite
	switch e := ast.Unparen(to).(type) {
	case *ast.IndexExpr:
		all |= w.expr(e)
		if _, isMap := Under(w.Info.TypeOf(e.X)).(*types.Map); isMap && !w.madeMap(e.X) {
			all |= MayPanic // if it is nil
		}
	case *ast.SelectorExpr, *ast.StarExpr:
		all |= w.expr(to)
	}
	return all
}

// madeMap reports whether a map is a local variable that is declared with a non-nil map and never
// assigned to.
func (w *effectWalk) madeMap(e ast.Expr) bool {
	v := Object(w.Place, e)
	if v == nil || !Private(w.Place, v) || assignedIn(w.Place, v) || w.Decl == nil {
		return false
	}
	d, ok := DeclarationAround(w.Place, v)
	if !ok {
		return false
	}
	return isLiteral(d.Value) || isMake(w.Place, d.Value)
}
