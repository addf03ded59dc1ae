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
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var stringConcatLoop = &advice.Rule{
	ID:    "string-concat-loop",
	Title: "a string grows by + in a loop",
	Doc: `A string can't grow: each + copies the whole string so far, so n steps copy n²/2 pieces and leave n−1 strings to the
garbage collector. A strings.Builder doubles its capacity and copies each piece about twice. If a string is built in
each step only to be copied into a buffer, write its pieces there instead. The same holds, to a lesser degree, for many
consecutive statements.

The rewrite collects the pieces of one loop in a strings.Builder and appends them after the loop. Text that is put before
the string is appended to a []byte backwards, and all of it is reversed after the loop. The rewrite isn't offered if
the line allocates blocks of only a few sizes: with so few steps, it would allocate as much. If a memory
profile shows no allocation on the line, for example because the loop has a single iteration, nothing is reported.`,
	Class:     advice.Review,
	Frames:    lazyregexp.New(`^runtime\.concatstring`),
	Allocates: true,
	Gain:      5,
	Match:     matchStringConcatLoop,
	Conditions: advice.Conditions{
		Offered: "the loop only appends to the string, or only puts text before it, and is left at its end, by a break, or by returning something else",
		Review:  "the loop usually has more than a few iterations; no deferred function uses a result that holds part of the text after a panic",
	},
}

const gainOfStatements = 2 // of a strings.Builder for many statements that append

func matchStringConcatLoop(s *advice.Site) []advice.Match {
	if s.Unallocated() {
		return nil // each string starts empty, so + only copies the piece
	}
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 || !facts.IsString(s.Place, assign.Lhs[0]) {
			continue
		}
		target := s.Source(assign.Lhs[0])
		obj := facts.Object(s.Place, assign.Lhs[0])
		if obj != nil && facts.InLoop(c) && (assign.Tok == token.ADD_ASSIGN || len(facts.Operands(s.Place, assign.Rhs[0])) > 1) && onlyCopied(s, obj) {
			matches = append(matches, advice.Match{Node: assign, Class: advice.AdviceOnly, Title: "a string is built only to be copied",
				Why: fmt.Sprintf("%s is built from pieces and then copied to a buffer. Write or append the pieces to the buffer, numbers with strconv.Append functions.", target)})
			continue
		}
		if appended(s, assign) == nil {
			if loop, ok := facts.LoopAround(c); ok && obj != nil && !facts.Within(loop.Node(), obj.Pos()) && prepends(s, assign) {
				m := advice.Match{Node: assign, Class: advice.AdviceOnly}
				if outer, ok := outermostLoop(loop, obj); ok && !fewSteps(s) && !facts.LastIteration(s.Place, c, loop) {
					buildBackwards(s, outer, obj, &m)
				}
				if m.Edits == nil {
					m.Why = fmt.Sprintf("Each step copies all of %s so far to put text before it. Write the pieces from the end of an array or []byte to its start, and convert it to a string once.", target)
				}
				if m.Edits != nil || onlyGrows(s, c, loop, obj) {
					matches = append(matches, m)
				}
			}
			continue
		}
		if obj == nil { // a field or an element, which lives longer
			m := advice.Match{Node: assign, Class: advice.AdviceOnly}
			m.Why = fmt.Sprintf("Each + copies all of %s so far. Use a []byte or strings.Builder instead, and convert it to a string once, at the end.", target)
			if _, index := assign.Lhs[0].(*ast.IndexExpr); index || facts.InLoop(c) {
				matches = append(matches, m)
			}
			continue
		}
		loop, ok := facts.LoopAround(c)
		if !ok || facts.Within(loop.Node(), obj.Pos()) { // a new string per iteration
			if n := statementsThatAppend(s, obj); n >= manyAppended {
				matches = append(matches, advice.Match{Node: assign, Class: advice.AdviceOnly, Title: "a string grows by + statement by statement", Gain: gainOfStatements,
					Why: fmt.Sprintf("%d statements append to %s, and each one copies the whole string; write the pieces to a strings.Builder.", n, target)})
			}
			continue
		}
		m := advice.Match{Node: assign, Class: advice.AdviceOnly}
		m.Why = fmt.Sprintf("Each step copies all of %s so far; a strings.Builder doubles its capacity and copies each piece about twice.", target)
		if fewSteps(s) {
			m.Why = fmt.Sprintf("Each step copies all of %s so far. The allocations show that there are few steps: use a strings.Builder with Grow, or join the pieces in one expression.", target)
		} else if outer, ok := outermostLoop(loop, obj); ok {
			buildString(s, outer, obj, &m)
		}
		matches = append(matches, m)
	}
	return matches
}

