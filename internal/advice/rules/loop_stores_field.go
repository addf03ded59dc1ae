package rules

import (
	"fmt"
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/advice/flow"
)

var loopStoresField = &advice.Rule{
	ID:    "loop-stores-field",
	Title: "a loop changes a field in memory in each iteration",
	Doc: `In "for _, c := range text { h.sum = h.sum*31 + uint64(c) }", each iteration loads h.sum and stores it. The next one waits
until it can load what was stored, which takes longer than the sum. A local variable stays in a register.

The rewrite changes a local variable in the loop, and sets the field after it and before returns. Review it: while the loop runs, and if it
panics, the field has its old value.`,
	Class: advice.Review,
	Own:   true,
	Match: matchLoopStoresField,
	Conditions: advice.Conditions{
		Offered: "the loop changes a field in each iteration, and calls nothing that reads or changes memory; no pointer of the loop can lead to the field",
		Review:  "nothing needs the field while the loop runs or after a panic in it; the field can be read and set if the loop has no iterations",
	},
}

func matchLoopStoresField(s *advice.Site) []advice.Match {
	if s.Flat() < flatShare {
		return nil
	}
	f := flow.In(s.Place)
	if f == nil {
		return nil
	}
	found, ok := f.KeptInMemory(s.Line)
	if !ok || !found.Alone {
		return nil
	}
	loop, ok := s.Func.FindNode(found.Loop)
	if !ok {
		return nil
	}
	m := advice.Match{Node: loop.Node()}
	if !keepField(s, loop, &found, &m) {
		return nil
	}
	return []advice.Match{m}
}

// keepField fills in the rewrite: a variable has the field's value in the loop.
func keepField(s *advice.Site, loop inspector.Cursor, found *flow.Accumulator, m *advice.Match) bool {
	whole, field := facts.WithLabel(loop), s.Source(found.Of)
	at := whole.Node().Pos()
	if _, isField := ast.Unparen(found.Of).(*ast.SelectorExpr); !isField || !mayKeep(s, loop, at, found.Of) {
		return false
	}
	exits := facts.ExitsOf(s.Place, loop)
	if !facts.InBlock(whole) || facts.Jumps(s.Place) || !facts.QuietStart(s.Place, loop.Node()) || exits.Panics || usesLabels(loop) {
		return false
	}
	name := keptName(s, found.Of, at, nil)
	loads, stores := 0, 0
	for c := range loop.Preorder((*ast.SelectorExpr)(nil), (*ast.ReturnStmt)(nil)) {
		if r, leaves := c.Node().(*ast.ReturnStmt); leaves {
			if !facts.InBlock(c) {
				return false
			}
			m.Edits = append(m.Edits, edit.Insert(r.Pos(), fmt.Sprintf("%s = %s\n", field, name)))
			continue
		}
		use := c.Node().(*ast.SelectorExpr)
		if !facts.SameCode(s.Place, use, found.Of) || inReturn(c, loop) {
			continue
		}
		if !facts.Repeats(loop.Node(), use.Pos()) || facts.Commented(s.Place, use.Pos(), use.End()) {
			return false
		}
		load, store := accesses(facts.WithParens(c))
		loads, stores = loads+load, stores+store
		m.Edits = append(m.Edits, edit.Replace(use, name))
	}
	if loads != found.Loads || stores != found.Stores {
		return false // other code reads or changes it, too
	}
	m.Edits = append(m.Edits, edit.Insert(at, fmt.Sprintf("%s := %s\n", name, field)))
	if l, isFor := loop.Node().(*ast.ForStmt); !isFor || l.Cond != nil || exits.Stops {
		m.Edits = append(m.Edits, edit.Insert(whole.Node().End(), fmt.Sprintf("\n%s = %s", field, name)))
	}
	m.Why = fmt.Sprintf("Each iteration loads and stores %s in memory. A local variable can stay in a register; the field is set after the loop.", field)
	check := []string{fmt.Sprintf("that nothing needs %s while the loop runs, or after a panic in it", field)}
	if facts.PanicsAtStart(s.Place, loop, found.Of) != 0 {
		check = append(check, fmt.Sprintf("that %s can be set if the loop has no iterations: otherwise it would panic then", field))
	}
	edit.MustCheck(m, check)
	return true
}

// inReturn reports whether code is in a return statement of a loop, before which the field is set.
func inReturn(c, loop inspector.Cursor) bool {
	for r := range c.Enclosing((*ast.ReturnStmt)(nil)) {
		return facts.Within(loop.Node(), r.Node().Pos())
	}
	return false
}

// accesses counts the loads and stores of an expression's value at one place.
func accesses(c inspector.Cursor) (loads, stores int) {
	if !facts.IsAssigned(c) {
		return 1, 0
	}
	switch p := c.Parent().Node().(type) {
	case *ast.IncDecStmt:
		return 1, 1
	case *ast.AssignStmt:
		if p.Tok != token.ASSIGN {
			return 1, 1
		}
		return 0, 1
	}
	return 0, 1
}

// usesLabels reports whether a loop has a jump to a label.
func usesLabels(loop inspector.Cursor) bool {
	for c := range loop.Preorder((*ast.BranchStmt)(nil)) {
		if c.Node().(*ast.BranchStmt).Label != nil {
			return true
		}
	}
	return false
}
