package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var stringBytesConversion = &advice.Rule{
	ID:    "string-bytes-conversion",
	Title: "text is copied to convert its type",
	Doc: `string(b) and []byte(s) copy, and allocate if the text is longer than 32 bytes or the result is kept. Most functions
that take one type have a counterpart for the other: regexp's Match and MatchString, the packages bytes and strings,
Write and WriteString.

An io.Writer is given a string unless the package sets it to a type without WriteString, or a profile shows a writer
from another module. If the result of os.ReadFile or io.ReadAll is only converted to a string, the text is in memory
twice; that is advice only.

Conversions that the compiler optimizes away, in comparisons, map keys, switch and range, are not reported.`,
	Class:     advice.Safe,
	Frames:    lazyregexp.New(`^runtime\.(slicebytetostring|stringtoslicebyte|intstring|rawstring|rawbyteslice)`),
	Allocates: true,
	Gain:      1.5,
	Match:     matchStringBytesConversion,
	Conditions: advice.Conditions{
		Offered: "the function that takes the copy has a counterpart for the other type, or the copy is only compared, written or read",
		Review: "evaluating another argument, or a function called meanwhile, doesn't change the bytes; they don't lie in the buffer that " +
			"is written; Write and WriteString of a type do the same, and Write neither keeps nor changes its argument; the " +
			"destination of a bufio.Writer accepts Write calls of other sizes; code that takes a reader treats both kinds alike",
	},
}

func matchStringBytesConversion(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls() {
		if s.Decl != nil && (s.Decl.Name.Name == "WriteString" || s.Decl.Name.Name == "WriteRune" || s.Decl.Name.Name == "Write") {
			continue // one may be made from another
		}
		m := advice.Match{Node: c.CallExpr, Class: advice.Safe}
		if useTwin(s, c, &m) || equalBytes(s, c, &m) || writeText(s, c, &m) || writeBytes(s, c, &m) || readText(s, c, &m) || copyOfRead(s, c, &m) {
			matches = append(matches, m)
		}
	}
	return matches
}

// useTwin rewrites calls of functions that have a twin.
func useTwin(s *advice.Site, c code.Call, m *advice.Match) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	for _, t := range edit.Twins {
		if c.Name != t.Text && c.Name != t.Bytes || len(c.Args) != len(t.Params) {
			continue
		}
		toBytes := c.Name == t.Text
		other := t.Text
		if toBytes {
			other = t.Bytes
		}
		converted := ""
		for i, arg := range c.Args {
			if t.Params[i] != 'b' {
				continue
			}
			var code string
			var ok bool
			switch {
			case toBytes:
				code, ok = edit.BytesOf(s, arg)
			default:
				code, ok = edit.TextOf(s, arg)
			}
			if ok {
				converted = s.Source(arg)
			} else if toBytes && s.Info.Types[arg].Value != nil && facts.Builtins(s.Place, arg.Pos(), "byte") {
				code = "[]byte(" + s.Source(arg) + ")"
			} else {
				return false
			}
			m.Edits = append(m.Edits, edit.Replace(arg, code))
		}
		if converted == "" {
			return false
		}
		if s.Info.Selections[sel] == nil { // a function, perhaps of another package
			importPath, function := other[:strings.LastIndexByte(other, '.')], other[strings.LastIndexByte(other, '.')+1:]
			pkg, ok := facts.PackageName(s.Place, importPath, c.Pos())
			if !ok {
				return false
			}
			m.Edits = append(m.Edits, edit.Replace(sel, pkg+"."+function))
			m.Imports = []string{importPath}
		} else {
			method := other[strings.LastIndexByte(other, '.')+1:]
			if !facts.SameOwner(s.Place, sel, method) {
				m.Edits = nil
				return false
			}
			m.Edits = append(m.Edits, edit.Replace(sel.Sel, method))
		}
		m.Why = fmt.Sprintf("%s copies the text for %s; use %s, which doesn't need a copy.", converted, edit.Short(c.Name), edit.Short(other))
		edit.MustCheck(m, readLater(s, c), facts.Unconverted(s.Place, c.Args...))
		return true
	}
	return false
}

