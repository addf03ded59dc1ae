package flow

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/hone-go/hone/internal/advice/facts"
)

// A Search is a linear search that is repeated for other values, in a slice that stays the same.
type Search struct {
	In   string    // the source of the slice; "" if it is a result without a name
	Loop token.Pos // the loop that repeats it
	By   string    // the function with that loop; "" if it is the same one
}

// SearchedAgain returns the search on a line: a call of slices.Contains or Index, or a loop that compares elements
// and ends with the first that is equal. The loop around it, or one around a call of the function, repeats it.
func (f *Function) SearchedAgain(line int) (s Search, ok bool) {
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
				if s, ok := f.repeated(call, call.Call.Args[0], f.around(call)); ok {
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
		slice := f.searched(inner)
		if slice == nil {
			continue
		}
		var outer []*loop
		for _, l := range f.around(inner.head.Instrs[0]) {
			if l != inner {
				outer = append(outer, l)
			}
		}
		if s, ok := f.repeated(inner.head.Instrs[0], slice, outer); ok {
			if r, isRange := stmt.(*ast.RangeStmt); isRange {
				s.In = f.shortSource(r.X)
			}
			return s, true
		}
	}
	return s, false
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
		compared, ok := condition.Cond.(*ssa.BinOp)
		if !ok || compared.Op != token.EQL || l.blocks[b.Succs[0]] && !endsSearch(b.Succs[0], l) {
			continue
		}
		for _, pair := range [][2]ssa.Value{{compared.X, compared.Y}, {compared.Y, compared.X}} {
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
func (f *Function) repeated(search ssa.Instruction, slice ssa.Value, loops []*loop) (s Search, ok bool) {
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
		if in == nil || f.tested(call.Pos()) {
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
	return s, false
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
