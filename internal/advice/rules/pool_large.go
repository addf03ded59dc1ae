package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
)

var poolLarge = &advice.Rule{
	ID:    "pool-large",
	Title: "a sync.Pool keeps buffers that have grown large",
	Doc: `A buffer that was once needed for a large answer goes back to the pool as it is, and then holds its memory for small
ones. Under load, the pool is never idle long enough for the garbage collector to empty it, and more and more of its
buffers get large. Put back only buffers up to a limit, as package fmt does with 64 KiB:

    if b.Cap() <= 64<<10 {
        pool.Put(b)
    }

The rule needs a heap profile, and reports lines that write to a buffer from a sync.Pool, and hold memory in blocks of
64 KiB and more on average, if no function that calls Put looks at the capacity. The limit depends on the usual size, so
this rule only gives advice.`,
	Class: advice.AdviceOnly,
	Holds: true,
	Match: matchPoolLarge,
}

// leastLarge is the average size, in bytes, of buffers for which a limit is worth a check: that of package fmt.
const leastLarge = 64 << 10

// maxHands is how many variables a pooled buffer is followed through, to the function that takes it from the pool.
const maxHands = 30

func matchPoolLarge(s *advice.Site) []advice.Match {
	for _, c := range s.Nodes() {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			continue
		}
		held := s.HeldBy(new(advice.Match))
		if held.Objects == 0 || held.Bytes/held.Objects < leastLarge {
			return nil
		}
		for _, written := range writtenBuffers(s, call) {
			pool := poolOf(s.Place, c, written)
			if pool == nil || limited(s.Place, pool) {
				continue
			}
			objects, verb := "buffers", "are"
			if held.Objects == 1 {
				objects, verb = "buffer", "is"
			}
			return []advice.Match{{Node: call, Why: fmt.Sprintf("%d %s of %s on average, written here, %s in use. They go back to %s whatever their size, and keep it. Put back only those whose capacity is below a limit, such as 64 KiB.",
				held.Objects, objects, advice.BytesText(held.Bytes/held.Objects), verb, pool.Name())}}
		}
	}
	return nil
}

// writtenBuffers are the local variables that a call may let grow: the receiver, the first argument of append
// and similar functions, and pointers that it is given.
func writtenBuffers(s *advice.Site, call *ast.CallExpr) (all []types.Object) {
	add := func(e ast.Expr) {
		switch x := ast.Unparen(e).(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
			if star, ok := ast.Unparen(e).(*ast.StarExpr); ok {
				e = star.X
			}
		case *ast.UnaryExpr:
			e = x.X
		}
		if obj := facts.RootOf(s.Place, e); obj != nil && growable(s.Info.TypeOf(e)) {
			all = append(all, obj)
		}
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && s.Info.Selections[sel] != nil {
		add(sel.X)
	}
	for _, a := range call.Args {
		add(a)
	}
	return all
}

// growable reports whether values of a type, or what they point to, are slices or buffers with a capacity.
func growable(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if _, ok := t.Underlying().(*types.Slice); ok {
		return true
	}
	method, _, _ := types.LookupFieldOrMethod(t, true, nil, "Cap")
	_, ok := method.(*types.Func)
	return ok
}

// poolOf returns the variable or field of the sync.Pool that a local variable's value comes from; nil if it
// doesn't, as far as is known.
func poolOf(s *code.Place, at inspector.Cursor, obj types.Object) types.Object {
	return poolOfVariable(s, at, obj, make(map[*types.Var]bool))
}

// poolOfVariable is poolOf apart from variables that were asked about before.
func poolOfVariable(s *code.Place, at inspector.Cursor, obj types.Object, asked map[*types.Var]bool) types.Object {
	v, ok := obj.(*types.Var)
	if !ok || v.IsField() || asked[v] || len(asked) == maxHands {
		return nil
	}
	asked[v] = true
	for value := range facts.ValuesOf(s, v) {
		if value == nil {
			continue
		}
		if pool := poolOfValue(s, at, value, v, asked); pool != nil {
			return pool
		}
	}
	if around := s.Around(at); around.Decl != nil && facts.IsParameter(around, v) {
		return poolOfArguments(s, around.Decl, v, asked)
	}
	return nil
}

// poolOfValue is poolOf for an expression that is assigned to a variable.
func poolOfValue(s *code.Place, at inspector.Cursor, value ast.Expr, v *types.Var, asked map[*types.Var]bool) types.Object {
	if pool := poolIn(s, value); pool != nil {
		return pool
	}
	if call, ok := ast.Unparen(value).(*ast.CallExpr); ok {
		if decl := facts.CalleeDecl(s, call); decl != nil { // getBuffer()
			return poolIn(s, decl)
		}
	}
	from := facts.RootOf(s, value) // b := *p
	if slice, ok := ast.Unparen(value).(*ast.SliceExpr); ok {
		from = facts.RootOf(s, slice.X)
	}
	if from == nil || from == v {
		return nil
	}
	return poolOfVariable(s, at, from, asked)
}

// poolOfArguments is poolOf for a parameter: the arguments of calls in the package.
func poolOfArguments(s *code.Place, decl *ast.FuncDecl, v *types.Var, asked map[*types.Var]bool) types.Object {
	f, ok := s.Info.Defs[decl.Name].(*types.Func)
	if !ok {
		return nil
	}
	i := parameterIndex(f, v)
	for _, id := range s.Uses(f) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			continue
		}
		for outer := range c.Enclosing((*ast.CallExpr)(nil)) {
			call := outer.Node().(*ast.CallExpr)
			if !facts.Within(call.Fun, id.Pos()) || i >= len(call.Args) {
				break
			}
			if pool := poolOfVariable(s, outer, facts.RootOf(s, call.Args[i]), asked); pool != nil {
				return pool
			}
			break
		}
	}
	return nil
}

