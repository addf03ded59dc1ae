package edit

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/facts"
)

// GrowAt returns where a buffer should Grow, and the edit for a size: before the statement that first
// uses it, if the function may return before that, or else after the declaration. left is set if
// control may pass by without a write.
func GrowAt(s *advice.Site, obj types.Object, d inspector.Cursor) (at token.Pos, grow func(size string) advice.Edit, left bool) {
	first, waysOut := FirstUse(s, obj, d)
	left = waysThrough(s, obj, first, true) != allWrite || waysThrough(s, obj, first, false) == anotherText
	call := func(size string) string { return fmt.Sprintf("%s.Grow(%s)", obj.Name(), size) }
	if loop, guard := emptyLoop(s, obj, first); guard != "" && !left {
		text := func(size string) string { return fmt.Sprintf("if %s {\n%s\n}", guard, call(size)) }
		if next, _ := d.NextSibling(); next == loop {
			at = d.Node().End() // so that a comment stays with the loop
			return at, func(size string) advice.Edit { return Insert(at, "\n"+text(size)) }, left
		}
		at = loop.Node().Pos()
		return at, func(size string) advice.Edit { return Insert(at, text(size)+"\n") }, left
	}
	if waysOut {
		at = first.Node().Pos()
		return at, func(size string) advice.Edit { return Insert(at, call(size)+"\n") }, left
	}
	at = d.Node().End()
	return at, func(size string) advice.Edit { return Insert(at, "\n"+call(size)) }, left
}

// emptyLoop returns the loop that writes to a buffer, and the condition for it to have an iteration,
// if that is known, nothing else writes to the buffer, and nothing reads it before. Otherwise it
// returns "".
func emptyLoop(s *advice.Site, obj types.Object, from inspector.Cursor) (loop inspector.Cursor, guard string) {
	writes := func(c inspector.Cursor) bool {
		return slices.ContainsFunc(facts.UsesIn(s.Place, obj, c.Node().Pos(), c.Node().End()), func(id *ast.Ident) bool {
			use, ok := s.Root().FindNode(id)
			return ok && !facts.OnlyReads(use)
		})
	}
	found := false
	for stmt, ok := from, true; ok; stmt, ok = stmt.NextSibling() {
		switch {
		case !writes(stmt):
		case found:
			return loop, ""
		default:
			loop, found = stmt, true
		}
	}
	if !found {
		return loop, ""
	}
	guard = turns(s, loop.Node())
	for before, ok := loop.PrevSibling(); ok; before, ok = before.PrevSibling() {
		if asked, ok := before.Node().(*ast.IfStmt); ok && guard == strings.Replace(s.Source(asked.Cond), " == 0", " > 0", 1) {
			return loop, ""
		}
	}
	return loop, guard
}

// turns is the condition for a loop to have an iteration; "" if that can't be checked without
// evaluating something twice that takes time or has effects.
func turns(s *advice.Site, loop ast.Node) string {
	switch n := loop.(type) {
	case *ast.RangeStmt:
		over := n.X
		if operand, _, ok := facts.Conversion(s.Place, over); ok {
			over = operand
		}
		if !facts.Pure(s.Place, over) || facts.Calls(s.Place, over) || !facts.Builtins(s.Place, n.Pos(), "len") {
			return ""
		}
		switch t := s.Info.TypeOf(over).Underlying().(type) {
		case *types.Slice, *types.Map:
			return fmt.Sprintf("len(%s) > 0", s.Source(over))
		case *types.Basic:
			if t.Info()&types.IsString != 0 {
				return fmt.Sprintf("len(%s) > 0", s.Source(over))
			}
		}
	case *ast.ForStmt:
		if n.Init == nil && n.Cond != nil && !facts.Calls(s.Place, n.Cond) {
			return s.Source(n.Cond)
		}
	}
	return ""
}

// The ways through statements that use a buffer.
const (
	notAllWrite = iota
	allWrite    // before the text is taken; but those that return an error
	anotherText // some return something that isn't the text, without a write
)

