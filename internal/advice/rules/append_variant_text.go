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
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// writesBuffer reads a function that writes to a buffer, and returns what is in it:
//
//	var sb strings.Builder
//	sb.WriteString(p.name)
//	return sb.String()
func (t *textMaker) writesBuffer() bool {
	v := t.bufferOf(t.rest[len(t.rest)-1])
	d, ok := t.declared(v)
	if !ok || !t.newBuffer(&d) {
		return false
	}
	t.built, t.dst, t.spare = v, facts.Fresh(t.Place, "dst", t.rest[0].Pos(), t.Decl), !t.text
	for _, id := range t.Uses(v) {
		c, ok := t.Root().FindNode(id)
		if !ok || t.Package.Around(c).Func != t.Func || !t.bufferUse(c) {
			return false
		}
	}
	for _, r := range t.returns() {
		if t.bufferOf(r) != v {
			return false
		}
		t.edits = append(t.edits, edit.Replace(r.Results[0], t.dst))
	}
	t.remove(d.Node())
	if t.needs {
		t.edits = slices.Insert(t.edits, 0, edit.Insert(t.rest[0].Pos(), t.start+" := len("+t.dst+")\n"))
	}
	return true
}

// bufferOf returns the local Builder or Buffer whose contents a statement returns.
func (t *textMaker) bufferOf(stmt ast.Stmt) types.Object {
	r, ok := stmt.(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return nil
	}
	call, ok := ast.Unparen(r.Results[0]).(*ast.CallExpr)
	if !ok {
		return nil
	}
	switch name := t.Callee(call); {
	case t.text && (name == "(*strings.Builder).String" || name == "(*bytes.Buffer).String"), !t.text && name == "(*bytes.Buffer).Bytes":
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		v := facts.Object(t.Place, sel.X)
		if v == nil {
			return nil
		}
		switch strings.TrimPrefix(facts.TypeName(v.Type()), "*") {
		case "strings.Builder", "bytes.Buffer":
			return v
		}
	}
	return nil
}

// newBuffer reports whether a declaration makes an empty buffer.
func (t *textMaker) newBuffer(d *facts.Declaration) bool {
	switch value := d.Value.(type) {
	case nil:
		_, pointer := t.Info.TypeOf(d.Type).(*types.Pointer)
		return !pointer
	case *ast.CompositeLit:
		return len(value.Elts) == 0
	case *ast.UnaryExpr:
		lit, ok := value.X.(*ast.CompositeLit)
		return ok && value.Op == token.AND && len(lit.Elts) == 0
	case *ast.CallExpr:
		return t.Callee(value) == "new" || t.Callee(value) == "bytes.NewBuffer" && t.Info.Types[value.Args[0]].IsNil()
	}
	return false
}

// bufferUse rewrites a use of the buffer; false if the variant can't do the same.
func (t *textMaker) bufferUse(c inspector.Cursor) bool {
	target := c
	if u, ok := c.Parent().Node().(*ast.UnaryExpr); ok && u.Op == token.AND {
		target = c.Parent()
	}
	var call *ast.CallExpr
	var at inspector.Cursor
	switch p := target.Parent().Node().(type) {
	case *ast.SelectorExpr:
		at = target.Parent().Parent()
		call, _ = at.Node().(*ast.CallExpr)
		if call == nil || call.Fun != ast.Expr(p) {
			return false
		}
	case *ast.CallExpr:
		at, call = target.Parent(), p
	default:
		return false
	}
	name := t.Callee(call)
	if _, ok := t.CallAt(at, name); !ok {
		return false
	}
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "String", "Bytes":
		_, returned := at.Parent().Node().(*ast.ReturnStmt)
		return returned && len(call.Args) == 0
	case "Len":
		t.measured(at)
		return len(call.Args) == 0
	}
	stmt, ok := at.Parent().Node().(*ast.ExprStmt)
	if !ok || facts.Commented(t.Place, stmt.Pos(), stmt.End()) {
		return false
	}
	text, ok := t.write(name, call)
	if !ok {
		return false
	}
	t.edits = append(t.edits, edit.Replace(stmt, text))
	return true
}

