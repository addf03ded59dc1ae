package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
)

// bufferUses reports whether a buffer is used in ways that a strings.Builder knows,
// too, and whether one of them is Grow.
func bufferUses(s *advice.Site, obj types.Object) (grows, ok bool) {
	for _, id := range s.Uses(obj) {
		c, found := s.Root().FindNode(id)
		if !found {
			return false, false
		}
		parent := c.Parent()
		if u, ok := parent.Node().(*ast.UnaryExpr); ok && u.Op == token.AND {
			parent = parent.Parent()
		}
		switch p := parent.Node().(type) {
		case *ast.SelectorExpr:
			call, called := parent.Parent().Node().(*ast.CallExpr)
			if !called || call.Fun != p {
				return false, false
			}
			switch p.Sel.Name {
			case "Grow":
				grows = true
			case "Write", "WriteByte", "WriteRune", "WriteString":
			case "String", "Len":
				if deferred(parent.Parent()) {
					return false, false
				}
			default:
				return false, false
			}
		case *ast.CallExpr:
			if !printsTo(s, c) {
				return false, false
			}
		default:
			return false, false
		}
	}
	return grows, true
}

// printsTo reports whether a use of a buffer is as what fmt or io write to.
func printsTo(s *advice.Site, use inspector.Cursor) bool {
	arg := use
	if u, ok := use.Parent().Node().(*ast.UnaryExpr); ok && u.Op == token.AND {
		arg = use.Parent()
	}
	call, ok := arg.Parent().Node().(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || call.Args[0] != arg.Node() {
		return false
	}
	switch s.Callee(call) {
	case "fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln", "io.WriteString":
		return true
	}
	return false
}

// asks reports whether some method of these names is called on a variable.
func asks(s *advice.Site, obj types.Object, methods ...string) bool {
	for _, id := range s.Uses(obj) {
		if c, ok := s.Root().FindNode(id); ok {
			if sel, ok := c.Parent().Node().(*ast.SelectorExpr); ok {
				for _, m := range methods {
					if sel.Sel.Name == m {
						return true
					}
				}
			}
		}
	}
	return false
}

// asksOnly reports whether a use of a buffer is of a method that writes nothing.
func asksOnly(c inspector.Cursor) bool {
	sel, ok := c.Parent().Node().(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "String" || sel.Sel.Name == "Len" || sel.Sel.Name == "Bytes")
}

// newlyDeclared returns the statement that declares a local, empty buffer.
func newlyDeclared(s *advice.Site, obj types.Object) (inspector.Cursor, bool) {
	d, ok := declarationOf(s, obj)
	if !ok || !d.isZero(s) {
		return d.Cursor, false
	}
	switch strings.TrimPrefix(typeName(obj.Type()), "*") {
	case "strings.Builder", "bytes.Buffer":
		return d.Cursor, inBlock(d.Cursor)
	}
	return d.Cursor, false
}

// newBuffer reports whether a strings.Builder or bytes.Buffer is declared in the function, and
// nothing makes room in it.
func newBuffer(s *advice.Site, obj types.Object) bool {
	if obj == nil || !isLocal(s, obj) || isParameter(s, obj) || asks(s, obj, "Grow", "Reset", "Truncate") {
		return false
	}
	switch typeName(obj.Type()) {
	case "strings.Builder", "bytes.Buffer":
		return true
	}
	_, empty := newlyDeclared(s, obj)
	return empty
}

// copyOfRead is of string(b) where b was read a moment ago, and is needed for nothing
// else: all of it is there twice.
func copyOfRead(s *advice.Site, c advice.Call, m *advice.Match) bool {
	operand, to, ok := conversion(s, c.CallExpr)
	if !ok || !types.Identical(to.Underlying(), types.Typ[types.String]) || s.Allocates() < someAllocated {
		return false
	}
	switch c.Parent().Node().(type) {
	case *ast.BinaryExpr, *ast.IndexExpr, *ast.SwitchStmt, *ast.RangeStmt:
		return false // the compiler copies nothing in most of them
	}
	obj, ok := object(s, operand).(*types.Var)
	if !ok || !isLocal(s, obj) || len(s.Uses(obj)) != 1 {
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
		m.Why = fmt.Sprintf("%s copies all that %s has read. Packages bytes and strings have the same functions: keep the bytes; or copy what is read into a strings.Builder that has room for it, whose String copies nothing.", s.Source(c.CallExpr), short(s.Callee(call)))
		return true
	}
	return false
}

// readers return all there is to read, as bytes.
var readers = map[string]bool{"os.ReadFile": true, "io.ReadAll": true, "io/ioutil.ReadFile": true, "io/ioutil.ReadAll": true, "io/fs.ReadFile": true}
