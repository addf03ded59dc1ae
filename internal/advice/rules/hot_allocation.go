package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var hotAllocation = &advice.Rule{
	ID:    "hot-allocation",
	Title: "a hot line allocates",
	Doc: `Values that the compiler can't prove to be dead when a function returns are allocated on the heap. They cost time twice:
when they are allocated and when the garbage collector traces them. Profiles show which lines allocate most, and the
compiler says why. The advice depends on the reason:

A function literal that uses variables of its function is an object. If it is passed to a small function, write out what
that function does, or pass the variables as parameters.

A value passed as an interface, such as any, is copied to the heap unless it is a pointer, a constant, or a number below
256. Use a function with a typed or generic parameter, or call the function only when the value is used.

A variable whose address outlives the function is allocated where it is declared, even if the branch that takes the
address doesn't run. Copy it to a new variable in that branch.

A slice whose size is only known at run time is allocated even if it doesn't outlive the function, unless it has at most
32 bytes (and always up to Go 1.24).

Other values, slices and buffers that are allocated per call can be kept in a longer-lived object and reused, supplied
by the caller, or returned by value.

The rule reports a line only if no other rule does, and only for what the line itself allocates. Which change fits
depends on who uses the value, and for how long, so this rule only gives advice.`,
	Class:     advice.AdviceOnly,
	Frames:    lazyregexp.New(`^runtime\.(newobject|makeslice|growslice|convT\w*|mallocgc\w*)$`),
	Allocates: true,
	Own:       true,
	Generic:   true,
	Gain:      1.3,
	Match:     matchHotAllocation,
}

func matchHotAllocation(s *advice.Site) []advice.Match {
	share := s.Allocates()
	if share < someAllocated || s.In.Diagnostics() == nil {
		return nil
	}
	for _, explain := range []func(*advice.Site, inspector.Cursor) *advice.Match{closureAllocated, movedToHeap, boxed, methodValue} {
		for _, c := range s.Nodes() {
			if m := explain(s, c); m != nil && !facts.RarelyRuns(s.Place, c) {
				return []advice.Match{*m}
			}
		}
	}
	if share < muchAllocated {
		return nil
	}
	for _, c := range s.Nodes() {
		if m := valueAllocated(s, c); m != nil && !facts.RarelyRuns(s.Place, c) {
			return []advice.Match{*m}
		}
	}
	return nil
}

// escapes reports whether the compiler says that something on the line is allocated.
func escapes(s *advice.Site, what string) bool {
	return slices.Contains(s.Compiler(), what+" escapes to heap")
}

func closureAllocated(s *advice.Site, c inspector.Cursor) *advice.Match {
	lit, ok := c.Node().(*ast.FuncLit)
	if !ok || lit == s.Func.Node() || !escapes(s, "func literal") {
		return nil
	}
	captured := captures(s, lit)
	if len(captured) == 0 {
		return nil // an empty one isn't allocated
	}
	m := &advice.Match{Node: lit, Title: "a function literal is allocated each time"}
	names := strings.Join(captured[:min(3, len(captured))], ", ")
	if len(captured) > 3 {
		names += ", …"
	}
	switch p := c.Parent().Node().(type) {
	case *ast.CallExpr:
		switch p.Fun {
		case lit:
			return nil // go func() {…}(), or called on the spot
		}
		to := edit.Called(s, p)
		m.Why = fmt.Sprintf("The function literal uses %s and is allocated for each call of %s, which may keep it. Write out here what %s does with it, or pass the variables as parameters and create it once.", names, to, to)
	case *ast.ReturnStmt:
		m.Why = fmt.Sprintf("The function literal uses %s and is allocated on each call. Use a method of an object that is created once and has these as fields.", names)
	default:
		m.Why = fmt.Sprintf("The function literal uses %s and is allocated each time. A method, or a function that takes these as parameters, isn't allocated.", names)
	}
	return m
}

