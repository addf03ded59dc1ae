package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/advice/flow"
)

// maxOwn limits what is said about the line's own code.
const maxOwn = 3

// whatOwn says what the line's own code does that takes time, if it takes much of it: it has no functions whose names
// would tell.
func whatOwn(s *advice.Site, ran []running) (said []string) {
	if len(ran) == 0 || ran[0].what != ownCode {
		return nil
	}
	for _, say := range []func(*advice.Site) string{copiesValue, divides, multipliesHalves, assembles, onlyAdds, classifies, countsTwice, evenSteps, fewIterations, perElement, loadsAgain, keepsInMemory, shiftsByAny} {
		if text := say(s); text != "" && len(said) < maxOwn {
			said = append(said, text)
		}
	}
	return said
}

// copiesValue says which value on the line is copied in memory, because it is too large for registers.
func copiesValue(s *advice.Site) string {
	for _, c := range s.Nodes() {
		switch n := c.Node().(type) {
		case *ast.RangeStmt:
			v := rangeValue(s, n)
			switch {
			case v == nil:
			case inMemory(v.Type()) > 0:
				return fmt.Sprintf("Each iteration copies an element of %d bytes to %s.", inMemory(v.Type()), v.Name())
			case !facts.Sized(v.Type()):
				return fmt.Sprintf("Each iteration copies an element to %s: its size depends on the type argument.", v.Name())
			}
		case *ast.AssignStmt:
			if len(n.Lhs) != len(n.Rhs) {
				continue
			}
			for i, from := range n.Rhs {
				name, isName := ast.Unparen(n.Lhs[i]).(*ast.Ident)
				if isName && name.Name != "_" && isVariable(from) && inMemory(s.Info.TypeOf(from)) > 0 {
					return fmt.Sprintf("%s is a copy of %d bytes.", name.Name, inMemory(s.Info.TypeOf(from)))
				}
			}
		case *ast.CallExpr:
			if text := passesCopy(s, n); text != "" {
				return text
			}
		}
	}
	return takesCopy(s)
}

// takesCopy says which large parameter each call of the line's function copies, if it isn't inlined. In a loop, the
// calls don't matter.
func takesCopy(s *advice.Site) string {
	d, ok := s.Func.Node().(*ast.FuncDecl)
	if nodes := s.Nodes(); !ok || len(nodes) == 0 || len(loopsAround(nodes[0])) > 0 || functionNotInlined(s, d.Name.Pos()) == "" {
		return ""
	}
	fields := d.Type.Params.List
	if d.Recv != nil {
		fields = slices.Concat(d.Recv.List, fields)
	}
	for _, f := range fields {
		if size := inMemory(s.Info.TypeOf(f.Type)); size >= 32 && len(f.Names) > 0 && f.Names[0].Name != "_" {
			return fmt.Sprintf("Each call of %s copies %d bytes: %s is passed by value.", d.Name.Name, size, f.Names[0].Name)
		}
	}
	return ""
}

// passesCopy says which large argument a call copies.
func passesCopy(s *advice.Site, call *ast.CallExpr) string {
	f, ok := s.Info.TypeOf(call.Fun).Underlying().(*types.Signature)
	if !ok || s.Info.Types[call.Fun].IsType() {
		return ""
	}
	for i, arg := range call.Args {
		if t := s.Info.TypeOf(arg); i < f.Params().Len() && !types.IsInterface(f.Params().At(i).Type()) && isVariable(arg) && inMemory(t) > 0 {
			if name := s.Source(arg); len(name) <= maxSource {
				return fmt.Sprintf("%s is passed by value: that copies %d bytes.", name, inMemory(t))
			}
		}
	}
	return ""
}

// isVariable reports whether an expression is a variable, an element, a field, or what a pointer points to: assigning it
// copies it.
func isVariable(e ast.Expr) bool {
	switch ast.Unparen(e).(type) {
	case *ast.Ident, *ast.IndexExpr, *ast.SelectorExpr, *ast.StarExpr:
		return true
	}
	return false
}

// inMemory is the size of a type's values if they are never in registers as a whole, and 0 if they may be: see
// CanSSA in the compiler's package ssa. Copying small ones is cheap, and so 0, too.
func inMemory(t types.Type) int64 {
	const word = 8
	if t == nil {
		return 0
	}
	least := int64(4*word + 1)
	switch u := t.Underlying().(type) {
	case *types.Array:
		if u.Len() < 2 {
			return 0
		}
		least = word // elements are stored as a whole and loaded in parts
	case *types.Struct:
	default:
		return 0
	}
	if size, ok := facts.SizeOf(t); ok && size >= least {
		return size
	}
	return 0
}