// write is the statement that appends what a call writes to the buffer.
func (t *textMaker) write(name string, call *ast.CallExpr) (text string, ok bool) {
	if kind, ok := strings.CutPrefix(name, "fmt.Fprint"); ok {
		return t.printed(call.Fun, "Append"+kind, call.Args[1:], call)
	}
	if len(call.Args) != 1 {
		return "", false
	}
	arg := call.Args[0]
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "WriteString":
		var all []string
		for _, e := range facts.Operands(t.Place, arg) {
			text, ok := t.appended(e)
			if !ok {
				return "", false
			}
			all = append(all, t.dst+" = "+text)
		}
		t.inTurn(facts.Operands(t.Place, arg))
		return strings.Join(all, "\n"), true
	case "Write":
		return fmt.Sprintf("%s = append(%[1]s, %s...)", t.dst, t.Source(arg)), true
	case "WriteByte":
		return fmt.Sprintf("%s = append(%[1]s, %s)", t.dst, t.Source(arg)), true
	case "WriteRune":
		text, ok := t.rune(arg)
		return t.dst + " = " + text, ok
	case "Grow":
		pkg, ok := facts.PackageName(t.Place, "slices", call.Pos())
		if facts.EffectsOf(t.Place, arg)&^(facts.MayRead|facts.ReadsBytes) != 0 || facts.MayBeNegative(t.Place, arg) {
			return "", false
		}
		t.emptied = !t.text
		if !ok || !t.AtLeast("1.21") {
			return "", true
		}
		t.imports = append(t.imports, "slices")
		return fmt.Sprintf("%s = %s.Grow(%s, %s)", t.dst, pkg, t.dst, t.Source(arg)), true
	}
	return "", false
}

// printed appends what fmt prints.
func (t *textMaker) printed(fun ast.Expr, function string, args []ast.Expr, call *ast.CallExpr) (text string, ok bool) {
	text, ok = t.printedTo(fun, function, args, call)
	return t.dst + " = " + text, ok
}

func (t *textMaker) printedTo(fun ast.Expr, function string, args []ast.Expr, call *ast.CallExpr) (text string, ok bool) {
	sel, isSelector := fun.(*ast.SelectorExpr)
	if !isSelector || !t.AtLeast("1.19") || len(args) == 0 {
		return "", false
	}
	list := t.Text(args[0].Pos(), call.Rparen)
	return fmt.Sprintf("%s.%s(%s, %s)", t.Source(sel.X), function, t.dst, strings.TrimRight(strings.TrimSpace(list), ",")), true
}

// rune appends a character.
func (t *textMaker) rune(e ast.Expr) (text string, ok bool) {
	if r, constant := facts.ConstantInt(t.Place, e); constant && 0 <= r && r < 0x80 {
		return fmt.Sprintf("append(%s, %s)", t.dst, t.Source(e)), facts.AtPackageLevel(t.Place, e) && t.isUntypedRune(e)
	}
	pkg, ok := facts.PackageName(t.Place, "unicode/utf8", e.Pos())
	if !ok || !t.AtLeast("1.18") {
		return "", false
	}
	t.imports = append(t.imports, "unicode/utf8")
	return fmt.Sprintf("%s.AppendRune(%s, %s)", pkg, t.dst, t.Source(e)), true
}

// isUntypedRune reports whether a constant is written as a literal, which can be a byte as well.
func (t *textMaker) isUntypedRune(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.BasicLit)
	return ok
}

// concatenates reads a function that returns texts that it puts together:
//
//	return p.name + ":" + strconv.Itoa(p.port)
func (t *textMaker) concatenates() bool {
	returns := t.returns()
	if !t.text || len(returns) == 0 {
		return false
	}
	t.dst = facts.Fresh(t.Place, "dst", t.rest[0].Pos(), t.Decl)
	for _, r := range returns {
		parts := facts.Operands(t.Place, r.Results[0])
		if facts.Commented(t.Place, r.Pos(), r.End()) || len(parts) == 1 && !t.made(parts[0]) {
			return false
		}
		var all []string
		for i, e := range parts {
			text, ok := t.appended(e)
			if !ok {
				return false
			}
			if i < len(parts)-1 {
				text = t.dst + " = " + text
			} else {
				text = "return " + text
			}
			all = append(all, text)
		}
		t.inTurn(parts)
		t.edits = append(t.edits, edit.Replace(r, strings.Join(all, "\n")))
	}
	return true
}