// captures returns the names of outer variables that a literal uses.
func captures(s *advice.Site, lit *ast.FuncLit) []string {
	var names []string
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := s.Info.Uses[id].(*types.Var)
		if ok && !v.IsField() && v.Parent() != s.Types.Scope() && v.Pkg() == s.Types && !facts.Within(lit, v.Pos()) && !slices.Contains(names, v.Name()) {
			names = append(names, v.Name())
		}
		return true
	})
	return names
}

// movedToHeap matches variables declared on the line whose address outlives the function.
func movedToHeap(s *advice.Site, c inspector.Cursor) *advice.Match {
	id, ok := c.Node().(*ast.Ident)
	if !ok || !escapes(s, id.Name) {
		return nil
	}
	v, ok := s.Info.Defs[id].(*types.Var)
	if !ok || v.IsField() {
		return nil
	}
	m := &advice.Match{Node: id, Title: "a variable moves to the heap"}
	at, branch, how := addressUse(s, v)
	if at == token.NoPos {
		return nil
	}
	kind := "it"
	if _, isParam := c.Parent().Node().(*ast.Field); isParam {
		kind = "the parameter"
	} else if r, isRange := c.Parent().Node().(*ast.RangeStmt); isRange && (r.Value == id || r.Key == id) {
		kind = "the loop variable"
		if !branch && how == "takes its address" && r.Value == id {
			m.Why = fmt.Sprintf("Line %d %s, so each step allocates a copy of the element. Use &%s[i], the address of the element itself, if sharing it is fine.", s.Package.Line(at), how, strings.TrimSpace(s.Source(r.X)))
			if _, isSlice := s.Info.TypeOf(r.X).Underlying().(*types.Slice); isSlice && edit.OneLine(m.Why[:0]+s.Source(r.X)) {
				return m
			}
		}
	}
	if branch {
		instead := fmt.Sprintf("Copy %s to a new variable in that branch and use that.", v.Name())
		if needsAddress(v.Type()) || pointerTaker(s, v) != "" {
			instead = "Declare it in the branch, or reuse one from a longer-lived object."
		}
		m.Why = fmt.Sprintf("Line %d %s, so %s is allocated here each time, even if that branch doesn't run. %s", s.Package.Line(at), how, kind, instead)
		return m
	}
	instead := fmt.Sprintf("Pass %s by value, or have the caller supply the memory.", v.Name())
	taker := pointerTaker(s, v)
	switch {
	case taker == "errors.As":
		instead = "errors.AsType returns the error by value and needs no variable (go 1.26 in go.mod)."
	case taker != "" && kind != "the parameter":
		instead = fmt.Sprintf("%s needs its address. Reuse a variable of a longer-lived object, or call %s only when the result is used.", taker, taker)
	case kind == "the parameter":
		instead = "Keep or pass its value there, or have the caller pass a pointer."
	case needsAddress(v.Type()):
		instead = "Reuse one from a longer-lived object or a sync.Pool."
	}
	m.Why = fmt.Sprintf("Line %d %s, which may outlive this function, so %s is allocated here each time. %s", s.Package.Line(at), how, kind, instead)
	return m
}

// pointerTaker returns the function of another package that takes the address of a variable as an argument, ""
// if there is none. Such a function can't be changed to take the value.
func pointerTaker(s *advice.Site, v *types.Var) string {
	for _, id := range s.Uses(v) {
		use, ok := s.Root().FindNode(id)
		if !ok {
			continue
		}
		address := use.Parent()
		if unary, ok := address.Node().(*ast.UnaryExpr); !ok || unary.Op != token.AND {
			continue
		}
		call, ok := address.Parent().Node().(*ast.CallExpr)
		if !ok || call.Fun == address.Node() {
			continue
		}
		if fn, ok := typeutil.Callee(s.Info, call).(*types.Func); ok && fn.Pkg() != nil && fn.Pkg() != s.Types {
			return edit.Short(s.Callee(call))
		}
	}
	return ""
}

