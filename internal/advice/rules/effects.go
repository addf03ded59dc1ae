package rules

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
)

// This file, call_effects.go, nil.go, panics.go, aliasing.go, in_turn.go and writers.go state what a rewrite may
// rely on. Rules ask here instead of looking at the syntax themselves. Each answer is about what can
// be seen in the package: what can't be seen counts as everything that might happen.

// effects are what code may do when it runs, apart from giving a value.
type effects uint8

const (
	mayPanic   effects = 1 << iota // or end the goroutine, or never return
	mayWrite                       // change what code elsewhere reads: memory, files, the state of a package
	mayRead                        // give another value after such a change
	readsBytes                     // read the elements of a []byte, or what is in a buffer

	anyEffect = mayPanic | mayWrite | mayRead | readsBytes
)

// effectsOf returns what running some expressions or statements of a site's function may do.
// A function literal does nothing until it is called.
func effectsOf(s *advice.Site, code ...ast.Node) effects {
	w := effectWalk{Site: s}
	var all effects
	for _, n := range code {
		all |= w.of(n)
	}
	return all
}

// effectsOfCalling returns what calling the function that an expression is may do.
func effectsOfCalling(s *advice.Site, f ast.Expr) effects {
	w := effectWalk{Site: s}
	return w.given(f)
}

// effectsOfMethod returns what calling a method without arguments may do.
func effectsOfMethod(s *advice.Site, f *types.Func) effects {
	w := effectWalk{Site: s}
	return w.function(f.Origin(), &ast.CallExpr{})
}

// An effectWalk goes through code and the functions of the package that it calls.
type effectWalk struct {
	*advice.Site
	calls []*types.Func // whose bodies are being looked at
}

func (w *effectWalk) all(list []ast.Expr) (all effects) {
	for _, e := range list {
		all |= w.of(e)
	}
	return all
}

func (w *effectWalk) block(list []ast.Stmt) (all effects) {
	for _, stmt := range list {
		if all |= w.of(stmt); all == anyEffect {
			break
		}
	}
	return all
}

func (w *effectWalk) of(n ast.Node) effects {
	if e, ok := n.(ast.Expr); ok {
		return w.expr(e)
	}
	return w.stmt(n)
}

func (w *effectWalk) expr(e ast.Expr) effects {
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
		return w.expr(e.X) | mayRead | w.deref(e.X)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.ARROW:
			return anyEffect
		case token.AND:
			return w.expr(e.X) &^ (mayRead | readsBytes)
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
		if w.mayMissRange(e) {
			all |= mayPanic
		}
		if _, pointer := w.Info.TypeOf(e.X).Underlying().(*types.Pointer); pointer {
			all |= w.deref(e.X)
		}
		return all
	case *ast.TypeAssertExpr:
		return w.expr(e.X) | mayPanic
	case *ast.CompositeLit:
		var all effects
		_, isStruct := structOf(w.Info.TypeOf(e))
		_, isMap := under(w.Info.TypeOf(e)).(*types.Map)
		for _, elt := range e.Elts {
			if pair, ok := elt.(*ast.KeyValueExpr); ok {
				if !isStruct {
					all |= w.expr(pair.Key)
				}
				elt = pair.Value
			}
			all |= w.expr(elt)
		}
		if isMap && !comparesQuietly(under(w.Info.TypeOf(e)).(*types.Map).Key()) {
			all |= mayPanic
		}
		return all
	case *ast.CallExpr:
		return w.call(e)
	}
	return anyEffect
}

// variable is of a name.
func (w *effectWalk) variable(id *ast.Ident) effects {
	v, ok := w.Info.ObjectOf(id).(*types.Var)
	if !ok || private(w.Site, v) || isConstantVariable(w.Site, v) {
		return 0
	}
	return mayRead
}

func (w *effectWalk) selector(e *ast.SelectorExpr) effects {
	selection := w.Info.Selections[e]
	if selection == nil { // of another package
		if _, ok := w.Info.ObjectOf(e.Sel).(*types.Var); ok {
			return mayRead
		}
		return 0
	}
	if selection.Kind() == types.MethodExpr {
		return 0
	}
	return w.expr(e.X) | w.through(e.X, selection)
}

// through is what selecting a field or method does, apart from evaluating what it is selected from.
func (w *effectWalk) through(x ast.Expr, selection *types.Selection) effects {
	if !selection.Indirect() {
		return 0
	}
	if len(selection.Index()) > 1 {
		return mayRead | mayPanic // through an embedded pointer
	}
	if f, ok := selection.Obj().(*types.Func); ok {
		if _, pointer := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer); pointer {
			return 0 // which the method may find to be nil
		}
	}
	return mayRead | w.deref(x)
}

// deref is mayPanic where a pointer may be nil.
func (w *effectWalk) deref(pointer ast.Expr) effects {
	if neverNil(w.Site, pointer) {
		return 0
	}
	return mayPanic
}

// operator is of x op y.
func (w *effectWalk) operator(op token.Token, x, y ast.Expr) effects {
	switch op {
	case token.QUO, token.REM, token.QUO_ASSIGN, token.REM_ASSIGN:
		b, ok := w.Info.TypeOf(x).Underlying().(*types.Basic)
		if v := w.Info.Types[y].Value; ok && b.Info()&types.IsInteger == 0 || v != nil && constant.Sign(v) != 0 {
			return 0
		}
		return mayPanic
	case token.SHL, token.SHR, token.SHL_ASSIGN, token.SHR_ASSIGN:
		if mayBeNegative(w.Site, y) {
			return mayPanic
		}
	case token.EQL, token.NEQ:
		if !w.Info.Types[x].IsNil() && !w.Info.Types[y].IsNil() && !(comparesQuietly(w.Info.TypeOf(x)) && comparesQuietly(w.Info.TypeOf(y))) {
			return mayPanic
		}
	}
	return 0
}

