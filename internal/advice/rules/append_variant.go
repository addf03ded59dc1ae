package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var appendVariant = &advice.Rule{
	ID:    "append-variant",
	Title: "a function allocates a text that its caller only copies or compares",
	Doc: `A String, Bytes or encode method allocates its result. If the caller only appends it to a slice, writes it to a buffer,
compares it or takes its length, the text needn't exist.

The rewrite moves the body to a variant, such as appendString, that appends to a slice it is given. The function itself
calls the variant, so its other callers stay the same. If the function already only calls such a variant, that one is used. Calls that drop the text give the variant their own slice, or a
small array on the stack, and so do calls that make the text a part of a longer one. Calls in all files of the package
are changed, except in generated files and files that use cgo.`,
	Class:     advice.Safe,
	Frames:    textFrames,
	Allocates: true,
	Match:     matchAppendVariant,
	Conditions: advice.Conditions{
		Offered: "the function returns one string or []byte; it only appends to a local slice, fills one of a known length, writes to a " +
			"local Builder or Buffer, adds to a local string, or returns a concatenation or what fmt formats; calls in its package append, write, compare or measure the result, or concatenate it",
		Review: "no other slice uses the spare capacity that is appended to; the function doesn't change what is appended to; evaluating a " +
			"part of a concatenation doesn't change another; the destination of a bufio.Writer accepts Write calls of other sizes; " +
			"the code doesn't distinguish nil from an empty slice when the result is empty; callers don't use the spare capacity of the result",
	},
}

// textFrames are what makes a text, and what it is kept in.
var textFrames = lazyregexp.New(`^runtime\.(concatstring|slicebytetostring|rawstring|rawbyteslice|makeslice|growslice|mallocgc|newobject)|^fmt\.(Sp|Fp)rint|^(strings\.\(\*Builder\)|bytes\.\(\*Buffer\))\.|^strconv\.`)

func matchAppendVariant(s *advice.Site) []advice.Match {
	if s.Allocates() < someAllocated && s.Share(textFrames) < someAllocated || s.Decl == nil || len(s.Nodes()) == 0 {
		return nil
	}
	fn, _ := s.Info.Defs[s.Decl.Name].(*types.Func)
	if fn == nil || len(s.Uses(fn)) == 0 {
		return nil
	}
	t, ok := textMakerAt(s)
	if !ok {
		return nil
	}
	m := advice.Match{Node: s.Nodes()[0].Node(), Class: advice.Safe}
	calls := t.rewriteCalls(&m)
	if calls == 0 {
		return nil
	}
	m.Edits = append(m.Edits, t.edits...)
	if !t.exists {
		m.Edits = append(m.Edits, t.declaration()...)
	}
	if overlapping(m.Edits) {
		return nil
	}
	m.Imports = append(m.Imports, t.imports...)
	where := "its caller only copies, compares or measures"
	if calls > 1 {
		where = fmt.Sprintf("%d calls only copy, compare or measure", calls)
	}
	variant := "A variant that appends, " + t.name + ","
	if t.exists {
		variant = t.name + ", which it calls,"
	}
	m.Why = fmt.Sprintf("%s allocates a result that %s. %s needs no memory of its own.", s.Decl.Name.Name, where, variant) + m.Why
	edit.MustCheck(&m, t.check)
	if uses := t.Uses(t.fn); t.spare && (t.fn.Exported() || calls < len(uses)) {
		edit.MustCheck(&m, []string{fmt.Sprintf("that no caller uses the spare capacity of what %s returns, which may be another", t.fn.Name())})
	}
	if t.emptied {
		edit.MustCheck(&m, []string{"that no code distinguishes nil from an empty slice: an empty result may now be nil"})
	}
	return []advice.Match{m}
}

// overlapping reports whether two edits are about the same code.
func overlapping(edits []advice.Edit) bool {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b advice.Edit) int { return int(a.Pos - b.Pos) })
	for i := range edits[1:] {
		if edits[i+1].Pos < edits[i].End {
			return true
		}
	}
	return false
}

