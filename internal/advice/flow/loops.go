package flow

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hone-go/hone/internal/advice/facts"
)

// A loop is a part of a function that runs again and again: the blocks from which control comes back to the head.
type loop struct {
	head   *ssa.BasicBlock
	blocks map[*ssa.BasicBlock]bool
}

// loopsOf returns the loops of a function, those around others first.
func loopsOf(fn *ssa.Function) (loops []*loop) {
	for _, tail := range fn.Blocks {
		for _, head := range tail.Succs {
			if !head.Dominates(tail) {
				continue
			}
			i := slices.IndexFunc(loops, func(l *loop) bool { return l.head == head })
			if i < 0 {
				i = len(loops)
				loops = append(loops, &loop{head, map[*ssa.BasicBlock]bool{head: true}})
			}
			loops[i].add(tail)
		}
	}
	slices.SortStableFunc(loops, func(a, b *loop) int { return len(b.blocks) - len(a.blocks) })
	return loops
}

// add adds the blocks that lead to one without passing the head.
func (l *loop) add(b *ssa.BasicBlock) {
	if l.blocks[b] {
		return
	}
	l.blocks[b] = true
	for _, before := range b.Preds {
		l.add(before)
	}
}

func (l *loop) has(instr ssa.Instruction) bool { return l.blocks[instr.Block()] }

// around returns the loops that repeat an instruction, the innermost first.
func (f *Function) around(instr ssa.Instruction) (loops []*loop) {
	for _, l := range slices.Backward(f.loops) {
		if l.has(instr) {
			loops = append(loops, l)
		}
	}
	return loops
}

// statement returns the for statement that a loop is in the source; nil for loops that goto makes.
func (f *Function) statement(l *loop) ast.Node {
	var first, last ssa.Instruction
	for b := range l.blocks {
		for _, instr := range b.Instrs {
			if !instr.Pos().IsValid() || elsewhere(instr) {
				continue
			}
			if first == nil || instr.Pos() < first.Pos() {
				first = instr
			}
			if last == nil || instr.Pos() > last.Pos() {
				last = instr
			}
		}
	}
	if first == nil {
		return nil
	}
	at, ok := f.Root().FindByPos(first.Pos(), last.Pos())
	if !ok {
		return nil
	}
	inside := f.inside(l)
	for c := range at.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		switch {
		case facts.LoopBody(c.Node()) == nil:
			return nil
		case !slices.Contains(inside, c.Node()):
			return c.Node()
		}
	}
	return nil
}

// inside are the statements of the loops in a loop: it may have no other code than one of them.
func (f *Function) inside(l *loop) (statements []ast.Node) {
	for _, inner := range f.loops {
		if inner != l && l.blocks[inner.head] {
			statements = append(statements, f.statement(inner))
		}
	}
	return statements
}

// elsewhere reports whether an instruction has the position of something that may be outside of the loop: where a
// variable is declared, or where the value comes from that a loop ranges over.
func elsewhere(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Phi, *ssa.Alloc:
		return true
	case *ssa.IndexAddr:
		return ranges(instr.Index)
	case *ssa.Index:
		return ranges(instr.Index)
	case *ssa.UnOp:
		at, ok := instr.X.(*ssa.IndexAddr)
		return instr.Op == token.MUL && ok && ranges(at.Index)
	}
	return false
}

// begin returns the start of a loop in the source; NoPos if it isn't known.
func (f *Function) begin(l *loop) token.Pos {
	if stmt := f.statement(l); stmt != nil {
		return stmt.Pos()
	}
	return token.NoPos
}

// leaves reports whether a loop always ends once it has run an instruction.
func (f *Function) leaves(instr ssa.Instruction, l *loop) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	var again func(b *ssa.BasicBlock) bool
	again = func(b *ssa.BasicBlock) bool {
		for _, next := range b.Succs {
			if next == l.head || l.blocks[next] && !seen[next] {
				seen[next] = true
				if next == l.head || again(next) {
					return true
				}
			}
		}
		return false
	}
	return !again(instr.Block())
}

// invariant reports whether a value is the same in each iteration of a loop.
func (f *Function) invariant(v ssa.Value, l *loop) bool { return f.invariantTo(v, l, maxDepth) }

func (f *Function) invariantTo(v ssa.Value, l *loop, depth int) bool {
	instr, computed := v.(ssa.Instruction)
	if !computed || !l.has(instr) {
		return true // a constant, a parameter, a variable's address, or from before the loop
	}
	if depth == 0 {
		return false
	}
	operands := instr.Operands(nil)
	switch v := v.(type) {
	case *ssa.Call:
		return facts.PointerFree(v.Type()) && f.invariantCall(v, l, depth)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && facts.PointerFree(v.Type()) && f.invariantCall(call, l, depth)
	case *ssa.Slice:
		if list := arguments(v); list != nil {
			return f.allInvariant(list, l, depth)
		}
	case *ssa.Phi:
		return false
	default:
		if !sameOperation(instr, instr) {
			return false
		}
	}
	for _, o := range operands {
		if *o != nil && !f.invariantTo(*o, l, depth-1) {
			return false
		}
	}
	return f.unchangedIn(instr, l)
}

func (f *Function) allInvariant(list []ssa.Value, l *loop, depth int) bool {
	return !slices.ContainsFunc(list, func(v ssa.Value) bool { return !f.invariantTo(v, l, depth-1) })
}

// invariantCall reports whether a call does nothing but compute the same results in each iteration.
func (f *Function) invariantCall(call *ssa.Call, l *loop, depth int) bool {
	if call.Call.IsInvoke() {
		return false
	}
	switch callee := call.Call.Value.(type) {
	case *ssa.Function:
		if !f.repeats(callee) {
			return false
		}
	case *ssa.Builtin:
		if hasChan(call) {
			return false
		}
	default:
		return false
	}
	does := f.calling(call)
	if does&facts.MayWrite != 0 || !f.allInvariant(call.Call.Args, l, depth) {
		return false
	}
	return does&(facts.MayRead|facts.ReadsBytes) == 0 && !hasMap(call) || f.unwrittenIn(l)
}

// unchangedIn reports whether the memory that an instruction reads stays the same in a loop.
func (f *Function) unchangedIn(instr ssa.Instruction, l *loop) bool {
	switch readBy(instr) {
	case readsNothing:
		return true
	case readsOwn:
		variable := rootOf(instr.(*ssa.UnOp).X)
		made, _ := variable.(ssa.Instruction)
		return l.each(func(instr ssa.Instruction) bool {
			store, ok := instr.(*ssa.Store)
			return instr != made && (!ok || rootOf(store.Addr) != variable)
		})
	}
	return f.unwrittenIn(l)
}

// unwrittenIn reports whether a loop changes no memory that other code can read.
func (f *Function) unwrittenIn(l *loop) bool {
	return l.each(func(instr ssa.Instruction) bool { return !f.writes(instr) })
}

func (l *loop) each(is func(ssa.Instruction) bool) bool {
	for b := range l.blocks {
		if !all(b.Instrs, is) {
			return false
		}
	}
	return true
}
