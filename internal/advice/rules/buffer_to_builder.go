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
	"github.com/hone-go/hone/internal/lazyregexp"
)

var bufferToBuilder = &advice.Rule{
	ID:      "buffer-to-builder",
	Pattern: "P50",
	Title:   "a bytes.Buffer is filled to make a string",
	Doc: `(*bytes.Buffer).String copies what is in the buffer, as more may be written to it. A strings.Builder hands out its
memory as the string, without a copy.

The Builder starts with the 64 bytes that a Buffer starts with, before the
first write: where a loop or a branch may return before that, without an error, or go by all writes, a Buffer costs nothing,
and there is advice only; where nothing but a loop writes, the room is made if the loop has a turn. Of texts of
32 bytes or less on average, each one kept holds on to 64.
A Buffer that is full doubles, where a Builder of a kilobyte grows by less than half, and a larger one by a quarter, which
costs what the copy does: of such texts there is a rewrite only where something says how long they will be.`,
	Class:  advice.Safe,
	Frames: bufferString,
	Gain:   1.4,
	Match:  matchBufferToBuilder,
	Conditions: advice.Conditions{
		Offered: "a local buffer is written to by its methods, fmt.Fprint… and io.WriteString, and only String, Len and Grow are called " +
			"besides",
		Review: "Grow isn't called with a number that is negative or too large, for which the panics differ; few short texts are kept for long",
	},
}

var bufferString = lazyregexp.New(`^bytes\.\(\*Buffer\)\.String$`)

// doubledText is the length of texts up to which a Builder, which append lets grow, allocates
// less than a Buffer that doubles and is copied: of 1,000 bytes written in small pieces
// both allocate 3,000, of 100,000 it is 550,000 to 360,000.
const doubledText = 1000

func matchBufferToBuilder(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls("(*bytes.Buffer).String") {
		sel, ok := c.Fun.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		obj := object(s, sel.X)
		if obj == nil || !isLocal(s, obj) || isParameter(s, obj) {
			continue
		}
		d, ok := bufferDeclared(s, obj)
		if !ok {
			continue
		}
		local, imported := packageName(s, "strings", d.Node().Pos())
		grows, ok := bufferUses(s, obj)
		if !ok || !imported || slices.ContainsFunc(matches, func(m advice.Match) bool { return m.Node == d.Node() }) {
			continue
		}
		m := advice.Match{Node: d.Node(), Class: advice.Safe, Imports: []string{"strings"}}
		m.Why = fmt.Sprintf("String copies what is in %s, which is only written to: a strings.Builder hands it out without a copy.", obj.Name())
		m.Edits = []advice.Edit{replace(d.typ, local+".Builder")}
		mustCheck(&m, grownBy(s, obj))
		if !grows {
			at, grow, left := growAt(s, obj, d.Cursor)
			size, known := straightSize(s, obj, d.Cursor, at)
			if !known {
				size = "64"
			}
			if long := s.BlockSize(bufferString); !known && long > doubledText {
				m.Class, m.Edits = advice.AdviceOnly, nil
				m.Why = fmt.Sprintf("String copies what is in %s, %d bytes on average. A strings.Builder hands it out without a copy, but grows in smaller steps: where there is a good guess of the length, make it one and call Grow; or keep the buffer for the next text.", obj.Name(), long)
				matches = append(matches, m)
				continue
			}
			if left {
				m.Class, m.Edits = advice.AdviceOnly, nil
				m.Why = fmt.Sprintf("String copies what is in %s. A strings.Builder hands it out without a copy: make it one, and call Grow where it is sure that something will be written, for some ways through here don't, and cost nothing now.", obj.Name())
			} else {
				m.Edits = append(m.Edits, grow(size))
				if small := s.BlockSize(bufferString); !known && 0 < small && small <= 32 {
					m.Why += fmt.Sprintf(" The texts have %d bytes on average: each that is kept keeps room for 64.", small)
					mustCheck(&m, []string{"that few of them are kept for long"})
				}
			}
		}
		matches = append(matches, m)
	}
	return matches
}

// growAt returns where a buffer is to Grow, and the edit that has it do so for a size: before
// the statement that first uses it where there are ways out before that, or else behind the
// declaration. left is set where control may come by without a write.
func growAt(s *advice.Site, obj types.Object, d inspector.Cursor) (at token.Pos, grow func(size string) advice.Edit, left bool) {
	first, waysOut := firstUse(s, obj, d)
	left = waysThrough(s, obj, first, true) != allWrite || waysThrough(s, obj, first, false) == anotherText
	call := func(size string) string { return fmt.Sprintf("%s.Grow(%s)", obj.Name(), size) }
	if loop, guard := emptyLoop(s, obj, first); guard != "" && !left {
		text := func(size string) string { return fmt.Sprintf("if %s {\n%s\n}", guard, call(size)) }
		if next, _ := d.NextSibling(); next == loop {
			at = d.Node().End() // so that a comment stays with the loop
			return at, func(size string) advice.Edit { return insert(at, "\n"+text(size)) }, left
		}
		at = loop.Node().Pos()
		return at, func(size string) advice.Edit { return insert(at, text(size)+"\n") }, left
	}
	if waysOut {
		at = first.Node().Pos()
		return at, func(size string) advice.Edit { return insert(at, call(size)+"\n") }, left
	}
	at = d.Node().End()
	return at, func(size string) advice.Edit { return insert(at, "\n"+call(size)) }, left
}