// declaration makes the function's declaration that of the variant, and puts a function that calls the variant above it.
func (t *textMaker) declaration() []advice.Edit {
	d := t.Decl
	var b strings.Builder
	b.WriteString(t.Text(d.Pos(), d.Body.Lbrace) + "{\n")
	for _, g := range t.guards {
		b.WriteString(t.Source(g) + "\n")
	}
	args := []string{t.room}
	for _, f := range d.Type.Params.List {
		for _, id := range f.Names {
			if _, variadic := f.Type.(*ast.Ellipsis); variadic {
				args = append(args, id.Name+"...")
				continue
			}
			args = append(args, id.Name)
		}
	}
	call := fmt.Sprintf("%s(%s)", t.name, strings.Join(args, ", "))
	if d.Recv != nil {
		call = d.Recv.List[0].Names[0].Name + "." + call
	}
	if t.text {
		call = "string(" + call + ")"
	}
	if t.exact {
		fmt.Fprintf(&b, "%s := %s\n", t.dst, call)
		call = fmt.Sprintf("%s[:len(%[1]s):len(%[1]s)]", t.dst)
	}
	fmt.Fprintf(&b, "return %s\n}\n\n// %s appends what %s returns to %s.\n", call, t.name, d.Name.Name, t.dst)
	params := t.dst + " []byte"
	if len(d.Type.Params.List) > 0 {
		params += ", "
	}
	return []advice.Edit{
		edit.Insert(d.Pos(), b.String()),
		edit.Replace(d.Name, t.name),
		edit.Insert(d.Type.Params.Opening+1, params),
		edit.Replace(d.Type.Results, "[]byte"),
	}
}

// stackRoom is how many bytes of a text a caller has room for on the stack.
func (t *textMaker) stackRoom() int {
	const least, most = 64, 256
	size := 0
	for _, sizes := range t.BlockSizes() {
		size = max(size, int(sizes[len(sizes)-1]))
	}
	return edit.RoundUp(min(max(size, least), most))
}

// rewriteCalls makes calls in the function's package whose result isn't kept call the variant, and returns how many.
func (t *textMaker) rewriteCalls(m *advice.Match) (n int) {
	if t.text && t.room == "nil" {
		t.room = edit.StackBytes(t.stackRoom())
	}
	type rewritten struct {
		textUse
		profiled bool
	}
	var all []rewritten
	for _, id := range t.Uses(t.fn) {
		c, ok := t.Root().FindNode(id)
		if !ok {
			continue
		}
		if sel, ok := c.Parent().Node().(*ast.SelectorExpr); ok && sel.Sel == id {
			c = c.Parent()
		}
		call, ok := c.Parent().Node().(*ast.CallExpr)
		if !ok || ast.Unparen(call.Fun) != c.Node() {
			continue
		}
		place := *t.Site
		place.Place = t.Package.Around(c)
		edited := func(e advice.Edit) bool { return e.Pos <= call.Pos() && call.Pos() < e.End }
		if place.Place.Decl == nil || !edit.Reaches(t.Site, t.Decl, place.Place.File) || slices.ContainsFunc(t.edits, edited) || slices.ContainsFunc(all, func(r rewritten) bool { return slices.ContainsFunc(r.edits, edited) }) {
			continue
		}
		full, ok := t.CallAt(c.Parent(), t.fn.FullName())
		u := textUse{textMaker: t, s: &place, c: full}
		if !ok || !u.names() || !u.rewrite() {
			continue
		}
		file := t.Fset.Position(call.Pos()).Filename
		all = append(all, rewritten{u, t.Profiled(file, t.Package.Line(call.Pos()), t.Package.Line(call.End()))})
	}
	profiled := slices.ContainsFunc(all, func(r rewritten) bool { return r.profiled })
	for _, r := range all {
		if profiled && !r.profiled {
			continue
		}
		n++
		t.spare = t.spare || !t.text && r.s.Decl == t.Decl
		m.Edits = append(m.Edits, r.edits...)
		m.Imports = append(m.Imports, r.imports...)
		t.check = append(t.check, r.check...)
	}
	return n
}

// A textUse is a call of the function whose result may not be kept.
type textUse struct {
	*textMaker
	s *advice.Site // in the calling function
	c code.Call

	edits   []advice.Edit
	check   []string
	imports []string
}

// names reports whether the variant's name in the place of the function's means the variant, with the slice as its first argument.
func (u *textUse) names() bool {
	sel, ok := ast.Unparen(u.c.Fun).(*ast.SelectorExpr)
	if !ok {
		return !u.exists || facts.Resolves(u.s.Place, u.name, u.c.Pos()) == u.variant
	}
	selection := u.Info.Selections[sel]
	if selection == nil || selection.Kind() != types.MethodVal {
		return false // a method expression has the receiver as its first argument
	}
	if !u.exists {
		return true
	}
	method, _, _ := types.LookupFieldOrMethod(selection.Recv(), true, u.Types, u.name)
	return method == u.variant
}

