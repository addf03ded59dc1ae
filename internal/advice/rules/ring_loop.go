package rules

import (
	"go/ast"
	"go/token"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

var ringLoop = &advice.Rule{
	ID:    "ring-loop",
	Title: "a ring buffer is copied element by element",
	Doc: `The contents of a ring, a slice that continues at its start when its end is reached, are at most two contiguous pieces.
copy, append and clear handle a piece many bytes per instruction. A loop computes an index with % or & and checks it for
each element.

The rule reports loops that only copy elements to or from a ring, or set all of them to the same value, except for rings
known to have fewer than 64 elements. A loop that goes around more than once repeats a pattern; copy what it has
written, doubling the length each time. Only the author of the ring knows where the pieces start and end, so this rule
only gives advice.`,
	Class: advice.AdviceOnly,
	Own:   true,
	Gain:  3,
	Match: matchRingLoop,
}

const smallRing = 64 // elements

func matchRingLoop(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			continue
		}
		loop, ok := facts.LoopAround(c)
		if !ok || len(facts.LoopBody(loop.Node()).List) != 1 || facts.LoopBody(loop.Node()).List[0] != assign {
			continue
		}
		to, from := assign.Lhs[0], assign.Rhs[0]
		appended := false
		if call, ok := facts.AppendTo(s.Place, assign); ok && len(call.Args) == 2 && !call.Ellipsis.IsValid() {
			from, appended = call.Args[1], true
		}
		m := advice.Match{Node: loop.Node()}
		switch {
		case !appended && ofRing(s, loop.Node(), to) && facts.SameEachIteration(s.Place, loop.Node(), from):
			m.Why = "If the loop goes around once, the elements are at most two contiguous pieces; clear or fill each piece in one call."
		case !appended && ofRing(s, loop.Node(), to) && counted(s, loop.Node(), from):
			m.Why = "If the loop goes around once, the destination is at most two contiguous pieces; copy to each in one call."
		case ofRing(s, loop.Node(), from) && (appended || counted(s, loop.Node(), to)):
			m.Why = "If the loop goes around once, the elements are at most two contiguous pieces; copy or append each in one call."
		default:
			continue
		}
		if s.FlatIn(loop.Node()) >= muchAllocated {
			matches = append(matches, m)
		}
	}
	return matches
}

// ofRing reports whether an expression is an element whose index is counted by a loop and starts over
// at the end: x[(i+a)%n] or x[(i+a)&n].
func ofRing(s *advice.Site, loop ast.Node, e ast.Expr) bool {
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok || !facts.HasElements(s.Info.TypeOf(x.X)) {
		return false
	}
	index, ok := ast.Unparen(x.Index).(*ast.BinaryExpr)
	if !ok || index.Op != token.REM && index.Op != token.AND {
		return false
	}
	if n, constant := facts.ConstantInt(s.Place, index.Y); constant && (n < smallRing-1 || index.Op == token.REM && n < smallRing) {
		return false
	}
	sum, ok := ast.Unparen(index.X).(*ast.BinaryExpr)
	if !ok || sum.Op != token.ADD {
		return false
	}
	return facts.Counts(s.Place, loop, facts.Object(s.Place, sum.X)) && facts.SameEachIteration(s.Place, loop, sum.Y) || facts.Counts(s.Place, loop, facts.Object(s.Place, sum.Y)) && facts.SameEachIteration(s.Place, loop, sum.X)
}

// counted reports whether an expression is an element whose index a loop counts.
func counted(s *advice.Site, loop ast.Node, e ast.Expr) bool {
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	return ok && facts.HasElements(s.Info.TypeOf(x.X)) && facts.Counts(s.Place, loop, facts.Object(s.Place, x.Index))
}
