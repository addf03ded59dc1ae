package benchgen

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// pure are packages whose functions, as tests use them to make inputs, return the same for the same arguments.
var pure = []string{
	"strings", "bytes", "strconv", "errors", "fmt", "math", "math/big", "math/bits", "unicode/utf8", "slices", "maps", "regexp", "net/url", "net/netip", "path",
	"bufio", "context", "time", "encoding/hex", "encoding/base64", "encoding/json", "encoding/binary", "io",
}

// A definition is a statement of a test that defines local variables, constants or types.
type definition struct {
	stmt   ast.Stmt
	fresh  bool // made again for each call
	needed map[types.Object]bool
}

// An inputs is the state of a search for the definitions that a call's inputs need.
type inputs struct {
	*tests
	call  *call
	fn    *ast.FuncDecl
	found map[ast.Stmt]*definition
	why   string // why there can be no benchmark
}

// inputs finds the definitions that a call's arguments and receiver need. It returns why that isn't possible; "" if it is.
func (t *tests) inputs(c *call, fn *ast.FuncDecl) string {
	in := &inputs{tests: t, call: c, fn: fn, found: make(map[ast.Stmt]*definition)}
	in.resolve(c.expr.Fun, in.changesReceiver())
	for i, arg := range c.expr.Args {
		in.resolve(arg, in.changesArgument(i))
	}
	if in.why != "" {
		return in.why
	}
	for _, d := range in.found {
		stmt := in.trimmed(d)
		if d.fresh || in.afterTable(d.stmt) {
			c.inside = append(c.inside, stmt)
		} else {
			c.outside = append(c.outside, stmt)
		}
	}
	slices.SortFunc(c.outside, position)
	slices.SortFunc(c.inside, position)
	return in.why
}

// fail keeps the first reason.
func (in *inputs) fail(format string, args ...any) {
	if in.why == "" {
		in.why = fmt.Sprintf(format, args...)
	}
}

// resolve finds the definitions that an expression depends on. fresh means that the call may change them.
func (in *inputs) resolve(e ast.Node, fresh bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			in.resolve(n.X, fresh)
			return false
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); !ok || !in.isField(id) {
				in.resolve(n.Key, fresh)
			}
			in.resolve(n.Value, fresh)
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				in.fail("receives its inputs from a channel")
			}
			if n.Op == token.AND {
				in.resolve(n.X, true)
				return false
			}
		case *ast.CallExpr:
			in.allowed(n)
		case *ast.Ident:
			in.name(n, e, fresh)
		}
		return in.why == ""
	})
}

func (in *inputs) isField(id *ast.Ident) bool {
	v, ok := in.TypesInfo.Uses[id].(*types.Var)
	return ok && v.IsField()
}

// allowed fails if a call that makes an input may have side effects, or other results each time.
func (in *inputs) allowed(call *ast.CallExpr) {
	if in.TypesInfo.Types[call.Fun].IsType() {
		return
	}
	switch callee := typeutil.Callee(in.TypesInfo, call).(type) {
	case *types.Builtin:
		return
	case *types.Func:
		inTest := strings.HasSuffix(in.Fset.Position(callee.Pos()).Filename, "_test.go")
		if pkg := callee.Pkg(); pkg == nil || pkg.Path() == in.tested && !inTest || slices.Contains(pure, pkg.Path()) {
			return
		}
		in.fail("calls %s to make an input, which may have side effects", callee.Name())
	default:
		in.fail("calls a function value to make an input")
	}
}

// name finds the import or definition of a name in an expression.
func (in *inputs) name(id *ast.Ident, within ast.Node, fresh bool) {
	obj := in.TypesInfo.Uses[id]
	switch {
	case obj == nil || within.Pos() <= obj.Pos() && obj.Pos() < within.End():
		return // defined in the expression
	case obj.Pkg() == nil: // of the universe
		return
	}
	if pkg, ok := obj.(*types.PkgName); ok {
		as := ""
		if pkg.Name() != path.Base(pkg.Imported().Path()) {
			as = pkg.Name()
		}
		in.call.imports[pkg.Imported().Path()] = as
		return
	}
	if obj.Parent() == obj.Pkg().Scope() || obj.Parent() == types.Universe || obj.Parent() == nil {
		return
	}
	if obj.Pos() < in.fn.Body.Pos() || in.fn.Body.End() <= obj.Pos() {
		in.fail("needs its parameter %s", obj.Name())
		return
	}
	if v, ok := obj.(*types.Var); ok {
		in.unchanged(v)
	}
	in.define(obj, fresh)
}