// rewrite fills in the edits that make the call one of the variant; false if the result is kept, or nothing is known.
func (u *textUse) rewrite() bool {
	return u.appendedTo() || u.written() || u.compared() || u.joined() || u.borrowed()
}

// to makes the call one of the variant.
func (u *textUse) to(dst string) { u.edits = append(u.edits, u.callEdits(u.c.CallExpr, dst)...) }

// stack makes the call use room on the stack, as a string if that is what it returned.
func (u *textUse) stack() bool {
	if !facts.Builtins(u.s.Place, u.c.Pos(), "make", "byte", "string") {
		return false
	}
	if u.text {
		u.edits = append(u.edits, edit.Insert(u.c.Pos(), "string("), edit.Insert(u.c.End(), ")"))
	}
	u.to(edit.StackBytes(u.stackRoom()))
	return true
}

// appendedTo matches append(dst, p.String()...).
func (u *textUse) appendedTo() bool {
	s, at := u.s, facts.WithParens(u.c.Cursor)
	outer, ok := at.Parent().Node().(*ast.CallExpr)
	if !ok || s.Callee(outer) != "append" || !outer.Ellipsis.IsValid() || len(outer.Args) != 2 || outer.Args[1] != at.Node() || at.Node() != ast.Node(u.c.CallExpr) ||
		!types.Identical(s.Info.TypeOf(outer), types.NewSlice(types.Typ[types.Byte])) || s.Info.Types[outer.Args[0]].IsNil() || facts.Commented(s.Place, outer.Pos(), outer.End()) {
		return false
	}
	dst := outer.Args[0]
	u.edits = append(u.edits, advice.Edit{Pos: outer.Pos(), End: u.c.Pos()}, advice.Edit{Pos: u.c.End(), End: outer.End()})
	u.to(s.Source(dst))
	operands := u.operands()
	var steps []facts.Step
	for _, e := range operands {
		steps = append(steps, facts.Step{Expr: e, Called: true})
	}
	u.check = slices.Concat(u.check, facts.SetMeanwhile(s.Place, dst, operands), facts.WrittenFirst(s.Place, dst, steps), u.changes(dst))
	if facts.PanicsBeside(s.Place, dst) != 0 {
		u.check = append(u.check, fmt.Sprintf("that %s doesn't panic: it is now evaluated before %s", s.Source(dst), s.Source(u.c)))
	}
	if v := facts.Object(s.Place, dst); s.Place.Func == u.Func && v != nil && v == u.built {
		return true // the variant's own slice, which the function had made
	}
	u.check = append(u.check, facts.SharedRoom(s.Place, dst, outer)...)
	return true
}

// operands are the values that the call evaluates.
func (u *textUse) operands() []ast.Expr {
	if sel, ok := ast.Unparen(u.c.Fun).(*ast.SelectorExpr); ok && u.Info.Selections[sel] != nil {
		return append([]ast.Expr{sel.X}, u.c.Args...)
	}
	return u.c.Args
}

// changes returns what to check if the function may change what its text now goes to.
func (u *textUse) changes(dst ast.Expr) []string {
	if u.quiet() {
		return nil
	}
	return []string{fmt.Sprintf("that %s doesn't change %s", u.Decl.Name.Name, u.s.Source(dst))}
}

