package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// A textMaker is a function that builds a text and returns it, and what becomes of it: a variant with the same body,
// which appends the text to a slice.
type textMaker struct {
	*advice.Site
	fn     *types.Func
	text   bool          // it returns a string
	guards []*ast.IfStmt // at its start; each returns something without building it
	rest   []ast.Stmt    // the statements after them

	built types.Object // the variable that has the text; nil if there is none
	dst   string       // the variant's name for what it appends to
	name  string       // of the variant
	// exists says that the package has the variant already, which the function calls.
	exists  bool
	variant types.Object // if it exists
	room    string       // what the function gives the variant to append to; "nil" if nothing
	start   string       // the variant's name for the length that dst had
	needs   bool         // the variant uses start

	// emptied says that an empty result may now be nil.
	emptied bool
	exact   bool // the result has no spare capacity
	spare   bool // it may have another spare capacity than before
	shared  bool // a guard returns bytes that others have
	joins   int  // sums that calls of the variant build
	edits   []advice.Edit
	imports []string
	check   []string // of the function itself
}

// textMakerAt reads the function around a site. ok is false if no variant of it can be written.
func textMakerAt(s *advice.Site) (t *textMaker, ok bool) {
	if s.Decl == nil || s.Func.Node() != ast.Node(s.Decl) {
		return nil, false
	}
	fn, _ := s.Info.Defs[s.Decl.Name].(*types.Func)
	if fn == nil || !forwards(s) || !facts.Builtins(s.Place, s.Decl.Body.Pos(), "byte", "append", "make", "len", "string", "nil") {
		return nil, false
	}
	results := fn.Signature().Results()
	if results.Len() != 1 || results.At(0).Name() != "" {
		return nil, false
	}
	t = &textMaker{Site: s, fn: fn, room: "nil", start: facts.Fresh(s.Place, "start", s.Decl.Body.Pos(), s.Decl)}
	switch of := results.At(0).Type(); {
	case types.Identical(of, types.Typ[types.String]):
		t.text = true
	case !types.Identical(of, types.NewSlice(types.Typ[types.Byte])):
		return nil, false
	}
	if is, ok := t.wraps(); is {
		return t, ok
	}
	t.name = s.Unmentioned(variantName(s.Decl.Name.Name))
	t.guards, t.rest = guardsOf(s)
	if len(t.rest) == 0 || !straight(s) {
		return nil, false
	}
	for _, form := range []func() bool{t.appends, t.fills, t.writesBuffer, t.adds, t.concatenates} {
		fresh := *t
		if form() {
			t.guard()
			return t, true
		}
		*t = fresh
	}
	return nil, false
}

// forwards reports whether a function can be called with its own parameters: all have names, and it isn't generic.
func forwards(s *advice.Site) bool {
	doc := s.Decl.Doc
	if s.Decl.Body == nil || s.Decl.Type.TypeParams != nil || doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//export")
	}) {
		return false
	}
	fields := s.Decl.Type.Params.List
	if recv := s.Decl.Recv; recv != nil {
		fields = slices.Concat(fields, recv.List)
		if _, generic := recv.List[0].Type.(*ast.IndexExpr); generic {
			return false
		}
	}
	for _, f := range fields {
		if len(f.Names) == 0 || slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == "_" }) {
			return false
		}
	}
	return true
}

// straight reports whether a function has nothing that works differently one call deeper, or jumps.
func straight(s *advice.Site) bool {
	ok := true
	ast.Inspect(s.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt, *ast.GoStmt, *ast.SelectStmt:
			ok = false
		case *ast.BranchStmt:
			ok = ok && n.Tok != token.GOTO
		case *ast.CallExpr:
			name := s.Callee(n)
			ok = ok && name != "recover" && !strings.HasPrefix(name, "runtime.Caller") && !strings.HasPrefix(name, "runtime/debug.")
		}
		return ok
	})
	return ok
}

