package rules

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var sqlPrepare = &advice.Rule{
	ID:    "sql-prepare",
	Title: "a database is queried row by row",
	Doc: `Each Query or Exec in a loop is a round trip to the database, and often two or three with arguments: many drivers
prepare the statement, run it and close it again. Fetch all rows with one query (WHERE id IN …, or a join). Insert many
rows with one statement, or a COPY, in one transaction. If you need the loop, prepare the statement before it. If a
function is called often, keep the prepared statement next to the *sql.DB.

What can be combined depends on the data, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^database/sql\.`),
	Match:  matchSQLPrepare,
}

func matchSQLPrepare(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls() {
		method, ok := strings.CutPrefix(c.Name, "(*database/sql.DB).")
		if !ok {
			method, ok = strings.CutPrefix(c.Name, "(*database/sql.Tx).")
		}
		if !ok || facts.RunsOnce(s.Place, c.Cursor) {
			continue
		}
		query := 0
		if strings.HasSuffix(method, "Context") {
			query = 1
		}
		if len(c.Args) <= query {
			continue
		}
		switch strings.TrimSuffix(method, "Context") {
		case "Prepare":
			if s.Decl != nil && facts.IsConstructor(s.Decl.Name.Name) && !facts.InLoop(c.Cursor) || !closedHere(s, c) && !facts.InLoop(c.Cursor) {
				continue
			}
			matches = append(matches, advice.Match{Node: c.CallExpr, Title: "a statement is prepared on each call",
				Why: fmt.Sprintf("%s sends a request to the database each time this runs. Keep the prepared statement; a *sql.Stmt is safe for concurrent use.", edit.Short(c.Name))})
		case "Query", "QueryRow", "Exec":
			loop, ok := facts.LoopAround(c.Cursor)
			if !ok || !facts.Repeats(loop.Node(), c.Pos()) || facts.LastIteration(s.Place, c.Cursor, loop) || s.Info.Types[c.Args[query]].Value == nil {
				continue
			}
			matches = append(matches, advice.Match{Node: c.CallExpr,
				Why: fmt.Sprintf("%s makes a round trip in each iteration, or several, because the statement is prepared again. Combine the iterations in one statement, or prepare it before the loop.", edit.Short(c.Name))})
		}
	}
	return matches
}

// closedHere reports whether the result of a call is closed in the same function.
func closedHere(s *advice.Site, c code.Call) bool {
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok {
		return false
	}
	obj := facts.Object(s.Place, assign.Lhs[0])
	for _, id := range s.Uses(obj) {
		if use, ok := s.Root().FindNode(id); ok {
			if sel, ok := use.Parent().Node().(*ast.SelectorExpr); ok && sel.Sel.Name == "Close" {
				return true
			}
		}
	}
	return false
}
