package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math/bits"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var sliceOnStack = &advice.Rule{
	ID:    "slice-on-stack",
	Title: "a short slice is allocated because its length varies",
	Doc: `The compiler keeps a slice that doesn't outlive its function on the stack if its length is a constant. If the length is
only known at run time, the slice is allocated, unless it has at most 32 bytes (and always up to Go 1.24).

The rewrite uses a local array if that is large enough, and allocates a slice otherwise. The array is as large as the
profile says that the slices are, and at most one kilobyte.`,
	Class:     advice.Safe,
	Frames:    lazyregexp.New(`^runtime\.(makeslice|mallocgc\w*)$`),
	Allocates: true,
	Own:       true,
	Gain:      1.3,
	Match:     matchSliceOnStack,
	Conditions: advice.Conditions{
		Offered: "a memory profile shows slices of at most one kilobyte on the line, the compiler says that the slice doesn't outlive the function, " +
			"evaluating its length again gives the same, and the function doesn't call itself",
	},
}

// mostOnStack is the size in bytes of the largest array that a rewrite declares.
const mostOnStack = 1 << 10

func matchSliceOnStack(s *advice.Site) []advice.Match {
	if s.Allocates() < someAllocated || s.In.Diagnostics() == nil || s.Decl != nil && facts.CallsItself(s.Place) {
		return nil // each call would have an array on the stack
	}
	var matches []advice.Match
	for _, c := range s.Nodes() {
		call, ok := c.Node().(*ast.CallExpr)
		if !ok || s.Callee(call) != "make" || !sizedLate(s, c, call) || facts.RarelyRuns(s.Place, c) || facts.RunsOnce(s.Place, c) {
			continue
		}
		if m, ok := keptOnStack(s, c, call); ok {
			matches = append(matches, m)
		}
	}
	return matches
}

// keptOnStack matches x := make([]T, n), or make([]T, 0, n).
func keptOnStack(s *advice.Site, c inspector.Cursor, call *ast.CallExpr) (m advice.Match, ok bool) {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || !facts.InBlock(c.Parent()) || facts.Commented(s.Place, assign.Pos(), assign.End()) {
		return m, false
	}
	id, ok := assign.Lhs[0].(*ast.Ident)
	if !ok || id.Name == "_" || s.Info.Defs[id] == nil {
		return m, false
	}
	n, length := call.Args[len(call.Args)-1], ""
	if len(call.Args) == 3 {
		if length = "0"; !facts.IsInt(s.Place, call.Args[1], 0) {
			return m, false
		}
	}
	elem := s.Info.TypeOf(call).Underlying().(*types.Slice).Elem()
	typ, ok := facts.TypeText(s.Place, elem, assign.Pos())
	count, ok2 := elementsOnStack(s, elem)
	if !ok || !ok2 || !edit.OneLine(typ) || !types.Identical(s.Info.TypeOf(n), types.Typ[types.Int]) || !facts.Repeatable(s.Place, n) || facts.UsesName(n, id.Name) || !facts.Builtins(s.Place, assign.Pos(), "len", "make") {
		return m, false
	}
	array := facts.Fresh(s.Place, id.Name+"Array", assign.Pos(), s.Func.Node())
	size := s.Source(n)
	if length == "" {
		length = size
	}
	fits := fmt.Sprintf("%s <= len(%s)", size, array)
	if facts.MayBeNegative(s.Place, n) {
		fits = fmt.Sprintf("0 <= %s && %s", size, fits)
	}
	m = advice.Match{Node: call, Class: advice.Safe}
	m.Why = fmt.Sprintf("%s doesn't outlive the function, but is allocated because its size is only known at run time. An array of %d elements on the stack is usually large enough.", id.Name, count)
	m.Edits = []advice.Edit{edit.Replace(assign, fmt.Sprintf("var %[1]s [%[2]d]%[3]s\nvar %[4]s %[5]s\nif %[6]s {\n%[4]s = %[1]s[:%[7]s:%[8]s]\n} else {\n%[4]s = %[9]s\n}",
		array, count, typ, id.Name, s.Source(call.Args[0]), fits, length, size, s.Source(call)))}
	return m, true
}

// elementsOnStack returns how many elements the largest slice on the line has by the profile, rounded up
// to a power of two. It returns false if that takes too much of the stack, or isn't known.
func elementsOnStack(s *advice.Site, elem types.Type) (n int64, ok bool) {
	size, sized := facts.SizeOf(elem)
	largest := int64(0)
	for _, blocks := range s.BlockSizes() {
		largest = max(largest, blocks[len(blocks)-1])
	}
	if !sized || size == 0 || largest == 0 || largest > mostOnStack {
		return 0, false
	}
	n = int64(1) << bits.Len64(uint64((largest+size-1)/size-1))
	return n, n*size <= mostOnStack
}