// needsAddress reports whether a type has pointer methods, as buffers and locks have: its values
// should not be copied.
func needsAddress(t types.Type) bool {
	return types.NewMethodSet(types.NewPointer(t)).Len() > types.NewMethodSet(t).Len()
}

// addressUse returns where the address of a variable is first taken, whether all such places are in
// branches that don't contain its declaration, and how it is taken.
func addressUse(s *advice.Site, v *types.Var) (at token.Pos, branch bool, how string) {
	branch = true
	root, ok := s.Root().FindNode(s.File)
	if !ok {
		return token.NoPos, false, ""
	}
	for _, id := range s.Uses(v) {
		c, ok := root.FindNode(id)
		if !ok {
			continue
		}
		taken := facts.AddressTakenBy(s.Place, c, v)
		if taken == "" {
			continue
		}
		if at == token.NoPos {
			at, how = id.Pos(), taken
		}
		branch = branch && facts.InBranch(c, v.Pos())
	}
	return at, branch && at != token.NoPos, how
}

// boxed matches values that are converted to an interface when they are passed.
func boxed(s *advice.Site, c inspector.Cursor) *advice.Match {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok || call.Ellipsis.IsValid() {
		return nil
	}
	name := s.Callee(call)
	if name == "(*sync.Pool).Put" {
		return nil
	}
	signature, ok := s.Info.TypeOf(call.Fun).Underlying().(*types.Signature)
	if !ok {
		return nil
	}
	to := edit.Called(s, call)
	var values []string
	for i, arg := range call.Args {
		if v := s.Info.Types[arg].Value; v == nil && escapes(s, types.ExprString(arg)) && toInterface(s, signature, i, arg) {
			if text := s.Source(arg); !slices.Contains(values, text) {
				values = append(values, text)
			}
		}
	}
	m := &advice.Match{Node: call, Title: "a value is allocated to be passed as an interface"}
	list := strings.Join(values, ", ")
	switch {
	case len(values) > 0 && edit.OneLine(list):
		m.Why = fmt.Sprintf("%s takes an interface, so %s is copied to the heap on each call. A typed or generic function needs no copy.", to, list)
		if len(values) > 1 {
			m.Why = strings.Replace(m.Why, list+" is copied", list+" are copied", 1)
		}
	case signature.Variadic() && escapes(s, "... argument") && len(call.Args) >= signature.Params().Len():
		m.Title = "a slice is allocated for variadic arguments"
		m.Why = fmt.Sprintf("%s may keep its variadic arguments, so a slice for them is allocated on each call. Add a function with a fixed number of parameters for the common case.", to)
	default:
		return nil
	}
	return m
}

// toInterface reports whether a non-interface argument is passed as an interface.
func toInterface(s *advice.Site, f *types.Signature, i int, arg ast.Expr) bool {
	params := f.Params()
	var t types.Type
	switch {
	case f.Variadic() && i >= params.Len()-1:
		slice, ok := params.At(params.Len() - 1).Type().(*types.Slice)
		if !ok {
			return false
		}
		t = slice.Elem()
	case i < params.Len():
		t = params.At(i).Type()
	default:
		return false
	}
	if _, ok := t.(*types.TypeParam); ok {
		return false
	}
	from := s.Info.TypeOf(arg)
	if _, ok := from.(*types.TypeParam); ok {
		return false
	}
	if _, ok := from.Underlying().(*types.Pointer); ok {
		return false // a pointer is stored in the interface directly
	}
	return types.IsInterface(t) && !types.IsInterface(from)
}

