package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var splitForOnePart = &advice.Rule{
	ID:    "split-for-one-part",
	Title: "a text is split into a slice that isn't kept",
	Doc: `strings.Split counts the separators, then allocates and fills a slice for all parts. If you need one or two parts,
strings.Cut finds them without a slice. If you iterate over the parts once, strings.SplitSeq (Go 1.24) yields them one
by one and stops with the loop. The same holds for package bytes. A loop that appends to a slice without capacity is
left unchanged: over a sequence, the slice would lose the initial memory on the stack that it has since Go 1.26.

If a function reads the parts in other ways but doesn't keep them, the rule only gives advice. Slices that are kept are
not reported.`,
	Class:  advice.Safe,
	Frames: lazyregexp.New(`^(strings|bytes)\.(Split|genSplit|Fields|explode)`),
	Gain:   1.6,
	Match:  matchSplitForOnePart,
	Conditions: advice.Conditions{
		Offered: "the parts are iterated over once, by a range without an index, or one or two of them are used with a constant index",
		Review: "there is a separator, since without one an index panics and Cut returns nothing; no code appends to a part; no code " +
			"changes the bytes, or the result of a split function, during the loop; the split text doesn't panic before another " +
			"operand is evaluated",
	},
}

// splitNames are the functions of packages strings and bytes that have a variant with Seq.
var splitNames = []string{
	"strings.Split", "strings.SplitN", "strings.SplitAfter", "strings.Fields", "strings.FieldsFunc",
	"bytes.Split", "bytes.SplitN", "bytes.SplitAfter", "bytes.Fields", "bytes.FieldsFunc",
}

func matchSplitForOnePart(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls(splitNames...) {
		pkg, function, _ := strings.Cut(c.Name, ".")
		sp := &split{Call: c, site: s, pkg: pkg, function: function}
		sel, ok := c.Fun.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		sp.name, sp.local = sel.Sel, s.Source(sel.X)
		if len(c.Args) > 1 && function != "FieldsFunc" {
			sp.separator(c.Args[1])
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
		switch p := c.Parent().Node().(type) {
		case *ast.RangeStmt:
			ok = sp.ranged(p, &m)
		case *ast.IndexExpr:
			ok = p.X == c.CallExpr && sp.indexed(p, &m)
		case *ast.AssignStmt:
			ok = len(p.Lhs) == 1 && len(p.Rhs) == 1 && p.Tok == token.DEFINE && sp.assigned(p, &m)
		default:
			ok = false
		}
		if !ok {
			m = advice.Match{Node: c.CallExpr, Class: advice.AdviceOnly}
			ok = sp.takenApart(&m)
		}
		if ok {
			matches = append(matches, m)
		}
	}
	return matches
}

// takenApart matches slices of parts that the function reads in ways that no rewrite covers, but
// doesn't keep.
func (sp *split) takenApart(m *advice.Match) bool {
	s := sp.site
	if s.Share(sp.callees()) < someAllocated {
		return false
	}
	what := ""
	switch p := sp.Parent().Node().(type) {
	case *ast.RangeStmt:
		if p.X != ast.Expr(sp.CallExpr) {
			return false
		}
		what = "are iterated over once"
	case *ast.CallExpr:
		if s.Callee(p) != "append" || !p.Ellipsis.IsValid() || p.Args[len(p.Args)-1] != ast.Expr(sp.CallExpr) {
			return false
		}
		what = "are only appended to another slice"
	case *ast.AssignStmt:
		if len(p.Lhs) != 1 || len(p.Rhs) != 1 {
			return false
		}
		obj := facts.Object(s.Place, p.Lhs[0])
		if obj == nil || !facts.IsLocal(s.Place, obj) || !sp.onlyLookedAt(obj) {
			return false
		}
		what = "are only read here"
	default:
		return false
	}
	cut := "Cut, called for each part, or an index that advances to each separator,"
	if strings.HasPrefix(sp.function, "Fields") {
		cut = "FieldsSeq, or an index that advances to each space,"
	}
	m.Why = fmt.Sprintf("%s allocates a slice for the parts, which %s; %s.%s finds them without a slice.", edit.Short(sp.Name), what, sp.pkg, cut)
	return true
}

// frames match the splitting function, which may be inlined.
func (sp *split) callees() *lazyregexp.Regexp {
	if strings.HasPrefix(sp.function, "Fields") {
		return lazyregexp.New(`^` + sp.pkg + `\.Fields`)
	}
	return lazyregexp.New(`^` + sp.pkg + `\.(Split|genSplit|explode)`)
}

// onlyLookedAt reports whether only the length and elements of a slice, or of a part of it, are read,
// once.
func (sp *split) onlyLookedAt(obj types.Object) bool {
	s, looked := sp.site, 0
	around, inLoop := facts.LoopAround(sp.Cursor)
	for _, id := range s.Uses(obj) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			return false
		}
		if assign, ok := c.Parent().Node().(*ast.AssignStmt); ok && slices.Contains(assign.Lhs, ast.Expr(id)) {
			continue
		}
		if part, ok := c.Parent().Node().(*ast.SliceExpr); ok && part.X == ast.Expr(id) {
			c = c.Parent()
		}
		switch p := c.Parent().Node().(type) {
		case *ast.IndexExpr:
			if p.X != c.Node() {
				return false
			}
		case *ast.RangeStmt:
			if loop, ok := facts.LoopAround(c.Parent()); p.X != c.Node() || ok != inLoop || loop != around {
				return false // iterated over more than once
			}
		case *ast.AssignStmt: // parts = parts[1:]
			if len(p.Lhs) != 1 || facts.Object(s.Place, p.Lhs[0]) != obj {
				return false
			}
		case *ast.CallExpr:
			if s.Callee(p) != "len" {
				return false
			}
			continue
		default:
			return false
		}
		looked++
	}
	return looked > 0
}

