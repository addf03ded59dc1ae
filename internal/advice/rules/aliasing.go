package rules

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
)

// private reports whether a local variable changes only where the code of its function assigns
// to it: no pointer leads to it, and no function literal inside assigns to it. What a pointer or
// slice in it leads to may change all the same.
func private(s *advice.Site, obj types.Object) bool {
	v, ok := obj.(*types.Var)
	if !ok || v.IsField() || v.Parent() == nil || v.Pkg() != s.Types || v.Parent() == s.Types.Scope() {
		return false
	}
	type isPrivate struct{ *types.Var }
	return advice.Memo(s.Package, isPrivate{v}, func() bool {
		return !slices.ContainsFunc(s.Uses(v), func(id *ast.Ident) bool {
			c, ok := s.Root().FindNode(id)
			return !ok || addressed(s, c) || assignedTo(ownPath(s, c)) && inLiteral(c, v)
		})
	})
}

// ownPath climbs from a variable to the largest expression that is a part of its own memory:
// from a to a.f[i], if a is a struct, and f an array.
func ownPath(s *advice.Site, c inspector.Cursor) inspector.Cursor {
	for {
		switch p := c.Parent().Node().(type) {
		case *ast.ParenExpr:
		case *ast.SelectorExpr:
			selection := s.Info.Selections[p]
			if selection == nil || selection.Kind() != types.FieldVal || selection.Indirect() {
				return c
			}
		case *ast.IndexExpr:
			if p.X != c.Node() {
				return c
			}
			if _, array := under(s.Info.TypeOf(p.X)).(*types.Array); !array {
				return c
			}
		default:
			return c
		}
		c = c.Parent()
	}
}

// addressed reports whether a use of a variable takes the address of it, or of a part of it: by
// &, by slicing an array, or by a method of the pointer to it.
func addressed(s *advice.Site, use inspector.Cursor) bool {
	c := ownPath(s, use)
	switch p := c.Parent().Node().(type) {
	case *ast.UnaryExpr:
		return p.Op == token.AND
	case *ast.SliceExpr:
		_, array := under(s.Info.TypeOf(p.X)).(*types.Array)
		return p.X == c.Node() && array
	case *ast.SelectorExpr:
		selection := s.Info.Selections[p]
		if selection == nil || selection.Kind() != types.MethodVal || selection.Indirect() {
			return false
		}
		_, value := types.Unalias(s.Info.TypeOf(p.X)).(*types.Pointer)
		recv := selection.Obj().(*types.Func).Signature().Recv()
		_, pointer := types.Unalias(recv.Type()).(*types.Pointer)
		return pointer && !value
	}
	return false
}

// assignedTo reports whether an expression is what a statement assigns to.
func assignedTo(c inspector.Cursor) bool {
	switch p := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		return slices.Contains(p.Lhs, c.Node().(ast.Expr))
	case *ast.IncDecStmt:
		return true
	case *ast.RangeStmt:
		return p.Tok == token.ASSIGN && (p.Key == c.Node() || p.Value == c.Node())
	}
	return false
}

// inLiteral reports whether a use of a variable is in a function literal inside the function that
// declares it.
func inLiteral(c inspector.Cursor, v types.Object) bool {
	for lit := range c.Enclosing((*ast.FuncLit)(nil)) {
		if !within(lit.Node(), v.Pos()) {
			return true
		}
	}
	return false
}