// adds reads a function that adds to a string, and returns it:
//
//	s := p.name
//	s += ":" + strconv.Itoa(p.port)
//	return s
func (t *textMaker) adds() bool {
	last := t.lastReturned()
	if last == nil || !t.text {
		return false
	}
	v := facts.Object(t.Place, facts.Operands(t.Place, last)[0])
	d, ok := t.declared(v)
	if !ok || !types.Identical(v.Type(), types.Typ[types.String]) || !facts.Private(t.Place, v) || facts.Commented(t.Place, d.Node().Pos(), d.Node().End()) {
		return false
	}
	t.built, t.dst = v, facts.Fresh(t.Place, "dst", t.rest[0].Pos(), t.Decl)
	for _, id := range t.Uses(v) {
		c, ok := t.Root().FindNode(id)
		if !ok || t.Package.Around(c).Func != t.Func || !t.addUse(c) {
			return false
		}
	}
	for _, r := range t.returns() {
		parts := facts.Operands(t.Place, r.Results[0])
		text, ok := t.sum(parts[1:])
		if !ok || facts.Object(t.Place, parts[0]) != v || facts.Commented(t.Place, r.Pos(), r.End()) {
			return false
		}
		t.edits = append(t.edits, edit.Replace(r, text+"return "+t.dst))
	}
	text, constant := "", false
	if d.Value != nil {
		if text, constant = facts.ConstantText(t.Place, d.Value); constant && text == "" {
			d.Value = nil
		}
	}
	if d.Value == nil {
		t.remove(d.Node())
	} else {
		text, ok := t.sum(facts.Operands(t.Place, d.Value))
		if !ok {
			return false
		}
		t.edits = append(t.edits, edit.Replace(d.Node(), strings.TrimSuffix(text, "\n")))
	}
	if t.needs {
		t.edits = slices.Insert(t.edits, 0, edit.Insert(t.rest[0].Pos(), t.start+" := len("+t.dst+")\n"))
	}
	return true
}

// sum is the statements that append operands of a sum.
func (t *textMaker) sum(parts []ast.Expr) (text string, ok bool) {
	for _, e := range parts {
		if t.built != nil && facts.Mentions(t.Place, e, t.built) {
			return "", false
		}
		added, ok := t.appended(e)
		if !ok {
			return "", false
		}
		text += t.dst + " = " + added + "\n"
	}
	t.inTurn(parts)
	return text, true
}

// addUse rewrites a use of the string that is added to; false if the variant can't do the same.
func (t *textMaker) addUse(c inspector.Cursor) bool {
	switch p := c.Parent().Node().(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.AssignStmt:
		if len(p.Lhs) != 1 || p.Lhs[0] != c.Node() || !facts.InBlock(c.Parent()) || facts.Commented(t.Place, p.Pos(), p.End()) {
			return false
		}
		parts, anew := facts.Operands(t.Place, p.Rhs[0]), ""
		switch {
		case p.Tok == token.ASSIGN && len(parts) > 1 && facts.Object(t.Place, parts[0]) == t.built:
			parts = parts[1:]
		case p.Tok == token.ASSIGN: // what was built so far is dropped
			t.needs, anew = true, fmt.Sprintf("%s = %[1]s[:%s]\n", t.dst, t.start)
		case p.Tok != token.ADD_ASSIGN:
			return false
		}
		text, ok := t.sum(parts)
		t.edits = append(t.edits, edit.Replace(p, anew+strings.TrimSuffix(text, "\n")))
		return ok
	case *ast.CallExpr:
		if t.Callee(p) != "len" {
			return false
		}
		t.measured(c.Parent())
		return true
	case *ast.BinaryExpr:
		switch p.Op {
		case token.EQL, token.NEQ:
			text, constant := facts.ConstantText(t.Place, p.Y)
			t.needs = true
			t.edits = append(t.edits, edit.Replace(p, fmt.Sprintf("len(%s) %s %s", t.dst, p.Op, t.start)))
			return constant && text == "" && p.X == c.Node()
		case token.ADD: // the first operand of what is returned, or set to the same variable
			for c.Parent().Node() != nil {
				if b, ok := c.Parent().Node().(*ast.BinaryExpr); !ok || b.X != c.Node() {
					break
				}
				c = c.Parent()
			}
			switch outer := c.Parent().Node().(type) {
			case *ast.ReturnStmt:
				return true
			case *ast.AssignStmt:
				return len(outer.Lhs) == 1 && outer.Tok == token.ASSIGN && facts.Object(t.Place, outer.Lhs[0]) == t.built
			}
		}
	}
	return false
}

