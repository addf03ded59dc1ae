package rules

import (
	"go/ast"
	"go/types"
	"maps"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// wraps reads a function that only calls a function that appends, with memory of its own:
//
//	func (p point) String() string { return string(p.AppendTo(nil)) }
//
// ok is false if that one isn't a variant: it does more than append, or has other arguments.
func (t *textMaker) wraps() (is, ok bool) {
	list := t.Decl.Body.List
	if len(list) == 0 {
		return false, false
	}
	ret, returns := list[0].(*ast.ReturnStmt)
	if len(list) != 1 || !returns || len(ret.Results) != 1 {
		return false, false
	}
	e := ast.Unparen(ret.Results[0])
	if operand, _, converted := facts.Conversion(t.Place, e); t.text && converted && facts.IsBytes(t.Place, operand) {
		e = ast.Unparen(operand)
	}
	call, isCall := e.(*ast.CallExpr)
	if !isCall || len(call.Args) == 0 || !facts.PlainBytes(t.Info.TypeOf(call.Args[0])) && !t.Info.Types[call.Args[0]].IsNil() || !t.emptyRoom(call.Args[0]) {
		return false, false
	}
	variant := t.calledFunc(call)
	if variant == nil || !t.passesOn(call) || !onlyAppends(t.Site, variant) {
		return appendParameter(t.Callee(call)) < 0, false
	}
	t.name, t.exists, t.variant, t.rest = variant.Name(), true, variant, list
	return true, true
}

// emptyRoom reports whether an expression is an empty slice that nothing else has.
func (t *textMaker) emptyRoom(e ast.Expr) bool {
	e = ast.Unparen(e)
	if t.Info.Types[e].IsNil() {
		return true
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		lit, ok := e.(*ast.CompositeLit)
		return ok && len(lit.Elts) == 0
	}
	if t.Callee(call) != "make" || len(call.Args) < 2 {
		return false
	}
	for i, a := range call.Args[1:] {
		if n, constant := facts.ConstantInt(t.Place, a); !constant || n < 0 || i == 0 && n != 0 {
			return false
		}
	}
	return true
}

// calledFunc returns the function of the package that a call calls, as a plain name or a method of the receiver itself.
func (t *textMaker) calledFunc(call *ast.CallExpr) *types.Func {
	name, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if sel, isSel := ast.Unparen(call.Fun).(*ast.SelectorExpr); isSel {
		s := t.Info.Selections[sel]
		if t.Decl.Recv == nil || s == nil || s.Kind() != types.MethodVal || len(s.Index()) != 1 || types.IsInterface(s.Recv()) ||
			facts.Object(t.Place, sel.X) != t.Info.Defs[t.Decl.Recv.List[0].Names[0]] {
			return nil
		}
		name, ok = sel.Sel, true
	} else if t.Decl.Recv != nil {
		return nil
	}
	if !ok {
		return nil
	}
	fn, _ := t.Info.Uses[name].(*types.Func)
	if fn == nil || fn.Pkg() != t.Types || fn.Signature().Variadic() || fn == t.fn {
		return nil
	}
	// A method of the value that the receiver points to would have a nil pointer panic earlier in one of them.
	if r := fn.Signature().Recv(); r != nil && !types.Identical(r.Type(), t.fn.Signature().Recv().Type()) {
		return nil
	}
	return fn
}

// passesOn reports whether a call has the function's own parameters, in their order, after its first argument.
func (t *textMaker) passesOn(call *ast.CallExpr) bool {
	params := t.fn.Signature().Params()
	if len(call.Args) != params.Len()+1 || call.Ellipsis.IsValid() || t.fn.Signature().Variadic() {
		return false
	}
	for i, a := range call.Args[1:] {
		if facts.Object(t.Place, a) != types.Object(params.At(i)) {
			return false
		}
	}
	return true
}

// A variantKey is the key of the functions of a package that are known to append only, or not to.
type variantKey struct{}

// onlyAppends reports whether a function of the package appends to its first parameter, does nothing else with it, returns
// it, and writes to nothing else. Other systems don't have another function of its name.
func onlyAppends(s *advice.Site, fn *types.Func) bool {
	if decl := facts.DeclarationOfFunc(s.Place, fn); decl == nil || !edit.Reaches(s, decl, s.File) {
		return false
	}
	known := code.Memo(s.Package, variantKey{}, func() map[*types.Func]bool { return make(map[*types.Func]bool) })
	if only, ok := known[fn]; ok {
		return only
	}
	known[fn] = true // functions may call each other
	if !appendsAlone(s, fn) {
		maps.DeleteFunc(known, func(_ *types.Func, only bool) bool { return only }) // they may be known by this one
		known[fn] = false
	}
	return known[fn]
}

func appendsAlone(s *advice.Site, fn *types.Func) bool {
	decl := facts.DeclarationOfFunc(s.Place, fn)
	params, results := fn.Signature().Params(), fn.Signature().Results()
	plain := types.NewSlice(types.Typ[types.Byte])
	if decl == nil || decl.Body == nil || fn.Signature().TypeParams() != nil || fn.Signature().RecvTypeParams() != nil || params.Len() == 0 || results.Len() != 1 || results.At(0).Name() != "" ||
		!types.Identical(params.At(0).Type(), plain) || !types.Identical(results.At(0).Type(), plain) {
		return false
	}
	c, ok := s.Root().FindNode(decl)
	if !ok {
		return false
	}
	site := *s
	site.Place = s.Around(c)
	t := &textMaker{Site: &site, fn: fn, built: params.At(0), dst: params.At(0).Name(), rest: decl.Body.List}
	if !straight(&site) || !facts.Builtins(site.Place, decl.Body.Pos(), "append") || len(t.returns()) == 0 {
		return false
	}
	for _, id := range s.Uses(t.built) {
		use, ok := s.Root().FindNode(id)
		if !ok || !t.appendUse(use, nil) {
			return false
		}
	}
	for _, r := range t.returns() {
		if len(r.Results) != 1 || exprObject(site.Place, t.grown(r.Results[0])) != t.built {
			return false
		}
	}
	return !t.needs && t.quiet()
}
