package facts

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/advice/code"
)

// A Keep is a place that stores a part of a text or slice where it outlives its function.
type Keep struct {
	Part ast.Expr // what is stored
	In   string   // where, for people: "field user of entry"
	Key  bool     // of a map, which keeps the first of equal keys
}

// KeptParts returns where parts of a new text or slice are stored, within the package. It returns nothing if
// all of it is stored somewhere, or every part of it.
func KeptParts(s *code.Place, text inspector.Cursor) []Keep {
	f := &follower{place: s, origin: text.Node(), seen: make(map[followed]bool)}
	f.expr(text, value{})
	if f.all || len(f.keeps) > manyParts {
		return nil
	}
	return f.keeps
}

const (
	// manyParts is how many stored parts may still be a small part of the text together.
	manyParts = 3
	// maxFollowed is how many variables are followed. Texts that go through more hands are not understood.
	maxFollowed = 100
)

// A portion is how much of a text a value refers to.
type portion uint8

const (
	whole   portion = iota // all of it, or nearly all
	pieces                 // a list that has all of it in pieces
	each                   // one piece after the other, in a loop
	piece                  // one piece
	nothing                // another text
)

// A value is what is known about an expression that refers to the text.
type value struct {
	portion
	list bool // of pieces
	// part is the expression that refers to the text, if it is a part of a larger value.
	part ast.Expr
	// in is what part is stored in, in that larger value: "field user of entry".
	in  string
	key bool // in is a map, as a key
}

type followed struct {
	types.Object
	portion
}

// A follower follows a text through the package.
type follower struct {
	place  *code.Place
	origin ast.Node // the text
	seen   map[followed]bool
	keeps  []Keep
	all    bool // all of the text is stored
}

// expr follows the value of an expression to where it is stored.
func (f *follower) expr(c inspector.Cursor, v value) {
	for v.portion != nothing && !f.all {
		e, ok := c.Node().(ast.Expr)
		if !ok {
			return
		}
		if v.in == "" {
			v.part = e
		}
		switch p := c.Parent().Node().(type) {
		case *ast.ParenExpr:
		case *ast.UnaryExpr:
			if p.Op != token.AND {
				return
			}
		case *ast.StarExpr:
		case *ast.SliceExpr:
			if p.X != e {
				return
			}
			v = f.sliced(p, v)
		case *ast.IndexExpr:
			if p.Index == e {
				f.key(c.Parent(), v)
				return
			}
			v = f.indexed(p, v)
		case *ast.SelectorExpr:
			if v.in != f.fieldName(p.Sel.Name, f.place.Info.TypeOf(e)) { // another field, or a method
				return
			}
			v.in = ""
		case *ast.CallExpr:
			if v, ok = f.called(c, p, v); !ok {
				return
			}
		case *ast.CompositeLit:
			v = f.element(v, p)
		case *ast.KeyValueExpr:
			literal, ok := c.Parent().Parent().Node().(*ast.CompositeLit)
			if !ok {
				return
			}
			if p.Key == e && !IsMap(f.place, literal) {
				return
			}
			if name, ok := p.Key.(*ast.Ident); ok && p.Value == e && v.in == "" {
				v.in = f.fieldName(name.Name, f.place.Info.TypeOf(literal))
			}
			c = c.Parent()
			v = f.element(v, literal)
		case *ast.AssignStmt:
			f.assigned(c.Parent(), slices.Index(p.Rhs, e), p.Lhs, p.Rhs, v)
			return
		case *ast.ValueSpec:
			lhs := make([]ast.Expr, len(p.Names))
			for i, id := range p.Names {
				lhs[i] = id
			}
			f.assigned(c.Parent(), slices.Index(p.Values, e), lhs, p.Values, v)
			return
		case *ast.RangeStmt:
			f.ranged(p, e, v)
			return
		case *ast.ReturnStmt:
			if slices.ContainsFunc(p.Results, func(other ast.Expr) bool { return other != e && f.refers(other) && !f.place.Info.Types[other].IsNil() }) {
				f.all = true // together, they may be all of it
			}
			if p.Results[0] == e {
				f.returned(c.Parent(), v)
			}
			return
		case *ast.SendStmt:
			f.all = f.all || v.portion == whole // who receives it is unknown
			return
		default:
			return
		}
		c = c.Parent()
	}
}

