package facts

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/hone-go/hone/internal/advice/code"
)

func (w *effectWalk) call(call *ast.CallExpr) Effects {
	all := w.all(call.Args)
	if w.Info.Types[call.Fun].IsType() {
		if len(call.Args) != 1 {
			return anyEffect
		}
		from, to := w.Info.TypeOf(call.Args[0]), w.Info.TypeOf(call.Fun)
		if _, slice := Under(from).(*types.Slice); slice {
			if _, slice := Under(to).(*types.Slice); !slice {
				all |= MayRead | ReadsBytes
				if b, ok := Under(to).(*types.Basic); !ok || b.Info()&types.IsString == 0 {
					all |= MayPanic
				}
			}
		}
		return all
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && w.Info.Selections[sel] != nil {
		if _, method := typeutil.Callee(w.Info, call).(*types.Func); method {
			all |= w.selector(sel)
		}
	}
	return all | w.callee(call)
}

// callee returns the effects of a function call, without those of evaluating its operands. The call must not be a conversion.
func (w *effectWalk) callee(call *ast.CallExpr) Effects {
	switch f := typeutil.Callee(w.Info, call).(type) {
	case *types.Builtin:
		return w.builtin(f.Name(), call)
	case *types.Func:
		return w.function(f.Origin(), call)
	}
	return anyEffect
}

func (w *effectWalk) builtin(name string, call *ast.CallExpr) Effects {
	switch name {
	case "len", "cap", "new", "min", "max", "complex", "real", "imag":
		return 0
	case "make":
		for _, n := range call.Args[1:] {
			if v := w.Info.Types[n].Value; v == nil && lengthOf(w.Place, n, "len", "cap") == nil {
				return MayPanic
			}
		}
		return 0
	case "append":
		if FreshSlice(w.Place, call.Args[0]) {
			return MayRead
		}
		return MayRead | MayWrite // append may write to a slice's spare capacity
	case "copy", "delete", "clear", "print", "println":
		return MayRead | MayWrite
	case "panic":
		return MayPanic
	}
	return anyEffect
}

// function returns the effects of calling a function or method, without those of evaluating its
// arguments.
func (w *effectWalk) function(f *types.Func, call *ast.CallExpr) Effects {
	if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		if (f.Name() == "Kind" || f.Name() == "Name" || f.Name() == "String") && TypeName(recv.Type()) == "reflect.Type" {
			return MayPanic
		}
		return anyEffect
	}
	if f.Pkg() != w.Types {
		return w.foreign(f, call)
	}
	type effectsOfFunc struct{ *types.Func }
	if slices.Contains(w.calls, f) {
		return anyEffect // recursive
	}
	return code.Memo(w.Package, effectsOfFunc{f}, func() Effects {
		decl := DeclarationOfFunc(w.Place, f)
		if decl == nil || decl.Body == nil {
			return anyEffect
		}
		inner := effectWalk{Place: w.Place, calls: append(slices.Clip(w.calls), f)}
		return inner.block(decl.Body.List)
	})
}

// quietPackages are those whose functions, methods aside, depend on their arguments alone and change nothing.
var quietPackages = map[string]bool{
	"strings": true, "strconv": true, "unicode": true, "unicode/utf8": true, "unicode/utf16": true, "math": true, "math/bits": true, "math/cmplx": true,
	"path": true, "html": true, "cmp": true, "bytes": true, "errors": true, "encoding/hex": true, "net/url": true, "regexp": true,
}

// quietMethods are methods that change nothing; those with true read the bytes of a buffer.
var quietMethods = map[string]bool{
	"(*strings.Builder).Len": true, "(*strings.Builder).Cap": true, "(*strings.Builder).String": true,
	"(*bytes.Buffer).Len": true, "(*bytes.Buffer).Cap": true, "(*bytes.Buffer).String": true, "(*bytes.Buffer).Bytes": true,
	"(net.IP).String": true, "(*net/url.URL).String": false, "(*math/big.Int).String": false, "(*regexp.Regexp).String": false,
	"(*regexp.Regexp).MatchString": false, "(*regexp.Regexp).FindString": false, "(*regexp.Regexp).FindStringIndex": false,
	"(*regexp.Regexp).ReplaceAllString": false, "(*strings.Replacer).Replace": false, "(go/token.Token).String": false, "(go/token.Position).String": false,
	"(net/http.Header).Get": false, "(net/url.Values).Get": false, "(net/url.Values).Encode": false,
}

