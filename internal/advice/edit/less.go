package edit

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/facts"
)

// A Less is a less function, read as a comparison function: its edits, and what is known about its
// comparisons.
type Less struct {
	site    *advice.Site
	in      *code.Place // of the less function, which may be in another file
	at      token.Pos   // where the comparison function will be
	slice   ast.Expr
	isSlice func(ast.Expr) bool
	body    *ast.BlockStmt
	i, j    types.Object // parameters
	a, b    string       // names of the two elements in the rewrite
	reverse bool         // the order is the opposite of the function's
	locals  [2]types.Object
	Slices  string // the package's name
	Edits   []advice.Edit
	Imports []string

	keys      int  // comparisons
	Float     bool // some of floats
	Calls     bool // some have calls
	Exact     bool // the elements themselves are compared: equal ones can't be told apart
	Ascending bool // … by < only
}

// ReadLess reads the second argument of sort.Slice. It returns false for anything that may mean
// something else once the elements are parameters.
func ReadLess(s *advice.Site, c code.Call, elem types.Type) (*Less, bool) {
	lit, ok := ast.Unparen(c.Args[1]).(*ast.FuncLit)
	if !ok || lit != c.Args[1] || !facts.Plain(s.Place, c.Args[0]) || len(lit.Body.List) == 0 {
		return nil, false
	}
	l := &Less{site: s, in: s.Place, at: lit.Body.Lbrace, slice: c.Args[0], body: lit.Body}
	l.isSlice = func(e ast.Expr) bool { return facts.SameCode(s.Place, e, l.slice) }
	text, ok := facts.TypeText(s.Place, elem, l.at)
	if !ok || len(text) > 60 || !l.read(c, lit.Type) {
		return nil, false
	}
	l.Edits = append(l.Edits, advice.Edit{Pos: lit.Type.Params.Pos(), End: lit.Type.Results.End(), New: fmt.Sprintf("(%s, %s %s) int", l.a, l.b, text)})
	return l, true
}

// ReadSorter reads the Less method of a type whose elements are sorted by a call, of sort.Sort for
// example, and returns the comparison function as text. The method must mean the same where the call
// is. slice is the slice in the call, and reverse says that the order is the opposite of the method's.
func ReadSorter(s *advice.Site, c code.Call, sorter facts.Sorter, slice ast.Expr, reverse bool) (l *Less, function string, ok bool) {
	at, ok := s.Root().FindNode(sorter.Less)
	if !ok || len(sorter.Less.Body.List) == 0 {
		return nil, "", false
	}
	recv := s.Info.Defs[sorter.Less.Recv.List[0].Names[0]]
	l = &Less{site: s, in: s.Around(at), at: c.Pos(), slice: slice, body: sorter.Less.Body, reverse: reverse}
	l.isSlice = func(e ast.Expr) bool {
		field, ok := facts.PartOf(s.Place, e, recv)
		return ok && field == sorter.Field
	}
	text, ok := facts.TypeText(s.Place, sorter.Slice.Elem(), c.Pos())
	if !ok || len(text) > 60 || !l.read(c, sorter.Less.Type) {
		return nil, "", false
	}
	imports, ok := facts.MeansTheSame(s.Place, l.body, c.Pos(), sorter.Less.Pos(), sorter.Less.End(), func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		return ok && l.element(e) > 0
	})
	if !ok {
		return nil, "", false
	}
	l.Imports = append(l.Imports, imports...)
	first, second := l.a, l.b
	if reverse {
		first, second = second, first
	}
	body := Applied(s, l.body, l.Edits)
	l.Edits = nil
	if len(l.body.List) == 1 && !facts.Commented(l.in, l.body.Pos(), l.body.End()) {
		if one := strings.TrimSpace(body[1 : len(body)-1]); !strings.Contains(one, "\n") {
			body = "{ " + one + " }"
		}
	}
	return l, fmt.Sprintf("func(%s, %s %s) int %s", first, second, text, body), true
}

