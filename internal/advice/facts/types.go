package facts

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/hone-go/hone/internal/advice/code"
)

// IsString reports whether an expression's type is a string.
func IsString(s *code.Place, e ast.Expr) bool {
	t := s.Info.TypeOf(e)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// IsBytes reports whether an expression's type is a slice of bytes.
func IsBytes(s *code.Place, e ast.Expr) bool {
	t := s.Info.TypeOf(e)
	if t == nil {
		return false
	}
	slice, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := slice.Elem().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

func IsByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// PlainBytes reports whether the elements of a slice are of type byte itself.
func PlainBytes(t types.Type) bool {
	slice, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(slice.Elem(), types.Typ[types.Byte])
}

// IsFloat reports whether a value of a type may be a NaN.
func IsFloat(t types.Type) bool {
	if p, ok := t.(*types.TypeParam); ok {
		t = p.Constraint()
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) != 0
	case *types.Interface:
		return true
	}
	return false
}

// IsNamed reports whether a type, or the type that it points to, has the given package and name.
func IsNamed(t types.Type, pkg, name string) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return HasName(t, pkg, name)
}

// HasName reports whether a type itself has the given package and name.
func HasName(t types.Type, pkg, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg
}

// Under returns the underlying type. For a type parameter it is the core type of its constraint,
// as for M in [M ~map[K]V], or the constraint itself.
func Under(t types.Type) types.Type {
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	constraint := p.Constraint().Underlying().(*types.Interface)
	for i := range constraint.NumEmbeddeds() {
		switch e := constraint.EmbeddedType(i).(type) {
		case *types.Union:
			if e.Len() == 1 {
				return e.Term(0).Type().Underlying()
			}
		default:
			if !types.IsInterface(e) {
				return e.Underlying()
			}
		}
	}
	return constraint
}

// structOf returns the underlying struct of a type, or of the type that it points to.
func structOf(t types.Type) (*types.Struct, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

// HasElements reports whether a type is a slice, an array or a pointer to one.
func HasElements(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Slice, *types.Array:
		return true
	case *types.Pointer:
		_, array := t.Elem().Underlying().(*types.Array)
		return array
	}
	return false
}

// TypeName returns a type as go/types writes it, with whole import paths, without
// aliases.
func TypeName(t types.Type) string {
	if t == nil {
		return ""
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		return "*" + TypeName(p.Elem())
	}
	return types.TypeString(t, nil)
}

func IsInt(s *code.Place, e ast.Expr, want int64) bool {
	n, ok := ConstantInt(s, e)
	return ok && n == want
}

// ConstantInt returns the value of a constant integer.
func ConstantInt(s *code.Place, e ast.Expr) (int64, bool) {
	v := s.Info.Types[e].Value
	if v == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(v))
}

// ShiftsConstant reports whether code shifts a constant by a number that isn't constant, such as 1<<n. The
// constant's type then depends on the code around it.
func ShiftsConstant(s *code.Place, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		shift, ok := n.(*ast.BinaryExpr)
		found = found || ok && (shift.Op == token.SHL || shift.Op == token.SHR) && s.Info.Types[shift].Value == nil && s.Info.Types[shift.X].Value != nil
		return !found
	})
	return found
}

// ConstantText returns the value of a constant string.
func ConstantText(s *code.Place, e ast.Expr) (string, bool) {
	v := s.Info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// Conversion returns the operand of a conversion such as []byte(s), and its type.
func Conversion(s *code.Place, e ast.Expr) (operand ast.Expr, to types.Type, ok bool) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !s.Info.Types[call.Fun].IsType() {
		return nil, nil, false
	}
	return call.Args[0], s.Info.TypeOf(call.Fun), true
}

func isPackageName(obj types.Object) bool {
	_, ok := obj.(*types.PkgName)
	return ok
}

func IsBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// SizeOf is how many bytes a value of a type takes on a 64-bit machine; false if that
// depends on a type parameter.
func SizeOf(t types.Type) (int64, bool) {
	if Sized(t) {
		return types.SizesFor("gc", "amd64").Sizeof(t), true
	}
	return 0, false
}

// Sized reports whether the size of a type's values doesn't depend on a type parameter.
func Sized(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return Sized(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if !Sized(u.Field(i).Type()) {
				return false
			}
		}
	}
	return true
}

// PointerFree reports whether values of a type contain no pointers, so that a copy is complete.
func PointerFree(t types.Type) bool {
	switch types.TypeString(types.Unalias(t), nil) {
	case "time.Time", "net/netip.Addr", "net/netip.AddrPort", "net/netip.Prefix":
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer && u.Kind() != types.Invalid
	case *types.Struct:
		for i := range u.NumFields() {
			if !PointerFree(u.Field(i).Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		return PointerFree(u.Elem())
	}
	return false
}

func IsNumber(s *code.Place, e ast.Expr) bool {
	b, ok := s.Info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

func IsMap(s *code.Place, e ast.Expr) bool {
	_, ok := s.Info.TypeOf(e).Underlying().(*types.Map)
	return ok
}

// comparesQuietly reports whether comparing values of a type can't panic: they contain no
// interfaces, which may hold values that aren't comparable.
func comparesQuietly(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return false
	case *types.Struct:
		for i := range u.NumFields() {
			if !comparesQuietly(u.Field(i).Type()) {
				return false
			}
		}
	case *types.Array:
		return comparesQuietly(u.Elem())
	}
	return true
}

// ReceiverType is the type that a method is declared on.
func ReceiverType(f *types.Func) string {
	if f == nil || f.Signature().Recv() == nil {
		return ""
	}
	return TypeName(f.Signature().Recv().Type())
}

// emptyElements reports whether a loop ranges over elements of size 0, which take no memory
// whatever their number.
func emptyElements(t types.Type) bool {
	t = Under(t)
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	var elem types.Type
	switch t := t.(type) {
	case *types.Slice:
		elem = t.Elem()
	case *types.Array:
		elem = t.Elem()
	default:
		return false
	}
	size, ok := SizeOf(elem)
	return !ok || size == 0
}
