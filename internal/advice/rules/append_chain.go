package rules

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var appendChain = &advice.Rule{
	ID:    "append-chain",
	Title: "nested appends allocate and copy more than once",
	Doc: `append(append([]T{}, a...), b...) allocates a slice for a, then a larger one for a and b, and copies a twice.
slices.Concat (Go 1.22) adds up the lengths, allocates once, and copies each slice once. append([]T{x}, a...) also allocates
twice: for x, and for all of them.

Review the rewrite, unless the first slice is a literal with elements: if every input is empty, slices.Concat returns nil, and append may have returned an empty slice. A
single append to a new slice is as fast as slices.Clone and isn't reported.`,
	Match:     matchAppendChain,
	Class:     advice.Safe,
	Frames:    lazyregexp.New(`^runtime\.growslice$`),
	Allocates: true,
	Since:     "1.22",
	Gain:      1.8,
	Conditions: advice.Conditions{
		Offered: "slices are appended to a new slice, one after another",
		Review: "the first slice is a literal with elements, or the code doesn't distinguish nil from an empty slice when all inputs are empty; evaluating one input doesn't change " +
			"another, and none of them panics",
	},
}

func matchAppendChain(s *advice.Site) []advice.Match {
	if slices.Contains([]string{"slices", "bytes", "runtime"}, s.Types.Path()) {
		return nil // they can't import slices
	}
	var matches []advice.Match
	for _, c := range s.Calls("append") {
		if outer, ok := c.Parent().Node().(*ast.CallExpr); ok && appendsSlice(s, outer) && outer.Args[0] == c.CallExpr {
			continue // reported with the outer call
		}
		parts := chained(s, c.CallExpr)
		if len(parts) < 2 {
			continue // slices.Clone isn't faster
		}
		pkg, ok := facts.PackageName(s.Place, "slices", c.Pos())
		if !ok {
			continue
		}
		var texts []string
		for _, p := range parts {
			texts = append(texts, s.Source(p))
		}
		m := advice.Match{
			Node:    c.CallExpr,
			Why:     "Each append allocates a new slice and copies the elements again; slices.Concat allocates once.",
			Edits:   edit.KeepingComments(s, []advice.Edit{edit.Replace(c.CallExpr, pkg+".Concat("+strings.Join(texts, ", ")+")")}),
			Imports: []string{"slices"},
		}
		if lit, ok := ast.Unparen(parts[0]).(*ast.CompositeLit); ok && len(lit.Elts) > 0 {
			m.Class = advice.Safe // the result isn't empty, and nothing else has the first slice
			if !slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool { return s.Info.Types[e].Value == nil }) {
				parts = parts[1:] // nothing changes constants
			}
		} else {
			edit.MustCheck(&m, []string{
				"that no code distinguishes nil from an empty slice: the result is now nil if all slices are empty",
				"that the result doesn't have to share memory with the first slice: it is now always a copy",
			})
		}
		edit.MustCheck(&m, facts.Together(s.Place, parts...))
		matches = append(matches, m)
	}
	return matches
}

// appendsSlice reports whether a call is append(x, y...).
func appendsSlice(s *advice.Site, call *ast.CallExpr) bool {
	return len(call.Args) == 2 && call.Ellipsis.IsValid() && s.Callee(call) == "append"
}

// chained returns the slices that append(append(append(first, a...), b...), c...) joins. It returns
// nil if the first slice may have spare capacity, which append would write to, or if the types differ.
func chained(s *advice.Site, call *ast.CallExpr) []ast.Expr {
	var parts []ast.Expr // in reverse order
	first := ast.Expr(call)
	for {
		inner, ok := first.(*ast.CallExpr)
		if !ok || !appendsSlice(s, inner) {
			break
		}
		first = inner.Args[0]
		parts = append(parts, inner.Args[1])
	}
	t := s.Info.TypeOf(first)
	for _, p := range parts {
		if !types.Identical(s.Info.TypeOf(p), t) {
			return nil
		}
	}
	full, empty := withoutRoom(s, first)
	switch {
	case full == nil || empty && facts.EffectsOf(s.Place, first)&facts.MayWrite != 0:
		return nil
	case !empty:
		parts = append(parts, full)
	}
	slices.Reverse(parts)
	for i, p := range parts {
		// Concat copies anyway, so this copy isn't needed.
		if clone, ok := ast.Unparen(p).(*ast.CallExpr); ok && len(clone.Args) == 1 {
			if name := s.Callee(clone); (name == "slices.Clone" || name == "bytes.Clone") && types.Identical(s.Info.TypeOf(clone.Args[0]), t) {
				parts[i] = clone.Args[0]
			}
		}
	}
	return parts
}

// withoutRoom returns a slice whose length is its capacity, without what makes it so:
//
//	x[:0:0], []T(nil), T{}             empty
//	x[:len(x):len(x)], slices.Clip(x)  x
//	x[:k:k], T{y, z}                   itself
//
// and nil for all others.
func withoutRoom(s *advice.Site, e ast.Expr) (full ast.Expr, empty bool) {
	switch e := e.(type) {
	case *ast.SliceExpr:
		if !e.Slice3 || e.Low != nil || !facts.SameCode(s.Place, e.High, e.Max) {
			return nil, false
		}
		if call, ok := e.High.(*ast.CallExpr); ok && s.Callee(call) == "len" && facts.SameCode(s.Place, call.Args[0], e.X) {
			return e.X, false
		}
		value := s.Info.Types[e.High].Value
		return e, value != nil && value.ExactString() == "0"
	case *ast.CallExpr:
		if len(e.Args) == 1 && s.Info.Types[e.Fun].IsType() && s.Info.Types[e.Args[0]].IsNil() {
			return e, true
		}
		if s.Callee(e) == "slices.Clip" {
			return e.Args[0], false
		}
	case *ast.CompositeLit:
		return e, len(e.Elts) == 0
	}
	return nil, false
}
