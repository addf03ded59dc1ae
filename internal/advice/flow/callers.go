package flow

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
)

// calledFrom are the calls of a function in its package.
type calledFrom struct {
	calls []*ssa.Call
	// other says that it is also used in another way: as a value, by go or defer, or in a test.
	other bool
}

// callsOf returns the calls of a function of the package. all is false if there may be others: it is exported, a
// method that may be called through an interface, or a value somewhere.
func (g *Graph) callsOf(fn *ssa.Function) (calls []*ssa.Call, all bool) {
	from := g.allCalls()[fn]
	if from == nil {
		return nil, false
	}
	obj, ok := fn.Object().(*types.Func)
	return from.calls, ok && !obj.Exported() && !from.other && (obj.Signature().Recv() == nil || !g.asInterface(obj))
}

// allCalls are the calls in the package, by the function that is called.
func (g *Graph) allCalls() map[*ssa.Function]*calledFrom {
	type calls struct{}
	return code.Memo(g.Package, calls{}, func() map[*ssa.Function]*calledFrom {
		callers := make(callIndex)
		for _, file := range g.Files {
			for _, decl := range file.Decls {
				if decl, ok := decl.(*ast.FuncDecl); ok {
					if obj, ok := g.Info.Defs[decl.Name].(*types.Func); ok {
						callers.add(g.of.Prog.FuncValue(obj))
					}
				}
			}
		}
		callers.add(g.of.Func("init"))
		return callers
	})
}

// asInterface reports whether an interface that the package mentions has a method of that name.
func (g *Graph) asInterface(method *types.Func) bool {
	type methods struct{}
	return code.Memo(g.Package, methods{}, func() map[string]bool {
		names := make(map[string]bool)
		for _, tv := range g.Info.Types {
			if i, ok := tv.Type.Underlying().(*types.Interface); ok {
				for m := range i.Methods() {
					names[m.Name()] = true
				}
			}
		}
		return names
	})[method.Name()]
}

type callIndex map[*ssa.Function]*calledFrom

// add adds the calls in a function, and in the literals inside it.
func (all callIndex) add(fn *ssa.Function) {
	if fn == nil {
		return
	}
	from := func(callee *ssa.Function) *calledFrom {
		if origin := callee.Origin(); origin != nil {
			callee = origin
		}
		if all[callee] == nil {
			all[callee] = new(calledFrom)
		}
		return all[callee]
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			var called ssa.Value
			if call, ok := instr.(*ssa.Call); ok {
				if callee := call.Call.StaticCallee(); callee != nil {
					if _, closure := call.Call.Value.(*ssa.MakeClosure); !closure {
						called = call.Call.Value
						at := from(callee)
						at.calls = append(at.calls, call)
					}
				}
			}
			for i, o := range instr.Operands(nil) {
				if other, ok := (*o).(*ssa.Function); ok && !(i == 0 && called == *o) {
					from(other).other = true
				}
			}
		}
	}
	for _, inner := range fn.AnonFuncs {
		all.add(inner)
	}
}

// A Caller is a place in the package that calls a function.
type Caller struct {
	Function string    // that has the call
	Call     token.Pos // the call's parenthesis
	Loop     token.Pos // the innermost loop around the call; NoPos if there is none

	fn *ssa.Function
}

// maxCallers limits the callers that are looked at.
const maxCallers = 50

// Callers returns the places in the package that call the function, those in loops first.
func (f *Function) Callers() (callers []Caller) {
	calls, _ := f.callsOf(f.fn)
	for _, call := range calls[:min(len(calls), maxCallers)] {
		in := f.function(call.Parent())
		if in == nil || !call.Pos().IsValid() || f.tested(call.Pos()) {
			continue
		}
		c := Caller{Function: nameOf(call.Parent()), Call: call.Pos(), fn: call.Parent()}
		if loops := in.around(call); len(loops) > 0 && !in.leaves(call, loops[0]) {
			c.Loop = in.begin(loops[0])
		}
		callers = append(callers, c)
	}
	slices.SortStableFunc(callers, func(a, b Caller) int {
		switch {
		case a.Loop.IsValid() && !b.Loop.IsValid():
			return -1
		case !a.Loop.IsValid() && b.Loop.IsValid():
			return 1
		}
		return 0
	})
	return callers
}

func (g *Graph) tested(pos token.Pos) bool {
	return strings.HasSuffix(g.Fset.Position(pos).Filename, "_test.go")
}

// nameOf is the name of the declared function around one.
func nameOf(fn *ssa.Function) string {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn.Name()
}

// maxLevels limits how far up callers are followed.
const maxLevels = 3

// InLoopOf returns a loop around a call of the function, or around a call of a function that only passes the call on: a
// helper that a loop two levels up calls is in that loop. counts decides which calls count, such as those that a profile
// shows: direct ones of the function, or those of its callers.
func (f *Function) InLoopOf(counts func(c Caller, direct bool) bool) (in Caller, ok bool) {
	level := []*Function{f}
	for range maxLevels {
		var above []*Function
		for _, callee := range level {
			for _, c := range callee.Callers() {
				if !counts(c, callee == f) {
					continue
				}
				if c.Loop.IsValid() {
					return c, true
				}
				above = append(above, f.function(c.fn))
			}
		}
		level = above[:min(len(above), maxCallers)]
	}
	return in, false
}

