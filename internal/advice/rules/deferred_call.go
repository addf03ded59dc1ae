package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var deferredCall = &advice.Rule{
	ID:    "deferred-call",
	Title: "a short function defers a call",
	Doc: `A deferred call costs one to two nanoseconds more than a call, and the compiler doesn't inline functions that have one. In
a method that locks, reads a field and unlocks, that is a noticeable part. The rewrite makes the call before each return.

Review it: after a panic, a deferred call still runs, and the call before the return doesn't. Then a lock stays locked. If
nothing between the defer statement and the returns can panic, nothing changes.`,
	Class: advice.Safe,
	Match: matchDeferredCall,
	Conditions: advice.Conditions{
		Offered: "the function has at most twelve statements, and one defer statement, in no loop or branch, and at most three places where it returns; the call is that of a lock, or of a " +
			"function of the package that doesn't recover, with arguments that don't change",
		Review: "nothing panics after the defer statement",
	},
}

// maxExits is how many returns may get a call. In functions with more than maxStatements, a nanosecond or two doesn't matter.
const (
	maxExits      = 3
	maxStatements = 12
)

func matchDeferredCall(s *advice.Site) []advice.Match {
	body := s.Body()
	if body == nil {
		return nil
	}
	c, d, ok := onlyDefer(s, body)
	if !ok || !runsDeferred(s, d) || statementsIn(body) > maxStatements {
		return nil
	}
	m := advice.Match{Node: d, Class: advice.Safe}
	if s.Line != s.Package.Line(d.Pos()) {
		m.Frames = framesOf(s.Callee(d.Call)) // the line may do more
	}
	if !callsAtReturns(s, c, d, &m) {
		return nil
	}
	return []advice.Match{m}
}

// statementsIn counts the statements of a function, without those of function literals.
func statementsIn(body *ast.BlockStmt) (n int) {
	ast.Inspect(body, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		case ast.Stmt:
			n++
		}
		return true
	})
	return n
}

// onlyDefer returns the only defer statement of a function, if it is one of those that the body consists of.
func onlyDefer(s *advice.Site, body *ast.BlockStmt) (at inspector.Cursor, only *ast.DeferStmt, ok bool) {
	for c := range s.Func.Preorder((*ast.DeferStmt)(nil)) {
		if s.Around(c).Func.Node() != s.Func.Node() {
			continue
		}
		if only != nil || c.Parent().Node() != ast.Node(body) {
			return c, nil, false
		}
		at, only = c, c.Node().(*ast.DeferStmt)
	}
	return at, only, only != nil && !facts.Jumps(s.Place)
}

// runsDeferred reports whether the site is where a function defers the call, or where profiles show that it runs.
func runsDeferred(s *advice.Site, d *ast.DeferStmt) bool {
	name := s.Callee(d.Call)
	return s.Line == s.Package.Line(d.Pos()) || name != "" && s.Share(framesOf(name)) > 0
}

// callsAtReturns fills in the rewrite.
func callsAtReturns(s *advice.Site, c inspector.Cursor, d *ast.DeferStmt, m *advice.Match) bool {
	body, call := s.Body(), s.Source(d.Call)
	if !runsLater(s, c, d.Call) || facts.Commented(s.Place, d.Pos(), d.End()) {
		return false
	}
	var rest []ast.Node
	for _, stmt := range body.List {
		if stmt.Pos() < d.End() {
			continue
		}
		if rest = append(rest, stmt); facts.AssignedAny(s.Place, d.Call, stmt) {
			return false
		}
	}
	exits := 0
	for at := range s.Func.Preorder((*ast.ReturnStmt)(nil)) {
		r := at.Node().(*ast.ReturnStmt)
		if s.Around(at).Func.Node() != s.Func.Node() || r.Pos() < d.Pos() {
			continue
		}
		if exits++; !facts.InBlock(at) || facts.Commented(s.Place, r.Pos(), r.End()) || inIterator(s, at) {
			return false
		}
		before, results := keptResults(s, r)
		m.Edits = append(m.Edits, edit.Replace(r, strings.TrimSpace(before+call+"\nreturn "+results)))
	}
	if resultsOf(s).Len() == 0 && endIsReached(s, body) {
		exits++
		text := call + "\n"
		if last := body.List[len(body.List)-1]; s.Package.Line(last.End()) == s.Package.Line(body.Rbrace) {
			text = "\n" + text
		}
		m.Edits = append(m.Edits, edit.Insert(body.Rbrace, text))
	}
	if exits == 0 || exits > maxExits || len(rest) == 0 {
		return false
	}
	m.Edits = append(m.Edits, advice.Edit{Pos: d.Pos(), End: lineBreakAfter(s, d)})
	m.Why = fmt.Sprintf("A deferred call costs more than a call, and the compiler doesn't inline a function that has one. Call %s before each return.", call)
	if facts.EffectsOf(s.Place, rest...)&facts.MayPanic != 0 {
		edit.MustCheck(m, []string{fmt.Sprintf("that nothing after line %d panics: %s wouldn't be called then", s.Package.Line(d.Pos()), call)})
	}
	return true
}

