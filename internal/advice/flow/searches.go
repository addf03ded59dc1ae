package flow

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/hone-go/hone/internal/advice/facts"
)

// A Search is a linear search that is repeated for other values, in a slice that stays the same.
type Search struct {
	In   string    // the source of the slice; "" if it is a result without a name
	Loop token.Pos // the loop that repeats it
	By   string    // the function with that loop; "" if it is the same one
	// Itself says that the loop goes through the same slice: each of its elements meets each other one.
	Itself bool
	// Call says that each call of the function searches, and that no loop around is known: the slice is from before the call.
	Call bool
}

// SearchedAgain returns the search on a line: a call of slices.Contains or Index, or a loop that compares elements
// and ends with the first that is equal. The loop around it, or one around a call of the function that counts, repeats it, or else each
// call.
func (f *Function) SearchedAgain(line int, counts func(Caller) bool) (s Search, ok bool) {
	for _, b := range f.fn.Blocks {
		for _, instr := range b.Instrs {
			call, isCall := instr.(*ssa.Call)
			if !isCall || !call.Pos().IsValid() || f.Line(call.Pos()) != line {
				continue
			}
			at, found := f.syntax(call)
			if !found {
				continue
			}
			switch f.Callee(at.Node().(*ast.CallExpr)) {
			case "slices.Contains", "slices.Index":
				if s, ok := f.repeated(call, call.Call.Args[0], f.around(call), counts); ok {
					s.In = f.shortSource(at.Node().(*ast.CallExpr).Args[0])
					return s, true
				}
			}
		}
	}
	for _, inner := range f.loops {
		on := !inner.each(func(instr ssa.Instruction) bool {
			return elsewhere(instr) || !instr.Pos().IsValid() || f.Line(instr.Pos()) != line
		})
		stmt := f.statement(inner)
		if stmt == nil || !on && f.Line(stmt.Pos()) != line {
			continue
		}
		var outer []*loop
		for _, l := range f.around(inner.head.Instrs[0]) {
			if l != inner {
				outer = append(outer, l)
			}
		}
		slice := f.searched(inner)
		if slice == nil {
			if s, ok := f.meets(inner, outer); ok {
				if r, isRange := f.statement(outer[0]).(*ast.RangeStmt); isRange {
					s.In = f.shortSource(r.X)
				}
				return s, true
			}
			continue
		}
		r, isRange := stmt.(*ast.RangeStmt)
		if s, ok := f.repeated(inner.head.Instrs[0], slice, outer, counts); ok && (isRange || !s.Call) { // others begin somewhere
			if isRange {
				s.In = f.shortSource(r.X)
			}
			return s, true
		}
	}
	return s, false
}

// meets reports whether a loop goes through the slice, or a part of it, that the loop around it goes through.
func (f *Function) meets(inner *loop, outer []*loop) (s Search, ok bool) {
	if len(outer) == 0 {
		return s, false
	}
	for x := range f.indexed(inner) {
		for y := range f.indexed(outer[0]) {
			if at := f.begin(outer[0]); f.sameSlice(x, y) && at.IsValid() {
				return Search{Loop: at, Itself: true}, true
			}
		}
	}
	return s, false
}

// indexed are the slices whose elements a loop reads by its own variable.
func (f *Function) indexed(l *loop) map[ssa.Value]bool {
	all := make(map[ssa.Value]bool)
	l.each(func(instr ssa.Instruction) bool {
		at, ok := instr.(*ssa.IndexAddr)
		if ok && counter(at.Index, l) && facts.HasElements(at.X.Type()) && onlyLoaded(at) {
			all[at.X] = true
		}
		return true
	})
	return all
}

// counter reports whether an index is the variable of a loop, and no function of it.
func counter(index ssa.Value, l *loop) bool {
	if phi, ok := index.(*ssa.Phi); ok {
		return phi.Block() == l.head
	}
	next, ok := index.(*ssa.BinOp)
	return ok && ranges(next) && next.Block() == l.head
}

// sameSlice reports whether two slices are the same, or parts of the same one.
func (f *Function) sameSlice(x, y ssa.Value) bool {
	whole := func(v ssa.Value) ssa.Value {
		if part, ok := v.(*ssa.Slice); ok {
			v = part.X
		}
		if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
			return load.X
		}
		return v
	}
	x, y = whole(x), whole(y)
	a, ok := x.(*ssa.FieldAddr)
	b, both := y.(*ssa.FieldAddr)
	return x == y || ok && both && a.Field == b.Field && a.X == b.X
}

func (f *Function) shortSource(e ast.Expr) string {
	const short = 40
	if text := f.Source(e); len(text) <= short {
		return text
	}
	return ""
}

// searched returns the slice that a loop goes through until an element, or a part of it, is equal to a value from
// before the loop; nil for other loops.
func (f *Function) searched(l *loop) ssa.Value {
	for b := range l.blocks {
		condition, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		x, y, ok := equals(condition.Cond)
		if !ok || l.blocks[b.Succs[0]] && !endsSearch(b.Succs[0], l) {
			continue
		}
		for _, pair := range [][2]ssa.Value{{x, y}, {y, x}} {
			if _, constant := pair[1].(*ssa.Const); constant || !f.invariant(pair[1], l) {
				continue
			}
			if slice := elementOf(pair[0], l, maxDepth); slice != nil && f.invariant(slice, l) {
				return slice
			}
		}
	}
	return nil
}