// equalBytes rewrites bytes.Equal where == compares without a copy.
func equalBytes(s *advice.Site, c code.Call, m *advice.Match) bool {
	if c.Name != "bytes.Equal" || len(c.Args) != 2 || facts.Commented(s.Place, c.Pos(), c.End()) || !facts.Builtins(s.Place, c.Pos(), "string") {
		return false
	}
	var sides [2]string
	converted := ""
	for i, arg := range c.Args {
		code, ok := edit.TextOf(s, arg)
		if ok {
			converted = s.Source(arg)
		} else {
			code = "string(" + s.Source(arg) + ")"
		}
		sides[i] = code
	}
	if converted == "" || s.Info.Types[c.Args[0]].IsNil() || s.Info.Types[c.Args[1]].IsNil() {
		return false
	}
	code := sides[0] + " == " + sides[1]
	switch p := c.Parent().Node().(type) {
	case *ast.UnaryExpr:
		m.Edits = []advice.Edit{edit.Replace(p, sides[0]+" != "+sides[1])}
		if _, inner := c.Parent().Parent().Node().(*ast.BinaryExpr); inner {
			m.Edits = []advice.Edit{edit.Replace(p, "("+sides[0]+" != "+sides[1]+")")}
		}
	case *ast.BinaryExpr:
		if p.Op.Precedence() > 2 { // == binds no tighter than other comparisons
			code = "(" + code + ")"
		}
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return false
	}
	if m.Edits == nil {
		m.Edits = []advice.Edit{edit.Replace(c.CallExpr, code)}
	}
	m.Why = fmt.Sprintf("%s copies the text to compare it; compare strings instead, since string(b) isn't copied there.", converted)
	edit.MustCheck(m, readLater(s, c), facts.Unconverted(s.Place, c.Args...), facts.Overtaken(s.Place, c.Cursor, []facts.Step{{Expr: c.Args[0], Contents: true}, {Expr: c.Args[1], Contents: true}}))
	return true
}

// readLater returns what to check if a call reads the bytes themselves instead of a copy made earlier:
// evaluating another argument, or a function that it is given, may change them.
func readLater(s *advice.Site, c code.Call) (check []string) {
	for i, arg := range c.Args {
		data := arg
		if operand, _, ok := facts.Conversion(s.Place, arg); ok {
			data = operand
		}
		if !facts.IsBytes(s.Place, data) {
			continue
		}
		for j, other := range c.Args {
			_, isFunc := facts.Under(s.Info.TypeOf(other)).(*types.Signature)
			switch {
			case i == j:
			case isFunc && facts.EffectsOfCalling(s.Place, other)&facts.MayWrite != 0:
				check = append(check, fmt.Sprintf("that %s doesn't change %s when it is called", edit.ShownFunction(s, other), s.Source(data)))
			case !isFunc && !facts.UnchangedBy(s.Place, data, true, facts.Change{Code: []ast.Node{other}}):
				if operand, _, ok := facts.Conversion(s.Place, other); ok {
					other = operand
				}
				check = append(check, fmt.Sprintf("that %s doesn't change %s, which is now read after it", s.Source(other), s.Source(data)))
			}
		}
	}
	return check
}

// writeText rewrites w.Write([]byte(s)).
func writeText(s *advice.Site, c code.Call, m *advice.Match) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Write" || s.Info.Selections[sel] == nil || len(c.Args) != 1 {
		return false
	}
	if text, ok := ast.Unparen(c.Args[0]).(*ast.CallExpr); ok && len(text.Args) == 1 {
		if made, ok := ast.Unparen(text.Args[0]).(*ast.CallExpr); ok && strings.HasPrefix(s.Callee(made), "fmt.Sprint") {
			return false // bytes-sprintf says more about it
		}
	}
	code, ok := edit.TextOf(s, c.Args[0])
	if !ok || !resultsAre(s, c, "int", "error") {
		return false
	}
	t := s.Info.TypeOf(sel.X)
	to := s.Source(sel.X)
	method, _, _ := types.LookupFieldOrMethod(t, true, s.Types, "WriteString")
	twin, _ := method.(*types.Func)
	switch {
	case twin != nil && facts.Takes(twin, types.Typ[types.String]):
		m.Edits = []advice.Edit{edit.Replace(sel.Sel, "WriteString"), edit.Replace(c.Args[0], code)}
		m.Why = fmt.Sprintf("%s converts the string just to write it; use WriteString of %s.", s.Source(c.Args[0]), to)
		write, _ := s.Info.Selections[sel].Obj().(*types.Func)
		if facts.Overridden(t, write, twin) {
			return false
		}
		if !facts.Writers[facts.ReceiverType(twin)] {
			edit.MustCheck(m, []string{fmt.Sprintf("that WriteString of %s does what its Write method does", to)})
		}
		edit.MustCheck(m, facts.SplitSeen(s.Place, sel.X, to), facts.Unconverted(s.Place, c.Args...))
	case types.IsInterface(t) && types.Implements(t, facts.Writer) && !strings.HasPrefix(facts.TypeName(t), "hash.") && !strings.HasPrefix(facts.TypeName(t), "net."):
		pkg, ok := facts.PackageName(s.Place, "io", c.Pos())
		if !ok || facts.Commented(s.Place, c.Pos(), c.End()) || joinedOnStack(s, c.Args[0]) || facts.MayLackWriteString(s.Place, sel.X, reachedWriters(s)) {
			return false
		}
		m.Edits = []advice.Edit{edit.Replace(c.CallExpr, fmt.Sprintf("%s.WriteString(%s, %s)", pkg, to, code))}
		m.Imports = []string{"io"}
		m.Why = fmt.Sprintf("%s converts the string just to write it; use io.WriteString, which doesn't copy if %s implements io.StringWriter, as most writers do.", s.Source(c.Args[0]), to)
		edit.MustCheck(m, []string{fmt.Sprintf("that a WriteString method of %s does what its Write method does", to)}, facts.SetMeanwhile(s.Place, sel.X, c.Args), facts.WrittenFirst(s.Place, sel.X, []facts.Step{{Expr: c.Args[0], Called: true}}))
	default:
		return false
	}
	return true
}