// methodValue matches methods that are used as function values.
func methodValue(s *advice.Site, c inspector.Cursor) *advice.Match {
	sel, ok := c.Node().(*ast.SelectorExpr)
	if !ok || !escapes(s, types.ExprString(sel)) {
		return nil
	}
	if v := s.Info.Selections[sel]; v == nil || v.Kind() != types.MethodVal {
		return nil
	}
	if call, ok := c.Parent().Node().(*ast.CallExpr); ok && call.Fun == sel {
		return nil
	}
	return &advice.Match{Node: sel, Title: "a method value is allocated each time",
		Why: fmt.Sprintf("%s is a method value, which is allocated with its receiver each time. Keep it in a field, or pass the receiver as an interface.", s.Source(sel))}
}

// valueAllocated matches literals, and what new, make and append allocate.
func valueAllocated(s *advice.Site, c inspector.Cursor) *advice.Match {
	m := &advice.Match{Node: c.Node(), Title: "memory is allocated each time"}
	switch n := c.Node().(type) {
	case *ast.BinaryExpr:
		pieces := facts.Operands(s.Place, n)
		if outer, ok := c.Parent().Node().(*ast.BinaryExpr); ok && outer.Op == token.ADD || len(pieces) < 2 || !facts.IsString(s.Place, n) || !escapes(s, types.ExprString(n)) {
			return nil
		}
		m.Title = "strings are concatenated each time"
		m.Why = fmt.Sprintf("A new string is built from %d pieces each time", len(pieces))
		if slices.ContainsFunc(pieces, func(e ast.Expr) bool { _, call := ast.Unparen(e).(*ast.CallExpr); return call }) {
			m.Why += ", some of which are allocated, too"
		}
		m.Why += ". Append the pieces to a []byte or strings.Builder with enough capacity, numbers with strconv.Append functions; or keep the string if it is needed again."
	case *ast.CompositeLit:
		t := s.Info.TypeOf(n).Underlying()
		_, slice := t.(*types.Slice)
		_, isMap := t.(*types.Map)
		_, address := c.Parent().Node().(*ast.UnaryExpr)
		switch {
		case slice && len(n.Elts) > 0 && saysPrefix(s, "[]", "{...}"):
			m.Why = "A slice for these few elements is allocated each time. Reuse one from a longer-lived object, or have the callee take the elements directly."
			if len(n.Elts) == 1 {
				m.Why = "A slice for one element is allocated each time. Reuse one from a longer-lived object, or have the callee take the element directly."
			}
		case isMap && len(n.Elts) > 0 && (saysPrefix(s, "map[", "{...}") || escapes(s, edit.Spelled(s, n)+"{...}")):
			m.Title = "a map is created each time"
			m.Why = mapMade(s, c)
		case address && saysPrefix(s, "&", "{...}", "{}"):
			m.Why = eachTime(s, n)
		default:
			return nil
		}
	case *ast.CallExpr:
		switch s.Callee(n) {
		case "new":
			if !saysPrefix(s, "new(", ")") {
				return nil
			}
			m.Why = eachTime(s, n.Args[0])
		case "make":
			if !saysPrefix(s, "make(", ")") {
				if !sizedLate(s, c, n) {
					return nil
				}
				m.Why = "It doesn't outlive the function, but its size is only known at run time, so it is allocated if it is larger than 32 bytes. Use a local array that is usually large enough, such as var array [64]byte, and make a slice only if it is too small; or reuse a slice from a longer-lived object or the caller."
				break
			}
			m.Why = "It is allocated each time. If it isn't needed after the call, reuse one from a longer-lived object or the caller; if there is no such owner, use a sync.Pool."
		case "append":
			if !saysPrefix(s, "append(", ")") || s.Blocks() < 2 && s.Share(growFrames) == 0 {
				return nil
			}
			if isFresh(s, n.Args[0]) {
				m.Why = "A copy is allocated each time. If neither changes afterwards, use the original; otherwise keep a slice in a longer-lived object and copy with append to its [:0]."
				break
			}
			m.Why = fmt.Sprintf("%s is full when this appends to it, so a larger one is allocated. Start with enough capacity, or reuse its memory with [:0].", s.Source(n.Args[0]))
			if !edit.OneLine(s.Source(n.Args[0])) {
				return nil
			}
		default:
			return nil
		}
	default:
		return nil
	}
	return m
}