type split struct {
	code.Call
	site          *advice.Site
	pkg, function string     // "strings", "SplitN"
	name          *ast.Ident // of the function, in the call
	local         string     // what the file calls the package
	sep           int        // bytes of the separator, if it is constant
}

// separator notes the separator's length: 0 if it isn't known.
func (sp *split) separator(e ast.Expr) {
	if operand, to, ok := facts.Conversion(sp.site.Place, e); ok && facts.PlainBytes(to) {
		e = operand
	}
	if text, ok := facts.ConstantText(sp.site.Place, e); ok {
		sp.sep = len(text)
	}
}

// limit is the limit of SplitN: -1 for none, 0 if it isn't known.
func (sp *split) limit() int {
	if sp.function != "SplitN" {
		return -1
	}
	if v := sp.site.Info.Types[sp.Args[2]].Value; v != nil {
		n, _ := constant.Int64Val(v)
		return int(n)
	}
	return 0
}

// ranged matches for _, part := range strings.Split(…).
func (sp *split) ranged(r *ast.RangeStmt, m *advice.Match) bool {
	if r.X != sp.CallExpr || !sp.sequence(r, m) {
		return false
	}
	if m.Edits != nil {
		m.Edits = append(m.Edits, edit.Insert(sp.name.End(), "Seq"))
	}
	return true
}

// sequence turns a loop over parts into one over a sequence.
func (sp *split) sequence(r *ast.RangeStmt, m *advice.Match) bool {
	if sp.function == "SplitN" || r.Value == nil || !facts.IsBlank(r.Key) || facts.IsBlank(r.Value) || facts.UsesName(r.Body, "recover") {
		return false
	}
	m.Why = fmt.Sprintf("%s allocates a slice for all parts, which are iterated over once; %sSeq yields them one by one.", edit.Short(sp.Name), edit.Short(sp.Name))
	m.Since = "1.24"
	if grown := growsIn(sp.site, r.Body); grown != nil {
		m.Why += fmt.Sprintf(" A slice that starts empty loses its initial memory on the stack if a loop over a sequence appends to it, which costs as much; make %s with a capacity first.", grown.Name())
		return true
	}
	m.Class = advice.Safe
	edit.MustCheck(m, sp.splitLater(r))
	m.Edits = []advice.Edit{{Pos: r.Key.Pos(), End: r.Value.Pos()}}
	return true
}