// variantName is a name for the variant of a function: appendString for String, and appendKey for formatKey.
func variantName(of string) string {
	for _, verb := range []string{"format", "encode", "marshal", "render", "build", "make", "to", "get"} {
		if rest := strings.TrimPrefix(edit.LowerFirst(of), verb); rest != edit.LowerFirst(of) && rest != "" && 'A' <= rest[0] && rest[0] <= 'Z' {
			return "append" + rest
		}
	}
	return "append" + strings.ToUpper(of[:1]) + of[1:]
}

// guardsOf splits the body of a function into the branches at its start that only return something, and the rest.
func guardsOf(s *advice.Site) (guards []*ast.IfStmt, rest []ast.Stmt) {
	rest = s.Decl.Body.List
	for len(rest) > 0 {
		branch, ok := rest[0].(*ast.IfStmt)
		if !ok || branch.Init != nil || branch.Else != nil || len(branch.Body.List) != 1 || !facts.Repeatable(s.Place, branch.Cond) {
			break
		}
		ret, ok := branch.Body.List[0].(*ast.ReturnStmt)
		if !ok || len(ret.Results) != 1 || !s.Info.Types[ret.Results[0]].IsNil() && !facts.Plain(s.Place, ret.Results[0]) {
			break
		}
		guards, rest = append(guards, branch), rest[1:]
	}
	return guards, rest
}

// guard makes the guards of the variant append what they return.
func (t *textMaker) guard() {
	for _, g := range t.guards {
		ret := g.Body.List[0].(*ast.ReturnStmt)
		result := t.dst
		if text, constant := facts.ConstantText(t.Place, ret.Results[0]); !t.Info.Types[ret.Results[0]].IsNil() && (!constant || text != "") {
			result = "append(" + t.dst + ", " + t.Source(ret.Results[0]) + "...)"
			t.shared = !t.text
		}
		t.edits = append(t.edits, edit.Replace(ret.Results[0], result))
	}
}

// returns are the return statements after the guards.
func (t *textMaker) returns() (all []*ast.ReturnStmt) {
	for _, stmt := range t.rest {
		ast.Inspect(stmt, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok {
				all = append(all, r)
			}
			_, literal := n.(*ast.FuncLit)
			return !literal
		})
	}
	return all
}

// lastReturned is what the last statement returns, without the conversion to a string.
func (t *textMaker) lastReturned() ast.Expr {
	r, ok := t.rest[len(t.rest)-1].(*ast.ReturnStmt)
	if !ok {
		return nil
	}
	return t.unconverted(r.Results[0])
}

func (t *textMaker) unconverted(e ast.Expr) ast.Expr {
	if operand, _, ok := facts.Conversion(t.Place, e); ok && t.text && facts.IsBytes(t.Place, operand) {
		e = operand
	}
	return ast.Unparen(e)
}

// declared returns the declaration of a variable that is a statement of the function's own block.
func (t *textMaker) declared(v types.Object) (facts.Declaration, bool) {
	if v == nil || !facts.IsLocal(t.Place, v) || !facts.Private(t.Place, v) && facts.PlainBytes(v.Type()) {
		return facts.Declaration{}, false
	}
	d, ok := t.declarationOf(v)
	if !ok {
		return d, false
	}
	// The variant has the name from the start.
	for id := range t.Func.Preorder((*ast.Ident)(nil)) {
		if id := id.Node().(*ast.Ident); id.Name == v.Name() && t.Info.ObjectOf(id) != v && id.Pos() < d.Node().End() {
			return d, false
		}
	}
	return d, true
}

