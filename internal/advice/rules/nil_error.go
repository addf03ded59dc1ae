package rules

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// withoutError replaces a call that returned a value and an error, which is now nil, by the value: where
// both are assigned, or returned. A check of the error that follows goes, too.
func withoutError(s *advice.Site, c code.Call, value string) (edits []advice.Edit, ok bool) {
	switch p := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		if !facts.TwoResults(c) {
			return nil, false
		}
		edits = []advice.Edit{edit.Replace(c.CallExpr, value), {Pos: p.Lhs[0].End(), End: p.Lhs[1].End()}}
		if facts.IsBlank(p.Lhs[1]) {
			return edits, true
		}
		more, ok := nilError(s, c, p)
		return append(edits, more...), ok
	case *ast.ReturnStmt:
		return []advice.Edit{edit.Replace(c.CallExpr, value+", nil")}, len(p.Results) == 1
	}
	return nil, false
}

// nilError does without the assignment of a nil error: it removes the check that follows. If the error is
// used elsewhere, too, it is declared or set to nil in a statement of its own.
func nilError(s *advice.Site, c code.Call, assign *ast.AssignStmt) (edits []advice.Edit, ok bool) {
	id, ok := assign.Lhs[1].(*ast.Ident)
	if !ok || facts.IsBlank(assign.Lhs[0]) || facts.UsesName(c.CallExpr, id.Name) {
		return nil, false
	}
	v := facts.Object(s.Place, id)
	next, ok := following(c.Parent().Parent().Node(), assign)
	if !ok || v == nil {
		return nil, false
	}
	var check *ast.IfStmt
	if stmt, ok := next.(*ast.IfStmt); ok && checksError(s, stmt, v) && !facts.Commented(s.Place, stmt.Pos(), stmt.End()) {
		check = stmt
		edits = append(edits, deleted(s, stmt))
	}
	declared := s.Info.Defs[id] != nil
	elsewhere := slices.ContainsFunc(s.Uses(v), func(use *ast.Ident) bool {
		return use != id && (check == nil || !facts.Within(check, use.Pos()))
	})
	switch {
	case assign.Tok == token.DEFINE && !defines(s, assign.Lhs[0]):
		return nil, false // with the error, nothing new is left
	case !declared:
		edits = append(edits, edit.Insert(assign.Pos(), id.Name+" = nil\n"))
	case elsewhere && facts.Builtins(s.Place, assign.Pos(), "error"):
		edits = append(edits, edit.Insert(assign.Pos(), "var "+id.Name+" error\n"))
	case elsewhere:
		return nil, false
	}
	return edits, true
}

func defines(s *advice.Site, e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && s.Info.Defs[id] != nil
}

// following is the statement behind another one in a list, nil if there is none. ok is false if the statement
// is in no list.
func following(parent ast.Node, stmt ast.Stmt) (next ast.Stmt, ok bool) {
	list := facts.Statements(parent)
	i := slices.Index(list, stmt)
	if i < 0 {
		return nil, false
	}
	if i+1 < len(list) {
		next = list[i+1]
	}
	return next, true
}

// checksError reports whether a statement is if err != nil {…} and nothing else.
func checksError(s *advice.Site, stmt *ast.IfStmt, err types.Object) bool {
	cond, ok := stmt.Cond.(*ast.BinaryExpr)
	return ok && stmt.Init == nil && stmt.Else == nil && cond.Op == token.NEQ && facts.Object(s.Place, cond.X) == err && s.Info.Types[cond.Y].IsNil()
}