// divides says whether the line divides integers by something that isn't constant.
func divides(s *advice.Site) string {
	for _, c := range s.Nodes() {
		var op token.Token
		var of, by ast.Expr
		switch n := c.Node().(type) {
		case *ast.BinaryExpr:
			op, of, by = n.Op, n.X, n.Y
		case *ast.AssignStmt:
			switch n.Tok {
			case token.QUO_ASSIGN:
				op, of, by = token.QUO, n.Lhs[0], n.Rhs[0]
			case token.REM_ASSIGN:
				op, of, by = token.REM, n.Lhs[0], n.Rhs[0]
			}
		}
		if op != token.QUO && op != token.REM || s.Info.Types[by].Value != nil {
			continue
		}
		t, ok := s.Info.TypeOf(of).Underlying().(*types.Basic)
		if name := s.Source(by); ok && t.Info()&types.IsInteger != 0 && len(name) <= maxSource && !strings.Contains(name, "\n") {
			return fmt.Sprintf("The %s by %s is a division, as that isn't a constant: divisions are slow instructions.", op, name)
		}
	}
	return ""
}

// loadsAgain says what the loop around the line loads in each iteration although it doesn't change it.
func loadsAgain(s *advice.Site) string {
	f := flow.In(s.Place)
	if f == nil {
		return ""
	}
	found, ok := f.LoadedAgain(s.Line)
	if !ok {
		return ""
	}
	name := nameFor(s, found.Of)
	if name == "" {
		return ""
	}
	return fmt.Sprintf("The loop on %s loads %s again in each iteration and doesn't change it (%d loads): a variable before the loop can hold it.", lineAt(s, found.Loop.Pos()), name, found.Loads)
}

// nameFor is the source of an expression, "" if it is too long for a sentence.
func nameFor(s *advice.Site, e ast.Expr) string {
	if name := s.Source(e); len(name) <= maxSource && !strings.Contains(name, "\n") {
		return name
	}
	return ""
}

// keepsInMemory says which value the function changes in memory again and again.
func keepsInMemory(s *advice.Site) string {
	f := flow.In(s.Place)
	if f == nil || s.Decl == nil {
		return ""
	}
	found, ok := f.KeptInMemory(s.Line)
	if !ok {
		return ""
	}
	name := nameFor(s, found.Of)
	if name == "" {
		return ""
	}
	if found.Loop != nil {
		return fmt.Sprintf("Each iteration of the loop on %s loads and stores %s in memory: a local variable can stay in a register.", lineAt(s, found.Loop.Pos()), name)
	}
	return fmt.Sprintf("%s loads %s %d times and stores it %d times in memory: a local variable can stay in a register.", s.Decl.Name.Name, name, found.Loads, found.Stores)
}

// loopAround is the innermost loop around the line, nil if there is none.
func loopAround(s *advice.Site) ast.Node {
	nodes := s.Nodes()
	if len(nodes) == 0 {
		return nil
	}
	if loops := loopsAround(nodes[0]); len(loops) > 0 {
		return loops[0]
	}
	return nil
}

// maxUnrolled is how many iterations may be worth writing out.
const maxUnrolled = 8

// fewIterations says whether the loop around the line always runs a few times.
func fewIterations(s *advice.Site) string {
	loop := loopAround(s)
	if loop == nil || facts.Jumps(s.Place) {
		return ""
	}
	trips, ok := facts.TripsOf(s.Place, loop)
	if !ok || trips.Call {
		return ""
	}
	n, ok := facts.ConstantInt(s.Place, trips.Expr)
	if !ok && !trips.Counts {
		t := facts.Under(s.Info.TypeOf(trips.Expr))
		if p, isPointer := t.(*types.Pointer); isPointer {
			t = p.Elem().Underlying()
		}
		if array, isArray := t.(*types.Array); isArray {
			n = array.Len()
		}
	}
	if n < 2 || n > maxUnrolled {
		return ""
	}
	return fmt.Sprintf("The loop on line %d always has %d iterations: written out, they need no counter, and fewer checks of indexes.", s.Package.Line(loop.Pos()), n)
}

// perElement says whether the loop around the line handles a single byte or bit, or a single element with nothing called, per iteration.
func perElement(s *advice.Site) string {
	loop := loopAround(s)
	if loop == nil {
		return ""
	}
	over, what := steppedThrough(s, loop)
	one := "one " + what
	if what == "" {
		var bits int64
		if over, bits = shiftedByFew(s, loop); bits > 1 {
			one = fmt.Sprintf("%d bits", bits)
		} else {
			one = "one bit"
		}
	}
	if over == "" || len(over) > maxSource || what != "byte" && what != "" && callsAnything(s, facts.LoopBody(loop)) {
		return ""
	}
	return fmt.Sprintf("The loop on line %d handles %s of %s per iteration.", s.Package.Line(loop.Pos()), one, over)
}

// fewBits is how many bits are fewer than the hexadecimal digit or the byte that an iteration may well be about.
const fewBits = 3

