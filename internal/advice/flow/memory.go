package flow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
)

// calling returns what a call may do, without evaluating its arguments.
func (g *Graph) calling(call *ssa.Call) facts.Effects {
	type effects struct{ *ssa.Call }
	return code.Memo(g.Package, effects{call}, func() facts.Effects {
		if c, ok := g.syntax(call); ok {
			return facts.EffectsOfCallee(g.Around(c), c)
		}
		if builtin, ok := call.Call.Value.(*ssa.Builtin); ok && builtin.Name() == "len" {
			return 0 // of what a loop ranges over
		}
		return facts.AnyEffect
	})
}

// writes reports whether an instruction may change memory that other code can read, or wait for other code that
// does. Memory that only the function itself has is left out: variables whose address goes nowhere.
func (g *Graph) writes(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		return !own(instr.Addr) && !isArgument(instr.Addr)
	case *ssa.MapUpdate, *ssa.Send, *ssa.Select, *ssa.Go, *ssa.RunDefers:
		return true
	case *ssa.UnOp:
		return instr.Op == token.ARROW
	case *ssa.Next: // of an iterator, or of a map; only reading
		return false
	case *ssa.Call:
		return g.calling(instr)&facts.MayWrite != 0
	}
	return false
}

// isArgument reports whether an address is in the array that a call with variadic arguments makes for them. Nothing
// reads it before.
func isArgument(addr ssa.Value) bool {
	at, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	array, ok := at.X.(*ssa.Alloc)
	return ok && array.Comment == varargs
}

// varargs is the comment of arrays that are made for variadic arguments.
const varargs = "varargs"

// own reports whether an address is that of a variable, or of a part of one, that nothing but loads and stores of
// the function refer to.
func own(addr ssa.Value) bool {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
			continue
		case *ssa.IndexAddr:
			if _, array := a.X.Type().Underlying().(*types.Pointer); !array {
				return false
			}
			addr = a.X
			continue
		case *ssa.Alloc:
			return loadedAndStored(a)
		}
		return false
	}
}

// loadedAndStored reports whether an address is only used to load and store.
func loadedAndStored(addr ssa.Value) bool {
	for _, user := range *addr.Referrers() {
		switch user := user.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
		case *ssa.Store:
			if user.Val == addr {
				return false
			}
		case *ssa.FieldAddr:
			if !loadedAndStored(user) {
				return false
			}
		case *ssa.IndexAddr:
			if !loadedAndStored(user) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// between calls visit with each instruction that may run after first and before second, which first dominates,
// until it returns false.
func (f *Function) between(first, second ssa.Instruction, visit func(ssa.Instruction) bool) bool {
	from, to := first.Block(), second.Block()
	if from == to && f.order[first] < f.order[second] {
		return all(from.Instrs[f.order[first]+1:f.order[second]], visit)
	}
	if !all(from.Instrs[f.order[first]+1:], visit) || !all(to.Instrs[:f.order[second]], visit) {
		return false
	}
	seen := map[*ssa.BasicBlock]bool{from: true}
	list := append([]*ssa.BasicBlock(nil), to.Preds...)
	for len(list) > 0 {
		b := list[len(list)-1]
		list = list[:len(list)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if !all(b.Instrs, visit) { // to itself, too, if a loop without first comes back to it
			return false
		}
		list = append(list, b.Preds...)
	}
	return true
}

func all(list []ssa.Instruction, visit func(ssa.Instruction) bool) bool {
	for _, instr := range list {
		if !visit(instr) {
			return false
		}
	}
	return true
}

// unwritten reports whether nothing that other code can read changes between two instructions.
func (f *Function) unwritten(first, second ssa.Instruction) bool {
	return f.between(first, second, func(instr ssa.Instruction) bool { return !f.writes(instr) })
}

// unstored reports whether nothing stores to a variable of the function's own between two loads of it.
func (f *Function) unstored(first, second ssa.Instruction, variable ssa.Value) bool {
	return f.between(first, second, func(instr ssa.Instruction) bool {
		store, ok := instr.(*ssa.Store)
		return !ok || rootOf(store.Addr) != variable
	})
}

// rootOf is the value that an address is a part of.
func rootOf(addr ssa.Value) ssa.Value {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		default:
			return addr
		}
	}
}

// dominates reports whether first always runs before second.
func (f *Function) dominates(first, second ssa.Instruction) bool {
	if first.Block() == second.Block() {
		return f.order[first] < f.order[second]
	}
	return first.Block().Dominates(second.Block())
}