// read reads the function.
func (l *Less) read(c code.Call, signature *ast.FuncType) (ok bool) {
	var params []*ast.Ident
	for _, f := range signature.Params.List {
		params = append(params, f.Names...)
	}
	if len(params) != 2 || len(signature.Results.List[0].Names) > 0 {
		return false
	}
	l.i, l.j = l.site.Info.Defs[params[0]], l.site.Info.Defs[params[1]]
	if l.i == nil || l.j == nil {
		return false
	}
	if l.Slices, ok = facts.PackageName(l.site.Place, "slices", c.Pos()); !ok {
		return false
	}
	stmts := l.body.List
	if !l.nameElements(stmts[0]) {
		return false
	}
	if l.locals[0] != nil {
		if len(stmts) < 2 || facts.Commented(l.in, stmts[0].Pos(), stmts[1].Pos()) {
			return false
		}
		l.Edits = append(l.Edits, advice.Edit{Pos: stmts[0].Pos(), End: stmts[1].Pos()})
		stmts = stmts[1:]
	}
	for n := 0; n < len(stmts); n++ {
		if n+2 < len(stmts) && l.ladder(stmts[n], stmts[n+1]) {
			n++
		} else if !l.statement(stmts[n], n == len(stmts)-1) {
			return false
		}
	}
	l.Exact = l.keys == 1 && l.Exact
	l.Ascending = l.Exact && l.Ascending && l.locals[0] == nil
	return true
}

// nameElements chooses the names of the parameters: those of x, y := s[i], s[j], if the function
// starts with that, or two unused ones.
func (l *Less) nameElements(first ast.Stmt) bool {
	if assign, ok := first.(*ast.AssignStmt); ok {
		if assign.Tok != token.DEFINE || len(assign.Lhs) != 2 || len(assign.Rhs) != 2 {
			return false
		}
		if l.element(assign.Rhs[0]) != 1 || l.element(assign.Rhs[1]) != 2 {
			return false
		}
		for n, e := range assign.Lhs {
			id, ok := e.(*ast.Ident)
			if !ok || id.Name == "_" {
				return false
			}
			l.locals[n] = l.site.Info.Defs[id]
		}
		l.a, l.b = l.locals[0].Name(), l.locals[1].Name()
		return true
	}
	for _, names := range [][2]string{{"a", "b"}, {"x", "y"}, {"p", "q"}} {
		if l.unused(names[0]) && l.unused(names[1]) {
			l.a, l.b = names[0], names[1]
			if l.reverse {
				l.a, l.b = l.b, l.a
			}
			return true
		}
	}
	return false
}

// unused reports whether the function's body doesn't use a name. The slice of a method is its receiver,
// whose name doesn't count.
func (l *Less) unused(name string) bool {
	found := false
	selected := make(map[*ast.Ident]bool)
	ast.Inspect(l.body, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && l.in != l.site.Place && l.element(e) > 0 {
			return false
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			selected[n.Sel] = true
		case *ast.Ident:
			found = found || n.Name == name && !selected[n]
		}
		return !found
	})
	return !found
}

// element returns 1 for s[i], 2 for s[j], and 0 for anything else. Variables that these were assigned
// to count, too.
func (l *Less) element(e ast.Expr) int {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		if !l.isSlice(e.X) {
			return 0
		}
		switch facts.Object(l.site.Place, e.Index) {
		case l.i:
			return 1
		case l.j:
			return 2
		}
	case *ast.Ident:
		switch obj := l.site.Info.ObjectOf(e); {
		case obj == nil:
		case obj == l.locals[0]:
			return 1
		case obj == l.locals[1]:
			return 2
		}
	}
	return 0
}

