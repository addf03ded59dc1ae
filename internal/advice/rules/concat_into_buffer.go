package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var concatIntoBuffer = &advice.Rule{
	ID:    "concat-into-buffer",
	Title: "strings are concatenated only to be written to a buffer",
	Doc: `buf.WriteString(a + b) allocates a string for both, copies it into the buffer and drops it. Two writes copy each piece
once and don't allocate.

The rewrite covers strings.Builder, bytes.Buffer and bufio.Writer if the returned error is ignored, and append(b, (a +
c)...). For a strings.Builder declared in the function, the rule only gives advice if it is written once, or if the
joined string is so short that it isn't allocated: separate writes would make the Builder grow in smaller steps.`,
	Class:     advice.Safe,
	Frames:    lazyregexp.New(`^runtime\.concatstring`),
	Allocates: true,
	Gain:      1.4,
	Match:     matchConcatIntoBuffer,
	Conditions: advice.Conditions{
		Offered: "strings are joined by + to be written to a strings.Builder, bytes.Buffer or bufio.Writer whose result is ignored, or to " +
			"be appended to a []byte",
		Review: "evaluating one piece doesn't change another or use the buffer; no piece lies in the buffer or in the spare capacity of " +
			"the slice; no piece panics after another was written; no other slice uses the spare capacity; the destination of a " +
			"bufio.Writer accepts Write calls of other sizes",
	},
}

func matchConcatIntoBuffer(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		if assign, ok := c.Node().(*ast.AssignStmt); ok {
			if m, ok := appendsConcat(s, c, assign); ok {
				matches = append(matches, m)
			}
		}
	}
	for _, c := range s.Calls(
		"(*strings.Builder).WriteString", "(*bytes.Buffer).WriteString", "(*bufio.Writer).WriteString",
		"(*strings.Builder).Write", "(*bytes.Buffer).Write", "(*bufio.Writer).Write",
	) {
		sel, ok := c.Fun.(*ast.SelectorExpr)
		stmt, alone := c.Parent().Node().(*ast.ExprStmt)
		if !ok || !alone || len(c.Args) != 1 || !facts.Pure(s.Place, sel.X) || !facts.InBlock(c.Parent()) || facts.Commented(s.Place, c.Pos(), c.End()) {
			continue
		}
		if sel := s.Info.Selections[sel]; sel == nil || len(sel.Index()) != 1 {
			continue // an embedded buffer, whose outer type may have its own methods
		}
		text := c.Args[0]
		if operand, to, ok := facts.Conversion(s.Place, text); ok && facts.PlainBytes(to) && facts.IsString(s.Place, operand) {
			text = operand
		}
		pieces := facts.Operands(s.Place, text)
		if len(pieces) < 2 {
			continue
		}
		dst, steps := s.Source(sel.X), concatSteps(s, pieces)
		if facts.SeesItself(s.Place, sel.X, steps) || !facts.Builtins(s.Place, c.Pos(), "string") {
			continue
		}
		var lines []string
		for _, p := range pieces {
			lines = append(lines, edit.WritePiece(s, dst, p))
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.Safe}
		m.Edits = []advice.Edit{edit.Replace(stmt, strings.Join(lines, "\n"))}
		m.Why = fmt.Sprintf("+ allocates a string, which is copied into %s and dropped; write the pieces separately.", dst)
		edit.MustCheck(&m, facts.WrittenInTurn(s.Place, steps, sel.X, dst))
		if obj := facts.Object(s.Place, sel.X); newBuilder(s, obj) && (!facts.Repeated(c.Cursor, obj) || s.Allocates() == 0) {
			m.Class, m.Edits = advice.AdviceOnly, nil
			m.Why = fmt.Sprintf("+ allocates a string, which is copied into %s and dropped; write the pieces separately.", dst)
			m.Why += fmt.Sprintf(" Call %s.Grow first, or it grows in smaller steps.", dst)
		}
		matches = append(matches, m)
	}
	return matches
}

// newBuilder reports whether a strings.Builder is declared in the function and never grown ahead.
// Pieces that are written to it let it grow in smaller steps than one whole text, so it allocates more
// often at the start.
func newBuilder(s *advice.Site, obj types.Object) bool {
	return obj != nil && strings.TrimPrefix(facts.TypeName(obj.Type()), "*") == "strings.Builder" && facts.NewBuffer(s.Place, obj)
}

// appendsConcat matches b = append(b, (a + c)...).
func appendsConcat(s *advice.Site, c inspector.Cursor, assign *ast.AssignStmt) (advice.Match, bool) {
	call, ok := facts.AppendTo(s.Place, assign)
	if !ok || len(call.Args) != 2 || !call.Ellipsis.IsValid() || !facts.IsString(s.Place, call.Args[1]) || !facts.Pure(s.Place, assign.Lhs[0]) || !facts.InBlock(c) || facts.Commented(s.Place, assign.Pos(), assign.End()) {
		return advice.Match{}, false
	}
	pieces := facts.Operands(s.Place, call.Args[1])
	if len(pieces) < 2 {
		return advice.Match{}, false
	}
	dst, root := s.Source(assign.Lhs[0]), facts.RootOf(s.Place, assign.Lhs[0])
	m := advice.Match{Node: assign, Class: advice.Safe,
		Why: fmt.Sprintf("+ allocates a string, which is copied to %s and dropped; append the pieces separately.", dst)}
	var lines []string
	for _, p := range pieces {
		if root == nil || facts.Mentions(s.Place, p, root) {
			return advice.Match{}, false
		}
		code := s.Source(p)
		if b, ok := edit.BytesOf(s, p); ok {
			code = b
		}
		lines = append(lines, fmt.Sprintf("%s = append(%s, %s...)", dst, dst, code))
	}
	m.Edits = []advice.Edit{edit.Replace(assign, strings.Join(lines, "\n"))}
	steps := concatSteps(s, pieces)
	for i := range steps {
		steps[i].Called = true // append evaluates the sum before the slice
	}
	edit.MustCheck(&m, facts.WrittenInTurn(s.Place, steps, assign.Lhs[0], dst), facts.SharedRoom(s.Place, assign.Lhs[0], assign))
	return m, true
}

// concatSteps are the operands of a concatenation in the order in which they are evaluated.
func concatSteps(s *advice.Site, pieces []ast.Expr) []facts.Step {
	var steps []facts.Step
	for _, p := range pieces {
		st := facts.Step{Expr: p}
		if operand, _, ok := facts.Conversion(s.Place, p); ok && facts.IsBytes(s.Place, operand) {
			st = facts.Step{Expr: operand, Contents: true}
		}
		if s.Info.Types[p].Value != nil {
			st = facts.Step{}
		}
		steps = append(steps, st)
	}
	return steps
}