func (w *effectWalk) foreign(f *types.Func, call *ast.CallExpr) Effects {
	if f.Pkg() == nil {
		return anyEffect // error.Error
	}
	name, pkg := f.FullName(), f.Pkg().Path()
	if f.Signature().Recv() != nil {
		if bytes, ok := quietMethods[name]; ok {
			if bytes {
				return MayRead | ReadsBytes | MayPanic
			}
			return MayRead | MayPanic
		}
		switch ReceiverType(f) {
		case "reflect.Value":
			if f.Name() == "Type" {
				return MayPanic
			}
			return anyEffect
		case "time.Time", "time.Duration", "time.Month", "time.Weekday":
			if f.Name() == "In" {
				return MayPanic
			}
			return 0
		case "net/netip.Addr", "net/netip.Prefix":
			if f.Name() == "String" {
				return 0
			}
		}
		return anyEffect
	}
	switch {
	case pkg == "fmt" && strings.HasPrefix(f.Name(), "Sprint"):
		all := MayRead // data that pointers refer to
		for _, a := range call.Args {
			all |= (&formatWalk{effectWalk: *w}).of(w.Info.TypeOf(a), true)
		}
		if call.Ellipsis.IsValid() {
			all = anyEffect
		}
		return all
	case name == "reflect.TypeOf":
		return 0
	case pkg == "path/filepath" && slices.Contains([]string{"Base", "Clean", "Dir", "Ext", "Join", "IsAbs", "FromSlash", "ToSlash", "VolumeName"}, f.Name()):
		return 0
	case !quietPackages[pkg]:
		return anyEffect
	}
	all := w.givenFunctions(call)
	switch {
	case strings.HasPrefix(f.Name(), "Append"), strings.HasPrefix(f.Name(), "Encode") && pkg != "encoding/hex",
		strings.HasPrefix(f.Name(), "Decode") && pkg == "encoding/hex", f.Name() == "NewBuffer", f.Name() == "NewReader", f.Name() == "As", f.Name() == "Is", name == "errors.AsType", name == "errors.Unwrap", strings.HasSuffix(f.Name(), "Seq"):
		return anyEffect
	case panics(w.Place, code.Call{CallExpr: call, Name: name}), pkg == "math/bits" && (strings.HasPrefix(f.Name(), "Div") || strings.HasPrefix(f.Name(), "Rem")), name == "bytes.Repeat", pkg == "regexp":
		all |= MayPanic
	}
	if pkg == "bytes" || slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return IsBytes(w.Place, a) }) {
		all |= MayRead | ReadsBytes
	}
	if slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
		_, slice := Under(w.Info.TypeOf(a)).(*types.Slice)
		return slice
	}) {
		all |= MayRead
	}
	return all
}

// givenFunctions returns the effects of the functions among a call's arguments, because the callee
// may call each of them.
func (w *effectWalk) givenFunctions(call *ast.CallExpr) (all Effects) {
	for _, a := range call.Args {
		if _, isFunc := Under(w.Info.TypeOf(a)).(*types.Signature); isFunc {
			all |= w.given(a)
		}
	}
	return all
}

func (w *effectWalk) given(f ast.Expr) Effects {
	switch f := ast.Unparen(f).(type) {
	case *ast.FuncLit:
		return w.block(f.Body.List)
	case *ast.Ident, *ast.SelectorExpr:
		if fn, ok := typeutil.Callee(w.Info, &ast.CallExpr{Fun: f}).(*types.Func); ok && fn.Signature().Recv() == nil {
			return w.function(fn.Origin(), &ast.CallExpr{Fun: f})
		}
	}
	return anyEffect
}

// Formatting returns what package fmt may do to format a value of a type: it calls Format,
// Error, String and GoString methods of the value and of its parts. fmt recovers their panics.
func Formatting(s *code.Place, t types.Type) Effects {
	return (&formatWalk{effectWalk: effectWalk{Place: s}}).of(t, true)
}

type formatWalk struct {
	effectWalk
	seen []types.Type
}

// of returns the effects of formatting a value of a type. given says that it is an argument, and
// not a part of one.
func (w *formatWalk) of(t types.Type, given bool) (all Effects) {
	if t == nil || types.IsInterface(t) || slices.ContainsFunc(w.seen, func(seen types.Type) bool { return types.Identical(seen, t) }) {
		if t != nil && !types.IsInterface(t) {
			return 0
		}
		if b, ok := t.(*types.Basic); ok && b.Kind() == types.UntypedNil {
			return 0
		}
		return anyEffect
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok || TypeName(t) == "reflect.Value" {
		return anyEffect
	}
	w.seen = append(w.seen, t)
	methods := types.NewMethodSet(t)
	for _, name := range []string{"Format", "GoString", "Error", "String"} {
		m := methods.Lookup(nil, name)
		if m == nil {
			continue
		}
		f, ok := m.Obj().(*types.Func)
		if !ok {
			return anyEffect
		}
		return w.function(f.Origin(), &ast.CallExpr{}) &^ MayPanic
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return 0
	case *types.Pointer:
		if !given {
			return 0 // only its address is printed
		}
		switch u.Elem().Underlying().(type) {
		case *types.Struct, *types.Array, *types.Slice, *types.Map:
			return MayRead | ReadsBytes | w.of(u.Elem(), false)
		}
		return 0
	case *types.Struct:
		for f := range u.Fields() {
			if !f.Exported() {
				all |= MayRead | ReadsBytes // fmt calls no methods of unexported fields, because reflection can't
				continue
			}
			all |= w.of(f.Type(), false)
		}
		return all
	case *types.Array:
		return w.of(u.Elem(), false)
	case *types.Slice:
		all = MayRead | w.of(u.Elem(), false)
		if IsByte(u.Elem()) {
			all |= ReadsBytes
		}
		return all
	case *types.Map:
		return MayRead | w.of(u.Key(), false) | w.of(u.Elem(), false)
	case *types.Chan, *types.Signature:
		return 0
	}
	return anyEffect
}

// panics reports whether a call may panic with some arguments. Then it must not run before a loop
// that may have no iterations.
func panics(s *code.Place, c code.Call) bool {
	switch c.Name {
	case "regexp.MustCompile":
		return true
	case "strings.NewReplacer":
		return len(c.Args)%2 != 0
	case "strings.Repeat", "strconv.FormatInt", "strconv.FormatUint", "strconv.FormatFloat":
		if len(c.Args) == 0 {
			return true // given to something that calls it
		}
		for _, a := range c.Args[1:] {
			if s.Info.Types[a].Value == nil {
				return true
			}
		}
	}
	return false
}