// manyAppended is how many appending statements are worth a strings.Builder, which allocates several
// times as it grows.
const manyAppended = 4

// statementsThatAppend returns how many statements append to a local string one after the other. Cases
// of a switch aren't counted, because only one of them runs.
func statementsThatAppend(s *advice.Site, obj types.Object) int {
	if !facts.IsLocal(s.Place, obj) || !facts.Private(s.Place, obj) {
		return 0
	}
	n := 0
	s.Func.Inspect([]ast.Node{(*ast.AssignStmt)(nil), (*ast.CaseClause)(nil)}, func(c inspector.Cursor) bool {
		assign, ok := c.Node().(*ast.AssignStmt)
		if ok && len(assign.Lhs) == 1 && facts.Object(s.Place, assign.Lhs[0]) == obj && appended(s, assign) != nil {
			n++
		}
		return ok
	})
	return n
}

// fewSteps reports whether profiles say that the loops on a line have few iterations, each of which
// makes a longer string: for k pieces of one length, + allocates k-1 strings, and a strings.Builder,
// which starts with the first and doubles, allocates 1+log2(k) times. For up to five pieces that saves nothing.
func fewSteps(s *advice.Site) bool {
	const (
		doublings = 64 // up to which a strings.Builder allocates four times
		apart     = 32 // from which pieces are long enough for a size each
	)
	sizes := s.BlockSizes()
	return len(sizes) > 0 && !slices.ContainsFunc(sizes, func(blocks []int64) bool {
		n := len(blocks)
		return !(n <= 2 && blocks[n-1] <= doublings || n <= 3 && blocks[0] >= apart)
	})
}

// onlyCopied reports whether a local string is built with + and only written to a buffer or appended
// to a slice.
func onlyCopied(s *advice.Site, obj types.Object) bool {
	if !facts.IsLocal(s.Place, obj) {
		return false
	}
	copied := false
	for _, id := range s.Uses(obj) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return false
		}
		switch p := c.Parent().Node().(type) {
		case *ast.AssignStmt: // assigned to
			if !slices.Contains(p.Lhs, ast.Expr(id)) {
				return false
			}
		case *ast.CallExpr:
			name := s.Callee(p)
			switch {
			case name == "append" && p.Ellipsis.IsValid(), name == "io.WriteString", strings.HasSuffix(name, ").WriteString"):
				copied = true
			default:
				return false
			}
		default:
			return false
		}
	}
	return copied
}

// appended returns what a statement appends to a string: s += a + b, or s = s + a + b. It returns nil
// for other statements.
func appended(s *advice.Site, assign *ast.AssignStmt) []ast.Expr {
	rhs := assign.Rhs[0]
	switch assign.Tok {
	case token.ADD_ASSIGN:
		return facts.Operands(s.Place, rhs)
	case token.ASSIGN:
		all := facts.Operands(s.Place, rhs)
		if len(all) > 1 && types.ExprString(all[0]) == types.ExprString(assign.Lhs[0]) {
			return all[1:]
		}
	}
	return nil
}

// prepends reports whether a statement is s = a + s.
func prepends(s *advice.Site, assign *ast.AssignStmt) bool {
	all := facts.Operands(s.Place, assign.Rhs[0])
	return assign.Tok == token.ASSIGN && len(all) > 1 && types.ExprString(all[len(all)-1]) == types.ExprString(assign.Lhs[0])
}

// onlyGrows reports whether a loop only uses a string in one statement, or reads its length, and
// continues after that statement.
func onlyGrows(s *advice.Site, statement, loop inspector.Cursor, obj types.Object) bool {
	for _, id := range facts.UsesIn(s.Place, obj, loop.Node().Pos(), loop.Node().End()) {
		c, ok := loop.FindNode(id)
		if !ok {
			return false
		}
		if call, isCall := c.Parent().Node().(*ast.CallExpr); !facts.Within(statement.Node(), id.Pos()) && !(isCall && s.Callee(call) == "len") {
			return false
		}
	}
	if next, ok := statement.NextSibling(); ok {
		switch n := next.Node().(type) {
		case *ast.ReturnStmt:
			return false
		case *ast.BranchStmt:
			return n.Tok == token.CONTINUE
		}
	}
	return true
}