// define finds the definition of a local name.
func (in *inputs) define(obj types.Object, fresh bool) {
	var stmt ast.Stmt
	ast.Inspect(in.fn.Body, func(n ast.Node) bool {
		if n == nil || stmt != nil || obj.Pos() < n.Pos() || n.End() <= obj.Pos() {
			return false
		}
		switch s := n.(type) {
		case *ast.AssignStmt:
			if slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool { return e.Pos() == obj.Pos() }) {
				stmt = s
			}
		case *ast.DeclStmt:
			stmt = s
		case *ast.RangeStmt:
			if s.Key != nil && s.Key.Pos() == obj.Pos() || s.Value != nil && s.Value.Pos() == obj.Pos() {
				stmt = s
			}
		case *ast.TypeSwitchStmt:
			if s.Assign.Pos() == obj.Pos() {
				return false
			}
		}
		return true
	})
	if stmt == nil {
		in.fail("needs %s, which is a parameter or a case's variable", obj.Name())
		return
	}
	if v, ok := obj.(*types.Var); !ok || !in.refers(v.Type()) {
		fresh = false // nothing can change it
	}
	if d := in.found[stmt]; d != nil {
		d.needed[obj], d.fresh = true, d.fresh || fresh
		return
	}
	if table, ok := stmt.(*ast.RangeStmt); ok {
		in.call.row[obj] = true
		in.rangeOver(table, fresh)
		return
	}
	fresh = fresh || obj.Name() == "b" // it would hide the benchmark
	d := &definition{stmt: stmt, fresh: fresh, needed: map[types.Object]bool{obj: true}}
	in.found[stmt] = d
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		for _, e := range s.Rhs {
			d.fresh = d.fresh || makes(e)
			in.resolve(e, fresh)
		}
	case *ast.DeclStmt:
		if decl := s.Decl.(*ast.GenDecl); len(decl.Specs) > 1 {
			in.fail("declares %s together with other names", obj.Name())
		} else if v, ok := decl.Specs[0].(*ast.ValueSpec); ok && decl.Tok == token.VAR {
			if len(v.Names) > 1 {
				in.fail("declares %s together with other names", obj.Name())
			}
			d.fresh = d.fresh || len(v.Values) == 0
			for _, e := range v.Values {
				d.fresh = d.fresh || makes(e)
				in.resolve(e, fresh)
			}
			if v.Type != nil {
				in.resolve(v.Type, false)
			}
		} else {
			in.inType(decl)
		}
	}
}

// inType finds the definitions that a local constant or type needs.
func (in *inputs) inType(decl *ast.GenDecl) {
	switch s := decl.Specs[0].(type) {
	case *ast.ValueSpec:
		for _, e := range s.Values {
			in.resolve(e, false)
		}
	case *ast.TypeSpec:
		in.resolve(s.Type, false)
	}
}

// rangeOver makes a loop over a table part of the benchmark.
func (in *inputs) rangeOver(table *ast.RangeStmt, fresh bool) {
	switch in.TypesInfo.TypeOf(table.X).Underlying().(type) {
	case *types.Slice, *types.Array, *types.Map, *types.Basic:
	default:
		in.fail("ranges over %s", types.ExprString(table.X))
	}
	switch {
	case in.call.table != nil && in.call.table != table:
		in.fail("calls it in nested loops")
	case fresh && in.call.table == nil && in.changesTable(table):
		in.fail("passes elements of a table, which the function may change")
	}
	if in.call.table == nil {
		in.call.table = table
		in.resolve(table.X, false)
	}
}

// changesTable reports whether a change of an element outlasts the iteration.
func (in *inputs) changesTable(table *ast.RangeStmt) bool {
	if table.Value == nil {
		return false
	}
	switch in.TypesInfo.TypeOf(table.Value).Underlying().(type) {
	case *types.Basic:
		return false
	}
	return true
}

// afterTable reports whether a definition is in the loop over the table.
func (in *inputs) afterTable(s ast.Stmt) bool {
	table := in.call.table
	return table != nil && table.Body.Pos() <= s.Pos() && s.End() <= table.Body.End()
}

// makes reports whether an expression makes something that a call may use up or change, such as a reader: it takes an address, or calls a
// function other than a conversion or one whose result is a plain value.
func makes(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND
		case *ast.CallExpr:
			_, conversion := n.Fun.(*ast.ArrayType)
			sel, ok := n.Fun.(*ast.SelectorExpr)
			text := ok && slices.Contains([]string{"Repeat", "Sprintf", "Sprint", "Join", "MustCompile"}, sel.Sel.Name)
			id, ok := n.Fun.(*ast.Ident)
			builtin := ok && slices.Contains([]string{"string", "len", "make", "append", "int", "int64", "byte", "float64", "uint64", "uint32", "int32"}, id.Name)
			found = found || !conversion && !text && !builtin
		}
		return !found
	})
	return found
}

// unchanged fails if the test changes a variable before the call, other than by defining it.
func (in *inputs) unchanged(v *types.Var) {
	is := func(e ast.Expr) bool {
		for {
			switch x := e.(type) {
			case *ast.SelectorExpr:
				e = x.X
			case *ast.IndexExpr:
				e = x.X
			case *ast.StarExpr:
				e = x.X
			case *ast.ParenExpr:
				e = x.X
			case *ast.SliceExpr:
				e = x.X
			default:
				id, ok := e.(*ast.Ident)
				return ok && in.TypesInfo.Uses[id] == v
			}
		}
	}
	changed := false
	ast.Inspect(in.fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			changed = changed || slices.ContainsFunc(n.Lhs, is)
		case *ast.IncDecStmt:
			changed = changed || is(n.X)
		case *ast.UnaryExpr:
			inCall := in.call.expr.Pos() <= n.Pos() && n.End() <= in.call.expr.End()
			changed = changed || n.Op == token.AND && is(n.X) && !inCall && n.Pos() < in.call.expr.Pos()
		case *ast.CallExpr:
			changed = changed || n.Pos() < in.call.expr.Pos() && n.End() < in.call.expr.Pos() && in.mayChange(n, v, is)
		}
		return !changed
	})
	if changed {
		in.fail("changes %s, or may, before the call", v.Name())
	}
}

