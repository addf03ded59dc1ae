package facts

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// FreshSlice reports whether an expression creates a slice that no other variable shares: nil, a
// literal, make, a conversion from a string, or a copy.
func FreshSlice(s *code.Place, e ast.Expr) bool {
	if s.Info.Types[e].IsNil() {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		_, slice := Under(s.Info.TypeOf(e)).(*types.Slice)
		return slice
	case *ast.CallExpr:
		if operand, _, ok := Conversion(s, e); ok {
			return IsString(s, operand) || FreshSlice(s, operand)
		}
		switch s.Callee(e) {
		case "make", "bytes.Clone", "slices.Clone", "os.ReadFile", "io.ReadAll", "encoding/json.Marshal", "bytes.ToLower", "bytes.ToUpper", "bytes.Repeat", "bytes.Join",
			"(*bytes.Buffer).ReadBytes", "(*bufio.Reader).ReadBytes", "(*regexp.Regexp).ReplaceAll", "(time.Time).MarshalText":
			return true
		case "append":
			return FreshSlice(s, e.Args[0])
		case "strconv.AppendInt", "strconv.AppendUint", "strconv.AppendFloat", "strconv.AppendBool", "strconv.AppendQuote", "unicode/utf8.AppendRune", "fmt.Append", "fmt.Appendf", "fmt.Appendln":
			return FreshSlice(s, e.Args[0])
		}
	}
	return false
}