// outermostLoop returns the outermost loop around a loop that a variable is declared
// before, in the same function.
func outermostLoop(loop inspector.Cursor, obj types.Object) (inspector.Cursor, bool) {
	for {
		outer, ok := facts.LoopAround(loop)
		if !ok || facts.Within(outer.Node(), obj.Pos()) {
			return loop, true
		}
		loop = outer
	}
}

// buildString fills in the rewrite, if the loop doesn't use the string otherwise and is only left at
// its end or by its own break.
func buildString(s *advice.Site, loop inspector.Cursor, obj types.Object, m *advice.Match) {
	pkg, ok := facts.PackageName(s.Place, "strings", loop.Node().Pos())
	if !ok {
		return
	}
	builder := s.Unused(obj.Name()+"Builder", loop.Node().Pos())
	c, ok := collectPieces(s, loop, obj, func(n *ast.AssignStmt) (a addition) {
		if a.pieces = appended(s, n); n.Tok == token.ASSIGN && a.pieces != nil {
			a.old = facts.Operands(s.Place, n.Rhs[0])[0]
		}
		for _, p := range a.pieces {
			a.lines = append(a.lines, edit.WritePiece(s, builder, p))
		}
		return a
	})
	text, typed := textOfType(s, loop, obj, builder+".String()")
	if !ok || !typed || !facts.Builtins(s.Place, loop.Node().Pos(), "string") {
		return
	}
	m.Edits = append(c.edits,
		edit.Insert(loop.Node().Pos(), fmt.Sprintf("var %s %s.Builder\n", builder, pkg)),
		edit.Insert(loop.Node().End(), fmt.Sprintf("\n%s += %s", obj.Name(), text)),
	)
	m.Imports = []string{"strings"}
	edit.MustCheck(m, []string{"that the loop usually has more than a few iterations: with fewer, a strings.Builder allocates as much"}, c.order, leftBehind(s, loop, obj), seenMeanwhile(s, loop, obj))
}

// buildBackwards is buildString for a loop that puts text before the string. Bytes are appended last to first, and
// reversed after the loop.
func buildBackwards(s *advice.Site, loop inspector.Cursor, obj types.Object, m *advice.Match) {
	at := loop.Node().Pos()
	pkg, ok := facts.PackageName(s.Place, "slices", at)
	if !ok || !facts.Builtins(s.Place, at, "string", "byte", "append", "len") {
		return
	}
	bytes, starts := s.Unused(obj.Name()+"Bytes", at), 0
	c, ok := collectPieces(s, loop, obj, func(n *ast.AssignStmt) (a addition) {
		sum, ok := ast.Unparen(n.Rhs[0]).(*ast.BinaryExpr)
		if !ok || n.Tok != token.ASSIGN || sum.Op != token.ADD || facts.Object(s.Place, sum.Y) != obj {
			return a
		}
		a.pieces, a.old = []ast.Expr{sum.X}, sum.Y
		if text, constant := facts.ConstantText(s.Place, sum.X); constant && len(text) == 1 {
			a.lines = []string{fmt.Sprintf("%s = append(%[1]s, %s...)", bytes, s.Source(sum.X))}
			return a
		}
		start := obj.Name() + "Start"
		if starts++; starts > 1 {
			start += fmt.Sprint(starts)
		}
		start = s.Unused(start, at)
		a.lines = []string{
			fmt.Sprintf("%s := len(%s)", start, bytes),
			fmt.Sprintf("%s = append(%[1]s, %s...)", bytes, s.Source(sum.X)),
			fmt.Sprintf("%s.Reverse(%s[%s:])", pkg, bytes, start),
		}
		return a
	})
	text, typed := textOfType(s, loop, obj, "string("+bytes+")")
	if !ok || !typed {
		return
	}
	m.Edits = append(c.edits,
		edit.Insert(at, fmt.Sprintf("var %s []byte\n", bytes)),
		edit.Insert(loop.Node().End(), fmt.Sprintf("\n%s.Reverse(%s)\n%s = %s + %[3]s", pkg, bytes, obj.Name(), text)),
	)
	m.Why = fmt.Sprintf("Each step copies all of %s so far to put text before it. Appending the bytes backwards to a []byte, and reversing that after the loop, copies each byte a few times.", obj.Name())
	m.Imports, m.Since = []string{"slices"}, "1.21"
	edit.MustCheck(m, []string{"that the loop usually has more than a few iterations: with fewer, a []byte allocates as much"}, leftBehind(s, loop, obj), seenMeanwhile(s, loop, obj))
}