// ownMemory returns the variable that an expression is, or is a part of the own memory of; nil if
// a pointer, a slice or a map is in between.
func ownMemory(s *advice.Site, e ast.Expr) types.Object {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			v, _ := s.Info.ObjectOf(x).(*types.Var)
			if v == nil {
				return nil
			}
			return v
		case *ast.SelectorExpr:
			selection := s.Info.Selections[x]
			if selection == nil {
				v, _ := s.Info.ObjectOf(x.Sel).(*types.Var)
				if v == nil {
					return nil
				}
				return v
			}
			if selection.Kind() != types.FieldVal || selection.Indirect() {
				return nil
			}
			e = x.X
		case *ast.IndexExpr:
			if _, array := under(s.Info.TypeOf(x.X)).(*types.Array); !array {
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}

// isConstantVariable reports whether nothing ever changes a variable of the package after it is
// declared, as far as its package goes: it is not exported.
func isConstantVariable(s *advice.Site, v *types.Var) bool {
	if v.Parent() != s.Types.Scope() || v.Exported() {
		return false
	}
	type isConstant struct{ *types.Var }
	return advice.Memo(s.Package, isConstant{v}, func() bool {
		return !slices.ContainsFunc(s.Uses(v), func(id *ast.Ident) bool {
			c, ok := s.Root().FindNode(id)
			return !ok || addressed(s, c) || assignedTo(ownPath(s, c))
		})
	})
}

// A change is what happens between two moments at which an expression might be evaluated.
type change struct {
	code []ast.Node // what runs
	more effects    // and what else does: mayWrite where something does that has no expression
}

// unchangedBy reports whether an expression has the same value after a change as before. With
// contents, what the value leads to has to be the same, too: of a []byte its elements. Calls in
// the expression count as evaluated: of them, only what they returned is asked for.
func unchangedBy(s *advice.Site, e ast.Expr, contents bool, by change) bool {
	writes := by.more&mayWrite != 0 || effectsOf(s, by.code...)&mayWrite != 0
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || !same {
			return same
		}
		if tv := s.Info.Types[x]; tv.Value != nil || tv.IsType() {
			return false
		}
		switch n := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if !isCall(s, n) {
				if operand, _, ok := conversion(s, n); ok && isBytes(s, operand) && writes {
					same = false
				}
				return same
			}
			return false
		case *ast.SelectorExpr:
			if selection := s.Info.Selections[n]; selection != nil && selection.Indirect() && writes {
				same = false
			}
			if s.Info.Selections[n] == nil {
				same = same && !writes
				return false
			}
			ast.Inspect(n.X, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					same = same && variableUnchanged(s, id, writes, by)
				}
				return same
			})
			return same
		case *ast.StarExpr:
			same = same && !writes
		case *ast.IndexExpr:
			if ownMemory(s, n) == nil && !isString(s, n.X) {
				same = same && !writes
			}
		case *ast.Ident:
			same = same && variableUnchanged(s, n, writes, by)
		}
		return same
	})
	if contents && writes && !isString(s, e) && !solid(s.Info.TypeOf(e)) {
		return false
	}
	return same
}

func variableUnchanged(s *advice.Site, id *ast.Ident, writes bool, by change) bool {
	v, ok := s.Info.ObjectOf(id).(*types.Var)
	if !ok || v.IsField() || isConstantVariable(s, v) {
		return true
	}
	if !private(s, v) {
		return !writes
	}
	for _, n := range by.code {
		for target := range targets(n) {
			if ownMemory(s, target) == v {
				return false
			}
		}
	}
	return true
}

// freshSlice reports whether an expression makes a slice of its own, that nothing else leads to: nil,
// a literal, make, a conversion from a string, or a copy.
func freshSlice(s *advice.Site, e ast.Expr) bool {
	if s.Info.Types[e].IsNil() {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		_, slice := under(s.Info.TypeOf(e)).(*types.Slice)
		return slice
	case *ast.CallExpr:
		if operand, _, ok := conversion(s, e); ok {
			return isString(s, operand) || freshSlice(s, operand)
		}
		switch s.Callee(e) {
		case "make", "bytes.Clone", "slices.Clone", "os.ReadFile", "io.ReadAll", "encoding/json.Marshal", "bytes.ToLower", "bytes.ToUpper", "bytes.Repeat", "bytes.Join",
			"(*bytes.Buffer).ReadBytes", "(*bufio.Reader).ReadBytes", "(*regexp.Regexp).ReplaceAll", "(time.Time).MarshalText":
			return true
		case "append":
			return freshSlice(s, e.Args[0])
		case "strconv.AppendInt", "strconv.AppendUint", "strconv.AppendFloat", "strconv.AppendBool", "strconv.AppendQuote", "unicode/utf8.AppendRune", "fmt.Append", "fmt.Appendf", "fmt.Appendln":
			return freshSlice(s, e.Args[0])
		}
	}
	return false
}