// joinedOnStack reports whether a converted concatenation is known to be on the stack, as one of up to
// 32 bytes is that doesn't escape. If it were passed to an interface as a string, it would be
// allocated instead of the copy.
func joinedOnStack(s *advice.Site, e ast.Expr) bool {
	text, _, ok := facts.Conversion(s.Place, e)
	return ok && len(facts.Operands(s.Place, text)) > 1 && s.Allocated(func(size int64) bool { return size > edit.StackText }) == 0
}

// writeBytes rewrites w.WriteString(string(b)) and io.WriteString(w, string(b)).
func writeBytes(s *advice.Site, c code.Call, m *advice.Match) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "WriteString" || len(c.Args) == 0 || facts.Deferred(c.Cursor) { // the bytes may have changed by then
		return false
	}
	arg := c.Args[len(c.Args)-1]
	to := sel.X
	if c.Name == "io.WriteString" && len(c.Args) == 2 {
		to = c.Args[0]
	} else if s.Info.Selections[sel] == nil || len(c.Args) != 1 || !resultsAre(s, c, "int", "error") {
		return false
	}
	dst, ok := facts.Receiver(s.Place, to)
	if !ok || facts.Commented(s.Place, c.Pos(), c.End()) {
		return false
	}
	method := "Write"
	code, ok := edit.BytesOf(s, arg)
	if !ok {
		method = "WriteRune"
		if code, ok = runeOf(s, arg); !ok {
			return false
		}
	}
	t := s.Info.TypeOf(to)
	obj, _, _ := types.LookupFieldOrMethod(t, true, s.Types, method)
	twin, _ := obj.(*types.Func)
	if twin == nil {
		return false
	}
	known := facts.Writers[facts.ReceiverType(twin)]
	if method == "WriteRune" && !known || method == "Write" && !facts.Takes(twin, types.NewSlice(types.Typ[types.Byte])) {
		return false
	}
	if operand, _, _ := facts.Conversion(s.Place, arg); facts.SeesItself(s.Place, to, []facts.Step{{}, {Expr: operand}}) {
		return false // it writes part of the buffer itself
	}
	write, _ := s.Info.Uses[sel.Sel].(*types.Func)
	if c.Name == "io.WriteString" {
		obj, _, _ := types.LookupFieldOrMethod(t, true, s.Types, "WriteString")
		write, _ = obj.(*types.Func)
	}
	if write != nil && facts.Overridden(t, write, twin) {
		return false
	}
	m.Edits = []advice.Edit{edit.Replace(c.CallExpr, dst+"."+method+"("+code+")")}
	m.Why = fmt.Sprintf("%s copies the text just to write it; use %s.%s.", s.Source(arg), dst, method)
	operand, _, _ := facts.Conversion(s.Place, arg)
	if method == "Write" {
		edit.MustCheck(m, facts.WrittenInTurn(s.Place, []facts.Step{{Expr: operand, Contents: true}}, to, dst))
	} else {
		edit.MustCheck(m, facts.SplitSeen(s.Place, to, dst))
	}
	if !known {
		edit.MustCheck(m, []string{fmt.Sprintf("that the Write method of %s does what its WriteString does, and neither keeps nor changes the bytes", dst)})
	}
	return true
}

