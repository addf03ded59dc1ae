package facts

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice/code"
)

// Targets are the expressions that code assigns to: x in x = …, x++ and for x = range …. In x, y
// := …, both count, because one may be declared earlier.
func Targets(in ast.Node) iter.Seq[ast.Expr] {
	return func(yield func(ast.Expr) bool) {
		for n := range ast.Preorder(in) {
			var to []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				to = n.Lhs
			case *ast.IncDecStmt:
				to = []ast.Expr{n.X}
			case *ast.RangeStmt:
				if n.Tok == token.ASSIGN {
					to = []ast.Expr{n.Key, n.Value}
				}
			}
			for _, e := range to {
				if e != nil && !yield(e) {
					return
				}
			}
		}
	}
}

// Assigned reports whether code assigns to a variable itself, or takes its address.
func Assigned(s *code.Place, obj types.Object, in ast.Node) bool {
	for e := range Targets(in) {
		if Object(s, e) == obj {
			return true
		}
	}
	for n := range ast.Preorder(in) {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND && Object(s, u.X) == obj {
			return true
		}
	}
	return false
}

// AssignedAny reports whether code assigns to one of the variables in an expression.
func AssignedAny(s *code.Place, e ast.Expr, in ast.Node) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := s.Info.Uses[id].(*types.Var); ok && Assigned(s, v, in) {
				found = true
			}
		}
		return !found
	})
	return found
}

// Private reports whether a local variable changes only by assignments in its own function: no
// pointer refers to it, and no function literal assigns to it. Data that it points to may still
// change.
func Private(s *code.Place, obj types.Object) bool {
	v, ok := obj.(*types.Var)
	if !ok || v.IsField() || v.Parent() == nil || v.Pkg() != s.Types || v.Parent() == s.Types.Scope() {
		return false
	}
	type isPrivate struct{ *types.Var }
	return code.Memo(s.Package, isPrivate{v}, func() bool {
		return !slices.ContainsFunc(s.Uses(v), func(id *ast.Ident) bool {
			c, ok := s.Root().FindNode(id)
			return !ok || addressed(s, c) || Changes(s, c) && inLiteral(c, v)
		})
	})
}

// ownPath returns the largest expression around a variable that is still in the variable's own
// memory: a.f[i] for a, if a is a struct and f an array.
func ownPath(s *code.Place, c inspector.Cursor) inspector.Cursor {
	for {
		switch p := c.Parent().Node().(type) {
		case *ast.ParenExpr:
		case *ast.SelectorExpr:
			selection := s.Info.Selections[p]
			if selection == nil || selection.Kind() != types.FieldVal || selection.Indirect() {
				return c
			}
		case *ast.IndexExpr:
			if p.X != c.Node() {
				return c
			}
			if _, array := Under(s.Info.TypeOf(p.X)).(*types.Array); !array {
				return c
			}
		default:
			return c
		}
		c = c.Parent()
	}
}

// addressed reports whether a use of a variable takes the address of it, or of a part of it.
func addressed(s *code.Place, use inspector.Cursor) bool { return addressedBy(s, use) != "" }

// addressedBy describes how a use of a variable takes its address, or that of a part of it: with &,
// by slicing an array, or by calling a method with a pointer receiver. It returns "" otherwise.
func addressedBy(s *code.Place, use inspector.Cursor) string {
	c := ownPath(s, use)
	switch p := c.Parent().Node().(type) {
	case *ast.UnaryExpr:
		if p.Op == token.AND {
			return "takes its address"
		}
	case *ast.SliceExpr:
		if _, array := Under(s.Info.TypeOf(p.X)).(*types.Array); p.X == c.Node() && array {
			return "slices it"
		}
	case *ast.SelectorExpr:
		if CalledByAddress(s, p) {
			return "calls a method on its address"
		}
	}
	return ""
}

// CalledByAddress reports whether a method with a pointer receiver is called on a value that
// isn't a pointer.
func CalledByAddress(s *code.Place, method *ast.SelectorExpr) bool {
	selection := s.Info.Selections[method]
	if selection == nil || selection.Kind() != types.MethodVal || selection.Indirect() {
		return false
	}
	_, value := types.Unalias(s.Info.TypeOf(method.X)).(*types.Pointer)
	_, pointer := types.Unalias(selection.Obj().(*types.Func).Signature().Recv().Type()).(*types.Pointer)
	return pointer && !value
}

// assignedTo reports whether a statement assigns to an expression.
func assignedTo(c inspector.Cursor) bool {
	switch p := c.Parent().Node().(type) {
	case *ast.AssignStmt:
		return slices.Contains(p.Lhs, c.Node().(ast.Expr))
	case *ast.IncDecStmt:
		return true
	case *ast.RangeStmt:
		return p.Tok == token.ASSIGN && (p.Key == c.Node() || p.Value == c.Node())
	}
	return false
}

// inLiteral reports whether a use of a variable is in a function literal inside the function that
// declares it.
func inLiteral(c inspector.Cursor, v types.Object) bool {
	for lit := range c.Enclosing((*ast.FuncLit)(nil)) {
		if !Within(lit.Node(), v.Pos()) {
			return true
		}
	}
	return false
}

// assignedIn reports whether anything assigns to a variable after its declaration.
func assignedIn(s *code.Place, v types.Object) bool {
	return slices.ContainsFunc(s.Uses(v), func(id *ast.Ident) bool {
		c, ok := s.Root().FindNode(id)
		return !ok || Changes(s, c)
	})
}

// AddressTakenBy describes how a use of a variable makes it accessible elsewhere: it takes the
// address of the variable or a part of it, or is in a function literal. It returns "" otherwise.
func AddressTakenBy(s *code.Place, c inspector.Cursor, v *types.Var) string {
	if inLiteral(c, v) {
		return "has a function literal that uses it"
	}
	return addressedBy(s, c)
}

// AddressTaken reports whether some use of a local variable makes it accessible elsewhere.
func AddressTaken(s *code.Place, obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return !ok || slices.ContainsFunc(s.Uses(v), func(id *ast.Ident) bool {
		c, ok := s.Root().FindNode(id)
		return !ok || AddressTakenBy(s, c, v) != ""
	})
}

// ownMemory returns the variable whose own memory an expression is or is a part of. It returns nil
// if a pointer, a slice or a map is in between.
func ownMemory(s *code.Place, e ast.Expr) types.Object {
	if v, own := rootOf(s, e); own {
		if v, ok := v.(*types.Var); ok {
			return v
		}
	}
	return nil
}

// Changes reports whether a use of a variable assigns to it, or to a part of it.
func Changes(s *code.Place, use inspector.Cursor) bool { return assignedTo(ownPath(s, use)) }

// IsAssigned reports whether an expression is assigned to, or its address is taken.
func IsAssigned(c inspector.Cursor) bool {
	u, ok := c.Parent().Node().(*ast.UnaryExpr)
	return ok && u.Op == token.AND || assignedTo(c)
}

// IsConstantVariable reports whether an unexported package variable never changes after its
// declaration.
func IsConstantVariable(s *code.Place, v *types.Var) bool {
	if v.Parent() != s.Types.Scope() || v.Exported() {
		return false
	}
	type isConstant struct{ *types.Var }
	return code.Memo(s.Package, isConstant{v}, func() bool {
		return !slices.ContainsFunc(s.Uses(v), func(id *ast.Ident) bool {
			c, ok := s.Root().FindNode(id)
			return !ok || addressed(s, c) || Changes(s, c)
		})
	})
}
