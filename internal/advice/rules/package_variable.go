package rules

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// toPackageVariable adds a package variable for a call whose result it keeps. inPlace are the edits that
// put the variable in the place of the call. A local variable that would only be a copy of the package
// variable goes: its uses become uses of the package variable, and its comments move there.
func toPackageVariable(s *advice.Site, call inspector.Cursor, name, value string, inPlace []advice.Edit) []advice.Edit {
	declared := "var " + name + " = " + value
	local, ok := localWith(s, call)
	if !ok {
		return append(inPlace, edit.BeforeDecl(s, declared))
	}
	lines, ok := linesOf(s, local.stmt)
	if !ok || facts.Commented(s.Place, local.stmt.Pos(), call.Node().Pos()) {
		return append(inPlace, edit.BeforeDecl(s, declared))
	}
	statement := "" // what inPlace puts before the declaration
	var edits []advice.Edit
	for _, e := range inPlace {
		switch {
		case e.Pos == local.stmt.Pos() && e.End == e.Pos:
			statement = e.New
		case e.Pos == lines.end && e.New == "":
			lines.end = e.End
		case !facts.Within(local.stmt, e.Pos):
			edits = append(edits, e)
		}
	}
	edits = append(edits, lines.without(s, statement))
	edits = append(edits, local.renamed(name, edits)...)
	return append(edits, edit.BeforeDecl(s, strings.TrimSpace(lines.doc+declared+" "+lines.behind)))
}

// A localVariable is a variable of a function that only its declaration sets.
type localVariable struct {
	uses []*ast.Ident
	stmt ast.Stmt // its declaration, in a list of statements
}

// localWith returns the local variable that a declaration sets to a value, maybe together with an error. ok
// is false if something else sets it or has its address, or if it has another type than the value.
func localWith(s *advice.Site, value inspector.Cursor) (local localVariable, ok bool) {
	value = facts.WithParens(value)
	var id *ast.Ident
	stmt := value.Parent()
	switch p := stmt.Node().(type) {
	case *ast.AssignStmt:
		if p.Tok != token.DEFINE || len(p.Rhs) != 1 {
			return local, false
		}
		id, _ = p.Lhs[0].(*ast.Ident)
	case *ast.ValueSpec:
		decl, ok := stmt.Parent().Node().(*ast.GenDecl)
		if !ok || len(decl.Specs) != 1 || decl.Lparen.IsValid() || len(p.Names) != 1 {
			return local, false
		}
		id, stmt = p.Names[0], stmt.Parent().Parent()
	}
	if id == nil || !facts.InBlock(stmt) {
		return local, false
	}
	v, ok := s.Info.Defs[id].(*types.Var)
	if !ok || !types.Identical(v.Type(), firstResult(s.Info.TypeOf(value.Node().(ast.Expr)))) {
		return local, false
	}
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Interface:
	default:
		return local, false // a method may have its address
	}
	for _, use := range s.Uses(v) {
		c, ok := s.Root().FindNode(use)
		if !ok || facts.IsAssigned(facts.WithParens(c)) {
			return local, false
		}
	}
	local.uses = s.Uses(v)
	local.stmt, ok = stmt.Node().(ast.Stmt)
	return local, ok
}

// A packageCopy is a local variable whose declaration copies a package variable, and which nothing else sets.
type packageCopy struct {
	local, of *types.Var
	value     inspector.Cursor // the package variable in the declaration
}

// copyOf returns what a local variable copies. ok is false if it isn't such a copy.
func copyOf(s *advice.Site, obj types.Object) (c packageCopy, ok bool) {
	v, ok := obj.(*types.Var)
	if !ok || v.IsField() || v.Parent() == s.Types.Scope() || !setOnce(s, v) {
		return c, false
	}
	for value := range facts.ValuesOf(s.Place, v) {
		of, isVar := facts.Object(s.Place, value).(*types.Var)
		at, found := s.Root().FindNode(value)
		if !isVar || !found || of.Parent() != s.Types.Scope() || !types.Identical(of.Type(), v.Type()) {
			return c, false
		}
		declares := slices.Contains(declaredBy(s, at.Parent().Node()), types.Object(v))
		return packageCopy{v, of, at}, declares
	}
	return c, false
}

// declaredBy are the variables that a statement or a var line declares.
func declaredBy(s *advice.Site, n ast.Node) (declared []types.Object) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			if id, ok := e.(*ast.Ident); ok {
				declared = append(declared, s.Info.Defs[id])
			}
		}
	case *ast.ValueSpec:
		for _, id := range n.Names {
			declared = append(declared, s.Info.Defs[id])
		}
	}
	return declared
}

