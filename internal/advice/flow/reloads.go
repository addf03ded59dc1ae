package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hone-go/hone/internal/advice/facts"
)

// A Reload is what a loop loads from memory in each iteration although it doesn't change it. The compiler doesn't move
// loads out of loops.
type Reload struct {
	Of    ast.Expr   // what the loop could keep in a variable
	Depth int        // how many loads lead there, one after the other
	Loads int        // in each iteration, of Of and of other such values
	Loop  ast.Node   // the innermost loop around the line
	Paths []ast.Expr // all that it could keep, wherever it is in the loop, without what only leads to others: the code of each load, in order
}

// minReloads is how many loads are worth a word: one is in a cache and costs next to nothing.
const minReloads = 2

// LoadedAgain returns what the innermost loop around a line loads again and again.
func (f *Function) LoadedAgain(line int) (found Reload, ok bool) {
	l := f.loopAt(line)
	if l == nil {
		return found, false
	}
	writes := l.changes()
	everywhere := slices.Concat(writes, changesIn(f.exits(l)))
	ends, leads := make(map[ssa.Value]ast.Expr), make(map[ssa.Value]bool)
	for b := range l.blocks {
		for _, instr := range b.Instrs {
			load, isLoad := f.stable(instr, l, writes)
			if !isLoad || !l.always(b) && f.lineOf(load) != line || f.leaves(load, l) {
				continue
			}
			if len(writes) == 0 && f.loadedBefore(load, l) {
				continue
			}
			found.Loads++
			e := f.expression(load)
			if depth := f.loadsTo(load, l, writes); e != nil && (depth > found.Depth || depth == found.Depth && e.Pos() < found.Of.Pos()) {
				found.Depth, found.Of = depth, e
			}
			if _, ok := f.stable(instr, l, everywhere); ok && e != nil {
				ends[load] = e
			}
			leadsTo(load.X, leads)
		}
	}
	for load, e := range ends {
		if !leads[load] {
			found.Paths = append(found.Paths, e)
		}
	}
	slices.SortFunc(found.Paths, func(a, b ast.Expr) int { return int(a.Pos() - b.Pos()) })
	found.Loop = f.statement(l)
	return found, found.Of != nil && found.Loads >= minReloads && found.Loop != nil
}

// leadsTo adds the loads that an address is computed from.
func leadsTo(v ssa.Value, all map[ssa.Value]bool) {
	switch at := v.(type) {
	case *ssa.FieldAddr:
		leadsTo(at.X, all)
	case *ssa.IndexAddr:
		leadsTo(at.X, all)
		leadsTo(at.Index, all)
	case *ssa.UnOp:
		if at.Op == token.MUL {
			all[at] = true
			leadsTo(at.X, all)
		}
	}
}

// loopAt returns the innermost loop with code on a line; nil if none has.
func (f *Function) loopAt(line int) *loop {
	var found *loop
	for _, b := range f.fn.Blocks {
		if !f.touches(b, line) {
			continue
		}
		for _, l := range f.loops { // inner ones come last
			if l.blocks[b] && (found == nil || found.blocks[l.head]) {
				found = l
			}
		}
	}
	return found
}

func (f *Function) lineOf(v ssa.Instruction) int {
	pos := v.Pos()
	if load, ok := v.(*ssa.UnOp); ok {
		pos = load.X.Pos()
	}
	if !pos.IsValid() {
		return 0
	}
	return f.Line(pos)
}

// always reports whether each iteration that doesn't leave the loop runs a block.
func (l *loop) always(b *ssa.BasicBlock) bool {
	for _, tail := range l.head.Preds {
		if l.blocks[tail] && !b.Dominates(tail) {
			return false
		}
	}
	return true
}