// lineBreakAfter is the end of a statement's line, if nothing else is on it.
func lineBreakAfter(s *advice.Site, stmt ast.Stmt) token.Pos {
	if s.Text(stmt.End(), stmt.End()+1) == "\n" {
		return stmt.End() + 1
	}
	return stmt.End()
}

// runsLater reports whether a deferred call does the same if its operands are evaluated later, as long as nothing is assigned to
// their variables, and whether it has no part in a panic.
func runsLater(s *advice.Site, c inspector.Cursor, call *ast.CallExpr) bool {
	f, ok := typeutil.Callee(s.Info, call).(*types.Func)
	if !ok || call.Ellipsis.IsValid() {
		return false
	}
	switch f.FullName() {
	case "(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock", "(*sync.RWMutex).RUnlock":
	default:
		decl := facts.DeclarationOfFunc(s.Place, f)
		if decl == nil || decl.Body == nil || facts.UsesName(decl, "recover") {
			return false
		}
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && s.Info.Selections[sel] != nil {
		_, byPointer := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer)
		_, loaded := s.Info.TypeOf(sel.X).Underlying().(*types.Pointer)
		if !byPointer || !settled(s, sel.X) || loaded && facts.Object(s.Place, sel.X) == nil || !promotedByValue(s, sel) {
			return false
		}
		if facts.EffectsOf(s.Place, sel)&facts.MayPanic != 0 && !calledBeforeOn(s, c, sel.X) {
			return false
		}
	}
	for _, arg := range call.Args {
		if s.Info.Types[arg].Value == nil && (facts.Object(s.Place, arg) == nil || !settled(s, arg)) {
			return false
		}
	}
	return true
}

