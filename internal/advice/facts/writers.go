package facts

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// This file says how a rewrite changes the calls that an io.Writer gets.

// Writers are types whose Write, WriteString and WriteRune methods do the same.
var Writers = map[string]bool{"*bytes.Buffer": true, "*strings.Builder": true, "*bufio.Writer": true, "*os.File": true, "*net/http/httptest.ResponseRecorder": true}

// SplitSeen returns what to check if text goes to a *bufio.Writer in other calls than before: in
// pieces, or through another method. Its destination may then get different calls of Write or
// WriteString. It returns nil if no one can observe that: bytes.Buffer and strings.Builder have
// no destination, and a bufio.Writer for a file writes the same bytes.
func SplitSeen(s *code.Place, w ast.Expr, name string) []string {
	if TypeName(s.Info.TypeOf(w)) != "*bufio.Writer" {
		if TypeName(s.Info.TypeOf(w)) != "bufio.Writer" {
			return nil
		}
	}
	v, ok := VariableOf(s, w).(*types.Var)
	if ok && !IsAnyParameter(v) && v.Pkg() == s.Types && !v.Exported() {
		values, quiet := 0, true
		for value := range ValuesOf(s, v) {
			values++
			quiet = quiet && value != nil && writesToFile(s, value)
		}
		if quiet && values > 0 {
			return nil
		}
	}
	return []string{fmt.Sprintf("that the destination of %s accepts the same bytes in Write calls of other sizes", name)}
}

// writesToFile reports whether an expression makes a bufio.Writer in front of a file or a buffer.
func writesToFile(s *code.Place, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	switch s.Callee(call) {
	case "bufio.NewWriter", "bufio.NewWriterSize":
	default:
		return false
	}
	switch TypeName(s.Info.TypeOf(call.Args[0])) {
	case "*os.File", "*bytes.Buffer", "*strings.Builder":
		return true
	}
	return false
}

// roomAsked returns what to check if a bytes.Buffer or strings.Builder grows by other steps than
// before: the function may call Cap or Available, or keep a slice of the buffer's earlier bytes.
func roomAsked(s *code.Place, w ast.Expr, name string) []string {
	obj := RootOf(s, w)
	if obj == nil || !strings.HasSuffix(TypeName(s.Info.TypeOf(w)), "bytes.Buffer") && !strings.HasSuffix(TypeName(s.Info.TypeOf(w)), "strings.Builder") {
		return nil
	}
	for _, id := range s.Uses(obj) {
		c, ok := s.Root().FindNode(id)
		if !ok {
			continue
		}
		for sel, ok := c.Parent().Node().(*ast.SelectorExpr); ok; sel, ok = c.Parent().Node().(*ast.SelectorExpr) {
			switch sel.Sel.Name {
			case "Cap", "Available":
				return []string{fmt.Sprintf("that no code uses the capacity of %s: it grows in other steps", name)}
			case "Bytes", "AvailableBuffer", "Next":
				if !after(c, w, obj) {
					return []string{fmt.Sprintf("that no code reads an earlier result of %s.%s(): it may be overwritten by other pieces", name, sel.Sel.Name)}
				}
			}
			c = c.Parent()
		}
	}
	return nil
}

// otherWriters matches Write methods of the standard library's writers that also have WriteString,
// other than those in Writers.
var otherWriters = lazyregexp.New(`^(hash/maphash\.\(\*Hash\)|io\.(discard|\(\*multiWriter\))|net/http(/internal/http2)?\.\(\*(http2)?response(Writer)?\))\.Write$`)

// MayLackWriteString reports whether the package sets a writer to a type without WriteString, or
// whether one of the reached Write methods belongs to a writer of another module. io.WriteString
// would then copy.
func MayLackWriteString(s *code.Place, w ast.Expr, reached []string) bool {
	for _, method := range reached {
		pkg, name, pointer := strings.Cut(strings.TrimSuffix(method, ").Write"), ".(*")
		if known := pointer && Writers["*"+pkg+"."+name]; !known && !otherWriters.MatchString(method) {
			return true
		}
	}
	v, ok := VariableOf(s, w).(*types.Var)
	if !ok {
		return false
	}
	for value := range ValuesOf(s, v) {
		if value == nil {
			continue
		}
		t := s.Info.TypeOf(value)
		method, _, _ := types.LookupFieldOrMethod(t, false, s.Types, "WriteString")
		if f, ok := method.(*types.Func); !types.IsInterface(t) && t != types.Typ[types.UntypedNil] && (!ok || !Takes(f, types.Typ[types.String])) {
			return true
		}
	}
	return false
}

// Takes reports whether a method has one parameter of a type and the results (int, error).
func Takes(f *types.Func, t types.Type) bool {
	sig := f.Signature()
	return sig.Params().Len() == 1 && !sig.Variadic() && types.Identical(sig.Params().At(0).Type(), t) && sig.Results().Len() == 2 &&
		TypeName(sig.Results().At(0).Type()) == "int" && TypeName(sig.Results().At(1).Type()) == "error"
}

// SameOwner reports whether a method found by name belongs to the same type as another: a type
// that embeds that type may have its own.
func SameOwner(s *code.Place, sel *ast.SelectorExpr, name string) bool {
	t := s.Info.TypeOf(sel.X)
	obj, _, _ := types.LookupFieldOrMethod(t, true, s.Types, name)
	other, ok := obj.(*types.Func)
	method, ok2 := s.Info.Uses[sel.Sel].(*types.Func)
	return ok && ok2 && !Overridden(t, method, other)
}

// Overridden reports whether a type defines one of two methods itself and inherits the other
// from an embedded type, so that they may do different things.
func Overridden(t types.Type, write, twin *types.Func) bool {
	return !types.IsInterface(t) && ReceiverType(write) != ReceiverType(twin)
}

// Writer is the method set of io.Writer.
var Writer = func() *types.Interface {
	in := types.NewTuple(types.NewParam(token.NoPos, nil, "p", types.NewSlice(types.Typ[types.Byte])))
	out := types.NewTuple(types.NewParam(token.NoPos, nil, "n", types.Typ[types.Int]), types.NewParam(token.NoPos, nil, "err", types.Universe.Lookup("error").Type()))
	write := types.NewFunc(token.NoPos, nil, "Write", types.NewSignatureType(nil, nil, nil, in, out, false))
	return types.NewInterfaceType([]*types.Func{write}, nil).Complete()
}()