// without are the edits that use the package variable instead, apart from one use that goes anyway. They are
// nil if the copy has to stay and other uses remain. ok is false if the copy would be left unused.
func (c *packageCopy) without(s *advice.Site, gone ast.Expr) (edits []advice.Edit, ok bool) {
	remain := len(s.Uses(c.local)) > 1
	local, ok := localWith(s, c.value)
	if !ok || slices.ContainsFunc(local.uses, func(id *ast.Ident) bool { return facts.Resolves(s.Place, c.of.Name(), id.Pos()) != c.of }) {
		return nil, remain
	}
	lines, ok := linesOf(s, local.stmt)
	if !ok || facts.Commented(s.Place, local.stmt.Pos(), local.stmt.End()) {
		return nil, remain
	}
	deleted := lines.withoutStatement(s, local.stmt)
	return append(local.renamed(c.of.Name(), []advice.Edit{edit.Replace(gone, "")}), deleted), true
}

func firstResult(t types.Type) types.Type {
	if results, ok := t.(*types.Tuple); ok && results.Len() > 0 {
		return results.At(0).Type()
	}
	return t
}

// renamed are the edits that put a name in the place of a variable, except where other edits change the code.
func (v *localVariable) renamed(name string, others []advice.Edit) []advice.Edit {
	var edits []advice.Edit
	for _, id := range v.uses {
		if !slices.ContainsFunc(others, func(e advice.Edit) bool { return e.Pos <= id.Pos() && id.End() <= e.End }) {
			edits = append(edits, edit.Replace(id, name))
		}
	}
	return edits
}

// ownLines are the lines of a statement, from the comment above it to the end of its last line.
type ownLines struct {
	start, end  token.Pos
	first       token.Pos // the first line of the statement itself
	doc, behind string    // its comments
	begins      bool      // nothing but an empty line or a brace is above
}

// linesOf returns the lines of a statement; ok is false if it shares them with others.
func linesOf(s *advice.Site, stmt ast.Node) (lines ownLines, ok bool) {
	tf := s.Fset.File(stmt.Pos())
	first, last := tf.Line(stmt.Pos()), tf.Line(stmt.End())
	alone := func(pos token.Pos) bool { return strings.TrimSpace(s.Text(tf.LineStart(tf.Line(pos)), pos)) == "" }
	if last == tf.LineCount() || !alone(stmt.Pos()) {
		return lines, false
	}
	lines.start, lines.first, lines.end = tf.LineStart(first), tf.LineStart(first), tf.LineStart(last+1)
	lines.behind = strings.TrimSpace(s.Text(stmt.End(), lines.end))
	if lines.behind != "" && !strings.HasPrefix(lines.behind, "//") {
		return lines, false
	}
	for _, g := range s.File.Comments {
		if tf.Line(g.End()) == first-1 && alone(g.Pos()) {
			lines.start = tf.LineStart(tf.Line(g.Pos()))
			lines.doc = s.Source(g) + "\n"
		}
	}
	if above := tf.Line(lines.start) - 1; above > 0 {
		text := strings.TrimSpace(s.Text(tf.LineStart(above), lines.start))
		lines.begins = text == "" || strings.HasSuffix(text, "{") || strings.HasSuffix(text, ":")
	}
	return lines, true
}

// without is the edit that puts a statement in the place of the lines, or nothing. An empty line that would
// then begin a block, or follow another one, goes, too.
func (l *ownLines) without(s *advice.Site, statement string) advice.Edit {
	e := advice.Edit{Pos: l.start, End: l.end, New: statement}
	tf := s.Fset.File(l.start)
	next := tf.Line(l.end)
	if statement != "" || !l.begins || next == tf.LineCount() {
		return e
	}
	if below := tf.LineStart(next + 1); strings.TrimSpace(s.Text(l.end, below)) == "" {
		e.End = below
	}
	return e
}

// withoutStatement is the edit that deletes the statement but leaves its comments.
func (l *ownLines) withoutStatement(s *advice.Site, stmt ast.Node) advice.Edit {
	if l.behind != "" {
		return advice.Edit{Pos: stmt.Pos(), End: stmt.End() + token.Pos(strings.Index(s.Text(stmt.End(), l.end), l.behind))}
	}
	if l.doc != "" {
		return advice.Edit{Pos: l.first, End: l.end}
	}
	return l.without(s, "")
}