// calledBeforeOn reports whether the statement before another one calls a method of an expression, so that this isn't nil.
func calledBeforeOn(s *advice.Site, c inspector.Cursor, on ast.Expr) bool {
	before, ok := c.PrevSibling()
	if !ok {
		return false
	}
	stmt, ok := before.Node().(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := stmt.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	name := s.Callee(call)
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return ok && strings.HasPrefix(name, "(*sync.") && facts.SameCode(s.Place, sel.X, on)
}

// promotedByValue reports whether a method belongs to a type or to what it embeds, without a pointer in between.
func promotedByValue(s *advice.Site, sel *ast.SelectorExpr) bool {
	selection := s.Info.Selections[sel]
	t := selection.Recv()
	for _, i := range selection.Index()[:len(selection.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		of, ok := t.Underlying().(*types.Struct)
		if !ok {
			return false
		}
		if t = of.Field(i).Type(); types.IsInterface(t) {
			return false
		}
		if _, pointer := t.Underlying().(*types.Pointer); pointer {
			return false
		}
	}
	return true
}

// settled reports whether an expression is a local variable, a variable of the package that isn't a pointer, or a field of one or
// of what a local variable points to: only assignments to that variable change where it is.
func settled(s *advice.Site, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := s.Info.Uses[e].(*types.Var)
		if !ok {
			return false
		}
		if _, isStruct := v.Type().Underlying().(*types.Struct); isStruct && v.Parent() == s.Types.Scope() {
			return true
		}
		return facts.IsLocal(s.Place, v) && facts.Private(s.Place, v)
	case *ast.SelectorExpr:
		selection := s.Info.Selections[e]
		if selection == nil || selection.Kind() != types.FieldVal || !settled(s, e.X) {
			return false
		}
		return !selection.Indirect() || len(selection.Index()) == 1 && facts.Object(s.Place, e.X) != nil
	}
	return false
}

// inIterator reports whether a return is in a loop over an iterator, which goes on after it.
func inIterator(s *advice.Site, c inspector.Cursor) bool {
	for loop, ok := facts.LoopAround(c); ok; loop, ok = facts.LoopAround(loop) {
		if r, isRange := loop.Node().(*ast.RangeStmt); isRange {
			if _, iterates := facts.Under(s.Info.TypeOf(r.X)).(*types.Signature); iterates {
				return true
			}
		}
	}
	return false
}

func resultsOf(s *advice.Site) *types.Tuple {
	switch f := s.Func.Node().(type) {
	case *ast.FuncDecl:
		return s.Info.Defs[f.Name].(*types.Func).Signature().Results()
	case *ast.FuncLit:
		return s.Info.TypeOf(f).(*types.Signature).Results()
	}
	return nil
}

// keptResults returns what evaluates the results of a return statement before it, and what the statement returns then.
// Constants and local variables stay.
func keptResults(s *advice.Site, r *ast.ReturnStmt) (before, results string) {
	var names, values, all []string
	keep := func(t types.Type) string {
		want := "result"
		switch {
		case types.Identical(t, types.Universe.Lookup("error").Type()):
			want = "err"
		case types.Identical(t.Underlying(), types.Typ[types.Bool]):
			want = "ok"
		}
		name := facts.Fresh(s.Place, want, r.Pos(), s.Func.Node())
		for i := 2; slices.Contains(names, name); i++ {
			name = facts.Fresh(s.Place, fmt.Sprint(want, i), r.Pos(), s.Func.Node())
		}
		names = append(names, name)
		return name
	}
	if of := resultsOf(s); len(r.Results) == 1 && of.Len() > 1 {
		for v := range of.Variables() {
			all = append(all, keep(v.Type()))
		}
		values = append(values, s.Source(r.Results[0]))
	} else {
		for i, e := range r.Results {
			v, isVar := facts.Object(s.Place, e).(*types.Var)
			if tv := s.Info.Types[e]; tv.Value != nil || tv.IsNil() || isVar && facts.IsLocal(s.Place, v) && facts.Private(s.Place, v) {
				all = append(all, s.Source(e))
				continue
			}
			all = append(all, keep(of.At(i).Type()))
			values = append(values, s.Source(e))
		}
	}
	if len(names) > 0 {
		before = strings.Join(names, ", ") + " := " + strings.Join(values, ", ") + "\n"
	}
	return before, strings.Join(all, ", ")
}

// endIsReached reports whether a function may run past its last statement.
func endIsReached(s *advice.Site, body *ast.BlockStmt) bool {
	last := body.List[len(body.List)-1]
	switch n := last.(type) {
	case *ast.ReturnStmt:
		return false
	case *ast.BlockStmt:
		return len(n.List) == 0 || endIsReached(s, n)
	case *ast.ForStmt:
		return n.Cond != nil || slices.ContainsFunc(slices.Collect(ast.Preorder(n.Body)), func(n ast.Node) bool {
			b, ok := n.(*ast.BranchStmt)
			return ok && b.Tok == token.BREAK
		})
	case *ast.IfStmt:
		if other, ok := n.Else.(*ast.BlockStmt); ok && len(other.List) > 0 && len(n.Body.List) > 0 {
			return endIsReached(s, n.Body) || endIsReached(s, other)
		}
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		return !ok || s.Callee(call) != "panic"
	}
	return true
}