// exits are the blocks in the statement of a loop that don't lead to its next iteration, such as those that end in a return.
func (f *Function) exits(l *loop) (blocks []*ssa.BasicBlock) {
	body := facts.LoopBody(f.statement(l))
	if body == nil {
		return nil
	}
	inside := func(instr ssa.Instruction) bool { return instr.Pos().IsValid() && facts.Within(body, instr.Pos()) }
	for _, b := range f.fn.Blocks {
		if !l.blocks[b] && l.head.Dominates(b) && slices.ContainsFunc(b.Instrs, inside) {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// changes are the instructions of a loop that may change memory.
func (l *loop) changes() []ssa.Instruction {
	var blocks []*ssa.BasicBlock
	for b := range l.blocks {
		blocks = append(blocks, b)
	}
	return changesIn(blocks)
}

func changesIn(blocks []*ssa.BasicBlock) (writes []ssa.Instruction) {
	visit := func(instr ssa.Instruction) bool {
		switch instr := instr.(type) {
		case *ssa.Store:
			if !own(instr.Addr) && !isArgument(instr.Addr) {
				writes = append(writes, instr)
			}
		case *ssa.Call:
			builtin, ok := instr.Call.Value.(*ssa.Builtin)
			if !ok || builtin.Name() == "append" || builtin.Name() == "copy" || builtin.Name() == "clear" {
				writes = append(writes, instr)
			}
		case *ssa.Send, *ssa.Select, *ssa.Go, *ssa.RunDefers, *ssa.MapUpdate:
			writes = append(writes, instr)
		case *ssa.UnOp:
			if instr.Op == token.ARROW {
				writes = append(writes, instr)
			}
		}
		return true
	}
	for _, b := range blocks {
		all(b.Instrs, visit)
	}
	return writes
}

// stable returns an instruction of a loop that loads the same from the same address in each iteration.
func (f *Function) stable(instr ssa.Instruction, l *loop, writes []ssa.Instruction) (load *ssa.UnOp, ok bool) {
	return f.stableTo(instr, l, writes, maxDepth)
}

func (f *Function) stableTo(instr ssa.Instruction, l *loop, writes []ssa.Instruction, depth int) (load *ssa.UnOp, ok bool) {
	load, isUnary := instr.(*ssa.UnOp)
	if !isUnary || load.Op != token.MUL || own(load.X) || isArgument(load.X) || depth == 0 {
		return nil, false
	}
	if !f.fixedAddress(load.X, l, writes, depth) {
		return nil, false
	}
	for _, w := range writes {
		if f.changes(w, load.X, load.Type()) {
			return nil, false
		}
	}
	return load, true
}

// fixedAddress reports whether an address, or a value that it is in, is the same in each iteration.
func (f *Function) fixedAddress(v ssa.Value, l *loop, writes []ssa.Instruction, depth int) bool {
	instr, computed := v.(ssa.Instruction)
	if !computed || !l.has(instr) {
		return true
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return f.fixedAddress(v.X, l, writes, depth-1)
	case *ssa.IndexAddr:
		return f.fixedAddress(v.X, l, writes, depth-1) && f.fixedAddress(v.Index, l, writes, depth-1)
	case *ssa.UnOp:
		_, ok := f.stableTo(v, l, writes, depth-1)
		return ok
	case *ssa.BinOp:
		return f.fixedAddress(v.X, l, writes, depth-1) && f.fixedAddress(v.Y, l, writes, depth-1)
	case *ssa.Convert:
		return f.fixedAddress(v.X, l, writes, depth-1)
	}
	return false
}

// loadsTo counts the loads of a loop that lead to a load, and that one itself.
func (f *Function) loadsTo(load *ssa.UnOp, l *loop, writes []ssa.Instruction) int {
	n := 1
	for v := load.X; ; {
		switch at := v.(type) {
		case *ssa.FieldAddr:
			v = at.X
			continue
		case *ssa.IndexAddr:
			v = at.X
			continue
		case *ssa.UnOp:
			if inner, ok := f.stable(at, l, writes); ok && l.has(inner) {
				n++
				v = inner.X
				continue
			}
		}
		return n
	}
}

// loadedBefore reports whether the function has loaded the same before a loop, so that the compiler may have it in a
// register.
func (f *Function) loadedBefore(load *ssa.UnOp, l *loop) bool {
	for _, b := range f.fn.Blocks {
		if l.blocks[b] || !b.Dominates(l.head) {
			continue
		}
		for _, instr := range b.Instrs {
			if before, ok := instr.(*ssa.UnOp); ok && before.Op == token.MUL && f.same(before, load) {
				return true
			}
		}
	}
	return false
}

// changes reports whether an instruction may change a value of a type at an address that isn't the function's own.
func (f *Function) changes(write ssa.Instruction, addr ssa.Value, of types.Type) bool {
	switch w := write.(type) {
	case *ssa.Store:
		return overlap(w.Addr, w.Val.Type(), addr, of)
	case *ssa.MapUpdate:
		return false // no address leads to an element
	case *ssa.Call:
		builtin, ok := w.Call.Value.(*ssa.Builtin)
		if !ok {
			return f.calling(w)&facts.MayWrite != 0
		}
		switch builtin.Name() {
		case "append", "copy", "clear":
			slice, ok := facts.Under(w.Call.Args[0].Type()).(*types.Slice)
			return ok && mayHold(slice.Elem(), of) && !(isField(addr) && types.Identical(slice.Elem().Underlying(), of.Underlying()))
		}
		return false
	}
	return true
}

// overlap reports whether two values of some types at some addresses may share memory. Without package unsafe, an element of
// a slice isn't a field, and neither is a variable.
func overlap(a ssa.Value, of types.Type, b ssa.Value, other types.Type) bool {
	if !mayHold(of, other) && !mayHold(other, of) {
		return false
	}
	if !types.Identical(of.Underlying(), other.Underlying()) {
		return true
	}
	if _, array := of.Underlying().(*types.Array); array {
		return true
	}
	x, xField := a.(*ssa.FieldAddr)
	y, yField := b.(*ssa.FieldAddr)
	if xField && yField {
		return x.Field == y.Field && types.Identical(pointedTo(x.X), pointedTo(y.X))
	}
	return known(a) == known(b) && sameVariable(a, b) || known(a) == "" || known(b) == ""
}

// known says what kind of place an address is; "" for that in a pointer, which may be any.
func known(addr ssa.Value) string {
	switch addr.(type) {
	case *ssa.FieldAddr:
		return "field"
	case *ssa.IndexAddr:
		return "element"
	case *ssa.Global:
		return "variable"
	}
	return ""
}

// sameVariable reports whether two addresses aren't those of two different variables of packages.
func sameVariable(a, b ssa.Value) bool {
	x, ok := a.(*ssa.Global)
	y, both := b.(*ssa.Global)
	return !ok || !both || x == y
}

func isField(addr ssa.Value) bool { return known(addr) == "field" || known(addr) == "variable" }

func pointedTo(v ssa.Value) types.Type {
	if p, ok := facts.Under(v.Type()).(*types.Pointer); ok {
		return p.Elem().Underlying()
	}
	return v.Type()
}

// mayHold reports whether a value of one type may have one of another in it, or is one.
func mayHold(t, inner types.Type) bool {
	if types.Identical(t.Underlying(), inner.Underlying()) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return mayHold(u.Elem(), inner)
	case *types.Struct:
		for field := range u.Fields() {
			if mayHold(field.Type(), inner) {
				return true
			}
		}
	case *types.Interface:
		_, parameter := types.Unalias(t).(*types.TypeParam)
		return parameter
	}
	return false
}

// An Accumulator is a value that a function keeps in memory while it changes it again and again.
type Accumulator struct {
	Of            ast.Expr
	Loads, Stores int
	Loop          ast.Node // whose iterations load and store it; nil if it is in none
	Alone         bool     // within a loop, no pointer, append or copy may lead to it, and what leaves the loop does nothing but return
}

// minAccesses is how many loads and how many stores outside of a loop are worth a word: a counter that starts again at its end
// has two.
const minAccesses = 3

// KeptInMemory returns a field or element that the innermost loop around a line loads and stores in each iteration, or,
// without a loop, that the function loads and stores several times. Nothing else may read or change it meanwhile, so that it
// could be in a local variable.
func (f *Function) KeptInMemory(line int) (found Accumulator, ok bool) {
	l := f.loopAt(line)
	blocks, writes := f.fn.Blocks, []ssa.Instruction(nil)
	if l != nil {
		blocks, writes = nil, l.changes()
		for b := range l.blocks {
			blocks = append(blocks, b)
		}
		if found.Loop = f.statement(l); found.Loop == nil {
			return found, false
		}
	} else if len(f.loops) > 0 {
		return found, false
	}
	var stores []*ssa.Store
	var loads []*ssa.UnOp
	for _, b := range blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Call:
				if _, builtin := instr.Call.Value.(*ssa.Builtin); !builtin && f.calling(instr)&(facts.MayRead|facts.MayWrite) != 0 {
					return found, false
				}
			case *ssa.Defer, *ssa.Go, *ssa.Send, *ssa.Select, *ssa.MakeClosure, *ssa.Panic:
				return found, false
			case *ssa.Store:
				if known(instr.Addr) != "" && !own(instr.Addr) && !isArgument(instr.Addr) {
					stores = append(stores, instr)
				}
			case *ssa.UnOp:
				if instr.Op == token.ARROW {
					return found, false
				}
				if instr.Op == token.MUL && known(instr.X) != "" && !own(instr.X) {
					loads = append(loads, instr)
				}
			}
		}
	}
	var stored *ssa.Store
	for _, s := range stores {
		if !small(s.Val.Type()) || l != nil && (!l.always(s.Block()) || f.leaves(s, l) || !f.fixedAddress(s.Addr, l, writes, maxDepth)) {
			continue
		}
		a := Accumulator{Loop: found.Loop}
		shared := false
		for _, other := range stores {
			switch {
			case f.sameAddresses(s.Addr, other.Addr, stores):
				a.Stores++
			case overlap(other.Addr, other.Val.Type(), s.Addr, s.Val.Type()):
				shared = true
			}
		}
		for _, load := range loads {
			switch {
			case f.sameAddresses(s.Addr, load.X, stores):
				a.Loads++
				if a.Of == nil {
					a.Of = f.expression(load)
				}
			case overlap(load.X, load.Type(), s.Addr, s.Val.Type()):
				shared = true
			}
		}
		enough := a.Loads >= minAccesses && a.Stores >= minAccesses || l != nil && a.Loads > 0
		if !shared && enough && a.Of != nil && (found.Of == nil || a.Loads+a.Stores > found.Loads+found.Stores || a.Loads+a.Stores == found.Loads+found.Stores && a.Of.Pos() < found.Of.Pos()) {
			found, stored = a, s
		}
	}
	if stored != nil && l != nil {
		found.Alone = f.alone(stored, blocks) && f.onlyReturns(l)
	}
	return found, found.Of != nil
}