func parameterIndex(f *types.Func, v *types.Var) int {
	params := f.Signature().Params()
	for i := range params.Len() {
		if params.At(i) == v {
			return i
		}
	}
	return params.Len()
}

// poolIn returns the pool that code gets an object from.
func poolIn(s *code.Place, in ast.Node) types.Object {
	for n := range ast.Preorder(in) {
		if call, ok := n.(*ast.CallExpr); ok && s.Callee(call) == "(*sync.Pool).Get" {
			return poolVariable(s, call)
		}
	}
	return nil
}

// poolVariable returns the variable or field that Get or Put is called on.
func poolVariable(s *code.Place, call *ast.CallExpr) types.Object {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	switch x := ast.Unparen(sel.X).(type) {
	case *ast.Ident:
		return s.Info.Uses[x]
	case *ast.SelectorExpr:
		return s.Info.Uses[x.Sel]
	}
	return nil
}

// limited reports whether a function that puts objects into a pool looks at a capacity, or compares a length.
// Without a Put in the package, it isn't known.
func limited(s *code.Place, pool types.Object) bool {
	puts := false
	for _, id := range s.Uses(pool) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return true
		}
		around := s.Around(c)
		if around.Decl == nil || !strings.HasSuffix(calledOn(s, c), ".Put") {
			continue
		}
		puts = true
		if checksSize(s, around.Decl) {
			return true
		}
	}
	return !puts
}

func checksSize(s *code.Place, in ast.Node) bool {
	for n := range ast.Preorder(in) {
		switch n := n.(type) {
		case *ast.CallExpr:
			if name := s.Callee(n); name == "cap" || strings.HasSuffix(name, ".Cap") {
				return true
			}
		case *ast.IfStmt:
			for m := range ast.Preorder(n.Cond) {
				if call, ok := m.(*ast.CallExpr); ok && strings.HasSuffix(s.Callee(call), ".Len") {
					return true
				}
			}
		}
	}
	return false
}

// calledOn returns the method that is called on a variable or field, as go/types names it.
func calledOn(s *code.Place, c inspector.Cursor) string {
	for range 3 { // x.pool.Put(v)
		c = c.Parent()
		if call, ok := c.Node().(*ast.CallExpr); ok {
			return s.Callee(call)
		}
	}
	return ""
}