// inTurn adds what to check if each operand is now appended before the next is evaluated.
func (t *textMaker) inTurn(operands []ast.Expr) {
	if len(operands) < 2 {
		return
	}
	var steps []facts.Step
	for _, e := range operands {
		steps = append(steps, facts.Step{Expr: e, Called: true})
	}
	t.check = append(t.check, facts.InTurn(t.Place, steps, nil)...)
}

// made reports whether a text is one that its expression allocates.
func (t *textMaker) made(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	name := t.Callee(call)
	_, formatted := appenders[name]
	operand, _, converted := facts.Conversion(t.Place, e)
	return formatted || strings.HasPrefix(name, "fmt.Sprint") || converted && facts.IsBytes(t.Place, operand)
}

// appended is an expression that appends a text to dst.
func (t *textMaker) appended(e ast.Expr) (text string, ok bool) {
	e = ast.Unparen(e)
	if s, constant := facts.ConstantText(t.Place, e); constant {
		if _, literal := e.(*ast.BasicLit); literal && len(s) == 1 {
			return fmt.Sprintf("append(%s, %s)", t.dst, edit.QuotedByte(s[0])), true
		}
	}
	call, isCall := e.(*ast.CallExpr)
	if !isCall {
		return fmt.Sprintf("append(%s, %s...)", t.dst, t.Source(e)), true
	}
	if operand, _, ok := facts.Conversion(t.Place, e); ok {
		switch {
		case facts.IsBytes(t.Place, operand):
			return fmt.Sprintf("append(%s, %s...)", t.dst, t.Source(operand)), true
		case types.Identical(t.Info.TypeOf(operand), types.Typ[types.Rune]):
			return t.rune(operand)
		}
		return fmt.Sprintf("append(%s, %s...)", t.dst, t.Source(e)), true
	}
	name := t.Callee(call)
	if kind, ok := strings.CutPrefix(name, "fmt.Sprint"); ok {
		return t.printedTo(call.Fun, "Append"+kind, call.Args, call)
	}
	if u := (textUse{textMaker: t, s: t.Site, c: code.Call{CallExpr: call}}); name == t.fn.FullName() && u.names() {
		return t.callText(call), true
	}
	if to, ok := appenders[name]; ok && (to.since == "" || t.AtLeast(to.since)) && to.valid == "" {
		c, found := t.Root().FindNode(call)
		f := appendedValue{s: t.Site, to: to}
		if found {
			if f.c, ok = t.CallAt(c, name); ok && f.callable() && !f.invalid() && !(name == "strconv.Itoa" && facts.ShiftsConstant(t.Place, call.Args[0])) {
				t.imports = append(t.imports, f.imports()...)
				return f.call(t.dst), true
			}
		}
	}
	return fmt.Sprintf("append(%s, %s...)", t.dst, t.Source(e)), true
}

// callText is a call of the function itself as a call of its variant, which appends to dst.
func (t *textMaker) callText(call *ast.CallExpr) string {
	return edit.Applied(t.Site, call, t.callEdits(call, t.dst))
}

// callEdits make a call of the function one of its variant.
func (t *textMaker) callEdits(call *ast.CallExpr, dst string) []advice.Edit {
	var name *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = fun
	case *ast.SelectorExpr:
		name = fun.Sel
	}
	if len(call.Args) > 0 {
		dst += ", "
	}
	return []advice.Edit{edit.Replace(name, t.name), edit.Insert(call.Lparen+1, dst)}
}