// shiftedByFew returns the number that a loop shifts by a few bits in each iteration, and how many these are; "" if there is none.
func shiftedByFew(s *advice.Site, loop ast.Node) (over string, bits int64) {
	body := facts.LoopBody(loop)
	statements := body.List
	if f, ok := loop.(*ast.ForStmt); ok && f.Post != nil {
		statements = append(slices.Clone(statements), f.Post)
	}
	for _, stmt := range statements {
		assign, ok := stmt.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			continue
		}
		v, by := facts.Object(s.Place, assign.Lhs[0]), assign.Rhs[0]
		switch assign.Tok {
		case token.SHL_ASSIGN, token.SHR_ASSIGN:
		case token.ASSIGN:
			shift, ok := ast.Unparen(by).(*ast.BinaryExpr)
			if !ok || shift.Op != token.SHL && shift.Op != token.SHR || facts.Object(s.Place, shift.X) != v {
				continue
			}
			by = shift.Y
		default:
			continue
		}
		if bits, ok := facts.ConstantInt(s.Place, by); ok && v != nil && 1 <= bits && bits <= fewBits && !facts.Within(body, v.Pos()) {
			return v.Name(), bits
		}
	}
	return "", 0
}

// steppedThrough returns the slice, array or string that a loop goes through element by element, and what an element is.
func steppedThrough(s *advice.Site, loop ast.Node) (over, what string) {
	var index types.Object
	if r, ok := loop.(*ast.RangeStmt); ok {
		if r.Value != nil {
			return s.Source(r.X), numberIn(s, r.X)
		}
		index = facts.Object(s.Place, r.Key)
	} else if post, ok := loop.(*ast.ForStmt).Post.(*ast.IncDecStmt); ok {
		index = facts.Object(s.Place, post.X)
	}
	if index == nil {
		return "", ""
	}
	ast.Inspect(facts.LoopBody(loop), func(n ast.Node) bool {
		if e, ok := n.(*ast.IndexExpr); ok && over == "" && stepsWith(s, e.Index, index) && facts.Repeatable(s.Place, e.X) {
			if what = numberIn(s, e.X); what != "" {
				over = s.Source(e.X)
			}
		}
		return over == ""
	})
	return over, what
}

// stepsWith reports whether an index is a variable, or that plus or minus something.
func stepsWith(s *advice.Site, index ast.Expr, variable types.Object) bool {
	if sum, ok := ast.Unparen(index).(*ast.BinaryExpr); ok && (sum.Op == token.ADD || sum.Op == token.SUB) {
		return facts.Object(s.Place, sum.X) == variable || sum.Op == token.ADD && facts.Object(s.Place, sum.Y) == variable
	}
	return facts.Object(s.Place, index) == variable
}

// numberIn says what the elements of a slice, array or string are: "" unless they are numbers.
func numberIn(s *advice.Site, e ast.Expr) string {
	var element types.Type
	switch t := s.Info.TypeOf(e).Underlying().(type) {
	case *types.Slice:
		element = t.Elem()
	case *types.Array:
		element = t.Elem()
	case *types.Basic:
		if t.Info()&types.IsString == 0 {
			return ""
		}
		element = types.Typ[types.Byte]
	default:
		return ""
	}
	b, ok := element.Underlying().(*types.Basic)
	switch {
	case !ok || b.Info()&(types.IsNumeric|types.IsBoolean) == 0:
		return ""
	case b.Kind() == types.Byte:
		return "byte"
	}
	return fmt.Sprintf("element (%s)", b.Name())
}

// callsAnything reports whether code has a call or a function literal, or looks something up in a map. Conversions and
// builtins don't count.
func callsAnything(s *advice.Site, code ast.Node) bool {
	return slices.ContainsFunc(slices.Collect(ast.Preorder(code)), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return true
		case *ast.IndexExpr:
			t := s.Info.TypeOf(n.X)
			if t == nil {
				return true
			}
			_, isMap := t.Underlying().(*types.Map)
			return isMap
		case *ast.CallExpr:
			t := s.Info.Types[n.Fun]
			return !t.IsType() && !t.IsBuiltin()
		}
		return false
	})
}

// callsItself says on which lines a declared function calls itself: "" if it doesn't.
func callsItself(s *advice.Site) string {
	d, ok := s.Func.Node().(*ast.FuncDecl)
	if !ok || d.Body == nil {
		return ""
	}
	self := s.Info.Defs[d.Name]
	var lines []string
	for _, id := range s.Uses(self) {
		use, ok := s.Func.FindNode(id)
		if !ok {
			continue
		}
		called := use
		if sel, ok := use.Parent().Node().(*ast.SelectorExpr); ok && sel.Sel == id {
			called = use.Parent()
		}
		if call, ok := called.Parent().Node().(*ast.CallExpr); ok && call.Fun == called.Node() {
			if line := fmt.Sprint(s.Package.Line(id.Pos())); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return " (line " + lines[0] + ")"
	}
	return " (lines " + strings.Join(lines[:min(3, len(lines))], ", ") + ")"
}