// CalledForNothing returns a call of the function that computes what another call in the same function computes, or
// what it computes in each iteration of a loop. Then again is the other call, or Loop that loop. counts decides which
// calls count.
func (f *Function) CalledForNothing(counts func(Caller) bool) (c Caller, again token.Pos, ok bool) {
	calls, _ := f.callsOf(f.fn)
	for _, call := range calls[:min(len(calls), maxCallers)] {
		in := f.function(call.Parent())
		at, found := f.syntax(call)
		if in == nil || !found || f.tested(call.Pos()) {
			continue
		}
		expr := at.Node().(*ast.CallExpr)
		c := Caller{Function: nameOf(call.Parent()), Call: call.Pos()}
		if !counts(c) {
			continue
		}
		if pairs := in.Twice(expr); len(pairs) > 0 && !in.Cheap(expr) {
			other := pairs[0].First.Node()
			if other == ast.Node(expr) {
				other = pairs[0].Second.Node()
			}
			return c, other.Pos(), true
		}
		if loop, ok := in.Invariant(expr); ok && !in.Cheap(expr) {
			c.Loop = loop
			return c, token.NoPos, true
		}
	}
	return c, token.NoPos, false
}

// Constant reports whether a call in the function returns the same each time the function is called: it does
// nothing but compute, and its arguments are constants, package variables that nothing sets, and parameters for
// which all callers pass the same constant.
func (f *Function) Constant(call *ast.CallExpr) bool {
	c, ok := f.computes(call)
	if !ok || !f.repeats(c.Call.Value.(*ssa.Function)) || f.calling(c)&^facts.MayPanic != 0 {
		return false
	}
	return !slices.ContainsFunc(c.Call.Args, func(v ssa.Value) bool { return !f.fixed(v, maxDepth) })
}

// fixed reports whether a value is the same in each call of the function.
func (f *Function) fixed(v ssa.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.Parameter:
		_, ok := f.given(v)
		return ok
	case *ssa.UnOp:
		if variable, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL {
			obj, ok := variable.Object().(*types.Var)
			return ok && facts.PointerFree(obj.Type()) && f.set(obj)
		}
		return v.Op != token.MUL && v.Op != token.ARROW && f.fixed(v.X, depth-1)
	case *ssa.BinOp:
		return f.fixed(v.X, depth-1) && f.fixed(v.Y, depth-1)
	case *ssa.Convert:
		return facts.PointerFree(v.Type()) && facts.PointerFree(v.X.Type()) && f.fixed(v.X, depth-1)
	case *ssa.MakeInterface:
		return f.fixed(v.X, depth-1)
	case *ssa.ChangeType:
		return f.fixed(v.X, depth-1)
	case *ssa.Slice:
		list := arguments(v)
		return list != nil && !slices.ContainsFunc(list, func(v ssa.Value) bool { return !f.fixed(v, depth-1) })
	}
	return false
}

// set reports whether a variable of the package keeps its first value.
func (f *Function) set(v *types.Var) bool {
	c, ok := f.Root().FindByPos(v.Pos(), v.Pos())
	return ok && facts.IsConstantVariable(f.Around(c), v)
}

// given returns the constant that all callers pass for a parameter.
func (f *Function) given(p *ssa.Parameter) (value *ssa.Const, ok bool) {
	calls, every := f.callsOf(p.Parent())
	at := slices.Index(p.Parent().Params, p)
	if !every || at < 0 || len(calls) == 0 {
		return nil, false
	}
	for _, call := range calls {
		if at >= len(call.Call.Args) {
			return nil, false
		}
		c, ok := call.Call.Args[at].(*ssa.Const)
		if !ok || value != nil && !sameConstant(c, value) {
			return nil, false
		}
		value = c
	}
	return value, true
}

func sameConstant(a, b *ssa.Const) bool {
	if a.Value == nil || b.Value == nil {
		return a.Value == nil && b.Value == nil
	}
	return constant.Compare(a.Value, token.EQL, b.Value)
}

// Remade reports whether a call is given what another call of the same function returned, in the function or by a
// caller of it that counts, and returns that call: ToLower of what is already in lower case. The function needs
// one argument and one result of the same type.
func (f *Function) Remade(call *ast.CallExpr, counts func(Caller) bool) (at token.Pos, ok bool) {
	c, isCall := f.value(call).(*ssa.Call)
	if !isCall || c.Call.IsInvoke() || len(c.Call.Args) != 1 {
		return token.NoPos, false
	}
	callee, function := c.Call.Value.(*ssa.Function)
	if !function || !isText(c.Type()) || !isText(c.Call.Args[0].Type()) || f.calling(c)&facts.MayWrite != 0 && !normalizes(callee.Name()) {
		return token.NoPos, false
	}
	if at, ok := f.madeBy(c.Call.Args[0], callee); ok {
		return at, true
	}
	p, ok := c.Call.Args[0].(*ssa.Parameter)
	if !ok {
		return token.NoPos, false
	}
	calls, _ := f.callsOf(f.fn)
	index := slices.Index(f.fn.Params, p)
	for _, from := range calls[:min(len(calls), maxCallers)] {
		if in := f.function(from.Parent()); in != nil && counts(Caller{Function: nameOf(from.Parent()), Call: from.Pos()}) && !f.tested(from.Pos()) && index < len(from.Call.Args) {
			if made, ok := in.madeBy(from.Call.Args[index], callee); ok {
				return made, true
			}
		}
	}
	return token.NoPos, false
}

// normalizes reports whether a function of another module, of which nothing is known, brings text to a form by its
// name.
func normalizes(name string) bool {
	for _, verb := range []string{"Canonical", "Normal", "Clean", "ToLower", "ToUpper", "Trim", "Lower", "Upper"} {
		if len(name) >= len(verb) && name[:len(verb)] == verb {
			return true
		}
	}
	return false
}

// madeBy reports whether a value is the result of a function, and returns the call.
func (f *Function) madeBy(v ssa.Value, callee *ssa.Function) (at token.Pos, ok bool) {
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.Value != ssa.Value(callee) || !call.Pos().IsValid() {
		return token.NoPos, false
	}
	return call.Pos(), true
}