// mayChange reports whether a call may change what a variable refers to.
func (in *inputs) mayChange(n *ast.CallExpr, v *types.Var, is func(ast.Expr) bool) bool {
	if in.TypesInfo.Types[n.Fun].IsType() {
		return false
	}
	switch callee := typeutil.Callee(in.TypesInfo, n).(type) {
	case *types.Builtin:
		return callee.Name() == "clear" || callee.Name() == "delete" || callee.Name() == "copy" && is(n.Args[0])
	case *types.Func:
		if pkg := callee.Pkg(); pkg != nil && (pkg.Path() == "testing" || pkg.Path() == "fmt" && !strings.HasPrefix(callee.Name(), "F") && !strings.Contains(callee.Name(), "can")) {
			return false
		}
	}
	if sel, ok := n.Fun.(*ast.SelectorExpr); ok && is(sel.X) && in.refers(in.TypesInfo.TypeOf(sel.X)) {
		if _, isCall := in.TypesInfo.Selections[sel]; isCall {
			return true
		}
	}
	return slices.ContainsFunc(n.Args, func(e ast.Expr) bool { return is(e) && in.refers(in.TypesInfo.TypeOf(e)) })
}

// refers reports whether a value of a type may share memory with copies of it, or a method may change it.
func (in *inputs) refers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return false
	case *types.Struct:
		return u.NumFields() > 0
	}
	return true
}

// changesReceiver reports whether the method called may change its receiver.
func (in *inputs) changesReceiver() bool {
	fn, ok := typeutil.Callee(in.TypesInfo, in.call.expr).(*types.Func)
	if !ok || fn.Signature().Recv() == nil {
		return false
	}
	_, pointer := fn.Signature().Recv().Type().(*types.Pointer)
	return pointer
}

// changesArgument reports whether the function called may change what an argument refers to.
func (in *inputs) changesArgument(i int) bool {
	fn, ok := typeutil.Callee(in.TypesInfo, in.call.expr).(*types.Func)
	if !ok {
		return false
	}
	switch t := in.TypesInfo.TypeOf(in.call.expr.Args[i]).Underlying().(type) {
	case *types.Slice:
		return fn.Signature().Results().Len() == 0 || in.writes(fn, i)
	case *types.Map, *types.Pointer, *types.Interface, *types.Chan:
		return !types.Identical(t, types.Universe.Lookup("error").Type().Underlying())
	}
	return false
}

// writes reports whether a function's source may change elements of a parameter: it assigns to them, or passes the slice to another function.
func (in *inputs) writes(fn *types.Func, i int) (does bool) {
	for _, p := range in.Syntax {
		for _, d := range p.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || in.TypesInfo.Defs[decl.Name] != fn.Origin() || decl.Body == nil {
				continue
			}
			params := fn.Origin().Signature().Params()
			param := params.At(min(i, params.Len()-1))
			is := func(e ast.Expr) bool {
				if s, ok := e.(*ast.SliceExpr); ok {
					e = s.X
				}
				id, ok := e.(*ast.Ident)
				return ok && in.TypesInfo.Uses[id] == param
			}
			ast.Inspect(decl.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for _, l := range n.Lhs {
						if x, ok := l.(*ast.IndexExpr); ok && is(x.X) {
							does = true
						}
					}
				case *ast.CallExpr:
					_, builtin := typeutil.Callee(in.TypesInfo, n).(*types.Builtin)
					if !in.TypesInfo.Types[n.Fun].IsType() && !(builtin && types.ExprString(n.Fun) == "len") {
						does = does || slices.ContainsFunc(n.Args, is)
					}
				}
				return !does
			})
			return does
		}
	}
	return true // its source isn't in this package
}

// trimmed returns a definition without the names that the benchmark doesn't need.
func (in *inputs) trimmed(d *definition) ast.Stmt {
	s, ok := d.stmt.(*ast.AssignStmt)
	if !ok {
		return d.stmt
	}
	if s.Tok != token.DEFINE {
		in.fail("assigns an input to an existing variable")
		return s
	}
	short := *s
	short.Lhs = slices.Clone(s.Lhs)
	for i, e := range short.Lhs {
		if id, ok := e.(*ast.Ident); !ok || !d.needed[in.TypesInfo.Defs[id]] {
			short.Lhs[i] = &ast.Ident{NamePos: e.Pos(), Name: "_"}
		}
	}
	return &short
}
