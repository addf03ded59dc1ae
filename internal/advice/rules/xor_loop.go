package rules

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

var xorLoop = &advice.Rule{
	ID:    "xor-loop",
	Title: "bytes are combined one by one",
	Doc: `A loop that combines two byte slices with ^ needs an index, a check and a store per byte. subtle.XORBytes of package
crypto/subtle (Go 1.20) processes 16 bytes or more per instruction.

For a short repeating key, such as the mask of a WebSocket frame, fill a block of some hundred bytes with it once, and
combine block by block. The rule doesn't report bytes combined with a table entry for another byte, or with the previous
byte. Overlaps and different lengths need a person who knows the code, so this rule only gives advice.`,
	Class: advice.AdviceOnly,
	Own:   true,
	Gain:  5,
	Match: matchXorLoop,
}

func matchXorLoop(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			continue
		}
		loop, ok := facts.LoopAround(c)
		if !ok || c.Parent().Node() != facts.LoopBody(loop.Node()) || len(facts.LoopBody(loop.Node()).List) > 2 {
			continue // its other work may take the time
		}
		to, ok := ast.Unparen(assign.Lhs[0]).(*ast.IndexExpr)
		if !ok || !facts.IsByte(s.Info.TypeOf(to)) || !facts.HasElements(s.Info.TypeOf(to.X)) || !facts.Counts(s.Place, loop.Node(), facts.Object(s.Place, to.Index)) || fewTurns(s, loop.Node()) {
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
		if combined && s.FlatIn(loop.Node()) >= muchAllocated {
			matches = append(matches, advice.Match{Node: loop.Node(), Since: "1.20",
				Why: "The loop combines one byte per step; subtle.XORBytes combines 16 or more. If one side is a short repeating key, first fill a block of some hundred bytes with it, and combine block by block."})
		}
	}
	return matches
}

// byteAtHand reports whether an operand of the stored byte is one that a loop iterates over: the value
// of its range, or an element whose index doesn't depend on other elements.
func byteAtHand(s *advice.Site, loop ast.Node, to *ast.IndexExpr, e ast.Expr) bool {
	r, isRange := loop.(*ast.RangeStmt)
	if v := facts.Object(s.Place, e); v != nil && isRange && r.Value != nil {
		return facts.Object(s.Place, r.Value) == v && facts.IsByte(s.Info.TypeOf(e)) && facts.HasElements(s.Info.TypeOf(r.X))
	}
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok || !facts.IsByte(s.Info.TypeOf(x)) || !facts.HasElements(s.Info.TypeOf(x.X)) {
		return false
	}
	if facts.SameCode(s.Place, x.X, to.X) {
		return facts.SameCode(s.Place, x.Index, to.Index)
	}
	return goesOn(s, loop, x.Index)
}

// goesOn reports whether an index increases by one in each iteration of a loop, or starts over after
// the last: i, i+a, i%n, or a variable that the loop's body counts.
func goesOn(s *advice.Site, loop ast.Node, index ast.Expr) bool {
	switch e := ast.Unparen(index).(type) {
	case *ast.Ident:
		if facts.Counts(s.Place, loop, facts.Object(s.Place, e)) {
			return true
		}
		for _, stmt := range facts.LoopBody(loop).List {
			if step, ok := stmt.(*ast.IncDecStmt); ok && step.Tok == token.INC && facts.Object(s.Place, step.X) == facts.Object(s.Place, e) {
				return true
			}
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD:
			return goesOn(s, loop, e.X) && facts.SameEachIteration(s.Place, loop, e.Y) || goesOn(s, loop, e.Y) && facts.SameEachIteration(s.Place, loop, e.X)
		case token.SUB, token.REM, token.AND:
			return goesOn(s, loop, e.X) && facts.SameEachIteration(s.Place, loop, e.Y)
		}
	}
	return false
}

// fewTurns reports whether a loop has fewer iterations than bytes are combined at once, or counts by
// more than one, because its body does so.
func fewTurns(s *advice.Site, loop ast.Node) bool {
	const atOnce = 16
	few := func(e ast.Expr) bool {
		n, ok := facts.ConstantInt(s.Place, e)
		return ok && n < atOnce
	}
	switch l := loop.(type) {
	case *ast.RangeStmt:
		t := s.Info.TypeOf(l.X).Underlying()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem().Underlying()
		}
		array, ok := t.(*types.Array)
		return few(l.X) || ok && array.Len() < atOnce
	case *ast.ForStmt:
		cond, ok := l.Cond.(*ast.BinaryExpr)
		return l.Post == nil || ok && few(cond.Y)
	}
	return false
}
