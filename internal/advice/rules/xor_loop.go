package rules

import (
	"go/ast"
	"go/token"

	"github.com/hone-go/hone/internal/advice"
)

var xorLoop = &advice.Rule{
	ID:    "xor-loop",
	Title: "bytes are combined one at a time",
	Doc: `A loop that combines two byte slices by ^ takes an index, a check and a store for each byte. subtle.XORBytes of package
crypto/subtle, which came with Go 1.20, does the same with 16 bytes or more an instruction.

Of a short key that comes again and again, as in masks of WebSocket frames, fill a block of some hundred bytes with it once, and
combine block by block. The rule is silent where a byte is combined with what a table has for another, or with one before it. What
overlaps, and slices of different lengths, is for whoever knows the code, so that it is advice only.`,
	Class: advice.AdviceOnly,
	Own:   true,
	Gain:  5,
	Match: matchXorLoop,
}

func matchXorLoop(s *advice.Site) []advice.Match {
	if !s.AtLeast("1.20") {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			continue
		}
		loop, ok := loopAround(c)
		if !ok || c.Parent().Node() != loopBody(loop.Node()) || len(loopBody(loop.Node()).List) > 2 || s.FlatIn(loop.Node()) < muchAllocated {
			continue // what else it does may be what takes the time
		}
		to, ok := ast.Unparen(assign.Lhs[0]).(*ast.IndexExpr)
		if !ok || !isByte(s.Info.TypeOf(to)) || !hasElements(s.Info.TypeOf(to.X)) || !counts(s, loop.Node(), object(s, to.Index)) {
			continue
		}
		combined := false
		switch assign.Tok {
		case token.XOR_ASSIGN:
			combined = byteAtHand(s, loop.Node(), to, assign.Rhs[0])
		case token.ASSIGN:
			x, ok := ast.Unparen(assign.Rhs[0]).(*ast.BinaryExpr)
			combined = ok && x.Op == token.XOR && byteAtHand(s, loop.Node(), to, x.X) && byteAtHand(s, loop.Node(), to, x.Y)
		}
		if combined {
			matches = append(matches, advice.Match{Node: loop.Node(),
				Why: "The loop combines byte by byte: subtle.XORBytes takes 16 or more at a time. If one side is a short key that comes again and again, fill a block of some hundred bytes with it first, and combine block by block."})
		}
	}
	return matches
}

// byteAtHand reports whether an operand of what is stored in a byte is one that a loop goes
// through, as the value of its range or by an index that no other element decides.
func byteAtHand(s *advice.Site, loop ast.Node, to *ast.IndexExpr, e ast.Expr) bool {
	r, isRange := loop.(*ast.RangeStmt)
	if v := object(s, e); v != nil && isRange && r.Value != nil {
		return object(s, r.Value) == v && isByte(s.Info.TypeOf(e)) && hasElements(s.Info.TypeOf(r.X))
	}
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok || !isByte(s.Info.TypeOf(x)) || !hasElements(s.Info.TypeOf(x.X)) {
		return false
	}
	if sameCode(s, x.X, to.X) {
		return sameCode(s, x.Index, to.Index)
	}
	for n := range ast.Preorder(x.Index) {
		switch n := n.(type) {
		case *ast.IndexExpr:
			return false
		case *ast.Ident:
			if isRange && r.Value != nil && object(s, n) == object(s, r.Value) {
				return false
			}
		}
	}
	return true
}
