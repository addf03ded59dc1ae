package srcfind

import "go/ast"

// A Receiver describes the receiver of a method by its syntax.
type Receiver struct {
	Type    string // its name without type parameters; "" if the declaration is not a method
	Pointer bool   // *T
	Generic bool   // T[K]
}

// ReceiverOf returns the receiver of a declaration. It is the zero value for functions, and for
// receivers that don't compile.
func ReceiverOf(d *ast.FuncDecl) Receiver {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return Receiver{}
	}
	var r Receiver
	for t := d.Recv.List[0].Type; ; {
		switch x := t.(type) {
		case *ast.StarExpr:
			t, r.Pointer = x.X, true
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t, r.Generic = x.X, true
		case *ast.IndexListExpr:
			t, r.Generic = x.X, true
		case *ast.Ident:
			r.Type = x.Name
			return r
		default:
			return Receiver{}
		}
	}
}

// DeclName returns the name of a declared function, or the type and name of a
// method, as "T.M".
func DeclName(d *ast.FuncDecl) string {
	if r := ReceiverOf(d); r.Type != "" {
		return r.Type + "." + d.Name.Name
	}
	return d.Name.Name
}

// FuncName returns the name of a declaration, a method's with its receiver: "(*Parser).Next".
func FuncName(d *ast.FuncDecl) string {
	switch r := ReceiverOf(d); {
	case r.Type == "":
		return d.Name.Name
	case r.Pointer:
		return "(*" + r.Type + ")." + d.Name.Name
	default:
		return r.Type + "." + d.Name.Name
	}
}
