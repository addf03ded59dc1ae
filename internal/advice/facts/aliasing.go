package facts

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// A Change is what happens between two moments at which an expression might be evaluated.
type Change struct {
	Code []ast.Node // what runs
	more Effects    // effects of code that has no expression, such as mayWrite
}

// UnchangedBy reports whether an expression has the same value after a change as before it. With
// contents, the data it refers to must be unchanged as well, such as the elements of a []byte.
// Calls in the expression count as already evaluated; only their results matter.
func UnchangedBy(s *code.Place, e ast.Expr, contents bool, by Change) bool {
	writes := by.more&MayWrite != 0 || EffectsOf(s, by.Code...)&MayWrite != 0
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
				if operand, _, ok := Conversion(s, n); ok && IsBytes(s, operand) && writes {
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
			if ownMemory(s, n) == nil && !IsString(s, n.X) {
				same = same && !writes
			}
		case *ast.Ident:
			same = same && variableUnchanged(s, n, writes, by)
		}
		return same
	})
	if contents && writes && !IsString(s, e) && !PointerFree(s.Info.TypeOf(e)) {
		return false
	}
	return same
}

func variableUnchanged(s *code.Place, id *ast.Ident, writes bool, by Change) bool {
	v, ok := s.Info.ObjectOf(id).(*types.Var)
	if !ok || v.IsField() || IsConstantVariable(s, v) {
		return true
	}
	if !Private(s, v) {
		return !writes
	}
	for _, n := range by.Code {
		for target := range Targets(n) {
			if ownMemory(s, target) == v {
				return false
			}
		}
	}
	return true
}

// CapacityObserved reports whether a function can observe the spare capacity of a slice: it calls cap,
// appends to the slice without assigning the result back, takes a part that may be longer than
// the slice, passes it to code that may append and then uses it, or stores it elsewhere and then appends
// to a slice that may be the same.
func CapacityObserved(s *code.Place, obj types.Object) bool {
	handed := token.NoPos // to a function that may return it with more elements
	for _, id := range s.Uses(obj) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return true
		}
		if stored, ok := storedElsewhere(s, c, obj); ok && appendsLater(s, stored, obj) {
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
				if loop, ok := LoopAround(c); handed.IsValid() || ok && !Within(loop.Node(), obj.Pos()) {
					return true
				}
				handed = p.Pos()
			}
			if len(p.Args) > 0 && p.Args[0] == id && appendCall(name) {
				assign, ok := c.Parent().Parent().Node().(*ast.AssignStmt)
				back := ok && len(assign.Lhs) == 1 && Object(s, assign.Lhs[0]) == obj
				ret, returned := c.Parent().Parent().Node().(*ast.ReturnStmt)
				if !back && !(returned && len(UsesIn(s, obj, ret.Pos(), ret.End())) == 1) {
					return true
				}
			}
		case *ast.SliceExpr:
			if p.X != id {
				continue
			}
			if p.High != nil && !IsInt(s, p.High, 0) && !isLengthOf(s, p.High, p.X) && !lessThanLength(s, p.High, p.X) || p.Max != nil {
				return true
			}
			if call, ok := c.Parent().Parent().Node().(*ast.CallExpr); ok && len(call.Args) > 0 && call.Args[0] == p && appendCall(s.Callee(call)) {
				return true
			}
			if assign, ok := c.Parent().Parent().Node().(*ast.AssignStmt); ok && Object(s, assign.Lhs[0]) != obj {
				return true
			}
		}
	}
	return false
}

