package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/ssa"

	"github.com/hone-go/hone/internal/advice/facts"
)

// A Pair is a call and a later one that computes the same.
type Pair struct{ First, Second inspector.Cursor }

// Twice returns the calls of the function that compute the same as a call. The first of each pair always runs
// before the second one, and nothing that they read changes in between. Calls do nothing but compute: they
// write nothing, and don't depend on time, chance or other goroutines.
func (f *Function) Twice(call *ast.CallExpr) (pairs []Pair) {
	c, ok := f.computes(call)
	if !ok {
		return nil
	}
	for _, b := range f.fn.Blocks {
		for _, instr := range b.Instrs {
			other, ok := instr.(*ssa.Call)
			if !ok || other == c || other.Call.Value != c.Call.Value {
				continue
			}
			first, second := other, c
			if f.dominates(c, other) {
				first, second = c, other
			} else if !f.dominates(other, c) {
				continue
			}
			at, found := f.syntax(first)
			again, foundAgain := f.syntax(second)
			if found && foundAgain && f.sameCall(first, second, maxDepth) {
				pairs = append(pairs, Pair{at, again})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		return int(a.First.Node().Pos()-b.First.Node().Pos()) + int(a.Second.Node().Pos()-b.Second.Node().Pos())
	})
	return pairs
}

// Invariant reports whether a call does nothing but compute, with arguments that are the same in each iteration of
// the innermost loop around it, and returns that loop. The results are the same then.
func (f *Function) Invariant(call *ast.CallExpr) (at token.Pos, ok bool) {
	c, ok := f.computes(call)
	if !ok {
		return token.NoPos, false
	}
	loops := f.around(c)
	if len(loops) == 0 || f.leaves(c, loops[0]) || !f.invariantCall(c, loops[0], maxDepth) {
		return token.NoPos, false
	}
	at = f.begin(loops[0])
	return at, at.IsValid()
}

// computes returns a call of a function for its results, if these are values that nothing can change, or errors.
func (f *Function) computes(call *ast.CallExpr) (c *ssa.Call, ok bool) {
	c, isCall := f.value(call).(*ssa.Call)
	if !isCall || len(c.Call.Args) == 0 {
		return nil, false
	}
	if _, function := c.Call.Value.(*ssa.Function); !function {
		return nil, false
	}
	results := c.Call.Signature().Results()
	for v := range results.Variables() {
		switch {
		case facts.PointerFree(v.Type()):
			ok = true
		case !types.Identical(v.Type(), types.Universe.Lookup("error").Type()):
			return nil, false
		}
	}
	return c, ok
}

// Cheap reports whether a call hardly costs more than naming a field: its function is in the package, calls nothing, and has
// only a few instructions.
func (f *Function) Cheap(call *ast.CallExpr) bool {
	c, ok := f.value(call).(*ssa.Call)
	if !ok {
		return false
	}
	callee := c.Call.StaticCallee()
	if callee == nil || len(callee.Blocks) != 1 {
		return false
	}
	const few = 12
	instrs := callee.Blocks[0].Instrs
	return len(instrs) <= few && !slices.ContainsFunc(instrs, func(instr ssa.Instruction) bool {
		inner, isCall := instr.(*ssa.Call)
		if isCall {
			_, isCall = inner.Call.Value.(*ssa.Function)
		}
		return isCall
	})
}

// Computes reports whether a call does nothing but compute values that nothing can change, as far as can be seen.
func (f *Function) Computes(call *ast.CallExpr) bool {
	c, ok := f.computes(call)
	return ok && f.calling(c)&facts.MayWrite == 0
}
