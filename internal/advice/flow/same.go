package flow

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hone-go/hone/internal/advice/facts"
)

// maxDepth limits how deep in expressions values are compared.
const maxDepth = 12

// same reports whether one value, when it was computed, is the same as another one, which is computed later in the
// same run of the function: a memory that both read may not have changed in between.
func (f *Function) same(a, b ssa.Value) bool { return f.sameTo(a, b, maxDepth) }

func (f *Function) sameTo(a, b ssa.Value, depth int) bool {
	if a == b {
		return true
	}
	if depth == 0 || a == nil || b == nil || !types.Identical(a.Type(), b.Type()) {
		return false
	}
	switch a := a.(type) {
	case *ssa.Const:
		b, ok := b.(*ssa.Const)
		return ok && (a.Value == nil && b.Value == nil || a.Value != nil && b.Value != nil && constant.Compare(a.Value, token.EQL, b.Value))
	case *ssa.Call:
		b, ok := b.(*ssa.Call)
		return ok && facts.PointerFree(a.Type()) && f.sameCall(a, b, depth)
	case *ssa.Extract:
		b, ok := b.(*ssa.Extract)
		return ok && a.Index == b.Index && facts.PointerFree(a.Type()) && f.sameTuple(a.Tuple, b.Tuple, depth)
	case *ssa.Slice:
		b, ok := b.(*ssa.Slice)
		return ok && (f.sameOperands(a, b, depth) || f.sameElements(a, b, depth))
	case ssa.Instruction:
		b, ok := b.(ssa.Instruction)
		return ok && sameOperation(a, b) && f.sameOperands(a, b, depth) && f.sameMemory(a, b)
	}
	return false
}

func (f *Function) sameTuple(a, b ssa.Value, depth int) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *ssa.Call:
		b, ok := b.(*ssa.Call)
		return ok && f.sameCall(a, b, depth)
	case *ssa.Lookup:
		b, ok := b.(*ssa.Lookup)
		return ok && f.sameOperands(a, b, depth) && f.sameMemory(a, b)
	}
	return false
}

// sameOperation reports whether two instructions do the same with their operands, and have a value that is the
// same then: they don't make a new object, and don't wait.
func sameOperation(a, b ssa.Instruction) bool {
	switch a := a.(type) {
	case *ssa.BinOp:
		b, ok := b.(*ssa.BinOp)
		return ok && a.Op == b.Op
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		return ok && a.Op == b.Op && a.Op != token.ARROW && a.CommaOk == b.CommaOk
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field
	case *ssa.Field:
		b, ok := b.(*ssa.Field)
		return ok && a.Field == b.Field
	case *ssa.Lookup:
		b, ok := b.(*ssa.Lookup)
		return ok && a.CommaOk == b.CommaOk
	case *ssa.TypeAssert:
		b, ok := b.(*ssa.TypeAssert)
		return ok && a.CommaOk == b.CommaOk && types.Identical(a.AssertedType, b.AssertedType)
	case *ssa.Convert:
		_, ok := b.(*ssa.Convert)
		return ok && facts.PointerFree(a.Type())
	case *ssa.MakeInterface:
		_, ok := b.(*ssa.MakeInterface)
		return ok
	case *ssa.ChangeType:
		_, ok := b.(*ssa.ChangeType)
		return ok
	case *ssa.ChangeInterface:
		_, ok := b.(*ssa.ChangeInterface)
		return ok
	case *ssa.IndexAddr:
		_, ok := b.(*ssa.IndexAddr)
		return ok
	case *ssa.Index:
		_, ok := b.(*ssa.Index)
		return ok
	}
	return false
}

func (f *Function) sameOperands(a, b ssa.Instruction, depth int) bool {
	as, bs := a.Operands(nil), b.Operands(nil)
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if *as[i] != *bs[i] && !f.sameTo(*as[i], *bs[i], depth-1) {
			return false
		}
	}
	return true
}

// sameElements reports whether two slices were made for the variadic arguments of calls, with the same elements.
func (f *Function) sameElements(a, b *ssa.Slice, depth int) bool {
	as, bs := arguments(a), arguments(b)
	if as == nil || len(as) != len(bs) {
		return false
	}
	for i := range as {
		if !f.sameTo(as[i], bs[i], depth-1) {
			return false
		}
	}
	return true
}

