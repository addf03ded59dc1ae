package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var errorsAs = &advice.Rule{
	ID:    "errors-as",
	Title: "errors.As finds an error type by reflection",
	Doc: `errors.As takes a pointer to a variable of any type. It uses reflection for each error in the chain, and the variable
moves to the heap. errors.AsType (Go 1.26) is compiled for the type and doesn't allocate.

The rewrite is offered if the variable is declared only for this call and used only in the if statement.`,
	Match:  matchErrorsAs,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^errors\.[aA]s$|^internal/reflectlite\.`),
	Since:  "1.26",
	Gain:   3,
	Conditions: advice.Conditions{
		Offered: "the variable is declared only for this call and used only in the if statement",
	},
}

func matchErrorsAs(s *advice.Site) []advice.Match {
	return edit.RewrittenCalls(s, "errors.As", asType,
		"errors.As compares types by reflection and its target moves to the heap; errors.AsType is compiled for the type and returns the error.")
}

// asType rewrites
//
//	var target *T
//	if errors.As(err, &target) { … }
//
// to
//
//	if target, ok := errors.AsType[*T](err); ok { … }
//
// and returns nil if it can't.
func asType(s *advice.Site, c code.Call) []advice.Edit {
	cond, not := c.Cursor, (*ast.UnaryExpr)(nil)
	if unary, ok := cond.Parent().Node().(*ast.UnaryExpr); ok && unary.Op == token.NOT {
		cond, not = cond.Parent(), unary
	}
	stmt, ok := cond.Parent().Node().(*ast.IfStmt)
	if !ok || stmt.Cond != cond.Node() || stmt.Init != nil {
		return nil
	}
	address, ok := c.Args[1].(*ast.UnaryExpr)
	if !ok || address.Op != token.AND {
		return nil
	}
	id, ok := address.X.(*ast.Ident)
	if !ok {
		return nil
	}
	target, ok := s.Info.Uses[id].(*types.Var)
	if !ok || !types.AssignableTo(target.Type(), types.Universe.Lookup("error").Type()) {
		return nil // AsType only takes error types
	}
	decl := declaredAlone(s, target)
	if decl == nil || !oneRound(cond.Parent(), decl) {
		return nil
	}
	used := s.Uses(target)
	for _, use := range used {
		if use.Pos() < stmt.Pos() || use.End() > stmt.End() {
			return nil
		}
	}
	text, ok := facts.TypeText(s.Place, target.Type(), c.Pos())
	if !ok {
		return nil
	}
	var as *ast.Ident
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		as = fun
	case *ast.SelectorExpr:
		as = fun.Sel
	default:
		return nil
	}
	name, found := target.Name(), "ok"
	if len(used) == 1 {
		name = "_"
	}
	if facts.UsesName(stmt, found) {
		found = facts.Fresh(s.Place, found, stmt.Pos(), stmt)
	}
	test := "; " + found
	if not != nil {
		test = "; !" + found
	}
	edits := []advice.Edit{
		deleted(s, decl),
		edit.Insert(c.Pos(), name+", "+found+" := "),
		edit.Replace(as, fmt.Sprintf("AsType[%s]", text)),
		{Pos: c.Args[0].End(), End: c.Args[1].End()},
		edit.Insert(c.End(), test),
	}
	if not != nil {
		edits = append(edits, advice.Edit{Pos: not.OpPos, End: not.X.Pos()})
	}
	return edits
}

// declaredAlone returns the statement "var v T" that declares a variable and nothing else; nil
// if there is none.
func declaredAlone(s *advice.Site, v *types.Var) *ast.DeclStmt {
	for c := range s.Root().Preorder((*ast.DeclStmt)(nil)) {
		stmt := c.Node().(*ast.DeclStmt)
		if v.Pos() < stmt.Pos() || v.Pos() >= stmt.End() {
			continue
		}
		if decl, ok := stmt.Decl.(*ast.GenDecl); ok && len(decl.Specs) == 1 {
			if spec, ok := decl.Specs[0].(*ast.ValueSpec); ok && len(spec.Names) == 1 && len(spec.Values) == 0 && s.Info.Defs[spec.Names[0]] == v {
				return stmt
			}
		}
	}
	return nil
}

// oneRound reports whether a statement runs once each time that a declaration before it does: no loop
// or function encloses only the statement. Otherwise the variable would still have the value of the
// previous iteration.
func oneRound(stmt inspector.Cursor, decl ast.Node) bool {
	for around := range stmt.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		return around.Node().Pos() <= decl.Pos() && decl.End() <= around.Node().End()
	}
	return false
}

// deleted removes a statement, and its line if that is empty then.
func deleted(s *advice.Site, stmt ast.Stmt) advice.Edit {
	e := advice.Edit{Pos: stmt.Pos(), End: stmt.End()}
	file := s.Fset.File(stmt.Pos())
	line := file.Line(stmt.End())
	if line == file.LineCount() {
		return e
	}
	from, to := file.LineStart(file.Line(stmt.Pos())), file.LineStart(line+1)
	if strings.TrimSpace(s.Text(from, stmt.Pos())+s.Text(stmt.End(), to)) == "" {
		e.Pos, e.End = from, to
	}
	return e
}