// onlyReturns reports whether what leaves a loop does nothing before a return statement.
func (f *Function) onlyReturns(l *loop) bool {
	var returns []ast.Node
	ast.Inspect(f.statement(l), func(n ast.Node) bool {
		if _, is := n.(*ast.ReturnStmt); is {
			returns = append(returns, n)
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	quiet := func(instr ssa.Instruction) bool {
		switch instr.(type) {
		case *ssa.Jump, *ssa.If, *ssa.Phi, *ssa.DebugRef, *ssa.Return:
			return true
		}
		return slices.ContainsFunc(returns, func(r ast.Node) bool { return facts.Within(r, instr.Pos()) })
	}
	return !slices.ContainsFunc(f.exits(l), func(b *ssa.BasicBlock) bool { return !all(b.Instrs, quiet) })
}

// alone reports whether no instruction of some blocks may read or change what another one stores, through an address of which
// only the type is known.
func (f *Function) alone(s *ssa.Store, blocks []*ssa.BasicBlock) bool {
	of := s.Val.Type()
	return !slices.ContainsFunc(blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool {
			switch instr := instr.(type) {
			case *ssa.Store:
				return known(instr.Addr) == "" && !own(instr.Addr) && overlap(instr.Addr, instr.Val.Type(), s.Addr, of)
			case *ssa.UnOp:
				return instr.Op == token.MUL && known(instr.X) == "" && !own(instr.X) && overlap(instr.X, instr.Type(), s.Addr, of)
			case *ssa.Call:
				_, builtin := instr.Call.Value.(*ssa.Builtin)
				return builtin && f.changes(instr, s.Addr, of)
			}
			return false
		})
	})
}

// sameAddresses reports whether two addresses are those of the same field or element: from pointers that are the same, or that
// both take from a place that no store changes.
func (f *Function) sameAddresses(a, b ssa.Value, stores []*ssa.Store) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field && f.sameAddresses(a.X, b.X, stores)
	case *ssa.IndexAddr:
		b, ok := b.(*ssa.IndexAddr)
		return ok && f.sameAddresses(a.X, b.X, stores) && (a.Index == b.Index || f.same(a.Index, b.Index))
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		if !ok || a.Op != token.MUL || b.Op != token.MUL || !f.sameAddresses(a.X, b.X, stores) {
			return false
		}
		for _, s := range stores {
			if overlap(s.Addr, s.Val.Type(), a.X, a.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// small reports whether values of a type fit in a register.
func small(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString == 0
	case *types.Pointer:
		return true
	}
	return false
}
