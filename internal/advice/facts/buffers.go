package facts

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// BufferUses reports whether all uses of a buffer also work with a strings.Builder, and whether
// one of them is Grow.
func BufferUses(s *code.Place, obj types.Object) (grows, ok bool) {
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
				if Deferred(parent.Parent()) {
					return false, false
				}
			default:
				return false, false
			}
		case *ast.CallExpr:
			if !PrintsTo(s, c) {
				return false, false
			}
		default:
			return false, false
		}
	}
	return grows, true
}

// PrintsTo reports whether a use of a buffer is the destination of a function of fmt or io.
func PrintsTo(s *code.Place, use inspector.Cursor) bool {
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

// CallsMethod reports whether one of the named methods is called on a variable.
func CallsMethod(s *code.Place, obj types.Object, methods ...string) bool {
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

// OnlyReads reports whether a use of a buffer calls a method that doesn't write.
func OnlyReads(c inspector.Cursor) bool {
	sel, ok := c.Parent().Node().(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "String" || sel.Sel.Name == "Len" || sel.Sel.Name == "Bytes")
}

// NewlyDeclared returns the statement that declares a local, empty buffer.
func NewlyDeclared(s *code.Place, obj types.Object) (inspector.Cursor, bool) {
	d, ok := DeclarationOf(s, obj)
	if !ok || !d.IsZero(s) {
		return d.Cursor, false
	}
	switch strings.TrimPrefix(TypeName(obj.Type()), "*") {
	case "strings.Builder", "bytes.Buffer":
		return d.Cursor, InBlock(d.Cursor)
	}
	return d.Cursor, false
}

// NewBuffer reports whether the function declares a strings.Builder or bytes.Buffer and never
// calls Grow on it.
func NewBuffer(s *code.Place, obj types.Object) bool {
	if obj == nil || !IsLocal(s, obj) || IsParameter(s, obj) || CallsMethod(s, obj, "Grow", "Reset", "Truncate") {
		return false
	}
	switch TypeName(obj.Type()) {
	case "strings.Builder", "bytes.Buffer":
		return true
	}
	_, empty := NewlyDeclared(s, obj)
	return empty
}