func (w *effectWalk) index(e *ast.IndexExpr) effects {
	t := w.Info.TypeOf(e.X)
	if t == nil || w.Info.Types[e.X].IsType() {
		return 0
	}
	all := w.expr(e.X) | w.expr(e.Index)
	switch u := under(t).(type) {
	case *types.Signature:
		return 0 // a generic function
	case *types.Map:
		all |= mayRead
		if !comparesQuietly(u.Key()) {
			all |= mayPanic
		}
		return all
	case *types.Slice:
		all |= mayRead
		if isByte(u.Elem()) {
			all |= readsBytes
		}
	case *types.Pointer:
		all |= mayRead | readsBytes | w.deref(e.X)
	}
	if !inBounds(w.Site, e) {
		all |= mayPanic
	}
	return all
}

// mayMissRange reports whether a slice expression may ask for more than there is.
func (w *effectWalk) mayMissRange(e *ast.SliceExpr) bool {
	return e.Max != nil || e.Low != nil && !isInt(w.Site, e.Low, 0) || e.High != nil && !isLengthOf(w.Site, e.High, e.X)
}

// inBounds reports whether an index can be seen to be less than the length: a constant of an
// array, or the key of a range over the same thing, which nothing assigns to in between.
func inBounds(s *advice.Site, e *ast.IndexExpr) bool {
	t := under(s.Info.TypeOf(e.X))
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	if n, ok := constantInt(s, e.Index); ok {
		a, array := t.(*types.Array)
		return array && 0 <= n && n < a.Len()
	}
	i := object(s, e.Index)
	if a, array := t.(*types.Array); array && i != nil {
		if b, ok := i.Type().Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 && a.Len() >= 256 {
			return true
		}
	}
	c, ok := s.Root().FindNode(e)
	if !ok || i == nil || !private(s, i) {
		return false
	}
	for loop := range c.Enclosing((*ast.RangeStmt)(nil), (*ast.FuncLit)(nil)) {
		r, isRange := loop.Node().(*ast.RangeStmt)
		if !isRange {
			return false
		}
		if r.Key != nil && object(s, r.Key) == i && within(r.Body, e.Pos()) {
			v := object(s, e.X)
			return v != nil && private(s, v) && sameCode(s, r.X, e.X) && !assigned(s, i, r.Body) && !assigned(s, v, r.Body)
		}
	}
	return false
}

func (w *effectWalk) stmt(n ast.Node) effects {
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
			return mayPanic
		}
		return 0
	case *ast.ReturnStmt:
		return w.all(n.Results)
	case *ast.IncDecStmt:
		return w.expr(n.X) | w.store(n.X)
	case *ast.AssignStmt:
		var all effects
		for i, e := range n.Rhs {
			got := w.expr(e)
			if assert, ok := ast.Unparen(e).(*ast.TypeAssertExpr); ok && len(n.Lhs) == 2 && len(n.Rhs) == 1 {
				got = w.expr(assert.X)
			}
			if call, ok := appendTo(w.Site, n); ok && call == ast.Unparen(e) {
				if v := object(w.Site, n.Lhs[0]); v != nil && ownArray(w.Site, v, n) {
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
		var all effects
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
		if _, bounded := countBound(w.Site, n); !bounded {
			all |= mayPanic // it may never end
		}
		return all
	case *ast.RangeStmt:
		all := w.expr(n.X) | w.block(n.Body.List)
		switch t := under(w.Info.TypeOf(n.X)).(type) {
		case *types.Chan, *types.Signature, *types.Interface:
			return anyEffect
		case *types.Slice:
			all |= mayRead
			if isByte(t.Elem()) {
				all |= readsBytes
			}
		case *types.Map:
			all |= mayRead
		case *types.Pointer:
			all |= mayRead | w.deref(n.X)
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
			all |= mayPanic
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

// store is what assigning to something does.
func (w *effectWalk) store(to ast.Expr) effects {
	if to == nil || isBlank(to) {
		return 0
	}
	if id, ok := ast.Unparen(to).(*ast.Ident); ok && w.Info.Defs[id] != nil {
		return 0
	}
	if v := ownMemory(w.Site, to); v != nil && private(w.Site, v) {
		if id, ok := ast.Unparen(to).(*ast.Ident); ok && id != nil {
			return 0
		}
		return w.expr(to)
	}
	all := mayWrite
	switch e := ast.Unparen(to).(type) {
	case *ast.IndexExpr:
		all |= w.expr(e)
		if _, isMap := under(w.Info.TypeOf(e.X)).(*types.Map); isMap && !w.madeMap(e.X) {
			all |= mayPanic // if it is nil
		}
	case *ast.SelectorExpr, *ast.StarExpr:
		all |= w.expr(to)
	}
	return all
}

// madeMap reports whether a map is a local variable that is declared with one that isn't nil, and
// never set to another.
func (w *effectWalk) madeMap(e ast.Expr) bool {
	v := object(w.Site, e)
	if v == nil || !private(w.Site, v) || assignedIn(w.Site, v) || w.Decl == nil {
		return false
	}
	d, ok := declarationAround(w.Site, v)
	if !ok {
		return false
	}
	if _, literal := d.value.(*ast.CompositeLit); literal {
		return true
	}
	call, ok := d.value.(*ast.CallExpr)
	return ok && w.Callee(call) == "make"
}