// declarationOf returns the statement of the function's own block, after the guards, that declares a variable alone.
func (t *textMaker) declarationOf(v types.Object) (d facts.Declaration, ok bool) {
	for _, stmt := range t.rest {
		switch stmt := stmt.(type) {
		case *ast.AssignStmt:
			if stmt.Tok == token.DEFINE && len(stmt.Lhs) == 1 && facts.Object(t.Place, stmt.Lhs[0]) == v && stmt.Lhs[0].Pos() == v.Pos() {
				d.Value, ok = ast.Unparen(stmt.Rhs[0]), true
			}
		case *ast.DeclStmt:
			g, isVar := stmt.Decl.(*ast.GenDecl)
			if !isVar || g.Tok != token.VAR || len(g.Specs) != 1 {
				continue
			}
			if spec := g.Specs[0].(*ast.ValueSpec); len(spec.Names) == 1 && spec.Names[0].Pos() == v.Pos() {
				d.Type, ok = spec.Type, true
				if len(spec.Values) == 1 {
					d.Value = ast.Unparen(spec.Values[0])
				}
			}
		}
		if ok {
			d.Cursor, ok = t.Root().FindNode(stmt)
			return d, ok
		}
	}
	return d, false
}

// appends reads a function that appends to a slice, and returns it:
//
//	buf := make([]byte, 0, 16)
//	buf = append(buf, p.name...)
//	return string(buf)
func (t *textMaker) appends() bool {
	v := exprObject(t.Place, t.grown(t.lastReturned()))
	d, ok := t.declared(v)
	if !ok || !types.Identical(v.Type(), types.NewSlice(types.Typ[types.Byte])) {
		return false
	}
	t.built, t.dst = v, v.Name()
	if !t.begins(&d) {
		return false
	}
	for _, id := range t.Uses(v) {
		c, ok := t.Root().FindNode(id)
		if !ok || !t.appendUse(c, d.Node()) {
			return false
		}
	}
	for _, r := range t.returns() {
		e := t.unconverted(r.Results[0])
		if exprObject(t.Place, t.grown(e)) != v {
			return false
		}
		if ast.Unparen(r.Results[0]) != e {
			t.strip(r.Results[0], e)
		}
	}
	if t.needs {
		t.edits = slices.Insert(t.edits, 0, edit.Insert(t.rest[0].Pos(), t.start+" := len("+t.dst+")\n"))
	}
	return true
}

// grown is the slice that calls append to, one around the other: buf of append(append(buf, a...), b...).
func (t *textMaker) grown(e ast.Expr) ast.Expr {
	for {
		call, ok := ast.Unparen(e).(*ast.CallExpr)
		if e == nil || !ok || t.appendsTo(call) == nil {
			return e
		}
		e = t.appendsTo(call)
	}
}

// strip removes what is around a part of an expression.
func (t *textMaker) strip(whole, part ast.Expr) {
	t.edits = append(t.edits, advice.Edit{Pos: whole.Pos(), End: part.Pos()}, advice.Edit{Pos: part.End(), End: whole.End()})
}

func exprObject(s *code.Place, e ast.Expr) types.Object {
	if e == nil {
		return nil
	}
	return facts.Object(s, e)
}

// begins replaces the declaration of the slice that is appended to.
func (t *textMaker) begins(d *facts.Declaration) bool {
	switch value := d.Value.(type) {
	case nil: // var buf []byte
	case *ast.CompositeLit:
		if len(value.Elts) > 0 {
			return false
		}
		t.room = "[]byte{}"
	case *ast.SliceExpr: // of an array on the stack
		array := facts.Object(t.Place, value.X)
		if array == nil || value.Low != nil || value.High == nil || !facts.IsInt(t.Place, value.High, 0) || value.Max != nil || len(t.Uses(array)) != 1 {
			return false
		}
		of, ok := array.Type().Underlying().(*types.Array)
		other, ok2 := t.declarationOf(array)
		if !ok || !ok2 || other.Value != nil {
			return false
		}
		t.room = fmt.Sprintf("make([]byte, 0, %d)", of.Len())
		t.remove(other.Node())
	case *ast.CallExpr:
		return t.beginsWith(d, value)
	default:
		if !t.Info.Types[value].IsNil() {
			return false
		}
	}
	t.remove(d.Node())
	return true
}

