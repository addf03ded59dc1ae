package rules

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
)

var ringLoop = &advice.Rule{
	ID:    "ring-loop",
	Title: "a ring is gone through element by element",
	Doc: `What is in a ring, a slice whose elements go on at its beginning when its end is reached, are two pieces at most. copy and
clear take each as a whole, many bytes at a time, where a loop computes an index, by % or &, and compares it with the length for
each element.

The rule speaks of loops that do nothing else than copy elements from or to a ring, or set them all to the same. Where the
pieces begin and end is for whoever knows the ring, so that it is advice only.`,
	Class: advice.AdviceOnly,
	Own:   true,
	Gain:  3,
	Match: matchRingLoop,
}

func matchRingLoop(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			continue
		}
		loop, ok := loopAround(c)
		if !ok || len(loopBody(loop.Node()).List) != 1 || loopBody(loop.Node()).List[0] != assign || s.FlatIn(loop.Node()) < muchAllocated {
			continue
		}
		to, from := ast.Unparen(assign.Lhs[0]), ast.Unparen(assign.Rhs[0])
		m := advice.Match{Node: loop.Node()}
		switch toRing, fromRing := isOfRing(s, loop.Node(), to), isOfRing(s, loop.Node(), from); {
		case toRing && isSame(s, loop.Node(), from):
			m.Why = "The elements are in two pieces at most: clear each as a whole, or copy what is to stand there to it."
		case toRing && movesOnBy(s, loop.Node(), from) || fromRing && movesOnBy(s, loop.Node(), to):
			m.Why = "The elements are in two pieces at most: copy each as a whole."
		default:
			continue
		}
		matches = append(matches, m)
	}
	return matches
}

// isOfRing reports whether an expression is an element of a slice whose index is counted by
// a loop, and begins again at the end: x[(i+a)%n] or x[(i+a)&n].
func isOfRing(s *advice.Site, loop ast.Node, e ast.Expr) bool {
	x, ok := e.(*ast.IndexExpr)
	if !ok || !isSliceOrArray(s.Info.TypeOf(x.X)) {
		return false
	}
	index, ok := ast.Unparen(x.Index).(*ast.BinaryExpr)
	if !ok || index.Op != token.REM && index.Op != token.AND {
		return false
	}
	sum, ok := ast.Unparen(index.X).(*ast.BinaryExpr)
	i := counter(s, loop)
	return ok && sum.Op == token.ADD && i != nil && (object(s, sum.X) == i) != (object(s, sum.Y) == i)
}

// isSame reports whether an expression without calls is the same in each turn of a loop.
func isSame(s *advice.Site, loop ast.Node, e ast.Expr) bool {
	if s.Info.Types[e].Value != nil || s.Info.Types[e].IsNil() {
		return true
	}
	v := object(s, e)
	return v != nil && !within(loop, v.Pos())
}

// movesOnBy reports whether an expression is an element whose index is what a loop counts.
func movesOnBy(s *advice.Site, loop ast.Node, e ast.Expr) bool {
	x, ok := e.(*ast.IndexExpr)
	return ok && isSliceOrArray(s.Info.TypeOf(x.X)) && counter(s, loop) != nil && object(s, x.Index) == counter(s, loop)
}

// isSliceOrArray reports whether a type is a slice, an array or a pointer to one.
func isSliceOrArray(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Slice, *types.Array:
		return true
	case *types.Pointer:
		_, array := t.Elem().Underlying().(*types.Array)
		return array
	}
	return false
}

// counter is the variable that a loop counts by one; nil if it doesn't.
func counter(s *advice.Site, loop ast.Node) types.Object {
	switch l := loop.(type) {
	case *ast.RangeStmt:
		if l.Key != nil {
			return object(s, l.Key)
		}
	case *ast.ForStmt:
		if post, ok := l.Post.(*ast.IncDecStmt); ok && post.Tok == token.INC {
			return object(s, post.X)
		}
	}
	return nil
}