// written matches w.WriteString(p.String()) and w.Write(p.Bytes()), where w is a buffer.
func (u *textUse) written() bool {
	s, at := u.s, u.c.Cursor
	converted, to, isConversion := facts.Conversion(s.Place, exprOf(at.Parent().Node()))
	isConversion = isConversion && converted == u.c.CallExpr && (facts.PlainBytes(to) || facts.IsString(s.Place, exprOf(at.Parent().Node())))
	if isConversion {
		at = at.Parent()
	}
	outer, ok := at.Parent().Node().(*ast.CallExpr)
	if !ok || len(outer.Args) != 1 || outer.Args[0] != at.Node() || facts.Deferred(at.Parent()) || facts.Commented(s.Place, outer.Pos(), outer.End()) {
		return false
	}
	sel, ok := outer.Fun.(*ast.SelectorExpr)
	if !ok || !facts.Pure(s.Place, sel.X) {
		return false
	}
	if selection := s.Info.Selections[sel]; selection == nil || len(selection.Index()) != 1 {
		return false // an embedded buffer, whose outer type may have its own methods
	}
	room := edit.StackBytes(u.stackRoom())
	switch s.Callee(outer) {
	case "(*strings.Builder).WriteString", "(*strings.Builder).Write", "(*bytes.Buffer).WriteString", "(*bytes.Buffer).Write":
		if !facts.Builtins(s.Place, u.c.Pos(), "make", "byte") {
			return false
		}
	case "(*bufio.Writer).WriteString", "(*bufio.Writer).Write":
		if !s.AtLeast("1.18") || slices.ContainsFunc(u.operands(), func(e ast.Expr) bool {
			return facts.EffectsOf(s.Place, e)&(facts.MayWrite|facts.ReadsBytes) != 0 || facts.PanicsUnlikeNil(s.Place, e)
		}) {
			return false
		}
		room = s.Source(sel.X) + ".AvailableBuffer()"
		u.check = append(u.check, u.changes(sel.X)...)
	default:
		return false
	}
	if isConversion {
		u.edits = append(u.edits, advice.Edit{Pos: at.Node().Pos(), End: u.c.Pos()}, advice.Edit{Pos: u.c.End(), End: at.Node().End()})
	}
	if sel.Sel.Name != "Write" {
		u.edits = append(u.edits, edit.Replace(sel.Sel, "Write"))
	}
	u.to(room)
	u.check = append(u.check, facts.SplitSeen(s.Place, sel.X, s.Source(sel.X))...)
	return true
}

// compared matches a string that is compared, measured, or looks up an element of a map.
func (u *textUse) compared() bool {
	if !u.text {
		return false
	}
	at := facts.WithParens(u.c.Cursor)
	switch p := at.Parent().Node().(type) {
	case *ast.BinaryExpr:
		if facts.IsComparison(p.Op) {
			return types.Identical(u.Info.TypeOf(p.X), u.Info.TypeOf(p.Y)) && u.stack()
		}
	case *ast.CallExpr:
		if u.s.Callee(p) == "len" && facts.Builtins(u.s.Place, u.c.Pos(), "make", "byte") {
			u.to(edit.StackBytes(u.stackRoom()))
			return true
		}
	case *ast.IndexExpr:
		of, isMap := facts.Under(u.Info.TypeOf(p.X)).(*types.Map)
		return isMap && types.Identical(of.Key(), types.Typ[types.String]) && p.Index == at.Node() && !facts.IsAssigned(at.Parent()) && u.stack()
	}
	return false
}

// joined matches return a + p.String(), and the same for a variable: the whole text is built on the stack.
func (u *textUse) joined() bool {
	at := facts.WithParens(u.c.Cursor)
	if _, sum := at.Parent().Node().(*ast.BinaryExpr); !u.text || !sum {
		return false
	}
	for {
		if b, ok := at.Parent().Node().(*ast.BinaryExpr); !ok || b.Op != token.ADD {
			break
		}
		at = facts.WithParens(at.Parent())
	}
	e, stmt := at.Node().(ast.Expr), at.Parent()
	if !types.Identical(u.Info.TypeOf(e), types.Typ[types.String]) || !facts.InBlock(stmt) || facts.Commented(u.s.Place, stmt.Node().Pos(), stmt.Node().End()) ||
		!facts.Builtins(u.s.Place, u.c.Pos(), "make", "byte", "string", "append") {
		return false
	}
	switch n := stmt.Node().(type) {
	case *ast.ReturnStmt:
		if len(n.Results) != 1 {
			return false
		}
	case *ast.AssignStmt:
		if _, name := n.Lhs[0].(*ast.Ident); len(n.Lhs) != 1 || !name || n.Tok != token.DEFINE && n.Tok != token.ASSIGN {
			return false
		}
	default:
		return false
	}
	name := "joined"
	if u.joins++; u.joins > 1 {
		name += strconv.Itoa(u.joins) // another may be in the same block
	}
	sum := &textMaker{Site: u.s, fn: u.fn, name: u.name, exists: u.exists, variant: u.variant, dst: facts.Fresh(u.s.Place, name, e.Pos(), u.s.Decl)}
	text := fmt.Sprintf("%s := %s\n", sum.dst, edit.StackBytes(edit.RoundUp(2*u.stackRoom())))
	parts := facts.Operands(u.s.Place, e)
	for _, part := range parts {
		added, ok := sum.appended(part)
		if !ok {
			return false
		}
		text += sum.dst + " = " + added + "\n"
	}
	sum.inTurn(parts)
	u.check = append(u.check, sum.check...)
	u.imports = append(u.imports, sum.imports...)
	u.edits = append(u.edits, edit.Insert(stmt.Node().Pos(), text), edit.Replace(e, "string("+sum.dst+")"))
	return true
}