// statement reads a statement of the function: if x != y { return x < y }, if x == y { return z < w }
// or, at the end, return x < y.
func (l *Less) statement(stmt ast.Stmt, last bool) bool {
	switch stmt := stmt.(type) {
	case *ast.ReturnStmt:
		return last && l.result(stmt, nil)
	case *ast.IfStmt:
		if last || stmt.Else != nil || len(stmt.Body.List) != 1 {
			return false
		}
		if stmt.Init != nil {
			return l.threeWayStep(stmt)
		}
		returned, ok := stmt.Body.List[0].(*ast.ReturnStmt)
		cond, binary := ast.Unparen(stmt.Cond).(*ast.BinaryExpr)
		if !ok {
			return false
		}
		if !binary { // !x.Equal(y)
			not, ok := ast.Unparen(stmt.Cond).(*ast.UnaryExpr)
			if !ok || not.Op != token.NOT {
				return false
			}
			call, ok := ast.Unparen(not.X).(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || l.site.Callee(call) != "(time.Time).Equal" {
				return false
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return false
			}
			return l.pair(sel.X, call.Args[0]) && l.rename(stmt.Cond) && l.result(returned, nil)
		}
		if !l.pair(cond.X, cond.Y) || !l.rename(cond) {
			return false
		}
		return cond.Op == token.NEQ && l.result(returned, cond) || cond.Op == token.EQL && l.result(returned, nil)
	}
	return false
}

// result rewrites a returned expression. If the values of unequal are known to differ, a boolean one
// may be the result.
func (l *Less) result(r *ast.ReturnStmt, unequal *ast.BinaryExpr) bool {
	if len(r.Results) != 1 || facts.Commented(l.in, r.Pos(), r.End()) {
		return false
	}
	l.keys++
	if unequal != nil {
		value, first, second := ast.Unparen(r.Results[0]), "-1", "1"
		if not, ok := value.(*ast.UnaryExpr); ok && not.Op == token.NOT {
			value, first, second = ast.Unparen(not.X), second, first
		}
		// x != y { return x }: those that have it come first.
		if facts.SameCode(l.site.Place, value, unequal.X) || facts.SameCode(l.site.Place, value, unequal.Y) {
			text, ok := l.renamed(value)
			l.Edits = append(l.Edits, Replace(r, fmt.Sprintf("if %s {\nreturn %s\n}\nreturn %s", text, first, second)))
			return ok
		}
	}
	if steps, ok := l.chain(r.Results[0]); ok {
		l.Edits = append(l.Edits, Replace(r, steps))
		return true
	}
	text, ok := l.comparison(r.Results[0])
	l.Edits = append(l.Edits, Replace(r.Results[0], text))
	return ok
}

// chain splits x < y || x == y && z < w and writes it as steps.
func (l *Less) chain(e ast.Expr) (string, bool) {
	either, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || either.Op != token.LOR {
		return "", false
	}
	first, ok := ast.Unparen(either.X).(*ast.BinaryExpr)
	both, ok2 := ast.Unparen(either.Y).(*ast.BinaryExpr)
	if !ok || !ok2 || both.Op != token.LAND {
		return "", false
	}
	equal, ok := ast.Unparen(both.X).(*ast.BinaryExpr)
	if !ok || equal.Op != token.EQL || !l.samePair(first, equal) {
		return "", false
	}
	step, ok := l.unequal(first)
	if !ok {
		return "", false
	}
	l.keys++
	if rest, ok := l.chain(both.Y); ok {
		return step + rest, true
	}
	last, ok := l.comparison(both.Y)
	return step + "return " + last, ok
}

// ladder reads if x < y { return true } and if x > y { return false }.
func (l *Less) ladder(one, other ast.Stmt) bool {
	arm := func(stmt ast.Stmt, returns string) *ast.BinaryExpr {
		branch, ok := stmt.(*ast.IfStmt)
		if !ok || branch.Init != nil || branch.Else != nil || len(branch.Body.List) != 1 {
			return nil
		}
		r, ok := branch.Body.List[0].(*ast.ReturnStmt)
		if !ok || len(r.Results) != 1 {
			return nil
		}
		if v := l.site.Info.Types[r.Results[0]].Value; v == nil || v.ExactString() != returns {
			return nil
		}
		cond, _ := ast.Unparen(branch.Cond).(*ast.BinaryExpr)
		return cond
	}
	less, more := arm(one, "true"), arm(other, "false")
	if less == nil || more == nil || facts.Commented(l.in, one.Pos(), other.End()) || !l.samePair(less, more) {
		return false
	}
	// Each asks for the opposite of the other.
	straight := types.ExprString(less.X) == types.ExprString(more.X)
	if more.Op != token.LSS && more.Op != token.GTR || straight == (less.Op == more.Op) {
		return false
	}
	l.keys++
	step, ok := l.unequal(less)
	l.Edits = append(l.Edits, advice.Edit{Pos: one.Pos(), End: other.End(), New: strings.TrimSuffix(step, "\n")})
	return ok
}

// samePair reports whether two comparisons have the same operands, in any order.
func (l *Less) samePair(a, b *ast.BinaryExpr) bool {
	return facts.SameCode(l.site.Place, a.X, b.X) && facts.SameCode(l.site.Place, a.Y, b.Y) || facts.SameCode(l.site.Place, a.X, b.Y) && facts.SameCode(l.site.Place, a.Y, b.X)
}

// unequal writes the comparison of two values for where they differ.
func (l *Less) unequal(e *ast.BinaryExpr) (string, bool) {
	if e.Op != token.LSS && e.Op != token.GTR {
		return "", false
	}
	text, ok := l.compare(e.X, e.Y, e.Op == token.GTR)
	x, ok2 := l.renamed(e.X)
	y, ok3 := l.renamed(e.Y)
	return fmt.Sprintf("if %s != %s {\nreturn %s\n}\n", x, y, text), ok && ok2 && ok3
}

// comparison rewrites x < y as an expression that says which is less.
func (l *Less) comparison(e ast.Expr) (string, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if e.Op != token.LSS && e.Op != token.GTR {
			return "", false
		}
		if v := l.site.Info.Types[e.Y].Value; v != nil && v.ExactString() == "0" {
			return l.threeWay(e)
		}
		return l.compare(e.X, e.Y, e.Op == token.GTR)
	case *ast.CallExpr: // x.Before(y), of times
		name := l.site.Callee(e)
		sel, ok := e.Fun.(*ast.SelectorExpr)
		if !ok || name != "(time.Time).Before" && name != "(time.Time).After" || !l.pair(sel.X, e.Args[0]) {
			return "", false
		}
		x, ok := l.renamed(sel.X)
		y, ok2 := l.renamed(e.Args[0])
		if strings.HasSuffix(name, "After") {
			x, y = y, x
		}
		return x + ".Compare(" + y + ")", ok && ok2 && !l.effects(e)
	}
	return "", false
}