// beginsWith is begins for a slice that comes from a call or a conversion.
func (t *textMaker) beginsWith(d *facts.Declaration, value *ast.CallExpr) bool {
	if operand, _, ok := facts.Conversion(t.Place, value); ok {
		switch {
		case t.Info.Types[operand].IsNil():
			t.remove(d.Node())
			return true
		case facts.IsString(t.Place, operand):
			text, _ := facts.ConstantText(t.Place, operand)
			t.emptied = !t.text && text == "" // an empty one wasn't nil
			t.spare = !t.text
			t.edits = append(t.edits, edit.Replace(d.Node(), fmt.Sprintf("%s = append(%[1]s, %s...)", t.dst, t.Source(operand))))
			return true
		}
		return false
	}
	if t.Callee(value) != "make" {
		return false
	}
	if n, ok := facts.ConstantInt(t.Place, value.Args[1]); !ok || n != 0 {
		return false
	}
	t.remove(d.Node())
	if len(value.Args) == 2 {
		t.room = "[]byte{}"
		return true
	}
	n, constant := facts.ConstantInt(t.Place, value.Args[2])
	switch {
	case constant && n >= 0:
		t.room = "make([]byte, 0, " + t.Source(value.Args[2]) + ")"
		return facts.AtPackageLevel(t.Place, value.Args[2])
	case constant || facts.EffectsOf(t.Place, value.Args[2])&^(facts.MayRead|facts.ReadsBytes) != 0 || facts.MayBeNegative(t.Place, value.Args[2]) || t.beyondInt(value.Args[2]):
		return false
	}
	t.emptied = !t.text
	name, ok := facts.PackageName(t.Place, "slices", d.Node().Pos())
	if ok && t.AtLeast("1.21") {
		t.edits[len(t.edits)-1] = edit.Replace(d.Node(), fmt.Sprintf("%s = %s.Grow(%s, %s)", t.dst, name, t.dst, t.sizeText(value.Args[2])))
		t.imports = append(t.imports, "slices")
	}
	return true
}

// beyondInt reports whether a size may be one that is negative as an int.
func (t *textMaker) beyondInt(n ast.Expr) bool {
	switch facts.Under(t.Info.TypeOf(n)) {
	case types.Typ[types.Uint], types.Typ[types.Uint32], types.Typ[types.Uint64], types.Typ[types.Uintptr]:
		return true
	}
	return false
}

// sizeText is a size as an int.
func (t *textMaker) sizeText(n ast.Expr) string {
	if types.Identical(t.Info.TypeOf(n), types.Typ[types.Int]) || t.Info.Types[n].Value != nil {
		return t.Source(n)
	}
	return "int(" + t.Source(n) + ")"
}

// remove removes a statement with its line.
func (t *textMaker) remove(stmt ast.Node) {
	end := stmt.End()
	if next := t.after(stmt); next != nil && t.Package.Line(next.Pos()) > t.Package.Line(end) && !facts.Commented(t.Place, end, t.LineStart(t.File, t.Package.Line(end)+1)) {
		end = t.LineStart(t.File, t.Package.Line(end)+1)
	}
	t.edits = append(t.edits, advice.Edit{Pos: stmt.Pos(), End: end})
}

// after is the statement of the function's block after another one; nil if there is none.
func (t *textMaker) after(stmt ast.Node) ast.Stmt {
	i := slices.IndexFunc(t.rest, func(s ast.Stmt) bool { return s == stmt })
	if i < 0 || i+1 == len(t.rest) {
		return nil
	}
	return t.rest[i+1]
}

