package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var filterCopy = &advice.Rule{
	ID:    "filter-copy",
	Title: "what is kept of a slice is copied to another one",
	Doc: `A loop that keeps some elements of a slice needs no second one where nobody uses the first afterwards: kept := xs[:0]
has the room of xs, and what is appended to it never overtakes what is still to be read. What is left behind the last one
kept can be cleared, so that the garbage collector finds what only it referred to.

Where somebody does, a slice with room for all of xs is allocated once, where one that grows is copied time and again.

No rewrite is offered: whether somebody else holds the same slice, the function alone doesn't tell. The rule keeps silent
where the function itself uses the slice after the loop.`,
	Class:     advice.AdviceOnly,
	Frames:    lazyregexp.New(`^runtime\.(growslice|makeslice)`),
	Allocates: true,
	Gain:      2,
	Match:     matchFilterCopy,
}

func matchFilterCopy(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok {
			continue
		}
		if loop, ok := loopAround(c); ok {
			if from := filters(s, c, loop); from != nil {
				matches = append(matches, keepInPlace(s, assign, from, object(s, assign.Lhs[0]), true))
			}
			continue
		}
		// kept := make([]T, 0, len(xs)), which the loop after it fills
		next, ok := c.NextSibling()
		if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			continue
		}
		made, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
		kept := object(s, assign.Lhs[0])
		if !ok || kept == nil || s.Callee(made) != "make" {
			continue
		}
		if _, ok := next.Node().(*ast.RangeStmt); !ok {
			continue
		}
		for in := range next.Preorder((*ast.AssignStmt)(nil)) {
			if from := filters(s, in, next); from != nil && object(s, in.Node().(*ast.AssignStmt).Lhs[0]) == kept {
				matches = append(matches, keepInPlace(s, assign, from, kept, false))
				break
			}
		}
	}
	return matches
}

func keepInPlace(s *advice.Site, n ast.Node, from, kept types.Object, grows bool) advice.Match {
	m := advice.Match{Node: n, Why: fmt.Sprintf(
		"%s gets some elements of %s, which this function doesn't use afterwards. If nobody else does, no second slice is needed: begin with %s := %s[:0].",
		kept.Name(), from.Name(), kept.Name(), from.Name())}
	if grows {
		m.Why += fmt.Sprintf(" If somebody does, and most are kept, give it room for len(%s) before the loop, so that it needn't grow.", from.Name())
	}
	return m
}

// filters returns the slice that a loop copies some elements of, if a statement in it
// is append(kept, x), under a condition, and the slice isn't used any more.
func filters(s *advice.Site, c, loop inspector.Cursor) types.Object {
	assign, ok := c.Node().(*ast.AssignStmt)
	if !ok {
		return nil
	}
	call, ok := appendTo(s, assign)
	r, isRange := loop.Node().(*ast.RangeStmt)
	if !ok || !isRange || len(call.Args) != 2 || call.Ellipsis.IsValid() {
		return nil
	}
	kept, from := object(s, assign.Lhs[0]), object(s, r.X)
	if kept == nil || from == nil || kept == from || !isLocal(s, from) || within(r, kept.Pos()) || !types.Identical(kept.Type(), from.Type()) {
		return nil
	}
	element := false
	switch e := ast.Unparen(call.Args[1]).(type) {
	case *ast.Ident:
		element = r.Value != nil && object(s, e) == object(s, r.Value)
	case *ast.IndexExpr:
		element = r.Key != nil && object(s, e.X) == from && object(s, e.Index) == object(s, r.Key)
	}
	if !element || c.Parent().Node() == r.Body && !exitsOf(s, loop).skips {
		return nil
	}
	if !isLocal(s, kept) || isParameter(s, kept) || startsWith(s, kept, from) {
		return nil
	}
	// Not used after the loop, nor when an outer one gets here again.
	if outer, ok := loopAround(loop); ok && !within(outer.Node(), from.Pos()) {
		return nil
	}
	if len(usesIn(s, from, r.End(), s.Func.Node().End())) > 0 || addressTaken(s, from) {
		return nil
	}
	return from
}

// startsWith reports whether a variable begins as part of another one: it is filtered
// in place already.
func startsWith(s *advice.Site, kept, from types.Object) bool {
	starts := false
	s.Func.Inspect([]ast.Node{(*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil)}, func(c inspector.Cursor) bool {
		var values []ast.Expr
		switch n := c.Node().(type) {
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return object(s, e) == kept }) {
				values = n.Rhs
			}
		case *ast.ValueSpec:
			if slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return object(s, id) == kept }) {
				values = n.Values
			}
		}
		for _, v := range values {
			slice, ok := ast.Unparen(v).(*ast.SliceExpr)
			starts = starts || object(s, v) == from || ok && object(s, slice.X) == from
		}
		return !starts
	})
	return starts
}
