package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

var byteLoop = &advice.Rule{
	ID:    "byte-loop",
	Title: "a loop writes the same byte repeatedly",
	Doc: `strings.Repeat and bytes.Repeat fill memory by copying larger and larger blocks. A loop stores one byte per step, and an
append in it also checks the capacity each time.

If zeros are appended until a slice is long enough, one append adds them all. A slice that stays on the stack is not
reported, because bytes.Repeat would allocate.`,
	Class: advice.Safe,
	Gain:  3,
	Match: matchByteLoop,
	Conditions: advice.Conditions{
		Offered: "a slice is filled in the statement after it is made, or a loop with a single statement pads a string or appends zeros " +
			"until a slice is long enough",
		Review: "a count is never negative, where Repeat panics with another message than make; no other slice uses the spare capacity of " +
			"the one that zeros are appended to",
	},
}

func matchByteLoop(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Nodes() {
		assign, ok := c.Node().(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			continue
		}
		loop, ok := facts.LoopAround(c)
		if !ok {
			continue
		}
		body := facts.LoopBody(loop.Node())
		if len(body.List) != 1 || body.List[0] != assign || facts.Commented(s.Place, loop.Node().Pos(), assign.Pos()) {
			continue
		}
		if _, labeled := loop.Parent().Node().(*ast.LabeledStmt); labeled {
			continue
		}
		m := advice.Match{Node: loop.Node(), Class: advice.AdviceOnly}
		if fillsSlice(s, loop, assign, &m) || padsString(s, loop, assign, &m) || fillsUp(s, loop, assign, &m) {
			matches = append(matches, m)
		}
	}
	return matches
}

// constantByte returns a constant byte.
func constantByte(s *advice.Site, e ast.Expr) (byte, bool) {
	v := s.Info.Types[e].Value
	if v == nil || v.Kind() != constant.Int {
		return 0, false
	}
	n, ok := constant.Int64Val(v)
	return byte(n), ok && 0 <= n && n < 256
}

