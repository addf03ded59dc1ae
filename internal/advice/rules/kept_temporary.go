package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var keptTemporary = &advice.Rule{
	ID:    "kept-temporary",
	Title: "a loop allocates a temporary value in each iteration",
	Doc: `A slice, map or big.Int that an iteration makes, fills and drops is allocated again in the next one. Declared before the loop and
emptied at the start of each iteration, with v[:0] or clear (Go 1.21), it keeps its memory. A slice of which only the
last one counts, as in "if x > most { best = []T{x} }", keeps it with append(best[:0], x).

The rule follows all uses of the variable: its elements are read, set, copied or appended to, and nothing else gets it.
After an iteration with an unusually large map, clear takes longer than making a new map.`,
	Class:     advice.Safe,
	Frames:    temporaryFrames,
	Allocates: true,
	Gain:      2,
	Match:     matchKeptTemporary,
	Conditions: advice.Conditions{
		Offered: "the variable is declared in the loop's block as an empty slice or map, as one of a size that isn't negative, or as a new big.Int, or it is a slice that the loop sets to literals; " +
			"a slice is only set to new slices or parts of its own; nothing keeps the variable or its memory, uses its spare capacity, or compares it with nil; only methods of a big.Int are called; " +
			"no other variable of the function has its name",
	},
}

// temporaryFrames allocate slices, maps and numbers, and let them grow.
var temporaryFrames = lazyregexp.New(`^runtime\.(makeslice|growslice|makemap|mapassign|mallocgc|newobject)|^internal/runtime/maps\.|^math/big\.nat\.make$`)

func matchKeptTemporary(s *advice.Site) []advice.Match {
	if s.Allocates() < someAllocated && s.Share(temporaryFrames) < someAllocated {
		return nil
	}
	var matches []advice.Match
	seen := make(map[types.Object]bool)
	for _, c := range s.Nodes() {
		if m, ok := reuseArray(s, c); ok {
			matches = append(matches, m)
		}
		id, ok := c.Node().(*ast.Ident)
		if !ok {
			continue
		}
		v, ok := s.Info.ObjectOf(id).(*types.Var)
		if !ok || v.IsField() || seen[v] || !facts.IsLocal(s.Place, v) {
			continue
		}
		seen[v] = true
		if m, ok := keepTemporary(s, c, v); ok {
			matches = append(matches, m)
		}
	}
	return matches
}

// keepTemporary declares a slice, map or big.Int before the loop that makes it in each iteration.
func keepTemporary(s *advice.Site, c inspector.Cursor, v *types.Var) (m advice.Match, ok bool) {
	d, ok := facts.DeclarationOf(s.Place, v)
	number := isBigNumber(v.Type())
	if !ok && !number || !d.Valid() || facts.IsAnyParameter(v) || !facts.InBlock(d.Cursor) {
		return m, false
	}
	loop, ok := facts.LoopAround(d.Cursor)
	if !ok || d.Parent().Node() != ast.Node(facts.LoopBody(loop.Node())) || facts.Jumps(s.Place) || !onlyName(s, v) || facts.LastIteration(s.Place, d.Cursor, loop) ||
		facts.Commented(s.Place, d.Node().Pos(), d.Node().End()) || !number && !facts.StaysInIteration(s.Place, v, full(s, &d, v)) {
		return m, false
	}
	if _, isMap := facts.Under(v.Type()).(*types.Map); !isMap && !number && !facts.OwnArray(s.Place, v, loop.Node()) {
		return m, false // the next iteration would write to another slice's array
	}
	if r, isRange := loop.Node().(*ast.RangeStmt); isRange {
		if _, iterates := facts.Under(s.Info.TypeOf(r.X)).(*types.Signature); iterates {
			return m, false
		}
	}
	at := facts.WithLabel(loop)
	code := keptCode
	if number {
		code = bigIntCode
	}
	before, within, ok := code(s, &d, v, loop.Node())
	if !ok || !facts.InBlock(at) || !facts.Builtins(s.Place, d.Node().Pos(), "clear", "make") {
		return m, false
	}
	m = advice.Match{Node: c.Node(), Class: advice.Safe}
	m.Edits = []advice.Edit{edit.Insert(at.Node().Pos(), before+"\n"), edit.Replace(d.Node(), within)}
	if strings.Contains(within, "clear(") || strings.Contains(within, ".Grow(") {
		m.Since = "1.21"
	}
	if strings.Contains(within, ".Grow(") {
		m.Imports = []string{"slices"}
	}
	what, anew := "slice", "emptied"
	if _, isMap := facts.Under(v.Type()).(*types.Map); isMap {
		what = "map"
	} else if number {
		what, anew = "number", "set"
	}
	m.Why = fmt.Sprintf("Each iteration of the loop at line %d makes a new %s %s and drops it. Declared before the loop and %s in each iteration, it keeps its memory.", s.Package.Line(loop.Node().Pos()), what, v.Name(), anew)
	return m, true
}