// runeOf returns the r of string(r).
func runeOf(s *advice.Site, e ast.Expr) (string, bool) {
	operand, to, ok := facts.Conversion(s.Place, e)
	if !ok || !types.Identical(to.Underlying(), types.Typ[types.String]) || s.Info.Types[e].Value != nil {
		return "", false
	}
	return s.Source(operand), types.Identical(s.Info.TypeOf(operand), types.Typ[types.Rune])
}

// readText rewrites readers of a copy, for functions that take any reader.
func readText(s *advice.Site, c code.Call, m *advice.Match) bool {
	if len(c.Args) != 1 || c.Name != "strings.NewReader" && c.Name != "bytes.NewReader" {
		return false
	}
	call, ok := c.Parent().Node().(*ast.CallExpr)
	if !ok {
		return false
	}
	sig, ok := s.Info.TypeOf(call.Fun).(*types.Signature)
	if !ok {
		return false
	}
	for i, arg := range call.Args {
		if arg == c.CallExpr && (i >= sig.Params().Len() || sig.Variadic() && i >= sig.Params().Len()-1 || facts.TypeName(sig.Params().At(i).Type()) != "io.Reader") {
			return false
		}
	}
	code, ok := edit.BytesOf(s, c.Args[0])
	other := "bytes"
	if c.Name == "bytes.NewReader" {
		code, ok = edit.TextOf(s, c.Args[0])
		other = "strings"
	}
	pkg, imported := facts.PackageName(s.Place, other, c.Pos())
	if !ok || !imported || facts.EffectsOf(s.Place, c.Args[0])&facts.MayWrite != 0 {
		return false
	}
	m.Edits = []advice.Edit{edit.Replace(c.CallExpr, pkg+".NewReader("+code+")")}
	m.Imports = []string{other}
	m.Why = fmt.Sprintf("%s copies the text just to read it; use %s.NewReader.", s.Source(c.Args[0]), other)
	check := []string{fmt.Sprintf("that %s does the same with a *%s.Reader", s.Source(call.Fun), other)}
	if other == "bytes" {
		check = append(check, fmt.Sprintf("that no code changes %s while it is read", code))
	}
	edit.MustCheck(m, check)
	return true
}

// resultsAre reports whether a call returns values of some types.
func resultsAre(s *advice.Site, c code.Call, names ...string) bool {
	sig, ok := s.Info.TypeOf(c.Fun).(*types.Signature)
	if !ok || sig.Results().Len() != len(names) {
		return false
	}
	for i, name := range names {
		if facts.TypeName(sig.Results().At(i).Type()) != name {
			return false
		}
	}
	return true
}

// copyOfRead matches string(b) if b was just read and isn't used otherwise: its contents exist twice.
func copyOfRead(s *advice.Site, c code.Call, m *advice.Match) bool {
	operand, to, ok := facts.Conversion(s.Place, c.CallExpr)
	if !ok || !types.Identical(to.Underlying(), types.Typ[types.String]) || s.Allocates() < someAllocated {
		return false
	}
	switch c.Parent().Node().(type) {
	case *ast.BinaryExpr, *ast.IndexExpr, *ast.SwitchStmt, *ast.RangeStmt:
		return false // the compiler makes no copy in most of them
	}
	obj, ok := facts.Object(s.Place, operand).(*types.Var)
	if !ok || !facts.IsLocal(s.Place, obj) || len(s.Uses(obj)) != 1 {
		return false
	}
	for d := range s.Func.Preorder((*ast.AssignStmt)(nil)) {
		assign := d.Node().(*ast.AssignStmt)
		if len(assign.Rhs) != 1 || len(assign.Lhs) != 2 {
			continue
		}
		id, ok := assign.Lhs[0].(*ast.Ident)
		if !ok || s.Info.Defs[id] != obj {
			continue
		}
		call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
		if !ok || !readers[s.Callee(call)] {
			continue
		}
		m.Class = advice.AdviceOnly
		m.Why = fmt.Sprintf("%s copies everything that %s has read. Keep the bytes, since package bytes has the same functions as strings; or read into a strings.Builder with enough capacity.", s.Source(c.CallExpr), edit.Short(s.Callee(call)))
		return true
	}
	return false
}

// readers return everything there is to read, as bytes.
var readers = map[string]bool{"os.ReadFile": true, "io.ReadAll": true, "io/ioutil.ReadFile": true, "io/ioutil.ReadAll": true, "io/fs.ReadFile": true}