// threeWay keeps only the call of strings.Compare(x, y) < 0.
func (l *Less) threeWay(e *ast.BinaryExpr) (string, bool) {
	call, ok := ast.Unparen(e.X).(*ast.CallExpr)
	if !ok {
		return "", false
	}
	x, y, ok := l.compared(call)
	if !ok || e.Op == token.GTR && !returnsSign(l.site.Callee(call)) {
		return "", false
	}
	if !l.pair(x, y) {
		return "", false
	}
	l.Calls = true
	text, ok := l.renamed(call)
	if e.Op == token.GTR { // these return -1, 0 and 1 only
		text = "-" + text
	}
	return text, ok
}

// compared returns the two values that a call compares, if its result is an int: f(x, y) or x.f(y).
func (l *Less) compared(call *ast.CallExpr) (x, y ast.Expr, ok bool) {
	if t := l.site.Info.TypeOf(call); t == nil || !types.Identical(t, types.Typ[types.Int]) || call.Ellipsis.IsValid() || l.site.Info.Types[call.Fun].IsType() {
		return nil, nil, false
	}
	switch len(call.Args) {
	case 2:
		return call.Args[0], call.Args[1], true
	case 1:
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || l.site.Info.Selections[sel] == nil {
			return nil, nil, false
		}
		return sel.X, call.Args[0], true
	}
	return nil, nil, false
}

// returnsSign reports whether a function returns -1, 0 and 1 only, so that its result can be negated.
func returnsSign(name string) bool {
	switch name {
	case "strings.Compare", "bytes.Compare", "cmp.Compare", "(*math/big.Int).Cmp", "(*math/big.Rat).Cmp", "(time.Time).Compare", "(net/netip.Addr).Compare":
		return true
	}
	return false
}

// threeWayStep reads if c := f(x, y); c != 0 { return c < 0 }.
func (l *Less) threeWayStep(stmt *ast.IfStmt) bool {
	init, ok := stmt.Init.(*ast.AssignStmt)
	returned, ok2 := stmt.Body.List[0].(*ast.ReturnStmt)
	cond, ok3 := ast.Unparen(stmt.Cond).(*ast.BinaryExpr)
	if !ok || !ok2 || !ok3 || init.Tok != token.DEFINE || len(init.Lhs) != 1 || len(init.Rhs) != 1 || len(returned.Results) != 1 || facts.Commented(l.in, returned.Pos(), returned.End()) {
		return false
	}
	c := facts.Object(l.site.Place, init.Lhs[0])
	call, ok := ast.Unparen(init.Rhs[0]).(*ast.CallExpr)
	less, ok2 := ast.Unparen(returned.Results[0]).(*ast.BinaryExpr)
	if c == nil || !ok || !ok2 || cond.Op != token.NEQ || !l.withZero(cond, c) || !l.withZero(less, c) || less.Op != token.LSS && less.Op != token.GTR {
		return false
	}
	x, y, ok := l.compared(call)
	if !ok || !l.pair(x, y) || less.Op == token.GTR && !returnsSign(l.site.Callee(call)) {
		return false
	}
	l.keys++
	l.Calls = true
	result := c.Name()
	if less.Op == token.GTR {
		result = "-" + result
	}
	l.Edits = append(l.Edits, Replace(returned.Results[0], result))
	return l.rename(call)
}