// ownArray reports whether the array of a local slice is its own at a place: all that it is set to
// is fresh, or what append made of itself, and nothing else got to know the array before the
// place. What happens to the slice after it, as to be returned, doesn't count.
func ownArray(s *advice.Site, obj types.Object, at ast.Node) bool {
	v, ok := obj.(*types.Var)
	if !ok || !private(s, v) || isAnyParameter(s, v) && v.Kind() != types.ResultVar {
		return false
	}
	for value := range valuesOf(s, v) {
		if value == nil {
			return false
		}
		if c, ok := s.Root().FindNode(value); ok && after(c, at, v) {
			continue
		}
		if !freshSlice(s, value) && !appendsTo(s, value, v) && !cutShort(s, value, v) {
			return false
		}
	}
	for _, id := range s.Uses(v) {
		c, ok := s.Root().FindNode(id)
		if !ok || !(borrowsSlice(s, c, v) || after(c, at, v)) {
			return false
		}
	}
	return true
}

// after reports whether code at a place is run only when another place, in the same function, is
// not come to any more: it is behind it, and no loop around both begins behind the variable.
func after(c inspector.Cursor, at ast.Node, v types.Object) bool {
	if c.Node().Pos() < at.End() {
		return false
	}
	for outer := range c.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncLit)(nil)) {
		if within(outer.Node(), at.Pos()) && !within(outer.Node(), v.Pos()) {
			return false
		}
		if _, literal := outer.Node().(*ast.FuncLit); literal && !within(outer.Node(), v.Pos()) {
			return false // deferred, say
		}
	}
	return true
}

// appendsTo reports whether an expression is what append, or a function that appends, makes of a
// variable.
func appendsTo(s *advice.Site, e ast.Expr, v types.Object) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || object(s, call.Args[0]) != v {
		return false
	}
	return appendCall(s.Callee(call))
}

// appendCall reports whether a function returns its first argument with something behind, and
// keeps neither.
func appendCall(name string) bool {
	switch name {
	case "append", "strconv.AppendInt", "strconv.AppendUint", "strconv.AppendFloat", "strconv.AppendBool", "strconv.AppendQuote", "strconv.AppendQuoteRune",
		"unicode/utf8.AppendRune", "fmt.Append", "fmt.Appendf", "fmt.Appendln", "slices.Grow", "encoding/binary.AppendUvarint", "encoding/binary.AppendVarint", "encoding/hex.AppendEncode":
		return true
	}
	return false
}

// cutShort reports whether an expression is v[:n] or v[n:].
func cutShort(s *advice.Site, e ast.Expr, v types.Object) bool {
	part, ok := ast.Unparen(e).(*ast.SliceExpr)
	return ok && object(s, part.X) == v
}

// borrowsSlice reports whether a use of a slice leaves nothing behind that leads to its array: an
// element is read or set, or its length asked for; something copies its elements; or it is set.
func borrowsSlice(s *advice.Site, use inspector.Cursor, v types.Object) bool {
	if pointsInto(s, use) {
		return false
	}
	switch p := use.Parent().Node().(type) {
	case *ast.IndexExpr:
		return p.X == use.Node()
	case *ast.RangeStmt:
		return p.X == use.Node()
	case *ast.AssignStmt:
		return slices.Contains(p.Lhs, use.Node().(ast.Expr))
	case *ast.BinaryExpr: // == nil
		return true
	case *ast.SliceExpr: // v = v[:0]
		if assign, ok := use.Parent().Parent().Node().(*ast.AssignStmt); ok && len(assign.Lhs) == 1 && object(s, assign.Lhs[0]) == v {
			return true
		}
		return p.X == use.Node() && copiesElements(s, use.Parent())
	case *ast.CallExpr:
		if len(p.Args) > 0 && p.Args[0] == use.Node() && appendCall(s.Callee(p)) {
			switch to := use.Parent().Parent().Node().(type) {
			case *ast.AssignStmt:
				return len(to.Lhs) == 1 && object(s, to.Lhs[0]) == v
			case *ast.ReturnStmt:
				return !inLiteral(use, v) && len(usesIn(s, v, to.Pos(), to.End())) == 1
			}
			return false
		}
		return copiesElements(s, use)
	}
	return false
}