// appendUse reports whether a use of the slice appends to it, takes its length or returns it.
func (t *textMaker) appendUse(c inspector.Cursor, declaration ast.Node) bool {
	if inner := t.Package.Around(c); inner.Func != t.Func {
		return false
	}
	grown := c
	for {
		call, ok := grown.Parent().Node().(*ast.CallExpr)
		if !ok || t.appendsTo(call) != grown.Node() {
			break
		}
		grown = grown.Parent()
	}
	switch p := grown.Parent().Node().(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.AssignStmt:
		return len(p.Lhs) == 1 && p.Tok == token.ASSIGN && facts.Object(t.Place, p.Lhs[0]) == t.built && exprObject(t.Place, t.grown(p.Rhs[0])) == t.built
	case *ast.CallExpr:
		_, returned := grown.Parent().Parent().Node().(*ast.ReturnStmt)
		if t.Info.Types[p.Fun].IsType() {
			return returned
		}
		if grown == c && t.Callee(p) == "len" {
			t.measured(grown.Parent())
			return true
		}
	}
	return false
}

// measured makes a call of len or Len the length of what the variant has appended.
func (t *textMaker) measured(call inspector.Cursor) {
	t.needs = true
	text := "len(" + t.dst + ")-" + t.start
	if b, ok := call.Parent().Node().(*ast.BinaryExpr); !ok || b.Op.Precedence() > token.EQL.Precedence() {
		text = "(" + text + ")"
	}
	t.edits = append(t.edits, edit.Replace(call.Node(), text))
}

// appendsTo is the slice that a call appends to, if it does nothing else with it; nil for other calls.
func (t *textMaker) appendsTo(call *ast.CallExpr) ast.Expr {
	i := appendParameter(t.Callee(call))
	if i < 0 && len(call.Args) > 0 && types.Identical(t.Info.TypeOf(call), types.NewSlice(types.Typ[types.Byte])) {
		if fn, _ := typeutil.Callee(t.Info, call).(*types.Func); fn != nil && fn.Pkg() == t.Types && onlyAppends(t.Site, fn.Origin()) {
			i = 0
		}
	}
	if i < 0 || len(call.Args) <= i {
		return nil
	}
	return ast.Unparen(call.Args[i])
}

// appendParameter is the parameter that a function of the standard library appends to, and nothing else; -1 if it has none.
func appendParameter(name string) int {
	switch {
	case name == "append":
		return 0
	case strings.HasPrefix(name, "strconv.Append"), strings.HasPrefix(name, "unicode/utf8.Append"), strings.HasPrefix(name, "fmt.Append"),
		strings.HasPrefix(name, "encoding/binary.Append") && name != "encoding/binary.Append", strings.HasPrefix(name, "encoding/hex.Append"),
		strings.HasPrefix(name, "(encoding/binary.littleEndian).Append"), strings.HasPrefix(name, "(encoding/binary.bigEndian).Append"),
		name == "(time.Time).AppendFormat", name == "(*encoding/base64.Encoding).AppendEncode", name == "(*encoding/base32.Encoding).AppendEncode",
		name == "(net/netip.Addr).AppendTo", name == "(net/netip.AddrPort).AppendTo", name == "(net/netip.Prefix).AppendTo", name == "(*math/big.Int).Append":
		return 0
	}
	return -1
}