// withZero reports whether an expression compares a variable with 0.
func (l *Less) withZero(e *ast.BinaryExpr, v types.Object) bool {
	value := l.site.Info.Types[e.Y].Value
	return facts.Object(l.site.Place, e.X) == v && value != nil && value.ExactString() == "0"
}

// compare writes the comparison of two ordered values.
func (l *Less) compare(x, y ast.Expr, descending bool) (string, bool) {
	if !l.pair(x, y) {
		return "", false
	}
	t := l.site.Info.TypeOf(x)
	l.Float = l.Float || facts.IsFloat(t)
	if l.keys == 1 {
		l.Exact = l.element(x) > 0 && l.element(y) > 0
		l.Ascending = ((l.element(x) == 1) != descending) != l.reverse
	}
	name := "cmp"
	if types.Identical(t, types.Typ[types.String]) {
		name = "strings" // one pass over the bytes, where cmp takes two
	}
	at := l.at
	if l.in == l.site.Place {
		at = x.Pos()
	}
	pkg, ok := facts.PackageName(l.site.Place, name, at)
	if !ok || facts.UsesName(l.slice, name) || pkg == l.a || pkg == l.b {
		return "", false
	}
	l.Imports = append(l.Imports, name)
	a, ok := l.renamed(x)
	b, ok2 := l.renamed(y)
	if descending {
		a, b = b, a
	}
	return fmt.Sprintf("%s.Compare(%s, %s)", pkg, a, b), ok && ok2
}

// pair reports whether two expressions are the same for the first and the second element.
func (l *Less) pair(x, y ast.Expr) bool {
	of := func(e ast.Expr) int {
		found := 0
		ast.Inspect(e, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && l.element(e) > 0 {
				found |= l.element(e)
				return false
			}
			return true
		})
		return found
	}
	one, other := of(x), of(y)
	return one|other == 3 && one != 3 && other != 3 && l.neutral(x) == l.neutral(y)
}

// neutral is an expression with the same placeholder for either element.
func (l *Less) neutral(e ast.Expr) string {
	return l.substituted(e, func(int) string { return "·" })
}

// renamed is an expression with the new names of the elements.
func (l *Less) renamed(e ast.Expr) (string, bool) {
	ok := !l.effects(e)
	return l.substituted(e, func(n int) string { return [...]string{l.a, l.b}[n-1] }), ok
}

func (l *Less) substituted(e ast.Expr, name func(int) string) string {
	var b strings.Builder
	at := e.Pos()
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			if which := l.element(x); which > 0 {
				b.WriteString(l.site.Text(at, x.Pos()) + name(which))
				at = x.End()
				return false
			}
		}
		return true
	})
	return b.String() + l.site.Text(at, e.End())
}

// rename replaces the elements of an expression by their new names.
func (l *Less) rename(e ast.Expr) bool {
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(*ast.IndexExpr); ok {
			if which := l.element(x); which > 0 {
				l.Edits = append(l.Edits, Replace(x, [...]string{l.a, l.b}[which-1]))
				return false
			}
		}
		return true
	})
	return !l.effects(e)
}

// effects reports whether an expression does anything with the elements' places, which
// are copies in the rewrite, or with their numbers.
func (l *Less) effects(e ast.Expr) bool {
	at, ok := l.in.Func.FindNode(e)
	if !ok {
		return true
	}
	found := false
	at.Inspect(nil, func(c inspector.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.FuncLit:
			found = true
		case *ast.CallExpr:
			if !l.site.Info.Types[n.Fun].IsType() && l.site.Callee(n) != "len" {
				l.Calls = true
			}
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND || n.Op == token.ARROW
		case *ast.SliceExpr:
			_, array := l.site.Info.TypeOf(n.X).Underlying().(*types.Array)
			found = found || array
		case *ast.SelectorExpr:
			found = found || facts.CalledByAddress(l.site.Place, n)
		case *ast.Ident:
			obj := l.site.Info.ObjectOf(n)
			found = found || obj == l.i || obj == l.j
		}
		if x, ok := c.Node().(ast.Expr); ok && l.element(x) > 0 {
			return false
		}
		return !found
	})
	return found
}
