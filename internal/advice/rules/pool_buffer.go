package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// poolBuffer takes the slice that a statement makes from a sync.Pool of arrays, if it has a constant
// size.
func poolBuffer(s *advice.Site, made inspector.Cursor, obj types.Object, m *advice.Match) {
	call, ok := made.Node().(*ast.CallExpr)
	assign, isAssign := made.Parent().Node().(*ast.AssignStmt)
	if !ok || !isAssign || s.Callee(call) != "make" || len(assign.Lhs) != 1 || !facts.InBlock(made.Parent()) || facts.Commented(s.Place, assign.Pos(), assign.End()) {
		return
	}
	slice, ok := call.Args[0].(*ast.ArrayType)
	if !ok || !facts.Builtins(s.Place, assign.Pos(), "clear") {
		return
	}
	size := call.Args[len(call.Args)-1]
	p, ok := newPool(s, made.Parent(), obj, slice.Elt, size)
	if !ok {
		return
	}
	array := facts.Fresh(s.Place, obj.Name()+"Array", assign.Pos(), s.Func.Node())
	part, cleared := ":", fmt.Sprintf("\nclear(%s)", obj.Name())
	if len(call.Args) == 3 {
		n, constant := facts.ConstantInt(s.Place, call.Args[1])
		if !constant {
			return
		}
		part, cleared = ":"+s.Source(call.Args[1]), ""
		if n != 0 || slicesAgain(s, obj) || extended(s, obj) {
			cleared = fmt.Sprintf("\nclear(%s[:])", array)
		}
	}
	p.use(m, obj)
	m.Edits = append(m.Edits, edit.Replace(assign, fmt.Sprintf("%[1]s := %[2]s\ndefer %[3]s.Put(%[1]s)\n%[4]s := %[1]s[%[5]s]%[6]s", array, p.get, p.name, obj.Name(), part, cleared)))
}

// slicesAgain reports whether a function slices anything of a slice's type other than with literals, so
// that it may see elements that were not set.
func slicesAgain(s *advice.Site, obj types.Object) bool {
	for c := range s.Func.Preorder((*ast.SliceExpr)(nil)) {
		e := c.Node().(*ast.SliceExpr)
		if types.Identical(s.Info.TypeOf(e.X), obj.Type()) && e.High != nil && !(facts.Object(s.Place, e.X) == obj && facts.IsInt(s.Place, e.High, 0)) {
			return true
		}
	}
	return false
}

