package rules

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
)

var xorLoop = &advice.Rule{
	ID:    "xor-loop",
	Title: "bytes are combined one at a time",
	Doc: `A loop that combines two byte slices by ^ takes an index, a check and a store for each byte. subtle.XORBytes of package
crypto/subtle does the same with 16 bytes or more an instruction.

Of a short key that comes again and again, as in masks of WebSocket frames, fill a block of some hundred bytes with it once, and
combine block by block. What overlaps, and slices of different lengths, is for whoever knows the code, so that it is advice only.`,
	Class: advice.AdviceOnly,
	Own:   true,
	Since: "1.20",
	Gain:  5,
	Match: matchXorLoop,
}

func matchXorLoop(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || !isByteOf(s, assign.Lhs[0]) {
			continue
		}
		loop, ok := loopAround(c)
		if !ok {
			continue
		}
		combined := false
		switch assign.Tok {
		case token.XOR_ASSIGN:
			combined = isByteOf(s, assign.Rhs[0])
		case token.ASSIGN:
			x, ok := ast.Unparen(assign.Rhs[0]).(*ast.BinaryExpr)
			combined = ok && x.Op == token.XOR && isByteOf(s, x.X) && isByteOf(s, x.Y)
		}
		if combined && s.FlatIn(loop.Node()) >= muchAllocated && movesOnBy(s, loop.Node(), ast.Unparen(assign.Lhs[0])) {
			matches = append(matches, advice.Match{Node: loop.Node(),
				Why: "The loop combines byte by byte: subtle.XORBytes takes 16 or more at a time. If one side is a short key that comes again and again, fill a block of some hundred bytes with it first, and combine block by block."})
		}
	}
	return matches
}

// isByteOf reports whether an expression is an element of a slice or array of bytes.
func isByteOf(s *advice.Site, e ast.Expr) bool {
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok || !isSliceOrArray(s.Info.TypeOf(x.X)) {
		return false
	}
	b, ok := s.Info.TypeOf(x).Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}