// OwnArray reports whether a local slice doesn't share its array with other variables at a
// place: it is only set to fresh slices or to the result of appending to itself, and no other
// code got access to the array before the place. Later uses, such as returning it, don't count.
func OwnArray(s *code.Place, obj types.Object, at ast.Node) bool {
	v, ok := obj.(*types.Var)
	if !ok || !Private(s, v) || IsAnyParameter(v) && v.Kind() != types.ResultVar {
		return false
	}
	for value := range ValuesOf(s, v) {
		if value == nil {
			return false
		}
		if c, ok := s.Root().FindNode(value); ok && after(c, at, v) {
			continue
		}
		if !FreshSlice(s, value) && !appendsTo(s, value, v) && !cutShort(s, value, v) {
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
		if Within(outer.Node(), at.Pos()) && !Within(outer.Node(), v.Pos()) {
			return false
		}
		if _, literal := outer.Node().(*ast.FuncLit); literal && !Within(outer.Node(), v.Pos()) {
			return false // deferred, say
		}
	}
	return true
}

// appendsTo reports whether an expression is what append, or a function that appends, makes of a
// variable.
func appendsTo(s *code.Place, e ast.Expr, v types.Object) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || Object(s, call.Args[0]) != v {
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
func cutShort(s *code.Place, e ast.Expr, v types.Object) bool {
	part, ok := ast.Unparen(e).(*ast.SliceExpr)
	return ok && Object(s, part.X) == v
}

// borrowsSlice reports whether a use of a slice leaves nothing behind that leads to its array: an
// element is read or set, or its length asked for; something copies its elements; or it is set.
func borrowsSlice(s *code.Place, use inspector.Cursor, v types.Object) bool {
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
		if assign, ok := use.Parent().Parent().Node().(*ast.AssignStmt); ok && len(assign.Lhs) == 1 && Object(s, assign.Lhs[0]) == v {
			return true
		}
		if loop, ok := use.Parent().Parent().Node().(*ast.RangeStmt); ok && loop.X == ast.Expr(p) && p.X == use.Node() {
			return true
		}
		return p.X == use.Node() && copiesElements(s, use.Parent())
	case *ast.CallExpr:
		if len(p.Args) > 0 && p.Args[0] == use.Node() && appendCall(s.Callee(p)) {
			switch to := use.Parent().Parent().Node().(type) {
			case *ast.AssignStmt:
				return len(to.Lhs) == 1 && Object(s, to.Lhs[0]) == v
			case *ast.ReturnStmt:
				return !inLiteral(use, v) && len(UsesIn(s, v, to.Pos(), to.End())) == 1
			}
			return false
		}
		return copiesElements(s, use)
	}
	return false
}

// copiesElements reports whether a slice is the argument of a call that only reads it, or copies elements
// to or from it.
func copiesElements(s *code.Place, arg inspector.Cursor) bool {
	call, ok := arg.Parent().Node().(*ast.CallExpr)
	if !ok || call.Fun == arg.Node() {
		return false
	}
	if s.Info.Types[call.Fun].IsType() {
		return IsString(s, call)
	}
	name := s.Callee(call)
	switch name {
	case "len", "cap", "copy", "clear", "strings.Join", "bytes.Join", "sort.Strings", "sort.Ints", "sort.Float64s", "sort.Slice", "sort.SliceStable",
		"slices.Sort", "slices.SortFunc", "slices.SortStableFunc", "slices.Contains", "slices.ContainsFunc", "slices.Index", "slices.IndexFunc", "slices.BinarySearch", "slices.BinarySearchFunc",
		"slices.Reverse", "slices.Equal", "slices.Max", "slices.Min", "slices.Clone", "slices.Concat", "bytes.Equal", "bytes.Compare", "bytes.Contains", "bytes.Index", "bytes.IndexByte", "bytes.HasPrefix", "bytes.HasSuffix", "bytes.Clone",
		"(*strings.Builder).Write", "(*bytes.Buffer).Write", "(*bufio.Writer).Write", "(*os.File).Write", "unicode/utf8.Valid", "unicode/utf8.RuneCount":
		return true
	case "encoding/binary.PutUvarint", "encoding/binary.PutVarint", "encoding/binary.Uvarint", "encoding/binary.Varint":
		return true
	case "append":
		return call.Ellipsis.IsValid() && len(call.Args) == 2 && call.Args[1] == arg.Node()
	}
	return PutsNumber(name) || strings.HasPrefix(name, "(encoding/binary.littleEndian).Uint") || strings.HasPrefix(name, "(encoding/binary.bigEndian).Uint")
}

// PutsNumber reports whether a function puts a number into the slice that is its first argument, as
// binary.BigEndian.PutUint32 does.
func PutsNumber(name string) bool {
	return strings.HasPrefix(name, "(encoding/binary.littleEndian).Put") || strings.HasPrefix(name, "(encoding/binary.bigEndian).Put")
}

// pointsInto reports whether a use of a slice makes a pointer or another slice into its array:
// &v[i], v[i][:] of an array, a method of the pointer to an element, or v[i:j] that goes
// somewhere.
func pointsInto(s *code.Place, use inspector.Cursor) bool {
	index, ok := use.Parent().Node().(*ast.IndexExpr)
	if !ok || index.X != use.Node() {
		return false
	}
	return addressed(s, use.Parent())
}

// OnlyBorrowed reports whether no use of a local slice, after its declaration, keeps a reference to its array, assigns
// the slice, or can tell nil from an empty slice.
func OnlyBorrowed(s *code.Place, v types.Object) bool {
	if !Private(s, v) {
		return false
	}
	for _, id := range s.Uses(v) {
		c, ok := s.Root().FindNode(id)
		if !ok || inLiteral(c, v) || !borrowsSlice(s, c, v) {
			return false
		}
		switch c.Parent().Node().(type) {
		case *ast.AssignStmt, *ast.BinaryExpr:
			return false
		}
	}
	return true
}

// StaysInIteration reports whether nothing that a loop's iteration does with a local slice or map lets others see it, or
// what lies beyond its length, and whether it can't tell nil from an empty one. full says that nothing lies beyond it.
func StaysInIteration(s *code.Place, v types.Object, full bool) bool {
	_, isMap := Under(v.Type()).(*types.Map)
	if !Private(s, v) || !isMap && !full && CapacityObserved(s, v) {
		return false
	}
	for _, id := range s.Uses(v) {
		c, ok := s.Root().FindNode(id)
		if !ok || inLiteral(c, v) {
			return false
		}
		if _, compared := c.Parent().Node().(*ast.BinaryExpr); compared || isMap && !borrowsMap(s, c) || !isMap && !borrowsSlice(s, c, v) {
			return false
		}
		for outer := range c.Enclosing((*ast.DeferStmt)(nil), (*ast.GoStmt)(nil)) {
			if Within(s.Func.Node(), outer.Node().Pos()) {
				return false
			}
		}
	}
	return true
}

// borrowsMap reports whether a use of a map reads or sets an element, ranges over it, or asks for its length.
func borrowsMap(s *code.Place, use inspector.Cursor) bool {
	switch p := use.Parent().Node().(type) {
	case *ast.IndexExpr:
		return p.X == use.Node()
	case *ast.RangeStmt:
		return p.X == use.Node()
	case *ast.CallExpr:
		switch s.Callee(p) {
		case "len", "delete", "clear":
			return true
		}
	}
	return false
}
