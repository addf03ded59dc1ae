package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
)

var sliceToJoin = &advice.Rule{
	ID:    "slice-to-join",
	Title: "a slice is filled to be joined",
	Doc: `strings.Join goes over its slice twice and copies all parts. A slice that is there for nothing else is allocated, filled
and left to the garbage collector for it, and so are the parts that are made of others. Written one after the other, with
what is between them, to a strings.Builder or appended to a []byte with room for all, they are copied once.

The rule speaks of slices that a function makes and fills, and of which it asks nothing but to be joined. A Builder without
Grow allocates more often than Join: how much room there has to be only the code around knows, so that it is advice only.`,
	Class:     advice.AdviceOnly,
	Frames:    regexp.MustCompile(`^(strings|bytes)\.Join$`),
	Allocates: true,
	Gain:      1.5,
	Match:     matchSliceToJoin,
}

func matchSliceToJoin(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("strings.Join", "bytes.Join") {
		list := ast.Unparen(c.Args[0])
		if part, ok := list.(*ast.SliceExpr); ok {
			list = ast.Unparen(part.X)
		}
		v := object(s, list)
		if v == nil || !isLocal(s, v) || isParameter(s, v) || s.Share(framesOf(c.Name)) < muchAllocated || runsOnce(s, c.Cursor) || excused(s, c.Cursor) {
			continue
		}
		d, ok := declarationOf(s, v)
		if !ok || !isEmptySlice(s, d) || !onlyFilled(s, v, c.CallExpr) {
			continue
		}
		matches = append(matches, advice.Match{Node: c.CallExpr,
			Why: fmt.Sprintf("%s is filled for %s alone. Append the parts and what is between them to a []byte or a strings.Builder that has room for all, numbers by strconv's Append functions: then neither the slice is allocated, nor parts that are made for it.", v.Name(), c.Name)})
	}
	return matches
}

// isEmptySlice reports whether a variable is declared as a slice that nothing is in: nil, made,
// or a literal.
func isEmptySlice(s *advice.Site, d declaration) bool {
	if d.isZero(s) {
		return true
	}
	switch value := ast.Unparen(d.value).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		return s.Callee(value) == "make"
	}
	return false
}

// onlyFilled reports whether nothing is done with a slice, beside a call that it is given
// to, but that elements are set, read and appended, and its length is asked.
func onlyFilled(s *advice.Site, v types.Object, join *ast.CallExpr) bool {
	for _, id := range s.Uses(v) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return false
		}
		if within(join.Args[0], id.Pos()) {
			continue
		}
		switch p := c.Parent().Node().(type) {
		case *ast.IndexExpr:
			if u, ok := c.Parent().Parent().Node().(*ast.UnaryExpr); p.X != id || ok && u.Op == token.AND {
				return false
			}
		case *ast.CallExpr:
			switch s.Callee(p) {
			case "len", "cap":
			case "append":
				if p.Args[0] != id || !assignsTo(s, c.Parent(), v) {
					return false
				}
			default:
				return false
			}
		case *ast.AssignStmt: // s = append(s, …)
			if len(p.Lhs) != 1 || p.Lhs[0] != id || !isAppendTo(s, p.Rhs[0], v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// assignsTo reports whether an expression is all that is assigned to a variable.
func assignsTo(s *advice.Site, e inspector.Cursor, v types.Object) bool {
	a, ok := e.Parent().Node().(*ast.AssignStmt)
	return ok && len(a.Lhs) == 1 && object(s, a.Lhs[0]) == v
}

// isAppendTo reports whether an expression appends to a variable.
func isAppendTo(s *advice.Site, e ast.Expr, v types.Object) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && s.Callee(call) == "append" && object(s, call.Args[0]) == v
}