// fills reads a function that fills a slice of a length that it knows from the start:
//
//	buf := make([]byte, 8)
//	binary.BigEndian.PutUint64(buf, n)
//	return buf
func (t *textMaker) fills() bool {
	part, _ := t.lastReturned().(*ast.SliceExpr)
	last := t.lastReturned()
	if part != nil {
		last = part.X
	}
	v := exprObject(t.Place, last)
	d, ok := t.declared(v)
	if !ok || !types.Identical(v.Type(), types.NewSlice(types.Typ[types.Byte])) {
		return false
	}
	value, ok := d.Value.(*ast.CallExpr)
	if !ok || t.Callee(value) != "make" || len(value.Args) != 2 || facts.Commented(t.Place, d.Node().Pos(), d.Node().End()) {
		return false
	}
	t.built, t.dst, t.needs, t.exact = v, facts.Fresh(t.Place, "dst", t.rest[0].Pos(), t.Decl), true, !t.text
	for _, id := range t.Uses(v) {
		c, ok := t.Root().FindNode(id)
		if !ok || !t.fillUse(c) {
			return false
		}
	}
	for _, r := range t.returns() {
		e := t.unconverted(r.Results[0])
		part, _ := e.(*ast.SliceExpr)
		switch {
		case exprObject(t.Place, e) == v:
			t.edits = append(t.edits, edit.Replace(r.Results[0], t.dst))
		case part != nil && exprObject(t.Place, part.X) == v && part.Low == nil && part.High != nil && part.Max == nil:
			t.edits = append(t.edits, edit.Replace(r.Results[0], fmt.Sprintf("append(%s[:%s], %s...)", t.dst, t.start, t.Source(e))))
			t.emptied, t.exact = !t.text, false
		default:
			return false
		}
	}
	size := t.Source(value.Args[1])
	if n, constant := facts.ConstantInt(t.Place, value.Args[1]); constant {
		if n < 0 || !facts.AtPackageLevel(t.Place, value.Args[1]) {
			return false
		}
		t.room = "make([]byte, 0, " + size + ")"
		t.emptied, t.exact = false, false // the slice isn't nil, and its capacity stays the same
	} else if !t.text && !atLeastOne(t.Place, value.Args[1]) {
		t.emptied = true
	}
	t.edits = append(t.edits, edit.Replace(d.Node(), fmt.Sprintf("%s := len(%s)\n%[2]s = append(%[2]s, make([]byte, %s)...)\n%s := %[2]s[%[1]s:len(%[2]s):len(%[2]s)]", t.start, t.dst, size, v.Name())))
	return true
}

// atLeastOne reports whether a size is a sum with a positive constant and nothing negative.
func atLeastOne(s *code.Place, n ast.Expr) bool {
	positive := false
	for _, e := range facts.Operands(s, n) {
		v := s.Info.Types[e].Value
		if v != nil && v.Kind() == constant.Int && constant.Sign(v) > 0 {
			positive = true
		} else if facts.MayBeNegative(s, e) {
			return false
		}
	}
	return positive
}

// fillUse reports whether a use of the slice reads or sets its elements, or returns it.
func (t *textMaker) fillUse(c inspector.Cursor) bool {
	if inner := t.Package.Around(c); inner.Func != t.Func {
		return false
	}
	for {
		switch p := c.Parent().Node().(type) {
		case *ast.SliceExpr:
			if p.X != c.Node() {
				return false
			}
			c = c.Parent()
			continue
		case *ast.IndexExpr:
			_, address := c.Parent().Parent().Node().(*ast.UnaryExpr)
			return p.X == c.Node() && !address
		case *ast.RangeStmt:
			return p.X == c.Node()
		case *ast.ReturnStmt:
			return true
		case *ast.CallExpr:
			if t.Info.Types[p.Fun].IsType() {
				return facts.IsString(t.Place, p)
			}
			return borrowsBytes(t.Callee(p)) || t.Callee(p) == "append" && p.Ellipsis.IsValid() && p.Args[0] != c.Node()
		}
		return false
	}
}

// borrowsBytes reports whether a function of the standard library reads and sets bytes of its arguments alone, and keeps
// none.
func borrowsBytes(name string) bool {
	switch name {
	case "len", "copy", "clear", "encoding/hex.Encode", "unicode/utf8.EncodeRune", "encoding/binary.PutUvarint", "encoding/binary.PutVarint",
		"(*encoding/base64.Encoding).Encode", "(*encoding/base32.Encoding).Encode":
		return true
	}
	order, method, ok := strings.Cut(name, "Endian).")
	return ok && (order == "(encoding/binary.little" || order == "(encoding/binary.big") && (strings.HasPrefix(method, "Put") || strings.HasPrefix(method, "Uint"))
}