// splitLater returns what to check if a text is split while the loop runs: its bytes, or the answers
// of a function, may change meanwhile.
func (sp *split) splitLater(r *ast.RangeStmt) (check []string) {
	s, text := sp.site, sp.site.Source(sp.Args[0])
	if sp.pkg == "bytes" {
		for _, arg := range sp.Args {
			if facts.IsBytes(s.Place, arg) && !facts.FreshSlice(s.Place, arg) && (r.X != sp.CallExpr || !facts.UnchangedBy(s.Place, arg, true, facts.Change{Code: []ast.Node{r.Body}})) {
				check = append(check, fmt.Sprintf("that no code changes %s while it is split", s.Source(arg)))
			}
		}
		if r.Value != nil {
			check = append(check, fmt.Sprintf("that no code appends to the last part of %s, which now has no spare capacity", text))
		}
	}
	if sp.function == "FieldsFunc" {
		if facts.EffectsOfCalling(s.Place, sp.Args[1]) != 0 {
			check = append(check, fmt.Sprintf("that %s has no side effects, and that the loop doesn't change what it depends on", edit.ShownFunction(s, sp.Args[1])))
		}
	}
	return check
}

// growsIn returns a local variable, declared outside a loop's body, that the body appends to and that
// starts without capacity. Since Go 1.26 the first elements of such a slice, up to 32 bytes, are on
// the stack, but not if a loop over a function captures it in a closure. Measured for three parts: two
// allocations with Split, three with SplitSeq.
func growsIn(s *advice.Site, body *ast.BlockStmt) types.Object {
	if s.In.Toolchain != "" && version.Compare(s.In.Toolchain, "go1.26") < 0 {
		return nil
	}
	for n := range ast.Preorder(body) {
		assign, ok := n.(*ast.AssignStmt)
		if !ok {
			continue
		}
		for _, target := range assign.Lhs {
			v, ok := facts.Object(s.Place, target).(*types.Var)
			if ok && facts.IsLocal(s.Place, v) && !facts.IsParameter(s.Place, v) && !facts.Within(body, v.Pos()) && isSmallSlice(v.Type()) && growsFromNothing(s, v) {
				return v
			}
		}
	}
	return nil
}

// isSmallSlice reports whether a type is a slice with elements of which at least one fits into the
// room on the stack.
func isSmallSlice(t types.Type) bool {
	slice, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	size, known := facts.SizeOf(slice.Elem())
	return !known || size <= 32
}

// growsFromNothing reports whether a slice is appended to, and always starts as nil or empty.
func growsFromNothing(s *advice.Site, v *types.Var) bool {
	appended := false
	for value := range facts.ValuesOf(s.Place, v) {
		if value == nil {
			return false
		}
		switch e := ast.Unparen(value).(type) {
		case *ast.CompositeLit:
			if len(e.Elts) > 0 {
				return false
			}
		case *ast.CallExpr:
			switch name := s.Callee(e); {
			case name == "append" && facts.Object(s.Place, e.Args[0]) == v:
				appended = true
			case name == "make" && len(e.Args) == 2 && facts.IsZero(s.Place, e.Args[1]):
			default:
				return false
			}
		default:
			if !s.Info.Types[value].IsNil() {
				return false
			}
		}
	}
	return appended
}