// sliced is what a slice expression of the text refers to. Without a few bytes at one end, it is still
// nearly all of it.
func (f *follower) sliced(e *ast.SliceExpr, v value) value {
	if v.list || v.in != "" {
		return v
	}
	if e.High != nil && IsZero(f.place, e.High) { // to be filled again
		return value{portion: nothing}
	}
	nearly := e.Low == nil || IsConstant(f.place, e.Low)
	if high, ok := ast.Unparen(orNil(e.High)).(*ast.BinaryExpr); e.High != nil {
		nearly = nearly && ok && high.Op == token.SUB && IsLength(f.place, high.X)
	}
	switch {
	case nearly:
		return v
	case f.repeats(e):
		return value{portion: each}
	}
	return value{portion: piece}
}

// repeats reports whether code is in a loop that doesn't make the text anew: then it may take all pieces.
func (f *follower) repeats(at ast.Node) bool {
	c, ok := f.place.Root().FindNode(at)
	if !ok {
		return false
	}
	loop, ok := LoopAround(c)
	return ok && !Within(loop.Node(), f.origin.Pos())
}

func orNil(e ast.Expr) ast.Expr {
	if e == nil {
		return &ast.BadExpr{}
	}
	return e
}

// IsConstant reports whether an expression is a constant.
func IsConstant(s *code.Place, e ast.Expr) bool { return s.Info.Types[e].Value != nil }

// indexed is what an element of the text, or of what has parts of it, refers to.
func (f *follower) indexed(e *ast.IndexExpr, v value) value {
	switch {
	case v.in != "" && f.mayRefer(e):
		return v
	case v.list && f.refers(e):
		return value{portion: piece}
	case v.list: // a list of lists
		if _, ok := Under(f.place.Info.TypeOf(e)).(*types.Slice); ok {
			return v
		}
	}
	return value{portion: nothing}
}

// refers reports whether values of an expression's type are text or slices.
func (f *follower) refers(e ast.Expr) bool {
	t := f.place.Info.TypeOf(e)
	if t == nil {
		return false
	}
	switch u := Under(t).(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Slice:
		return true
	}
	return false
}

// mayRefer reports whether values of an expression's type may hold text or slices.
func (f *follower) mayRefer(e ast.Expr) bool {
	t := f.place.Info.TypeOf(e)
	return t != nil && (!PointerFree(t) || f.refers(e))
}

// element is a literal that has the value as an element.
func (f *follower) element(v value, literal *ast.CompositeLit) value {
	if v.in == "" {
		v.in = "a " + f.typeName(f.place.Info.TypeOf(literal))
	}
	return v
}

// key follows an index: a map keeps its keys.
func (f *follower) key(index inspector.Cursor, v value) {
	e := index.Node().(*ast.IndexExpr)
	if v.in != "" || !IsMap(f.place, e.X) || !assignedTo(index) {
		return
	}
	v.in, v.key = "a key of "+types.ExprString(e.X), true
	if v.portion == each {
		v.portion = piece // equal keys are kept once
	}
	f.stored(e.X, v)
}

// stored has a value in a variable, or in what it points to: a local one is followed.
func (f *follower) stored(to ast.Expr, v value) {
	for {
		switch x := ast.Unparen(to).(type) {
		case *ast.Ident:
			obj, ok := f.place.Info.ObjectOf(x).(*types.Var)
			switch {
			case !ok:
			case obj.Parent() == f.place.Types.Scope():
				f.keep(v)
			default:
				f.variable(obj, v)
			}
			return
		case *ast.SelectorExpr:
			if _, ok := Under(f.place.Info.TypeOf(x.X)).(*types.Pointer); ok {
				f.keep(v)
				return
			}
			if obj, ok := f.place.Info.Uses[x.Sel].(*types.Var); ok && !obj.IsField() { // of another package
				f.keep(v)
				return
			}
			to = x.X
		case *ast.IndexExpr:
			to = x.X
		default:
			f.keep(v)
			return
		}
	}
}

// keep notes that a value is stored for longer.
func (f *follower) keep(v value) {
	switch {
	case v.portion == whole, v.portion == pieces, v.portion == each:
		f.all = true
	case !slices.ContainsFunc(f.keeps, func(k Keep) bool { return k.Part == v.part }):
		f.keeps = append(f.keeps, Keep{v.part, v.in, v.key})
	}
}