// fillsSlice matches b := make([]byte, n) followed by for i := range b { b[i] = ' ' }, and by
// string(b).
func fillsSlice(s *advice.Site, loop inspector.Cursor, assign *ast.AssignStmt, m *advice.Match) bool {
	index, ok := assign.Lhs[0].(*ast.IndexExpr)
	if !ok || assign.Tok != token.ASSIGN {
		return false
	}
	b := facts.Object(s.Place, index.X)
	fill, ok := constantByte(s, assign.Rhs[0])
	if !ok || fill == 0 || b == nil || !facts.IsLocal(s.Place, b) || !types.Identical(b.Type(), types.NewSlice(types.Typ[types.Byte])) {
		return false
	}
	before, ok := loop.PrevSibling()
	if !ok {
		return false
	}
	def, ok := before.Node().(*ast.AssignStmt)
	if !ok || def.Tok != token.DEFINE || len(def.Lhs) != 1 || def.Lhs[0].Pos() != b.Pos() {
		return false
	}
	made, ok := def.Rhs[0].(*ast.CallExpr)
	if !ok || s.Callee(made) != "make" || len(made.Args) != 2 || !types.Identical(types.Default(s.Info.TypeOf(made.Args[1])), types.Typ[types.Int]) {
		return false
	}
	if !wholeLoop(s, loop.Node(), b, index, made.Args[1]) {
		return false
	}
	between := advice.Edit{Pos: def.End(), End: loop.Node().End()}
	if facts.Commented(s.Place, def.End(), loop.Node().Pos()) {
		return false
	}
	m.Class = advice.Safe
	m.Node = def
	m.Why = fmt.Sprintf("The loop stores the same byte in %s one by one; Repeat fills it with block copies.", b.Name())
	var texts []ast.Expr
	used := false
	for _, id := range s.Uses(b) {
		if facts.Within(loop.Node(), id.Pos()) {
			continue
		}
		used = true
		c, ok := s.Root().FindNode(id)
		if !ok {
			return false
		}
		call, ok := c.Parent().Node().(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || !s.Info.Types[call.Fun].IsType() || !types.Identical(s.Info.TypeOf(call), types.Typ[types.String]) {
			texts = nil
			break
		}
		texts = append(texts, call)
	}
	if !used {
		return false
	}
	if facts.MayBeNegative(s.Place, made.Args[1]) {
		edit.MustCheck(m, []string{fmt.Sprintf("that %s is never negative: Repeat panics with another message than make", s.Source(made.Args[1]))})
	}
	if texts != nil && fill < 0x80 {
		pkg, ok := facts.PackageName(s.Place, "strings", def.Pos())
		if !ok {
			return false
		}
		m.Imports = []string{"strings"}
		m.Edits = []advice.Edit{edit.Replace(made, fmt.Sprintf("%s.Repeat(%s, %s)", pkg, strconv.Quote(string(rune(fill))), s.Source(made.Args[1]))), between}
		for _, t := range texts {
			m.Edits = append(m.Edits, edit.Replace(t, b.Name()))
		}
		return true
	}
	pkg, ok := facts.PackageName(s.Place, "bytes", def.Pos())
	if !ok || !facts.Builtins(s.Place, def.Pos(), "byte") || !s.In.Diagnostics().Escapes(s.Fset.Position(made.Pos()).Filename, s.Package.Line(made.Pos())) {
		return false
	}
	m.Imports = []string{"bytes"}
	m.Edits = []advice.Edit{edit.Replace(made, fmt.Sprintf("%s.Repeat([]byte{%s}, %s)", pkg, s.Source(assign.Rhs[0]), s.Source(made.Args[1]))), between}
	return true
}

// wholeLoop reports whether a loop iterates over all indexes of a slice of length n, and its body uses
// the current one.
func wholeLoop(s *advice.Site, loop ast.Node, b types.Object, index *ast.IndexExpr, n ast.Expr) bool {
	i := facts.Object(s.Place, index.Index)
	if i == nil {
		return false
	}
	sameLength := func(e ast.Expr) bool {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && s.Callee(call) == "len" {
			return facts.Object(s.Place, call.Args[0]) == b
		}
		if facts.Pure(s.Place, e) && facts.SameCode(s.Place, e, n) {
			return true
		}
		v, w := s.Info.Types[e].Value, s.Info.Types[n].Value
		return v != nil && w != nil && constant.Compare(v, token.EQL, w)
	}
	switch l := loop.(type) {
	case *ast.RangeStmt:
		if l.Tok != token.DEFINE || l.Key == nil || facts.Object(s.Place, l.Key) != i || l.Value != nil && !facts.IsBlank(l.Value) {
			return false
		}
		return facts.Object(s.Place, l.X) == b || sameLength(l.X) && facts.IsNumber(s.Place, l.X)
	case *ast.ForStmt:
		init, ok := l.Init.(*ast.AssignStmt)
		if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || facts.Object(s.Place, init.Lhs[0]) != i || !facts.IsInt(s.Place, init.Rhs[0], 0) {
			return false
		}
		cond, ok := l.Cond.(*ast.BinaryExpr)
		post, inc := l.Post.(*ast.IncDecStmt)
		return ok && inc && post.Tok == token.INC && facts.Object(s.Place, post.X) == i && cond.Op == token.LSS && facts.Object(s.Place, cond.X) == i && sameLength(cond.Y)
	}
	return false
}

// padsString matches for len(s) < n { s += " " }, or s = " " + s.
func padsString(s *advice.Site, loop inspector.Cursor, assign *ast.AssignStmt, m *advice.Match) bool {
	f, ok := loop.Node().(*ast.ForStmt)
	if !ok || f.Init != nil || f.Post != nil || f.Cond == nil || !types.Identical(s.Info.TypeOf(assign.Lhs[0]), types.Typ[types.String]) {
		return false
	}
	obj := facts.Object(s.Place, assign.Lhs[0])
	cond, ok := f.Cond.(*ast.BinaryExpr)
	if !ok || obj == nil || !facts.IsLocal(s.Place, obj) || cond.Op != token.LSS || !types.Identical(types.Default(s.Info.TypeOf(cond.Y)), types.Typ[types.Int]) || !facts.Pure(s.Place, cond.Y) || facts.Mentions(s.Place, cond.Y, obj) {
		return false
	}
	length, ok := cond.X.(*ast.CallExpr)
	if !ok || s.Callee(length) != "len" || facts.Object(s.Place, length.Args[0]) != obj {
		return false
	}
	var pad ast.Expr
	front := false
	switch assign.Tok {
	case token.ADD_ASSIGN:
		pad = assign.Rhs[0]
	case token.ASSIGN:
		sum, ok := assign.Rhs[0].(*ast.BinaryExpr)
		if !ok || sum.Op != token.ADD {
			return false
		}
		switch obj {
		case facts.Object(s.Place, sum.X):
			pad = sum.Y
		case facts.Object(s.Place, sum.Y):
			pad, front = sum.X, true
		default:
			return false
		}
	}
	text, ok := facts.ConstantText(s.Place, pad)
	if !ok || len(text) != 1 || !facts.Builtins(s.Place, f.Pos(), "len") {
		return false
	}
	pkg, ok := facts.PackageName(s.Place, "strings", f.Pos())
	if !ok {
		return false
	}
	// Not max(0, n-len(s)): for the smallest n, that is the largest number.
	repeat := fmt.Sprintf("%s.Repeat(%s, %s-len(%s))", pkg, s.Source(pad), facts.Parenthesized(cond.Y, s.Source(cond.Y)), obj.Name())
	code := obj.Name() + " += " + repeat
	if front {
		code = obj.Name() + " = " + repeat + " + " + obj.Name()
	}
	m.Edits = []advice.Edit{edit.Replace(f, fmt.Sprintf("if %s {\n%s\n}", s.Source(cond), code))}
	m.Imports = []string{"strings"}
	m.Class = advice.Safe
	m.Title = "a string is padded byte by byte"
	m.Why = fmt.Sprintf("Each step copies all of %s to add one byte; strings.Repeat makes the padding in one call.", obj.Name())
	return true
}

// fillsUp matches for len(x) < n { x = append(x, 0) }.
func fillsUp(s *advice.Site, loop inspector.Cursor, assign *ast.AssignStmt, m *advice.Match) bool {
	f, ok := loop.Node().(*ast.ForStmt)
	call, appends := facts.AppendTo(s.Place, assign)
	if !ok || !appends || f.Init != nil || f.Post != nil || f.Cond == nil || len(call.Args) != 2 || call.Ellipsis.IsValid() || !isZero(s, call.Args[1]) {
		return false
	}
	dst := assign.Lhs[0]
	if of, ok := s.Info.TypeOf(dst).Underlying().(*types.Slice); !ok || types.IsInterface(of.Elem()) && !s.Info.Types[call.Args[1]].IsNil() {
		return false // an interface that holds a zero isn't a zero value
	}
	cond, ok := f.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.LSS || !types.Identical(types.Default(s.Info.TypeOf(cond.Y)), types.Typ[types.Int]) || !facts.Pure(s.Place, dst) || !facts.Pure(s.Place, cond.Y) {
		return false
	}
	length, ok := cond.X.(*ast.CallExpr)
	if !ok || s.Callee(length) != "len" || !facts.SameCode(s.Place, length.Args[0], dst) || facts.RootOf(s.Place, dst) == nil || facts.Mentions(s.Place, cond.Y, facts.RootOf(s.Place, dst)) {
		return false
	}
	x, n := s.Source(dst), s.Source(cond.Y)
	m.Title = "a slice is filled up element by element"
	m.Why = fmt.Sprintf("Each step checks the capacity and appends one element; append(%s, make(…)...) adds all missing elements in one call, without a temporary slice.", x)
	m.Class = advice.AdviceOnly
	typ, ok := facts.TypeText(s.Place, s.Info.TypeOf(dst).Underlying(), f.Pos())
	if !ok || !facts.Builtins(s.Place, f.Pos(), "make", "len", "append") {
		return true
	}
	m.Edits = []advice.Edit{edit.Replace(f, fmt.Sprintf("if len(%s) < %s {\n%s = append(%s, make(%s, %s-len(%s))...)\n}", x, n, x, x, typ, facts.Parenthesized(cond.Y, n), x))}
	m.Class = advice.Safe
	edit.MustCheck(m, facts.SharedRoom(s.Place, dst, f))
	return true
}

// isZero reports whether an expression is the zero value of its type.
func isZero(s *advice.Site, e ast.Expr) bool {
	v := s.Info.Types[e].Value
	if v == nil {
		return s.Info.Types[e].IsNil()
	}
	switch v.Kind() {
	case constant.Int, constant.Float:
		return constant.Sign(v) == 0
	case constant.String:
		return constant.StringVal(v) == ""
	case constant.Bool:
		return !constant.BoolVal(v)
	}
	return false
}