// arguments are the elements of a slice that was made for variadic arguments; nil if it was not.
func arguments(s *ssa.Slice) []ssa.Value {
	array, ok := s.X.(*ssa.Alloc)
	if !ok || array.Comment != varargs || s.Low != nil || s.High != nil {
		return nil
	}
	of, ok := array.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok {
		return nil
	}
	list := make([]ssa.Value, of.Len())
	for _, user := range *array.Referrers() {
		at, ok := user.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		i, ok := at.Index.(*ssa.Const)
		if !ok {
			return nil
		}
		for _, stored := range *at.Referrers() {
			if store, ok := stored.(*ssa.Store); ok && store.Addr == at {
				list[i.Int64()] = store.Val
			}
		}
	}
	for _, v := range list {
		if v == nil {
			return nil
		}
	}
	return list
}

// reads says what memory an instruction reads, apart from that of a called function.
type reads uint8

const (
	readsNothing reads = iota
	readsOwn           // a variable of the function's own: see own
	readsOthers
)

func readBy(instr ssa.Instruction) reads {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		switch {
		case instr.Op != token.MUL:
		case own(instr.X):
			return readsOwn
		default:
			return readsOthers
		}
	case *ssa.Lookup:
		return readsOthers
	case *ssa.Convert: // of bytes to a string
		if _, slice := instr.X.Type().Underlying().(*types.Slice); slice {
			return readsOthers
		}
	case *ssa.BinOp: // of interfaces and of what pointers lead to: == follows them
		if instr.Op == token.EQL || instr.Op == token.NEQ {
			if types.IsInterface(instr.X.Type()) {
				return readsOthers
			}
		}
	}
	return readsNothing
}

// sameMemory reports whether the memory that both instructions read stays the same from the first to the second.
func (f *Function) sameMemory(first, second ssa.Instruction) bool {
	switch readBy(first) {
	case readsNothing:
		return true
	case readsOwn:
		return f.dominates(first, second) && f.unstored(first, second, rootOf(first.(*ssa.UnOp).X))
	}
	return f.dominates(first, second) && f.unwritten(first, second)
}

func isMap(t types.Type) bool {
	_, is := facts.Under(t).(*types.Map)
	return is
}

// hasChan reports whether a call has a channel as an argument, whose length changes at any time.
func hasChan(call *ssa.Call) bool {
	return slices.ContainsFunc(call.Call.Args, func(v ssa.Value) bool {
		_, is := facts.Under(v.Type()).(*types.Chan)
		return is
	})
}

// hasMap reports whether a call has a map as an argument: the length of it, for one, is in memory.
func hasMap(call *ssa.Call) bool {
	return slices.ContainsFunc(call.Call.Args, func(v ssa.Value) bool { return isMap(v.Type()) })
}

// sameCall reports whether a call, later than another one, does nothing but compute the same results.
func (f *Function) sameCall(first, second *ssa.Call, depth int) bool {
	if first.Call.IsInvoke() || second.Call.IsInvoke() || first.Call.Value != second.Call.Value {
		return false
	}
	switch callee := first.Call.Value.(type) {
	case *ssa.Function:
		if !f.repeats(callee) {
			return false
		}
	case *ssa.Builtin:
		if hasChan(first) {
			return false
		}
	default:
		return false
	}
	does := f.calling(first) | f.calling(second)
	if does&facts.MayWrite != 0 {
		return false
	}
	if len(first.Call.Args) != len(second.Call.Args) {
		return false
	}
	for i, arg := range first.Call.Args {
		if !f.sameTo(arg, second.Call.Args[i], depth-1) {
			return false
		}
	}
	if hasMap(first) {
		does |= facts.MayRead
	}
	return does&(facts.MayRead|facts.ReadsBytes) == 0 || f.dominates(first, second) && f.unwritten(first, second)
}

// repeats reports whether a function returns the same for the same arguments and the same memory. It doesn't if it
// takes the elements of a map in any order, or waits for other goroutines. Functions of other packages do: what
// isn't known of them counts as a write.
func (g *Graph) repeats(fn *ssa.Function) bool {
	if does, known := g.pure[fn]; known {
		return does
	}
	g.pure[fn] = true // where it calls itself
	does := true
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Range:
				does = does && !isMap(instr.X.Type())
			case *ssa.Select, *ssa.Go, *ssa.Send:
				does = false
			case *ssa.Call:
				if callee := instr.Call.StaticCallee(); callee != nil && !g.repeats(callee) {
					does = false
				}
				if _, builtin := instr.Call.Value.(*ssa.Builtin); builtin && hasChan(instr) {
					does = false
				}
			}
		}
	}
	g.pure[fn] = does
	return does
}