// copiesElements reports whether a slice is the argument of a call that only reads it, or copies elements
// to or from it.
func copiesElements(s *advice.Site, arg inspector.Cursor) bool {
	call, ok := arg.Parent().Node().(*ast.CallExpr)
	if !ok || call.Fun == arg.Node() {
		return false
	}
	if s.Info.Types[call.Fun].IsType() {
		return isString(s, call)
	}
	name := s.Callee(call)
	switch name {
	case "len", "cap", "copy", "clear", "strings.Join", "bytes.Join", "sort.Strings", "sort.Ints", "sort.Float64s", "sort.Slice", "sort.SliceStable",
		"slices.Sort", "slices.SortFunc", "slices.SortStableFunc", "slices.Contains", "slices.ContainsFunc", "slices.Index", "slices.IndexFunc", "slices.BinarySearch", "slices.BinarySearchFunc",
		"slices.Reverse", "slices.Equal", "slices.Max", "slices.Min", "slices.Clone", "slices.Concat", "bytes.Equal", "bytes.Compare", "bytes.Contains", "bytes.Index", "bytes.IndexByte", "bytes.HasPrefix", "bytes.HasSuffix", "bytes.Clone",
		"(*strings.Builder).Write", "(*bytes.Buffer).Write", "(*bufio.Writer).Write", "(*os.File).Write", "unicode/utf8.Valid", "unicode/utf8.RuneCount":
		return true
	case "append":
		return call.Ellipsis.IsValid() && len(call.Args) == 2 && call.Args[1] == arg.Node()
	}
	return false
}

// pointsInto reports whether a use of a slice makes a pointer or another slice into its array:
// &v[i], v[i][:] of an array, a method of the pointer to an element, or v[i:j] that goes
// somewhere.
func pointsInto(s *advice.Site, use inspector.Cursor) bool {
	index, ok := use.Parent().Node().(*ast.IndexExpr)
	if !ok || index.X != use.Node() {
		return false
	}
	return addressed(s, use.Parent())
}

// roomSeen reports whether a function can tell how much room there is behind a slice: it asks for
// cap, appends to the slice without putting the result back, takes a part of it that may be longer
// than it is, or hands it to something that may append, and uses it then.
func roomSeen(s *advice.Site, obj types.Object) bool {
	handed := token.NoPos // to a function that may return it with something behind
	for _, id := range s.Uses(obj) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return true
		}
		if handed.IsValid() && assignedTo(c.Parent()) && c.Parent().Node() != id {
			if _, element := c.Parent().Node().(*ast.IndexExpr); element {
				return true
			}
		}
		switch p := c.Parent().Node().(type) {
		case *ast.CallExpr:
			name := s.Callee(p)
			if name == "cap" {
				return true
			}
			if returnsLonger(s, p, c) {
				if loop, ok := loopAround(c); handed.IsValid() || ok && !within(loop.Node(), obj.Pos()) {
					return true
				}
				handed = p.Pos()
			}
			if len(p.Args) > 0 && p.Args[0] == id && appendCall(name) {
				assign, ok := c.Parent().Parent().Node().(*ast.AssignStmt)
				back := ok && len(assign.Lhs) == 1 && object(s, assign.Lhs[0]) == obj
				ret, returned := c.Parent().Parent().Node().(*ast.ReturnStmt)
				if !back && !(returned && len(usesIn(s, obj, ret.Pos(), ret.End())) == 1) {
					return true
				}
			}
		case *ast.SliceExpr:
			if p.X != id {
				continue
			}
			w := effectWalk{Site: s}
			if p.High != nil && !isInt(s, p.High, 0) && !w.lengthOf(p.High, p.X) && !lessThanLength(s, p.High, p.X) || p.Max != nil {
				return true
			}
			if call, ok := c.Parent().Parent().Node().(*ast.CallExpr); ok && len(call.Args) > 0 && call.Args[0] == p && appendCall(s.Callee(call)) {
				return true
			}
			if assign, ok := c.Parent().Parent().Node().(*ast.AssignStmt); ok && object(s, assign.Lhs[0]) != obj {
				return true
			}
		}
	}
	return false
}

