package flow

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/ssa"

	"github.com/hone-go/hone/internal/advice/code"
)

// A Graph is the flow of values in a package.
type Graph struct {
	*code.Package
	of      *ssa.Package
	callsAt map[token.Pos]inspector.Cursor // the calls of the syntax, by their opening parenthesis
	pure    map[*ssa.Function]bool         // whether calls with the same arguments return the same; see repeats
}

// Of returns the flow of values in a package; nil if it can't be computed.
func Of(p *code.Package) *Graph {
	type graph struct{}
	return code.Memo(p, graph{}, func() *Graph { return makeGraph(p) })
}

// makeGraph makes the SSA form. The builder panics on syntax that it doesn't know, such as that of a newer Go: then
// there are no answers.
func makeGraph(p *code.Package) (g *Graph) {
	defer func() {
		if recover() != nil {
			g = nil
		}
	}()
	prog := ssa.NewProgram(p.Fset, 0)
	for _, imported := range p.Types.Imports() {
		prog.CreatePackage(imported, nil, nil, true)
	}
	pkg := prog.CreatePackage(p.Types, p.Files, p.Info, false)
	pkg.Build()
	g = &Graph{Package: p, of: pkg, callsAt: make(map[token.Pos]inspector.Cursor), pure: make(map[*ssa.Function]bool)}
	for c := range p.Root().Preorder((*ast.CallExpr)(nil)) {
		g.callsAt[c.Node().(*ast.CallExpr).Lparen] = c
	}
	return g
}

// A Function is the flow of values in a function or function literal. Code in function literals inside it, and in
// the bodies of loops over iterators, belongs to other functions.
type Function struct {
	*Graph
	fn    *ssa.Function
	at    map[token.Pos][]ssa.Instruction
	order map[ssa.Instruction]int // within its block
	loops []*loop                 // inner loops after those around them
}

// In returns the flow of values in the function of a place; nil if it isn't known.
func In(s *code.Place) *Function {
	g := Of(s.Package)
	if g == nil || s.Decl == nil {
		return nil
	}
	obj, ok := s.Info.Defs[s.Decl.Name].(*types.Func)
	if !ok {
		return nil
	}
	fn := g.of.Prog.FuncValue(obj)
	if fn == nil {
		return nil
	}
	if s.Func.Node() != ast.Node(s.Decl) {
		fn = literalIn(fn, s.Func.Node())
	}
	return g.function(fn)
}

// literalIn returns the function of a literal inside another function.
func literalIn(fn *ssa.Function, literal ast.Node) *ssa.Function {
	for _, inner := range fn.AnonFuncs {
		if inner.Syntax() == literal {
			return inner
		}
		if found := literalIn(inner, literal); found != nil {
			return found
		}
	}
	return nil
}

func (g *Graph) function(fn *ssa.Function) *Function {
	if fn == nil || len(fn.Blocks) == 0 {
		return nil
	}
	type function struct{ *ssa.Function }
	return code.Memo(g.Package, function{fn}, func() *Function {
		f := &Function{Graph: g, fn: fn, at: make(map[token.Pos][]ssa.Instruction), order: make(map[ssa.Instruction]int)}
		for _, b := range fn.Blocks {
			for i, instr := range b.Instrs {
				f.order[instr] = i
				if pos := instr.Pos(); pos.IsValid() {
					f.at[pos] = append(f.at[pos], instr)
				}
			}
		}
		f.loops = loopsOf(fn)
		return f
	})
}

// value returns the value of an expression; nil if it has none of its own, such as a name or a constant.
func (f *Function) value(e ast.Expr) ssa.Value {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		for _, instr := range f.at[e.Lparen] {
			switch v := instr.(type) {
			case *ssa.IndexAddr, *ssa.Index: // a loop over the result has the position of the call, too
			case ssa.Value:
				return v
			}
		}
	case *ast.BinaryExpr:
		return first[*ssa.BinOp](f.at[e.OpPos])
	case *ast.UnaryExpr:
		return first[*ssa.UnOp](f.at[e.OpPos])
	case *ast.SliceExpr:
		return first[*ssa.Slice](f.at[e.Lbrack])
	case *ast.IndexExpr:
		if v := first[*ssa.Lookup](f.at[e.Lbrack]); v != nil {
			return v
		}
		if v := first[*ssa.Index](f.at[e.Lbrack]); v != nil {
			return v
		}
		return loaded(first[*ssa.IndexAddr](f.at[e.Lbrack]))
	case *ast.SelectorExpr:
		if v := first[*ssa.Field](f.at[e.Sel.Pos()]); v != nil {
			return v
		}
		return loaded(first[*ssa.FieldAddr](f.at[e.Sel.Pos()]))
	}
	return nil
}

// first returns the first instruction of a kind that gives a value; nil if there is none.
func first[T ssa.Instruction](list []ssa.Instruction) ssa.Value {
	for _, instr := range list {
		if v, ok := instr.(T); ok {
			return any(v).(ssa.Value)
		}
	}
	return nil
}

// loaded returns the only load from an address; nil if there is another number of them.
func loaded(addr ssa.Value) (v ssa.Value) {
	if addr == nil {
		return nil
	}
	for _, user := range *addr.Referrers() {
		if load, ok := user.(*ssa.UnOp); ok && load.Op == token.MUL {
			if v != nil {
				return nil
			}
			v = load
		}
	}
	return v
}

// ranges reports whether an index is that of a range loop.
func ranges(index ssa.Value) bool {
	next, ok := index.(*ssa.BinOp)
	if !ok {
		return false
	}
	phi, ok := next.X.(*ssa.Phi)
	return ok && phi.Comment == "rangeindex"
}

// syntax returns the call that an instruction is in the source; ok is false for calls that the source doesn't
// have, such as those of defer and go.
func (g *Graph) syntax(call *ssa.Call) (c inspector.Cursor, ok bool) {
	c, ok = g.callsAt[call.Pos()]
	return c, ok
}
