package rules

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
)

// gainOfFields is the gain where a function compares structs field by field.
const gainOfFields = 10

// equalFunction fills in the rewrite of reflect.DeepEqual to a function that compares two structs, or
// what two pointers lead to, field by field. It reports whether there is one.
func equalFunction(s *advice.Site, c code.Call, t types.Type, m *advice.Match) bool {
	elem := t
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		elem = p.Elem()
	}
	if _, ok := elem.Underlying().(*types.Struct); !ok || s.Decl == nil || facts.Commented(s.Place, c.Fun.Pos(), c.Fun.End()) {
		return false
	}
	typ, ok := facts.TypeText(s.Place, t, s.Decl.Pos())
	if !ok || !facts.Builtins(s.Place, s.Decl.Pos(), "bool", "nil") {
		return false
	}
	e := equation{Site: s}
	e.equal("a", "b", t)
	if e.failed {
		return false
	}
	want := "equalValues"
	if named, ok := types.Unalias(elem).(*types.Named); ok {
		want = "equal" + strings.ToUpper(named.Obj().Name()[:1]) + named.Obj().Name()[1:]
	}
	if elem != t {
		want += "Pointers"
	}
	body := "return " + strings.Join(e.terms, " &&\n")
	text := func(name string) string {
		return fmt.Sprintf("// %s compares all fields, as reflect.DeepEqual does. Add new fields here.\nfunc %[1]s(a, b %s) bool {\n%s\n}", name, typ, body)
	}
	name, exists := edit.ExistingFunction(s, want, c.Pos(), text)
	m.Edits = []advice.Edit{edit.Replace(c.Fun, name)}
	if !exists {
		m.Edits = append([]advice.Edit{edit.BeforeDecl(s, text(name))}, m.Edits...)
		m.Imports = e.imports
	}
	m.Class, m.Gain = advice.Safe, gainOfFields
	m.Why = fmt.Sprintf("reflect.DeepEqual walks values of %s by reflection; %s compares the fields directly.", types.TypeString(t, types.RelativeTo(s.Types)), name)
	edit.MustCheck(m, changedByOthers(s, c.Args))
	return true
}

// An equation collects the conditions for two values to be equal.
type equation struct {
	*advice.Site
	terms   []string
	imports []string
	around  []types.Type // whose parts are being compared
	failed  bool
}

// equal adds the conditions for the values of two expressions. reflect.DeepEqual distinguishes nil from
// empty, follows pointers, and takes a slice or a map that holds a NaN to be equal to itself, which a
// comparison of elements doesn't.
func (e *equation) equal(a, b string, t types.Type) {
	if slices.ContainsFunc(e.around, func(around types.Type) bool { return types.Identical(around, t) }) {
		e.failed = true // a list or a tree, which may contain itself
		return
	}
	e.around = append(e.around, t)
	defer func() { e.around = e.around[:len(e.around)-1] }()
	switch u := t.Underlying().(type) {
	case *types.Slice:
		pkg := "slices"
		if facts.PlainBytes(t) {
			pkg = "bytes"
		}
		if !exact(u.Elem()) {
			e.failed = true
			return
		}
		e.elements(a, b, pkg)
	case *types.Map:
		if !exact(u.Key()) || !exact(u.Elem()) {
			e.failed = true
			return
		}
		e.elements(a, b, "maps")
	case *types.Pointer:
		inner := equation{Site: e.Site, around: e.around}
		switch u.Elem().Underlying().(type) {
		case *types.Struct:
			inner.equal(a, b, u.Elem()) // a.f is (*a).f
			if comparable := exactOrFloat(u.Elem()); comparable {
				inner.terms = []string{"*" + a + " == *" + b}
			}
		default:
			inner.failed = !exactOrFloat(u.Elem())
			inner.terms = []string{"*" + a + " == *" + b}
		}
		e.failed = e.failed || inner.failed
		for _, path := range inner.imports {
			e.importing(path)
		}
		nested, and := len(e.around) > 1, " &&\n"
		if nested {
			and = " && "
		}
		term := fmt.Sprintf("%s == %s || %[1]s != nil && %[2]s != nil%s%s", a, b, and, strings.Join(inner.terms, and))
		if nested {
			term = "(" + term + ")"
		}
		e.terms = append(e.terms, term)
	case *types.Struct:
		if exactOrFloat(t) {
			e.terms = append(e.terms, a+" == "+b)
			return
		}
		for f := range u.Fields() {
			if f.Name() == "_" || f.Pkg() != e.Types { // another package may add fields
				e.failed = true
				return
			}
			e.equal(a+"."+f.Name(), b+"."+f.Name(), f.Type())
		}
	default:
		if !exactOrFloat(t) {
			e.failed = true
			return
		}
		e.terms = append(e.terms, a+" == "+b)
	}
}

func (e *equation) elements(a, b, path string) {
	pkg, ok := facts.PackageName(e.Place, path, e.Decl.Pos())
	e.failed = e.failed || !ok
	e.importing(path)
	e.terms = append(e.terms, fmt.Sprintf("(%s == nil) == (%s == nil)", a, b), fmt.Sprintf("%s.Equal(%s, %s)", pkg, a, b))
}

func (e *equation) importing(path string) {
	if !slices.Contains(e.imports, path) {
		e.imports = append(e.imports, path)
	}
}

// exactOrFloat reports whether == of a type means what DeepEqual does outside of slices, maps and
// pointers that may be the same. There, a value with a NaN is equal to itself.
func exactOrFloat(t types.Type) bool {
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsBoolean|types.IsNumeric|types.IsString) != 0 && u.Info()&types.IsUntyped == 0
	case *types.Array:
		return exactOrFloat(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() == "_" || !exactOrFloat(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}