// indexed matches strings.Split(…)[0].
func (sp *split) indexed(index *ast.IndexExpr, m *advice.Match) bool {
	v := sp.site.Info.Types[index.Index].Value
	if v == nil {
		return false
	}
	n, exact := constant.Int64Val(v)
	if !exact || n < 0 || sp.function == "SplitAfter" || sp.limit() >= 0 && sp.limit() < 2 {
		return false
	}
	if strings.HasPrefix(sp.function, "Fields") {
		m.Why = fmt.Sprintf("%s splits the whole text but uses only one field; stop at the first space after it.", edit.Short(sp.Name))
		return n == 0
	}
	m.Why = fmt.Sprintf("%s splits the whole text but uses only one part; %s.Cut finds it without a slice.", edit.Short(sp.Name), sp.pkg)
	at := sp.Parent()
	if sp.sep == 0 || n > 1 || sp.appended(at) {
		return true // Cut with an empty separator does something else
	}
	text, ahead, first := sp.site.Source(sp.Args[0]), "", n == 0
	if !first && sp.limit() != 2 { // what is before the next separator in what follows the first
		if _, ok := sp.hoistable(at); !ok || !facts.IsConstant(sp.site.Place, sp.Args[1]) {
			return true
		}
		rest := sp.variable("rest", index.Pos())
		ahead = fmt.Sprintf("_, %s, _ := %s.Cut(%s, %s)\n", rest, sp.local, text, sp.site.Source(sp.Args[1]))
		text, first = rest, true
	}
	m.Since = "1.18"
	cut := fmt.Sprintf("%s.Cut(%s, %s)", sp.local, text, sp.site.Source(sp.Args[1]))
	if assign, ok := at.Parent().Node().(*ast.AssignStmt); ok && len(assign.Lhs) == 1 && len(assign.Rhs) == 1 && (assign.Tok == token.DEFINE || assign.Tok == token.ASSIGN) {
		target := sp.site.Source(assign.Lhs[0])
		lhs := target + ", _, _"
		if !first {
			lhs = "_, " + target + ", _"
		}
		if !facts.IsBlank(assign.Lhs[0]) {
			m.Edits = []advice.Edit{edit.Replace(assign.Lhs[0], ahead+lhs), edit.Replace(index, cut)}
		}
	} else if stmt, ok := sp.hoistable(at); ok {
		name := "part"
		if ahead == "" {
			name = map[bool]string{true: "first", false: "rest"}[first]
		}
		name = sp.variable(name, index.Pos())
		lhs := name + ", _, _"
		if !first {
			lhs = "_, " + name + ", _"
		}
		m.Edits = []advice.Edit{edit.Insert(stmt.Node().Pos(), ahead+lhs+" := "+cut+"\n"), edit.Replace(index, name)}
	}
	if m.Edits != nil {
		m.Class = advice.Safe
		if ahead != "" || m.Edits[1].New != cut {
			edit.MustCheck(m, sp.earlier(at))
		}
		if n == 0 {
			edit.MustCheck(m, sp.clipped())
		} else {
			edit.MustCheck(m, []string{"that there is always a separator: without one the index panics, and the part is now empty"})
		}
	}
	return true
}

// clipped returns what to check for parts that are byte slices.
func (sp *split) clipped() []string {
	if sp.pkg != "bytes" {
		return nil
	}
	return []string{"that no code appends to the text before the separator: that would overwrite the text after it"}
}

// earlier returns what to check if a text is split before a statement instead of in it: something
// evaluated before it there may fail first.
func (sp *split) earlier(part inspector.Cursor) []string {
	s := sp.site
	stmt, ok := facts.Statement(part)
	if !ok || !slices.ContainsFunc(sp.Args, func(a ast.Expr) bool { return facts.EffectsOf(s.Place, a)&facts.MayPanic != 0 }) {
		return nil
	}
	for n := range ast.Preorder(stmt.Node()) {
		e, isExpr := n.(ast.Expr)
		if isExpr && e.End() <= sp.Pos() && facts.EffectsOf(s.Place, e) & ^(facts.MayRead|facts.ReadsBytes) != 0 {
			return []string{fmt.Sprintf("that %s doesn't panic: it is now evaluated first", s.Source(sp.Args[0]))}
		}
	}
	return nil
}

// appended reports whether something is appended to a part of bytes in place.
func (sp *split) appended(part inspector.Cursor) bool {
	call, ok := part.Parent().Node().(*ast.CallExpr)
	return ok && sp.pkg == "bytes" && sp.site.Callee(call) == "append" && call.Args[0] == part.Node()
}

// hoistable returns the statement before which an expression may be evaluated.
func (sp *split) hoistable(c inspector.Cursor) (inspector.Cursor, bool) {
	for _, arg := range sp.Args {
		if !facts.Pure(sp.site.Place, arg) {
			return c, false
		}
	}
	stmt, ok := facts.Statement(c)
	if !ok {
		return c, false
	}
	switch n := stmt.Node().(type) {
	case *ast.ReturnStmt, *ast.ExprStmt, *ast.AssignStmt:
	case *ast.IfStmt:
		if n.Init != nil || n.Cond.Pos() > c.Node().Pos() || c.Node().End() > n.Cond.End() {
			return c, false
		}
	default:
		return c, false
	}
	for outer := c; outer != stmt; outer = outer.Parent() {
		switch n := outer.Node().(type) {
		case *ast.FuncLit:
			return c, false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				return c, false
			}
		case *ast.CallExpr:
			if n != sp.CallExpr && sp.site.Callee(n) == "" && !sp.site.Info.Types[n.Fun].IsType() {
				return c, false
			}
		}
	}
	// What is evaluated before it may change the text.
	before := false
	ast.Inspect(stmt.Node(), func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && call.End() < sp.Pos() && !sp.site.Info.Types[call.Fun].IsType() {
			before = true
		}
		return !before
	})
	return stmt, !before
}

