package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
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
moves to the heap. errors.AsType (Go 1.26) is compiled for the type and doesn't allocate.`,
	Match:  matchErrorsAs,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^errors\.[aA]s$|^internal/reflectlite\.`),
	Since:  "1.26",
	Gain:   3,
	Conditions: advice.Conditions{
		Offered: "the variable is declared only for this call, and the call begins the condition of an if statement, is the value of a new " +
			"variable, or is what the function returns",
	},
}

func matchErrorsAs(s *advice.Site) []advice.Match {
	return edit.RewrittenCalls(s, "errors.As", asType,
		"errors.As compares types by reflection and its target moves to the heap; errors.AsType is compiled for the type and returns the error.")
}

// asType rewrites
//
//	var target *T
//	if errors.As(err, &target) && target.code > 0 { … }
//
// to
//
//	if target, ok := errors.AsType[*T](err); ok && target.code > 0 { … }
//
// and likewise found := errors.As(err, &target) and return errors.As(err, &target). It returns nil if
// it can't.
func asType(s *advice.Site, c code.Call) []advice.Edit {
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
	if _, unnamed := types.Unalias(target.Type()).(*types.Struct); unnamed {
		return nil // the type would have to be written out, which not every condition allows
	}
	as, at := c.CallExpr, firstOf(c.Cursor)
	stmt := at.Parent()
	decl := declaredAlone(s, target)
	if decl == nil || facts.Jumps(s.Place) || !oneRound(stmt, decl) || facts.Mentions(s.Place, c.Args[0], target) {
		return nil
	}
	call, ok := asTypeCall(s, c, target)
	if !ok {
		return nil
	}
	used := s.Uses(target)
	name := target.Name()
	if len(used) == 1 {
		name = "_"
	}
	switch n := stmt.Node().(type) {
	case *ast.IfStmt:
		if n.Cond != at.Node() || n.Init != nil || slices.ContainsFunc(used, func(use *ast.Ident) bool { return !facts.Within(n, use.Pos()) }) {
			return nil
		}
		found := "ok"
		if facts.UsesName(n, found) {
			found = facts.Fresh(s.Place, found, n.Pos(), n)
		}
		return []advice.Edit{
			deleted(s, decl),
			edit.Insert(n.Cond.Pos(), fmt.Sprintf("%s, %s := %s; ", name, found, call)),
			edit.Replace(as, found),
		}
	case *ast.ReturnStmt:
		if len(n.Results) != 1 || n.Results[0] != ast.Expr(as) || name != "_" || !facts.InBlock(stmt) {
			return nil
		}
		found := facts.Fresh(s.Place, "ok", n.Pos(), s.Func.Node())
		return []advice.Edit{
			deleted(s, decl),
			edit.Insert(n.Pos(), fmt.Sprintf("_, %s := %s\n", found, call)),
			edit.Replace(as, found),
		}
	case *ast.AssignStmt:
		d, ok := s.Root().FindNode(decl)
		if !ok || d.Parent() != stmt.Parent() || n.Tok != token.DEFINE || len(n.Lhs) != 1 || facts.IsBlank(n.Lhs[0]) || n.Rhs[0] != ast.Expr(as) ||
			slices.ContainsFunc(used, func(use *ast.Ident) bool { return use.Pos() < n.Pos() }) {
			return nil
		}
		return []advice.Edit{deleted(s, decl), edit.Insert(n.Pos(), name+", "), edit.Replace(n.Rhs[0], call)}
	}
	return nil
}

// firstOf returns the largest expression that evaluates a call before anything else and uses its value
// as a condition.
func firstOf(c inspector.Cursor) inspector.Cursor {
	for {
		switch p := c.Parent().Node().(type) {
		case *ast.ParenExpr:
		case *ast.UnaryExpr:
			if p.Op != token.NOT {
				return c
			}
		case *ast.BinaryExpr:
			if p.X != c.Node() || p.Op != token.LAND && p.Op != token.LOR {
				return c
			}
		default:
			return c
		}
		c = c.Parent()
	}
}

// asTypeCall is the call of errors.AsType in place of errors.As.
func asTypeCall(s *advice.Site, c code.Call, target *types.Var) (string, bool) {
	text, ok := facts.TypeText(s.Place, target.Type(), c.Pos())
	if !ok {
		return "", false
	}
	pkg := ""
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
	case *ast.SelectorExpr:
		pkg = s.Source(fun.X) + "."
	default:
		return "", false
	}
	return fmt.Sprintf("%sAsType[%s](%s)", pkg, text, s.Source(c.Args[0])), true
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