// borrowed matches bytes that only a function that copies or compares gets, or a variable that nothing else uses.
func (u *textUse) borrowed() bool {
	if u.text {
		return false
	}
	at := facts.WithParens(u.c.Cursor)
	switch p := at.Parent().Node().(type) {
	case *ast.CallExpr:
		switch u.s.Callee(p) {
		case "len", "bytes.Equal", "bytes.Compare", "bytes.HasPrefix", "bytes.HasSuffix", "bytes.Contains":
			changes := func(e ast.Expr) bool { return facts.EffectsOf(u.s.Place, e)&facts.MayWrite != 0 }
			return !(u.shared && slices.ContainsFunc(p.Args, changes)) && u.stack()
		case "copy":
			return p.Args[1] == at.Node() && u.stack()
		}
	case *ast.AssignStmt:
		if p.Tok != token.DEFINE || len(p.Lhs) != 1 || p.Rhs[0] != at.Node() || u.shared {
			return false
		}
		v := facts.Object(u.s.Place, p.Lhs[0])
		return v != nil && facts.IsLocal(u.s.Place, v) && facts.OnlyBorrowed(u.s.Place, v) && !facts.CapacityObserved(u.s.Place, v) && u.stack()
	}
	return false
}

// quiet reports whether the function writes to nothing but what it builds.
func (t *textMaker) quiet() bool {
	quiet := true
	if t.exists {
		return quiet // all it does is call a function that only appends
	}
	for c := range t.Func.Preorder((*ast.CallExpr)(nil), (*ast.SendStmt)(nil), (*ast.UnaryExpr)(nil), (*ast.AssignStmt)(nil), (*ast.IncDecStmt)(nil), (*ast.RangeStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.SendStmt:
			quiet = false
		case *ast.UnaryExpr:
			quiet = quiet && n.Op != token.ARROW
		case *ast.RangeStmt:
			_, ok := facts.Under(t.Info.TypeOf(n.X)).(*types.Chan)
			quiet = quiet && !ok
		case *ast.AssignStmt, *ast.IncDecStmt:
			for target := range facts.Targets(n) {
				quiet = quiet && t.ownTarget(target)
			}
		case *ast.CallExpr:
			quiet = quiet && !t.changesMemory(c, n)
		}
	}
	return quiet
}

// ownTarget reports whether an assignment to an expression stays within the function.
func (t *textMaker) ownTarget(e ast.Expr) bool {
	if facts.IsBlank(e) {
		return true
	}
	if index, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
		return t.built != nil && facts.Object(t.Place, index.X) == t.built
	}
	v := facts.Object(t.Place, e)
	return v != nil && facts.IsLocal(t.Place, v)
}

// changesMemory reports whether a call may change more than what the function builds.
func (t *textMaker) changesMemory(c inspector.Cursor, call *ast.CallExpr) bool {
	name := t.Callee(call)
	if t.Info.Types[call.Fun].IsType() || name == t.fn.FullName() {
		return false
	}
	builds := func(e ast.Expr) bool {
		if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
			e = u.X
		}
		return t.built != nil && facts.RootOf(t.Place, e) == t.built
	}
	switch {
	case strings.HasPrefix(name, "fmt.Fprint"), strings.HasPrefix(name, "fmt.Append"), strings.HasPrefix(name, "fmt.Sprint"):
		args := call.Args
		if !strings.HasPrefix(name, "fmt.Sprint") {
			if !builds(t.grown(args[0])) {
				return true
			}
			args = args[1:]
		}
		return call.Ellipsis.IsValid() || slices.ContainsFunc(args, func(a ast.Expr) bool { return facts.Formatting(t.Place, t.Info.TypeOf(a))&facts.MayWrite != 0 })
	case t.appendsTo(call) != nil:
		v := exprObject(t.Place, t.grown(call))
		return !builds(t.grown(call)) && (v == nil || !facts.OwnArray(t.Place, v, call))
	case name == "copy", borrowsBytes(name):
		return name != "len" && !strings.Contains(name, ").Uint") && !builds(call.Args[0])
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && builds(sel.X) {
		return false
	}
	return facts.EffectsOfCallee(t.Place, c)&facts.MayWrite != 0
}
