package rules

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var filterCopy = &advice.Rule{
	ID:    "filter-copy",
	Title: "a filtered slice is copied to a new one",
	Doc: `A loop that keeps some elements of a slice doesn't need a second slice if the first one isn't used afterwards. kept :=
xs[:0] reuses the memory of xs, and appending never overtakes the element being read. Clear the rest of the slice so
that the garbage collector can free what it refers to.

If the original is still used, allocate a slice with capacity for all of xs once, instead of growing it repeatedly.

No rewrite is offered, because the function alone doesn't show whether other code holds the same slice. The rule reports
nothing if the function uses the slice after the loop.`,
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
		if loop, ok := facts.LoopAround(c); ok {
			if from := facts.Filters(s.Place, c, loop); from != nil {
				matches = append(matches, keepInPlace(s, assign, from, facts.Object(s.Place, assign.Lhs[0]), true))
			}
			continue
		}
		// kept := make([]T, 0, len(xs)), which the loop after it fills
		next, ok := c.NextSibling()
		if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			continue
		}
		made, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
		kept := facts.Object(s.Place, assign.Lhs[0])
		if !ok || kept == nil || s.Callee(made) != "make" {
			continue
		}
		if _, ok := next.Node().(*ast.RangeStmt); !ok {
			continue
		}
		for in := range next.Preorder((*ast.AssignStmt)(nil)) {
			if from := facts.Filters(s.Place, in, next); from != nil && facts.Object(s.Place, in.Node().(*ast.AssignStmt).Lhs[0]) == kept {
				matches = append(matches, keepInPlace(s, assign, from, kept, false))
				break
			}
		}
	}
	return matches
}

func keepInPlace(s *advice.Site, n ast.Node, from, kept types.Object, grows bool) advice.Match {
	m := advice.Match{Node: n, Why: fmt.Sprintf(
		"%s gets some elements of %s, which this function doesn't use afterwards. If no other code uses it, filter in place: start with %s := %s[:0].",
		kept.Name(), from.Name(), kept.Name(), from.Name())}
	if grows {
		m.Why += fmt.Sprintf(" Otherwise, if most elements are kept, allocate capacity for len(%s) elements before the loop.", from.Name())
	}
	return m
}