// variable follows all uses of a local variable.
func (f *follower) variable(obj *types.Var, v value) {
	at := followed{obj, v.portion}
	if f.seen[at] || len(f.seen) == maxFollowed {
		return
	}
	f.seen[at] = true
	root := f.place.Root()
	for _, id := range f.place.Uses(obj) {
		c, ok := root.FindNode(id)
		if !ok || assignedTo(c) {
			continue
		}
		f.expr(c, v)
	}
}

// assigned follows a value, the i-th on the right of an assignment, to what it is assigned to.
func (f *follower) assigned(stmt inspector.Cursor, i int, lhs, rhs []ast.Expr, v value) {
	if s, ok := stmt.Node().(*ast.AssignStmt); ok && s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		return // +=
	}
	switch {
	case i < 0:
		return
	case len(rhs) == 1 && len(lhs) > 1: // x, err := f(); before, after, found := strings.Cut(…)
		before := len(f.keeps)
		f.assign(stmt, lhs[0], v)
		if first := len(f.keeps); f.cuts(rhs[0]) {
			f.assign(stmt, lhs[1], v)
			f.all = f.all || before < first && first < len(f.keeps) // nothing is left
		}
	case i < len(lhs):
		f.assign(stmt, lhs[i], v)
	}
}

func (f *follower) assign(stmt inspector.Cursor, to ast.Expr, v value) {
	if IsBlank(to) {
		return
	}
	if v.in == "" {
		v.in = f.target(to)
		if _, local := ast.Unparen(to).(*ast.Ident); local {
			if obj, ok := f.place.Info.ObjectOf(to.(*ast.Ident)).(*types.Var); ok && obj.Parent() != f.place.Types.Scope() {
				v.in = ""
			}
		}
	}
	f.stored(to, v)
}

// target is what is assigned to, for people.
func (f *follower) target(to ast.Expr) string {
	switch x := ast.Unparen(to).(type) {
	case *ast.SelectorExpr:
		if obj, ok := f.place.Info.Uses[x.Sel].(*types.Var); ok && obj.IsField() {
			return f.fieldName(x.Sel.Name, f.place.Info.TypeOf(x.X))
		}
	case *ast.IndexExpr:
		return "an element of " + types.ExprString(x.X)
	}
	return types.ExprString(to)
}

func (f *follower) fieldName(name string, t types.Type) string {
	return "field " + name + " of " + f.typeName(t)
}

func (f *follower) typeName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	return types.TypeString(t, types.RelativeTo(f.place.Types))
}

// ranged follows the elements of what a loop ranges over.
func (f *follower) ranged(loop *ast.RangeStmt, over ast.Expr, v value) {
	if loop.X != over {
		return
	}
	to := loop.Value
	if _, iterator := Under(f.place.Info.TypeOf(over)).(*types.Signature); iterator {
		to = loop.Key
	}
	if to == nil || IsBlank(to) || !v.list && v.in == "" {
		return
	}
	obj, ok := f.place.Info.ObjectOf(identOf(to)).(*types.Var)
	if !ok || !f.mayRefer(to) && !f.refers(to) {
		return
	}
	switch {
	case v.in != "":
	case v.portion == pieces:
		v = value{portion: each}
	case v.list:
		v = value{portion: v.portion}
	}
	f.variable(obj, v)
}

func identOf(e ast.Expr) *ast.Ident {
	id, _ := ast.Unparen(e).(*ast.Ident)
	return id
}

// returned follows the result of a function to its calls in the package. A function that others may call
// passes it on to them.
func (f *follower) returned(stmt inspector.Cursor, v value) {
	function := f.place.Around(stmt)
	if function.Decl == nil || function.Func.Node() != function.Decl {
		return
	}
	obj, ok := f.place.Info.Defs[function.Decl.Name].(*types.Func)
	if !ok || f.seen[followed{obj, v.portion}] {
		return
	}
	f.seen[followed{obj, v.portion}] = true
	for _, id := range f.place.Uses(obj) {
		c, ok := f.place.Root().FindNode(id)
		if !ok {
			continue
		}
		for c.Parent().Node() != nil {
			if call, ok := c.Parent().Node().(*ast.CallExpr); ok && ast.Unparen(call.Fun) == c.Node() {
				f.expr(c.Parent(), v)
				break
			}
			if sel, ok := c.Parent().Node().(*ast.SelectorExpr); !ok || sel.Sel != c.Node() {
				break
			}
			c = c.Parent()
		}
	}
}