// equals returns what a condition compares for equality, with == or a function or method that is called Equal.
func equals(condition ssa.Value) (x, y ssa.Value, ok bool) {
	switch c := condition.(type) {
	case *ssa.BinOp:
		return c.X, c.Y, c.Op == token.EQL
	case *ssa.Call:
		name, args := "", c.Call.Args
		if c.Call.IsInvoke() {
			name, args = c.Call.Method.Name(), append([]ssa.Value{c.Call.Value}, args...)
		} else if callee := c.Call.StaticCallee(); callee != nil {
			name = callee.Name()
		}
		if len(args) == 2 && (name == "Equal" || name == "Equals" || name == "EqualFold" || name == "DeepEqual") {
			return args[0], args[1], true
		}
	}
	return nil, nil, false
}

// endsSearch reports whether a block of a loop only goes on to the end of it.
func endsSearch(b *ssa.BasicBlock, l *loop) bool {
	return len(b.Succs) == 1 && !l.blocks[b.Succs[0]]
}

// elementOf returns the slice whose element in an iteration of a loop a value is a part of.
func elementOf(v ssa.Value, l *loop, depth int) ssa.Value {
	if depth == 0 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return elementOf(v.X, l, depth-1)
		}
	case *ssa.Field:
		return elementOf(v.X, l, depth-1)
	case *ssa.FieldAddr:
		return elementOf(v.X, l, depth-1)
	case *ssa.Alloc: // the variable of the loop, whose fields are compared
		for _, user := range *v.Referrers() {
			if store, ok := user.(*ssa.Store); ok && store.Addr == v && l.has(store) {
				return elementOf(store.Val, l, depth-1)
			}
		}
	case *ssa.IndexAddr:
		if facts.HasElements(v.X.Type()) && l.has(v) && !constantIndex(v.Index) {
			return v.X
		}
	}
	return nil
}

func constantIndex(index ssa.Value) bool {
	_, constant := index.(*ssa.Const)
	return constant
}

// repeated returns the innermost loop that repeats a search in the same slice: one of the function, or else one
// around a call of it.
func (f *Function) repeated(search ssa.Instruction, slice ssa.Value, loops []*loop, counts func(Caller) bool) (s Search, ok bool) {
	for _, l := range loops {
		if !f.known(slice, l) || f.leaves(search, l) {
			continue
		}
		if loop := f.begin(l); loop.IsValid() {
			return Search{Loop: loop}, true
		}
	}
	if len(loops) > 0 {
		return s, false
	}
	calls, _ := f.callsOf(f.fn)
	for _, call := range calls[:min(len(calls), maxCallers)] {
		in := f.function(call.Parent())
		if in == nil || f.tested(call.Pos()) || !counts(Caller{Function: nameOf(call.Parent()), Call: call.Pos()}) {
			continue
		}
		for _, l := range in.around(call) {
			if !f.givenSame(slice, call, in, l) || in.leaves(call, l) {
				continue
			}
			if loop := in.begin(l); loop.IsValid() {
				return Search{Loop: loop, By: nameOf(call.Parent())}, true
			}
		}
	}
	return Search{Call: true}, f.lasting(slice)
}

// lasting reports whether a slice is a parameter, or in a field or package variable, and not of bytes.
func (f *Function) lasting(slice ssa.Value) bool {
	t, ok := facts.Under(slice.Type()).(*types.Slice)
	if !ok || types.Identical(t.Elem().Underlying(), types.Typ[types.Byte]) {
		return false
	}
	switch v := slice.(type) {
	case *ssa.Parameter:
		return true
	case *ssa.UnOp:
		_, global := v.X.(*ssa.Global)
		_, field := v.X.(*ssa.FieldAddr)
		return v.Op == token.MUL && (global || field && !own(v.X))
	}
	return false
}

// known reports whether a slice is from before a loop that doesn't append to it.
func (f *Function) known(slice ssa.Value, l *loop) bool {
	if f.invariant(slice, l) {
		return true
	}
	// A field or variable may be read again in each iteration. Then only stores to the same one count.
	load, ok := slice.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || !f.invariant(load.X, l) {
		return false
	}
	return l.each(func(instr ssa.Instruction) bool {
		store, ok := instr.(*ssa.Store)
		return !ok || !f.sameAddress(store.Addr, load.X)
	})
}

func (f *Function) sameAddress(a, b ssa.Value) bool {
	x, ok := a.(*ssa.FieldAddr)
	y, other := b.(*ssa.FieldAddr)
	if ok && other {
		return x.Field == y.Field
	}
	return a == b
}

// givenSame reports whether a call in a loop gives a function the same slice in each iteration.
func (f *Function) givenSame(slice ssa.Value, call *ssa.Call, in *Function, l *loop) bool {
	if load, ok := slice.(*ssa.UnOp); ok && load.Op == token.MUL {
		if field, ok := load.X.(*ssa.FieldAddr); ok {
			slice = field.X // of the same object
		}
	}
	for i, p := range f.fn.Params {
		if slice == ssa.Value(p) && i < len(call.Call.Args) {
			return in.known(call.Call.Args[i], l)
		}
	}
	return false
}