// returnsLonger reports whether a call, of something else than append, may return the slice that it is
// given with more elements behind.
func returnsLonger(s *advice.Site, call *ast.CallExpr, arg inspector.Cursor) bool {
	if s.Info.Types[call.Fun].IsType() || call.Fun == arg.Node() || appendCall(s.Callee(call)) || copiesElements(s, arg) {
		return false
	}
	result := s.Info.TypeOf(call)
	of, ok := under(s.Info.TypeOf(arg.Node().(ast.Expr))).(*types.Slice)
	if result == nil || !ok {
		return false
	}
	longer := func(t types.Type) bool {
		slice, ok := under(t).(*types.Slice)
		return ok && types.Identical(slice.Elem(), of.Elem())
	}
	if several, ok := result.(*types.Tuple); ok {
		for v := range several.Variables() {
			if longer(v.Type()) {
				return true
			}
		}
		return false
	}
	return longer(result)
}

// lessThanLength reports whether an index is len(x)-1, or the like.
func lessThanLength(s *advice.Site, index, x ast.Expr) bool {
	minus, ok := ast.Unparen(index).(*ast.BinaryExpr)
	if !ok || minus.Op != token.SUB {
		return false
	}
	w := effectWalk{Site: s}
	n, constant := constantInt(s, minus.Y)
	return w.lengthOf(minus.X, x) && constant && n >= 0
}

// A sink is what a rewrite writes to, or appends to.
type sink struct {
	expr ast.Expr // the Buffer, Builder or Writer, or the pointer to it; or a []byte
	name string   // for people
}

// mayShare reports whether the memory of some bytes may be changed by writing to something: they
// may be a part of the buffer that is written, or of the room behind the slice that is appended to.
func mayShare(s *advice.Site, data ast.Expr, to sink) bool {
	switch strings.TrimPrefix(typeName(s.Info.TypeOf(to.expr)), "*") {
	case "bytes.Buffer", "bufio.Writer", "net/http/httptest.ResponseRecorder":
	default: // a strings.Builder hands out its memory as strings alone, and a file has none
		if !plainBytes(s.Info.TypeOf(to.expr)) {
			return false
		}
	}
	if freshSlice(s, data) {
		return false
	}
	dst := rootOf(s, to.expr)
	v := rootOf(s, data)
	if v == nil || dst == nil || v == dst {
		return true
	}
	if whole, sliced := ast.Unparen(data).(*ast.SliceExpr); sliced && ownMemory(s, whole.X) == v && isLocal(s, v) {
		if _, array := under(s.Info.TypeOf(whole.X)).(*types.Array); array && ownBuffer(s, dst, to.expr) {
			return false
		}
	}
	if isAnyParameterOf(s, v) && !assignedIn(s, v) && ownMemory(s, data) != nil && ownBuffer(s, dst, to.expr) {
		return false // the buffer came into being after the bytes
	}
	if plainBytes(v.Type()) && object(s, data) == v || cutShort(s, data, v) {
		if isLocal(s, v) && ownArray(s, v, to.expr) {
			return false // nothing else leads to the bytes
		}
	}
	return true
}

func isAnyParameterOf(s *advice.Site, obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && isAnyParameter(s, v) && v.Kind() != types.ResultVar && private(s, v)
}

// assignedIn reports whether anything assigns to a variable after its declaration.
func assignedIn(s *advice.Site, v types.Object) bool {
	return slices.ContainsFunc(s.Uses(v), func(id *ast.Ident) bool {
		c, ok := s.Root().FindNode(id)
		return !ok || assignedTo(ownPath(s, c))
	})
}

// ownBuffer reports whether the memory of a buffer, or of a slice that is appended to, was made by
// the function at a site, and none was given to it: the variable is declared there, empty.
func ownBuffer(s *advice.Site, dst types.Object, at ast.Node) bool {
	v, ok := dst.(*types.Var)
	if !ok || !isLocal(s, v) || isAnyParameter(s, v) {
		return false
	}
	if plainBytes(v.Type()) {
		return ownArray(s, v, at)
	}
	switch strings.TrimPrefix(typeName(v.Type()), "*") {
	case "strings.Builder", "bytes.Buffer":
	default:
		return false
	}
	d, declared := declarationOf(s, v)
	return declared && d.isZero(s) && !assignedIn(s, v)
}