// called is what a call that has the value as an argument returns of it; false if that is nothing. The
// parameters of functions of the package are followed.
func (f *follower) called(c inspector.Cursor, call *ast.CallExpr, v value) (value, bool) {
	i := slices.Index(call.Args, c.Node().(ast.Expr))
	if i < 0 {
		return v, false
	}
	if operand, to, ok := Conversion(f.place, call); ok { // between string and []byte, it copies
		return v, types.Identical(Under(f.place.Info.TypeOf(operand)), Under(to))
	}
	name := f.place.Callee(call)
	if name == "append" {
		return f.appended(call, i, v)
	}
	if decl := CalleeDecl(f.place, call); decl != nil {
		if p := parameter(f.place, decl, i); p != nil {
			f.variable(p, v)
		}
		return v, false
	}
	if strings.HasPrefix(name, "(*sync.Map).") && f.refers(call.Args[i]) {
		v.in = "a sync.Map"
		f.keep(v)
		return v, false
	}
	of, known := partOfText(name)
	switch {
	case !known:
		f.all = f.all || v.portion == whole && !f.standard(call) // it may keep it
		return v, false
	case v.in != "" || i > 0 || v.list:
		return v, false
	case of == whole:
		return v, true
	case v.portion == piece || v.portion == each && of == pieces:
		of = v.portion // of every piece
	}
	return value{portion: of, list: f.isList(call)}, true
}

// isList reports whether a call returns several texts in a slice or an iterator.
func (f *follower) isList(call *ast.CallExpr) bool {
	t := f.place.Info.TypeOf(call)
	if slice, ok := t.Underlying().(*types.Slice); ok {
		return !IsByte(slice.Elem())
	}
	_, iterator := t.Underlying().(*types.Signature)
	return iterator
}

// standard reports whether a call is known to be of a function of the standard library.
func (f *follower) standard(call *ast.CallExpr) bool {
	callee := typeutil.Callee(f.place.Info, call)
	if callee == nil || callee.Pkg() == f.place.Types {
		return false
	}
	if callee.Pkg() == nil { // built in
		return true
	}
	first, _, _ := strings.Cut(callee.Pkg().Path(), "/")
	return !strings.Contains(first, ".")
}

// appended is what append returns of an argument. append(b, text...) copies bytes.
func (f *follower) appended(call *ast.CallExpr, i int, v value) (value, bool) {
	switch {
	case i == 0 || v.in != "":
		return v, true
	case call.Ellipsis.IsValid():
		return v, v.list
	}
	v.in = "an element of " + types.ExprString(call.Args[0])
	return v, true
}

// parameter returns the variable of the i-th argument.
func parameter(s *code.Place, decl *ast.FuncDecl, i int) *types.Var {
	f, ok := s.Info.Defs[decl.Name].(*types.Func)
	if !ok || i >= f.Signature().Params().Len() || f.Signature().Variadic() && i == f.Signature().Params().Len()-1 {
		return nil
	}
	return f.Signature().Params().At(i)
}

// cuts reports whether a call returns several parts of its argument.
func (f *follower) cuts(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && strings.HasSuffix(f.place.Callee(call), ".Cut")
}

// partOfText is what functions return of their first argument without a copy: pieces for a list or an iterator.
// Trimming leaves nearly all of it.
func partOfText(name string) (portion, bool) {
	pkg, function, _ := strings.Cut(name, ".")
	if pkg == "strings" || pkg == "bytes" {
		switch function {
		case "TrimSpace", "Trim", "TrimLeft", "TrimRight", "TrimPrefix", "TrimSuffix", "TrimFunc", "CutPrefix", "CutSuffix":
			return whole, true
		case "Split", "SplitN", "SplitAfter", "SplitAfterN", "Fields", "FieldsFunc", "SplitSeq", "SplitAfterSeq", "FieldsSeq", "FieldsFuncSeq", "Lines":
			return pieces, true
		case "Cut":
			return piece, true
		}
	}
	method, ok := strings.CutPrefix(name, "(*regexp.Regexp).Find")
	return piece, ok && !strings.Contains(method, "Index")
}