// assigned matches parts := strings.SplitN(…), by the uses of parts.
func (sp *split) assigned(assign *ast.AssignStmt, m *advice.Match) bool {
	s := sp.site
	obj := facts.Object(s.Place, assign.Lhs[0])
	if obj == nil || !facts.IsLocal(s.Place, obj) {
		return false
	}
	ids := s.Uses(obj)
	if len(ids) == 0 {
		return false
	}
	if len(ids) == 1 {
		if c, ok := s.Root().FindNode(ids[0]); ok {
			r, ok := c.Parent().Node().(*ast.RangeStmt)
			if ok && r.X == ids[0] && sameLoop(s, sp.Cursor, c.Parent()) && sp.sequence(r, m) {
				if m.Edits != nil {
					m.Edits = append(m.Edits, edit.Insert(sp.name.End(), "Seq"))
				}
				return true
			}
		}
	}
	if sp.function != "Split" && sp.function != "SplitN" {
		return false
	}
	var u partUses
	for _, id := range ids {
		if !u.add(s, id) {
			return false
		}
	}
	if sp.sep == 0 {
		return false
	}
	switch {
	case u.last != nil && len(u.indexes) == 0 && len(u.lengths) == 0:
		return sp.lastPart(assign, u.last, m)
	case u.last != nil || len(u.indexes) == 0:
		return false
	case sp.limit() == 2:
		for _, i := range u.indexes {
			if i.n > 1 {
				return false
			}
		}
		sp.cut(assign, &u, m)
		return true
	case sp.limit() == -1 && len(u.lengths) == 0:
		for _, i := range u.indexes {
			if i.n != 0 {
				return false
			}
		}
		sp.cut(assign, &u, m)
		return true
	}
	return false
}