// extended reports whether a function passes a slice to code that may read elements beyond its length. Readers
// and writers of other packages don't, and neither does the standard library.
func extended(s *advice.Site, obj types.Object) bool {
	for c := range s.Func.Preorder((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		if s.Info.Types[call.Fun].IsType() || !slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return types.Identical(s.Info.TypeOf(arg), obj.Type()) }) {
			continue
		}
		switch f := typeutil.Callee(s.Info, call).(type) {
		case *types.Builtin:
		case *types.Func:
			reader := f.Pkg() != s.Types && (f.Name() == "Read" || f.Name() == "Write")
			if f.Pkg() == nil || !lengthOnly(f.Pkg().Path()) && !reader {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// lengthOnly reports whether the functions of a package never read elements beyond the length of a slice.
func lengthOnly(path string) bool {
	switch path {
	case "bytes", "crypto/rand", "encoding/base64", "encoding/binary", "encoding/hex", "fmt", "io", "math/big", "net/netip", "os", "slices", "strconv", "time", "unicode/utf8":
		return true
	}
	return false
}

// pooledArray matches a variable of an array type that the compiler moves to the heap, because slices of
// it are passed on.
func pooledArray(s *advice.Site, c inspector.Cursor) (m advice.Match, ok bool) {
	id, ok := c.Node().(*ast.Ident)
	if !ok || id.Name == "_" || s.In.Diagnostics() == nil || !escapes(s, id.Name) {
		return m, false
	}
	obj, ok := s.Info.Defs[id].(*types.Var)
	if !ok || obj.IsField() {
		return m, false
	}
	spec, ok := c.Parent().Node().(*ast.ValueSpec)
	if !ok || len(spec.Names) != 1 || len(spec.Values) > 0 || c.ParentEdgeKind() != edge.ValueSpec_Names {
		return m, false
	}
	array, ok := spec.Type.(*ast.ArrayType)
	bytes, sized := facts.SizeOf(obj.Type())
	decl := c.Parent().Parent()
	group, isGroup := decl.Node().(*ast.GenDecl)
	if !ok || array.Len == nil || !sized || bytes < poolable || !isGroup || len(group.Specs) != 1 || facts.RunsOnce(s.Place, c) || facts.RarelyRuns(s.Place, c) || leaves(s, obj, 3) != "" {
		return m, false
	}
	m = advice.Match{Node: spec, Class: advice.AdviceOnly}
	m.Why = fmt.Sprintf("An array of %s is allocated per call and not needed afterwards. To reuse it, %s.", advice.BytesText(bytes), keepIt(s))
	stmt := decl.Parent()
	if !facts.InBlock(stmt) || facts.Commented(s.Place, stmt.Node().Pos(), stmt.Node().End()) || !worksAsPointer(s, obj) || !facts.Builtins(s.Place, stmt.Node().Pos(), "clear") {
		return m, true
	}
	if _, dots := array.Len.(*ast.Ellipsis); dots {
		return m, true
	}
	if p, ok := newPool(s, stmt, obj, array.Elt, array.Len); ok {
		p.use(&m, obj)
		m.Edits = append(m.Edits, edit.Replace(stmt.Node(), fmt.Sprintf("%[1]s := %[2]s\ndefer %[3]s.Put(%[1]s)\nclear(%[1]s[:])", obj.Name(), p.get, p.name)))
	}
	return m, true
}

// worksAsPointer reports whether all uses of an array mean the same if its variable holds a pointer to
// the array.
func worksAsPointer(s *advice.Site, obj types.Object) bool {
	for _, id := range s.Uses(obj) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return false
		}
		switch c.ParentEdgeKind() {
		case edge.SliceExpr_X:
		case edge.IndexExpr_X:
			if elementAddressed(s, c.Parent()) {
				return false
			}
		case edge.CallExpr_Args:
			switch s.Callee(c.Parent().Node().(*ast.CallExpr)) {
			case "len", "cap":
			default:
				return false
			}
		case edge.RangeStmt_X:
			if r := c.Parent().Node().(*ast.RangeStmt); r.Value != nil && !facts.IsBlank(r.Value) {
				return false // it ranges over a copy
			}
		default:
			return false
		}
	}
	return true
}

// A bufferPool is a sync.Pool of arrays, to be declared.
type bufferPool struct {
	name string
	get  string // an expression of type *[N]T
	decl advice.Edit
}

// newPool returns a pool of arrays for a variable that a statement declares. It returns false if arrays of that type
// can't be in a package variable, or can't be put back when the function returns.
func newPool(s *advice.Site, stmt inspector.Cursor, obj types.Object, elem, size ast.Expr) (p bufferPool, ok bool) {
	n := s.Info.Types[size].Value
	at := stmt.Node().Pos()
	if s.Decl == nil || n == nil || n.Kind() != constant.Int || facts.InLoop(stmt) || facts.Jumps(s.Place) ||
		!facts.PointerFree(s.Info.TypeOf(elem)) || !facts.AtPackageLevel(s.Place, elem) || !edit.OneLine(s.Source(elem)) {
		return p, false
	}
	if bytes, ok := arraySize(s, elem, n); !ok || bytes > largestPooled {
		return p, false
	}
	count := s.Source(size)
	if !facts.AtPackageLevel(s.Place, size) || !edit.OneLine(count) {
		if !writtenOut(s, size) {
			return p, false // its value may be another one for other systems
		}
		count = n.ExactString()
	}
	sync, ok := facts.PackageName(s.Place, "sync", s.Decl.Pos())
	if !ok || !facts.Builtins(s.Place, at, "any", "new") {
		return p, false
	}
	name := edit.LowerFirst(s.Decl.Name.Name)
	p.name = s.Unused(name+strings.ToUpper(obj.Name()[:1])+obj.Name()[1:]+"s", at)
	array := fmt.Sprintf("[%s]%s", count, s.Source(elem))
	p.decl = edit.BeforeDecl(s, fmt.Sprintf("var %s = %s.Pool{New: func() any { return new(%s) }}", p.name, sync, array))
	p.get = fmt.Sprintf("%s.Get().(*%s)", p.name, array)
	return p, true
}

// largestPooled is the largest buffer in bytes that a pool may keep. A compiler for 32-bit systems rejects array
// types that are much larger.
const largestPooled = 64 << 20

// arraySize returns how many bytes an array of n elements takes.
func arraySize(s *advice.Site, elem ast.Expr, n constant.Value) (bytes int64, ok bool) {
	count, exact := constant.Int64Val(n)
	each, sized := facts.SizeOf(s.Info.TypeOf(elem))
	if !exact || !sized || count < 0 || count > largestPooled {
		return 0, false
	}
	return count * each, true
}

// writtenOut reports whether a constant is computed from numbers in the function alone, so that it has the same
// value in all builds.
func writtenOut(s *advice.Site, e ast.Expr) bool {
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.SelectorExpr:
			same = false
		case *ast.Ident:
			value := localConstant(s, s.Info.Uses[n])
			same = same && value != nil && writtenOut(s, value)
		}
		return same
	})
	return same
}

// localConstant returns the value in the declaration of a constant of the function; nil if there is none.
func localConstant(s *advice.Site, obj types.Object) ast.Expr {
	for c := range s.Func.Preorder((*ast.ValueSpec)(nil)) {
		spec := c.Node().(*ast.ValueSpec)
		for i, name := range spec.Names {
			if obj != nil && s.Info.Defs[name] == obj && i < len(spec.Values) {
				return spec.Values[i]
			}
		}
	}
	return nil
}

// use makes a match one with a rewrite that uses the pool.
func (p *bufferPool) use(m *advice.Match, obj types.Object) {
	m.Edits = []advice.Edit{p.decl}
	m.Imports = []string{"sync"}
	m.Class = advice.Review
	m.Why += fmt.Sprintf(" Check that no function keeps %s after it returns.", obj.Name())
}