// onlyHere reports whether nobody but the statements of a site's function, which come after one
// another, can look at a buffer or slice: the variable is declared there, and no function literal,
// deferred call or other function gets hold of it before a place.
func onlyHere(s *advice.Site, dst types.Object, at ast.Node) bool {
	v, ok := dst.(*types.Var)
	if !ok || !isLocal(s, v) || isAnyParameter(s, v) {
		return false
	}
	if !ownBuffer(s, v, at) {
		return false
	}
	for _, id := range s.Uses(v) {
		c, ok := s.Root().FindNode(id)
		if !ok || inLiteral(c, v) {
			return false
		}
		for outer := range c.Enclosing((*ast.DeferStmt)(nil), (*ast.GoStmt)(nil)) {
			if within(s.Func.Node(), outer.Node().Pos()) {
				return false
			}
		}
		if plainBytes(v.Type()) {
			continue
		}
		method, ok := c.Parent().Node().(*ast.SelectorExpr)
		if !ok && !printsTo(s, c) || ok && !calledAtOnce(c.Parent(), method) {
			return false
		}
	}
	return true
}

// addressTaken reports whether something may change a variable through a pointer, or
// in a function literal.
func addressTaken(s *advice.Site, obj types.Object) bool {
	taken := false
	s.Func.Inspect([]ast.Node{(*ast.UnaryExpr)(nil), (*ast.FuncLit)(nil)}, func(c inspector.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.UnaryExpr:
			taken = taken || n.Op == token.AND && object(s, n.X) == obj
		case *ast.FuncLit:
			taken = taken || n != s.Func.Node() && mentions(s, n, obj)
		}
		return !taken
	})
	return taken
}

// addressTakenBy says how a use of a variable takes its address; "" if it doesn't.
func addressTakenBy(s *advice.Site, c inspector.Cursor, v *types.Var) string {
	for lit := range c.Enclosing((*ast.FuncLit)(nil)) {
		if !within(lit.Node(), v.Pos()) {
			return "has a function literal that uses it"
		}
	}
	x := c
	for {
		switch p := x.Parent().Node().(type) {
		case *ast.ParenExpr:
		case *ast.SelectorExpr:
			sel := s.Info.Selections[p]
			if sel == nil || p.X != x.Node() {
				return ""
			}
			if f, ok := sel.Obj().(*types.Func); ok {
				r := f.Signature().Recv()
				if _, ptr := s.Info.TypeOf(p.X).Underlying().(*types.Pointer); r != nil && !ptr {
					if _, wants := r.Type().(*types.Pointer); wants {
						return "calls a method on its address"
					}
				}
				return ""
			}
			if sel.Indirect() {
				return ""
			}
		case *ast.IndexExpr:
			if _, ok := s.Info.TypeOf(p.X).Underlying().(*types.Array); !ok || p.X != x.Node() {
				return ""
			}
		case *ast.SliceExpr:
			if _, ok := s.Info.TypeOf(p.X).Underlying().(*types.Array); ok && p.X == x.Node() {
				return "slices it"
			}
			return ""
		case *ast.UnaryExpr:
			if p.Op == token.AND {
				return "takes its address"
			}
			return ""
		default:
			return ""
		}
		x = x.Parent()
	}
}

// changes reports whether a use of a variable assigns to a part of it.
func changes(s *advice.Site, c inspector.Cursor) bool {
	x := c
	for {
		switch p := x.Parent().Node().(type) {
		case *ast.ParenExpr:
		case *ast.SelectorExpr:
			if sel := s.Info.Selections[p]; sel == nil || sel.Kind() != types.FieldVal {
				return false
			}
			if _, ptr := s.Info.TypeOf(p.X).Underlying().(*types.Pointer); ptr {
				return false
			}
		case *ast.IndexExpr:
			if _, ok := s.Info.TypeOf(p.X).Underlying().(*types.Array); !ok || p.X != x.Node() {
				return false
			}
		case *ast.AssignStmt:
			return slices.Contains(p.Lhs, x.Node().(ast.Expr))
		case *ast.IncDecStmt:
			return true
		case *ast.RangeStmt:
			return p.Key == x.Node() || p.Value == x.Node()
		default:
			return false
		}
		x = x.Parent()
	}
}