// full reports whether a slice always has the length and the capacity of a constant.
func full(s *advice.Site, d *facts.Declaration, v *types.Var) bool {
	made, ok := d.Value.(*ast.CallExpr)
	if !ok || s.Callee(made) != "make" || len(made.Args) != 2 || setAgain(s, v) {
		return false
	}
	_, constant := facts.ConstantInt(s.Place, made.Args[1])
	return constant
}

// setAgain reports whether code sets a variable after its declaration.
func setAgain(s *advice.Site, v *types.Var) bool {
	for target := range facts.Targets(s.Body()) {
		if facts.Object(s.Place, target) == v && target.Pos() != v.Pos() {
			return true
		}
	}
	return false
}

// onlyName reports whether a function uses a variable's name for nothing else, apart from fields and methods.
func onlyName(s *advice.Site, v types.Object) bool {
	for c := range s.Func.Preorder((*ast.Ident)(nil)) {
		id := c.Node().(*ast.Ident)
		if id.Name != v.Name() || s.Info.ObjectOf(id) == v {
			continue
		}
		if sel, ok := c.Parent().Node().(*ast.SelectorExpr); ok && sel.Sel == id {
			continue
		}
		if pair, ok := c.Parent().Node().(*ast.KeyValueExpr); ok && pair.Key == ast.Expr(id) {
			if f, isField := s.Info.ObjectOf(id).(*types.Var); isField && f.IsField() {
				continue
			}
		}
		return false
	}
	return true
}

// keptCode returns the declaration before the loop, and the statement that takes its place in the loop.
func keptCode(s *advice.Site, d *facts.Declaration, v *types.Var, loop ast.Node) (before, within string, ok bool) {
	empty := v.Name() + " = " + v.Name() + "[:0]"
	_, isMap := facts.Under(v.Type()).(*types.Map)
	if _, isSlice := facts.Under(v.Type()).(*types.Slice); !isSlice && !isMap {
		return "", "", false
	}
	switch value := d.Value.(type) {
	case nil:
		return s.Source(d.Node()), empty, !isMap && d.Type != nil && outside(s, loop, d.Type)
	case *ast.CompositeLit:
		if len(value.Elts) > 0 || !outside(s, loop, value) {
			return "", "", false
		}
		if isMap {
			empty = "clear(" + v.Name() + ")"
		}
		return s.Source(d.Node()), empty, true
	case *ast.CallExpr:
		if s.Callee(value) != "make" || !outside(s, loop, value.Args[0]) {
			return "", "", false
		}
		if isMap {
			before = fmt.Sprintf("%s := make(%s)", v.Name(), s.Source(value.Args[0]))
			if len(value.Args) == 2 {
				if facts.EffectsOf(s.Place, value.Args[1])&^facts.MayRead != 0 {
					return "", "", false
				}
				if _, constant := facts.ConstantInt(s.Place, value.Args[1]); constant && outside(s, loop, value.Args[1]) {
					before = fmt.Sprintf("%s := %s", v.Name(), s.Source(value))
				}
			}
			return before, "clear(" + v.Name() + ")", true
		}
		return keptSlice(s, value, v, loop)
	}
	return "", "", false
}

// keptSlice is keptCode for make([]T, n) and make([]T, 0, n).
func keptSlice(s *advice.Site, made *ast.CallExpr, v *types.Var, loop ast.Node) (before, within string, ok bool) {
	size := made.Args[len(made.Args)-1]
	zero := facts.IsInt(s.Place, made.Args[1], 0)
	if len(made.Args) == 3 && !zero {
		return "", "", false
	}
	name, typ := v.Name(), s.Source(made.Args[0])
	if !zero && setAgain(s, v) {
		return "", "", false // it may have another length
	}
	_, constant := facts.ConstantInt(s.Place, size)
	if constant && outside(s, loop, size) {
		before = fmt.Sprintf("%s := %s", name, s.Source(made))
		if zero {
			return before, fmt.Sprintf("%s = %[1]s[:0]", name), true
		}
		return before, "clear(" + name + ")", true
	}
	pkg, ok := facts.PackageName(s.Place, "slices", made.Pos())
	if !ok || constant || !facts.Pure(s.Place, size) || facts.EffectsOf(s.Place, size)&facts.MayPanic != 0 || facts.MayBeNegative(s.Place, size) || !types.Identical(s.Info.TypeOf(size), types.Typ[types.Int]) {
		return "", "", false
	}
	before = fmt.Sprintf("var %s %s", name, typ)
	within = fmt.Sprintf("%s = %s.Grow(%s[:0], %s)", name, pkg, name, s.Source(size))
	if !zero {
		within += fmt.Sprintf("[:%s]\nclear(%s)", s.Source(size), name)
	}
	return before, within, true
}

// outside reports whether a type means the same before a loop.
func outside(s *advice.Site, loop ast.Node, e ast.Expr) bool {
	for n := range ast.Preorder(e) {
		if id, ok := n.(*ast.Ident); ok {
			if obj := s.Info.ObjectOf(id); obj != nil && facts.Within(loop, obj.Pos()) {
				return false
			}
		}
	}
	return true
}