// sizedLate reports whether a slice that doesn't escape is made with a capacity that is only known at
// run time. For functions with type parameters, the compiler reports this where it instantiates them,
// which may be in another package.
func sizedLate(s *advice.Site, c inspector.Cursor, made *ast.CallExpr) bool {
	if _, ok := s.Info.TypeOf(made).Underlying().(*types.Slice); !ok || s.Info.Types[made.Args[len(made.Args)-1]].Value != nil {
		return false
	}
	at := s.Fset.Position(made.Pos())
	if !s.In.Diagnostics().Compiled(at.Filename) || s.In.Diagnostics().Escapes(at.Filename, at.Line) || generic(s) {
		return false
	}
	// append(x, make([]T, n)...) doesn't allocate one.
	outer, ok := c.Parent().Node().(*ast.CallExpr)
	return !ok || s.Callee(outer) != "append"
}

// generic reports whether the site's function has type parameters, or is a method of a generic type.
func generic(s *advice.Site) bool {
	if s.Decl == nil {
		return false
	}
	f := s.Info.Defs[s.Decl.Name].(*types.Func).Signature()
	return f.TypeParams().Len() > 0 || f.RecvTypeParams().Len() > 0
}

// mapMade says what to do about a map made by a literal.
func mapMade(s *advice.Site, c inspector.Cursor) string {
	lit := c.Node().(*ast.CompositeLit)
	constant := func(at func(*ast.KeyValueExpr) ast.Expr) bool {
		return !slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
			pair, ok := e.(*ast.KeyValueExpr)
			return !ok || s.Info.Types[at(pair)].Value == nil
		})
	}
	keys := constant(func(p *ast.KeyValueExpr) ast.Expr { return p.Key })
	if keys && constant(func(p *ast.KeyValueExpr) ast.Expr { return p.Value }) {
		return "A map with the same contents is created each time; if no code changes it, make it a package variable."
	}
	why := fmt.Sprintf("A map of %d entries is created each time, and each key is hashed.", len(lit.Elts))
	_, argument := c.Parent().Node().(*ast.CallExpr)
	if named, ok := types.Unalias(s.Info.TypeOf(lit)).(*types.Named); keys && !argument && (!ok || named.Obj().Pkg() == s.Types) {
		return why + " Use a struct with a field per key."
	}
	return why + " Keep it if it is needed again, or pass the values without a map."
}

// eachTime says what to do about a value that is allocated each time, given the value or its type.
func eachTime(s *advice.Site, e ast.Expr) string {
	return fmt.Sprintf("%s is allocated each time. Return or keep it by value, have the caller supply the memory, allocate many in one slice, or reuse objects from a sync.Pool.", one(edit.Spelled(s, e)))
}

// saysPrefix reports whether the compiler says that an expression with such a prefix escapes.
func saysPrefix(s *advice.Site, begin string, ends ...string) bool {
	return slices.ContainsFunc(s.Compiler(), func(message string) bool {
		what, ok := strings.CutSuffix(message, " escapes to heap")
		return ok && strings.HasPrefix(what, begin) && slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(what, end) })
	})
}

// isFresh reports whether an expression is an empty slice that isn't a variable, such as []byte(nil),
// that something is appended to for a copy.
func isFresh(s *advice.Site, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		return s.Info.Types[e.Fun].IsType() && len(e.Args) == 1 && s.Info.Types[e.Args[0]].IsNil() || s.Callee(e) == "make"
	}
	return s.Info.Types[e].IsNil()
}

// one is a name with its article, at the start of a sentence.
func one(name string) string {
	if strings.ContainsRune("aeioAEIO", rune(name[0])) {
		return "An " + name
	}
	return "A " + name
}