// storedElsewhere returns the assignment, declaration, send or append that stores a use of a slice in
// another place, perhaps within a literal.
func storedElsewhere(s *code.Place, c inspector.Cursor, obj types.Object) (inspector.Cursor, bool) {
	for {
		outer := c.Parent()
		switch p := outer.Node().(type) {
		case *ast.ParenExpr, *ast.CompositeLit, *ast.KeyValueExpr, *ast.TypeAssertExpr:
		case *ast.UnaryExpr:
			if p.Op != token.AND {
				return c, false
			}
		case *ast.SliceExpr:
			if p.X != c.Node() {
				return c, false
			}
		case *ast.CallExpr:
			if s.Info.Types[p.Fun].IsType() {
				break
			}
			added := s.Callee(p) == "append" && !p.Ellipsis.IsValid() && p.Args[0] != c.Node()
			return outer, added
		case *ast.AssignStmt:
			at := slices.IndexFunc(p.Rhs, func(e ast.Expr) bool { return e == c.Node() })
			return outer, at >= 0 && (len(p.Lhs) != len(p.Rhs) || Object(s, p.Lhs[at]) != obj && !isBlank(p.Lhs[at]))
		case *ast.ValueSpec:
			return outer, true
		case *ast.SendStmt:
			return outer, p.Value == c.Node()
		default:
			return c, false
		}
		c = outer
	}
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// appendsLater reports whether code that may run after a slice was stored elsewhere appends to a slice
// of the same elements, or observes its capacity.
func appendsLater(s *code.Place, stored inspector.Cursor, obj types.Object) bool {
	elem := func(e ast.Expr) types.Type {
		if slice, ok := Under(s.Info.TypeOf(e)).(*types.Slice); ok {
			return slice.Elem()
		}
		return nil
	}
	of, ok := Under(obj.Type()).(*types.Slice)
	if !ok {
		return true
	}
	for c := range s.Func.Preorder((*ast.CallExpr)(nil), (*ast.SliceExpr)(nil)) {
		var on ast.Expr
		switch n := c.Node().(type) {
		case *ast.CallExpr:
			if name := s.Callee(n); len(n.Args) > 0 && (name == "cap" || appendCall(name)) {
				on = n.Args[0]
			}
		case *ast.SliceExpr:
			if n.High != nil {
				on = n.X
			}
		}
		if on == nil || elem(on) == nil || !types.Identical(elem(on), of.Elem()) {
			continue
		}
		if c.Node().Pos() >= stored.Node().End() {
			return true
		}
		root := RootOf(s, on)
		for outer := range c.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncLit)(nil)) {
			_, literal := outer.Node().(*ast.FuncLit)
			if (literal || Within(outer.Node(), stored.Node().Pos())) && (root == nil || !Within(outer.Node(), root.Pos())) {
				return true // in the next iteration, or when it is called
			}
		}
	}
	return false
}