// emptyLoop returns the loop that writes to a buffer, and what holds if it has a turn: where
// that can be said, nothing else writes to it, and nobody asked that before. "" else.
func emptyLoop(s *advice.Site, obj types.Object, from inspector.Cursor) (loop inspector.Cursor, guard string) {
	writes := func(c inspector.Cursor) bool {
		return slices.ContainsFunc(usesIn(s, obj, c.Node().Pos(), c.Node().End()), func(id *ast.Ident) bool {
			use, ok := s.Root().FindNode(id)
			return ok && !asksOnly(use)
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

// turns is what holds if a loop has a turn; "" where that can't be said without asking
// more than once for something that takes time, or does something.
func turns(s *advice.Site, loop ast.Node) string {
	switch n := loop.(type) {
	case *ast.RangeStmt:
		over := n.X
		if operand, _, ok := conversion(s, over); ok {
			over = operand
		}
		if !pure(s, over) || calls(s, over) || !builtins(s, n.Pos(), "len") {
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
		if n.Init == nil && n.Cond != nil && !calls(s, n.Cond) {
			return s.Source(n.Cond)
		}
	}
	return ""
}

// firstUse returns the statement beside a buffer's declaration that first uses it, and whether
// there may be ways out of the function before: a Buffer allocates when it is first written to, so
// that these are free.
func firstUse(s *advice.Site, obj types.Object, d inspector.Cursor) (first inspector.Cursor, waysOut bool) {
	first, ok := d.NextSibling()
	for ok && len(usesIn(s, obj, first.Node().Pos(), first.Node().End())) == 0 {
		waysOut = waysOut || hasWayOut(first)
		next, more := first.NextSibling()
		if !more {
			break
		}
		first = next
	}
	return first, waysOut
}

// What ways there are through some statements that use a buffer.
const (
	notAllWrite = iota
	allWrite    // before the text is taken; but those that return an error
	anotherText // some return something that isn't the text, without a write
)

// waysThrough says what ways there are through a statement and those behind it. Loops are
// taken to have a turn if turns is set; else they may have none.
func waysThrough(s *advice.Site, obj types.Object, from inspector.Cursor, turns bool) int {
	var empty, other, next bool // without a write the text is taken; another returned; a turn ended
	uses := func(n ast.Node, how func(inspector.Cursor) bool) bool {
		return slices.ContainsFunc(usesIn(s, obj, n.Pos(), n.End()), func(id *ast.Ident) bool {
			c, ok := s.Root().FindNode(id)
			return ok && how(c)
		})
	}
	// ends reports whether code writes to the buffer, or takes its text.
	ends := func(n ast.Node) bool {
		if uses(n, func(c inspector.Cursor) bool { return !asksOnly(c) }) {
			return true
		}
		taken := uses(n, takesText)
		empty = empty || taken
		return taken
	}
	// surely reports whether control does not get behind a statement without a write.
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
	// clauses reports whether each of them does, and one of them is always run.
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

// takesText reports whether a use of a buffer is of its text.
func takesText(c inspector.Cursor) bool {
	sel, ok := c.Parent().Node().(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "String"
}

// fails reports whether a return has an error last, and not nil.
func fails(s *advice.Site, r *ast.ReturnStmt) bool {
	if len(r.Results) == 0 {
		return false
	}
	last := r.Results[len(r.Results)-1]
	return !s.Info.Types[last].IsNil() && types.Implements(s.Info.TypeOf(last), types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// bufferDeclared returns the statement that declares a local bytes.Buffer, or a pointer to a new
// one, in a block, and names its type once.
func bufferDeclared(s *advice.Site, obj types.Object) (declaration, bool) {
	d, ok := declarationOf(s, obj)
	return d, ok && !d.typedTwice() && typeName(s.Info.TypeOf(d.typ)) == "bytes.Buffer" && d.isZero(s) && inBlock(d.Cursor)
}

// grownBy returns what has to be checked where a buffer is asked to Grow by a number: if it is
// negative, or too large, a Builder panics with another text than a Buffer.
func grownBy(s *advice.Site, obj types.Object) []string {
	for _, id := range s.Uses(obj) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			continue
		}
		sel, ok := c.Parent().Node().(*ast.SelectorExpr)
		if call, called := c.Parent().Parent().Node().(*ast.CallExpr); ok && called && sel.Sel.Name == "Grow" && len(call.Args) == 1 && !isLength(s, call.Args[0]) {
			return []string{fmt.Sprintf("that %s is never negative or too large: Grow panics with another text then", s.Source(call.Args[0]))}
		}
	}
	return nil
}