// textOfType converts a text to a variable's type.
func textOfType(s *advice.Site, loop inspector.Cursor, obj types.Object, text string) (string, bool) {
	if types.Identical(obj.Type(), types.Typ[types.String]) {
		return text, true
	}
	named, ok := facts.TypeText(s.Place, obj.Type(), loop.Node().Pos())
	return named + "(" + text + ")", ok
}

// An addition is what a statement adds to a string: no pieces if it does something else.
type addition struct {
	pieces []ast.Expr
	old    ast.Expr // the string itself, among the operands
	lines  []string // statements that collect the pieces instead
}

// rewrittenPieces are the rewrites of the statements of a loop that add to a string.
type rewrittenPieces struct {
	edits []advice.Edit
	order []string // what to check, since pieces are evaluated in separate statements
}

// collectPieces rewrites each statement of a loop that adds to a string. ok is false if the loop uses the string otherwise, or is left
// by other ways than its end, its own break, or by returning something else.
func collectPieces(s *advice.Site, loop inspector.Cursor, obj types.Object, added func(*ast.AssignStmt) addition) (all rewrittenPieces, ok bool) {
	if !facts.IsLocal(s.Place, obj) || !facts.Private(s.Place, obj) || s.Source(loop.Node()) == "" {
		return all, false
	}
	if _, labelled := loop.Parent().Node().(*ast.LabeledStmt); labelled {
		return all, false
	}
	if _, ok := facts.Statement(loop); !ok {
		return all, false
	}
	ok = true
	known := make(map[ast.Expr]bool) // uses that the rewrite removes
	loop.Inspect(nil, func(c inspector.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) != 1 || facts.Object(s.Place, n.Lhs[0]) != obj {
				return true
			}
			a := added(n)
			if a.pieces == nil || facts.Commented(s.Place, n.Pos(), n.End()) {
				ok = false
				return false
			}
			known[ast.Unparen(n.Lhs[0])] = true
			if a.old != nil {
				known[ast.Unparen(a.old)] = true
			}
			var steps []facts.Step
			for _, p := range a.pieces {
				steps = append(steps, facts.Step{Expr: p, Called: true})
			}
			all.order = append(all.order, facts.InTurn(s.Place, steps, nil)...)
			all.edits = append(all.edits, edit.Replace(n, strings.Join(a.lines, "\n")))
			if !facts.InBlock(c) && len(a.lines) > 1 {
				ok = false // the post statement of a loop, an if's own statement
			}
		case *ast.ReturnStmt, *ast.DeferStmt, *ast.GoStmt:
			if r, isReturn := n.(*ast.ReturnStmt); !isReturn || facts.Mentions(s.Place, r, obj) || len(r.Results) == 0 {
				ok = false
			}
		case *ast.BranchStmt:
			if n.Label != nil || n.Tok == token.GOTO {
				ok = false
			}
		case *ast.FuncLit:
			if facts.Mentions(s.Place, n, obj) {
				ok = false
			}
			return false
		}
		return true
	})
	for _, id := range s.Uses(obj) {
		if facts.Within(loop.Node(), id.Pos()) && !known[id] {
			ok = false
		}
	}
	return all, ok
}

// seenMeanwhile returns what to check if a function literal uses a variable that now gets its value
// after the loop instead of in it: the loop may call the literal, or it may recover a panic.
func seenMeanwhile(s *advice.Site, loop inspector.Cursor, obj types.Object) []string {
	if facts.EffectsOf(s.Place, loop.Node()) == 0 {
		return nil
	}
	for c := range s.Func.Preorder((*ast.FuncLit)(nil)) {
		if c.Node() != s.Func.Node() && facts.Mentions(s.Place, c.Node(), obj) && !facts.Within(c.Node(), loop.Node().Pos()) {
			return []string{fmt.Sprintf("that no function literal uses %s during the loop, or after a panic in it: it doesn't have the pieces yet", obj.Name())}
		}
	}
	return nil
}

// leftBehind returns what to check if a result gets its value after the loop instead of in it: a
// deferred function may read it when the loop panics.
func leftBehind(s *advice.Site, loop inspector.Cursor, obj types.Object) []string {
	v, ok := obj.(*types.Var)
	if !ok || v.Kind() != types.ResultVar || facts.EffectsOf(s.Place, loop.Node())&facts.MayPanic == 0 {
		return nil
	}
	for range s.Func.Preorder((*ast.DeferStmt)(nil)) {
		return []string{fmt.Sprintf("that no code uses the result %s after a panic in the loop: it doesn't have the pieces yet", obj.Name())}
	}
	return nil
}