// waysThrough returns the ways through a statement and those after it. Loops count as having an
// iteration if turns is set; otherwise they may have none.
func waysThrough(s *advice.Site, obj types.Object, from inspector.Cursor, turns bool) int {
	var empty, other, next bool // without a write the text is taken; another returned; a turn ended
	uses := func(n ast.Node, how func(inspector.Cursor) bool) bool {
		return slices.ContainsFunc(facts.UsesIn(s.Place, obj, n.Pos(), n.End()), func(id *ast.Ident) bool {
			c, ok := s.Root().FindNode(id)
			return ok && how(c)
		})
	}
	// ends reports whether code writes to the buffer, or reads its text.
	ends := func(n ast.Node) bool {
		if uses(n, func(c inspector.Cursor) bool { return !facts.OnlyReads(c) }) {
			return true
		}
		taken := uses(n, takesText)
		empty = empty || taken
		return taken
	}
	// surely reports whether control doesn't pass a statement without a write.
	var surely func(stmt ast.Stmt) bool
	some := func(stmts []ast.Stmt) bool { return slices.ContainsFunc(stmts, surely) }
	both := func(a, b bool) bool { return a && b } // evaluates both, for the returns in them
	turn := func(body *ast.BlockStmt) bool {
		around := next
		next = false
		sure := surely(body) && !next
		next = around
		return sure && turns
	}
	// clauses reports the same for all clauses, one of which always runs.
	clauses := func(body *ast.BlockStmt, exhaustive bool) bool {
		all := true
		for _, c := range body.List {
			switch c := c.(type) {
			case *ast.CaseClause:
				exhaustive = exhaustive || c.List == nil
				all = both(some(c.Body), all)
			case *ast.CommClause:
				all = both(some(c.Body), all)
			}
		}
		return all && exhaustive
	}
	surely = func(stmt ast.Stmt) bool {
		switch n := stmt.(type) {
		case *ast.BlockStmt:
			return some(n.List)
		case *ast.LabeledStmt:
			return surely(n.Stmt)
		case *ast.ForStmt:
			return turn(n.Body)
		case *ast.RangeStmt:
			return turn(n.Body)
		case *ast.IfStmt:
			if n.Init != nil && ends(n.Init) || ends(n.Cond) {
				return true
			}
			return both(surely(n.Body), n.Else != nil && surely(n.Else))
		case *ast.SwitchStmt:
			return clauses(n.Body, false)
		case *ast.TypeSwitchStmt:
			return clauses(n.Body, false)
		case *ast.SelectStmt:
			return clauses(n.Body, true)
		case *ast.BranchStmt:
			next = next || n.Tok == token.CONTINUE
			return n.Tok == token.CONTINUE
		case *ast.ReturnStmt:
			other = other || !fails(s, n) && !ends(n)
			return true
		}
		return ends(stmt)
	}
	sure := false
	for stmt, ok := from, true; ok && !sure; stmt, ok = stmt.NextSibling() {
		n, isStmt := stmt.Node().(ast.Stmt)
		sure = isStmt && surely(n)
	}
	switch {
	case other:
		return anotherText
	case sure && !empty:
		return allWrite
	}
	return notAllWrite
}

// fails reports whether the last result of a return is an error that isn't nil.
func fails(s *advice.Site, r *ast.ReturnStmt) bool {
	if len(r.Results) == 0 {
		return false
	}
	last := r.Results[len(r.Results)-1]
	return !s.Info.Types[last].IsNil() && types.Implements(s.Info.TypeOf(last), types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// takesText reports whether a use of a buffer reads its text.
func takesText(c inspector.Cursor) bool {
	sel, ok := c.Parent().Node().(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "String"
}

// StraightSize returns the total length written to a buffer, if all writes are statements of the block
// that declares it, and write strings that are known at a position.
func StraightSize(s *advice.Site, obj types.Object, d inspector.Cursor, at token.Pos) (string, bool) {
	constant := 0
	var lengths []string
	for _, id := range s.Uses(obj) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return "", false
		}
		sel, ok := c.Parent().Node().(*ast.SelectorExpr)
		if !ok {
			return "", false
		}
		if facts.OnlyReads(c) {
			continue
		}
		stmt := c.Parent().Parent().Parent()
		call, ok := c.Parent().Parent().Node().(*ast.CallExpr)
		if _, alone := stmt.Node().(*ast.ExprStmt); !ok || !alone || len(call.Args) != 1 || stmt.Parent() != d.Parent() {
			return "", false
		}
		arg := call.Args[0]
		text, isConstant := facts.ConstantText(s.Place, arg)
		switch {
		case sel.Sel.Name == "WriteByte":
			constant++
		case sel.Sel.Name == "WriteString" && isConstant:
			constant += len(text)
		case sel.Sel.Name == "WriteString" || sel.Sel.Name == "Write":
			v := facts.Object(s.Place, arg)
			if v == nil || !facts.IsLocal(s.Place, v) || v.Pos() > d.Node().Pos() || facts.Assigned(s.Place, v, s.Body()) || facts.Resolves(s.Place, v.Name(), at) != v {
				return "", false
			}
			lengths = append(lengths, "len("+v.Name()+")")
		default:
			return "", false
		}
	}
	if constant > 0 {
		lengths = append(lengths, fmt.Sprint(constant))
	}
	return strings.Join(lengths, " + "), len(lengths) > 1 && facts.Builtins(s.Place, at, "len")
}

// FirstUse returns the first statement after a buffer's declaration that uses it, and whether the
// function may return before it. A Buffer allocates when it is first written to, so these paths cost
// nothing.
func FirstUse(s *advice.Site, obj types.Object, d inspector.Cursor) (first inspector.Cursor, waysOut bool) {
	first, ok := d.NextSibling()
	for ok && len(facts.UsesIn(s.Place, obj, first.Node().Pos(), first.Node().End())) == 0 {
		waysOut = waysOut || facts.HasWayOut(first)
		next, more := first.NextSibling()
		if !more {
			break
		}
		first = next
	}
	return first, waysOut
}
