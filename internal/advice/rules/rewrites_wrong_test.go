package rules

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// wrong are rules that make mistakes on purpose, each in the place of the one whose functions are
// generated for it. If the comparison were blind, it would find nothing here either.
var wrong = []struct {
	mistake, of string
	class       advice.Class
	why         string
	match       func(*advice.Site, *advice.Match) bool
}{
	{"moves a call out of a loop whatever it does", "loop-invariant-call", advice.Safe, "", hoistAnything},
	{"writes each operand before the next is evaluated", "concat-into-buffer", advice.Safe, "", writeInPieces},
	{"makes a negative length 0 instead of a panic", "byte-loop", advice.Safe, "", dropPanic},
	{"takes the same for nil and empty", "append-chain", advice.Safe, "", nilForEmpty},
	{"evaluates the strings in another order", "join-literal", advice.Safe, "", joinBackwards},
	{"drops a panic and gives a reason that is about something else", "byte-loop", advice.Review, "Check that letters outside of ASCII don't matter.", dropPanic},
}

// fewWrong is how many functions with a wrong rewrite are enough for one that differs.
const fewWrong = 32

// TestWrongRewritesAreFound has the comparison of TestRewrites look at rules that are wrong.
func TestWrongRewritesAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a program")
	}
	p := readPrelude(t)
	var mixed []*rewritten
	by := make(map[int]int) // a function's number to the rule that rewrote it
	for i, w := range wrong {
		rule := &advice.Rule{ID: w.of, Class: w.class, Match: func(s *advice.Site) []advice.Match {
			m := advice.Match{Class: w.class, Why: w.why}
			if !w.match(s, &m) {
				return nil
			}
			return []advice.Match{m}
		}}
		c := &campaign{t: t, prelude: p, rule: rule, tally: new(tally), seed: 1, first: i * 1_000_000}
		group := c.some(fewWrong)
		for _, r := range group {
			by[r.number] = i
		}
		mixed = append(mixed, group...)
	}
	found := make([]map[int]bool, len(wrong))
	for _, d := range p.compare(t, mixed, runs) {
		if i := by[d.number]; !d.announced() && !slices.Contains(d.kinds, "build") {
			if found[i] == nil {
				found[i] = make(map[int]bool)
			}
			found[i][d.number] = true
		}
	}
	for i, w := range wrong {
		t.Logf("%s: %d of %d differ", w.mistake, len(found[i]), fewWrong)
		if len(found[i]) == 0 {
			t.Errorf("a rule that %s goes unnoticed in %d functions of %s", w.mistake, fewWrong, w.of)
		}
	}
}

func hoistAnything(s *advice.Site, m *advice.Match) bool {
	for _, c := range s.Calls() {
		if s.Info.Types[c.CallExpr].IsVoid() || s.Info.Types[c.Fun].IsType() || s.Callee(c.CallExpr) == "append" || s.Info.Types[c.CallExpr].Value != nil {
			continue
		}
		for outer := range c.Cursor.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncLit)(nil)) {
			loop := outer.Node()
			if _, literal := loop.(*ast.FuncLit); literal || !facts.InBlock(outer) {
				break
			}
			ownNames := false
			for n := range ast.Preorder(c.CallExpr) {
				if id, ok := n.(*ast.Ident); ok {
					obj := s.Info.ObjectOf(id)
					ownNames = ownNames || obj != nil && facts.Within(loop, obj.Pos())
				}
			}
			if !facts.Within(loop, c.Pos()) || ownNames {
				break
			}
			name := s.Unused("before", loop.Pos())
			m.Node, m.Edits = c.CallExpr, []advice.Edit{edit.Insert(loop.Pos(), name+" := "+s.Source(c.CallExpr)+"\n"), edit.Replace(c.CallExpr, name)}
			return true
		}
	}
	return false
}

func writeInPieces(s *advice.Site, m *advice.Match) bool {
	for _, c := range s.Calls("(*strings.Builder).WriteString", "(*bytes.Buffer).WriteString", "(*bufio.Writer).WriteString") {
		stmt, ok := c.Cursor.Parent().Node().(*ast.ExprStmt)
		parts := facts.Operands(s.Place, c.Args[0])
		if !ok || len(parts) < 2 || !facts.InBlock(c.Cursor.Parent()) {
			continue
		}
		text := ""
		for _, e := range parts {
			text += s.Source(c.Fun) + "(" + s.Source(e) + ")\n"
		}
		m.Node, m.Edits = c.CallExpr, []advice.Edit{edit.Replace(stmt, text)}
		return true
	}
	return false
}

func dropPanic(s *advice.Site, m *advice.Match) bool {
	for _, c := range s.Calls("make") {
		if _, called := c.Args[len(c.Args)-1].(*ast.CallExpr); len(c.Args) == 2 && !called && s.Info.Types[c.Args[1]].Value == nil {
			m.Node, m.Edits = c.CallExpr, []advice.Edit{edit.Replace(c.Args[1], fmt.Sprintf("max(%s, 0)", s.Source(c.Args[1])))}
			return true
		}
	}
	return false
}

func nilForEmpty(s *advice.Site, m *advice.Match) bool {
	for _, c := range s.Calls("append") {
		if lit, ok := c.Args[0].(*ast.CompositeLit); ok && len(lit.Elts) == 0 {
			m.Node, m.Edits = c.CallExpr, []advice.Edit{edit.Replace(lit, s.Source(lit.Type)+"(nil)")}
			return true
		}
	}
	return false
}

func joinBackwards(s *advice.Site, m *advice.Match) bool {
	for _, c := range s.Calls("strings.Join") {
		list, ok := c.Args[0].(*ast.CompositeLit)
		if !ok || len(list.Elts) < 2 {
			continue
		}
		var names, values []string
		for i, e := range list.Elts {
			names = append(names, fmt.Sprint("v", i))
			values = append(values, s.Source(e))
		}
		joined := fmt.Sprintf("strings.Join([]string{%s}, sep)", strings.Join(names, ", "))
		slices.Reverse(names)
		slices.Reverse(values)
		m.Node = c.CallExpr
		m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("func(%s, sep string) string { return %s }(%s, %s)", strings.Join(names, ", "), joined, strings.Join(values, ", "), s.Source(c.Args[1])))}
		return true
	}
	return false
}
