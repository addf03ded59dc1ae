package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var materialiseToCount = &advice.Rule{
	ID:    "materialise-to-count",
	Title: "items are collected only to be counted",
	Doc: `len(f(x)), where f builds a slice, and x.All().Len() collect everything only to discard it. Counting needs no memory:
use strings.Count instead of the length of strings.Split, or write a function that counts next to the one that collects.

The rule reports functions that are known to build their result: functions of the package itself, or ones that allocate
according to the profile. The function that counts has to be written first, so no rewrite is offered.`,
	Class: advice.AdviceOnly,
	Gain:  3,
	Match: matchMaterialiseToCount,
}

var collecting = lazyregexp.New(`^runtime\.(growslice|makeslice|mallocgc)`)

func matchMaterialiseToCount(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		if assign, ok := c.Node().(*ast.AssignStmt); ok && onlyCounted(s, assign) && !facts.RunsOnce(s.Place, c) {
			call := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
			matches = append(matches, advice.Match{Node: assign,
				Why: fmt.Sprintf("%s collects all items, but only their number is used. Count without collecting.", edit.Called(s, call))})
		}
	}
	for _, c := range s.Calls() {
		var made ast.Expr
		sel, isMethod := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		switch {
		case c.Name == "len":
			made = c.Args[0]
		case isMethod && len(c.Args) == 0 && slices.Contains([]string{"Len", "Length", "Count", "Size"}, sel.Sel.Name):
			made = sel.X
		default:
			continue
		}
		call, ok := ast.Unparen(made).(*ast.CallExpr)
		if !ok || !collects(s, call, c.Name == "len") || facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		m := advice.Match{Node: c.CallExpr}
		switch name := s.Callee(call); name {
		case "strings.Split", "bytes.Split":
			m.Why = fmt.Sprintf("%s builds a slice only to count its elements; %s.Count(text, separator)+1 is the same for a non-empty separator.", name, name[:len(name)-len(".Split")])
		default:
			m.Why = fmt.Sprintf("%s collects all items, but only their number is used. Count without collecting.", edit.Called(s, call))
		}
		matches = append(matches, m)
	}
	return matches
}

// onlyCounted matches xs, err := f(…) if a function of the package creates the slice xs, and only its
// length is used.
func onlyCounted(s *advice.Site, assign *ast.AssignStmt) bool {
	if len(assign.Rhs) != 1 || assign.Tok != token.DEFINE {
		return false
	}
	call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	if !ok {
		return false
	}
	xs := facts.Object(s.Place, assign.Lhs[0])
	if xs == nil || !facts.IsLocal(s.Place, xs) {
		return false
	}
	if _, slice := xs.Type().Underlying().(*types.Slice); !slice || len(s.Uses(xs)) == 0 {
		return false
	}
	for _, id := range s.Uses(xs) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return false
		}
		if length, ok := c.Parent().Node().(*ast.CallExpr); !ok || s.Callee(length) != "len" {
			return false
		}
	}
	decl := facts.CalleeDecl(s.Place, call)
	return decl != nil && decl.Body != nil && builds(s, decl.Body, true)
}

// collects reports whether a function creates what it returns.
func collects(s *advice.Site, call *ast.CallExpr, slice bool) bool {
	f, ok := typeutil.Callee(s.Info, call).(*types.Func)
	if !ok || s.Info.Types[call.Fun].IsType() {
		return false
	}
	if _, isSlice := s.Info.TypeOf(call).Underlying().(*types.Slice); slice && !isSlice {
		return false
	}
	if !slice && receiverPackage(s.Info.TypeOf(call)) != s.Types {
		return false // what it counts may be elsewhere, as with a reflect.Value
	}
	if f.Pkg() != s.Types {
		return slice && s.Share(collecting) > 0
	}
	decl := facts.CalleeDecl(s.Place, call)
	return decl != nil && decl.Body != nil && builds(s, decl.Body, !slice)
}

// receiverPackage returns the package of a named type, or of the one it points to.
func receiverPackage(t types.Type) *types.Package {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pkg()
	}
	return nil
}

// builds reports whether the body of a function creates something: with append, or, if calls may do
// it, with calls that have arguments.
func builds(s *advice.Site, body *ast.BlockStmt, calls bool) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		switch s.Callee(call) {
		case "append":
			found = true
		case "len", "cap", "panic", "":
		default:
			found = found || calls && len(call.Args) > 0 && !s.Info.Types[call.Fun].IsType()
		}
		return !found
	})
	return found
}