// sameLoop reports whether a loop runs once each time that a place is reached.
func sameLoop(s *advice.Site, place, loop inspector.Cursor) bool {
	a, inside := facts.LoopAround(place)
	b, around := facts.LoopAround(loop)
	for c := range loop.Enclosing((*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		return c == s.Func && inside == around && a == b && !facts.Jumps(s.Place)
	}
	return false
}

// partUses lists the uses of parts.
type partUses struct {
	indexes []partIndex
	lengths []partLength
	last    []*ast.IndexExpr // parts[len(parts)-1]
}

type partIndex struct {
	node *ast.IndexExpr
	n    int64
}

// A partLength is a comparison that checks whether there are two parts.
type partLength struct {
	node  *ast.BinaryExpr
	found bool // it is true if there are two
}

// add notes a use; it returns false for other kinds of use.
func (u *partUses) add(s *advice.Site, id *ast.Ident) bool {
	c, ok := s.Root().FindNode(id)
	if !ok {
		return false
	}
	switch p := c.Parent().Node().(type) {
	case *ast.IndexExpr:
		if p.X != id {
			return false
		}
		if v := s.Info.Types[p.Index].Value; v != nil {
			n, exact := constant.Int64Val(v)
			u.indexes = append(u.indexes, partIndex{p, n})
			return exact
		}
		if b, ok := p.Index.(*ast.BinaryExpr); ok && b.Op == token.SUB && facts.IsInt(s.Place, b.Y, 1) {
			if length, ok := b.X.(*ast.CallExpr); ok && s.Callee(length) == "len" && facts.Object(s.Place, length.Args[0]) == s.Info.Uses[id] {
				u.last = append(u.last, p)
				return !facts.IsAssigned(c.Parent())
			}
		}
	case *ast.CallExpr:
		if s.Callee(p) != "len" {
			return false
		}
		b, ok := c.Parent().Parent().Node().(*ast.BinaryExpr)
		if !ok || b.X != p {
			return false
		}
		if index, ok := c.Parent().Parent().Parent().Node().(*ast.IndexExpr); ok && index.Index == b {
			return facts.Object(s.Place, index.X) == s.Info.Uses[id] // used as its last part
		}
		l := partLength{node: b}
		switch {
		case b.Op == token.EQL && facts.IsInt(s.Place, b.Y, 2), b.Op == token.GTR && facts.IsInt(s.Place, b.Y, 1), b.Op == token.GEQ && facts.IsInt(s.Place, b.Y, 2), b.Op == token.NEQ && facts.IsInt(s.Place, b.Y, 1):
			l.found = true
		case b.Op == token.NEQ && facts.IsInt(s.Place, b.Y, 2), b.Op == token.LSS && facts.IsInt(s.Place, b.Y, 2), b.Op == token.EQL && facts.IsInt(s.Place, b.Y, 1), b.Op == token.LEQ && facts.IsInt(s.Place, b.Y, 1):
		default:
			return false
		}
		if t, ok := s.Info.TypeOf(b).(*types.Basic); !ok || t.Kind() != types.Bool && t.Kind() != types.UntypedBool {
			return false
		}
		u.lengths = append(u.lengths, l)
		return true
	}
	return false
}

// cut rewrites parts := SplitN(s, sep, 2) to before, after, found := Cut(s, sep).
func (sp *split) cut(assign *ast.AssignStmt, u *partUses, m *advice.Match) {
	s := sp.site
	m.Why = fmt.Sprintf("%s allocates a slice for its parts; %s.Cut returns the text before and after the separator without a slice.", edit.Short(sp.Name), sp.pkg)
	m.Since = "1.18"
	names := [3]string{"_", "_", "_"}
	use := func(i int, name string) string {
		if names[i] == "_" {
			names[i] = sp.variable(name, assign.Pos())
		}
		return names[i]
	}
	for _, i := range u.indexes {
		if c, ok := s.Root().FindNode(i.node); !ok || sp.appended(c) {
			m.Edits = nil
			return
		}
		m.Edits = append(m.Edits, edit.Replace(i.node, use(int(i.n), [2]string{"before", "after"}[i.n])))
	}
	for _, l := range u.lengths {
		name := use(2, "found")
		if !l.found {
			name = "!" + name
		}
		m.Edits = append(m.Edits, edit.Replace(l.node, name))
	}
	m.Edits = append(m.Edits,
		edit.Replace(assign.Lhs[0], strings.Join(names[:], ", ")),
		edit.Replace(sp.CallExpr, fmt.Sprintf("%s.Cut(%s, %s)", sp.local, s.Source(sp.Args[0]), s.Source(sp.Args[1]))),
	)
	m.Class = advice.Safe
	if names[0] != "_" {
		edit.MustCheck(m, sp.clipped())
	}
	if names[1] != "_" {
		edit.MustCheck(m, []string{"that the text after the separator is only used if there is one: an index panics, and the text is now empty"})
	}
}

// variable is the name of a new variable at a position. It is new in the function; others may have it, too.
func (sp *split) variable(want string, at token.Pos) string {
	var in ast.Node = sp.site.Func.Node()
	if sp.site.Decl != nil {
		in = sp.site.Decl
	}
	return facts.Fresh(sp.site.Place, want, at, in)
}

// lastPart rewrites parts[len(parts)-1] to what follows the last separator.
func (sp *split) lastPart(assign *ast.AssignStmt, uses []*ast.IndexExpr, m *advice.Match) bool {
	s := sp.site
	m.Why = fmt.Sprintf("%s splits the whole text but uses only the last part, which starts after %s.LastIndex of the separator.", edit.Short(sp.Name), sp.pkg)
	text, ok := ast.Unparen(sp.Args[0]).(*ast.Ident)
	if !ok || sp.sep != 1 || sp.function != "Split" || sp.pkg != "strings" || !types.Identical(s.Info.TypeOf(text), types.Typ[types.String]) {
		return true
	}
	name := sp.variable("last", assign.Pos())
	m.Edits = []advice.Edit{
		edit.Replace(assign.Lhs[0], name),
		edit.Replace(sp.CallExpr, fmt.Sprintf("%s[%s.LastIndex(%s, %s)+1:]", text.Name, sp.local, text.Name, s.Source(sp.Args[1]))),
	}
	for _, u := range uses {
		m.Edits = append(m.Edits, edit.Replace(u, name))
	}
	m.Class = advice.Safe
	return true
}