// returnsLonger reports whether a call, other than append, may return its slice argument with more
// elements.
func returnsLonger(s *code.Place, call *ast.CallExpr, arg inspector.Cursor) bool {
	if s.Info.Types[call.Fun].IsType() || call.Fun == arg.Node() || appendCall(s.Callee(call)) || copiesElements(s, arg) {
		return false
	}
	result := s.Info.TypeOf(call)
	of, ok := Under(s.Info.TypeOf(arg.Node().(ast.Expr))).(*types.Slice)
	if result == nil || !ok {
		return false
	}
	longer := func(t types.Type) bool {
		slice, ok := Under(t).(*types.Slice)
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

// lessThanLength reports whether an index is the length of x minus something, such as len(x)-1.
func lessThanLength(s *code.Place, index, x ast.Expr) bool {
	minus, ok := ast.Unparen(index).(*ast.BinaryExpr)
	if !ok || minus.Op != token.SUB {
		return false
	}
	n, constant := ConstantInt(s, minus.Y)
	return isLengthOf(s, minus.X, x) && constant && n >= 0
}

// A Sink is what a rewrite writes to, or appends to.
type Sink struct {
	Expr ast.Expr // the Buffer, Builder or Writer, or the pointer to it; or a []byte
	Name string   // for people
}

// MayShare reports whether writing to a destination may change some bytes: they may be part of
// the buffer that is written, or of the spare capacity of the slice that is appended to.
func MayShare(s *code.Place, data ast.Expr, to Sink) bool {
	switch strings.TrimPrefix(TypeName(s.Info.TypeOf(to.Expr)), "*") {
	case "bytes.Buffer", "bufio.Writer", "net/http/httptest.ResponseRecorder":
	default: // a strings.Builder hands out its memory as strings alone, and a file has none
		if !PlainBytes(s.Info.TypeOf(to.Expr)) {
			return false
		}
	}
	if FreshSlice(s, data) {
		return false
	}
	dst := RootOf(s, to.Expr)
	v := RootOf(s, data)
	if v == nil || dst == nil || v == dst {
		return true
	}
	if whole, sliced := ast.Unparen(data).(*ast.SliceExpr); sliced && ownMemory(s, whole.X) == v && IsLocal(s, v) {
		if _, array := Under(s.Info.TypeOf(whole.X)).(*types.Array); array && ownBuffer(s, dst, to.Expr) {
			return false
		}
	}
	if isAnyParameterOf(s, v) && !assignedIn(s, v) && ownMemory(s, data) != nil && ownBuffer(s, dst, to.Expr) {
		return false // the buffer came into being after the bytes
	}
	if PlainBytes(v.Type()) && Object(s, data) == v || cutShort(s, data, v) {
		if IsLocal(s, v) && OwnArray(s, v, to.Expr) {
			return false // nothing else leads to the bytes
		}
	}
	return true
}

func isAnyParameterOf(s *code.Place, obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && IsAnyParameter(v) && v.Kind() != types.ResultVar && Private(s, v)
}

// ownBuffer reports whether a buffer, or a slice that is appended to, only has memory that the
// function at a site allocated: the function declares the variable, and it is empty at first.
func ownBuffer(s *code.Place, dst types.Object, at ast.Node) bool {
	v, ok := dst.(*types.Var)
	if !ok || !IsLocal(s, v) || IsAnyParameter(v) {
		return false
	}
	if PlainBytes(v.Type()) {
		return OwnArray(s, v, at)
	}
	switch strings.TrimPrefix(TypeName(v.Type()), "*") {
	case "strings.Builder", "bytes.Buffer":
	default:
		return false
	}
	d, declared := DeclarationOf(s, v)
	return declared && d.IsZero(s) && !assignedIn(s, v)
}

// onlyHere reports whether no other code can read a buffer or slice before a place. The site's
// function declares it and runs its statements one after another, and no function literal, deferred
// call or other function gets access to it before that place.
func onlyHere(s *code.Place, dst types.Object, at ast.Node) bool {
	v, ok := dst.(*types.Var)
	if !ok || !IsLocal(s, v) || IsAnyParameter(v) {
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
			if Within(s.Func.Node(), outer.Node().Pos()) {
				return false
			}
		}
		if PlainBytes(v.Type()) {
			continue
		}
		method, ok := c.Parent().Node().(*ast.SelectorExpr)
		if !ok && !PrintsTo(s, c) || ok && !CalledAtOnce(c.Parent(), method) {
			return false
		}
	}
	return true
}

// Claimed returns what to check if capacity is allocated for as many elements as a loop has
// iterations. A count may be inflated, so that the loop fails after the first elements, or it
// may change during the loop. A length is always real.
func (b *Trips) Claimed(s *code.Place, loop ast.Node) []string {
	const small = 1 << 16 // a loop may allocate that many elements without a check
	if n, ok := ConstantInt(s, b.Expr); ok && n <= small || !b.Counts && !emptyElements(s.Info.TypeOf(b.Expr)) {
		return nil
	}
	if t, ok := s.Info.TypeOf(b.Expr).Underlying().(*types.Basic); ok && b.Counts {
		switch t.Kind() {
		case types.Int8, types.Uint8, types.Int16, types.Uint16:
			return nil
		}
	}
	body := LoopBody(loop)
	if EffectsOf(s, body)&MayPanic == 0 && UnchangedBy(s, b.Expr, false, Change{Code: []ast.Node{body}}) {
		return nil
	}
	return []string{fmt.Sprintf("that %s isn't inflated: memory for all elements is allocated before the first iteration, which may fail", b.Text(s))}
}
