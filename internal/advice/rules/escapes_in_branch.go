package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var escapesInBranch = &advice.Rule{
	ID:    "escapes-in-branch",
	Title: "a variable is allocated for one branch",
	Doc: `A variable whose address outlives the function is allocated where it is declared, each time, even if the branch that
takes the address doesn't run. An error path that keeps &token makes each token an allocation. A loop that returns &x for
the element it looks for copies all elements before it to the heap.

The rewrite copies the variable where the branch starts, x := x, so that only this copy is allocated. If the branch
always runs, nothing is gained or lost.`,
	Class:     advice.Safe,
	Frames:    newObject,
	Allocates: true,
	Own:       true,
	Gain:      3,
	Match:     matchEscapesInBranch,
	Conditions: advice.Conditions{
		Offered: "the compiler moves the variable to the heap; its address is only taken in branches, each of which ends the function, the " +
			"iteration of the loop that declares the variable, or the variable's scope; no function literal elsewhere uses it; it has no lock",
	},
}

var newObject = lazyregexp.New(`^runtime\.newobject$`)

func matchEscapesInBranch(s *advice.Site) []advice.Match {
	if s.Allocates() < someAllocated && s.Share(newObject) < someAllocated || s.In.Diagnostics() == nil {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Nodes() {
		id, ok := c.Node().(*ast.Ident)
		if !ok || id.Name == "_" || !escapes(s, id.Name) {
			continue
		}
		v, ok := s.Info.Defs[id].(*types.Var)
		if !ok || v.IsField() || facts.HasLock(v.Type()) {
			continue
		}
		branches, ok := facts.LastBranches(s.Place, v)
		if !ok {
			continue
		}
		m := advice.Match{Node: id}
		for _, branch := range branches {
			m.Edits = append(m.Edits, edit.Insert(firstIn(s, branch), fmt.Sprintf("%[1]s := %[1]s // only this copy is allocated\n", v.Name())))
		}
		line := s.Package.Line(branches[0].Node().Pos())
		m.Why = fmt.Sprintf("The branch at line %d lets %s outlive this function, so it is allocated here each time, even if the branch doesn't run. A copy in the branch leaves %[2]s on the stack.", line, v.Name())
		matches = append(matches, m)
	}
	return matches
}

// firstIn is where a statement can be put in front of the first of a branch, and of the comments above
// it.
func firstIn(s *advice.Site, branch inspector.Cursor) token.Pos {
	first := facts.Statements(branch.Node())[0].Pos()
	start := branch.Node().Pos()
	switch n := branch.Node().(type) {
	case *ast.CaseClause:
		start = n.Colon
	case *ast.CommClause:
		start = n.Colon
	}
	for _, g := range s.File.Comments {
		if start < g.Pos() && g.Pos() < first && s.Package.Line(g.Pos()) > s.Package.Line(start) {
			return g.Pos()
		}
	}
	return first
}
